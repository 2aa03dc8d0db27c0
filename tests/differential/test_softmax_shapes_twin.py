"""The playout policy softmax over local shapes against its slow twin: probabilities, scores, draws, playouts."""

import random
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from katachi import Rng
from katachi._core import FrozenPlacements, Placements, Policy
from katachi.core.types import Action
from katachi.games.go import GoGame, Position, Rules
from katachi.policies.playout_policies import PlayoutPolicy, policy_moves
from katachi.policies.policy_weights import policy_representation, save_policy_weights
from katachi.reference.softmax_shapes import softmax_scores, softmax_shares, weight_keys
from katachi.training.policy_learning import PolicyLearningSettings, policy_learning

SIMPLE = Rules(ko="simple", suicide=False)
EYE_RULES = ["simple", "surrounded", "strict", "none"]


@cache
def theta_of(side: int, scale: float = 0.5) -> NDArray[np.float64]:
    count = policy_representation(side).weights
    return np.random.default_rng(side).normal(0, scale, count)


@cache
def policy_of(side: int, scale: float = 0.5) -> Policy:
    placements = Placements(policy_representation(side))
    return Policy.softmax_shapes(FrozenPlacements(placements, theta_of(side, scale)))


def states_of(game: GoGame, seed: int, count: int) -> list[Position]:
    """Of one random game: the beginning, the end, and between them."""
    states = [game.initial_state()]
    draws = Rng(seed)
    while not states[-1].is_over:
        states.append(states[-1].play(game.native_state(states[-1]).policy_action("uniform", draws)))
    states.pop()
    return states[:1] + random.Random(seed).sample(states[1:-1], min(count, len(states) - 2)) + states[-1:]


def takes(position: Position, action: Action) -> int:
    """How many stones a move takes."""
    after = position.play(action).stones()
    return position.stones().count("O" if position.to_play == 0 else "X") - after.count(
        "O" if position.to_play == 0 else "X"
    )


@pytest.mark.parametrize("side", [2, 5, 6, 11])
def test_probabilities_are_the_twins(side: int) -> None:
    captures = Counter[int]()
    for rule in EYE_RULES if side == 5 else ["simple"]:
        game = GoGame(side, rules=SIMPLE, eye_rule=rule)
        for state in states_of(game, side, 14 if side < 11 else 6):
            if rule == "none" and len(state.moves) > 60:
                continue
            native = game.native_state(state)
            candidates = [Action(action) for action in native.candidates()]
            stage, moves = native.policy_moves(policy_of(side))
            assert stage == "softmax-shapes"
            expected = softmax_shares(state, candidates, theta_of(side).tolist())
            assert {action for action, _ in moves} == set(candidates)
            for action, share in moves:
                assert share == pytest.approx(expected[Action(action)], rel=1e-6, abs=1e-9)
                if action != side * side:
                    captures[takes(state, Action(action))] += 1
    assert captures[1] > 0
    assert side != 5 or sum(count for stones, count in captures.items() if stones > 1) > 0


@pytest.mark.parametrize("side", [5, 11])
def test_scores_are_the_twins(side: int) -> None:
    game = GoGame(side, rules=SIMPLE)
    job = policy_learning(PolicyLearningSettings(learner="reinforcement", size=side, alpha=1.0), [])
    job.weights = theta_of(side)
    for state in states_of(game, side + 1, 6 if side == 5 else 2):
        actions, chances, flat = job.scores([int(move) for move in state.moves])
        expected = softmax_scores(state, [Action(a) for a in actions], theta_of(side).tolist())
        rows = flat.reshape(len(actions), -1)
        shares = softmax_shares(state, [Action(a) for a in actions], theta_of(side).tolist())
        for i, action in enumerate(actions):
            assert chances[i] == pytest.approx(shares[Action(action)], rel=1e-9)
            assert rows[i] == pytest.approx(np.array(expected[Action(action)]), abs=1e-9)
        assert chances @ rows == pytest.approx(np.zeros(rows.shape[1]), abs=1e-9)


def test_weights_are_numbered_as_the_twins() -> None:
    assert [len(weight_keys(side)) for side in (5, 6)] == [107, 155]


@pytest.mark.parametrize("rule", EYE_RULES)
def test_moves_are_drawn_by_their_probabilities(rule: str) -> None:
    game = GoGame(5, rules=SIMPLE, eye_rule=rule)
    draws, rng = 4000, Rng(9)
    for state in states_of(game, 3, 3):
        if rule == "none" and len(state.moves) > 60:
            continue
        native = game.native_state(state)
        expected = dict(native.policy_moves(policy_of(5))[1])
        found = Counter(native.policy_action(policy_of(5), rng) for _ in range(draws))
        assert found.keys() <= expected.keys()
        for action, share in expected.items():
            deviation = np.sqrt(share * (1 - share) * draws)
            assert abs(found[action] - share * draws) <= 5 * deviation + 1


@pytest.mark.parametrize("side", [5, 9, 11])
def test_in_playouts_every_move_is_drawn_by_its_probability(side: int) -> None:
    """What is kept along a playout against what is made anew: moves fall into the cells of equal probability evenly."""
    game = GoGame(side, rules=SIMPLE)
    rng, cells = Rng(side), np.zeros(10)
    for number in range(60 if side == 5 else 12):
        state = game.initial_state()
        moves = state.playout_moves(rng.split("game", number), policy=policy_of(side))
        draws = rng.split("cell", number)
        for move in moves:
            chances = dict(game.native_state(state).policy_moves(policy_of(side))[1])
            assert chances[int(move)] > 0
            below = sum(share for action, share in chances.items() if action < move)
            cells[min(9, int(10 * (below + draws.uniform() * chances[int(move)])))] += 1
            state = state.play(move)
        assert len(moves) > side
    expected = cells.sum() / 10
    assert ((cells - expected) ** 2 / expected).sum() < 33.7  # 9 degrees of freedom, 1 in 10,000


def test_no_weights_are_uniform(tmp_path: Path) -> None:
    file = tmp_path / "zero.safetensors"
    save_policy_weights(file, 5, np.zeros(107))
    game = GoGame(5, rules=SIMPLE)
    for state in states_of(game, 4, 4):
        stage, moves = policy_moves(game, state, PlayoutPolicy(f"softmax-shapes({file})"))
        assert stage == "softmax-shapes"
        assert moves == pytest.approx(policy_moves(game, state, "uniform").moves, abs=1e-12)


def test_large_weights_stay_numbers() -> None:
    game = GoGame(5, rules=SIMPLE)
    for sign in (1, -1):
        placements = Placements(policy_representation(5))
        policy = Policy.softmax_shapes(FrozenPlacements(placements, np.full(107, 10.0 * sign)))
        for state in states_of(game, 6, 10):
            chances = dict(game.native_state(state).policy_moves(policy)[1])
            assert sum(chances.values()) == pytest.approx(1)
            assert game.native_state(state).policy_action(policy, Rng(1)) in chances
