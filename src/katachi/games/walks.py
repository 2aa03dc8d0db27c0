"""The left-right games of Vodopivec (2018), section 6.1: one player on a line, who starts in the middle.

Action 0 is a step to the left, 1 to the right. A walk is over at either end, or after `cap` steps; a step that ends it
by the cap earns nothing. With L places, under the uniform policy, the random walk is worth s / (L - 1) at place s, and
the shortest walk -s (L - 1 - s) + s / (L - 1), but for the cap. Pinned by tests/theory/test_game_playouts.py.
"""

from collections.abc import Callable

from katachi import _core
from katachi._core import State
from katachi.core.arguments import as_whole_number
from katachi.core.errors import ParseError
from katachi.core.types import Action
from katachi.games.contract import check_action
from katachi.games.native import NativeGame
from katachi.games.svg_board import draw_line

__all__ = ["RandomWalk", "ShortestWalk", "WalkGame"]


class WalkGame(NativeGame):
    """What both walks share."""

    def __init__(self, name: str, start: Callable[[int, int], State], size: int, cap: int) -> None:
        self.size = as_whole_number(f"{name}: size", size)
        self.cap = as_whole_number(f"{name}: cap", cap)
        super().__init__(name, start(self.size, self.cap))

    def place(self, state: State) -> int:
        """Where the walker is, 0 being the left end."""
        return str(state).index("o")

    def format_action(self, state: State, action: Action) -> str:
        """`left` or `right`."""
        check_action(self, action)
        return ("left", "right")[action]

    def parse_action(self, state: State, text: str) -> Action:
        """The inverse of `format_action`."""
        try:
            return Action(("left", "right").index(text.strip().lower()))
        except ValueError:
            raise ParseError(f"{text!r} is not an action of {self.name}: expected left or right") from None

    def svg(self, state: State) -> str:
        """The line as a picture."""
        return draw_line(self.size, self.place(state))


class RandomWalk(WalkGame):
    """The step to the right end earns 1, every other one 0."""

    def __init__(self, size: int = 11, cap: int = 10_000) -> None:
        super().__init__("random-walk", _core.random_walk, size, cap)


class ShortestWalk(WalkGame):
    """The step to the right end earns 0, every other one -1, the one to the left end as well."""

    def __init__(self, size: int = 11, cap: int = 10_000) -> None:
        super().__init__("shortest-walk", _core.shortest_walk, size, cap)
