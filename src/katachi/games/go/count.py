"""Exhaustive counts that a correct Go board reproduces: move sequences (perft), whole games, legal positions."""

from collections.abc import Callable
from typing import TypeAlias

from katachi import _core
from katachi.games.go.position import Position

__all__ = ["count_games", "count_positions", "count_sequences"]

Progress: TypeAlias = Callable[[float], object]


def count_sequences(position: Position, depth: int, progress: Progress | None = None) -> list[int] | None:
    """Move sequences of exactly 1, 2, …, `depth` plies from here, passes included, none after two passes in a row.

    None if `progress`, told the share done, returned False.
    """
    return _core.count_sequences(position._native, depth, progress)


def count_games(position: Position, progress: Progress | None = None) -> int | None:
    """Whole games from here, each ended by two passes. Refused under simple ko, where a game need not end."""
    return _core.count_games(position._native, progress)


def count_positions(width: int, height: int, progress: Progress | None = None) -> int | None:
    """Legal positions: colourings in which every chain has a liberty. Boards of at most 20 points."""
    return _core.count_positions(width, height, progress)
