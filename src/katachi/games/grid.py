"""Native games of stones on a grid: connect four, Gomoku and Hex. Tic-tac-toe is in `native`, Go in a folder.

Places are written as in Go: a column letter (A to T without I) and a row number counted from the bottom.
"""

from katachi import _core
from katachi._core import State
from katachi.core.arguments import as_whole_number
from katachi.core.errors import ParseError
from katachi.core.types import Action
from katachi.games.contract import check_action
from katachi.games.go.vertex import COLUMNS, format_vertex, parse_vertex
from katachi.games.native import NativeGame
from katachi.games.svg_board import draw_crossings, draw_hexagons, draw_squares

__all__ = ["ConnectFour", "Gomoku", "GridGame", "Hex"]


class GridGame(NativeGame):
    """What the games of this module share: a board, and vertices as actions."""

    def __init__(self, name: str, initial: State, shape: tuple[int, int]) -> None:
        super().__init__(name, initial)
        self.board_shape = shape

    def stones(self, state: State) -> str:
        """One character a place, `.`, `X` or `O`, row by row from the top."""
        return "".join(str(state).split())

    def format_state(self, state: State) -> str:
        """The board with coordinates around it."""
        width, height = self.board_shape
        stones = self.stones(state)
        letters = "   " + " ".join(COLUMNS[:width])
        rows = [
            f"{height - row:2} {' '.join(stones[row * width : (row + 1) * width])} {height - row}"
            for row in range(height)
        ]
        return "\n".join([letters, *rows, letters, ""])

    def format_action(self, state: State, action: Action) -> str:
        """A vertex, such as `E5`."""
        check_action(self, action)
        return format_vertex(action, *self.board_shape)

    def parse_action(self, state: State, text: str) -> Action:
        """The inverse of `format_action`, in upper or lower case."""
        action = parse_vertex(text, *self.board_shape)
        if action == self.board_shape[0] * self.board_shape[1]:
            raise ParseError(f"{text!r} is not an action of {self.name}: nobody passes there")
        return action


class ConnectFour(GridGame):
    """Four in a line on a board of 7x6, where stones fall to the bottom. An action is a column, 0 at the left.

    It is written as the vertex where the stone comes to rest; a column letter alone, or any vertex of the column, is
    understood as well.
    """

    def __init__(self) -> None:
        super().__init__("connect-four", _core.connect_four(), (7, 6))

    def format_action(self, state: State, action: Action) -> str:
        """Where the stone comes to rest; of a full column, its highest vertex."""
        check_action(self, action)
        width, height = self.board_shape
        fallen = self.stones(state)[action::width].count(".")
        return format_vertex(max(fallen - 1, 0) * width + action, width, height)

    def parse_action(self, state: State, text: str) -> Action:
        """A column: `D`, `D1` or any other vertex of it."""
        word = text.strip()
        return Action(super().parse_action(state, word + "1" if len(word) == 1 else word) % self.board_shape[0])

    def svg(self, state: State) -> str:
        """The board as a picture."""
        return draw_squares(self.board_shape, self.stones(state), COLUMNS)


class Gomoku(GridGame):
    """Freestyle Gomoku: `line` stones or more in a row win, a full board is a draw.

    An action is a point, 0 at the top left.
    """

    def __init__(self, size: int = 9, line: int = 5) -> None:
        size, self.line = as_whole_number("gomoku: size", size), as_whole_number("gomoku: line", line)
        super().__init__("gomoku", _core.gomoku(size, self.line), (size, size))

    def svg(self, state: State) -> str:
        """The board as a picture."""
        return draw_crossings(self.board_shape, self.stones(state), COLUMNS)


class Hex(GridGame):
    """Hex without the swap rule: Black connects top and bottom, White left and right; one of them does.

    An action is a cell, 0 at the top left.
    """

    def __init__(self, size: int = 11) -> None:
        size = as_whole_number("hex: size", size)
        super().__init__("hex", _core.hex(size), (size, size))

    def format_state(self, state: State) -> str:
        """The slanted board with coordinates: columns run down to the right."""
        size = self.board_shape[0]
        stones = self.stones(state)
        lines = ["   " + " ".join(COLUMNS[:size])]
        for row in range(size):
            lines.append(" " * row + f"{size - row:2}  {' '.join(stones[row * size : (row + 1) * size])}  {size - row}")
        return "\n".join([*lines, " " * (size + 4) + " ".join(COLUMNS[:size]), ""])

    def svg(self, state: State) -> str:
        """The board as a picture."""
        return draw_hexagons(self.board_shape[0], self.stones(state), COLUMNS)
