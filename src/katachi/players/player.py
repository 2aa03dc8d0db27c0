"""What a player is: it looks at a state and decides."""

from dataclasses import dataclass
from typing import Any, Protocol

from katachi._core import Rng
from katachi.core.types import Action
from katachi.games.contract import Game

__all__ = ["Decision", "GamePlayer"]


@dataclass(frozen=True)
class Decision:
    """A chosen action, and what the player thought."""

    action: Action
    value: float | None = None  # expected return of player 0, if the player has one
    simulations: int = 0


class GamePlayer(Protocol):
    """Chooses moves in any game of the contract."""

    @property
    def name(self) -> str:
        """The spec that makes this player."""

    def choose(self, game: Game[Any], state: Any, rng: Rng) -> Decision:  # noqa: ANN401
        """A decision in a state that is not terminal."""
