"""What a playout policy is worth to UCT."""
