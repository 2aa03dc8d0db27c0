"""The value of Go positions by weights of local shapes (Silver 2009, 5.2): V(s) = logistic(φ(s) · θ), for Black.

Weights that were learnt with a linear head have V(s) = φ(s) · θ + 1/2 instead, cut off at 0 and 1.

Files of weights are katachi.values.weights_file; the native half is cpp/values.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from katachi._core import LookupKind, ShapeEvaluator, ShapeWeights, shape_afterstates, shape_sum
from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Action
from katachi.features.local_shapes import LocalShapes
from katachi.games.go.position import Position

__all__ = ["ShapeValue", "logistic"]


def logistic(x: float) -> float:
    """1 / (1 + e^-x), such that logistic(x) + logistic(-x) is exactly 1."""
    if x < 0:
        return 1.0 - logistic(-x)
    return 1.0 / (1.0 + math.exp(-x))


class ShapeValue:
    """Weights of the local shapes of one board size, and what positions are worth by them."""

    def __init__(
        self, shapes: LocalShapes, weights: ArrayLike | None = None, *, linear_offset: float | None = None
    ) -> None:
        """`linear_offset`: values are the sum and this, cut off at 0 and 1, instead of the logistic function of it."""
        self.shapes = shapes
        self.linear_offset = linear_offset
        self._weights = ShapeWeights(shapes.weights)
        if weights is not None:
            self.assign(weights)

    @property
    def native(self) -> ShapeWeights:
        """What native code takes, together with `shapes.native`."""
        return self._weights

    @property
    def weights(self) -> NDArray[np.float32]:
        """θ, a copy; in the order of `shapes.families`, stage by stage."""
        return self._weights.values()

    def assign(self, weights: ArrayLike) -> None:
        """Sets all weights."""
        values = np.ascontiguousarray(weights, dtype=np.float32)
        if values.shape != (self.shapes.weights,):
            raise InvalidArgumentError(f"there are {self.shapes.weights} weights, not an array of shape {values.shape}")
        self._weights.assign(values)

    def sum(self, position: Position) -> float:
        """φ(s) · θ: the sum of the weights that count, each with its sign."""
        self.shapes.check_board(position)
        return shape_sum(self.shapes.native, self._weights, position.native)

    def value(self, position: Position) -> float:
        """Black's chance to win."""
        return self.chance(self.sum(position))

    def chance(self, total: float) -> float:
        """What a sum says about Black's chance to win, by the head that the weights were learnt with."""
        return logistic(total) if self.linear_offset is None else min(1.0, max(0.0, total + self.linear_offset))

    def afterstate_sums(self, position: Position, kind: LookupKind = LookupKind.SHARED) -> dict[Action, float]:
        """φ · θ of the position after every legal action but suicides, none of which is played.

        Frozen and fused tables are made anew at each call: they are here to be compared.
        """
        self.shapes.check_board(position)
        found = shape_afterstates(self.shapes.native, self._weights, position.native, kind)
        return {Action(action): total for action, total in found}

    def afterstates(self, position: Position) -> dict[Action, float]:
        """Black's chance to win after every legal action but suicides."""
        return {action: self.chance(total) for action, total in self.afterstate_sums(position).items()}

    def frozen(self) -> ShapeEvaluator:
        """The weights of now for players and searches: rounded to multiples of a power of two, so that sums are exact.

        Equal positions are worth the same however they were reached, and so are symmetric ones.
        """
        return ShapeEvaluator(self.shapes.native, self._weights, self.linear_offset)
