"""Whether weights for each stage of the game help."""
