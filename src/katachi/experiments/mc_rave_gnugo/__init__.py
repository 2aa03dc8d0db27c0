"""UCT, MC-RAVE and heuristic MC-RAVE against GNU Go."""
