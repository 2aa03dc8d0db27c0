"""The native tree search against its slow twin: the same draws, the same visits, the same values.

Settings are drawn at random from all that fit together, so that every value of every setting meets every other one.
"""

import random
from copy import copy
from functools import cache
from itertools import count
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import pytest

from katachi import InvalidArgumentError, Limit, Rng, TreeSearch
from katachi.core.errors import SettingsError
from katachi.games.go import GoGame
from katachi.games.grid import ConnectFour, Gomoku, Hex
from katachi.games.native import ExplicitTree, Pig, TicTacToe
from katachi.reference.tree_search import TreeSearchTwin
from katachi.search.tree import TreeNode
from katachi.search.tree_settings import TreeSearchSettings
from tests.differential.tree_games import Dice, Ring, Walk

# A tree of one player and one of two, with branches of different lengths.
LOPSIDED = [[0.3, [0.9, [0.1, 0.6], 0.2]], 0.4, [[0.8, 0.0], [0.5, [0.7, 1.0]]]]

GAMES: dict[str, Any] = {
    "tic-tac-toe": TicTacToe(),
    "one-player tree": ExplicitTree(LOPSIDED, players=1),
    "two-player tree": ExplicitTree(LOPSIDED),
    "pig": Pig(6),
    "go 3x3": GoGame(3),
    "go 5x5": GoGame(5),
    "hex 4x4": Hex(4),
    "gomoku 5x5": Gomoku(5, 4),
    "connect four": ConnectFour(),
    "walk": Walk(),
    "long walk": Walk(11, (-1.0, 0.0, 0.0)),
    "ring": Ring(),
    "dice": Dice(),
}
ENDLESS = ("walk", "long walk", "ring", "pig")

# Values beside those that the types of the settings name.
NUMBERS: dict[str, list[Any]] = {
    "lambda": [0.0, 0.5, 0.8, 1.0, 1.0],
    "lambda_rise": [0.0, 0.0, 0.0, 0.05],
    "gamma": [0.0, 0.5, 0.9, 1.0, 1.0, 1.0],
    "step": [0.1, 0.5, 1.0],
    "step_decay": [0.0, 0.05, 0.9],
    "step_prior": [0.0, 0.0, 1.0, 2.5],
    "horizon": [None, None, 1, 4, 15],
    "mix": [0.0, 0.3, 1.0],
    "c_p": [0.0, 0.3, 1.0],
    "first_play_urgency": ["first", "first", 0.5, 1.1],
    "epsilon": [0.0, 0.1, 0.5, 1.0],
    "epsilon_factor": [0.9, 1.0],
    "temperature": [0.1, 1.0],
    "tie_tolerance": [1e-9, 1e-9, 0.0123],  # no difference that a mean or a step size could hit exactly
    "bounds_include_init": [True, False],
    "new_nodes": [1, 1, 2, 5, "all"],
    "v_init": ["neutral", "neutral", 0.5, -1.0, 2.0, "heuristic"],
    "v_playout": [0.0, 0.7],
    "mast_temperature": [0.1, 1.0],
    "playout_policy": ["uniform", "weighted", "mast", "heuristic"],  # those of Go: test_playout_policies.py
    "rave": ["none", "none", "none", "rave", "mc-rave", "uct-rave", "uct-rave-2007"],
    "rave_k": [0.0, 3.0, 20.0, 1000.0],
    "rave_bias": [0.0, 0.01, 0.3],
    "prior": ["none", "none", "even", "grandfather", "heuristic"],  # those of Go: test_rave_priors.py
    "prior_count": [0.0, 2.0, 7.5, 50.0],
    "prior_visits": [0.0, 0.0, 1.0, 3.5],
    "prior_rules": [0.0, 0.3],  # of priors of Go alone
    "expansion": ["node", "node", "node", "all-children"],
}
GO_PRIORS = ("handcrafted", "shapes", "shapes-or-handcrafted")
FIXED = ("memory", "when_full", "threads", "between_moves", "forget_share", "final_move", "weights")


def literals(annotation: Any) -> list[Any]:  # noqa: ANN401
    """All values that a type names."""
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [value for part in get_args(annotation) if part is not NoneType for value in literals(part)]


@cache
def menu() -> dict[str, list[Any]]:
    """What each setting may be."""
    found = {}
    for name, field in TreeSearchSettings.model_fields.items():
        if name not in FIXED:
            title = field.alias or name
            found[title] = NUMBERS.get(title, []) + [
                v for v in literals(field.annotation) if v not in (*NUMBERS.get(title, []), *GO_PRIORS)
            ]
    return found


def draw_settings(chance: random.Random) -> TreeSearchSettings:
    """Half of the settings at their defaults, the others at random; what does not fit together is drawn again."""
    while True:
        share = chance.choice((0.3, 0.6, 1.0))
        drawn = {name: chance.choice(values) for name, values in menu().items() if chance.random() < share}
        drawn["learner"] = chance.choice(("td", "td", *menu()["learner"]))
        if drawn["learner"] in ("monte-carlo", "max", "mixed"):
            drawn |= {"lambda": 1.0, "lambda_rise": 0.0, "timing": "offline"}
        try:
            return TreeSearchSettings(**drawn)
        except SettingsError:
            continue


def heuristic_value(state: Any) -> float:  # noqa: ANN401
    """Something that differs between states, of Python games and native ones."""
    return (sum(map(ord, str(state))) % 17) / 16


def heuristic_policy(state: Any, actions: Any) -> list[float]:  # noqa: ANN401
    return [float((action + 1) % 3) for action in actions]


def heuristic_prior(state: Any, actions: Any) -> list[float]:  # noqa: ANN401
    return [heuristic_value(state) * 0.5 + ((action * 7) % 5) / 10 for action in actions]


def heuristics(settings: TreeSearchSettings) -> dict[str, Any]:
    """What the settings ask for."""
    return {
        **({"value": heuristic_value} if settings.needs_value else {}),
        **({"playout": heuristic_policy} if settings.playout_policy == "heuristic" else {}),
        **({"prior": heuristic_prior} if settings.prior == "heuristic" else {}),
    }


def draw_case(seed: int) -> tuple[str, TreeSearchSettings, list[Limit]]:
    chance = random.Random(seed)
    while True:
        name = chance.choice(list(GAMES))
        settings = draw_settings(chance)
        try:
            settings.check_game(GAMES[name].facts, name)
        except InvalidArgumentError:
            continue
        by_steps = chance.random() < 0.4 or (name in ENDLESS and settings.horizon is None)
        limits = [
            Limit(steps=chance.randint(1, 300)) if by_steps else Limit(simulations=chance.randint(1, 80))
            for _ in range(chance.choice((1, 1, 2)))
        ]
        return name, settings, limits


def unfolded(node: TreeNode, depth: int) -> dict[str, Any]:
    """As the twin has it: a state of a graph is told again wherever it is met."""
    found: dict[str, Any] = {"action": int(node.action), "visits": node.visits, "value": node.value}
    if node.range is not None:
        found["range"] = list(node.range)
    if node.rave is not None:
        found["rave_value"], found["rave_count"] = node.rave
    return found | ({"children": [unfolded(child, depth - 1) for child in node.children()]} if depth > 0 else {})


def rank(node: Any) -> Any:  # noqa: ANN401
    """Outcomes of one action have no order: by visits, by what is below them, and then by values, which are rounded."""
    return node["action"], node["visits"], sorted(map(rank, node.get("children", []))), round(node["value"], 7)


def assert_same(native: Any, twin: Any, path: tuple[int, ...] = ()) -> None:  # noqa: ANN401
    where = f"at {path}"
    assert native["visits"] == twin["visits"], where
    assert native["value"] == pytest.approx(twin["value"], rel=1e-9, abs=1e-9), where
    assert ("range" in native) == ("range" in twin), where
    if "range" in native:
        assert native["range"] == pytest.approx(twin["range"], rel=1e-9, abs=1e-9), where
    assert native.get("rave_count") == twin.get("rave_count"), where
    if "rave_count" in native:
        assert native["rave_value"] == pytest.approx(twin["rave_value"], rel=1e-9, abs=1e-9), where
    order = [sorted(tree.get("children", []), key=rank) for tree in (native, twin)]
    assert [c["action"] for c in order[0]] == [c["action"] for c in order[1]], where
    for one, other in zip(*order, strict=True):
        assert_same(one, other, (*path, one["action"]))


def check(seed: int) -> None:
    name, settings, limits = draw_case(seed)
    game, start = GAMES[name], GAMES[name].initial_state()
    native = TreeSearch(game, start, rng=Rng(seed), settings=settings, **heuristics(settings))
    twin = TreeSearchTwin(game, start, rng=Rng(seed), settings=settings, **heuristics(settings))
    changed = settings.model_dump(exclude_defaults=True)
    try:
        for limit in limits:
            native.run(limit)
            twin.run(limit)
            assert (native.simulations, native.steps) == (twin.simulations, twin.steps)
            assert_same(unfolded(native.tree.root, 4), twin.to_dict(depth=4))
            assert len(native.tree) == len(twin)
    except AssertionError as error:
        error.add_note(f"seed {seed}: {name}, {limits}, {changed}")
        raise


@pytest.mark.parametrize("block", range(10))
def test_native_search_equals_its_twin(block: int) -> None:
    for seed in range(block * 60, block * 60 + 60):
        check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(60))
def test_native_search_equals_its_twin_in_thousands_of_settings(block: int) -> None:
    for seed in range(1000 + block * 100, 1000 + block * 100 + 100):
        check(seed)


def test_every_value_of_every_setting_is_drawn() -> None:
    drawn: dict[str, list[Any]] = {}
    names = set()
    for seed in range(600):
        name, settings, _ = draw_case(seed)
        names.add(name)
        for field, value in settings.model_dump(by_alias=True).items():
            drawn.setdefault(field, []).append(value)
    assert names == set(GAMES)
    for field, values in menu().items():
        rare = [value for value in values if drawn[field].count(value) < 5]
        assert not rare, f"{field} is hardly ever {rare}"


def small_python_cases(most: int) -> list[tuple[int, Any, TreeSearchSettings]]:
    """Cases over games in Python, with a horizon; of what is learnt online, a failure leaves a trace in a graph."""
    cases = []
    for seed in range(100_000):
        name, settings, _ = draw_case(seed)
        is_online = settings.timing == "online" and settings.structure != "tree"
        if type(GAMES[name]) in (Walk, Ring, Dice) and not is_online and settings.epsilon_decay == "none":
            cases.append((seed, GAMES[name], settings.model_copy(update={"horizon": settings.horizon or 12})))
        if len(cases) == most:
            break
    return cases


def test_a_simulation_that_fails_leaves_no_trace() -> None:
    failures = 0
    for seed, game, settings in small_python_cases(100):
        calls = count()

        class Fragile(type(game)):  # type: ignore[misc]
            """Now and then a step fails."""

            def play(self, *arguments: Any) -> Any:  # noqa: ANN401
                if next(calls) % 37 == 36:  # noqa: B023
                    raise KeyboardInterrupt
                return super().play(*arguments)

        fragile = copy(game)
        fragile.__class__ = Fragile
        search, whole = (
            TreeSearch(played, game.initial_state(), rng=Rng(seed), settings=settings, **heuristics(settings))
            for played in (fragile, game)
        )
        while search.simulations < 10 and failures < 2000:
            try:
                search.run(Limit(simulations=10 - search.simulations))
            except KeyboardInterrupt:
                failures += 1
        whole.run(Limit(simulations=10))
        assert_same(unfolded(search.tree.root, 4), unfolded(whole.tree.root, 4))
        assert (len(search.tree), search.steps) == (len(whole.tree), whole.steps)
    assert 100 < failures < 2000


def test_moving_the_root_keeps_its_node_under_all_settings() -> None:
    kept = 0
    for seed in range(300):
        name, settings, _ = draw_case(seed)
        game = GAMES[name]
        if not game.facts.deterministic:
            continue
        state = game.initial_state()
        search = TreeSearch(game, state, rng=Rng(seed), settings=settings, **heuristics(settings))
        search.run(Limit(steps=200))
        line = search.tree.principal_variation()[:2]
        for node in line:
            state, _ = game.play(state, node.action)
        if not line or game.is_terminal(state):
            continue
        before = search.tree._native.node(line[-1].index)
        assert search.move_to(state, [node.action for node in line], Rng(seed))
        root = search.tree.root
        assert (root.visits, root.episodes, root.value, root.range) == (
            before.visits, before.episodes, before.value, before.range,
        )  # fmt: skip
        if settings.structure == "tree":
            assert len(search.tree) == sum(1 for _ in search.tree.walk())
        search.run(Limit(steps=50))
        kept += 1
    assert kept > 100
