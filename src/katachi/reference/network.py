"""The slow twin of cpp/values/network.hpp: a multilayer perceptron in NumPy (Ekker, 3.3.1, eq. 15 and 16)."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "network_gradient", "network_sum"]

Floats = NDArray[np.float64]


def _matrices(layers: Sequence[int], weights: Floats, bias: bool) -> list[Floats]:
    """By layer: a row for each unit below, and one of biases if there are any."""
    found, start = [], 0
    for below, above in pairwise(layers):
        rows = below + bias
        found.append(weights[start : start + rows * above].reshape(rows, above))
        start += rows * above
    assert start == len(weights)
    return found


def _forward(layers: Sequence[int], weights: Floats, inputs: Floats, hidden: str, bias: bool) -> list[Floats]:
    """What each layer gets from below, biases' 1 included; the last entry is the sum x alone."""
    seen, below = [], inputs
    matrices = _matrices(layers, weights, bias)
    for number, matrix in enumerate(matrices):
        below = np.append(below, 1.0) if bias else below
        seen.append(below)
        sums = below @ matrix
        is_hidden = number + 1 < len(matrices)
        below = sums if not is_hidden else np.tanh(sums) if hidden == "tanh" else 1 / (1 + np.exp(-sums))
    return [*seen, below]


def network_sum(
    layers: Sequence[int], weights: Floats, inputs: Floats, *, hidden: str = "logistic", bias: bool = True
) -> float:
    """x: what the output unit is given. The output is sigma(x)."""
    return float(_forward(layers, weights, inputs, hidden, bias)[-1][0])


def network_gradient(
    layers: Sequence[int], weights: Floats, inputs: Floats, *, hidden: str = "logistic", bias: bool = True
) -> Floats:
    """dx/dw, in the order of the weights."""
    seen = _forward(layers, weights, inputs, hidden, bias)[:-1]
    delta, parts = np.ones(1), []
    for below, matrix in zip(reversed(seen), reversed(_matrices(layers, weights, bias)), strict=True):
        parts.append(np.outer(below, delta).ravel())
        slopes = 1 - below**2 if hidden == "tanh" else below * (1 - below)
        delta = (slopes * (matrix @ delta))[: len(below) - bias]
    return np.concatenate(list(reversed(parts)))
