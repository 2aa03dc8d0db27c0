"""Coordinates: the only module that converts between vertices (`E5`), points, rows and columns, and actions.

A vertex is a column letter (A to T without I) and a row number counted from the bottom, as in GTP. A point is
`row * width + col` with row 0 at the top. The action of a point has its number; a pass is `width * height`.

SGF writes a point as two letters, column and row from the top left, a to z and then A to Z: boards up to 52x52.
"""

import re

from katachi.core.errors import ParseError
from katachi.core.types import Action, Point

__all__ = [
    "COLUMNS",
    "SGF_LETTERS",
    "format_sgf_move",
    "format_sgf_point",
    "format_vertex",
    "parse_sgf_move",
    "parse_sgf_point",
    "parse_sgf_points",
    "parse_size",
    "parse_vertex",
    "pass_action",
    "point_at",
    "row_and_col",
]

COLUMNS = "ABCDEFGHJKLMNOPQRST"
SGF_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

_VERTEX = re.compile(r"([A-HJ-T])([1-9][0-9]?)", re.IGNORECASE)


def point_at(row: int, col: int, width: int) -> Point:
    """The point at a row (0 at the top) and a column (0 at the left)."""
    return Point(row * width + col)


def row_and_col(point: int, width: int) -> tuple[int, int]:
    """Row (0 at the top) and column (0 at the left) of a point."""
    return divmod(point, width)


def neighbours(point: int, width: int, height: int) -> list[Point]:
    """The points next to a point, ascending."""
    row, col = row_and_col(point, width)
    around = ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col))
    return [point_at(r, c, width) for r, c in around if 0 <= r < height and 0 <= c < width]


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


def parse_sgf_point(text: str, width: int, height: int) -> Point:
    """`ec` of SGF as a point; white space around it does not matter."""
    text = text.strip()
    if len(text) != 2 or text[0] not in SGF_LETTERS or text[1] not in SGF_LETTERS:
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        raise ParseError(f"{shown!r} is not a point of SGF: expected two letters")
    col, row = SGF_LETTERS.index(text[0]), SGF_LETTERS.index(text[1])
    if col >= width or row >= height:
        raise ParseError(f"{text!r} is not on a board of {width}x{height}")
    return point_at(row, col, width)


def format_sgf_point(point: int, width: int, height: int) -> str:
    """A point as `ec` of SGF."""
    if not 0 <= point < width * height:
        raise ParseError(f"{point} is not a point on a board of {width}x{height}")
    row, col = row_and_col(point, width)
    return SGF_LETTERS[col] + SGF_LETTERS[row]


def parse_sgf_move(text: str, width: int, height: int) -> Action:
    """A point of SGF as an action; nothing is a pass, and so is `tt` on boards up to 19x19."""
    if text.strip() == "" or (text.strip() == "tt" and width <= 19 and height <= 19):
        return pass_action(width, height)
    return Action(parse_sgf_point(text, width, height))


def format_sgf_move(action: int, width: int, height: int) -> str:
    """An action as a point of SGF, or nothing for a pass."""
    return "" if action == pass_action(width, height) else format_sgf_point(action, width, height)


def parse_sgf_points(text: str, width: int, height: int) -> int:
    """An element of a list of points in SGF, `ec` or the rectangle `ec:gd`: a number whose bit p stands for point p.

    Nothing stands for no points: some programs write empty lists.
    """
    if text.strip() == "":
        return 0
    first, colon, last = text.partition(":")
    top, left = row_and_col(parse_sgf_point(first, width, height), width)
    bottom, right = row_and_col(parse_sgf_point(last if colon else first, width, height), width)
    if bottom < top or right < left:
        raise ParseError(f"{text!r} is not a rectangle of SGF: expected its upper left and lower right corner")
    row = (1 << (right - left + 1)) - 1
    starts = ((1 << width * (bottom - top + 1)) - 1) // ((1 << width) - 1)  # bit 0 of every row
    return row * starts << point_at(top, left, width)
