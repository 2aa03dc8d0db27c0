"""Heuristic MC-RAVE that bootstraps."""
