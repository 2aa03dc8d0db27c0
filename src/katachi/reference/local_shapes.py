"""Local shapes as they are defined (Silver 2009, 5.3 and 5.4): enumerated, shared by orbit, looked up one by one.

A shape is a window of the board with a content: (row, column, rows), its top left corner and one text for each row, `.`
empty, `X` black, `O` white. Nothing here is fast; tests compare the native shapes with it.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import product

__all__ = ["Shape", "active", "all_shapes", "orbit", "orientations", "representative", "unique_shapes"]

Shape = tuple[int, int, tuple[str, ...]]

_INVERTED = str.maketrans("XO", "OX")
_TURNING = ("nld", "nli", "ld", "li")
_INVERTING = ("ci", "ld", "li")
_MOVING = ("nli", "li")


def orientations(width: int, height: int) -> list[tuple[int, int]]:
    """(width, height) of the windows of a size: one that is no square also stands upright."""
    return [(width, height)] if width == height else [(width, height), (height, width)]


def all_shapes(side: int, width: int, height: int) -> Iterator[Shape]:
    """All shapes of one size, in the order of their numbers; of each window the contents in the order of their codes.

    The code of a content is the sum of digit * 3^i over its points, so that the first point changes fastest.
    """
    for w, h in orientations(width, height):
        for row, col in product(range(side - h + 1), range(side - w + 1)):
            for stones in product(".XO", repeat=w * h):
                text = "".join(reversed(stones))
                yield row, col, tuple(text[start : start + w] for start in range(0, w * h, w))


def _number(shape: Shape, width: int) -> tuple[int, int, int, str]:
    """What shapes of one size are ordered by."""
    row, col, rows = shape
    stones = "".join(rows).replace("X", "1").replace("O", "2").replace(".", "0")
    is_upright = len(rows[0]) != width
    return int(is_upright), row, col, stones[::-1]


def _turned(shape: Shape, side: int) -> Shape:
    """The board turned by 90 degrees: what was at (row, col) is at (col, side - 1 - row)."""
    row, col, rows = shape
    turned = tuple("".join(rows[r][c] for r in reversed(range(len(rows)))) for c in range(len(rows[0])))
    return col, side - row - len(rows), turned


def _mirrored(shape: Shape, side: int) -> Shape:
    """Left and right exchanged."""
    row, col, rows = shape
    return row, side - col - len(rows[0]), tuple(line[::-1] for line in rows)


def orbit(shape: Shape, side: int, scheme: str) -> set[tuple[Shape, int]]:
    """All shapes of a class, each with the signs that it is reached with."""
    found = {(shape, 1)}
    if scheme in _TURNING:
        turned = [shape]
        for _ in range(3):
            turned.append(_turned(turned[-1], side))
        found = {(image, 1) for each in turned for image in (each, _mirrored(each, side))}
    if scheme in _INVERTING:
        found |= {((row, col, tuple(r.translate(_INVERTED) for r in rows)), -sign) for (row, col, rows), sign in found}
    if scheme in _MOVING:
        contents = {(rows, sign) for (_row, _col, rows), sign in found}
        found = {
            ((row, col, rows), sign)
            for rows, sign in contents
            for row in range(side - len(rows) + 1)
            for col in range(side - len(rows[0]) + 1)
        }
    return found


def representative(shape: Shape, side: int, scheme: str) -> tuple[Shape, int] | None:
    """The first shape of its class, and the sign; None if it is empty, or neutral: in its class with both signs."""
    if all(set(row) == {"."} for row in shape[2]):
        return None
    width = max(len(shape[2]), len(shape[2][0]))
    members = orbit(shape, side, scheme)
    first = min((member for member, _sign in members), key=lambda member: _number(member, width))
    signs = {sign for member, sign in members if member == first}
    return None if len(signs) == 2 else (first, signs.pop())


def unique_shapes(side: int, width: int, height: int, scheme: str) -> list[Shape]:
    """The representatives of all classes with a weight, in the order of their numbers."""
    return [shape for shape in all_shapes(side, width, height) if representative(shape, side, scheme) == (shape, 1)]


def active(stones: str, side: int, sizes: list[tuple[int, int]], scheme: str) -> Counter[tuple[Shape, int]]:
    """The representatives of what is on in a position ("XO." row by row), with their signs, and how often."""
    lines = [stones[start : start + side] for start in range(0, side * side, side)]
    found: Counter[tuple[Shape, int]] = Counter()
    for width, height in sizes:
        for w, h in orientations(width, height):
            for row, col in product(range(side - h + 1), range(side - w + 1)):
                content = tuple(line[col : col + w] for line in lines[row : row + h])
                known = representative((row, col, content), side, scheme)
                if known is not None:
                    found[known] += 1
    return found
