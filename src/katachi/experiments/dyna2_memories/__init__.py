"""Dyna-2 with its long-term memory, its short-term memory, and both."""
