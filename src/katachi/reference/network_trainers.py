"""The slow twins of cpp/learning/network_trainer.hpp (Ekker, 3.3), equation by equation, over rows of gradients.

`gradients` has a row for each state of a game, `errors` a number. What a function gives is what the weights are wanted
to change by, before the learning rate.
"""

from collections.abc import Sequence

import numpy as np

from katachi.reference.network import Floats

__all__ = ["Rprop", "adaptive_mix", "direct", "residual", "residual_gradient"]


def direct(gradients: Sequence[Floats], errors: Sequence[float] | Floats) -> list[Floats]:
    """E_t g_t for each state (eq. 23)."""
    return [error * gradient for error, gradient in zip(errors, gradients, strict=True)]


def residual_gradient(
    gradients: Sequence[Floats], errors: Sequence[float] | Floats, pair: str = "next"
) -> list[Floats]:
    """-E_t (g_{t+1} - g_t) for each state (eq. 25); pair = previous: with g_{t-1} (3.3.5)."""
    nothing = np.zeros_like(gradients[0])
    around = [nothing, *gradients, nothing]
    other = 2 if pair == "next" else 0
    return [-errors[t] * (around[t + other] - gradients[t]) for t in range(len(gradients))]


def adaptive_mix(direct_sum: Floats, residual_sum: Floats, rule: str = "safe", margin: float = 0.01) -> float:
    """Phi (eq. 28): as little as gives the step an acute angle with the residual gradient, and a margin."""
    together = float(direct_sum @ residual_sum)
    denominator = together - float(residual_sum @ residual_sum)
    if denominator == 0 or (rule == "safe" and together > 0):
        return 0.0
    return min(1.0, max(0.0, together / denominator + margin))


def residual(direct_sum: Floats, residual_sum: Floats, mix: float) -> Floats:
    """(1 - Phi) d + Phi rg (eq. 26)."""
    return (1 - mix) * direct_sum + mix * residual_sum


class Rprop:
    """Eq. 18 to 20 as Riedmiller and Braun (1993) have them, one weight after the other."""

    def __init__(
        self, count: int, *, first: float = 0.1, growth: float = 1.2, shrinkage: float = 0.5,
        smallest: float = 0.001, largest: float = 50.0,
    ) -> None:  # fmt: skip
        self.steps = np.full(count, first)
        self.before = np.zeros(count)
        self.changes = np.zeros(count)
        self._growth, self._shrinkage, self._smallest, self._largest = growth, shrinkage, smallest, largest

    def step(self, weights: Floats, gradient: Floats) -> Floats:
        """The weights after one step down the gradient dE/dw."""
        after = weights.copy()
        for i, now in enumerate(gradient):
            agreement = now * self.before[i]
            if agreement > 0:
                self.steps[i] = min(self.steps[i] * self._growth, self._largest)
            if agreement < 0:
                self.steps[i] = max(self.steps[i] * self._shrinkage, self._smallest)
                after[i] -= self.changes[i]
                self.changes[i] = self.before[i] = 0.0
            else:
                self.changes[i] = -np.sign(now) * self.steps[i]
                after[i] += self.changes[i]
                self.before[i] = now
        return after
