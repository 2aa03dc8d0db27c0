"""Text diagrams in both directions. What `format_diagram` writes, `parse_diagram` reads."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from katachi.core.errors import ParseError
from katachi.core.types import Action, Player
from katachi.games.go.vertex import COLUMNS, format_vertex, parse_vertex

if TYPE_CHECKING:
    from katachi.games.go.position import Position

__all__ = ["Diagram", "format_diagram", "parse_diagram"]

_ROW = re.compile(r"(?:\d+\s+)?((?:[.+XO#B@W]\s*)+?)(?:\s*\d+)?", re.IGNORECASE)
_PASSES = ("", " after a pass", " after two passes: game over")
_NOTE = re.compile(
    r"(black|white)(?: \([XO]\))? to play( after a pass| after two passes: game over)?(?:, ko at ([A-Z]\d+))?",
    re.IGNORECASE,
)
_STONES = {".": ".", "+": ".", "X": "X", "#": "X", "B": "X", "@": "X", "O": "O", "W": "O"}


@dataclass(frozen=True)
class Diagram:
    """What a text diagram says."""

    width: int
    height: int
    stones: str
    to_play: Player | None
    ko: Action | None
    passes: int


def format_diagram(position: "Position") -> str:
    """Coordinates, stones, who is to play, ko and captures."""
    letters = "   " + " ".join(COLUMNS[: position.width])
    stones = position.stones()
    lines = [letters]
    for row in range(position.height):
        number = position.height - row
        points = stones[row * position.width : (row + 1) * position.width]
        lines.append(f"{number:2} {' '.join(points)} {number}")
    lines.append(letters)
    turn = f"{_player(position.to_play)} to play{_PASSES[position.passes]}"
    ko = "" if position.ko is None else f", ko at {format_vertex(position.ko, position.width, position.height)}"
    captured = f"captured: {position.captured(Player.BLACK)} X, {position.captured(Player.WHITE)} O"
    lines.append(f"{turn}{ko}, {captured}")
    return "\n".join(lines)


def parse_diagram(text: str) -> Diagram:
    """Reads rows of `. X O` (also `+ # @ B W`), with or without spaces and coordinates, and the line below them."""
    rows: list[str] = []
    to_play: Player | None = None
    ko_text: str | None = None
    passes = 0
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.strip()
        if not words or _is_letters(words):
            continue
        note = _NOTE.match(words)
        if note is not None:
            to_play = Player.BLACK if note[1].lower() == "black" else Player.WHITE
            passes = _PASSES.index((note[2] or "").lower())
            ko_text = note[3]
            continue
        match = _ROW.fullmatch(words)
        if match is None:
            raise ParseError(f"line {number} of the diagram is not a row of stones: {line!r}")
        rows.append("".join(_STONES[c.upper()] for c in match[1] if not c.isspace()))
        if len(rows[-1]) != len(rows[0]):
            raise ParseError(
                f"line {number} of the diagram has {len(rows[-1])} points, the first row has {len(rows[0])}: {line!r}"
            )
    if not rows:
        raise ParseError(f"there is no row of stones in the diagram {text!r}")
    width, height = len(rows[0]), len(rows)
    ko = None if ko_text is None else parse_vertex(ko_text, width, height)
    return Diagram(width, height, "".join(rows), to_play, ko, passes)


def _player(player: Player) -> str:
    return "Black (X)" if player is Player.BLACK else "White (O)"


def _is_letters(words: str) -> bool:
    """The line of column letters above and below the board; a row of stones `B B B` is not one."""
    letters = words.split()
    return all(len(letter) == 1 for letter in letters) and "".join(letters) == COLUMNS[: len(letters)]
