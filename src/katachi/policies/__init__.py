"""Policies that play simulated games by themselves; the native ones are in cpp/policies."""
