"""Step sizes and exploration beyond the plain form of TD search."""
