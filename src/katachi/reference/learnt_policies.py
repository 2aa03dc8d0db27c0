"""Policies over learnt values, mixtures and stages, by their definitions (Silver 2009, 9.2.1): twins of cpp/policies.

Values are of the candidates, as the player to move sees them. Every function returns the probability of each action.
Nothing is drawn at random, and nothing is fast. Pinned by tests/differential/test_learnt_policies.py.
"""

from collections.abc import Mapping, Sequence
from math import erf, exp, pi, sqrt
from typing import TypeAlias

__all__ = ["Shares", "gaussian_shares", "greedy_shares", "mixed_shares", "softmax_shares", "switched_shares"]

Shares: TypeAlias = dict[int, float]


def greedy_shares(values: Mapping[int, float], epsilon: float) -> Shares:
    """1 - epsilon for the best, or in equal parts for the best ones, and epsilon / n for each of all n."""
    best = [action for action, value in values.items() if value == max(values.values())]
    return {action: epsilon / len(values) + ((1 - epsilon) / len(best) if action in best else 0.0) for action in values}


def softmax_shares(values: Mapping[int, float], tau: float) -> Shares:
    """exp(Q / tau), divided by the sum."""
    highest = max(values.values())
    weights = {action: exp((value - highest) / tau) for action, value in values.items()}
    total = sum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


def gaussian_shares(values: Mapping[int, float], sd: float, *, cells: int = 400, farthest: float = 8.0) -> Shares:
    """The chance that Q + noise of an action is the highest: its noise is x, and all others stay below.

    The integral over x of phi(x) * product of Phi((Q_a + sd * x - Q_b) / sd), by the rule of midpoints.
    """
    width = 2 * farthest / cells
    shares = {}
    for action, value in values.items():
        total = 0.0
        for i in range(cells):
            x = -farthest + (i + 0.5) * width
            chance = exp(-x * x / 2) / sqrt(2 * pi)
            for other, other_value in values.items():
                if other != action:
                    chance *= (1 + erf(((value - other_value) / sd + x) / sqrt(2))) / 2
            total += chance * width
        shares[action] = total
    return shares


def mixed_shares(parts: Sequence[tuple[float, Mapping[int, float]]]) -> Shares:
    """A part is drawn by its share, then one of its moves."""
    mixed: Shares = {}
    for share, moves in parts:
        for action, chance in moves.items():
            mixed[action] = mixed.get(action, 0.0) + share * chance
    return dict(sorted(mixed.items()))


def switched_shares(moves: float, first: Mapping[int, float], second: Mapping[int, float], played: int) -> Shares:
    """After so many moves of a playout: the first while t < T, where a fraction of T is the chance of one move more."""
    share = min(1.0, max(0.0, moves - played))
    return mixed_shares([(part, chances) for part, chances in ((share, first), (1 - share, second)) if part > 0])
