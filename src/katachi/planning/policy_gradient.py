"""REINFORCE (Williams 1992; Silver, chapter 2): a softmax policy that climbs its own expected return."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from katachi._core import Player, Rng
from katachi.core.types import Action
from katachi.games.contract import Game
from katachi.planning.control import softmax
from katachi.planning.learning import Episode, play_episode
from katachi.planning.memories import Memory

__all__ = ["SoftmaxPolicy", "reinforce"]


class SoftmaxPolicy:
    """π(s, a) ∝ exp(p·ψ(s, a)): `features(state, action)` is ψ, `weights` is p."""

    def __init__(self, game: Game[Any], features: Callable[[Any, Action], NDArray[np.float64]], size: int) -> None:
        self.game = game
        self.features = features
        self.weights = np.zeros(size)

    def probabilities(self, state: Any) -> dict[Action, float]:  # noqa: ANN401
        """π(s, ·)."""
        preferences = {a: float(self.weights @ self.features(state, a)) for a in self.game.legal_actions(state)}
        return softmax(preferences, 1.0)

    def choose(self, state: Any, rng: Rng) -> Action:  # noqa: ANN401
        """An action by the policy. Advances `rng`."""
        draw = rng.uniform()
        probabilities = self.probabilities(state)
        for action, probability in probabilities.items():
            draw -= probability
            if draw < 0:
                return action
        return action

    def score(self, state: Any, action: Action) -> NDArray[np.float64]:  # noqa: ANN401
        """∇_p log π(s, a) = ψ(s, a) - Σ_b π(s, b) ψ(s, b)."""
        mean = np.zeros_like(self.weights)
        for other, probability in self.probabilities(state).items():
            mean += probability * self.features(state, other)
        return np.asarray(self.features(state, action) - mean)


def reinforce(policy: SoftmaxPolicy, rng: Rng, *, beta: float, baseline: Memory | None = None) -> Episode:
    """An episode, and then p <- p + β (R_t - b(s_t)) ∇_p log π(s_t, a_t) for all its steps. Advances `rng`.

    All scores are those of the policy that played. Player 1 climbs the other way. `baseline` values states; it is not
    learnt here.
    """
    episode = play_episode(policy.game, policy.choose, rng)
    change = np.zeros_like(policy.weights)
    for state, action, target in zip(episode.states, episode.actions, episode.returns(), strict=False):
        advantage = target - (baseline.value(state) if baseline is not None else 0.0)
        sign = -1.0 if policy.game.to_play(state) == Player.WHITE else 1.0
        change += sign * advantage * policy.score(state, action)
    policy.weights += beta * change
    return episode
