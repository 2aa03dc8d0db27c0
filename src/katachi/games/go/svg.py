"""A position as an SVG picture, for notebooks."""

from typing import TYPE_CHECKING

from katachi.games.go.handicap import star_points
from katachi.games.go.vertex import COLUMNS
from katachi.games.svg_board import draw_crossings

if TYPE_CHECKING:
    from katachi.games.go.position import Position

__all__ = ["draw_svg"]


def draw_svg(position: "Position") -> str:
    """Board, coordinates, stones, the last move (a ring) and the ko point (a box)."""
    shape = position.width, position.height
    last = position.moves[-1] if position.moves else None
    return draw_crossings(
        shape,
        position.stones(),
        COLUMNS,
        stars=star_points(*shape),
        ring=None if last is None or last >= position.width * position.height else int(last),
        box=None if position.ko is None else int(position.ko),
    )
