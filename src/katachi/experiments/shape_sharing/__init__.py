"""How fast shapes learn that share a weight by symmetry, anywhere on the board, or not at all."""
