"""Heuristic MC-RAVE with twice the simulations."""
