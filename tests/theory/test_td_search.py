"""TD search and Dyna-2 over any game: steps by hand, and what they are equal to (Silver 2009, 6.7, 7.3, 8.11)."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from katachi import Action, BaseGame, GameFacts, InvalidArgumentError, Limit, Player, Rng, TreeSearch
from katachi.core.errors import SettingsError
from katachi.games.contract import Game
from katachi.games.grid import ConnectFour
from katachi.games.gridworld import Gridworld
from katachi.games.native import ExplicitTree, Pig, TicTacToe
from katachi.planning.control import epsilon_greedy, monte_carlo_control, sarsa, sarsa_episode
from katachi.planning.dyna2 import Dyna2, Dyna2Settings, SeenModel
from katachi.planning.dynamic_programming import expectimax, value_iteration
from katachi.planning.learning import uniform
from katachi.planning.mdp import state_name, tabulate
from katachi.planning.memories import (
    Correction,
    Features,
    LinearMemory,
    SparseMemory,
    Table,
    TableLookup,
    VisitCount,
    name_of_pair,
)
from katachi.planning.td_search import LinearTdSearch, LinearTdSettings, monte_carlo_tree
from katachi.reference.tree_search import TreeSearchTwin
from katachi.search.tree_settings import TreeSearchSettings

# Branches of different lengths, so that some simulations end within the tree.
LOPSIDED = [[0.3, [0.9, [0.1, 0.6], 0.2]], 0.4, [[0.8, 0.0], [0.5, [0.7, 1.0]]]]


class Corridor(BaseGame[int]):
    """States 0, 1, 2 and the end, 3: one action, which goes on and earns the number of the state it leads to."""

    name = "corridor"
    facts = GameFacts(players=1, action_space=1, max_length=3)

    def initial_state(self) -> int:
        return 0

    def is_terminal(self, state: int) -> bool:
        return state == 3

    def legal_actions(self, state: int) -> Sequence[Action]:
        return [] if state == 3 else [Action(0)]

    def to_play(self, state: int) -> Player:
        return Player.BLACK

    def play(self, state: int, action: Action) -> tuple[int, float]:
        return state + 1, float(state + 1)


class Unfolded(BaseGame[tuple[int, ...]]):
    """Another game whose states are known by the actions that led to them: nothing is met by two ways."""

    def __init__(self, game: Game[Any], start: Any = None) -> None:  # noqa: ANN401
        self.inner, self.name, facts = game, f"unfolded {game.name}", game.facts
        self.facts = GameFacts(
            players=facts.players, action_space=facts.action_space, return_bounds=facts.return_bounds
        )
        self.states: dict[tuple[int, ...], Any] = {(): game.initial_state() if start is None else start}

    def initial_state(self) -> tuple[int, ...]:
        return ()

    def is_terminal(self, state: tuple[int, ...]) -> bool:
        return self.inner.is_terminal(self.states[state])

    def legal_actions(self, state: tuple[int, ...]) -> Sequence[Action]:
        return self.inner.legal_actions(self.states[state])

    def to_play(self, state: tuple[int, ...]) -> Player:
        return self.inner.to_play(self.states[state])

    def play(self, state: tuple[int, ...], action: Action) -> tuple[tuple[int, ...], float]:
        self.states[(*state, action)], reward = self.inner.play(self.states[state], action)
        return (*state, action), reward


def pair_features(game: Game[Any]) -> Features:
    """Table lookup that knows every state from the beginning."""
    return lambda state, action: [((state_name(game, state), action), 1.0)]


def coarse_features(state: int, action: Action) -> list[tuple[str, float]]:
    """Of a gridworld: overlapping, of different sizes."""
    return [(f"row {state // 7} {action}", 1.0), (f"column {state % 7} {action}", 0.5), (f"any {action}", 1.0)]


def nothing(state: Any, action: Action) -> list[tuple[str, float]]:  # noqa: ANN401
    return []


# --- one simulation, by hand


@pytest.mark.parametrize(
    ("lambda_", "traces"), [(0.0, "accumulating"), (0.5, "accumulating"), (0.5, "replacing"), (1.0, "accumulating")]
)
def test_a_simulation_by_hand(lambda_: float, traces: str) -> None:
    """Features: `all` is on in every state, `late` in the last one; weights move at every step, the trace first."""
    memory = SparseMemory(lambda s, _: [("all", 1.0)] + ([("late", 1.0)] if s == 2 else []))
    settings = LinearTdSettings.from_mapping({"alpha": 0.5, "lambda": lambda_, "traces": traces, "epsilon": 0.0})
    LinearTdSearch(Corridor(), memory, settings).run(0, Limit(simulations=1), Rng(1))
    second, third = (1.0, 1.0) if traces == "replacing" else (1 + lambda_, 1 + lambda_ + lambda_**2)
    first_weight = 0.5 * 1  # r = 1, both values 0
    second_weight = first_weight + 0.5 * 2 * second  # r = 2, both values the same
    last_error = 3 - second_weight  # r = 3, nothing behind
    assert memory.theta["all"] == pytest.approx(second_weight + 0.5 * last_error * third)
    assert memory.theta["late"] == pytest.approx(0.5 * last_error)


def test_sparse_features_are_linear_features() -> None:
    game = Gridworld("rooms", slip=0.1)
    names = sorted({name for s in range(49) for a in range(4) for name, _ in coarse_features(s, Action(a))})

    def vector(pair: tuple[int, Action]) -> Any:  # noqa: ANN401
        phi = np.zeros(len(names))
        for name, value in coarse_features(*pair):
            phi[names.index(name)] += value
        return phi

    for traces in ("accumulating", "replacing"):
        for normalised in (False, True):
            dense, sparse = LinearMemory(vector, len(names)), SparseMemory(coarse_features)
            options: dict[str, Any] = {"lambda_": 0.8, "traces": traces, "normalised": normalised, "alpha": 0.02}
            for memory in (dense, sparse):
                rng = Rng(3)
                for _ in range(3):
                    sarsa_episode(game, memory, uniform(game), rng, most_steps=300, **options)
            assert [sparse.theta[name] for name in names] == pytest.approx(dense.theta, abs=1e-9)
            pair = (8, Action(1))
            assert sparse.squared_norm(pair) == dense.squared_norm(pair) == 2.25


@pytest.mark.parametrize("make", [lambda g: SparseMemory(pair_features(g)), lambda g: Table(name_of_pair(g))])
def test_a_normalised_step_moves_the_value_by_alpha_delta(make: Any) -> None:  # noqa: ANN401
    game = ExplicitTree([0.0, 1.0])
    for memory in (make(game), SparseMemory(lambda _, a: [((i, a), 2.0 + i) for i in range(5)])):
        options: dict[str, Any] = {"alpha": 0.1, "lambda_": 0.0, "normalised": True}
        sarsa_episode(game, memory, lambda _, __: Action(1), Rng(1), **options)
        assert memory.value((game.initial_state(), Action(1))) == pytest.approx(0.1)


def test_two_player_search_is_minimax_in_the_end() -> None:
    game = ExplicitTree([[3, 12], [2, [4, 6]], [14, 1]])
    search = LinearTdSearch(
        game, SparseMemory(pair_features(game)), LinearTdSettings(alpha=0.1, epsilon=0.3, epsilon_decay="linear")
    )
    root = game.initial_state()
    search.run(root, Limit(simulations=2000), Rng(1))
    assert search.best(root, Rng(1)) == 0
    assert search.action_values(root)[Action(0)] == pytest.approx(3, abs=0.3)
    second, _ = game.play(root, Action(2))
    assert search.best(second, Rng(1)) == 1  # player 1 takes the smaller
    assert (search.simulations, search.steps > 2000) == (2000, True)


def test_search_follows_the_best_path_where_one_may_slip() -> None:
    game = Gridworld()
    best = value_iteration(tabulate(game))
    settings = LinearTdSettings(alpha="visits", lambda_=0.5, epsilon=0.2, epsilon_decay="linear")
    state, rng = game.initial_state(), Rng(4)
    search = LinearTdSearch(game, SparseMemory(pair_features(game)), settings)
    search.run(state, Limit(simulations=1500), rng)
    assert search.best(state, rng) == best.best_action(state)


# --- T2: Monte-Carlo tree search


class GreedyTree:
    """S6, written for this test: means and counts in dicts by state, one new state a simulation."""

    def __init__(
        self,
        game: Game[Any],
        root: Any,  # noqa: ANN401
        heuristic: Callable[[Any, Action], float],
        confidence: float,
    ) -> None:
        self.game, self.root, self.heuristic, self.confidence = game, root, heuristic, confidence
        self.value: dict[Any, dict[Action, float]] = {}
        self.count: dict[Any, dict[Action, int]] = {}
        self.expand(root)

    def expand(self, state: Any) -> None:  # noqa: ANN401
        name, actions = state_name(self.game, state), self.game.legal_actions(state)
        self.value[name] = {action: self.heuristic(state, action) for action in actions}
        self.count[name] = dict.fromkeys(actions, 0)

    def simulate(self, rng: Rng) -> None:
        state, path, new, total = self.root, [], None, 0.0
        while not self.game.is_terminal(state):
            name = state_name(self.game, state)
            options = list(self.game.legal_actions(state))
            if name in self.value:
                sign = -1 if self.game.to_play(state) == Player.WHITE else 1
                best = max(sign * value for value in self.value[name].values())
                options = [a for a, value in self.value[name].items() if sign * value >= best - 1e-9]
                action = options[0] if len(options) == 1 else rng.choice(options)
                path.append((name, action, total))
            else:
                new = state if new is None else new
                action = rng.choice(options)
            state, reward = self.game.play(state, action)
            total += reward
        for name, action, before in path:
            self.count[name][action] += 1
            share = 1 / (self.confidence + self.count[name][action])
            self.value[name][action] += share * (total - before - self.value[name][action])
        if new is not None:
            self.expand(new)


def chance_of(state: Any, action: Action) -> float:  # noqa: ANN401
    """Something between 0 and 1 that differs between states and actions."""
    return ((sum(map(ord, str(state))) * 7 + action * 5) % 17) / 16


GAMES: dict[str, Any] = {
    "tic-tac-toe": TicTacToe(),  # the same state by different ways
    "two-player tree": ExplicitTree(LOPSIDED),
    "one-player tree": ExplicitTree(LOPSIDED, players=1),
    "gridworld": Gridworld(slip=0, max_length=12),  # rewards on the way
}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("has_heuristic", "confidence"), [(False, 0.0), (True, 0.0), (True, 3.5)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_table_lookup_is_monte_carlo_tree_search(name: str, has_heuristic: bool, confidence: float, seed: int) -> None:
    """6.7 and 8.11: λ = 1, α = 1/(C + N), one new state a simulation; the same visits and, but for rounding, values."""
    game, root = GAMES[name], GAMES[name].initial_state()
    prior: Callable[[Any, Action], float] = chance_of if has_heuristic else lambda _, __: 0.0
    long = SparseMemory(lambda s, a: [("heuristic", chance_of(s, a))])
    long.theta["heuristic"] = 1.0
    tree = GreedyTree(game, root, prior, confidence)
    search = monte_carlo_tree(game, heuristic=long if has_heuristic else None, confidence=confidence)
    rngs = Rng(seed), Rng(seed)
    states = {state_name(game, root): root}
    for _ in range(300):
        tree.simulate(rngs[0])
        search.run(root, Limit(simulations=1), rngs[1])
        assert rngs[0].state == rngs[1].state
    for state in tabulate(game, most_states=10_000).states:
        states[state_name(game, state)] = state
    assert len(tree.value) > (20 if name in ("tic-tac-toe", "gridworld") else 1)
    for node, values in tree.value.items():
        assert search.visits(states[node]) == tree.count[node]
        assert search.action_values(states[node]) == pytest.approx(values, abs=1e-9)
    assert long.theta == {"heuristic": 1.0}  # it does not learn


def unfold(search: LinearTdSearch, path: tuple[int, ...]) -> list[tuple[tuple[int, ...], int, float]]:
    """(actions, visits, value) of all actions that were tried."""
    found = []
    for action, visits in search.visits(path).items() if not search.game.is_terminal(path) else ():
        if visits:
            found.append(((*path, int(action)), visits, search.action_values(path)[action]))
            found += unfold(search, (*path, int(action)))
    return found


def unfold_dict(node: dict[str, Any], path: tuple[int, ...] = ()) -> list[tuple[tuple[int, ...], int, float]]:
    found = []
    for child in node.get("children", ()):
        here = (*path, child["action"])
        found.append((here, child["visits"], child["value"]))
        found += unfold_dict(child, here)
    return found


def compare_trees(first: Any, second: Any) -> None:  # noqa: ANN401
    first, second = sorted(first), sorted(second)
    assert [node[:2] for node in first] == [node[:2] for node in second]
    assert [node[2] for node in first] == pytest.approx([node[2] for node in second], abs=1e-9)


@pytest.mark.parametrize("inner", [TicTacToe(), ConnectFour(), Gridworld(slip=0, max_length=12)])
@pytest.mark.parametrize("plies", [0, 1])
@pytest.mark.parametrize("confidence", [None, 0.0, 2.5])
def test_it_is_the_native_tree_search(inner: Any, plies: int, confidence: float | None) -> None:  # noqa: ANN401
    """control=greedy, one new node, means; without a heuristic V_init is 0 for player 0. With one: 8.11.

    A tree knows states by the actions that led to them, so the same is done to the game.
    """
    start = inner.initial_state()
    for _ in range(plies):
        start, _ = inner.play(start, inner.legal_actions(start)[-1])
    game = Unfolded(inner, start)
    first_player = inner.to_play(start)
    options: dict[str, Any] = {"v_init": inner.facts.value_for(first_player, 0.0) if inner.facts.players == 2 else 0.0}
    long = SparseMemory(lambda s, a: [("heuristic", chance_of((*s, int(a)), Action(0)))])
    long.theta["heuristic"] = 1.0
    if confidence is not None:
        options = {"v_init": "heuristic", "step_prior": confidence}
    settings = TreeSearchSettings(control="greedy", learner="monte-carlo", **options)
    asked: dict[str, Any] = {"rng": Rng(5), "settings": settings}
    if confidence is not None:
        asked["value"] = lambda s: chance_of(s, Action(0))
    native, twin = TreeSearch(game, (), **asked), TreeSearchTwin(game, (), **asked)
    if confidence is None:
        ours = monte_carlo_tree(game)
    else:
        ours = monte_carlo_tree(game, heuristic=long, confidence=confidence)
    rng = Rng(5)
    for simulations in (1, 1, 1, 5, 60, 90):
        native.run(Limit(simulations=simulations))
        twin.run(Limit(simulations=simulations))
        ours.run((), Limit(simulations=simulations), rng)
        nodes = unfold(ours, ())
        compare_trees(nodes, unfold_dict(native.tree.to_dict(depth=60)))
        compare_trees(nodes, unfold_dict(twin.to_dict(depth=60)))
    assert len(nodes) > 20


def test_the_tree_goes_on_from_the_next_state() -> None:
    game, rng = TicTacToe(), Rng(6)
    search = monte_carlo_tree(game)
    root = game.initial_state()
    search.run(root, Limit(simulations=200), rng)
    action = search.best(root, rng)
    below, _ = game.play(root, action)
    known = sum(search.visits(below).values())
    assert known > 0
    search.run(below, Limit(simulations=10), rng)
    assert sum(search.visits(below).values()) == known + 10
    search.reset()
    assert sum(search.visits(root).values()) == 0
    assert set(search.action_values(root).values()) == {0.0}


# --- settings


def test_weights_are_kept_between_searches_unless_reset() -> None:
    game = Gridworld("rooms", slip=0)
    root = game.initial_state()
    kept, forgetful = (
        LinearTdSearch(game, SparseMemory(pair_features(game)), LinearTdSettings(alpha=0.1, horizon=50, reset=reset))
        for reset in (False, True)
    )
    for search in (kept, forgetful):
        search.run(root, Limit(simulations=20), Rng(1))
        search.run(root, Limit(simulations=1), Rng(2))
    alone = LinearTdSearch(game, SparseMemory(pair_features(game)), kept.settings)
    alone.run(root, Limit(simulations=1), Rng(2))
    assert forgetful.memory.theta == alone.memory.theta  # type: ignore[attr-defined]
    assert len(kept.memory.theta) > len(alone.memory.theta)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("switch", "expected"), [(0.0, {0}), (2.0, {2}), (2.5, {2, 3}), (None, {6})])
def test_the_default_policy_plays_after_so_many_plies(switch: float | None, expected: set[int]) -> None:
    """t < T; half a ply is a ply in half of the simulations."""
    game = Gridworld("S.....G", slip=0, max_length=6)
    default: list[int] = []

    def go_right(state: int, rng: Rng) -> Action:
        default.append(state)
        return Action(1)

    memory = SparseMemory(lambda _, a: [("right", 1.0)] if a == 1 else [])
    memory.theta["right"] = 1.0
    settings = LinearTdSettings(alpha=0.0, epsilon=0.0, switch=switch)
    search = LinearTdSearch(game, memory, settings, default_policy=go_right)
    learnt: Counter[int] = Counter()
    for seed in range(40):
        default.clear()
        search.run(game.initial_state(), Limit(simulations=1), Rng(seed))
        learnt[6 - len(default)] += 1
    assert set(learnt) == expected
    assert len(learnt) == 1 or min(learnt.values()) >= 8


def test_what_is_learnt_goes_on_behind_the_switch() -> None:
    game = Corridor()
    memory = SparseMemory(pair_features(game))
    LinearTdSearch(game, memory, LinearTdSettings(alpha=0.5, switch=1.0)).run(0, Limit(simulations=1), Rng(1))
    assert memory.theta == pytest.approx({((s), 0): 0.5 * (s + 1) for s in range(3)})


def test_offline_with_lambda_1_it_is_monte_carlo_control() -> None:
    game = TicTacToe()
    settings = LinearTdSettings(alpha=0.05, lambda_=1.0, epsilon=0.3, offline=True)
    memory, sampled = SparseMemory(pair_features(game)), Table(name_of_pair(game))
    search = LinearTdSearch(game, memory, settings)
    for seed in range(30):
        search.run(game.initial_state(), Limit(simulations=1), Rng(seed))
        monte_carlo_control(game, sampled, Rng(seed), alpha=0.05, epsilon=0.3)
        assert sampled.values == pytest.approx(memory.theta, abs=1e-12)
        sampled.values.update(memory.theta)  # ties must break alike in the next game
    assert len(memory.theta) > 100


def test_simulations_stop_at_the_horizon() -> None:
    game = Gridworld("rooms", slip=0)
    settings = LinearTdSettings(alpha=0.1, horizon=7)
    search = LinearTdSearch(game, SparseMemory(pair_features(game)), settings)
    search.run(game.initial_state(), Limit(simulations=5), Rng(1))
    assert search.steps == 35
    search.run(game.initial_state(), Limit(steps=20), Rng(1))
    assert search.steps == 35 + 21
    search.run(game.initial_state(), Limit(seconds=1e-9), Rng(1))
    assert search.simulations == 5 + 3 + 1


def test_exploration_decays_and_softmax_prefers_the_better() -> None:
    game = ExplicitTree([0.0, 1.0], players=1)
    root = game.initial_state()
    tried: dict[str, list[int]] = {}
    menu: dict[str, dict[str, Any]] = {
        "constant": {"epsilon": 1.0},
        "linear": {"epsilon": 1.0, "epsilon_decay": "linear"},
        "exponential": {"epsilon": 1.0, "epsilon_decay": "exponential", "epsilon_factor": 0.98},
        "softmax": {"control": "softmax", "temperature": 0.2},
    }
    for name, options in menu.items():
        memory = Table(name_of_pair(game))
        search = LinearTdSearch(game, memory, LinearTdSettings.from_mapping({"alpha": "visits", **options}))
        search.run(root, Limit(simulations=400), Rng(2))
        tried[name] = list(search.visits(root).values())
    assert 150 < tried["constant"][0] < 250
    assert 70 < tried["linear"][0] < 130  # the integral of ε/2
    assert 10 < tried["exponential"][0] < 45
    assert 0 < tried["softmax"][0] < 20
    with pytest.raises(InvalidArgumentError, match="limit in simulations"):
        LinearTdSearch(game, memory, LinearTdSettings(alpha=0.1, epsilon_decay="linear")).run(
            root, Limit(steps=5), Rng(1)
        )


def test_what_a_search_refuses() -> None:
    game = ExplicitTree([0.0, 1.0])
    over, _ = game.play(game.initial_state(), Action(0))
    with pytest.raises(InvalidArgumentError, match="is over"):
        monte_carlo_tree(game).run(over, Limit(simulations=1), Rng(1))
    with pytest.raises(SettingsError, match=r"alpha is 0 or more, or visits, not -0\.5"):
        LinearTdSettings(alpha=-0.5)
    with pytest.raises(SettingsError, match="epsilon_factor below 1"):
        LinearTdSettings(alpha=0.1, epsilon_decay="exponential")


# --- Dyna-2


def dyna(game: Game[Any], long: Any, short: Any, simulations: int = 3, **options: Any) -> Dyna2:  # noqa: ANN401
    search = LinearTdSettings(alpha=0.1, lambda_=0.6, epsilon=0.2, horizon=60)
    settings = Dyna2Settings(alpha=0.05, lambda_=0.4, epsilon=0.1, simulations=simulations, search=search)
    return Dyna2(game, long, short, settings, **options)


@pytest.mark.parametrize("slip", [0.0, 0.2])
def test_without_short_term_features_dyna_2_is_sarsa(slip: float) -> None:
    game = Gridworld("rooms", slip=slip)
    agent = dyna(game, SparseMemory(pair_features(game)), SparseMemory(nothing), simulations=1)
    alone = SparseMemory(pair_features(game))
    for episode in range(3):
        earned = sum(agent.play_episode(Rng(episode)).rewards)
        assert earned == sarsa(game, alone, Rng(episode), alpha=0.05, lambda_=0.4, epsilon=0.1)
    assert agent.long.theta == alone.theta  # type: ignore[attr-defined]
    assert len(alone.theta) > 50


def test_without_long_term_features_dyna_2_is_td_search() -> None:
    game = Gridworld("rooms", slip=0.2)
    agent = dyna(game, SparseMemory(nothing), SparseMemory(coarse_features), simulations=8)
    memory = SparseMemory(coarse_features)
    search = LinearTdSearch(game, memory, agent.settings.search)
    for episode in range(2):
        agent.play_episode(Rng(episode))
        search.reset()
        state, rng, t = game.initial_state(), Rng(episode), 0
        while not game.is_terminal(state):
            search.run(state, Limit(simulations=8), rng.split("search", t))
            state, _ = game.play(state, epsilon_greedy(game, memory, 0.1)(state, rng), rng)
            t += 1
        assert agent.short.theta == pytest.approx(memory.theta, abs=1e-6)  # type: ignore[attr-defined]
        assert agent.long.theta == {}  # type: ignore[attr-defined]
        assert len(memory.theta) > 20


def test_long_term_values_stand_still_while_simulations_run() -> None:
    game = Gridworld("rooms", slip=0)
    long, short = SparseMemory(coarse_features), SparseMemory(pair_features(game))
    long.theta = {name: 0.1 * i for i, (name, _) in enumerate(coarse_features(0, Action(1)))}
    before = dict(long.theta)
    both = Correction(long, short)
    pair = (game.initial_state(), Action(1))
    held = long.value(pair)
    LinearTdSearch(game, both, LinearTdSettings(alpha=0.1, horizon=50)).run(pair[0], Limit(simulations=9), Rng(1))
    assert long.theta == before
    assert short.theta
    assert both.value(pair) == held + short.value(pair)
    both.reset()
    assert (short.theta, long.theta) == ({}, before)


def test_long_term_learning_by_hand() -> None:
    """The errors of θ are of Q alone, whatever the search says; θ̄ is forgotten at the start of an episode."""
    game = Corridor()
    agent = dyna(game, SparseMemory(pair_features(game)), SparseMemory(lambda s, a: [("bias", 1.0)]))
    weights = [0.0, 0.0, 0.0]
    for _ in range(3):
        agent.play_episode(Rng(1))
        first = agent.short.value((0, Action(0)))
        trace = [0.0, 0.0, 0.0]
        for t in range(3):
            delta = t + 1 + (weights[t + 1] if t < 2 else 0.0) - weights[t]
            trace = [0.4 * e for e in trace]
            trace[t] += 1
            weights = [w + 0.05 * delta * e for w, e in zip(weights, trace, strict=True)]
        assert [agent.long.value((s, Action(0))) for s in range(3)] == pytest.approx(weights)
        assert first != 0


def test_dyna_2_with_a_model_that_it_learns() -> None:
    game = Gridworld("rooms", slip=0)
    model = SeenModel(game)
    state, rng = game.initial_state(), Rng(1)
    assert model.play(state, Action(1), rng) == (None, 0.0)
    assert model.is_terminal(None)
    assert list(model.legal_actions(None)) == []
    agent = dyna(
        game, SparseMemory(pair_features(game)), SparseMemory(pair_features(game)), simulations=10, model=model
    )
    lengths = [len(agent.play_episode(Rng(number)).actions) for number in range(12)]
    assert sum(lengths[-3:]) < sum(lengths[:3]) / 2
    assert max(lengths[-3:]) < 40
    following, reward = game.play(state, Action(1))
    assert model.play(state, Action(1), rng) == (following, reward)


def test_a_model_of_chance_plays_what_it_saw_as_often() -> None:
    game, rng = Pig(6), Rng(3)
    model = SeenModel(game, untried=0.25)
    root = game.initial_state()
    for _ in range(300):
        following, reward = game.play(root, Action(0), rng)
        model.observe(root, Action(0), reward, following)
    seen = Counter(str(model.play(root, Action(0), rng)[0]) for _ in range(3000))
    assert len(seen) == 6
    assert all(350 < count < 650 for count in seen.values())
    assert model.play(root, Action(1), rng) == (None, 0.25)
    assert model.to_play(root) == Player.BLACK
    assert model.key(root) == game.key(root)


def test_dyna_2_learns_faster_than_sarsa() -> None:
    game = Gridworld("rooms", slip=0)
    fast = dyna(game, SparseMemory(pair_features(game)), SparseMemory(pair_features(game)), simulations=10)
    slow = SparseMemory(pair_features(game))
    steps = {"dyna-2": 0.0, "sarsa": 0.0}
    for number in range(10):
        steps["dyna-2"] += sum(fast.play_episode(Rng(number)).rewards)
        steps["sarsa"] += sarsa(game, slow, Rng(number), alpha=0.05, lambda_=0.4, epsilon=0.1)
    assert steps["dyna-2"] > steps["sarsa"] + 10


def test_dyna_2_refuses_an_episode_without_an_end() -> None:
    game = Gridworld("rooms", slip=0)
    agent = dyna(game, SparseMemory(nothing), SparseMemory(nothing), simulations=0)
    with pytest.raises(InvalidArgumentError, match="did not end within 3 steps"):
        agent.play_episode(Rng(1), most_steps=3)
    with pytest.raises(SettingsError, match="simulations"):
        dyna(game, SparseMemory(nothing), SparseMemory(nothing), simulations=-1)


def test_confidence_may_depend_on_the_pair() -> None:
    count = VisitCount(lambda pair: pair, lambda pair: float(pair[1]))
    assert [count(("s", 3)), count(("s", 3)), count(("s", 0))] == [1 / 4, 1 / 5, 1.0]


def test_table_lookup_grows() -> None:
    game = Corridor()
    lookup = TableLookup(game)
    assert (lookup(1, Action(0)), 1 in lookup) == ([], False)
    lookup.add(1)
    assert (lookup(1, Action(0)), 1 in lookup, len(lookup)) == ([((1, 0), 1.0)], True, 1)
    lookup.clear()
    assert len(lookup) == 0


def test_search_on_tic_tac_toe_finds_what_wins() -> None:
    """X has two in a row and moves; then O has."""
    game = TicTacToe()
    for opening, best in (((0, 3, 1, 4), 2), ((0, 3, 1, 4, 8), 5)):
        state = game.initial_state()
        for move in opening:
            state, _ = game.play(state, Action(move))
        search = LinearTdSearch(
            game, SparseMemory(pair_features(game)), LinearTdSettings(alpha=0.1, lambda_=0.8, epsilon=0.2)
        )
        search.run(state, Limit(simulations=300), Rng(1))
        assert search.best(state, Rng(1)) == best
        assert expectimax(game, state, 9) == pytest.approx(search.action_values(state)[Action(best)], abs=0.2)
