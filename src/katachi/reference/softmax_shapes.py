"""Softmax over local shapes as it is defined (Silver and Tesauro 2009, 3 and 6): a twin of cpp/policies.

phi(s, a) are the signed counts of shapes of 1x1 and 2x2 after the move, black ones positive, turned around if White
moves. All moves are played, and everything is recounted. Pinned by tests/differential/test_softmax_shapes_twin.py.
"""

from collections.abc import Sequence
from functools import cache
from itertools import product
from math import exp

from katachi.core.types import Action, Player
from katachi.games.go.position import Position
from katachi.reference.local_shapes import Shape, representative, unique_shapes

__all__ = ["move_features", "softmax_scores", "softmax_shares", "weight_keys"]

_SIZES = (1, 2)
_SCHEMES = ("li", "ld")


@cache
def weight_keys(side: int) -> dict[tuple[str, Shape], int]:
    """The weights in their order: family by family, those for any place first."""
    keys = [
        (scheme, shape) for size in _SIZES for scheme in _SCHEMES for shape in unique_shapes(side, size, size, scheme)
    ]
    return {key: number for number, key in enumerate(keys)}


@cache
def _entry(shape: Shape, side: int, scheme: str) -> tuple[int, int] | None:
    known = representative(shape, side, scheme)
    return None if known is None else (weight_keys(side)[scheme, known[0]], known[1])


def _counts(stones: str, side: int) -> list[float]:
    counts = [0.0] * len(weight_keys(side))
    lines = [stones[start : start + side] for start in range(0, side * side, side)]
    for size in _SIZES:
        for row, col in product(range(side - size + 1), repeat=2):
            content = tuple(line[col : col + size] for line in lines[row : row + size])
            for scheme in _SCHEMES:
                entry = _entry((row, col, content), side, scheme)
                if entry is not None:
                    counts[entry[0]] += entry[1]
    return counts


def move_features(position: Position, action: Action) -> list[float]:
    """phi(s, a), by the number of the weight."""
    sign = 1.0 if position.to_play == Player.BLACK else -1.0
    return [sign * count for count in _counts(position.play(action).stones(), position.width)]


def softmax_shares(position: Position, actions: Sequence[Action], theta: Sequence[float]) -> dict[Action, float]:
    """pi(s, a) of the given actions (eq. 5)."""
    features = {action: move_features(position, action) for action in actions}
    preferences = {
        action: sum(weight * count for weight, count in zip(theta, counts, strict=True))
        for action, counts in features.items()
    }
    highest = max(preferences.values())
    weights = {action: exp(preference - highest) for action, preference in preferences.items()}
    total = sum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


def softmax_scores(position: Position, actions: Sequence[Action], theta: Sequence[float]) -> dict[Action, list[float]]:
    """psi(s, a) = phi(s, a) - sum_b pi(s, b) phi(s, b)   (eq. 6)."""
    shares = softmax_shares(position, actions, theta)
    features = {action: move_features(position, action) for action in actions}
    mean = [sum(shares[action] * features[action][i] for action in actions) for i in range(len(theta))]
    return {action: [x - m for x, m in zip(features[action], mean, strict=True)] for action in actions}
