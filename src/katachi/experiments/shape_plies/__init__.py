"""What a state learns from: the next one, or the next one of the same player."""
