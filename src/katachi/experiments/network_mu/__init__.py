"""TD(mu) that judges moves with what they earn."""
