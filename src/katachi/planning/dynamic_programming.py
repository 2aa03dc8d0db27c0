"""Exact values: value iteration and policy evaluation over tables, expectimax over a game.

Two players take the maximum and the minimum in turn; with one it is the usual Markov decision process.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from katachi._core import Player
from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Action
from katachi.games.contract import Game, outcomes_of
from katachi.planning.mdp import Policy, TabularMdp, state_name

__all__ = ["Solution", "evaluate_policy", "expectimax", "value_iteration"]


@dataclass(frozen=True)
class Solution:
    """What value iteration found: values by state, and how far the last sweep still moved them."""

    mdp: TabularMdp
    values: NDArray[np.float64]
    sweeps: int
    change: float

    def value(self, state: Any) -> float:  # noqa: ANN401
        """V*(s)."""
        return float(self.values[self.mdp.state_index(state)])

    def action_values(self, state: Any) -> dict[Action, float]:  # noqa: ANN401
        """Q*(s, a) for every legal action."""
        number = self.mdp.state_index(state)
        first, last = self.mdp.first_pair[number : number + 2]
        values = self.mdp.action_values(self.values)[first:last]
        return dict(zip(self.mdp.actions(number), map(float, values), strict=True))

    def best_action(self, state: Any) -> Action:  # noqa: ANN401
        """The first best action for the player to move."""
        values = self.action_values(state)
        best = min if self.mdp.minimises[self.mdp.state_index(state)] else max
        return best(values, key=lambda action: values[action])


def value_iteration(mdp: TabularMdp, *, tolerance: float = 1e-12, most_sweeps: int = 100_000) -> Solution:
    """V(s) <- max_a Σ_s' P(s, a, s') (R(s, a, s') + V(s')) until nothing moves more than `tolerance` (Silver 2.3).

    From V = 0; all states at once; the minimum where player 1 moves. Undiscounted: where play can go on for ever and
    earn, it need not converge, and `change` says so.
    """
    active = np.flatnonzero(np.diff(mdp.first_pair))
    values = np.zeros(len(mdp.states))
    change, sweep = 0.0, 0
    for sweep in range(1, most_sweeps + 1):  # noqa: B007
        pairs = mdp.action_values(values)
        if len(active) == 0:
            break
        starts = mdp.first_pair[active]
        best = np.where(mdp.minimises[active], np.minimum.reduceat(pairs, starts), np.maximum.reduceat(pairs, starts))
        change = float(np.max(np.abs(best - values[active])))
        values[active] = best
        if change <= tolerance:
            break
    return Solution(mdp, values, sweep, change)


def evaluate_policy(mdp: TabularMdp, policy: Policy) -> NDArray[np.float64]:
    """V^π by state: the solution of V = r_π + P_π V.

    The policy must end the game from every state; both players follow it.
    """
    count = len(mdp.states)
    chance = np.zeros(len(mdp.pair_state))
    for number, state in enumerate(mdp.states):
        first = int(mdp.first_pair[number])
        actions = mdp.actions(number)
        probabilities = policy(state) if actions else {}
        for offset, action in enumerate(actions):
            chance[first + offset] = probabilities.get(action, 0.0)
        if actions and abs(sum(probabilities.values()) - 1) > 1e-9:
            raise InvalidArgumentError(f"a policy's probabilities add up to 1, not {probabilities!r}")
    weight = chance[mdp.outcome_pair] * mdp.probability
    transition = np.zeros((count, count))
    state_of = mdp.pair_state[mdp.outcome_pair]
    np.add.at(transition, (state_of, mdp.following), weight)
    earned = np.bincount(state_of, weight * mdp.reward, minlength=count)
    try:
        values = np.linalg.solve(np.eye(count) - transition, earned)
    except np.linalg.LinAlgError:
        raise InvalidArgumentError("this policy does not end the game from every state") from None
    if np.max(np.abs(values), initial=0.0) > 1e12:
        raise InvalidArgumentError("this policy does not end the game from every state")
    return np.asarray(values)


def expectimax(
    game: Game[Any],
    state: Any,  # noqa: ANN401
    depth: int,
    evaluate: Callable[[Any], float] | None = None,
) -> float:
    """Player 0's value with best play for `depth` plies, and what `evaluate` (0 without one) says from there on.

    Depth-first over every outcome (Silver 3.3, Table 3.1); what comes back at the same depth is not searched again.
    """
    known: dict[tuple[Hashable, int], float] = {}

    def value(state: Any, plies: int) -> float:  # noqa: ANN401
        if game.is_terminal(state):
            return 0.0
        if plies == 0:
            return evaluate(state) if evaluate is not None else 0.0
        place = (state_name(game, state), plies)
        if place not in known:
            best = min if game.to_play(state) == Player.WHITE else max
            known[place] = best(expected(state, action, plies) for action in game.legal_actions(state))
        return known[place]

    def expected(state: Any, action: Action, plies: int) -> float:  # noqa: ANN401
        outcomes = outcomes_of(game, state, action)
        return sum(outcome.probability * (outcome.reward + value(outcome.state, plies - 1)) for outcome in outcomes)

    return value(state, depth)
