"""What temporal-difference search in Go must be: learning, reductions, simulations (Silver 2009, chapters 6 and 7)."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from katachi._core import Player, Rng, TdLearner
from katachi.core.errors import DivergenceError, InvalidArgumentError
from katachi.core.limit import Limit
from katachi.core.types import Action
from katachi.features.local_shapes import LocalShapes, ShapeSettings
from katachi.games.go import GoGame, Position
from katachi.games.go.rules import Rules
from katachi.players.registry import make_player
from katachi.search.alpha_beta import AlphaBeta, AlphaBetaSettings
from katachi.search.td_search import TdMemory, TdSearch, TdSearchSettings
from katachi.values.shape_value import ShapeValue, logistic
from katachi.values.shipped import evaluation_of, shipped_weights

GAME = GoGame(5)
# Nothing here looks the same from two sides.
CROOKED = Position(5).play("B2").play("C4").play("D2").play("B3").play("E4")
LONG_TERM = evaluation_of(shipped_weights(5), 5).evaluator


def searched(
    settings: TdSearchSettings,
    simulations: int,
    *,
    seed: int = 1,
    root: Position = CROOKED,
    **memory: Any,  # noqa: ANN401
) -> tuple[TdSearch, TdMemory]:
    known = TdMemory(5, settings, **memory)
    search = TdSearch(GAME, root, memory=known, rng=Rng(seed))
    search.run(Limit(simulations=simulations))
    return search, known


def replayed(root: Position, moves: list[int]) -> list[Position]:
    positions = [root]
    for move in moves:
        positions.append(positions[-1].play(move))
    return positions


class TestLearning:
    @pytest.mark.parametrize(
        "changes",
        [
            {},
            {"plies": 1, "trace_parity": "single"},
            {"lambda": 0.7},
            {"lambda": 0.7, "trace_parity": "single"},
            {"lambda": 1.0},
            {"lambda": 0.7, "traces": "replacing"},
            {"lambda": 0.5, "trace_norm": "at-update"},
            {"target": "monte-carlo"},
            {"head": "non-linear", "alpha": 1.0},
            {"head": "linear", "alpha": 0.01},
            {"learns_last": False},
            {"update_mode": "end-refresh"},
            {"update_mode": "online"},
            {"normaliser": "successor"},
            {"step_rule": "counts", "count_scale": 3.0},
            {"step_rule": "kalman"},
            {"step_rule": "idbd"},
            {"sharing": "ld+li"},
            {"record_limit": 7},
            {"mercy": 0.2},
            {"sizes": "1x1+2x1+3x2"},
        ],
        ids=str,
    )
    def test_a_simulation_teaches_what_its_states_taught_one_by_one(self, changes: dict[str, Any]) -> None:
        settings = TdSearchSettings(**changes)
        memory = TdMemory(5, settings)
        search = TdSearch(GAME, CROOKED, memory=memory, rng=Rng(7))
        slow = TdLearner(settings.to_native(), memory.representation.weights)
        for _ in range(12):
            search.run(Limit(simulations=1))
            game = search.last_game
            states = replayed(CROOKED, game.moves)[: game.recorded]
            slow.learn_game([list(memory.representation.active(state.native)) for state in states], game.outcome)
            assert np.abs(memory.weights).max() > 0
            np.testing.assert_allclose(memory.weights, slow.weights, atol=1e-6)

    def test_the_recorded_states_are_those_before_the_end_or_the_limit(self) -> None:
        whole, _ = searched(TdSearchSettings(), 5)
        assert whole.last_game.recorded == len(whole.last_game.moves)
        some, _ = searched(TdSearchSettings(record_limit=4), 5)
        assert some.last_game.recorded == 4
        assert len(some.last_game.moves) > 4

    def test_one_state_moves_by_alpha_times_its_error(self) -> None:
        """Where no weight counts twice, the step is normalised to alpha (spec 7.2, test 5)."""
        search, memory = searched(TdSearchSettings(record_limit=1, alpha=0.05), 1)
        total = float(np.log(search.value / (1 - search.value)))
        assert total == pytest.approx(0.05 * (search.last_game.outcome - 0.5), rel=1e-5)
        active = memory.representation.active(CROOKED.native)
        assert np.count_nonzero(memory.weights) == len(active)

    def test_an_outcome_is_that_of_the_game_which_was_played(self) -> None:
        memory = TdMemory(5, TdSearchSettings())
        search = TdSearch(GAME, CROOKED, memory=memory, rng=Rng(3))
        for _ in range(30):
            search.run(Limit(simulations=1))
            end = replayed(CROOKED, search.last_game.moves)[-1]
            assert end.is_over
            assert search.last_game.outcome == (1 if end.score() > 0 else 0)


class TestSimulations:
    def test_before_the_switch_moves_are_the_best_by_value_and_then_the_policys(self) -> None:
        """t < T: T moves are learnt ones, and not T + 1 as printed (Algorithm 5)."""
        settings = TdSearchSettings(epsilon=0.0, alpha=0.0, switch_after=3, policy="uniform")
        later: Counter[int] = Counter()
        for seed in range(40):
            search, memory = searched(settings, 1, seed=seed, long_term=LONG_TERM)
            moves = search.last_game.moves
            for t, state in enumerate(replayed(CROOKED, moves)[:3]):
                here = TdSearch(GAME, state, memory=memory, rng=Rng(1)).root_actions()
                best = max if state.to_play is Player.BLACK else min
                values = {root.action: root.value for root in here}
                assert values[moves[t]] == pytest.approx(best(values.values()), abs=1e-7)
            later[moves[3]] += 1
        assert len(later) > 5, "the fourth move is the policy's"

    def test_a_fraction_of_a_move_is_the_chance_of_one_more(self) -> None:
        settings = TdSearchSettings(epsilon=0.0, alpha=0.0, switch_after=0.25, policy="uniform")
        root = Position(5)
        memory = TdMemory(5, settings, long_term=LONG_TERM)
        search = TdSearch(GAME, root, memory=memory, rng=Rng(5))
        best = search.root_actions()
        centre = max(best, key=lambda action: action.value).action
        search.run(Limit(simulations=2000))
        share = next(r.visits for r in search.root_actions() if r.action == centre) / 2000
        assert share == pytest.approx(0.25 + 0.75 / 25, abs=0.03)

    @pytest.mark.parametrize(("epsilon", "epsilon_policy"), [(0.4, 0.0), (0.0, 0.4)])
    def test_exploration_has_its_share(self, epsilon: float, epsilon_policy: float) -> None:
        settings = TdSearchSettings(
            epsilon=epsilon, epsilon_policy=epsilon_policy, alpha=0.0, switch_after=1, policy="uniform"
        )
        search, _ = searched(settings, 2000, root=Position(5), long_term=LONG_TERM)
        visits = sorted((root.visits for root in search.root_actions()), reverse=True)
        assert visits[0] / 2000 == pytest.approx(0.6 + 0.4 / 25, abs=0.035)
        assert min(visits) > 10

    def test_exploration_may_fade(self) -> None:
        settings = TdSearchSettings(epsilon=1.0, epsilon_half=10, alpha=0.0, switch_after=1)
        search, _ = searched(settings, 2000, root=Position(5), long_term=LONG_TERM)
        greedy = max(root.visits for root in search.root_actions()) / 2000
        expected = 1 - sum(10 / (10 + n) for n in range(2000)) / 2000 * 24 / 25
        assert greedy == pytest.approx(expected, abs=0.02)

    def test_softmax_prefers_by_value(self) -> None:
        settings = TdSearchSettings(exploration="softmax", temperature=0.05, epsilon=0.0, alpha=0.0, switch_after=1)
        search, _ = searched(settings, 20_000, long_term=LONG_TERM)
        roots = search.root_actions()
        sign = 1 if CROOKED.to_play is Player.BLACK else -1
        powers = np.exp([sign * root.value / 0.05 for root in roots])
        expected = powers / powers.sum()
        found = np.array([root.visits for root in roots]) / 20_000
        np.testing.assert_allclose(found, expected, atol=0.015)

    def test_mercy_ends_a_lost_simulation(self) -> None:
        search, memory = searched(TdSearchSettings(mercy=0.3), 1)
        ends = []
        for _ in range(200):
            search.run(Limit(simulations=1))
            end = replayed(CROOKED, search.last_game.moves)[-1]
            lead = end.stones().count("X") - end.stones().count("O")
            if not end.is_over:
                assert abs(lead) >= 0.3 * 25
                assert search.last_game.outcome == (1 if lead > 0 else 0)
            ends.append(end.is_over)
        assert not all(ends)
        assert memory.settings.mercy == 0.3

    def test_superko_holds_at_the_root(self) -> None:
        game = GoGame(5, rules="cgos")
        state = Position(5, rules="cgos")
        rng = Rng(11)
        checked = 0
        while checked < 15 and not state.is_over:
            memory = TdMemory(5)
            search = TdSearch(game, state, memory=memory, rng=rng.split("search", checked))
            search.run(Limit(simulations=20))
            action = search.best(rng.split("ties", checked))
            assert state.is_legal(action)
            state = state.play(action)
            checked += 1


class TestReductions:
    def test_dyna2_without_long_term_memory_is_td_search(self) -> None:
        nothing = TdMemory(5).evaluator()
        plain, known = searched(TdSearchSettings(), 300)
        for separate in (False, True):
            both, other = searched(TdSearchSettings(), 300, long_term=nothing, separate=separate)
            np.testing.assert_array_equal(known.weights, other.weights)
            assert [(r.visits, r.value) for r in plain.root_actions()] == [
                (r.visits, r.value) for r in both.root_actions()
            ]

    def test_one_table_and_two_memories_are_the_same(self) -> None:
        one, together = searched(TdSearchSettings(), 200, long_term=LONG_TERM)
        two, apart = searched(TdSearchSettings(), 200, long_term=LONG_TERM, separate=True)
        start = TdMemory(5, TdSearchSettings(), long_term=LONG_TERM)
        np.testing.assert_allclose(together.weights - start.weights, apart.weights, atol=1e-6)
        assert [root.visits for root in one.root_actions()] == [root.visits for root in two.root_actions()]
        np.testing.assert_allclose(
            [root.value for root in one.root_actions()], [root.value for root in two.root_actions()], atol=1e-6
        )

    def test_before_any_simulation_values_are_those_of_the_long_term_memory(self) -> None:
        expected = dict(LONG_TERM.afterstates(CROOKED.native))
        for separate in (False, True):
            memory = TdMemory(5, TdSearchSettings(), long_term=LONG_TERM, separate=separate)
            search = TdSearch(GAME, CROOKED, memory=memory, rng=Rng(1))
            for root in search.root_actions():
                assert root.value == pytest.approx(logistic(expected[root.action]), abs=1e-7)

    @pytest.mark.parametrize(
        ("sizes", "separate"), [("1x1+2x2+3x3", False), ("1x1+2x2+3x3", True), ("1x1+2x2", True), ("1x1+2x1+3x2", True)]
    )
    def test_alpha_beta_sees_both_memories(self, sizes: str, separate: bool) -> None:
        search, memory = searched(TdSearchSettings(sizes=sizes), 100, long_term=LONG_TERM, separate=separate)
        ahead = AlphaBeta(
            GAME, CROOKED, settings=AlphaBetaSettings(depth=1, root_values="all"), evaluate=memory.evaluator()
        )
        ahead.run()
        values = {root.action: root.value for root in search.root_actions()}
        for root in ahead.root_actions():
            assert logistic(root.value) == pytest.approx(values[root.action], abs=2e-5)

    def test_a_hybrid_of_depth_1_is_dyna2(self) -> None:
        """Weights are rounded for alpha-beta, so equally good moves apart."""
        hybrid = make_player("hybrid:sims=150,depth=1")
        dyna2 = make_player("dyna2:sims=150")
        state = CROOKED
        for seed in range(4):
            decisions = [player.choose(GAME, state, Rng(seed)) for player in (hybrid, dyna2)]
            assert decisions[0] == decisions[1]
            assert decisions[0].action is not None
            state = state.play(decisions[0].action)

    def test_a_seed_gives_one_search_however_it_is_cut(self) -> None:
        once, first = searched(TdSearchSettings(), 60)
        memory = TdMemory(5, TdSearchSettings())
        search = TdSearch(GAME, CROOKED, memory=memory, rng=Rng(1))
        for _ in range(6):
            search.run(Limit(simulations=10))
        np.testing.assert_array_equal(first.weights, memory.weights)
        assert once.simulations == search.simulations == 60
        assert once.steps == search.steps

    def test_threads_share_one_memory(self) -> None:
        values: dict[int, list[float]] = {}
        for threads in (1, 3):
            for seed in range(12):
                search, memory = searched(TdSearchSettings(threads=threads), 200, seed=seed)
                assert search.simulations == 200
                assert sum(root.visits for root in search.root_actions()) == 200
                assert np.count_nonzero(memory.weights) > 1000
                values.setdefault(threads, []).append(search.value)
        assert np.mean(values[1]) == pytest.approx(np.mean(values[3]), abs=0.12)


# Figure 7.2: what is good in general, and what is good here. Black lives by the middle of three points, and wins then.
IN_THE_CORNER = """
. O . O .
O O O O O
X X X X X
. X X X X
. . X X X"""
ON_THE_EDGE = """
. O . O .
O O O O O
X X X X X
X X X X X
. . . X X"""


@pytest.mark.parametrize(("diagram", "general", "here"), [(IN_THE_CORNER, "B1", "A1"), (ON_THE_EDGE, "C1", "B1")])
def test_the_short_term_memory_corrects_the_long_term_one(diagram: str, general: str, here: str) -> None:
    rules = Rules.named("cgos", komi=0.5)
    game, state = GoGame(5, rules=rules), Position.from_diagram(diagram, rules=rules)
    # By the long-term memory a stone is worth the more, the farther it is from the corner.
    shapes = LocalShapes(5, ShapeSettings(sizes=("1x1",), sharing="ld"))
    value = ShapeValue(shapes)
    weights = value.weights
    for vertex, worth in (("A1", -0.1), ("B1", 0.1), ("C1", 0.2), ("B2", 0.3), ("C2", 0.3), ("C3", 0.4)):
        weights[shapes.parse_weight(f"{vertex} 1x1 X")[0]] = worth
    value.assign(weights)
    memory = TdMemory(5, TdSearchSettings(switch_after=10.0), long_term=value.frozen(), separate=True)
    search = TdSearch(game, state, memory=memory, rng=Rng(1))

    def best() -> set[str]:
        values = {state.vertex(root.action): root.value for root in search.root_actions()}
        return {vertex for vertex, value in values.items() if value == max(values.values())}

    assert best() <= {general, "A2"}
    search.run(Limit(simulations=1000))
    assert best() == {here}
    assert search.value > 0.8


def test_a_memory_can_be_cleared_while_a_search_is_kept() -> None:
    for threads in (1, 2):
        search, memory = searched(TdSearchSettings(threads=threads), 50)
        assert len(search.last_game.moves) > 0
        memory.clear()
        assert search.value == 0.5
        search.run(Limit(simulations=20))
        assert search.value != 0.5


def test_a_line_begins_with_an_action_of_the_root() -> None:
    search, _ = searched(TdSearchSettings(), 20)
    for action in (-5, 9999, CROOKED.moves[0]):
        with pytest.raises(InvalidArgumentError, match=f"action {action} is not one of the root's"):
            search.line(Action(action))
    best = search.best(Rng(1))
    assert search.line(best, 3)[0] == best


def test_a_cold_softmax_takes_the_best() -> None:
    settings = TdSearchSettings(exploration="softmax", temperature=1e-4, epsilon=0.0, alpha=0.0, switch_after=1)
    search, _ = searched(settings, 200, long_term=LONG_TERM)
    best = search.best(Rng(1))
    assert next(root.visits for root in search.root_actions() if root.action == best) == 200


def test_weights_beyond_all_bounds_are_refused() -> None:
    memory = TdMemory(5, TdSearchSettings(head="linear", alpha=1000.0, lambda_=0.9))
    search = TdSearch(GAME, CROOKED, memory=memory, rng=Rng(1))

    def search_and_freeze() -> None:
        for _ in range(200):
            search.run(Limit(simulations=1))
            memory.evaluator()

    with pytest.raises((DivergenceError, InvalidArgumentError), match=r"finite|bounds"):
        search_and_freeze()
