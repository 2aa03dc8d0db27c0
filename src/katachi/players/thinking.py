"""Players that think: they search under a budget, can be stopped at any time, and say what they think of each move.

    thinking = player.think(game, state, rng)
    thinking.run(Limit(seconds=1))
    thinking.decision(), thinking.candidates()

A class that searches is a `Thinker`: it gives `think` and `limit`, and gets `choose`. Clocks, pondering and analyses
(katachi.gtp, katachi.arena) need no more than this.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from katachi._core import Rng
from katachi.core.limit import Limit
from katachi.core.types import Action
from katachi.games.contract import BoardGame, Game
from katachi.players.player import Decision, GamePlayer
from katachi.search.searches import Progress

__all__ = [
    "ENDLESS",
    "Candidate",
    "Thinker",
    "Thinking",
    "ThinkingPlayer",
    "analyse",
    "choose_within",
    "expected_moves",
    "keep_ownership",
    "limit_within",
    "may_ponder",
    "ownership",
    "ponder",
    "position_value",
    "simulated_value",
]

ENDLESS = Limit(steps=2**63)
"""For a search that ends by itself, or is stopped."""

_AT_ONCE = Limit(simulations=1, seconds=1e-3)
_OTHER_GAMES = 100.0  # moves, where neither a board nor the rules say anything


@dataclass(frozen=True)
class Candidate:
    """What a player thinks of one action."""

    action: Action
    visits: int
    value: float | None  # expected return of player 0; None: it has no opinion
    line: tuple[Action, ...]  # the principal line; it begins with the action
    line_visits: tuple[int, ...] = ()  # of each action of the line; empty: nobody counts them
    mean: float | None = None  # mean return of player 0 alone, without what the value shares with others, if known
    rave: tuple[float, float] | None = None  # RAVE value of player 0 and its count, where the search has one
    prior: float | None = None  # what it was taken to be worth before the search, for player 0, if it had a prior
    decides: bool = False  # it ends the game with that value: what others are worth says nothing of the position


def position_value(candidates: Sequence[Candidate]) -> float | None:
    """What player 0 may expect in the position of the candidates, the best of which is the first."""
    if candidates and candidates[0].decides:
        return candidates[0].value
    return simulated_value(candidates)


def simulated_value(candidates: Sequence[Candidate]) -> float | None:
    """The mean of all simulations for player 0, where values of candidates are means.

    The best action's value, which it is otherwise, would be too hopeful: it is the largest of many noisy numbers.
    """
    means = [(each.mean, each.visits) for each in candidates if each.mean is not None]
    if visits := sum(count for _, count in means):
        return sum(mean * count for mean, count in means) / visits
    return next((candidate.value for candidate in candidates if candidate.value is not None), None)


class Thinking(Protocol):
    """One search under way from one state. It is over when its player begins the next one.

    One that does something only for a decision also has `ponder(limit, progress)`: `run` without it. One that ends when
    its decision is sure also has `analyse(limit, progress)`: `run` to the limit. One that can tell who holds which
    point of a Go board when its simulations end has `keep_ownership()` and `ownership()`.
    """

    def run(self, limit: Limit, progress: Progress | None = None) -> bool:
        """Goes on. True when the limit is reached or nothing is left to search, False when `progress` stopped it.

        `progress` is called about every 50 ms, and may ask for decision and candidates.
        """

    def decision(self) -> Decision:
        """What it would play now. At least one `run` comes first."""

    def candidates(self) -> list[Candidate]:
        """The best first: it begins with what it would play, but for ties. Empty while nothing is known."""


@runtime_checkable
class ThinkingPlayer(GamePlayer, Protocol):
    """A player whose searches can be seen.

    One that keeps nothing from one move to the next says so by `ponders = False`.
    """

    @property
    def limit(self) -> Limit | None:
        """Its own budget for a move; None: its searches end by themselves."""

    def think(self, game: Game[Any], state: Any, rng: Rng) -> Thinking:  # noqa: ANN401
        """Starts, or goes on from what is kept of the last move, in a state that is not terminal."""


class Thinker(ABC):
    """`choose`, for all players that think."""

    @property
    @abstractmethod
    def limit(self) -> Limit | None:
        """Its own budget for a move; None: its searches end by themselves."""

    @abstractmethod
    def think(self, game: Game[Any], state: Any, rng: Rng) -> Thinking:  # noqa: ANN401
        """Starts, or goes on from what is kept of the last move."""

    def choose(self, game: Game[Any], state: Any, rng: Rng, progress: Progress | None = None) -> Decision:  # noqa: ANN401
        """What it would play after a search under its budget."""
        thinking = self.think(game, state, rng)
        thinking.run(self.limit or ENDLESS, progress)
        return thinking.decision()


def choose_within(
    player: GamePlayer,
    game: Game[Any],
    state: Any,  # noqa: ANN401
    rng: Rng,
    seconds: float | None,
    progress: Progress | None = None,
) -> Decision:
    """A choice under the player's own budget and, if given, so many seconds from now on.

    Only players that think can be told to hurry.
    """
    if seconds is None or not isinstance(player, ThinkingPlayer):
        return player.choose(game, state, rng, progress)
    started = time.monotonic()
    thinking = player.think(game, state, rng)
    thinking.run(limit_within(player.limit, seconds - (time.monotonic() - started)), progress)
    return thinking.decision()


def limit_within(limit: Limit | None, seconds: float) -> Limit:
    """A budget, but at most so many seconds; the smallest one there is if none are left."""
    if seconds <= 0:
        return _AT_ONCE
    if limit is None:
        return Limit(seconds=seconds)
    return limit.replace(seconds=seconds if limit.seconds is None else min(seconds, limit.seconds))


def ponder(thinking: Thinking, limit: Limit, progress: Progress | None = None) -> bool:
    """Goes on where nothing is to be decided: as `run`, but only with what is kept for later."""
    run: Callable[[Limit, Progress | None], bool] = getattr(thinking, "ponder", thinking.run)
    return run(limit, progress)


def analyse(thinking: Thinking, limit: Limit, progress: Progress | None = None) -> bool:
    """Goes on where somebody wants to know about all moves: as `run`, but to the limit, however sure one of them is."""
    run: Callable[[Limit, Progress | None], bool] = getattr(thinking, "analyse", thinking.run)
    return run(limit, progress)


def keep_ownership(thinking: Thinking) -> None:
    """Asks a thinking about Go to count who holds which point when its simulations end, if it can."""
    keep = getattr(thinking, "keep_ownership", None)
    if keep is not None:
        keep()


def ownership(thinking: Thinking) -> list[float]:
    """By point, how much more often Black than White held it: -1 to 1. Empty if it cannot tell."""
    told: Callable[[], list[float]] = getattr(thinking, "ownership", list)
    return told()


def may_ponder(player: GamePlayer) -> bool:
    """Is it of use to a player to think in the opponent's time?"""
    return isinstance(player, ThinkingPlayer) and bool(getattr(player, "ponders", True))


def expected_moves(game: Game[Any]) -> float:
    """How many moves of both players a game may have, for clocks: as many as its board has points."""
    if isinstance(game, BoardGame):
        width, height = game.board_shape
        return float(max(1, width * height))
    return float(game.facts.max_length or _OTHER_GAMES)
