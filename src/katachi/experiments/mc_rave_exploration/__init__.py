"""Exploration bonuses beside RAVE values."""
