"""How accurate Monte-Carlo values by a playout policy are: the metric of Silver and Tesauro (2009, 6.2).

MSE = mean of (V_n(s) - V*(s))² over labelled positions, where V_n is the mean outcome of n playouts. Part of it is the
noise of n playouts, V(1 - V) / (n - 1) on average, which the corrected value is without.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import stdev

from katachi._core import EyeRule, Policy, Rng
from katachi.core.errors import InvalidArgumentError
from katachi.training.data_set import DataSet, LabelledPosition

__all__ = ["Accuracy", "playout_accuracy"]


@dataclass(frozen=True)
class Accuracy:
    """What playouts of a policy say of labelled positions."""

    positions: int
    simulations: int  # for each
    mse: float
    corrected_mse: float  # without the noise of the playouts
    mean_bias: float  # of V_n - V*
    mse_error: float = 0.0  # the standard error of `mse` over the positions


def playout_accuracy(
    data: DataSet,
    policy: Policy | str,
    rng: Rng,
    *,
    positions: int = 1000,
    simulations: int = 100,
    longest_simulation: int = 200,
    eye_rule: str = "simple",
    on_position: Callable[[int], object] = lambda _done: None,
) -> Accuracy:
    """Of a policy (native, or the name of a plain one), on positions that are drawn from the data; on all if it has no
    more. `rng` does not advance."""
    if simulations < 2:
        raise InvalidArgumentError(f"accuracy needs at least 2 simulations of a position, not {simulations}")
    if not data.positions:
        raise InvalidArgumentError("accuracy needs labelled positions, and there are none")
    chosen = _some(data.positions, positions, rng.split("positions"))
    errors = noise = 0.0
    squares = []
    for i, labelled in enumerate(chosen):
        state = data.state(labelled).search_state(EyeRule[eye_rule.upper()], longest_simulation)
        batch = state.playouts(simulations, rng.split("playouts", i), policy)
        batch.run()
        value = batch.total / simulations
        errors += value - labelled.value
        squares.append((value - labelled.value) ** 2)
        noise += value * (1 - value) / (simulations - 1)
        on_position(i + 1)
    count = len(chosen)
    mse = sum(squares) / count
    spread = stdev(squares) / sqrt(count) if count > 1 else 0.0
    return Accuracy(count, simulations, mse, mse - noise / count, errors / count, spread)


def _some(positions: Sequence[LabelledPosition], count: int, rng: Rng) -> list[LabelledPosition]:
    """Without repetition, by the first steps of a shuffle."""
    if count >= len(positions):
        return list(positions)
    order = list(range(len(positions)))
    for i in range(count):
        j = i + rng.below(len(order) - i)
        order[i], order[j] = order[j], order[i]
    return [positions[i] for i in order[:count]]
