"""Two-step balancing in the iterated cycle."""
