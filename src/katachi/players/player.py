"""What a player is: it looks at a state and decides."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from katachi._core import Rng
from katachi.core.clock import Clock
from katachi.core.settings import Settings
from katachi.core.types import Action
from katachi.games.contract import Game
from katachi.search.searches import Progress

__all__ = [
    "Decision",
    "GamePlayer",
    "check_player",
    "close_player",
    "fingerprint",
    "inherit",
    "lasting_name",
    "set_clock",
    "tell_end",
    "tell_new_game",
]


@dataclass(frozen=True)
class Decision:
    """A chosen action, or giving up, and what the player thought."""

    action: Action | None  # None: the player resigns
    value: float | None = None  # expected return of player 0, if the player has one
    simulations: int = 0


class GamePlayer(Protocol):
    """Chooses moves in any game of the contract.

    One that has something running also has `close()`; one that keeps anything from move to move has `new_game()`, which
    whoever holds a game calls before it begins, so that nothing is left of the last one; one that learns from
    real games has `end_game(game, state, outcome)`; one that needs something that may be missing, or does not play
    every game, has `check(game)`; one whose name means something else in another folder has `lasting_name`; one whose
    moves depend on a file has `fingerprint(game)`; one that somebody else must tell the time has a `clock`, None until
    whoever keeps the time sets it. Players that search are `katachi.players.thinking.ThinkingPlayer`.
    """

    @property
    def name(self) -> str:
        """The spec that makes this player."""

    @property
    def settings(self) -> Settings:
        """What it was made with."""

    def choose(self, game: Game[Any], state: Any, rng: Rng, progress: Progress | None = None) -> Decision:  # noqa: ANN401
        """A decision in a state that is not terminal.

        A player that thinks for long tells `progress` the share of work done, and decides early when that returns
        False.
        """


def check_player(player: GamePlayer, game: Game[Any]) -> None:
    """Raises if a player cannot play a game, for want of a program for example. Starts nothing."""
    check = getattr(player, "check", None)
    if check is not None:
        check(game)


def lasting_name(player: GamePlayer) -> str:
    """The spec that makes this player in whatever folder one is."""
    return str(getattr(player, "lasting_name", player.name))


def fingerprint(player: GamePlayer, game: Game[Any]) -> str | None:
    """What a player's moves depend on beside its name, such as the content of a file; None: nothing."""
    found = getattr(player, "fingerprint", None)
    return None if found is None else found(game)


def tell_end(
    player: GamePlayer,
    game: Game[Any],
    state: Any,  # noqa: ANN401
    outcome: Callable[[], float | None],
) -> None:
    """A game is over, or broken off in a state: for a player that learns from it, which then asks for the outcome.

    That is the return of player 0, None if there is none.
    """
    end_game = getattr(player, "end_game", None)
    if end_game is not None:
        end_game(game, state, outcome())


def tell_new_game(player: GamePlayer) -> None:
    """Another game begins: what a player keeps of the last one is of no use."""
    new_game = getattr(player, "new_game", None)
    if new_game is not None:
        new_game()


def inherit(player: GamePlayer, before: GamePlayer) -> None:
    """Gives a player, made with other settings, what the one before it has learnt from real games."""
    take = getattr(player, "inherit", None)
    if take is not None:
        take(before)


def set_clock(player: GamePlayer, clock: Clock) -> None:
    """Shows a clock to a player that passes it on."""
    if hasattr(player, "clock"):
        player.clock = clock


def close_player(player: GamePlayer) -> None:
    """Ends what a player has running, such as an external engine."""
    close = getattr(player, "close", None)
    if close is not None:
        close()
