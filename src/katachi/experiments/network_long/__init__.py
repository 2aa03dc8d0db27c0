"""Long runs of TD(mu)."""
