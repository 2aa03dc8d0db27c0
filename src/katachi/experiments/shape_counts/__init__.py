"""How many local shapes and weights there are, by board, size and sharing."""
