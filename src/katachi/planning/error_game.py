"""The artificial game of errors (Silver and Tesauro 2009, Figure 1; Silver 2009, Figure 9.3): balance against strength.

A value starts at 0, which is the truth. Players move in turn, and each move costs its maker an exponential amount:
player 1's moves take Exp(λ₁) off, player 2's add Exp(λ₂). A Monte-Carlo value is the mean of what some simulations end
with. Strong players who err unequally are worse at it than weak ones whose errors cancel.
"""

from math import sqrt

import numpy as np

from katachi._core import Rng
from katachi.core.errors import InvalidArgumentError

__all__ = ["ErrorGame"]


class ErrorGame:
    """λ₁ and λ₂, and how many moves and simulations there are (100 and 30 in the source)."""

    def __init__(self, first_rate: float, second_rate: float, *, moves: int = 100, simulations: int = 30) -> None:
        if not (first_rate > 0 and second_rate > 0 and moves >= 1 and simulations >= 1):
            raise InvalidArgumentError(
                f"rates are above 0, moves and simulations at least 1, not {first_rate}, {second_rate}, {moves} and "
                f"{simulations}"
            )
        self.first_rate, self.second_rate = first_rate, second_rate
        self.moves, self.simulations = moves, simulations

    @property
    def mean(self) -> float:
        """Of a Monte-Carlo value: its bias."""
        return self._seconds / self.second_rate - self._firsts / self.first_rate

    @property
    def deviation(self) -> float:
        """The standard deviation of a Monte-Carlo value."""
        variance = self._firsts / self.first_rate**2 + self._seconds / self.second_rate**2
        return sqrt(variance / self.simulations)

    @property
    def rms_error(self) -> float:
        """√(mean² + deviation²)."""
        return sqrt(self.mean**2 + self.deviation**2)

    def values(self, count: int, rng: Rng) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """So many Monte-Carlo values. Advances `rng` by one number."""
        generator = np.random.Generator(np.random.PCG64(rng.next()))
        ends = np.zeros((count, self.simulations))
        for move in range(self.moves):
            rate, sign = (self.first_rate, -1.0) if move % 2 == 0 else (self.second_rate, 1.0)
            ends += sign * generator.exponential(1 / rate, ends.shape)
        return np.asarray(ends.mean(axis=1))

    @property
    def _firsts(self) -> int:
        return (self.moves + 1) // 2

    @property
    def _seconds(self) -> int:
        return self.moves // 2
