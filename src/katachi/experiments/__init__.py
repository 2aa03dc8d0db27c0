"""Experiments: one runnable entry per result of the sources, and the ledger of all of them."""
