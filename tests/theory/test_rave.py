"""RAVE and priors keep the promises of their theory (Silver 2009, chapter 8; Gelly and Silver 2008)."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pytest
from scipy.optimize import minimize_scalar

from katachi import Action, BaseGame, GameFacts, KeyKind, Limit, Player, Rng, TreeSearch
from katachi.games.contract import Game
from katachi.games.go import GoGame
from katachi.games.grid import Hex
from katachi.games.native import TicTacToe
from katachi.search.tree_settings import TreeSearchSettings, preset

R5 = TreeSearchSettings(rave="mc-rave", rave_k=1000)


def r6(bias: float) -> TreeSearchSettings:
    return TreeSearchSettings(rave="mc-rave", rave_schedule="min-mse", rave_bias=bias)


# ---- the two schedules (8.4.2, 8.4.3) --------------------------------------------------------------------------------


@pytest.mark.parametrize(("parent", "weight"), [(0, 1.0), (333, 0.70728), (1000, 0.5), (3000, 0.31623)])
def test_the_hand_selected_schedule_depends_on_the_visits_of_the_state(parent: float, weight: float) -> None:
    for n, rave_count in ((1, 1), (7, 300)):
        assert R5.rave_weight(n, rave_count, parent) == pytest.approx(weight, abs=5e-6)
    q, q_rave, beta = 0.4, 0.6, R5.rave_weight(5, 5, 3000)
    assert (1 - beta) * q + beta * q_rave == pytest.approx(0.463246, abs=1e-6)


def test_the_minimum_mse_schedule_depends_on_the_counts_of_the_action() -> None:
    for parent in (30, 3000):
        assert r6(0.1).rave_weight(30, 200, parent) == pytest.approx(0.425532, abs=1e-6)
    assert r6(0.0).rave_weight(30, 10, 1) == pytest.approx(10 / 40)
    assert r6(0.2).rave_weight(30, 1e9, 1) == pytest.approx(1 / (1 + 4 * 30 * 0.2**2))
    assert r6(0.2).rave_weight(1e9, 200, 1) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(("n", "rave_count", "bias"), [(30, 200, 0.1), (3, 40, 0.02), (500, 100, 0.3)])
def test_the_minimum_mse_schedule_minimises_the_error(n: float, rave_count: float, bias: float) -> None:
    def error(beta: float) -> float:
        return (1 - beta) ** 2 * 0.25 / n + beta**2 * (0.25 / rave_count + bias**2)

    best = minimize_scalar(error, bounds=(0, 1), method="bounded", options={"xatol": 1e-9}).x
    assert r6(bias).rave_weight(n, rave_count, 1) == pytest.approx(best, abs=1e-5)


def test_where_one_value_is_missing_the_other_one_counts() -> None:
    for settings in (R5, r6(0.1)):
        assert settings.rave_weight(0, 3, 50) == 1
        assert settings.rave_weight(3, 0, 50) == 0
    assert TreeSearchSettings(rave="rave").rave_weight(100, 1, 10_000) == 1
    assert TreeSearchSettings(rave="mc-rave", rave_k=0).rave_weight(0, 5, 0) == 0


def test_one_lost_game_condemns_an_action_by_the_hand_selected_schedule_alone() -> None:
    """Late in a search beta is the same for an action that was tried once: half of its worth is that one game."""
    q_rave, rival, parent = 0.6, 0.45, 1000
    worth = [(1 - beta) * 0 + beta * q_rave for beta in (s.rave_weight(1, 300, parent) for s in (R5, r6(0.03)))]
    assert worth[0] == pytest.approx(0.3)
    assert worth[0] < rival < worth[1]


# ---- all moves as first (8.3) ----------------------------------------------------------------------------------------


class Scripted(BaseGame[tuple[int, ...]]):
    """Six plies of two players with three actions; a fourth is legal from the third ply on. Black wins if told so."""

    name = "scripted"
    facts = GameFacts(players=2, action_space=5, return_bounds=(0, 1), max_length=6, key=KeyKind.NONE)

    def __init__(
        self, scripts: Mapping[int, Sequence[int]], won: Sequence[int], first: Sequence[int] = (0, 1, 2)
    ) -> None:
        self.scripts, self.won, self.first = scripts, won, first

    def initial_state(self) -> tuple[int, ...]:
        return ()

    def is_terminal(self, state: tuple[int, ...]) -> bool:
        return len(state) == 6

    def legal_actions(self, state: tuple[int, ...]) -> Sequence[Action]:
        actions = self.first if len(state) < 2 else (*self.first, 3) if 3 not in self.first else self.first
        return [] if self.is_terminal(state) else [Action(a) for a in actions]

    def to_play(self, state: tuple[int, ...]) -> Player:
        return Player(len(state) % 2)

    def play(self, state: tuple[int, ...], action: Action) -> tuple[tuple[int, ...], float]:
        following = (*state, int(action))
        return following, float(len(following) == 6 and following[0] in self.won)

    def playout(self, state: tuple[int, ...], actions: Sequence[Action]) -> list[float]:
        """Goes on as the script of the first action says."""
        return [float(action == self.scripts[state[0]][len(state)]) for action in actions]

    def prior(self, state: tuple[int, ...], actions: Sequence[Action]) -> list[float]:
        """Prefers what the script says."""
        script = next(iter(self.scripts.values()))
        good = self.to_play(state) == Player.BLACK
        return [float((action == script[len(state)]) == good) for action in actions]


def raves(search: TreeSearch, path: Sequence[int] = ()) -> dict[int, tuple[float, float] | None]:
    """(value, count) by action; also of actions that were never chosen."""
    index = search._native.root
    for action in path:
        index = next(view.index for view in search._native.children(index) if view.action == action)
    return {view.action: view.rave for view in search._native.children(index)}


def test_black_and_white_moves_are_counted_apart_once_and_where_they_are_legal() -> None:
    # Black: 1, 2, 2. White: 0, 3, 0. Black's second 2 does not count again; White's 3 is not legal at his first turn.
    game = Scripted({1: (1, 0, 2, 3, 2, 0)}, won=[1])
    settings = TreeSearchSettings(
        rave="mc-rave", prior="heuristic", prior_count=1.0, playout_policy="heuristic", final_move="visits"
    )
    search = TreeSearch(game, (), rng=Rng(1), settings=settings, playout=game.playout, prior=game.prior)
    assert raves(search) == {0: (0, 1), 1: (1, 1), 2: (0, 1)}  # the prior alone
    search.run(Limit(simulations=1))
    assert raves(search) == {0: (0, 1), 1: (1, 2), 2: (0.5, 2)}
    search.run(Limit(simulations=1))
    assert raves(search) == {0: (0, 1), 1: (1, 3), 2: (2 / 3, 3)}
    # A node learns from the second episode through it on: White is to move, 1 is a loss for him.
    assert raves(search, [1]) == {0: (0.5, 2), 1: (1, 1), 2: (1, 1)}
    search.run(Limit(simulations=1))
    assert raves(search, [1]) == {0: (2 / 3, 3), 1: (1, 1), 2: (1, 1)}
    assert raves(search, [1, 0]) == {0: (0, 1), 1: (0, 1), 2: (1, 2), 3: (0, 1)}


def test_the_counting_example_of_the_source() -> None:
    """Figure 8.1: a move was chosen once and lost, 0/1; of five episodes in which it was played three were won, 3/5."""
    others = {a: (a, 1, 0, 2, a, 1) for a in (1, 2, 3, 4)}
    game = Scripted({0: (0, 1, 2, 1, 2, 1), **others}, won=[1, 2, 3], first=(0, 1, 2, 3, 4))
    settings = TreeSearchSettings(rave="mc-rave", rave_k=0, playout_policy="heuristic")  # every action once
    search = TreeSearch(game, (), rng=Rng(1), settings=settings, playout=game.playout)
    search.run(Limit(simulations=5))
    played = next(child for child in search.tree.root.children() if child.action == 0)
    assert (played.value, played.visits) == (0, 1)
    assert played.rave == pytest.approx((3 / 5, 5))


def test_tic_tac_toe_by_hand() -> None:
    """Black takes the centre, then both the lowest free square: X 4 1 3 6 8, O 0 2 5 7, a draw."""
    settings = TreeSearchSettings(rave="mc-rave", prior="heuristic", prior_count=1.0, playout_policy="heuristic")
    search = TreeSearch(
        TicTacToe(),
        TicTacToe().initial_state(),
        rng=Rng(1),
        settings=settings,
        playout=lambda _, actions: [1.0] + [0.0] * (len(actions) - 1),
        prior=lambda _, actions: [float(action == 4) for action in actions],
    )
    search.run(Limit(simulations=1))
    assert raves(search) == {
        **dict.fromkeys((0, 2, 5, 7), (0, 1)),
        **dict.fromkeys((1, 3, 6, 8), (0.25, 2)),
        4: (0.75, 2),
    }


@pytest.mark.parametrize("lambda_", [0.0, 0.5, 1.0])
def test_all_moves_as_first_learn_what_the_chosen_one_learns(lambda_: float) -> None:
    settings = TreeSearchSettings(learner="td", lambda_=lambda_, rave="mc-rave", v_init=0.3)
    for seed in range(10):
        search = TreeSearch(TicTacToe(), TicTacToe().initial_state(), rng=Rng(seed), settings=settings)
        search.run(Limit(simulations=1))
        (chosen,) = search.tree.root.children()
        known = [rave for rave in raves(search).values() if rave is not None]
        assert 3 <= len(known) <= 5  # Black's moves
        assert all(rave == pytest.approx((chosen.value, 1)) for rave in known)


# ---- limits ----------------------------------------------------------------------------------------------------------


def shape(search: TreeSearch) -> list[tuple[int, int, int, float]]:
    return [(level, node.action, node.visits, node.value) for level, node in search.tree.walk()]


GAMES: list[tuple[Any, str]] = [
    (GoGame(5), "mogo"),
    (GoGame(5), "uniform"),
    (Hex(4), "uniform"),
    (TicTacToe(), "uniform"),
]


@pytest.mark.parametrize(("game", "policy"), GAMES)
@pytest.mark.parametrize(
    ("settings", "plain"),
    [
        ({"rave": "uct-rave", "rave_k": 0, "c_p": 0.4}, {"c_p": 0.4}),
        ({"rave": "uct-rave-2007", "rave_k": 0, "c_p": 0.4}, {"c_p": 0.4}),
        ({"rave": "mc-rave", "rave_k": 0, "first_play_urgency": 0.6}, {"c_p": 0.0, "first_play_urgency": 0.6}),
        ({"rave": "uct-rave", "rave_k": 0, "ucb_form": "fuego"}, {"ucb_form": "fuego"}),
    ],
)
def test_with_k_0_it_is_plain_uct(game: Any, policy: str, settings: dict[str, Any], plain: dict[str, Any]) -> None:  # noqa: ANN401
    found = []
    for chosen in (settings, plain):
        search = TreeSearch(
            game, game.initial_state(), rng=Rng(3), settings=TreeSearchSettings(playout_policy=policy, **chosen)
        )
        search.run(Limit(simulations=400))
        found.append(shape(search))
    assert found[0] == found[1]


@pytest.mark.parametrize("prior", ["even", "grandfather", "handcrafted", "shapes"])
def test_with_m_0_there_is_no_prior(prior: str) -> None:
    game, found = GoGame(5), []
    for changes in ({}, {"prior": prior, "prior_count": 0.0}):
        settings = preset("mc-rave", **changes)
        search = TreeSearch(game, game.initial_state(), rng=Rng(3), settings=settings)
        search.run(Limit(simulations=400))
        found.append(shape(search))
    assert found[0] == found[1]


def test_rave_finds_other_moves_than_uct() -> None:
    game, found = GoGame(5), []
    for name in ("mc-rave", "uct"):
        settings = preset(name, playout_policy="mogo")
        search = TreeSearch(game, game.initial_state(), rng=Rng(3), settings=settings)
        search.run(Limit(simulations=400))
        found.append(shape(search))
    assert found[0] != found[1]


class Lost(BaseGame[int]):
    """One action, and it loses."""

    name = "lost"
    facts = GameFacts(players=1, action_space=1, return_bounds=(0, 1), key=KeyKind.EXACT)

    def initial_state(self) -> int:
        return 0

    def is_terminal(self, state: int) -> bool:
        return state == 1

    def legal_actions(self, state: int) -> Sequence[Action]:
        return [] if state else [Action(0)]

    def to_play(self, state: int) -> Player:
        return Player.BLACK

    def play(self, state: int, action: Action) -> tuple[int, float]:
        return 1, 0.0

    def key(self, state: int) -> int:
        return state


def test_a_prior_is_worth_its_equivalent_experience() -> None:
    """0.7 worth 50 visits, then 10 losses: 35/60 (Gelly and Silver 2008)."""
    settings = TreeSearchSettings(
        prior="heuristic", prior_visits=50, prior_count=50, rave="mc-rave", rave_k=0, final_move="visits"
    )
    search = TreeSearch(Lost(), 0, rng=Rng(1), settings=settings, prior=lambda _, actions: [0.7] * len(actions))
    assert search.root_actions()[0].value == pytest.approx(0.7)
    search.run(Limit(simulations=10))
    (child,) = search.tree.root.children()
    assert child.value == pytest.approx(35 / 60)
    assert child.rave == pytest.approx((35 / 60, 60))
    assert child.visits == 10


def test_a_prior_on_visits_is_heuristic_tree_search() -> None:
    """H worth C visits is V_init = H with steps of 1 / (n + C): the first bullet of 8.11, seen from both sides."""
    game = TicTacToe()

    def heuristic(state: Any) -> float:  # noqa: ANN401
        return (sum(map(ord, str(state))) % 17) / 16

    def prior(state: Any, actions: Sequence[Action]) -> list[float]:  # noqa: ANN401
        return [heuristic(game.play(state, action)[0]) for action in actions]

    for seed in range(5):
        found = []
        for settings, given in (
            (TreeSearchSettings(control="greedy", prior="heuristic", prior_visits=3.0), {"prior": prior}),
            (TreeSearchSettings(control="greedy", v_init="heuristic", step_prior=3.0), {"value": heuristic}),
        ):
            search = TreeSearch(game, game.initial_state(), rng=Rng(seed), settings=settings, **given)
            search.run(Limit(simulations=300))
            found.append(shape(search)[1:])  # the root has no prior
        assert found[0] == found[1]
        assert len(found[0]) > 20


def test_a_node_with_untried_actions_may_be_left_to_the_playout_policy() -> None:
    """Then its actions are drawn, and all are tried after n (1 + 1/2 + ... + 1/n) episodes on average."""
    game, episodes, expected = TicTacToe(), [], 9 * sum(1 / n for n in range(1, 10))
    for seed in range(300):
        settings = TreeSearchSettings(expansion="all-children")
        search = TreeSearch(game, game.initial_state(), rng=Rng(seed), settings=settings)
        while len(search.tree.root.children()) < 9:
            search.run(Limit(simulations=1))
        episodes.append(search.simulations)
        assert search.tree.root.visits == search.simulations
        assert len(search.tree) <= 10  # nothing is memorised below
    assert sum(episodes) / 300 == pytest.approx(expected, rel=0.1)


def test_the_value_of_an_action_is_a_mean_of_both() -> None:
    game = GoGame(5)
    settings = preset("mc-rave", rave_k=100, final_move="value")
    search = TreeSearch(game, game.initial_state(), rng=Rng(1), settings=settings)
    search.run(Limit(simulations=300))
    beta = (100 / (3 * 300 + 100)) ** 0.5
    by_action = {root.action: root.value for root in search.root_actions()}
    for child in search.tree.root.children():
        assert child.rave is not None
        assert child.combined == pytest.approx((1 - beta) * child.value + beta * child.rave[0])
        assert by_action[child.action] == child.combined
    best = search.best(Rng(1))
    assert by_action[best] == max(child.combined for child in search.tree.root.children())
    assert search.ranked()[0].combined == by_action[best]


def test_first_stones_are_all_moves_where_no_point_is_played_twice() -> None:
    """In Go, where stones are taken and points played again, fewer moves count as first."""

    def counts(game: Game[Any], rave_moves: Literal["all", "first"]) -> list[tuple[int, float]]:
        settings = TreeSearchSettings(rave="mc-rave", rave_moves=rave_moves)
        search = TreeSearch(game, game.initial_state(), rng=Rng(7), settings=settings)
        search.run(Limit(simulations=300))
        children = search.tree.root.children()
        return [(child.visits, child.rave[1] if child.rave else 0) for child in children]

    assert counts(Hex(4), "first") == counts(Hex(4), "all")
    every, first = counts(GoGame(3), "all"), counts(GoGame(3), "first")
    assert sum(count for _, count in first) < sum(count for _, count in every)


def test_a_grandfather_is_the_same_move_two_plies_before() -> None:
    game = TicTacToe()
    settings = TreeSearchSettings(rave="uct-rave", rave_k=0, prior="grandfather", prior_count=5.0)
    search = TreeSearch(game, game.initial_state(), rng=Rng(5), settings=settings)
    native, met, exact = search._native, set[int](), 0
    for _ in range(400):
        before = {view.action: (view.visits, view.value) for view in native.children(native.root)}
        search.run(Limit(simulations=1))
        for child in search.tree.root.children():
            for node in child.children():
                if node.visits < 2 or node.index in met:
                    continue
                met.add(node.index)  # its actions have been made just now
                for view in native.children(node.index):
                    visits, value = before[view.action]
                    assert view.rave is not None
                    if view.rave[1] == 5:  # not played in this episode
                        assert view.rave[0] == pytest.approx(value if visits else 0.5)
                        exact += visits > 0 and value != 0.5
    assert exact > 100
