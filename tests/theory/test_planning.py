"""Classical planning: what the equations say of each other, and known values."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from katachi import Action, BaseGame, GameFacts, InvalidArgumentError, KeyKind, Player, Rng, check_game
from katachi.games.contract import Outcome
from katachi.games.gridworld import Gridworld
from katachi.games.native import ExplicitTree, Pig, TicTacToe
from katachi.planning.control import (
    DynaModel,
    dyna_q,
    epsilon_greedy,
    greedy_policy,
    monte_carlo_control,
    sarsa,
    softmax,
    ucb1,
)
from katachi.planning.dynamic_programming import evaluate_policy, expectimax, value_iteration
from katachi.planning.learning import Episode, monte_carlo, play_episode, td_lambda, td_zero, uniform
from katachi.planning.least_squares import LeastSquaresTd
from katachi.planning.mdp import TabularMdp, state_name, tabulate
from katachi.planning.memories import LinearMemory, Memory, Table, VisitCount, name_of_pair, name_of_state
from katachi.planning.policy_gradient import SoftmaxPolicy, reinforce
from katachi.planning.sparse_sampling import sparse_sampling, ucb_sampling


class Walk(BaseGame[int]):
    """A random walk over states 0 to L - 1: one action, left or right by a coin, 1 for the right end."""

    name = "walk"

    def __init__(self, length: int) -> None:
        self.length = length
        self.facts = GameFacts(players=1, action_space=1, return_bounds=(0, 1), deterministic=False, final_reward=True)

    def initial_state(self) -> int:
        return self.length // 2

    def is_terminal(self, state: int) -> bool:
        return state in (0, self.length - 1)

    def legal_actions(self, state: int) -> Sequence[Action]:
        return [] if self.is_terminal(state) else [Action(0)]

    def to_play(self, state: int) -> Player:
        return Player.BLACK

    def outcomes(self, state: int, action: Action) -> Sequence[Outcome]:
        return [Outcome(0.5, s, float(s == self.length - 1)) for s in (state - 1, state + 1)]

    def play(self, state: int, action: Action, rng: Rng) -> tuple[int, float]:
        _, following, reward = rng.choice(self.outcomes(state, action))
        return following, reward


class Piglet(BaseGame[tuple[int, int, int, int]]):
    """Pig with a coin up to 2 points (Neller and Presser 2004): (player, points of 0, points of 1, turn total)."""

    name = "piglet"
    facts = GameFacts(players=2, action_space=2, return_bounds=(0, 1), deterministic=False, final_reward=True)

    def initial_state(self) -> tuple[int, int, int, int]:
        return 0, 0, 0, 0

    def is_terminal(self, state: tuple[int, int, int, int]) -> bool:
        return max(state[1:3]) >= 2

    def legal_actions(self, state: tuple[int, int, int, int]) -> Sequence[Action]:
        if self.is_terminal(state):
            return []
        has_won = state[1 + state[0]] + state[3] >= 2  # it only remains to say so
        return [Action(1)] if has_won else [Action(0), Action(1)]

    def to_play(self, state: tuple[int, int, int, int]) -> Player:
        return Player(state[0])

    def outcomes(self, state: tuple[int, int, int, int], action: Action) -> Sequence[Outcome]:
        player, *points, turn = state
        if action == 0:
            return [
                Outcome(0.5, (player, *points, turn + 1), 0.0),
                Outcome(0.5, (1 - player, *points, 0), 0.0),
            ]
        points[player] += turn
        return [Outcome(1.0, (1 - player, *points, 0), float(points[0] >= 2))]

    def play(self, state: tuple[int, int, int, int], action: Action, rng: Rng) -> tuple[Any, float]:
        _, following, reward = rng.choice(self.outcomes(state, action))
        return following, reward


def walk_episodes(count: int, seed: int, length: int = 7) -> list[Episode]:
    game = Walk(length)
    rng = Rng(seed)
    return [play_episode(game, uniform(game), rng.split("episode", i)) for i in range(count)]


def table(game: Any) -> Table:  # noqa: ANN401
    return Table(name_of_state(game))


def one_hot(size: int) -> LinearMemory:
    return LinearMemory(lambda state: np.eye(size)[state], size)


# --- tables and dynamic programming


def test_the_walk_has_its_known_values() -> None:
    solution = value_iteration(tabulate(Walk(5)))
    assert [solution.value(s) for s in range(1, 4)] == pytest.approx([s / 4 for s in range(1, 4)], abs=1e-9)
    mdp = tabulate(Walk(19))
    values = evaluate_policy(mdp, lambda _: {Action(0): 1.0})
    assert [values[mdp.state_index(s)] for s in range(1, 18)] == pytest.approx([s / 18 for s in range(1, 18)])


def test_the_world_of_russell_and_norvig() -> None:
    game = Gridworld()
    solution = value_iteration(tabulate(game))
    known = {0: 0.812, 1: 0.868, 2: 0.918, 4: 0.762, 6: 0.660, 8: 0.705, 9: 0.655, 10: 0.611, 11: 0.388}
    for cell, value in known.items():
        assert solution.value(cell) == pytest.approx(value, abs=6e-4)
    assert solution.best_action(game.initial_state()) == 0
    assert solution.best_action(2) == 1


def test_value_iteration_plays_two_players_and_chance() -> None:
    """Piglet's exact solution (Neller and Presser 2004, section 4)."""
    solution = value_iteration(tabulate(Piglet()))
    known = {(0, 0, 0): 4 / 7, (0, 0, 1): 5 / 7, (0, 1, 0): 2 / 5, (0, 1, 1): 3 / 5, (1, 0, 0): 4 / 5, (1, 1, 0): 2 / 3}
    for (own, other, turn), value in known.items():
        assert solution.value((0, own, other, turn)) == pytest.approx(value, abs=1e-9)
        if (1, other, own, turn) in solution.mdp.index:
            assert solution.value((1, other, own, turn)) == pytest.approx(1 - value, abs=1e-9)


def test_value_iteration_solves_tic_tac_toe_like_expectimax() -> None:
    game = TicTacToe()
    solution = value_iteration(tabulate(game))
    assert len(solution.mdp.states) == 5478
    assert solution.value(game.initial_state()) == 0.5
    assert solution.sweeps <= 11
    rng = Rng(3)
    for _ in range(30):
        state = game.initial_state()
        for _ in range(3 + rng.below(3)):
            following, _ = game.play(state, Action(rng.choice(game.legal_actions(state))))
            if not game.is_terminal(following):
                state = following
        assert solution.value(state) == expectimax(game, state, 9)
        assert solution.action_values(state)[solution.best_action(state)] == solution.value(state)


def test_expectimax_reaches_value_iteration() -> None:
    game = Gridworld("..G\nS#x", slip=0.2)
    solution = value_iteration(tabulate(game))
    start = game.initial_state()
    errors = [abs(expectimax(game, start, depth) - solution.value(start)) for depth in range(40)]
    assert errors[39] < 1e-9
    assert errors[20] < errors[10] < errors[5] < errors[2]
    for depth in range(4):  # its leaves may be worth something
        assert expectimax(game, start, depth, solution.value) == pytest.approx(solution.value(start))


def test_expectimax_is_minimax_without_chance() -> None:
    game = ExplicitTree([[3, 12], [2, [4, 6]]])
    assert expectimax(game, game.initial_state(), 5) == 3
    assert expectimax(game, game.initial_state(), 1, lambda _: 7.0) == 7


def test_policies_are_evaluated_exactly() -> None:
    game = Gridworld(slip=0)
    mdp = tabulate(game)
    solution = value_iteration(mdp)
    assert evaluate_policy(mdp, lambda s: {solution.best_action(s): 1.0}) == pytest.approx(solution.values)
    with pytest.raises(InvalidArgumentError, match="does not end"):
        evaluate_policy(mdp, lambda _: {Action(0): 1.0})
    with pytest.raises(InvalidArgumentError, match="add up to 1"):
        evaluate_policy(mdp, lambda _: {Action(0): 0.5})


def test_what_tables_refuse() -> None:
    with pytest.raises(InvalidArgumentError, match="does not offer outcomes"):
        tabulate(Pig())
    with pytest.raises(InvalidArgumentError, match="more than 100 states"):
        tabulate(TicTacToe(), most_states=100)

    class Lists(Walk):
        name = "lists"

    with pytest.raises(InvalidArgumentError, match="hashable"):
        state_name(Lists(5), [1])


def test_value_iteration_tells_when_it_does_not_converge() -> None:
    game = Gridworld(slip=0, step_reward=0.1)
    assert value_iteration(tabulate(game), most_sweeps=50).change == pytest.approx(0.1)


# --- prediction


def test_linear_monte_carlo_with_table_lookup_is_tabular_monte_carlo() -> None:
    game = Walk(7)
    lookup, linear = table(game), one_hot(7)
    counts = VisitCount(lookup.name), VisitCount(lookup.name)
    returns: dict[int, list[float]] = {}
    for episode in walk_episodes(200, seed=1):
        monte_carlo(lookup, episode, counts[0])
        monte_carlo(linear, episode, counts[1])
        for state, value in zip(episode.states, episode.returns(), strict=False):
            returns.setdefault(state, []).append(value)
    for state in range(1, 6):
        assert linear.value(state) == pytest.approx(lookup.value(state), abs=1e-12)
        assert lookup.value(state) == pytest.approx(np.mean(returns[state]))  # the mean return
        assert lookup.value(state) == pytest.approx(state / 6, abs=0.1)


@pytest.mark.parametrize("make", [table, lambda _: one_hot(7)], ids=["table", "linear"])
def test_td_1_offline_is_monte_carlo(make: Any) -> None:  # noqa: ANN401
    game = Walk(7)
    td, mc = make(game), make(game)
    for episode in walk_episodes(50, seed=2):
        td_lambda(td, episode, 0.05, 1.0, offline=True)
        monte_carlo(mc, episode, 0.05, offline=True)
        assert [td.value(s) for s in range(1, 6)] == pytest.approx([mc.value(s) for s in range(1, 6)], abs=1e-12)


def test_td_0_is_td_lambda_with_lambda_0() -> None:
    game = Walk(7)
    zero, accumulating, replacing, linear = table(game), table(game), table(game), one_hot(7)
    for episode in walk_episodes(50, seed=3):
        td_zero(zero, episode, 0.1)
        td_lambda(accumulating, episode, 0.1, 0.0)
        td_lambda(replacing, episode, 0.1, 0.0, traces="replacing")
        td_lambda(linear, episode, 0.1, 0.0)
    for state in range(1, 6):
        assert accumulating.value(state) == zero.value(state)
        assert replacing.value(state) == zero.value(state)
        assert linear.value(state) == pytest.approx(zero.value(state), abs=1e-12)


def test_accumulating_and_replacing_traces_differ_where_states_come_back() -> None:
    game = Walk(7)
    episode = Episode([3, 2, 3, 4, 5, 6], [Action(0)] * 5, [0.0] * 4 + [1.0])
    first, second = table(game), table(game)
    td_lambda(first, episode, 0.1, 0.5)
    td_lambda(second, episode, 0.1, 0.5, traces="replacing")
    assert first.value(5) == second.value(5) == pytest.approx(0.1)
    assert first.value(3) == pytest.approx(0.1 * (0.5**4 + 0.5**2))
    assert second.value(3) == pytest.approx(0.1 * 0.5**2)


@pytest.mark.parametrize("lambda_", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("traces", ["accumulating", "replacing"])
def test_td_learns_the_walk(lambda_: float, traces: Any) -> None:  # noqa: ANN401
    game = Walk(7)
    memories: list[Memory] = [table(game), one_hot(7)]
    for memory in memories:
        for number, episode in enumerate(walk_episodes(1500, seed=4)):
            td_lambda(memory, episode, 1 / (10 + number / 10), lambda_, traces=traces)
        error = max(abs(memory.value(s) - s / 6) for s in range(1, 6))
        assert error < 0.06


def linear_walk() -> LinearMemory:
    """Three features for five states."""
    return LinearMemory(lambda s: np.array([1.0, s / 6, float(s > 3)]), 3)


def test_least_squares_with_table_lookup_solves_the_model_that_was_seen() -> None:
    """λ = 0: the exact values of the process with the frequencies of the episodes."""
    episodes = walk_episodes(30, seed=20)
    steps: dict[int, list[int]] = {}
    for episode in episodes:
        for state, following in pairwise(episode.states):
            steps.setdefault(state, []).append(following)
    transition = np.array([[steps[s].count(n) / len(steps[s]) for n in range(1, 6)] for s in range(1, 6)])
    wins = np.array([steps[s].count(6) / len(steps[s]) for s in range(1, 6)])
    memory = LinearMemory(lambda state: np.eye(5)[state - 1], 5)
    least = LeastSquaresTd(memory)
    for episode in episodes:
        least.learn(episode)
    assert least.solve() == pytest.approx(np.linalg.solve(np.eye(5) - transition, wins))
    assert memory.value(2) == memory.theta[1]


@pytest.mark.parametrize("lambda_", [0.0, 0.4, 1.0])
def test_least_squares_leaves_no_error_along_the_trace(lambda_: float) -> None:
    """Σ_t δ_t e_t = 0: where TD(λ) would stand still; at λ = 1 that is the regression of returns."""
    memory, episodes = linear_walk(), walk_episodes(40, seed=21)
    least = LeastSquaresTd(memory, lambda_)
    for episode in episodes:
        least.learn(episode)
    least.solve()
    moved, change = linear_walk(), np.zeros(3)
    for episode in episodes:
        moved.theta[:] = memory.theta
        td_lambda(moved, episode, 1.0, lambda_, offline=True)
        change += moved.theta - memory.theta
    assert change == pytest.approx(np.zeros(3), abs=1e-9)
    if lambda_ == 1:
        rows = [(memory.phi(s), z) for e in episodes for s, z in zip(e.states, e.returns(), strict=False)]
        fitted = np.linalg.lstsq(np.array([phi for phi, _ in rows]), np.array([z for _, z in rows]), rcond=None)[0]
        assert memory.theta == pytest.approx(fitted)


def test_what_least_squares_refuses() -> None:
    memory = one_hot(7)  # the ends never learn
    least = LeastSquaresTd(memory)
    for episode in walk_episodes(5, seed=22):
        least.learn(episode)
    with pytest.raises(InvalidArgumentError, match="do not determine all 7 weights"):
        least.solve()
    tamed = LeastSquaresTd(memory, ridge=1e-9)
    for episode in walk_episodes(50, seed=22):
        tamed.learn(episode)
    assert tamed.solve()[[0, 6]] == pytest.approx([0, 0])
    assert memory.value(3) == pytest.approx(0.5, abs=0.25)
    with pytest.raises(InvalidArgumentError, match=r"not 1\.5 and 0"):
        LeastSquaresTd(memory, 1.5)


# --- control


def achieved(mdp: TabularMdp, memory: Memory) -> float:
    """What the greedy policy is worth at the start; where it would walk in circles for ever it dithers a little."""
    policy = greedy_policy(mdp.game, memory)

    def dithering(state: Any) -> dict[Action, float]:  # noqa: ANN401
        chances = policy(state)
        return {Action(a): 0.999_999 * chances.get(Action(a), 0.0) + 0.000_001 / 4 for a in range(4)}

    return float(evaluate_policy(mdp, dithering)[0])


def pair_features(game: Gridworld) -> LinearMemory:
    size = game.width * game.height
    return LinearMemory(lambda pair: np.eye(size * 4)[pair[0] * 4 + pair[1]], size * 4)


def test_sarsa_and_dyna_q_act_as_well_as_value_iteration() -> None:
    game = Gridworld(slip=0)
    mdp = tabulate(game)
    best = value_iteration(mdp).value(game.initial_state())
    tabular, linear, planned = Table(name_of_pair(game)), pair_features(game), Table(name_of_pair(game))
    model, rng = DynaModel(), Rng(5)
    for number in range(400):
        epsilon = 1 / (1 + number / 20)
        sarsa(game, tabular, rng.split("sarsa", number), alpha=0.1, lambda_=0.8, epsilon=epsilon)
        sarsa(game, linear, rng.split("sarsa", number), alpha=0.1, lambda_=0.8, epsilon=epsilon)
    for number in range(40):
        dyna_q(game, planned, model, rng.split("dyna", number), alpha=0.5, epsilon=0.2, planning_steps=20)
    for memory in (tabular, linear, planned):
        assert achieved(mdp, memory) == pytest.approx(best, abs=1e-3)


def test_control_learns_where_one_may_slip() -> None:
    game = Gridworld()
    mdp = tabulate(game)
    best = value_iteration(mdp).value(game.initial_state())
    rng = Rng(6)
    learnt, planned, sampled = (Table(name_of_pair(game)) for _ in range(3))
    model = DynaModel()
    for number in range(1500):
        sarsa(game, learnt, rng.split("sarsa", number), alpha=0.05, lambda_=0.5, epsilon=0.1, traces="replacing")
        monte_carlo_control(game, sampled, rng.split("mc", number), alpha=0.01, epsilon=0.1)
    for number in range(300):
        dyna_q(game, planned, model, rng.split("dyna", number), alpha=0.05, epsilon=0.1, planning_steps=10)
    uniform_value = evaluate_policy(mdp, lambda _: {Action(a): 0.25 for a in range(4)})[0]
    assert uniform_value < -0.4
    for memory in (learnt, planned, sampled):
        assert achieved(mdp, memory) > best - 0.1


def test_dyna_q_needs_fewer_real_episodes() -> None:
    game = Gridworld("rooms", slip=0)
    steps = {}
    for planning_steps in (0, 20):
        memory, model, rng = Table(name_of_pair(game)), DynaModel(), Rng(7)
        earned = [
            dyna_q(game, memory, model, rng, alpha=0.5, epsilon=0.1, planning_steps=planning_steps) for _ in range(15)
        ]
        steps[planning_steps] = sum(earned)
    assert steps[20] > steps[0] + 5


def test_monte_carlo_control_is_sarsa_1_offline() -> None:
    game = Gridworld()
    first, second = Table(name_of_pair(game)), Table(name_of_pair(game))
    rng = Rng(8)
    for number in range(30):
        sarsa(game, first, rng.split("episode", number), alpha=0.02, lambda_=1.0, epsilon=0.3, offline=True)
        # The same draws in the same order: an action, a step, an action …
        monte_carlo_control(game, second, rng.split("episode", number), alpha=0.02, epsilon=0.3)
        assert first.values.keys() == second.values.keys()
        for name, value in first.values.items():
            assert second.values[name] == pytest.approx(value, rel=1e-9, abs=1e-12)
            # Ties must break alike in the next episode.
            second.values[name] = value


def test_self_play_in_two_player_games() -> None:
    game = ExplicitTree([[3, 12], [2, 4]])
    learnt, sampled = Table(name_of_pair(game)), Table(name_of_pair(game))
    rng, count = Rng(9), VisitCount(name_of_pair(game))
    for number in range(300):
        sarsa(game, learnt, rng.split("game", number), alpha=0.2, lambda_=0.0, epsilon=0.3)
        monte_carlo_control(game, sampled, rng.split("game", number), alpha=count, epsilon=0.3)
    for memory in (learnt, sampled):
        assert evaluate_policy(tabulate(game), greedy_policy(game, memory))[0] == 3


def test_softmax_and_ucb1() -> None:
    values = {Action(0): 1.0, Action(1): 0.0}
    assert softmax(values, 1.0)[Action(0)] == pytest.approx(np.e / (1 + np.e))
    assert softmax({Action(0): 1e6, Action(1): 0.0}, 1e-3) == {0: 1.0, 1: 0.0}
    assert ucb1(values, {Action(0): 3, Action(1): 0}) == 1
    assert ucb1(values, {Action(0): 3, Action(1): 3}) == 0
    assert ucb1(values, {Action(0): 100, Action(1): 1}) == 1  # √(2 ln 101) > 1 + …
    assert ucb1(values, {Action(0): 100, Action(1): 1}, exploration=0.1) == 0


# --- sampling


def test_sparse_sampling_approaches_the_value() -> None:
    game = Gridworld(".G\nSx", slip=0.4)
    start = game.initial_state()
    true = expectimax(game, start, 2)

    def error(sample: Any, samples: int) -> float:  # noqa: ANN401
        rng = Rng(10)
        runs = [sample(game, start, rng.split("run", i), samples=samples, depth=2) for i in range(20)]
        return float(np.sqrt(np.mean([(run - true) ** 2 for run in runs])))

    for sample in (sparse_sampling, partial(ucb_sampling, exploration=0.5)):
        errors = [error(sample, samples) for samples in (1, 4, 16)]
        assert errors[2] < errors[1] < errors[0]
        assert errors[2] < 0.25


def test_sparse_sampling_is_minimax_without_chance() -> None:
    game = ExplicitTree([[3, 12], [2, [4, 6]]])
    start = game.initial_state()
    for samples in (1, 2):
        assert sparse_sampling(game, start, Rng(1), samples=samples, depth=4) == 3
    assert ucb_sampling(game, start, Rng(1), samples=20, depth=4, exploration=10) == pytest.approx(3, abs=0.5)
    assert sparse_sampling(game, start, Rng(1), samples=1, depth=0, evaluate=lambda _: 8.0) == 8
    with pytest.raises(InvalidArgumentError, match="samples >= 1"):
        sparse_sampling(game, start, Rng(1), samples=0, depth=1)


# --- policy gradient


def grid_policy(game: Gridworld) -> SoftmaxPolicy:
    size = game.width * game.height * 4

    def features(state: int, action: Action) -> NDArray[np.float64]:
        return np.asarray(np.eye(size)[state * 4 + action])

    return SoftmaxPolicy(game, features, size)


def test_the_score_is_the_gradient_of_the_log_probability() -> None:
    policy = grid_policy(Gridworld())
    policy.weights = np.array([((7 * i) % 11) / 5 - 1 for i in range(len(policy.weights))])
    state, action, small = 6, Action(2), 1e-6
    numeric = np.zeros_like(policy.weights)
    weights = policy.weights.copy()
    for i in range(len(weights)):
        for sign in (1, -1):
            policy.weights = weights + sign * small * np.eye(len(weights))[i]
            numeric[i] += sign * np.log(policy.probabilities(state)[action]) / (2 * small)
    policy.weights = weights
    assert policy.score(state, action) == pytest.approx(numeric, abs=1e-8)


def test_reinforce_climbs() -> None:
    game = Gridworld(slip=0)
    mdp = tabulate(game)
    policy = grid_policy(game)
    start = mdp.state_index(game.initial_state())
    before = evaluate_policy(mdp, policy.probabilities)[start]
    baseline, rng = table(game), Rng(11)
    for number in range(800):
        episode = reinforce(policy, rng.split("episode", number), beta=0.1, baseline=baseline)
        monte_carlo(baseline, episode, 0.05)
    after = evaluate_policy(mdp, policy.probabilities)[start]
    assert before < 0
    assert after > 0.6


# --- everywhere


def test_one_seed_one_result() -> None:
    game = Gridworld()

    def run(seed: int) -> list[Any]:
        rng = Rng(seed)
        memory, model = Table(name_of_pair(game)), DynaModel()
        results: list[Any] = []
        for _ in range(5):
            results.append(sarsa(game, memory, rng, alpha=0.1, lambda_=0.5, epsilon=0.2))
            results.append(dyna_q(game, memory, model, rng, alpha=0.1, epsilon=0.2, planning_steps=3))
            results.append(sum(play_episode(game, epsilon_greedy(game, memory, 0.1), rng).rewards))
        results.append(sparse_sampling(game, game.initial_state(), rng, samples=2, depth=3))
        results.append(ucb_sampling(game, game.initial_state(), rng, samples=2, depth=3))
        policy = grid_policy(game)
        reinforce(policy, rng, beta=0.1)
        return [*results, *policy.weights, *sorted(memory.values.items(), key=str)]

    assert run(1) == run(1)
    assert run(1) != run(2)


@pytest.mark.parametrize("game", [Walk(5), Piglet(), Gridworld(), Gridworld("cliff", slip=0)], ids=lambda g: g.name)
def test_games_keep_the_contract(game: Any) -> None:  # noqa: ANN401
    check_game(game)
    assert game.facts.key in (KeyKind.NONE, KeyKind.EXACT)
