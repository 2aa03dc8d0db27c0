"""The linear reward-penalty automaton: its rule by hand, and what it settles on."""

import pytest

from katachi._core import Rng
from katachi.arena.automaton import Automaton, AutomatonSettings, update_probabilities
from katachi.core.errors import InvalidArgumentError, SettingsError

SETTINGS = AutomatonSettings(reward=0.1, penalty=0.2)


def test_success_by_hand() -> None:
    p = update_probabilities((0.5, 0.3, 0.2), 1, True, SETTINGS)
    assert p == pytest.approx((0.45, 0.37, 0.18))


def test_failure_by_hand() -> None:
    # p_i - b p_i = 0.24; the others p_j + b (1/2 - p_j).
    p = update_probabilities((0.5, 0.3, 0.2), 1, False, SETTINGS)
    assert p == pytest.approx((0.5, 0.24, 0.26))


def test_probabilities_stay_probabilities() -> None:
    rng = Rng(1)
    p: tuple[float, ...] = (0.2,) * 5
    for _ in range(1000):
        p = update_probabilities(p, rng.below(5), rng.below(2) == 0, SETTINGS)
        assert sum(p) == pytest.approx(1)
        assert all(0 < share < 1 for share in p)


def test_without_penalty_a_failure_changes_nothing() -> None:
    p = (0.5, 0.3, 0.2)
    assert update_probabilities(p, 0, False, AutomatonSettings(reward=0.1, penalty=0.0)) == p


@pytest.mark.parametrize(("p", "tried"), [((1.0,), 0), ((0.5, 0.5), 2), ((0.5, 0.5), -1)])
def test_what_is_refused(p: tuple[float, ...], tried: int) -> None:
    with pytest.raises(InvalidArgumentError, match="two values or more"):
        update_probabilities(p, tried, True, SETTINGS)


def test_settings_that_are_refused() -> None:
    for values in ({"reward": 0.0, "penalty": 0.1}, {"reward": 1.0, "penalty": 0.1}, {"reward": 0.1, "penalty": -0.1}):
        with pytest.raises(SettingsError):
            AutomatonSettings(**values)
    with pytest.raises(InvalidArgumentError, match="not 1"):
        Automaton(1, SETTINGS)


def test_it_chooses_by_its_probabilities() -> None:
    automaton = Automaton(3, SETTINGS)
    automaton.p = (0.2, 0.7, 0.1)
    rng = Rng(1)
    counts = [0, 0, 0]
    for number in range(5000):
        counts[automaton.choose(rng.split("choose", number))] += 1
    assert [count / 5000 for count in counts] == pytest.approx([0.2, 0.7, 0.1], abs=0.03)


def test_it_settles_on_the_value_that_succeeds_most() -> None:
    chances = (0.4, 0.7, 0.5)
    rng = Rng(2)
    automaton = Automaton(3, AutomatonSettings(reward=0.02, penalty=0.002))
    for trial in range(3000):
        place = automaton.choose(rng.split("value", trial))
        automaton.update(place, rng.split("trial", trial).uniform() < chances[place])
    assert automaton.best == 1
    assert automaton.p[1] > 0.8
