"""How much learning curves differ by chance."""
