"""Priors of Go against slow twins: by rules of playout policies, and by local shapes of positions that are played."""

import random
from collections import Counter
from typing import Any

import pytest

from katachi import Player, Rng, TreeSearch
from katachi.games.go import GoGame, Position, Rules
from katachi.policies.playout_policies import policy_moves
from katachi.reference.go_rules import TwinPosition, TwinRules
from katachi.reference.playout_policies import handcrafted_prior
from katachi.search.tree_settings import preset
from katachi.values.shipped import shipped_weights
from katachi.values.weights_file import load_weights

SIMPLE = Rules(ko="simple", suicide=False)


def priors(game: GoGame, state: Position, **settings: Any) -> dict[int, float]:  # noqa: ANN401
    """What the actions at the root begin with, player 0's."""
    search = TreeSearch(game, state, rng=Rng(1), settings=preset("mc-rave", prior_count=8.0, **settings))
    found = {}
    for view in search._native.children(search._native.root):
        assert view.rave is not None
        value, count = view.rave
        assert count == 8
        assert view.combined == value
        found[view.action] = value
    return found


def games(width: int, height: int, count: int, style: str = "mogo") -> Any:  # noqa: ANN401
    """Positions of random games and their twins."""
    game = GoGame((width, height), rules=SIMPLE)
    for seed in range(count):
        chance, draws = random.Random(seed), Rng(seed)
        core, twin = game.initial_state(), TwinPosition.empty(width, height, TwinRules("simple", suicide=False))
        for _ in range(2 * width * height):
            if core.is_over:
                break
            yield game, core, twin
            action = game.native_state(core).policy_action(chance.choice((style, "uniform")), draws)
            core, twin = core.play(action), twin.play(action)


@pytest.mark.parametrize("policy", ["mogo", "fuego", "uniform"])
@pytest.mark.parametrize(("width", "height", "count"), [(7, 7, 4), (5, 5, 6), (2, 6, 4), (13, 13, 1)])
def test_handcrafted_priors_are_the_rules_of_the_policy(width: int, height: int, count: int, policy: str) -> None:
    seen: Counter[float] = Counter()
    for game, core, twin in games(width, height, count, "fuego"):
        area = width * height
        last, before = ([None if m == area else int(m) for m in core.moves[:-3:-1]] + [None, None])[:2]
        found = priors(game, core, prior="handcrafted", playout_policy=policy)
        expected = handcrafted_prior(policy, twin, last, before, list(found))
        own = expected if core.to_play == Player.BLACK else [1 - value for value in expected]
        assert list(found.values()) == own, f"after {last} and {before}\n{twin}"
        seen.update(expected)
        if policy == "mogo":
            best = {action for action, value in zip(found, expected, strict=True) if value == max(expected)}
            assert best == set(policy_moves(game, core, "mogo").moves)
    assert set(seen) >= ({0.0, 0.5, 1.0} if policy == "fuego" and width > 2 else {0.5, 1.0})


def test_shape_priors_are_values_of_afterstates() -> None:
    value, _ = load_weights(shipped_weights(7), board_size=7)
    for number, (game, core, _) in enumerate(games(7, 7, 3)):
        if number % 5:
            continue
        for name in ("shapes", "shapes-or-handcrafted"):
            for action, prior in priors(game, core, prior=name).items():
                assert prior == pytest.approx(value.value(core.play(action)), abs=1e-3)


@pytest.mark.parametrize("policy", ["mogo", "fuego"])
def test_rules_have_a_share_of_priors_by_shapes(policy: str) -> None:
    for number, (game, core, _) in enumerate(games(7, 7, 3, "fuego")):
        if number % 5:
            continue
        shapes = priors(game, core, prior="shapes", playout_policy=policy)
        rules = priors(game, core, prior="handcrafted", playout_policy=policy)
        for share in (0.25, 1.0):
            for action, prior in priors(game, core, prior="shapes", prior_rules=share, playout_policy=policy).items():
                assert prior == pytest.approx((1 - share) * shapes[action] + share * rules[action], abs=1e-12)


def test_where_no_weights_are_shipped_rules_take_their_place() -> None:
    game = GoGame(6)
    state = game.initial_state().play("C3").play("C4").play("D4")
    assert priors(game, state, prior="shapes-or-handcrafted") == priors(game, state, prior="handcrafted")
