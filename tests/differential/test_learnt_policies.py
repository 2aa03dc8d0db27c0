"""Playout policies over learnt values, mixtures and stages against their slow twins: probabilities, draws, playouts."""

import random
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
import pytest

from katachi import Rng
from katachi._core import EyeRule, Player, Policy, ShapeEvaluator
from katachi.features.local_shapes import LocalShapes, ShapeSettings
from katachi.games.go import GoGame, Position, Rules
from katachi.policies.playout_policies import policy_moves
from katachi.reference.learnt_policies import (
    Shares,
    gaussian_shares,
    greedy_shares,
    mixed_shares,
    softmax_shares,
    switched_shares,
)
from katachi.values.shape_value import ShapeValue

SIMPLE = Rules(ko="simple", suicide=False)
SMALL = ShapeSettings(sizes=("1x1", "2x2"), sharing="none")
REPRESENTATIONS = {
    "all": ShapeSettings(),
    "small": SMALL,
    "by turn": SMALL.replace(turns="each+both"),
    "by stage": SMALL.replace(stage_length=7),
}
TWINS: dict[str, Callable[[Mapping[int, float], float], Shares]] = {
    "gaussian": gaussian_shares,
    "softmax": softmax_shares,
}


@cache
def value_of(side: int, name: str, linear_offset: float | None = None) -> ShapeValue:
    """Random weights; with none shared, no two moves are equally good."""
    shapes = LocalShapes(side, REPRESENTATIONS[name])
    weights = np.random.default_rng(7).normal(0, 0.1, shapes.weights)
    return ShapeValue(shapes, weights, linear_offset=linear_offset)


@cache
def frozen(value: ShapeValue) -> ShapeEvaluator:
    """Tables take a while to be made."""
    return value.frozen()


def twin_sums(core: Position, value: ShapeValue, rule: str = "simple") -> dict[int, float]:
    """Of the candidates' afterstates: every one is played, and its sum recomputed."""
    evaluator = frozen(value)
    game = GoGame(core.width, rules=SIMPLE, eye_rule=rule)
    return {int(a): evaluator.sum(core.play(a).native) for a in game.native_state(core).candidates()}


def twin_values(core: Position, value: ShapeValue, rule: str = "simple") -> dict[int, float]:
    """Q of the player to move."""
    is_black = core.to_play == Player.BLACK
    chances = {action: value.chance(total) for action, total in twin_sums(core, value, rule).items()}
    return {action: chance if is_black else 1 - chance for action, chance in chances.items()}


def twin_greedy(core: Position, value: ShapeValue, epsilon: float) -> Shares:
    sign = 1 if core.to_play == Player.BLACK else -1
    return greedy_shares({action: sign * total for action, total in twin_sums(core, value).items()}, epsilon)


def native_moves(game: GoGame, core: Position, policy: Policy) -> tuple[str, dict[int, float]]:
    stage, moves = game.native_state(core).policy_moves(policy)
    return stage, dict(moves)


def same(found: Mapping[int, float], expected: Mapping[int, float], tolerance: float = 1e-9) -> None:
    assert sum(found.values()) == pytest.approx(1)
    for action in found.keys() | expected.keys():
        assert found.get(action, 0.0) == pytest.approx(expected.get(action, 0.0), abs=tolerance)


def some_states(game: GoGame, seed: int, count: int) -> list[Position]:
    """Of one random game: the beginning, the end, and between them."""
    states = [game.initial_state()]
    draws = Rng(seed)
    while not states[-1].is_over:
        states.append(states[-1].play(game.native_state(states[-1]).policy_action("uniform", draws)))
    states.pop()
    return states[:1] + random.Random(seed).sample(states[1:-1], count) + states[-1:]


@pytest.mark.parametrize("name", REPRESENTATIONS)
@pytest.mark.parametrize("side", [5, 11])
def test_greedy_and_softmax_are_their_twins(name: str, side: int) -> None:
    game, value = GoGame(side, rules=SIMPLE), value_of(side, name)
    evaluator = frozen(value)
    for core in some_states(game, side, 12):
        for epsilon in (0.0, 0.1, 1.0):
            stage, moves = native_moves(game, core, Policy.learnt("greedy", epsilon, evaluator))
            assert stage == "greedy"
            same(moves, twin_greedy(core, value, epsilon))
        for tau in (0.001, 0.05, 1.0):
            stage, moves = native_moves(game, core, Policy.learnt("softmax", tau, evaluator))
            assert stage == "softmax"
            same(moves, softmax_shares(twin_values(core, value), tau))


def test_noise_is_as_the_integral_says() -> None:
    game, value = GoGame(5, rules=SIMPLE), value_of(5, "all")
    for core in some_states(game, 3, 3):
        for sd in (0.02, 0.15):
            stage, moves = native_moves(game, core, Policy.learnt("gaussian", sd, frozen(value)))
            assert stage == "gaussian"
            same(moves, gaussian_shares(twin_values(core, value), sd), 1e-6)


def test_a_linear_head_counts() -> None:
    game, value = GoGame(5, rules=SIMPLE), value_of(5, "small", 0.5)
    values = [twin_values(core, value) for core in some_states(game, 4, 6)]
    assert any(0.0 in found.values() or 1.0 in found.values() for found in values), "some are cut off"
    for core, found in zip(some_states(game, 4, 6), values, strict=True):
        _, moves = native_moves(game, core, Policy.learnt("softmax", 0.1, frozen(value)))
        same(moves, softmax_shares(found, 0.1))


def test_without_an_eye_rule_a_pass_is_a_move_like_any_other() -> None:
    game, value = GoGame(5, rules=SIMPLE, eye_rule="none"), value_of(5, "small")
    for core in some_states(GoGame(5, rules=SIMPLE), 5, 4):
        for name, number in (("softmax", 0.05), ("gaussian", 0.15)):
            _, moves = native_moves(game, core, Policy.learnt(name, number, frozen(value)))
            expected = TWINS[name](twin_values(core, value, "none"), number)
            assert 25 in expected
            same(moves, expected, 1e-6)
        _, moves = native_moves(game, core, Policy.named("uniform"))
        assert len(moves) == len(game.native_state(core).candidates())


@pytest.mark.parametrize(
    ("name", "number"), [("greedy", 0.3), ("gaussian", 0.15), ("gaussian", 0.02), ("softmax", 0.05)]
)
def test_moves_come_as_often_as_they_should(name: str, number: float) -> None:
    game, value = GoGame(5, rules=SIMPLE), value_of(5, "all")
    policy = Policy.learnt(name, number, frozen(value))
    check_frequencies(game, policy, seed=6)


@pytest.mark.parametrize("share", [0.4, 0.9])
def test_mixtures_are_their_parts_by_their_shares(share: float) -> None:
    game, value = GoGame(5, rules=SIMPLE), value_of(5, "all")
    parts = [
        (share, Policy.learnt("softmax", 0.05, frozen(value))),
        (0.75 * (1 - share), Policy.named("fuego")),
        (0.25 * (1 - share), Policy.named("uniform")),
    ]
    mixture = Policy.mix(parts)
    for core in some_states(game, 8, 8):
        stage, moves = native_moves(game, core, mixture)
        assert stage == "mix"
        same(moves, mixed_shares([(part, native_moves(game, core, policy)[1]) for part, policy in parts]))
    check_frequencies(game, mixture, seed=9)


def check_frequencies(game: GoGame, policy: Policy, seed: int, count: int = 3000) -> None:
    draws = Rng(seed)
    for core in some_states(game, seed, 4):
        state = game.native_state(core)
        _, expected = native_moves(game, core, policy)
        seen = Counter(state.policy_action(policy, draws) for _ in range(count))
        assert set(seen) <= set(expected)
        for action, share in expected.items():
            assert abs(seen[action] - count * share) <= 5 * (count * share * (1 - share)) ** 0.5 + 1


@pytest.mark.parametrize("name", REPRESENTATIONS)
@pytest.mark.parametrize("side", [5, 11])
def test_values_are_followed_through_whole_playouts(name: str, side: int) -> None:
    game, value = GoGame(side, rules=SIMPLE), value_of(side, name)
    policy = Policy.learnt("greedy", 0.0, frozen(value))
    captures = 0
    for seed in range(6 if side == 5 else 1):
        core = game.initial_state()
        for move in range(4):  # a beginning, so that playouts differ
            core = core.play(game.native_state(core).policy_action("uniform", Rng(seed).split("begin", move)))
        for action in core.playout_moves(Rng(seed), EyeRule.SIMPLE, policy=policy):
            assert twin_greedy(core, value, 0.0)[action] > 0
            core = core.play(action)
            captures += len(core.last_removed)
        assert core.is_over
    assert captures > 0


@pytest.mark.parametrize("moves", [0, 1, 3, 10_000])
def test_a_switch_comes_after_so_many_moves(moves: int) -> None:
    game, value = GoGame(5, rules=SIMPLE), value_of(5, "small")
    greedy = Policy.learnt("greedy", 0.0, frozen(value))
    policy = Policy.two_stages(moves, greedy, Policy.named("fuego"))
    strange = 0
    for seed in range(20):
        core = game.initial_state()
        for t, action in enumerate(core.playout_moves(Rng(seed), EyeRule.SIMPLE, policy=policy)):
            greedy_moves = native_moves(game, core, greedy)[1]
            expected = switched_shares(moves, greedy_moves, native_moves(game, core, Policy.named("fuego"))[1], t)
            assert action in expected
            strange += action not in greedy_moves
            core = core.play(action)
    assert (strange > 0) == (moves < 10_000)


def test_a_switch_at_once_or_never_is_no_switch() -> None:
    position = Position(7)
    fuego, uniform = Policy.named("fuego"), Policy.named("uniform")
    for policy in (Policy.two_stages(0, uniform, fuego), Policy.two_stages(1e9, fuego, uniform)):
        for seed in range(5):
            found = position.playout_moves(Rng(seed), EyeRule.SIMPLE, policy=policy)
            assert found == position.playout_moves(Rng(seed), EyeRule.SIMPLE, policy=fuego)
            assert found != position.playout_moves(Rng(seed), EyeRule.SIMPLE, policy=uniform)


def test_a_fraction_is_the_chance_of_one_move_more() -> None:
    """The coin is flipped once for each playout: two moves are greedy, the third in a quarter of them."""
    game, value = GoGame(5, rules=SIMPLE), value_of(5, "small")
    greedy, uniform = Policy.learnt("greedy", 0.0, frozen(value)), Policy.named("uniform")
    policy = Policy.two_stages(2.25, greedy, uniform)
    core, line = game.initial_state(), []
    for _ in range(4):
        ((action, share),) = native_moves(game, core, greedy)[1].items()
        assert share == 1
        line.append(action)
        core = core.play(action)
    count, draws = 4000, Rng(11)
    playouts = [game.initial_state().playout_moves(draws, EyeRule.SIMPLE, policy=policy) for _ in range(count)]
    assert {tuple(moves[:2]) for moves in playouts} == {tuple(line[:2])}
    thirds = [moves for moves in playouts if moves[2] == line[2]]
    share = 0.25 + 0.75 / 23  # a uniform move may be the greedy one
    assert abs(len(thirds) - count * share) < 5 * (count * share * (1 - share)) ** 0.5
    fourths = sum(moves[3] == line[3] for moves in thirds)
    assert abs(fourths - len(thirds) / 22) < 5 * (len(thirds) / 22) ** 0.5


@pytest.mark.parametrize(("moves", "stage"), [(0.0, "fuego"), (0.25, "mix"), (1.0, "greedy"), (7.5, "greedy")])
def test_what_a_switched_policy_plays_first(moves: float, stage: str) -> None:
    game, value = GoGame(5, rules=SIMPLE), value_of(5, "small")
    greedy, fuego = Policy.learnt("greedy", 0.1, frozen(value)), Policy.named("fuego")
    for core in some_states(game, 12, 5):
        found, shares = native_moves(game, core, Policy.two_stages(moves, greedy, fuego))
        parts = [native_moves(game, core, part) for part in (greedy, fuego)]
        assert found == (parts[1][0] if stage == "fuego" else stage)
        same(shares, switched_shares(moves, parts[0][1], parts[1][1], 0))


def test_texts_and_native_policies_play_alike() -> None:
    game = GoGame(5)
    state = game.initial_state().play("C3")
    text = "switch(0.5;mix(0.25*greedy(0.2)+0.75*softmax(0.05));gaussian(0.15))"

    def moves(policy: str) -> dict[int, float]:
        return {int(action): share for action, share in policy_moves(game, state, policy).moves.items()}

    shares = ((0.125, "greedy(0.2)"), (0.375, "softmax(0.05)"), (0.5, "gaussian(0.15)"))
    same(moves(text), mixed_shares([(share, moves(part)) for share, part in shares]))
    assert len(moves(text)) == 24
