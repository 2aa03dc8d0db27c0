"""Playout policies of Go against their slow twin: all 3x3 neighbourhoods, and all moves with their probabilities."""

import random
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from katachi import Rng
from katachi._core import EyeRule, Player, matches_any_pattern
from katachi.core.types import Action
from katachi.games.go import GoGame, Position, Rules
from katachi.policies.playout_policies import playout_patterns, policy_moves
from katachi.reference.go_rules import TwinPosition, TwinRules
from katachi.reference.playout_policies import Moves, fuego_moves, matching_patterns, mogo_moves

POLICIES = ("mogo", "fuego")
TWINS = {"mogo": mogo_moves, "fuego": fuego_moves}
STAGES = {
    "mogo": {"escape", "pattern", "capture", "uniform"},
    "fuego": {"capture-last", "escape", "low-liberty", "pattern", "capture", "uniform"},
}
SIMPLE = Rules(ko="simple", suicide=False)


def neighbourhoods() -> list[str]:
    """All that there are on boards of any shape: rows and columns of walls on one side, both, or neither."""
    texts = []
    for above, below, left, right in product((False, True), repeat=4):
        wall = [
            (row == 0 and above) or (row == 2 and below) or (col == 0 and left) or (col == 2 and right)
            for row in range(3)
            for col in range(3)
        ]
        choices = ["#" if w else "." if i == 4 else "XO." for i, w in enumerate(wall)]
        texts += ["".join(signs) for signs in product(*choices)]
    return texts


def test_patterns_are_the_predicates_in_all_neighbourhoods() -> None:
    patterns = playout_patterns()
    seen: Counter[str] = Counter()
    all_of_them = neighbourhoods()
    assert len(all_of_them) == len(set(all_of_them)) > 3**8
    for text in all_of_them:
        for mover, player in (("X", Player.BLACK), ("O", Player.WHITE)):
            expected = matching_patterns(text, mover)
            found = {pattern.name for pattern in patterns if pattern.matches(text, player)}
            assert {name.rstrip("abc") for name in found} == expected, f"{text} {mover}"
            assert matches_any_pattern(text, player) == bool(expected), f"{text} {mover}"
            seen.update(found)
    assert set(seen) == {pattern.name for pattern in patterns}


def check(game: GoGame, core: Position, twin: TwinPosition, policy: str) -> Moves:
    """The same stage and the same probabilities."""
    area = core.width * core.height
    last, before = ([None if m == area else int(m) for m in core.moves[:-3:-1]] + [None, None])[:2]
    expected = TWINS[policy](twin, last, before)
    found = policy_moves(game, core, policy)
    assert found.stage == expected.stage, f"{policy} after {last} and {before}\n{twin}"
    assert list(found.moves) == list(expected.shares), f"{policy} {found.stage} after {last} and {before}\n{twin}"
    for action, share in expected.shares.items():
        assert found.moves[Action(action)] == pytest.approx(float(share))
    return expected


@pytest.mark.parametrize(
    ("width", "height", "games"), [(9, 9, 5), (5, 5, 12), (2, 7, 10), (1, 6, 3), (12, 8, 1), (13, 13, 1)]
)
def test_policies_are_their_twins(width: int, height: int, games: int) -> None:
    game = GoGame((width, height), rules=SIMPLE)
    stages: dict[str, Counter[str]] = {policy: Counter() for policy in POLICIES}
    corrected = 0
    for seed in range(games):
        rng = random.Random(f"{width}x{height} {seed}")
        draws = Rng(seed)
        core = game.initial_state()
        twin = TwinPosition.empty(width, height, TwinRules("simple", suicide=False))
        for _ in range(2 * width * height):
            if core.is_over:
                break
            for policy in POLICIES:
                moves = check(game, core, twin, policy)
                stages[policy][moves.stage] += 1
                corrected += any(share != Fraction(1, len(moves.shares)) for share in moves.shares.values())
            style = rng.choice((*POLICIES, "uniform", "uniform"))
            action = game.native_state(core).policy_action(style, draws)
            core, twin = core.play(action), twin.play(action)
    if (width, height) == (9, 9):
        assert {policy: set(counts) for policy, counts in stages.items()} == STAGES
        assert corrected > 0


@pytest.mark.parametrize("policy", POLICIES)
def test_moves_come_as_often_as_they_should(policy: str) -> None:
    game = GoGame(7, rules=SIMPLE)
    core, draws = game.initial_state(), Rng(3)
    for ply in range(60):
        if ply % 6 == 5:
            expected = policy_moves(game, core, policy).moves
            state = game.native_state(core)
            count = 3000
            seen = Counter(state.policy_action(policy, draws) for _ in range(count))
            assert set(seen) == set(expected)
            for action, share in expected.items():
                assert abs(seen[action] - count * share) <= 5 * (count * share * (1 - share)) ** 0.5 + 1e-9
        core = core.play(game.native_state(core).policy_action(policy, draws))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("side", [7, 13])
def test_whole_playouts_are_moves_of_the_policy(policy: str, side: int) -> None:
    game = GoGame(side, rules=SIMPLE)
    core = game.initial_state()
    for action in core.playout_moves(Rng(5), EyeRule.SIMPLE, policy=policy):
        assert action in policy_moves(game, core, policy).moves
        core = core.play(action)
    assert core.is_over
