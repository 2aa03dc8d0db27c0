"""Boards as SVG pictures, for notebooks and pages: one function for each kind of board.

Stones come as in `BoardGame.stones`: one character a place, `.`, `X` or `O`, row by row from the top. `columns` are the
letters of the columns; rows are counted from the bottom. What a game's own vertices look like is the game's business.
"""

from collections.abc import Iterable, Sequence
from html import escape
from math import cos, pi, sin, sqrt

__all__ = ["draw_crossings", "draw_hexagons", "draw_line", "draw_squares", "draw_text"]

_CELL = 24
_MARGIN = 28
_GROUND = "#e3b76c"
_LINES = "#5a4320"
_MARK = "#d22"
_COLOURS = {"X": ("#111", "#000"), "O": ("#fafafa", "#444")}


def draw_crossings(
    shape: tuple[int, int],
    stones: str,
    columns: str,
    *,
    stars: Iterable[tuple[int, int]] = (),
    ring: int | None = None,
    box: int | None = None,
) -> str:
    """Stones on the crossings of lines. `stars` are (row, col); a ring and a box mark a point each."""
    width, height = shape
    across, down = 2 * _MARGIN + (width - 1) * _CELL, 2 * _MARGIN + (height - 1) * _CELL
    right, bottom = across - _MARGIN, down - _MARGIN
    centres = [(_at(col), _at(row)) for row in range(height) for col in range(width)]
    parts = [
        f'<g stroke="{_LINES}" stroke-width="1">',
        *(f'<line x1="{_at(c)}" y1="{_MARGIN}" x2="{_at(c)}" y2="{bottom}"/>' for c in range(width)),
        *(f'<line x1="{_MARGIN}" y1="{_at(r)}" x2="{right}" y2="{_at(r)}"/>' for r in range(height)),
        "</g>",
        *(f'<circle cx="{_at(c)}" cy="{_at(r)}" r="2.5" fill="{_LINES}"/>' for r, c in stars),
        *_coordinates(shape, columns),
        *_stones(centres, stones),
    ]
    if ring is not None:
        x, y = centres[ring]
        parts.append(f'<circle cx="{x}" cy="{y}" r="5" fill="none" stroke="{_MARK}" stroke-width="2"/>')
    if box is not None:
        x, y = centres[box]
        parts.append(f'<rect x="{x - 5}" y="{y - 5}" width="10" height="10" fill="none" stroke="{_MARK}"/>')
    return _picture(across, down, parts)


def draw_squares(shape: tuple[int, int], stones: str, columns: str) -> str:
    """Stones in the squares between lines."""
    width, height = shape
    across, down = 2 * _MARGIN + (width - 1) * _CELL, 2 * _MARGIN + (height - 1) * _CELL
    left, right, bottom = _MARGIN - _CELL // 2, across - _MARGIN + _CELL // 2, down - _MARGIN + _CELL // 2
    parts = [
        f'<g stroke="{_LINES}" stroke-width="1">',
        *(f'<line x1="{x}" y1="{left}" x2="{x}" y2="{bottom}"/>' for x in range(left, right + 1, _CELL)),
        *(f'<line x1="{left}" y1="{y}" x2="{right}" y2="{y}"/>' for y in range(left, bottom + 1, _CELL)),
        "</g>",
        *_coordinates(shape, columns),
        *_stones([(_at(col), _at(row)) for row in range(height) for col in range(width)], stones),
    ]
    return _picture(across, down, parts)


def draw_hexagons(size: int, stones: str, columns: str) -> str:
    """A rhombus of hexagons, each row half a cell further right; its sides have their owners' colours."""
    radius = _CELL / sqrt(3)
    centres = [
        (2 * _MARGIN + (col + row / 2) * _CELL, 2 * _MARGIN + row * 1.5 * radius)
        for row in range(size)
        for col in range(size)
    ]
    # Corners of a hexagon around its centre, from the top clockwise.
    corners = [(radius * sin(k * pi / 3), -radius * cos(k * pi / 3)) for k in range(6)]
    across = 4 * _MARGIN + round((size - 1) * 1.5 * _CELL)
    down = 4 * _MARGIN + round((size - 1) * 1.5 * radius)

    def path(places: Iterable[int], sides: Sequence[int]) -> str:
        spots = (
            f"{centres[p][0] + corners[k][0]:.1f},{centres[p][1] + corners[k][1]:.1f}" for p in places for k in sides
        )
        return " ".join(spots)

    def border(places: Iterable[int], sides: Sequence[int], stone: str) -> str:
        return f'<polyline points="{path(places, sides)}" fill="none" stroke="{_COLOURS[stone][0]}" stroke-width="4"/>'

    parts = [
        f'<g fill="{_GROUND}" stroke="{_LINES}" stroke-width="1">',
        *(f'<polygon points="{path((place,), range(6))}"/>' for place in range(size * size)),
        "</g>",
        border(range(size), (5, 0, 1), "X"),
        border(range(size * size - size, size * size), (4, 3, 2), "X"),
        border(range(0, size * size, size), (5, 4, 3), "O"),
        border(range(size - 1, size * size, size), (0, 1, 2), "O"),
        f'<g font-family="sans-serif" font-size="10" text-anchor="middle" fill="{_LINES}">',
    ]
    for index in range(size):
        x, y = centres[index]
        parts.append(f'<text x="{x - _CELL / 2:.1f}" y="{y - _CELL:.1f}">{columns[index]}</text>')
        x, y = centres[index * size]
        parts.append(f'<text x="{x - _CELL:.1f}" y="{y + 4:.1f}">{size - index}</text>')
    parts += ["</g>", *_stones(centres, stones, 0.38)]
    return _picture(across, down, parts, ground="#c9c2b4")


def draw_line(size: int, place: int) -> str:
    """Places in a row, the ends being squares, and somebody at one of them."""
    across, down = 2 * _MARGIN + (size - 1) * _CELL, 2 * _MARGIN
    parts = [f'<line x1="{_MARGIN}" y1="{_MARGIN}" x2="{across - _MARGIN}" y2="{_MARGIN}" stroke="{_LINES}"/>']
    for x in (_MARGIN, across - _MARGIN):
        parts.append(f'<rect x="{x - 6}" y="{_MARGIN - 6}" width="12" height="12" fill="{_LINES}"/>')
    parts += [f'<circle cx="{_at(i)}" cy="{_MARGIN}" r="3" fill="{_LINES}"/>' for i in range(1, size - 1)]
    parts.append(f'<circle cx="{_at(place)}" cy="{_MARGIN}" r="{_CELL * 0.4:.1f}" fill="{_MARK}"/>')
    return _picture(across, down, parts)


def draw_text(text: str) -> str:
    """Lines of text, for a state that has no picture of its own."""
    lines = text.rstrip("\n").split("\n")
    across, down = 20 + 9 * max(map(len, lines)), 20 + 18 * len(lines)
    parts = [f'<g font-family="monospace" font-size="14" fill="{_LINES}" xml:space="preserve">']
    parts += [f'<text x="10" y="{24 + 18 * row}">{escape(line)}</text>' for row, line in enumerate(lines)]
    return _picture(across, down, [*parts, "</g>"])


def _picture(across: int, down: int, parts: Iterable[str], ground: str = _GROUND) -> str:
    size = f'width="{across}" height="{down}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {across} {down}">'
    return "\n".join([head, f'<rect {size} fill="{ground}"/>', *parts, "</svg>"])


def _coordinates(shape: tuple[int, int], columns: str) -> list[str]:
    width, height = shape
    across, down = 2 * _MARGIN + (width - 1) * _CELL, 2 * _MARGIN + (height - 1) * _CELL
    parts = [f'<g font-family="sans-serif" font-size="10" text-anchor="middle" fill="{_LINES}">']
    for col in range(width):
        parts += [f'<text x="{_at(col)}" y="{y}">{columns[col]}</text>' for y in (12, down - 4)]
    for row in range(height):
        parts += [f'<text x="{x}" y="{_at(row) + 4}">{height - row}</text>' for x in (9, across - 9)]
    return [*parts, "</g>"]


def _stones(centres: Sequence[tuple[float, float]], stones: str, share: float = 0.47) -> list[str]:
    parts = []
    for (x, y), stone in zip(centres, stones, strict=True):
        if stone in _COLOURS:
            fill, edge = _COLOURS[stone]
            parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{_CELL * share:.1f}" fill="{fill}" stroke="{edge}"/>')
    return parts


def _at(index: int) -> int:
    return _MARGIN + index * _CELL
