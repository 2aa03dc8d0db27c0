"""Rules over whole games: the vectors of the specification, slow twins, and the equalities between rules (Ekker, 3)."""

import random
from dataclasses import replace
from math import exp

import pytest

from katachi import InvalidArgumentError
from katachi._core import EpisodeRuleOptions
from katachi.core.errors import SettingsError
from katachi.learning.episode_rules import RULES, Episode, EpisodeRuleSettings, lesson_of
from katachi.reference.episode_rules import lambda_returns, squashed_errors, td_lambda_errors, td_mu_costs, td_mu_errors

LEARNER, OPPONENT = True, False


def episode(
    values: list[float], rewards: list[float], movers: list[bool], leaves: list[float] | None = None
) -> Episode:
    """`rewards` of plies 1 to T, `movers` of plies 1 to T-1: turns alternate, so who moved last is not to move."""
    first = not movers[0] if movers else True
    return Episode(
        values=values,
        rewards=[0.0, *rewards[:-1]],
        by_learner=[first, *movers],
        learner_to_move=[not mover for mover in (not movers[0] if movers else OPPONENT, *movers)],
        final_reward=rewards[-1],
        leaf_values=leaves,
    )


def random_episode(seed: int, plies: int = 9) -> Episode:
    rng = random.Random(seed)
    values = [rng.uniform(-3, 3) for _ in range(plies + 1)]
    rewards = [rng.choice((0.0, 0.0, 1.0, -2.0)) for _ in range(plies)] + [rng.uniform(-9, 9)]
    movers = [(i + seed) % 2 == 0 for i in range(plies)]
    played = episode(values, rewards, movers, [value + rng.uniform(-1, 1) for value in values])
    return replace(played, leaf_learns=[rng.random() < 0.7 for _ in values[:-1]] + [True])


def errors(played: Episode, rule: str, **settings: object) -> list[float]:
    return [float(e) for e in lesson_of(played, EpisodeRuleSettings.from_mapping({"rule": rule, **settings})).errors]


def test_vector_of_td_lambda() -> None:
    values, rewards = [0.2, 0.4, 0.1, 0.6], [0.0, 0.5, 0.0, 1.0]
    assert lambda_returns(values, rewards, 0.5) == pytest.approx([0.675, 0.95, 0.8, 1.0])
    assert td_lambda_errors(values, rewards, 0.5) == pytest.approx([0.475, 0.55, 0.7, 0.4])
    played = episode(values, rewards, [LEARNER, OPPONENT, LEARNER])
    assert errors(played, "td-lambda", squash="none") == pytest.approx([0.475, 0.55, 0.7, 0.4])


def test_vector_of_td_mu() -> None:
    values, rewards = [0.5, 1.0, 2.0, 1.2, 0.8], [0.0, 0.0, 0.0, 0.0, 3.0]
    movers = [LEARNER, OPPONENT, LEARNER, OPPONENT]
    assert td_mu_costs(values, movers) == pytest.approx([0, 1.0, -0.8, 0, 0])
    expected = [0.116488, 0.015777, 0.012136, 0.052750, 0.262600]
    assert td_mu_errors(values, rewards, movers, 0.5) == pytest.approx(expected, abs=1e-6)
    assert errors(episode(values, rewards, movers), "td-mu") == pytest.approx(expected, abs=1e-6)


def test_a_bad_ply_without_reward_teaches_td_mu_of_0_nothing() -> None:
    played = episode([0.5, 1.0, 2.0, 1.2, 0.8], [0.0] * 4 + [3.0], [LEARNER, OPPONENT, LEARNER, OPPONENT])
    found = errors(played, "td-mu", lambda_=0.0)
    assert found[1] == found[2] == 0.0  # the opponent gave something away, then the learner did
    assert found[0] == pytest.approx(1 / (1 + exp(-1.0)) - 1 / (1 + exp(-0.5)))
    assert found[3] != 0


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("lambda_", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_rules_are_those_of_the_twins(seed: int, lambda_: float, scale: float) -> None:
    played = random_episode(seed)
    values, leaves = list(played.values), list(played.leaf_values or ())
    rewards, movers = [*played.rewards[1:], played.final_reward], list(played.by_learner[1:])
    common = {"lambda_": lambda_, "score_scale": scale}
    assert errors(played, "td-lambda", **common) == pytest.approx(squashed_errors(values, rewards, lambda_, scale))
    plain = errors(played, "td-lambda", lambda_=lambda_, squash="none")
    assert plain == pytest.approx(td_lambda_errors(values, rewards, lambda_))
    for rule, seen, learns in (("td-mu", values, None), ("td-leaf-mu", leaves, played.leaf_learns)):
        for includes in (False, True):
            expected = td_mu_errors(
                seen, rewards, movers, lambda_, scale=scale, delta_includes_reward=includes, learns=learns
            )
            found = errors(played, rule, mu_delta_includes_reward=includes, **common)
            assert found == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(6))
def test_directed_and_leaf_skip_the_opponents_positions(seed: int) -> None:
    played = random_episode(seed)
    mine = [i for i, turn in enumerate(played.learner_to_move) if turn or i + 1 == len(played.values)]
    assert len(mine) < len(played.values)
    rewards, total = [], 0.0
    for i in range(mine[0] + 1, len(played.values)):
        total += played.rewards[i]
        if i in mine:
            rewards.append(total)
            total = 0.0
    rewards.append(total + played.final_reward)
    all_learn, leaf_learns = [True] * len(played.values), played.leaf_learns or ()
    for rule, seen, learns in (
        ("td-directed", played.values, all_learn), ("td-leaf", played.leaf_values or (), leaf_learns)
    ):  # fmt: skip
        lesson = lesson_of(played, EpisodeRuleSettings(rule=rule))  # type: ignore[arg-type]
        assert lesson.states == mine
        expected = squashed_errors([seen[i] for i in mine], rewards, 0.5, learns=[learns[i] for i in mine])
        assert lesson.errors.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("rule", ["td-leaf", "td-leaf-mu"])
def test_a_leaf_that_the_network_does_not_value_teaches_and_does_not_learn(rule: str) -> None:
    played = replace(random_episode(2), leaf_learns=None)
    mine = lesson_of(played, EpisodeRuleSettings(rule=rule)).states  # type: ignore[arg-type]
    whole = errors(played, rule)
    assert all(whole)
    learns = [i != mine[1] for i in range(len(played.values))]
    assert errors(replace(played, leaf_learns=learns), rule) == [whole[0], 0.0, *whole[2:]]
    other = [value + (i == mine[1]) for i, value in enumerate(played.leaf_values or ())]
    assert errors(replace(played, leaf_learns=learns, leaf_values=other), rule)[0] != whole[0]
    assert errors(replace(played, leaf_learns=learns), "td-mu") == errors(played, "td-mu")


@pytest.mark.parametrize("lambda_", [0.0, 0.5, 1.0])
def test_without_blunders_td_mu_is_td_lambda(lambda_: float) -> None:
    """Nobody's move makes its own position worse: the learner's raise V, the opponent's lower it."""
    rng = random.Random(7)
    values, movers = [0.3], []
    for ply in range(12):
        movers.append(ply % 2 == 0)
        values.append(values[-1] + (1 if movers[-1] else -1) * rng.uniform(0, 1))
    rewards = [rng.choice((0.0, 1.0)) for _ in movers] + [-4.0]
    played = episode(values, rewards, movers, values)
    assert errors(played, "td-mu", lambda_=lambda_) == errors(played, "td-lambda", lambda_=lambda_)
    assert errors(played, "td-leaf-mu", lambda_=lambda_) == errors(played, "td-lambda", lambda_=lambda_)
    worse = [*values[:5], values[5] - 3, *values[6:]]
    blundered = episode(worse, rewards, movers)
    assert errors(blundered, "td-mu") != errors(blundered, "td-lambda")


@pytest.mark.parametrize("seed", range(4))
def test_ends_of_lambda(seed: int) -> None:
    played = random_episode(seed)
    assert errors(played, "td-lambda", lambda_=0.0) == errors(played, "td-0", lambda_=0.0)
    values, rewards = list(played.values), [*played.rewards[1:], played.final_reward]
    after = [*values[1:], 0.0]
    one_step = [r + v - u for r, v, u in zip(rewards, after, values, strict=True)]
    assert errors(played, "td-0", lambda_=0.0, squash="none") == pytest.approx(one_step)
    outcome = [sum(rewards[t:]) - values[t] for t in range(len(values))]
    assert errors(played, "td-lambda", lambda_=1.0, squash="none") == pytest.approx(outcome)


def test_with_leaves_at_the_positions_themselves_leaf_rules_are_the_others() -> None:
    played = random_episode(3)
    same = replace(played, leaf_values=played.values, leaf_learns=None)
    assert errors(same, "td-leaf") == errors(same, "td-directed")
    assert errors(same, "td-leaf-mu") == errors(same, "td-mu")


def test_the_last_position_learns_the_final_reward_at_once() -> None:
    played = random_episode(5)
    for rule in RULES:
        lambda_ = 0.0 if rule == "td-0" else 0.9
        seen = (played.leaf_values or ()) if "leaf" in rule else played.values
        assert errors(played, rule, lambda_=lambda_, squash="none")[-1] == pytest.approx(played.final_reward - seen[-1])


def test_only_the_learners_positions_may_learn() -> None:
    played = random_episode(2)
    whole, some = errors(played, "td-mu"), errors(played, "td-mu", updates="learner")
    for i, turn in enumerate(played.learner_to_move):
        assert some[i] == (whole[i] if turn or i + 1 == len(whole) else 0)


def test_an_empty_game_teaches_nothing() -> None:
    lesson = lesson_of(Episode([], [], [], [], 3.0), EpisodeRuleSettings(rule="td-mu"))
    assert (lesson.states, lesson.errors.tolist()) == ([], [])


def test_settings_on_both_sides() -> None:
    native = {name for name in dir(EpisodeRuleOptions) if not name.startswith("_")}
    assert set(EpisodeRuleSettings.model_fields) == native
    options = EpisodeRuleSettings(rule="td-lambda").to_native()
    for name in native:
        assert getattr(options, name) == getattr(EpisodeRuleOptions(), name), name
    for rule in RULES:
        assert EpisodeRuleSettings(rule=rule, lambda_=0.0).to_native().rule == rule


def test_what_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"rule=td-0 has lambda=0, not 0\.5"):
        EpisodeRuleSettings(rule="td-0")
    with pytest.raises(SettingsError, match="not for td-leaf"):
        EpisodeRuleSettings(rule="td-leaf", mu_delta_includes_reward=True)
    with pytest.raises(InvalidArgumentError, match="rule=td-leaf needs an episode with leaf_values"):
        lesson_of(Episode([0.0], [0.0], [True], [True], 1.0), EpisodeRuleSettings(rule="td-leaf"))
    with pytest.raises(InvalidArgumentError, match="all its 2 states"):
        lesson_of(Episode([0.0, 1.0], [0.0], [True], [True], 1.0), EpisodeRuleSettings(rule="td-mu"))
    with pytest.raises(InvalidArgumentError, match="all its 1 states"):
        lesson_of(Episode([0.0], [0.0], [True], [True], 1.0, leaf_learns=[]), EpisodeRuleSettings(rule="td-mu"))
