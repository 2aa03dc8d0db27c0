"""How players that search end a game of Go: when a pass wins it."""

from katachi._core import Rng
from katachi.core.types import Player
from katachi.games.go.position import Position
from katachi.games.go.status import PLAYOUTS, final_score

__all__ = ["passing_wins"]

_SETTLED = 0.9  # how much more often one side than the other holds a point when playouts end
_FILLED = 0.4  # of the board, before anything can be settled


def passing_wins(position: Position, rng: Rng) -> bool:
    """Would the player to move win if it passed now and nothing more was played?

    After a pass the board is counted, without dead stones where the rules take them off. Before one the opponent may
    go on: then the rules must have a friendly pass, and playouts agree about every point of the board.
    """
    if position.passes == 0 and not (position.rules.friendly_pass and _is_settled(position, rng)):
        return False
    margin = final_score(position, rng)
    return (margin if position.to_play is Player.BLACK else -margin) > 0


def _is_settled(position: Position, rng: Rng) -> bool:
    stones = position.stones()
    if len(stones) - stones.count(".") < _FILLED * len(stones):
        return False
    return all(abs(share) >= _SETTLED for share in position.ownership(PLAYOUTS, rng))
