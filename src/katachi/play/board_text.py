"""The board as text for a terminal: coordinates, stones, star points, the last move in brackets, and notes beside it.

With colours the board has a ground of its own, because on a dark terminal ● looks white and ○ black. The signs differ
all the same, so that a copy without colours can be read.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from katachi.games.go.handicap import star_points
from katachi.games.go.position import Position
from katachi.games.go.vertex import COLUMNS, point_at

__all__ = ["ASCII", "UNICODE", "Signs", "can_encode", "draw_board"]

_GROUND = "on #d9a860"
_STYLES = {"X": f"bold #000000 {_GROUND}", "O": f"bold #ffffff {_GROUND}"}
_LINES = f"#7a5a2a {_GROUND}"
_MARK = f"bold #b00000 {_GROUND}"
_GAP = 3


@dataclass(frozen=True)
class Signs:
    """What stands for what."""

    black: str
    white: str
    empty: str
    star: str
    ko: str
    brackets: str

    def of(self, stone: str, *, star: bool) -> str:
        """The sign of `X`, `O` or `.`."""
        return {"X": self.black, "O": self.white}.get(stone, self.star if star else self.empty)


UNICODE = Signs(black="●", white="○", empty="·", star="+", ko="□", brackets="[]")
ASCII = Signs(black="X", white="O", empty=".", star="+", ko="k", brackets="()")


def can_encode(encoding: str | None) -> bool:
    """Can a terminal with this encoding show the signs of UNICODE?"""
    try:
        "●○·□".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def draw_board(position: Position, signs: Signs, notes: Sequence[str], columns: int = 80) -> Text:
    """The board, with the notes to its right if there is room for both, otherwise below.

    In a window that is narrower than the board the columns move together; then nothing marks the last move, which the
    notes should name.
    """
    spread = 2 * position.width + 7 <= columns
    rows = [_letters(position, spread)]
    rows += [_row(position, row, signs, spread) for row in range(position.height)]
    rows.append(_letters(position, spread))
    board_columns = max(row.cell_len for row in rows)
    beside = board_columns + _GAP + max(map(len, notes), default=0) < columns and len(notes) <= len(rows) - 2
    if beside:
        for row, note in zip(rows[1:], notes, strict=False):
            row.append(" " * (board_columns - row.cell_len + _GAP) + note)
    else:
        rows += [Text(note) for note in notes]
    return Text("\n").join(rows)


def _letters(position: Position, spread: bool) -> Text:
    letters = COLUMNS[: position.width]
    return Text(f"    {' '.join(letters)}" if spread else f"   {letters}")


def _row(position: Position, row: int, signs: Signs, spread: bool) -> Text:
    number = position.height - row
    last = int(position.moves[-1]) if position.moves else None
    stars = star_points(position.width, position.height)
    stones = position.stones()
    text = Text(f"{number:2} ")
    for col in range(position.width):
        point = int(point_at(row, col, position.width))
        if spread:
            opens, closes = last == point, col > 0 and last == point - 1
            text.append(signs.brackets[0] if opens else signs.brackets[1] if closes else " ", _MARK)
        stone = stones[point]
        if point == position.ko:
            text.append(signs.ko, _MARK)
        else:
            text.append(signs.of(stone, star=(row, col) in stars), _STYLES.get(stone, _LINES))
    if spread:
        text.append(signs.brackets[1] if last == point_at(row, position.width - 1, position.width) else " ", _MARK)
    text.append(f" {number}")
    return text
