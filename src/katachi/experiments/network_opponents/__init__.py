"""Opponents to learn from, and opponents that were never met."""
