"""Learning from games: steps computed by hand, and the equalities between rules (Silver 2009, appendix A)."""

import random
from math import exp, log, sqrt

import numpy
import pytest
from numpy.typing import NDArray

from katachi import InvalidArgumentError
from katachi._core import TdLearner
from katachi.learning.td_settings import TdSettings
from katachi.training.self_play import SelfPlaySettings, self_play

UNSHARED = [1, 2, -3, 4]
SHARED = [1, 1, 1, -2, -2, 3, -3, 4]


def learner(settings: TdSettings, weights: int = 6, start: float = 0.0) -> TdLearner:
    found = TdLearner(settings.to_native(), weights)
    found.weights = numpy.linspace(-start, start, weights, dtype=numpy.float32)
    return found


def total(weights: NDArray[numpy.float32], state: list[int]) -> float:
    return float(sum(float(weights[abs(e) - 1]) * (1 if e > 0 else -1) for e in state))


def random_game(seed: int, length: int = 9) -> list[list[int]]:
    rng = random.Random(seed)
    return [[rng.choice((-1, 1)) * rng.randint(1, 6) for _ in range(rng.randint(1, 10))] for _ in range(length)]


def learnt(settings: TdSettings, games: list[list[list[int]]], outcome: float = 1.0) -> list[float]:
    found = learner(settings, start=0.7)
    for states in games:
        found.learn_game(states, outcome)
    return [float(weight) for weight in found.weights]


@pytest.mark.parametrize("state", [UNSHARED, SHARED])
@pytest.mark.parametrize("start", [0.0, 0.4])
def test_one_step_moves_the_sum_by_the_shared_squares(state: list[int], start: float) -> None:
    """alpha delta sum_i c_i^2 / k; without sharing that is alpha delta."""
    one = learner(TdSettings(alpha=0.1), start=start)
    before, value = total(one.weights, state), one.value(state)
    assert value == pytest.approx(1 / (1 + exp(-before)))
    one.learn_game([state], 1.0)
    squares = sum((state.count(i) - state.count(-i)) ** 2 for i in range(1, 7))
    expected = 0.1 * (1 - value) * squares / len(state)
    assert total(one.weights, state) - before == pytest.approx(expected, rel=1e-4)
    assert state is SHARED or squares == len(state)


def test_two_ply_targets_by_hand() -> None:
    """s_0 learns V(s_2), s_1 and s_2 the outcome; weights of 0 make all values a half, and s_0 has no error."""
    one = learner(TdSettings(alpha=0.2, update_mode="end-cached"))
    errors = one.learn_game([[1], [2, 3], [4, 4]], 1.0)
    assert list(one.weights) == pytest.approx([0, 0.05, 0.05, 0.1, 0, 0])
    assert errors.cross_entropy == pytest.approx(log(2))
    assert errors.mean == pytest.approx(1 / 3)
    assert errors.rms == pytest.approx(sqrt(0.5 / 3))
    assert errors.rms_to_outcome == pytest.approx(0.5)


def test_printed_variants_by_hand() -> None:
    states = [[1], [2, 3], [4, 4]]
    one = learner(TdSettings(alpha=0.2, update_mode="end-cached", learns_last=False))
    one.learn_game(states, 1.0)
    assert list(one.weights) == pytest.approx([0, 0.05, 0.05, 0, 0, 0])
    one = learner(TdSettings(alpha=0.2, update_mode="end-cached", plies=1, normaliser="successor"))
    one.learn_game([[1], [2, 3], [4]], 1.0)
    assert list(one.weights) == pytest.approx([0, 0, 0, 0.1, 0, 0])
    one.weights = numpy.array([0, 1, 0, 0, 0, 0], dtype=numpy.float32)
    one.learn_game([[1], [2, 3]], 1.0)
    delta = 1 / (1 + exp(-1)) - 0.5
    assert one.weights[0] == pytest.approx(0.2 * delta / 2)


def test_a_refreshed_sweep_sees_what_it_has_learnt() -> None:
    """The same state twice: the second error is smaller."""
    refreshed, cached = (learner(TdSettings(alpha=1.0, target="monte-carlo", update_mode=mode)) for mode in
                         ("end-refresh", "end-cached"))  # fmt: skip
    for each in (refreshed, cached):
        each.learn_game([[1], [1]], 1.0)
    assert cached.weights[0] == pytest.approx(1.0)
    assert refreshed.weights[0] == pytest.approx(0.5 + 1 - 1 / (1 + exp(-0.5)))


def test_heads_by_hand() -> None:
    linear = learner(TdSettings(head="linear", alpha=0.1))
    linear.learn_game([[1, 2]], 1.0)
    assert list(linear.weights[:2]) == pytest.approx([0.025, 0.025])
    assert linear.value([1]) == pytest.approx(0.525)
    squared = learner(TdSettings(head="non-linear", alpha=0.1))
    squared.learn_game([[1, 2]], 1.0)
    assert squared.weights[0] == pytest.approx(0.1 * 0.5 * 0.25 / 2)


@pytest.mark.parametrize("head", ["logistic", "non-linear", "linear"])
@pytest.mark.parametrize("mode", ["end-refresh", "end-cached", "online"])
@pytest.mark.parametrize("traces", ["accumulating", "replacing"])
def test_lambda_0_is_td_0(head: str, mode: str, traces: str) -> None:
    """A trace that decays to almost nothing at once against no trace at all."""
    games = [random_game(seed) for seed in range(3)]
    plain = TdSettings.from_mapping({"head": head, "update_mode": mode, "traces": traces})
    traced = learnt(plain.replace(lambda_=1e-30, trace_cutoff=1e-20), games)
    assert traced == pytest.approx(learnt(plain, games), abs=1e-6)


@pytest.mark.parametrize("head", ["logistic", "non-linear", "linear"])
@pytest.mark.parametrize("length", [1, 2, 9, 10])
def test_lambda_1_by_colour_is_monte_carlo(head: str, length: int) -> None:
    games = [random_game(length, length)]
    cached = TdSettings.from_mapping({"head": head, "update_mode": "end-cached"})
    outcomes = learnt(cached.replace(target="monte-carlo"), games)
    assert learnt(cached.replace(lambda_=1.0), games) == pytest.approx(outcomes, abs=1e-6)


def test_one_ply_lambda_1_with_a_single_trace_is_monte_carlo() -> None:
    games = [random_game(1)]
    traced = learnt(TdSettings(plies=1, lambda_=1.0, trace_parity="single", update_mode="end-cached"), games)
    assert traced == pytest.approx(
        learnt(TdSettings(plies=1, target="monte-carlo", update_mode="end-cached"), games), abs=1e-6
    )


def test_a_single_trace_over_two_plies_counts_twice() -> None:
    """2z - V(s_t) - V(s_t+1) for s_t, as the specification derives: here 2 - 1/2 - 1/2."""
    single = TdSettings(lambda_=1.0, trace_parity="single", update_mode="end-cached")
    one = learner(single)
    one.learn_game([[1], [2], [3], [4]], 1.0)
    assert one.weights[0] == pytest.approx(0.1 * (2 - 0.5 - 0.5))
    one = learner(single.replace(trace_parity="per-colour"))
    one.learn_game([[1], [2], [3], [4]], 1.0)
    assert one.weights[0] == pytest.approx(0.1 * (1 - 0.5))


def test_counts_by_hand() -> None:
    one = learner(TdSettings(step_rule="counts", count_scale=2.0, alpha=0.3))
    one.learn_game([[1]], 1.0)
    first = 0.3 * 0.5
    assert one.weights[0] == pytest.approx(first)
    one.learn_game([[1]], 1.0)
    assert one.weights[0] == pytest.approx(first + 0.3 * (1 - 1 / (1 + exp(-first))) * 2 / 3)
    assert one.step_memories[0][0] == 2


def test_kalman_by_hand() -> None:
    one = learner(TdSettings(step_rule="kalman", variance=0.4))
    one.learn_game([[1, 1, -2]], 1.0)
    h1, h2, noise = 2 * 0.25, -0.25, 0.25
    total_variance = 0.4 * h1**2 + 0.4 * h2**2 + noise
    gains = [0.4 * h1 / total_variance, 0.4 * h2 / total_variance]
    assert list(one.weights[:3]) == pytest.approx([gains[0] * 0.5, gains[1] * 0.5, 0])
    expected = [0.4 - gains[0] * h1 * 0.4, 0.4 - gains[1] * h2 * 0.4, 0.4]
    assert list(one.step_memories[0][:3]) == pytest.approx(expected)


def test_kalman_of_one_weight_is_bayes() -> None:
    """Linearised at V = 1/2 the variance falls as 1 / (1/P + n h^2 / R), whatever is observed."""
    one = learner(TdSettings(step_rule="kalman", variance=0.1))
    for _ in range(5):
        one.weights = numpy.zeros(6, dtype=numpy.float32)
        one.learn_game([[1]], 1.0)
    assert one.step_memories[0][0] == pytest.approx(1 / (1 / 0.1 + 5 * 0.25), rel=1e-5)


def test_idbd_by_hand() -> None:
    one = learner(TdSettings(step_rule="idbd", alpha=0.2, meta_step=0.5))
    one.learn_game([[1, 1, 2, -3]], 1.0)
    step = 0.2 / 4
    assert list(one.weights[:3]) == pytest.approx([step * 0.5 * 2, step * 0.5, -step * 0.5])
    assert list(one.step_memories[1][:3]) == pytest.approx([step * 0.5 * 2, step * 0.5, -step * 0.5])
    h, theta = step * 0.5 * 2, step * 0.5 * 2
    error = 1 - 1 / (1 + exp(-theta))
    one.learn_game([[1]], 1.0)
    beta = log(0.2) + 0.5 * error * h
    assert one.step_memories[0][0] == pytest.approx(beta, rel=1e-5)
    assert one.weights[0] == pytest.approx(theta + exp(beta) * error, rel=1e-5)
    assert one.step_memories[1][0] == pytest.approx(h * (1 - exp(beta)) + exp(beta) * error, rel=1e-5)


def test_a_state_without_features_learns_nothing() -> None:
    for settings in (TdSettings(), TdSettings(lambda_=0.5), TdSettings(step_rule="kalman")):
        one = learner(settings)
        one.learn_game([[]], 1.0)
        assert list(one.weights) == [0] * 6
        assert one.learn_game([], 1.0).rms == 0


def test_data_that_is_none_is_refused() -> None:
    one = learner(TdSettings(step_rule="kalman"))
    for entry in (0, 7, -7):
        with pytest.raises(InvalidArgumentError, match=f"from 1 to 6, with a sign, not {entry}"):
            one.learn_game([[1, entry]], 1.0)
    with pytest.raises(InvalidArgumentError, match="6 numbers are needed, not 2"):
        one.weights = numpy.zeros(2, dtype=numpy.float32)
    with pytest.raises(InvalidArgumentError, match="number 1 is nan"):
        one.weights = numpy.array([0, numpy.nan, 0, 0, 0, 0], dtype=numpy.float32)
    with pytest.raises(InvalidArgumentError, match="remembers 1 arrays, not 0"):
        one.step_memories = []


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_weights_grow_into_what_the_source_has(threads: int) -> None:
    """After 20,000 games on 9x9: the signs, order and size of the smallest shapes' weights after its million games."""
    play = self_play(SelfPlaySettings(seed=1, threads=threads))
    play.run(20_000)
    anywhere, by_place, squares = play.weights[0], play.weights[1:16], list(play.weights[16:24])
    assert 0.2018 / 2 < anywhere < 0.2018 * 2
    assert by_place[0] == min(by_place) < 0  # the corner
    assert max(by_place) > 0.05
    hane, elbow = squares[7], squares[4]  # OX/XX and OX/X.
    assert hane > elbow == sorted(squares)[-2]
    assert 0.3145 / 2 < hane < 0.3145 * 2
    assert 0.2107 / 2 < elbow < 0.2107 * 2
    assert squares[6] == min(squares)  # XX/XX
