"""TD search against UCT on boards of 5 to 15."""
