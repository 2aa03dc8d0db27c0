"""The tree search keeps the promises of its theory (Vodopivec 2018, chapters 3, 4 and 6).

Episodes are replayed: with control=random the draws do not depend on values, so that two searches with one seed learn
by different rules from the same games.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

import pytest
from scipy.stats import chisquare

from katachi import Action, BaseGame, GameFacts, KeyKind, Limit, Player, Rng, TreeSearch
from katachi.games.go import GoGame
from katachi.games.native import ExplicitTree, Pig, TicTacToe
from katachi.games.walks import RandomWalk, ShortestWalk, WalkGame
from katachi.reference.tree_search import TreeSearchTwin
from katachi.search.tree import TreeNode
from katachi.search.tree_settings import TreeSearchSettings, preset
from tests.theory.test_searches import PythonTicTacToe

LEFT, RIGHT = Action(0), Action(1)
LOPSIDED = [[0.3, [0.9, [0.1, 0.6], 0.2]], 0.4, [[0.8, 0.0], [0.5, [0.7, 1.0]]]]


class LeftRight(BaseGame[int]):
    """The toys of chapter 6: states in a row, the start in the middle, both ends terminal."""

    def __init__(self, length: int, step: float, goal: float) -> None:
        self.name = f"left-right-{length}"
        self.facts = GameFacts(players=1, action_space=2, key=KeyKind.EXACT)
        self.length, self.step, self.goal = length, step, goal

    def initial_state(self) -> int:
        return self.length // 2

    def is_terminal(self, state: int) -> bool:
        return state in (0, self.length - 1)

    def legal_actions(self, state: int) -> Sequence[Action]:
        return [] if self.is_terminal(state) else [LEFT, RIGHT]

    def to_play(self, state: int) -> Player:
        return Player.BLACK

    def play(self, state: int, action: Action) -> tuple[int, float]:
        following = state + (1 if action == RIGHT else -1)
        return following, self.goal if following == self.length - 1 else self.step

    def key(self, state: int) -> int:
        return state


def random_walk(length: int = 5) -> LeftRight:
    """1 at the right end."""
    return LeftRight(length, 0.0, 1.0)


def shortest_walk(length: int = 5) -> LeftRight:
    """-1 for every step but the one that reaches the right end."""
    return LeftRight(length, -1.0, 0.0)


def given(**settings: Any) -> TreeSearchSettings:  # noqa: ANN401
    return TreeSearchSettings(**settings)


def searched(game: Any, limit: Limit, seed: int = 0, **settings: Any) -> TreeSearch:  # noqa: ANN401
    search = TreeSearch(game, game.initial_state(), rng=Rng(seed), settings=given(**settings))
    assert search.run(limit)
    return search


def flat(node: TreeNode, depth: int = 30) -> dict[tuple[int, ...], tuple[int, float]]:
    """Visits and value of everything below a node, by the path that leads there."""
    found: dict[tuple[int, ...], tuple[int, float]] = {(): (node.visits, node.value)}
    if depth:
        for child in node.children():
            found |= {(child.action, *path): content for path, content in flat(child, depth - 1).items()}
    return found


def visits_of(found: dict[tuple[int, ...], tuple[int, float]]) -> dict[tuple[int, ...], int]:
    return {path: visits for path, (visits, _) in found.items()}


def assert_same_values(one: TreeSearch, other: TreeSearch, depth: int = 6, shift: float = 0.0) -> None:
    first, second = flat(one.tree.root, depth), flat(other.tree.root, depth)
    assert visits_of(first) == visits_of(second)
    for path, (_, value) in first.items():
        assert value + shift == pytest.approx(second[path][1], abs=1e-9), path


def raw_values(search: TreeSearch, depth: int = 6) -> dict[int, float]:
    """V of the states of a left-right game, by their place, as the nodes hold it."""
    native, game = search._native, search._game
    start = game.place(game.initial_state()) if isinstance(game, WalkGame) else game.initial_state()
    found, stack = {}, [(start, native.root, depth)]
    while stack:
        place, index, left = stack.pop()
        found[place] = native.node(index).value
        if left:
            for child in native.children(index):
                if child.visits:
                    stack.append((place + (1 if child.action == RIGHT else -1), child.index, left - 1))
    return found


# ---- 1, 2, 3: learners that are the same -----------------------------------------------------------------------------


REPLAYED: list[tuple[Any, Limit]] = [
    (TicTacToe(), Limit(simulations=300)),
    (ExplicitTree(LOPSIDED, players=1), Limit(simulations=300)),
    (shortest_walk(7), Limit(simulations=150)),
]


@pytest.mark.parametrize(
    "representation", [{}, {"new_nodes": "all"}, {"structure": "graph"}, {"structure": "fixed"}], ids=str
)
@pytest.mark.parametrize("timing", ["offline", "in-place"])
@pytest.mark.parametrize("v_init", [-5.0, 0.5, 5.0])
def test_lambda_one_is_the_mean_of_returns(representation: Any, timing: str, v_init: float) -> None:  # noqa: ANN401
    for seed, (game, limit) in enumerate(REPLAYED):
        common: dict[str, Any] = {"control": "random", **representation}
        means = searched(game, limit, seed, **common)
        for v_playout in ("initial", "last-memorised", "converged-next", 0.0, 3.0):
            learnt = searched(
                game, limit, seed, learner="td", timing=timing, v_init=v_init, v_playout=v_playout, **common
            )
            assert_same_values(means, learnt)


def test_monte_carlo_is_the_mean_of_what_the_games_returned() -> None:
    class Recorded(LeftRight):
        total = 0.0
        returns: ClassVar[list[float]] = []

        def play(self, state: int, action: Action) -> tuple[int, float]:
            following, reward = super().play(state, action)
            self.total += reward
            if self.is_terminal(following):
                self.returns.append(self.total)
            return following, reward

    game = Recorded(7, -1.0, 0.0)
    search = TreeSearch(game, game.initial_state(), rng=Rng(4), settings=given(control="random"))
    for _ in range(100):
        game.total = 0.0
        search.run(Limit(simulations=1))
    assert len(game.returns) == 100
    assert search.tree.root.value == pytest.approx(sum(game.returns) / 100)


@pytest.mark.parametrize("learner", ["td", "q-naive", "q-watkins"])
@pytest.mark.parametrize("visit_mode", ["every", "first", "replacing"])
def test_online_and_in_place_are_offline_where_no_state_occurs_twice(learner: str, visit_mode: str) -> None:
    for structure in ("tree", "graph"):
        common: dict[str, Any] = {
            "learner": learner,
            "lambda": 0.6,
            "gamma": 0.9,
            "structure": structure,
            "new_nodes": 3,
            "step_size": "episodes",
        }
        game = ExplicitTree(LOPSIDED)
        # Off-policy errors look at all actions of a state, of which the one that was tried is learnt about on the way.
        offline = searched(game, Limit(simulations=200), timing="offline", visit_mode=visit_mode, **common)
        for timing in ("in-place", "online") if visit_mode == "every" else ("online",):
            assert_same_values(
                offline, searched(game, Limit(simulations=200), timing=timing, visit_mode=visit_mode, **common)
            )


def test_visit_modes_differ_only_where_states_recur() -> None:
    game, limit = shortest_walk(7), Limit(simulations=60)
    common: dict[str, Any] = {"learner": "td", "control": "random", "step_size": "episodes", "new_nodes": "all"}
    for lambda_ in (0.5, 1.0):
        every, first, replacing = (
            searched(game, limit, visit_mode=mode, **(common | {"lambda": lambda_}))
            for mode in ("every", "first", "replacing")
        )
        assert_same_values(every, first)
        assert_same_values(every, replacing)
    graph: dict[str, Any] = common | {"structure": "graph"}
    assert_same_values(
        searched(game, limit, visit_mode="first", **graph), searched(game, limit, visit_mode="replacing", **graph)
    )
    graph["lambda"] = 0.5
    first, replacing = (searched(game, limit, visit_mode=mode, **graph) for mode in ("first", "replacing"))
    assert abs(first.tree.root.value - replacing.tree.root.value) > 0.01


# ---- 4, 5: hand-computed ---------------------------------------------------------------------------------------------


def after_left_right_right_right(**settings: Any) -> TreeSearch:  # noqa: ANN401
    """One episode of the random walk A B C D E from C: C B C D E, with all states memorised."""
    for seed in range(500):
        search = searched(random_walk(), Limit(simulations=1), seed, control="random", structure="fixed", **settings)
        visits = flat(search.tree.root, 2)
        if search.steps == 4 and (LEFT,) in visits and (RIGHT, RIGHT) in visits:
            return search
    raise AssertionError("no seed plays this episode")


@pytest.mark.parametrize("lambda_", [0.0, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("timing", ["offline", "online"])
def test_the_example_of_section_6_3(lambda_: float, timing: str) -> None:
    common: dict[str, Any] = {
        "learner": "td", "lambda": lambda_, "visit_mode": "replacing", "step_size": "episodes", "v_init": 0.5,
        "timing": timing,
    }  # fmt: skip
    b, c, d, e = 1, 2, 3, 4
    values = raw_values(after_left_right_right_right(convention="state", **common))
    expected = {b: 0.5 * (1 + lambda_**2), c: 0.5 * (1 + lambda_), d: 1.0, e: 0.0}
    assert values == pytest.approx(expected, abs=1e-12)
    values = raw_values(after_left_right_right_right(**common))
    expected = {b: 0.5 * (1 + lambda_**3), c: 0.5 * (1 + lambda_**2), d: 0.5 * (1 + lambda_), e: 1.0}
    assert values == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("start", "rise"), [(0.0, 0.0), (0.4, 0.0), (0.8, 0.0), (1.0, 0.0), (0.4, 0.03)])
def test_closed_forms_of_one_update(start: float, rise: float) -> None:
    v0 = 0.5
    common: dict[str, Any] = {"control": "random", "v_init": v0}
    game = TicTacToe()
    search = TreeSearch(
        game,
        game.initial_state(),
        rng=Rng(3),
        settings=given(learner="td", lambda_rise=rise, **{"lambda": start}, **common),
    )
    means = TreeSearch(game, game.initial_state(), rng=Rng(3), settings=given(**common))
    old: dict[tuple[int, ...], tuple[int, float]] = {}
    for n in range(1, 200):
        lambda_ = 1 - (1 - start) * (1 - rise) ** (n - 1)
        sum_before = means.tree.root.value * (n - 1) if n > 1 else 0.0
        steps = search.steps
        search.run(Limit(simulations=1))
        means.run(Limit(simulations=1))
        reward = means.tree.root.value * n - sum_before
        now = flat(search.tree.root)
        path = [p for p in sorted(now, key=len) if now[p][0] != old.get(p, (0, 0.0))[0]]
        before = [old.get(p, (0, v0))[1] for p in path]
        playout = search.steps - steps - (len(path) - 1)
        for i, p in enumerate(path):
            k = len(path) - 1 - i
            # Where the last state ended the game there is no successor, and the reward is its own.
            last = lambda_**playout * (reward - v0) if playout > 0 else reward - before[-1]
            change = lambda_**k * last
            change += sum(lambda_**j * (before[i + j + 1] - before[i + j]) for j in range(k))
            assert now[p][1] == pytest.approx(before[i] + change / now[p][0], abs=1e-9)
        if old.get(path[-1]) is None and playout > 0:
            assert now[path[-1]][1] == pytest.approx(v0 + lambda_**playout * (reward - v0), abs=1e-9)
        old = now


# ---- 6, 7, 8, 9: values ----------------------------------------------------------------------------------------------


def shifted(tree: Any, by: float) -> Any:  # noqa: ANN401
    return [shifted(child, by) for child in tree] if isinstance(tree, list) else tree + by


@pytest.mark.parametrize("lambda_", [0.0, 0.6, 1.0])
def test_shifted_rewards_with_a_shifted_start_shift_all_values(lambda_: float) -> None:
    common: dict[str, Any] = {"learner": "td", "control": "random", "lambda": lambda_}
    tree = [[[1, 0.5, 0], 0.5], [0, [1, [0, 0.5, 1], 1]], 0]
    win_draw_loss = searched(ExplicitTree(tree), Limit(simulations=500), v_init=0.5, **common)
    around_zero = searched(ExplicitTree(shifted(tree, -0.5)), Limit(simulations=500), v_init=0.0, **common)
    assert_same_values(around_zero, win_draw_loss, shift=0.5)


@pytest.mark.parametrize("gamma", [1.0, 0.9])
@pytest.mark.parametrize("game", [TicTacToe(), shortest_walk(7)], ids=lambda game: game.name)
def test_sums_of_playouts_are_as_good_as_the_playouts(game: Any, gamma: float) -> None:  # noqa: ANN401
    settings = given(learner="td", gamma=gamma, horizon=30, v_init=0.5, **{"lambda": 0.7})
    summed = TreeSearch(game, game.initial_state(), rng=Rng(5), settings=settings.model_copy(update={"v_playout": 0.3}))
    stored = TreeSearch(
        game,
        game.initial_state(),
        rng=Rng(5),
        settings=settings.model_copy(update={"v_playout": "heuristic"}),
        value=lambda _: 0.3,
    )
    for search in (summed, stored):
        search.run(Limit(steps=2000))
    assert_same_values(summed, stored)


@pytest.mark.parametrize("seed", range(10))
def test_replacing_traces_are_those_of_the_definition(seed: int) -> None:
    settings = given(
        learner="td",
        structure="graph",
        visit_mode="replacing",
        step_size="episodes",
        gamma=0.95,
        control="epsilon-greedy",
        **{"lambda": 0.7},
    )
    game = shortest_walk(9)
    native = TreeSearch(game, game.initial_state(), rng=Rng(seed), settings=settings)
    twin = TreeSearchTwin(game, game.initial_state(), rng=Rng(seed), settings=settings)
    for search in (native, twin):
        search.run(Limit(steps=400))
    assert raw_values(native, 9) == pytest.approx({place: twin.nodes[place].value for place in raw_values(native, 9)})


@pytest.mark.parametrize("normalisation", ["local", "local-branch"])
@pytest.mark.parametrize("lambda_", [0.5, 1.0])
def test_local_bounds_grow_and_hold_the_children(normalisation: str, lambda_: float) -> None:
    game = shortest_walk(9)
    settings = given(learner="td", normalisation=normalisation, horizon=40, **{"lambda": lambda_})
    search = TreeSearch(game, game.initial_state(), rng=Rng(2), settings=settings)
    bounds: dict[int, tuple[float, float]] = {}
    compared = 0
    for _ in range(40):
        search.run(Limit(simulations=10))
        for _, node in search.tree.walk():
            if node.range is None:
                continue
            low, high = node.range
            if node.index in bounds:
                assert low <= bounds[node.index][0]
                assert high >= bounds[node.index][1]
                compared += 1
            bounds[node.index] = node.range
            assert all(low <= child.value <= high for child in node.children())
    assert compared > 100


def test_without_local_bounds_the_observed_ones_hold_and_without_those_none() -> None:
    # One step, one reward: nothing is observed that differs, and a random choice was asked for.
    lonely = searched(ExplicitTree([3.0, 3.0, 3.0]), Limit(simulations=3000), normalisation="local", unscaled="random")
    assert chisquare([root.visits for root in lonely.root_actions()]).pvalue > 1e-4
    # As they are, values of 1000 leave nothing to exploration; between the observed bounds it has its part.
    tree = ExplicitTree([[1000.0], [990.0]], players=1)
    raw = searched(tree, Limit(simulations=500), normalisation="none")
    scaled = searched(tree, Limit(simulations=500), normalisation="observed")
    assert min(root.visits for root in raw.root_actions()) == 1
    assert min(root.visits for root in scaled.root_actions()) > 100


# ---- 10, 11, 12: players, budgets, roots -----------------------------------------------------------------------------


class Mirrored(PythonTicTacToe):
    """Tic-tac-toe in which player 1 begins."""

    name = "mirrored"

    def to_play(self, state: tuple[int, int, int]) -> Player:
        return Player(1 - state[2] % 2)

    def play(self, state: tuple[int, int, int], action: Action) -> tuple[tuple[int, int, int], float]:
        following, reward = super().play(state, action)
        return following, 1.0 - reward if self.is_terminal(following) else 0.0


@pytest.mark.parametrize("changes", [{}, {"learner": "td", "lambda": 0.7, "v_init": 0.8}, {"learner": "max"}], ids=str)
@pytest.mark.parametrize("normalisation", ["known", "none", "local"])
def test_the_colours_can_be_swapped(changes: dict[str, Any], normalisation: str) -> None:
    one = searched(PythonTicTacToe(), Limit(simulations=300), normalisation=normalisation, **changes)
    other = searched(Mirrored(), Limit(simulations=300), normalisation=normalisation, **changes)
    first, second = flat(one.tree.root, 3), flat(other.tree.root, 3)
    assert visits_of(first) == visits_of(second)
    for path, (_, value) in first.items():
        assert value == pytest.approx(1.0 - second[path][1], abs=1e-9)


@pytest.mark.parametrize("structure", ["tree", "graph"])
@pytest.mark.parametrize("game", [TicTacToe(), GoGame(5), shortest_walk(11)], ids=lambda game: game.name)
def test_a_budget_of_steps_is_met_exactly(game: Any, structure: str) -> None:  # noqa: ANN401
    for steps in (1, 2, 10, 37, 1000):
        assert searched(game, Limit(steps=steps), structure=structure).steps == steps


def test_a_cut_episode_is_backed_up_or_dropped() -> None:
    for learner in ("td", "monte-carlo"):
        common: dict[str, Any] = {"learner": learner, "v_init": 0.6}
        learnt = searched(TicTacToe(), Limit(steps=2), **common)
        assert learnt.tree.root.visits == 1
        assert learnt.tree.root.value == pytest.approx(0.6), "where it was cut, V_playout: neither won nor lost"
        dropped = searched(TicTacToe(), Limit(steps=2), cut_rule="drop", **common)
        assert (dropped.tree.root.visits, dropped.steps, len(dropped.tree)) == (0, 2, 1)


@pytest.mark.parametrize("structure", ["tree", "graph"])
def test_moving_the_root_keeps_what_is_below_it(structure: str) -> None:
    game = TicTacToe()
    settings = given(learner="td", structure=structure, graph_counts="edge", normalisation="local", **{"lambda": 0.8})
    search = TreeSearch(game, game.initial_state(), rng=Rng(1), settings=settings)
    search.run(Limit(simulations=2000))
    path = [node.action for node in search.tree.principal_variation()[:2]]
    state = game.initial_state()
    below = search.tree.root
    for action in path:
        state, _ = game.play(state, action)
        below = next(child for child in below.children() if child.action == action)
    before, bounds = flat(below, 4), below.range
    assert search.move_to(state, path, Rng(2))
    assert flat(search.tree.root, 4) == before
    assert search.tree.root.range == bounds
    assert search.steps == search.simulations == 0
    if structure == "tree":
        assert len(search.tree) == len(flat(search.tree.root))
    search.run(Limit(simulations=100))
    assert search.tree.root.visits == before[()][0] + 100


@pytest.mark.parametrize("structure", ["tree", "graph"])
def test_an_unknown_or_discarded_root_begins_anew(structure: str) -> None:
    game = TicTacToe()
    for between_moves in ("keep", "discard"):
        settings = given(structure=structure, between_moves=between_moves)
        search = TreeSearch(game, game.initial_state(), rng=Rng(1), settings=settings)
        search.run(Limit(simulations=2 if between_moves == "keep" else 500))
        actions = [Action(a) for a in ((0, 1, 2, 3) if between_moves == "keep" else (4, 0))]
        state = game.initial_state()
        for action in actions:
            state, _ = game.play(state, action)
        assert not search.move_to(state, actions, Rng(2))
        assert (len(search.tree), search.tree.root.visits) == (1, 0)
        fresh = TreeSearch(game, state, rng=Rng(2), settings=settings)
        for each in (search, fresh):
            each.run(Limit(simulations=50))
        assert_same_values(search, fresh)


# ---- 13, 14: frequencies and limits ----------------------------------------------------------------------------------


def test_ties_are_broken_uniformly() -> None:
    counts = [0] * 5
    for seed in range(2000):
        search = searched(ExplicitTree([1, 1, 1, 1, 1]), Limit(simulations=6), seed)
        counts[next(i for i, root in enumerate(search.root_actions()) if root.visits == 2)] += 1
    assert chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("epsilon", [0.1, 0.4, 1.0])
def test_epsilon_greedy_chooses_as_often_as_it_says(epsilon: float) -> None:
    # Untried actions are worth V_init, more than all: each is tried once, and then the best one stays the best.
    search = searched(
        ExplicitTree([0.2, 0.9, 0.1, 0.0]),
        Limit(simulations=20_000),
        control="epsilon-greedy",
        epsilon=epsilon,
        v_init=1.0,
    )
    visits = [root.visits for root in search.root_actions()]
    expected = [20_000 * epsilon / 4] * 4
    expected[1] += 20_000 * (1 - epsilon)
    assert chisquare(visits, expected).pvalue > 1e-4


@pytest.mark.parametrize("lambda_", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("convention", ["state", "afterstate"])
def test_values_of_the_random_policy_on_the_walks(lambda_: float, convention: str) -> None:
    common: dict[str, Any] = {
        "learner": "td", "lambda": lambda_, "control": "random", "structure": "fixed", "visit_mode": "replacing",
        "step_size": "exponential", "step": 0.2, "step_decay": 0.9998, "convention": convention,
    }  # fmt: skip
    length = 5
    random_values = {s: s / (length - 1) for s in (1, 2, 3)}
    shortest_values = {s: -s * (length - 1 - s) + s / (length - 1) for s in (1, 2, 3)}
    # Over 40 seeds values have a standard deviation of at most 0.005 and 0.035 here: five of them are allowed.
    for game, step, values, tolerance in (
        (RandomWalk(length), 0, random_values, 0.025),
        (ShortestWalk(length), -1, shortest_values, 0.175),
    ):
        search = searched(game, Limit(simulations=40_000), **common)
        if convention == "state":
            assert {s: raw_values(search)[s] for s in values} == pytest.approx(values, abs=tolerance)
        behind_actions = [step + values[1], step + values[3]]
        assert [root.value for root in search.root_actions()] == pytest.approx(behind_actions, abs=tolerance)


# ---- Sarsa-UCT(1) is UCT ---------------------------------------------------------------------------------------------

UCT_GAMES: list[Any] = [TicTacToe(), ExplicitTree(LOPSIDED), Pig(10), GoGame(3), GoGame(5)]


def assert_uct_is_sarsa_uct_of_lambda_one(game: Any, seed: int, **changes: Any) -> None:  # noqa: ANN401
    uct = TreeSearch(game, game.initial_state(), rng=Rng(seed), settings=preset("uct"))
    sarsa = TreeSearch(game, game.initial_state(), rng=Rng(seed), settings=preset("sarsa-uct", lambda_=1.0, **changes))
    for search in (uct, sarsa):
        search.run(Limit(simulations=150))
    assert_same_values(uct, sarsa, depth=3)


@pytest.mark.parametrize("game", UCT_GAMES, ids=lambda game: game.name)
def test_sarsa_uct_with_lambda_one_is_uct(game: Any) -> None:  # noqa: ANN401
    for seed in range(25):
        assert_uct_is_sarsa_uct_of_lambda_one(game, seed)
        assert_uct_is_sarsa_uct_of_lambda_one(game, seed, v_init=-3.0, v_playout=7.0)


@pytest.mark.slow
@pytest.mark.parametrize("game", UCT_GAMES, ids=lambda game: game.name)
def test_sarsa_uct_with_lambda_one_is_uct_for_a_thousand_seeds(game: Any) -> None:  # noqa: ANN401
    for seed in range(1000):
        assert_uct_is_sarsa_uct_of_lambda_one(game, seed)


def test_sarsa_uct_with_lambda_one_on_graphs_is_the_original_uct() -> None:
    for game in (TicTacToe(), shortest_walk(7)):
        common: dict[str, Any] = {"normalisation": "local", "horizon": 30}
        original = TreeSearch(game, game.initial_state(), rng=Rng(1), settings=preset("uct-original", **common))
        sarsa = TreeSearch(
            game,
            game.initial_state(),
            rng=Rng(1),
            settings=preset("uct-original", learner="td", timing="in-place", **common),
        )
        for search in (original, sarsa):
            search.run(Limit(simulations=200))
        assert_same_values(original, sarsa, depth=3)
