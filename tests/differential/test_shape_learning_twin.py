"""Learning from games, native against the slow twin: random games, every rule, all options mixed."""

import random
from typing import Any

import numpy
import pytest

from katachi._core import TdLearner
from katachi.core.errors import SettingsError
from katachi.learning.td_settings import TdSettings
from katachi.reference.shape_learning import ShapeLearningTwin

WEIGHTS = 12
CHOICES: dict[str, tuple[Any, ...]] = {
    "head": ("logistic", "non-linear", "linear"),
    "linear_offset": (0.5, 0.0),
    "target": ("td", "td", "monte-carlo"),
    "plies": (1, 2),
    "learns_last": (True, False),
    "lambda_": (0.0, 0.0, 0.3, 0.9, 1.0),
    "traces": ("accumulating", "replacing"),
    "trace_norm": ("at-add", "at-update"),
    "trace_parity": ("per-colour", "single"),
    "trace_cutoff": (0.0, 0.001, 0.05),
    "update_mode": ("end-refresh", "end-cached", "online"),
    "normaliser": ("state", "state", "successor"),
    "step_rule": ("constant", "counts", "kalman", "idbd"),
    "alpha": (0.05, 0.1, 0.4),
    "count_scale": (3.0, 1000.0),
    "variance": (0.01, 0.3),
    "meta_step": (0.01, 0.5),
}

Game = tuple[list[list[int]], float]


def random_settings(rng: random.Random) -> TdSettings:
    while True:
        try:
            return TdSettings(**{name: rng.choice(values) for name, values in CHOICES.items()})
        except SettingsError:
            continue


def random_game(rng: random.Random) -> Game:
    """Weights occur several times, with both signs; now and then a state has none."""
    states = [
        [rng.choice((-1, 1)) * rng.randint(1, WEIGHTS) for _ in range(rng.choice((0, 1, 3, 8, 8, 20)))]
        for _ in range(rng.choice((0, 1, 2, 3, 7, 12)))
    ]
    return states, rng.choice((0.0, 0.5, 1.0))


def compare(settings: TdSettings, games: list[Game]) -> None:
    native, twin = TdLearner(settings.to_native(), WEIGHTS), ShapeLearningTwin(settings, WEIGHTS)
    for states, outcome in games:
        native.learn_game(states, outcome)
        twin.learn_game(states, outcome)
        assert numpy.allclose(native.weights, twin.theta, rtol=1e-5, atol=1e-6), settings
    memories: dict[str, list[Any]] = {
        "counts": [twin.counts],
        "kalman": [twin.variances],
        "idbd": [twin.log_steps, twin.step_traces],
    }
    for ours, theirs in zip(native.step_memories, memories.get(settings.step_rule, []), strict=True):
        assert numpy.allclose(ours, theirs, rtol=1e-4, atol=1e-5), settings


def test_every_choice_is_a_setting() -> None:
    assert set(CHOICES) == set(TdSettings.model_fields)


@pytest.mark.parametrize("seed", range(20))
def test_random_settings(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        compare(random_settings(rng), [random_game(rng) for _ in range(4)])


@pytest.mark.parametrize("rule", ["constant", "counts", "kalman", "idbd"])
def test_step_rules_over_many_games(rule: str) -> None:
    rng = random.Random(rule)
    compare(TdSettings.from_mapping({"step_rule": rule}), [random_game(rng) for _ in range(100)])
