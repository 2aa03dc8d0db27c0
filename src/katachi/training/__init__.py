"""Loops that train: self-play, and the folders that its runs are kept in. The native half is cpp/training."""
