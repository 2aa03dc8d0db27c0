"""Whether weights for the player to move help."""
