"""The game contract, Python face. The native face of the same contract is cpp/games/game_state.hpp.

A game object holds the rules; a state is an immutable value of the game's own choosing. Rewards are player 0's, step by
step: one player, or two with constant sum. Searches and playouts consider `candidates`, referees `legal_actions`.

A game may offer `candidates(state)`, `key(state)`, `format_state(state)`, `svg(state)` and, if it can play out faster
than step by step, `uniform_playout(state, rng) -> (return, length)`. It is asked where the game is not over, for a
length from 1 to the `max_length` of the facts (100,000 without one); it knows no other cap, so a playout that may be
cut earlier goes step by step. A game of chance may offer `outcomes(state, action)`, all that may happen with its
probabilities, for planners that need more than samples (`katachi.planning`). `katachi.games.check.check_game` tells
whether a game keeps the contract and the claims of its facts.

A search holds its game. A game that holds its own search is a cycle through native code, which Python does not collect.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from katachi._core import GameFacts, KeyKind, Player, State, python_state
from katachi.core.errors import IllegalMoveError, InvalidArgumentError, ParseError
from katachi.core.types import Action
from katachi.games.svg_board import draw_text

__all__ = [
    "BaseGame",
    "BoardGame",
    "ChanceGame",
    "Game",
    "Outcome",
    "check_action",
    "is_same_state",
    "native_state",
    "outcomes_of",
]

S = TypeVar("S")


@runtime_checkable
class Game(Protocol[S]):
    """What a game must have. `BaseGame` supplies the optional rest."""

    @property
    def name(self) -> str:
        """A short name for tables and errors."""

    @property
    def facts(self) -> GameFacts:
        """What does not change during a game."""

    @property
    def play(self) -> Callable[..., tuple[S, float]]:
        """play(state, action) -> (next state, reward); with chance in the game, play(state, action, rng)."""

    def initial_state(self) -> S:
        """Where every game begins."""

    def legal_actions(self, state: S) -> Sequence[Action]:
        """By the rules; empty exactly when the state is terminal."""

    def is_terminal(self, state: S) -> bool:
        """Is the game over?"""

    def to_play(self, state: S) -> Player:
        """Who moves; in a terminal state anything valid."""


@runtime_checkable
class BoardGame(Game[S], Protocol[S]):
    """What a game of black and white stones on a grid adds, so that front ends can draw it.

    Its actions are written as vertices. `BaseGame` has `format_state`.
    """

    @property
    def board_shape(self) -> tuple[int, int]:
        """(width, height)."""

    def stones(self, state: S) -> str:
        """One character a point, `.`, `X` (player 0) or `O`, row by row from the top."""

    def format_state(self, state: S) -> str:
        """The state as text, for people."""

    def format_action(self, state: S, action: Action) -> str:
        """The action as a vertex."""

    def parse_action(self, state: S, text: str) -> Action:
        """The inverse of `format_action`."""


class Outcome(NamedTuple):
    """What may come of an action: a probability above 0, the next state, and player 0's reward."""

    probability: float
    state: Any
    reward: float


@runtime_checkable
class ChanceGame(Game[S], Protocol[S]):
    """What a game of chance adds for planners: its transition function, written out."""

    def outcomes(self, state: S, action: Action) -> Sequence[Outcome]:
        """All that `play` may lead to. The probabilities add up to 1; a state may come up twice."""


def outcomes_of(game: Game[S], state: S, action: Action) -> Sequence[Outcome]:
    """All that an action may lead to: the one thing that `play` does, or what a game of chance says."""
    if game.facts.deterministic:
        return [Outcome(1.0, *game.play(state, action))]
    if not isinstance(game, ChanceGame):
        raise InvalidArgumentError(f"{game.name} is a game of chance that does not offer outcomes(state, action)")
    return game.outcomes(state, action)


class BaseGame(Generic[S]):
    """The optional parts of the contract, with their defaults. Subclass it or not, as you like."""

    name: str
    facts: GameFacts

    def legal_actions(self, state: S) -> Sequence[Action]:
        """By the rules."""
        raise NotImplementedError(f"{type(self).__name__} must define legal_actions")

    def candidates(self, state: S) -> Sequence[Action]:
        """What searches and playouts consider; by default all that is legal."""
        return self.legal_actions(state)

    def format_state(self, state: S) -> str:
        """The state as text, for people."""
        return str(state)

    def svg(self, state: S) -> str:
        """The state as a picture for pages and notebooks; by default its text."""
        return draw_text(self.format_state(state))

    def format_action(self, state: S, action: Action) -> str:
        """The action as text, for people and records."""
        return str(action)

    def parse_action(self, state: S, text: str) -> Action:
        """The inverse of `format_action`."""
        try:
            return Action(int(text))
        except ValueError:
            raise ParseError(f"{text!r} is not an action of {self.name}: expected a whole number") from None


def is_same_state(game: Game[S], one: S, other: S) -> bool | None:
    """Are two states the same to a search? By their keys, else by `==`; None if they cannot be compared."""
    if game.is_terminal(one) != game.is_terminal(other) or game.to_play(one) != game.to_play(other):
        return False
    if game.facts.key != KeyKind.NONE:
        key = game.key  # type: ignore[attr-defined]
        return bool(key(one) == key(other))
    try:
        return bool(one == other)
    except (TypeError, ValueError):  # arrays compare item by item
        return None


def check_action(game: Game[Any], action: int) -> None:
    """Raises for what is no action of the game in any state."""
    if not 0 <= action < game.facts.action_space:
        raise IllegalMoveError(f"{action} is no action of {game.name}: they go from 0 to {game.facts.action_space - 1}")


def native_state(game: Game[Any], state: Any) -> State:  # noqa: ANN401
    """The state as native code takes it: native games bring their own, a Python game is adapted.

    A subclass of a native game that changes its rules in Python is a Python game.
    """
    if _is_native(type(game)):
        native: State = game.native_state(state)  # type: ignore[attr-defined]
        return native
    return python_state(game.facts, game, state)


_RULES = frozenset(("candidates", "is_terminal", "key", "legal_actions", "play", "to_play", "uniform_playout"))


def _is_native(game: type) -> bool:
    """Does the class bring native states, and does no subclass of it change the rules?"""
    for parent in game.__mro__:
        if "native_state" in vars(parent):
            return True
        if _RULES & vars(parent).keys():
            return False
    return False
