"""The Python face of the small native games: tic-tac-toe, Pig and hand-written trees. More of them: `grid`, `walks`.

Their states are `katachi._core.State` objects, immutable like any other state.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from katachi import _core
from katachi._core import GameFacts, Player, Rng, State
from katachi.core.arguments import as_whole_number
from katachi.core.errors import InvalidArgumentError, ParseError
from katachi.core.types import Action
from katachi.games.contract import BaseGame, check_action
from katachi.games.svg_board import draw_squares

__all__ = ["ExplicitTree", "NativeGame", "Pig", "TicTacToe", "Tree"]

Tree: TypeAlias = "float | Sequence[Any]"


class NativeGame(BaseGame[State]):
    """A game whose states live in the core."""

    def __init__(self, name: str, initial: State) -> None:
        self.name = name
        self.facts: GameFacts = initial.facts
        self._initial = initial

    def initial_state(self) -> State:
        """Where every game begins."""
        return self._initial

    def legal_actions(self, state: State) -> Sequence[Action]:
        """By the rules, ascending."""
        return [Action(a) for a in state.legal_actions()]

    def candidates(self, state: State) -> Sequence[Action]:
        """What searches and playouts consider."""
        return [Action(a) for a in state.candidates()]

    def play(self, state: State, action: Action, rng: Rng | None = None) -> tuple[State, float]:
        """(next state, reward of player 0)."""
        return state.play(action, rng)

    def is_terminal(self, state: State) -> bool:
        """Is the game over?"""
        return state.is_terminal

    def to_play(self, state: State) -> Player:
        """Who moves."""
        return state.to_play

    def key(self, state: State) -> int:
        """A 64-bit name of the state."""
        return state.key

    def native_state(self, state: State) -> State:
        """Already native."""
        if not isinstance(state, State) or not state.is_same_kind(self._initial) or state.facts != self.facts:
            raise InvalidArgumentError(f"this is no state of {self.name}: {state}")
        return state


class TicTacToe(NativeGame):
    """Three in a row on a 3x3 board. Actions are squares, 0 at the top left; written a1 (bottom left) to c3."""

    board_shape = (3, 3)

    def __init__(self) -> None:
        super().__init__("tic-tac-toe", _core.tic_tac_toe())

    def stones(self, state: State) -> str:
        """One character a square, `.`, `X` or `O`, row by row from the top."""
        return str(state).replace("\n", "")

    def format_action(self, state: State, action: Action) -> str:
        """Column letter and row number, as on a chess board."""
        check_action(self, action)
        return "abc"[action % 3] + str(3 - action // 3)

    def parse_action(self, state: State, text: str) -> Action:
        """The inverse of `format_action`."""
        if len(text) == 2 and text[0].lower() in "abc" and text[1] in "123":
            return Action((3 - int(text[1])) * 3 + "abc".index(text[0].lower()))
        raise ParseError(f"{text!r} is not a square of tic-tac-toe: expected a1 to c3")

    def svg(self, state: State) -> str:
        """The board as a picture."""
        return draw_squares(self.board_shape, self.stones(state), "abc")


class Pig(NativeGame):
    """Roll a die and add, or hold and bank; a 1 loses the turn's total. First to `target` wins. A game of chance."""

    def __init__(self, target: int = 20) -> None:
        super().__init__("pig", _core.pig(as_whole_number("pig: target", target)))

    def format_action(self, state: State, action: Action) -> str:
        """`roll` or `hold`."""
        check_action(self, action)
        return ("roll", "hold")[action]

    def parse_action(self, state: State, text: str) -> Action:
        """The inverse of `format_action`."""
        try:
            return Action(("roll", "hold").index(text.lower()))
        except ValueError:
            raise ParseError(f"{text!r} is not an action of pig: expected roll or hold") from None


class ExplicitTree(NativeGame):
    """A game written down as nested lists: a number is a leaf with player 0's return, a list is a choice.

    Two players alternate by depth, player 0 first: `ExplicitTree([[3, 12], [2, 4]])` is worth 3.
    """

    def __init__(self, root: Tree, players: int = 2) -> None:
        super().__init__("explicit-tree", _core.explicit_tree(root, as_whole_number("explicit-tree: players", players)))
