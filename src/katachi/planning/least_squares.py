"""Least-squares temporal differences (Bradtke and Barto 1996; Boyan 2002; Silver 10.4): where TD(λ) comes to rest.

No step size, and nothing is learnt twice; but O(n²) for each step with n features, so for small problems only. What is
learnt step by step is learning.py.
"""

import numpy as np
from numpy.typing import NDArray

from katachi.core.errors import InvalidArgumentError
from katachi.planning.learning import Episode
from katachi.planning.memories import LinearMemory

__all__ = ["LeastSquaresTd"]


class LeastSquaresTd:
    """A θ = b with A = Σ_t e_t (φ(s_t) - φ(s_{t+1}))ᵀ, b = Σ_t e_t r_{t+1}, e_t = λ e_{t-1} + φ(s_t).

    `memory` has the features, of states, and gets the solution. `ridge` is added to the diagonal of A: what is not
    determined is 0 then.
    """

    def __init__(self, memory: LinearMemory, lambda_: float = 0.0, ridge: float = 0.0) -> None:
        if not 0 <= lambda_ <= 1 or ridge < 0:
            raise InvalidArgumentError(f"lambda is from 0 to 1 and ridge 0 or more, not {lambda_} and {ridge}")
        self.memory = memory
        self.lambda_ = lambda_
        self.ridge = ridge
        self._a = np.zeros((len(memory.theta), len(memory.theta)))
        self._b = np.zeros_like(memory.theta)

    def learn(self, episode: Episode) -> None:
        """Adds an episode to A and b; the features of a terminal state are 0."""
        eligibility = np.zeros_like(self._b)
        phi = self.memory.phi(episode.states[0]) if episode.actions else eligibility
        for t, reward in enumerate(episode.rewards):
            is_last = t + 1 == len(episode.rewards)
            following = np.zeros_like(phi) if is_last else self.memory.phi(episode.states[t + 1])
            eligibility = self.lambda_ * eligibility + phi
            self._a += np.outer(eligibility, phi - following)
            self._b += reward * eligibility
            phi = following

    def solve(self) -> NDArray[np.float64]:
        """θ, written to the memory."""
        try:
            theta = np.linalg.solve(self._a + self.ridge * np.eye(len(self._b)), self._b)
        except np.linalg.LinAlgError:
            raise InvalidArgumentError(
                f"the episodes do not determine all {len(self._b)} weights: learn more of them, or give a ridge above 0"
            ) from None
        self.memory.theta[:] = theta
        return np.asarray(theta)
