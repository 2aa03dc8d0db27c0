"""Searches over the game contract. The native half is cpp/search."""
