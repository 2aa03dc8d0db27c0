"""Slow, readable twins of the fast native core: written from the rules, to compare with and not to play with."""
