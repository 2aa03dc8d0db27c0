"""How many of the moves in self-play are random."""
