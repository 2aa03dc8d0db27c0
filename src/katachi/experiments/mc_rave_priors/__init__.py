"""What the moves of a new node of MC-RAVE begin with."""
