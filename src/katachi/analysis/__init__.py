"""Analyses for Go players: KataGo's JSON protocol (`query`, `engine`, `server`), and whole games (`review`)."""
