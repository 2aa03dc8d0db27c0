"""Policies of four learners as players: by themselves and in Monte-Carlo searches of one ply."""
