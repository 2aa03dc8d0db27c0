"""Features, step sizes and exploration beyond the plain form of TD search."""
