"""Coordinates: the only module that converts between vertices (`E5`), points, rows and columns, and actions.

A vertex is a column letter (A to T without I) and a row number counted from the bottom, as in GTP. A point is
`row * width + col` with row 0 at the top. The action of a point has its number; a pass is `width * height`.
"""

import re

from katachi.core.errors import ParseError
from katachi.core.types import Action, Point

__all__ = ["COLUMNS", "format_vertex", "parse_size", "parse_vertex", "pass_action", "point_at", "row_and_col"]

COLUMNS = "ABCDEFGHJKLMNOPQRST"

_VERTEX = re.compile(r"([A-HJ-T])([1-9][0-9]?)", re.IGNORECASE)


def point_at(row: int, col: int, width: int) -> Point:
    """The point at a row (0 at the top) and a column (0 at the left)."""
    return Point(row * width + col)


def row_and_col(point: int, width: int) -> tuple[int, int]:
    """Row (0 at the top) and column (0 at the left) of a point."""
    return divmod(point, width)


def pass_action(width: int, height: int) -> Action:
    """The action of passing."""
    return Action(width * height)


def parse_vertex(text: str, width: int, height: int) -> Action:
    """`E5` or `pass` as an action; upper or lower case."""
    word = text.strip()
    if word.lower() == "pass":
        return pass_action(width, height)
    match = _VERTEX.fullmatch(word)
    if match is None:
        raise ParseError(f"{text!r} is not a vertex: expected a letter A-T without I and a number, or pass")
    col = COLUMNS.index(match[1].upper())
    row = height - int(match[2])
    if col >= width or not 0 <= row < height:
        raise ParseError(f"{text!r} is not on a board of {width}x{height}")
    return Action(point_at(row, col, width))


def format_vertex(action: int, width: int, height: int) -> str:
    """An action as `E5` or `pass`."""
    if action == width * height:
        return "pass"
    if not 0 <= action < width * height:
        raise ParseError(f"{action} is not an action on a board of {width}x{height}")
    row, col = row_and_col(action, width)
    return f"{COLUMNS[col]}{height - row}"


def parse_size(text: str) -> tuple[int, int]:
    """`9` or `9x13` as (width, height)."""
    match = re.fullmatch(r"([0-9]{1,2})(?:[xX]([0-9]{1,2}))?", text.strip())
    if match is None:
        raise ParseError(f"{text!r} is not a board size: expected N or WIDTHxHEIGHT, such as 9 or 9x13")
    width = int(match[1])
    return width, int(match[2]) if match[2] else width
