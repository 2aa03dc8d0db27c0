"""Weights of local shapes by what a setting says: `shipped`, those of the package, or a file."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from katachi.core.errors import InvalidArgumentError
from katachi.games.contract import Game
from katachi.games.go.game import GoGame

if TYPE_CHECKING:
    from katachi.values.shipped import Evaluation

__all__ = ["NO_WEIGHTS", "SHIPPED", "WeightsReader", "board_side", "lasting_weights"]

SHIPPED = "shipped"
NO_WEIGHTS = "none"  # where a player can do without


class WeightsReader:
    """Reads weights once for each size of board: they stay what they are, whatever becomes of the file."""

    def __init__(self, weights: str = SHIPPED) -> None:
        self.weights = weights
        self._evaluations: dict[int, Evaluation] = {}

    def evaluation(self, game: Game[Any]) -> "Evaluation":
        """Of the positions of a game; an error if there are no weights for it."""
        # Here, since they need numpy, which is long to load and starts threads.
        from katachi.values.shipped import evaluation_of, shipped_weights

        side = board_side(game)
        if side not in self._evaluations:
            is_shipped = self.weights == SHIPPED
            path = shipped_weights(side) if is_shipped else Path(self.weights).expanduser()
            self._evaluations[side] = evaluation_of(path, side)
        return self._evaluations[side]


def board_side(game: Game[Any]) -> int:
    """The side of a game's board; an error where there are no local shapes: they are of Go, on square boards."""
    if not isinstance(game, GoGame):
        raise InvalidArgumentError(f"local shapes are for Go, not for {game.name}")
    if game.width != game.height:
        raise InvalidArgumentError(f"local shapes are for square boards, not for {game.width}x{game.height}")
    return game.width


def lasting_weights(weights: str) -> str:
    """The same file in whatever folder one is."""
    return weights if weights in (SHIPPED, NO_WEIGHTS) else os.path.abspath(os.path.expanduser(weights))
