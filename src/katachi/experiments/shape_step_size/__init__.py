"""Which values and which steps make learning robust."""
