"""Analyses for Go players: KataGo's JSON protocol (`query`, `engine`, `server`), and whole games (`review`)."""

__all__ = ["USUAL_PLAYER"]

USUAL_PLAYER = "tournament:sims=1000"
"""Who analyses, if nobody else is asked. The most visited move comes first: with RAVE the move of the highest value may
hardly have been tried."""
