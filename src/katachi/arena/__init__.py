"""The arena: games between players, and what they say about strength."""
