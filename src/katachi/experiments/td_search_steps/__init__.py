"""Learning rates and exploration rates of TD search."""
