"""TD search against UCT with equal knowledge."""
