"""What weights of local shapes learn from games that are really played (Silver 2009, 7.2, Algorithm 6).

The rule is that of self-play (katachi.training): logistic values, temporal differences over two plies, steps divided by
the number of features. It is applied online, as the algorithm has it: a state learns when its target is known, so that
a game that is broken off has taught all but its last two states.
"""

import numpy as np

from katachi import _core
from katachi.core.errors import DivergenceError
from katachi.games.go.position import Position
from katachi.learning.td_settings import TdSettings
from katachi.values.shape_value import ShapeValue

__all__ = ["learn_from_game", "positions_of"]


def learn_from_game(value: ShapeValue, end: Position, outcome: float | None, alpha: float) -> None:
    """Changes the weights by a game that has come to a position. `outcome`: 1 if Black has won, None if nobody has."""
    learner = _core.TdLearner(TdSettings(alpha=alpha, update_mode="online").to_native(), value.shapes.weights)
    learner.weights = value.weights
    states = [value.shapes.active(position).tolist() for position in positions_of(end)]
    if outcome is None:
        learner.learn_steps(states)
    else:
        learner.learn_game(states, outcome)
    if not np.isfinite(learner.weights).all():
        raise DivergenceError(f"the weights have grown beyond all bounds: a smaller step than {alpha} may help")
    value.assign(learner.weights)


def positions_of(end: Position) -> list[Position]:
    """Those that a game has gone through, the first one first; without the end if the game is over."""
    found = [end]
    while found[-1].moves:
        found.append(found[-1].undo())
    return found[:0:-1] if end.is_over else found[::-1]
