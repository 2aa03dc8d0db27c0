"""Actions, points and players are different types.

An action is a number below the game's action space; a point is a place on a Go board, `row * width + col` with row 0 at
the top. In Go the action of playing at a point has the point's number, and a pass is `width * height`: converting
between them is `katachi.games.go.vertex`'s business.
"""

from typing import NewType

from katachi._core import Player

__all__ = ["Action", "Player", "Point"]

Action = NewType("Action", int)
Point = NewType("Point", int)
