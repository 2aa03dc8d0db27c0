"""A position as an SVG picture, for notebooks."""

from typing import TYPE_CHECKING

from katachi.games.go.handicap import star_points
from katachi.games.go.vertex import COLUMNS, row_and_col

if TYPE_CHECKING:
    from katachi.games.go.position import Position

__all__ = ["draw_svg"]

_CELL = 24
_MARGIN = 28


def draw_svg(position: "Position") -> str:
    """Board, coordinates, stones, the last move and the ko point."""
    width, height = position.width, position.height
    across, down = 2 * _MARGIN + (width - 1) * _CELL, 2 * _MARGIN + (height - 1) * _CELL
    right, bottom = across - _MARGIN, down - _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across}" height="{down}" viewBox="0 0 {across} {down}">',
        f'<rect width="{across}" height="{down}" fill="#e3b76c"/>',
        '<g stroke="#5a4320" stroke-width="1">',
        *(f'<line x1="{_at(c)}" y1="{_MARGIN}" x2="{_at(c)}" y2="{bottom}"/>' for c in range(width)),
        *(f'<line x1="{_MARGIN}" y1="{_at(r)}" x2="{right}" y2="{_at(r)}"/>' for r in range(height)),
        "</g>",
        *(f'<circle cx="{_at(c)}" cy="{_at(r)}" r="2.5" fill="#5a4320"/>' for r, c in star_points(width, height)),
        '<g font-family="sans-serif" font-size="10" text-anchor="middle" fill="#5a4320">',
    ]
    for c in range(width):
        parts += [f'<text x="{_at(c)}" y="{y}">{COLUMNS[c]}</text>' for y in (12, down - 4)]
    for r in range(height):
        parts += [f'<text x="{x}" y="{_at(r) + 4}">{height - r}</text>' for x in (9, across - 9)]
    parts.append("</g>")
    for point, stone in enumerate(position.stones()):
        if stone != ".":
            fill, edge = ("#111", "#000") if stone == "X" else ("#fafafa", "#444")
            parts.append(f'<circle {_centre(point, width)} r="{_CELL * 0.47:.1f}" fill="{fill}" stroke="{edge}"/>')
    if position.moves and position.moves[-1] < width * height:
        parts.append(f'<circle {_centre(position.moves[-1], width)} r="5" fill="none" stroke="#d22" stroke-width="2"/>')
    if position.ko is not None:
        row, col = row_and_col(position.ko, width)
        parts.append(f'<rect x="{_at(col) - 5}" y="{_at(row) - 5}" width="10" height="10" fill="none" stroke="#d22"/>')
    parts.append("</svg>")
    return "\n".join(parts)


def _at(index: int) -> int:
    return _MARGIN + index * _CELL


def _centre(point: int, width: int) -> str:
    row, col = row_and_col(point, width)
    return f'cx="{_at(col)}" cy="{_at(row)}"'
