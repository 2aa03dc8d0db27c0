"""The multilayer perceptron: its NumPy twin, and gradients by finite differences (Ekker, 3.3.1)."""

from math import exp

import numpy
import pytest

from katachi import InvalidArgumentError
from katachi._core import Network, Rng
from katachi.reference.network import network_gradient, network_sum

TOPOLOGIES = [(32, 75, 1), (4, 1), (1, 1), (6, 5, 4, 1), (3, 2, 2, 2, 1)]


def network(layers: tuple[int, ...], hidden: str, bias: bool, spread: float = 1.0) -> Network:
    found = Network(list(layers), hidden, bias)
    found.randomise(Rng(len(layers) + bias), spread)
    return found


def inputs(layers: tuple[int, ...], seed: int = 1) -> numpy.typing.NDArray[numpy.float64]:
    rng = numpy.random.default_rng(seed)
    return numpy.where(rng.random(layers[0]) < 0.3, 0.0, rng.normal(size=layers[0]))


@pytest.mark.parametrize("layers", TOPOLOGIES)
@pytest.mark.parametrize("hidden", ["logistic", "tanh"])
@pytest.mark.parametrize("bias", [True, False])
def test_forward_and_backward_are_those_of_the_twin(layers: tuple[int, ...], hidden: str, bias: bool) -> None:
    one = network(layers, hidden, bias)
    weights, given = one.weights, inputs(layers)
    total, output = one.value(given)
    assert total == pytest.approx(network_sum(layers, weights, given, hidden=hidden, bias=bias), abs=1e-12)
    assert output == pytest.approx(1 / (1 + exp(-total)))
    expected = network_gradient(layers, weights, given, hidden=hidden, bias=bias)
    assert one.gradient(given) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("layers", TOPOLOGIES)
@pytest.mark.parametrize("hidden", ["logistic", "tanh"])
def test_gradients_by_finite_differences(layers: tuple[int, ...], hidden: str) -> None:
    one = network(layers, hidden, True)
    weights, given, step = one.weights, inputs(layers), 1e-6
    gradient = one.gradient(given)
    for i in range(0, len(weights), max(1, len(weights) // 60)):
        sums = []
        for sign in (1, -1):
            moved = weights.copy()
            moved[i] += sign * step
            one.weights = moved
            sums.append(one.value(given)[0])
        assert (sums[0] - sums[1]) / (2 * step) == pytest.approx(gradient[i], abs=1e-7)


def test_numbers_of_weights() -> None:
    assert len(Network([32, 75, 1]).weights) == 2551
    assert len(Network([32, 75, 1], bias=False).weights) == 2475


def test_first_weights_are_uniform() -> None:
    found = Network([32, 75, 1])
    assert not found.weights.any()
    found.randomise(Rng(3), 0.1)
    assert -0.1 <= found.weights.min() < -0.099
    assert 0.099 < found.weights.max() < 0.1
    assert abs(found.weights.mean()) < 0.005
    again = Network([32, 75, 1])
    again.randomise(Rng(3), 0.1)
    assert again.weights.tobytes() == found.weights.tobytes()


@pytest.mark.parametrize(
    ("layers", "text"),
    [
        ([3], "at least inputs and one output"),
        ([3, 2], "its last layer has 1 unit"),
        ([3, 0, 1], "not 0"),
        ([], "at least"),
    ],
)
def test_impossible_topologies(layers: list[int], text: str) -> None:
    with pytest.raises(InvalidArgumentError, match=text):
        Network(layers)


def test_wrong_numbers_are_refused() -> None:
    one = Network([2, 1])
    with pytest.raises(InvalidArgumentError, match="2 inputs, not 3"):
        one.value(numpy.zeros(3))
    with pytest.raises(InvalidArgumentError, match="input 1 is nan"):
        one.value(numpy.array([0.0, numpy.nan]))
    with pytest.raises(InvalidArgumentError, match="weights: 3 numbers are needed, not 2"):
        one.weights = numpy.zeros(2)
    with pytest.raises(InvalidArgumentError, match="weights: number 0 is inf"):
        one.weights = numpy.full(3, numpy.inf)
    with pytest.raises(InvalidArgumentError, match="hidden has no value 'relu'"):
        Network([2, 1], "relu")
