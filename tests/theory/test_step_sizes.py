"""Steps of single weights that adapt: by hand, and what they are for."""

from math import exp, log

import pytest

from katachi import Action, InvalidArgumentError, Limit, Rng
from katachi.games.native import ExplicitTree
from katachi.planning.control import sarsa_episode
from katachi.planning.memories import Features, SparseMemory
from katachi.planning.step_sizes import CountedMemory, IdbdMemory
from katachi.planning.td_search import LinearTdSearch, LinearTdSettings

ONE: Features = lambda state, action: [("one", 1.0), (("half", action), 0.5)]  # noqa: E731
PAIR = (None, Action(0))


def test_steps_fall_with_occurrences() -> None:
    memory = CountedMemory(ONE, count_scale=2.0)
    expected = 0.0
    for n in range(4):
        memory.add(PAIR, 0.1)
        expected += 0.1 * 2 / (2 + n)
        assert memory.theta["one"] == pytest.approx(expected)
        assert memory.theta["half", 0] == pytest.approx(expected / 2)
    trace = memory.trace()
    trace.mark(PAIR, scale=3.0)
    trace.decay(0.5)
    trace.mark((None, Action(1)))
    trace.apply(1.0)
    assert memory.theta["one"] - expected == pytest.approx(0.5 * 3 * 2 / 6 + 2 / 7)
    assert memory.theta["half", 1] == pytest.approx(0.5)
    memory.reset()
    assert (memory.theta, memory.share("one")) == ({}, 1.0)


def test_without_counts_it_is_the_plain_memory() -> None:
    game = ExplicitTree([[0.3, 0.9], [0.2, 0.8]])
    plain, slow = SparseMemory(ONE), CountedMemory(ONE, count_scale=1e15)
    for memory in (plain, slow):
        for seed in range(5):
            sarsa_episode(game, memory, lambda _, rng: Action(rng.below(2)), Rng(seed), alpha=0.1, lambda_=0.7)
    assert slow.theta == pytest.approx(plain.theta)


def test_idbd_by_hand() -> None:
    """Two updates of one weight with φ = 1/2 by the equations of Sutton (1992)."""
    memory = IdbdMemory(lambda _, __: [("w", 0.5)], first_step=0.1, meta_step=0.3)
    memory.add(PAIR, 2.0)
    h = 0.1 * 2.0 * 0.5
    assert memory.theta["w"] == pytest.approx(h)
    assert memory.step_of("w") == pytest.approx(0.1)  # h was 0
    memory.add(PAIR, -1.0)
    beta = log(0.1) + 0.3 * -1.0 * 0.5 * h
    alpha = exp(beta)
    assert memory.step_of("w") == pytest.approx(alpha)
    assert memory.theta["w"] == pytest.approx(h - alpha * 0.5)
    assert memory.memories["w"] == pytest.approx(h * (1 - alpha * 0.25) - alpha * 0.5)
    memory.add(PAIR, 1e9)
    assert memory.step_of("w") == pytest.approx(alpha * exp(2))  # β moves by 2 at most
    memory.reset()
    assert (memory.theta, memory.step_of("w")) == ({}, pytest.approx(0.1))


def test_idbd_without_a_meta_step_is_the_plain_memory() -> None:
    game = ExplicitTree([[0.3, 0.9], [0.2, 0.8]])
    plain, fixed = SparseMemory(ONE), IdbdMemory(ONE, first_step=0.1, meta_step=0.0)
    for memory, alpha in ((plain, 0.1), (fixed, 1.0)):
        for seed in range(5):
            sarsa_episode(game, memory, lambda _, rng: Action(rng.below(2)), Rng(seed), alpha=alpha, lambda_=0.7)
    assert fixed.theta == pytest.approx(plain.theta)


def test_idbd_learns_which_features_matter() -> None:
    """Sutton's task in small: one input follows a target that drifts, the others are noise."""
    rng = Rng(1)
    inputs: list[float] = []
    memory = IdbdMemory(lambda _, __: list(enumerate(inputs)), first_step=0.05, meta_step=0.02)
    sign = 1.0
    for t in range(4000):
        inputs[:] = [rng.uniform() * 2 - 1 for _ in range(6)]
        if t % 20 == 0:
            sign = 1.0 if rng.uniform() < 0.5 else -1.0
        memory.add(PAIR, sign * inputs[0] - memory.value(PAIR))
    others = max(memory.step_of(i) for i in range(1, 6))
    assert memory.step_of(0) > 3 * others
    assert others < 0.05


def test_searches_take_any_memory() -> None:
    game = ExplicitTree([[3, 12], [2, [4, 6]], [14, 1]])
    root = game.initial_state()
    features: Features = lambda state, action: [((state.key, action), 1.0)]  # noqa: E731
    for memory, alpha in ((CountedMemory(features, 10.0), 0.5), (IdbdMemory(features, 0.1, 0.001), 1.0)):
        settings = LinearTdSettings(alpha=alpha, epsilon=0.3, epsilon_decay="linear")
        search = LinearTdSearch(game, memory, settings)
        search.run(root, Limit(simulations=1500), Rng(1))
        assert search.best(root, Rng(1)) == 0


def test_what_steps_refuse() -> None:
    with pytest.raises(InvalidArgumentError, match="count_scale is above 0, not 0"):
        CountedMemory(ONE, 0.0)
    with pytest.raises(InvalidArgumentError, match=r"not 0\.0 and 0\.1"):
        IdbdMemory(ONE, 0.0, 0.1)
