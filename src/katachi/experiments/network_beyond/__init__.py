"""Residual with RPROP, and TD-leaf(mu)."""
