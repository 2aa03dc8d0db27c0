"""Simulation balancing on small games, exactly (Silver and Tesauro 2009, 2 to 5; Silver 2009, 9.3 to 9.4).

    J(θ)   = E_ρ E_π[δ²],  δ = V*(s') - V*(s)             strength: the smaller, the stronger                    (eq. 2)
    B_k(θ) = E_ρ[(E_π[V*(s_{t+k}) - V*(s_t)])²]           k-step imbalance                                       (eq. 3)
    B_∞(θ) = E_ρ[(E_π[z | s] - V*(s))²]                   full imbalance, the squared bias of Monte-Carlo values (eq. 4)

Everything here is enumerated over the tree of a game without chance, with values of player 0: it is for checking the
learners and for teaching. The learners of Go are katachi.training.policy_learning; the policy and its score ψ are those
of katachi.planning.policy_gradient, in which both players play the same θ.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from katachi._core import Player, Rng
from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Action
from katachi.games.contract import Game
from katachi.planning.policy_gradient import SoftmaxPolicy

__all__ = [
    "Simulation", "balancing_step", "bias", "full_imbalance", "imbalance", "imbalance_gradient", "log_likelihood",
    "log_likelihood_gradient", "lookahead", "minimax", "regression_step", "simulate", "strength", "two_step_step",
]  # fmt: skip

Values: TypeAlias = Callable[[Any], float]
Vector: TypeAlias = NDArray[np.float64]


def minimax(game: Game[Any]) -> Values:
    """V*: what player 0 earns from a state on if both play their best; 0 where the game has ended."""

    def value(state: Any) -> float:  # noqa: ANN401
        if game.is_terminal(state):
            return 0.0
        outcomes = (game.play(state, action) for action in game.legal_actions(state))
        totals = [reward + value(following) for following, reward in outcomes]
        return max(totals) if game.to_play(state) == Player.BLACK else min(totals)

    return value


def lookahead(
    policy: SoftmaxPolicy,
    state: Any,  # noqa: ANN401
    values: Values | None = None,
    plies: int | None = None,
) -> tuple[float, Vector]:
    """E_π of what is earned within so many plies and of the value of the state there, and its gradient (eq. 9, 15).

    Without `plies` games go to their end: E_π[z | s].
    """
    if policy.game.is_terminal(state) or plies == 0:
        worth = 0.0 if policy.game.is_terminal(state) or values is None else values(state)
        return worth, np.zeros_like(policy.weights)
    expected, gradient = 0.0, np.zeros_like(policy.weights)
    for action, chance in policy.probabilities(state).items():
        following, reward = policy.game.play(state, action)
        later, slope = lookahead(policy, following, values, None if plies is None else plies - 1)
        expected += chance * (reward + later)
        gradient += chance * ((reward + later) * policy.score(state, action) + slope)
    return expected, gradient


def strength(policy: SoftmaxPolicy, states: Sequence[Any], values: Values) -> float:
    """J: the mean squared error of the next move (eq. 2)."""
    total = 0.0
    for state in _some(states):
        for action, chance in policy.probabilities(state).items():
            following, reward = policy.game.play(state, action)
            total += chance * (reward + values(following) - values(state)) ** 2
    return total / len(states)


def bias(policy: SoftmaxPolicy, state: Any, values: Values, plies: int | None = None) -> float:  # noqa: ANN401
    """b(s) = V*(s) - E_π[V*(s_{t+k}) | s], or V*(s) - E_π[z | s] without a number of plies (5.1)."""
    return values(state) - lookahead(policy, state, values, plies)[0]


def imbalance(policy: SoftmaxPolicy, states: Sequence[Any], values: Values, plies: int | None) -> float:
    """B_k: the mean squared bias after so many plies (eq. 3)."""
    return sum(bias(policy, state, values, plies) ** 2 for state in _some(states)) / len(states)


def full_imbalance(policy: SoftmaxPolicy, states: Sequence[Any], values: Values) -> float:
    """B_∞ (eq. 4)."""
    return imbalance(policy, states, values, None)


def imbalance_gradient(
    policy: SoftmaxPolicy, states: Sequence[Any], values: Values, plies: int | None
) -> NDArray[np.float64]:
    """∇B_k = -2 E_ρ[b(s) g(s)] (eq. 11, 14)."""
    total = np.zeros_like(policy.weights)
    for state in _some(states):
        expected, gradient = lookahead(policy, state, values, plies)
        total -= 2 * (values(state) - expected) * gradient
    return np.asarray(total / len(states))


def log_likelihood(policy: SoftmaxPolicy, examples: Sequence[tuple[Any, Action]]) -> float:
    """Σ log π(s, a*) of an expert's moves."""
    return float(sum(np.log(policy.probabilities(state)[action]) for state, action in examples))


def log_likelihood_gradient(policy: SoftmaxPolicy, examples: Sequence[tuple[Any, Action]]) -> NDArray[np.float64]:
    """Σ ψ(s, a*) (eq. 7)."""
    return np.asarray(sum(policy.score(state, action) for state, action in examples))


def regression_step(policy: SoftmaxPolicy, state: Any, best: Action, *, alpha: float) -> None:  # noqa: ANN401
    """θ <- θ + α ψ(s, a*) (eq. 8)."""
    policy.weights += alpha * policy.score(state, best)


@dataclass(frozen=True)
class Simulation:
    """A game by the policy from a state to its end."""

    outcome: float  # z, of player 0
    length: int  # T
    score: Vector  # Σ ψ(s_t, a_t)


def simulate(policy: SoftmaxPolicy, state: Any, rng: Rng) -> Simulation:  # noqa: ANN401
    """Advances `rng`."""
    outcome, length, score = 0.0, 0, np.zeros_like(policy.weights)
    while not policy.game.is_terminal(state):
        action = policy.choose(state, rng)
        score += policy.score(state, action)
        state, reward = policy.game.play(state, action)
        outcome += reward
        length += 1
    return Simulation(outcome, length, score)


def balancing_step(
    policy: SoftmaxPolicy,
    state: Any,  # noqa: ANN401
    value: float,
    rng: Rng,
    *,
    alpha: float,
    bias_simulations: int,
    gradient_simulations: int,
    length_normalise: bool = True,
    one_sample: bool = False,
) -> NDArray[np.float64]:
    """θ <- θ + α b̂ ĝ, the two from different simulations (Algorithm 1, eq. 12, 13); returns b̂ ĝ. Advances `rng`.

    `one_sample` takes both from the same simulations: that is wrong by their covariance, and here to be shown.
    """
    simulations = [simulate(policy, state, rng) for _ in range(gradient_simulations)]
    gradient = np.zeros_like(policy.weights)
    for each in simulations:
        gradient += each.outcome / (each.length if length_normalise else 1) * each.score
    others = simulations if one_sample else [simulate(policy, state, rng) for _ in range(bias_simulations)]
    estimate = sum(each.outcome for each in others) / len(others)
    change = (value - estimate) * gradient / gradient_simulations
    policy.weights += alpha * change
    return np.asarray(change)


def two_step_step(
    policy: SoftmaxPolicy,
    state: Any,  # noqa: ANN401
    values: Values,
    *,
    alpha: float,
) -> NDArray[np.float64]:
    """θ <- θ + α b₂ g₂, over all moves and answers (Algorithm 2, eq. 14, 15); returns b₂ g₂."""
    expected, gradient = lookahead(policy, state, values, 2)
    change = (values(state) - expected) * gradient
    policy.weights += alpha * change
    return np.asarray(change)


def _some(states: Sequence[Any]) -> Sequence[Any]:
    if not states:
        raise InvalidArgumentError("a mean over states needs at least one of them")
    return states
