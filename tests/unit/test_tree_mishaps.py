"""A tree search when something goes wrong: functions that fail, values that diverge, endless games, wrong paths."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from katachi import Limit, Rng, TreeSearch, make_game
from katachi._core import GameFacts, KeyKind, Player
from katachi.core.errors import DivergenceError, GameContractError, InvalidArgumentError, KatachiError
from katachi.core.types import Action
from katachi.games.contract import BaseGame
from katachi.players.registry import make_player
from katachi.search.tree_settings import preset

TIC_TAC_TOE: Any = make_game("tic-tac-toe")


class Endless(BaseGame[int]):
    """Two players who count and never stop."""

    name = "endless"
    facts = GameFacts(players=2, action_space=2, return_bounds=(0.0, 1.0), key=KeyKind.EXACT)

    def initial_state(self) -> int:
        return 0

    def to_play(self, state: int) -> Player:
        return Player(state % 2)

    def is_terminal(self, state: int) -> bool:
        return False

    def legal_actions(self, state: int) -> list[Action]:
        return [Action(0), Action(1)]

    def play(self, state: int, action: Action) -> tuple[int, float]:
        return state + 1 + action, 0.0

    def key(self, state: int) -> int:
        return state


class Huge(Endless):
    """One step, and a reward at the edge of what a number can be, of another sign every time."""

    name = "huge"
    facts = GameFacts(players=1, action_space=2)

    def __init__(self) -> None:
        self.signs: Iterator[float] = (sign for _ in range(100) for sign in (1.0, -1.0))

    def to_play(self, state: int) -> Player:
        return Player.BLACK

    def is_terminal(self, state: int) -> bool:
        return state > 0

    def play(self, state: int, action: Action) -> tuple[int, float]:
        return state + 1, next(self.signs) * 1.5e308


class Arrays(BaseGame[Any]):
    """Tic-tac-toe's length and no winner; its states are arrays without keys."""

    name = "arrays"
    facts = GameFacts(players=2, action_space=9, return_bounds=(0.0, 1.0), max_length=9)

    def initial_state(self) -> Any:  # noqa: ANN401
        return np.zeros(9, dtype=int)

    def to_play(self, state: Any) -> Player:  # noqa: ANN401
        return Player(int(state.sum()) % 2)

    def is_terminal(self, state: Any) -> bool:  # noqa: ANN401
        return bool(state.all())

    def legal_actions(self, state: Any) -> list[Action]:  # noqa: ANN401
        return [Action(int(i)) for i in np.flatnonzero(state == 0)]

    def play(self, state: Any, action: Action) -> tuple[Any, float]:  # noqa: ANN401
        after = state.copy()
        after[action] = 1
        return after, 0.5 if after.all() else 0.0


@pytest.mark.parametrize("structure", ["tree", "graph"])
@pytest.mark.parametrize("path", [[4, 0], [0, 1, 2, 3, 5, 4]])
def test_a_search_outlives_a_heuristic_that_fails_while_the_root_moves(structure: str, path: list[int]) -> None:
    fails = False

    def value(_: object) -> float:
        if fails:
            raise RuntimeError("no idea")
        return 0.5

    settings = preset("uct", v_init="heuristic", structure=structure, reward_timing="timed")
    search = TreeSearch(TIC_TAC_TOE, TIC_TAC_TOE.initial_state(), rng=Rng(1), settings=settings, value=value)
    search.run(Limit(simulations=300))
    state = TIC_TAC_TOE.initial_state()
    for action in path:
        state, _ = TIC_TAC_TOE.play(state, Action(action))
    fails = True
    with pytest.raises(RuntimeError, match="no idea"):  # a known tree needs nobody's opinion before it grows
        search.move_to(state, [Action(action) for action in path], Rng(2)) and search.run(Limit(simulations=1))
    fails = False
    search.run(Limit(simulations=200))
    assert sum(root.visits for root in search.root_actions()) >= 200


def test_values_that_diverge_are_an_error() -> None:
    game = Huge()
    search = TreeSearch(game, 0, rng=Rng(1), settings=preset("uct", normalisation="none"))
    with pytest.raises(DivergenceError, match="the value of the root has become"):
        search.run(Limit(simulations=100))


def test_heuristics_are_bounded() -> None:
    for answer in (1e101, float("nan"), "x"):
        with pytest.raises(GameContractError, match="instead of a number from -1e100"):
            TreeSearch(
                TIC_TAC_TOE, TIC_TAC_TOE.initial_state(), rng=Rng(1), settings=preset("uct", v_init="heuristic"),
                value=lambda _: answer,  # type: ignore[arg-type,return-value]  # noqa: B023
            )  # fmt: skip
    search = TreeSearch(
        TIC_TAC_TOE, TIC_TAC_TOE.initial_state(), rng=Rng(1), settings=preset("uct", playout_policy="heuristic"),
        playout=lambda _state, _actions: None,  # type: ignore[arg-type,return-value]
    )  # fmt: skip
    with pytest.raises(GameContractError, match="returned None instead of weights"):
        search.run(Limit(simulations=1))


@pytest.mark.parametrize("name", ["uct", "sarsa-uct", "sarsa"])
@pytest.mark.parametrize("policy", ["uniform", "weighted"])
def test_an_episode_that_is_cut_is_no_loss(name: str, policy: str) -> None:
    search = TreeSearch(Endless(), 0, rng=Rng(1), settings=preset(name, playout_policy=policy))
    search.run(Limit(simulations=1))
    assert search.steps == 100_000
    assert [root.value for root in search.root_actions()] == [0.5, 0.5]


def test_the_clock_is_looked_at_within_an_episode() -> None:
    settings = preset("sarsa", playout_policy="weighted")
    search = TreeSearch(Endless(), 0, rng=Rng(1), settings=settings)
    search.run(Limit(seconds=0.001))
    assert search.steps < 100_000


@pytest.mark.parametrize("structure", ["tree", "graph"])
def test_actions_that_do_not_lead_to_the_state_are_refused(structure: str) -> None:
    start = TIC_TAC_TOE.initial_state()
    centre, _ = TIC_TAC_TOE.play(start, Action(4))
    search = TreeSearch(TIC_TAC_TOE, start, rng=Rng(1), settings=preset("uct-original", structure=structure))
    search.run(Limit(simulations=50))
    for actions in ([Action(0)], [], [Action(4), Action(0)]):
        with pytest.raises(InvalidArgumentError, match=r"(?s)the actions \[.*and not to"):
            search.move_to(centre, actions, Rng(2))
    with pytest.raises(KatachiError, match="77"):
        search.move_to(centre, [Action(77)], Rng(2))
    assert search.move_to(centre, [Action(4)], Rng(2))
    search.run(Limit(simulations=50))


def test_states_that_cannot_be_compared_are_searched_anew() -> None:
    game, player = Arrays(), make_player("uct:sims=20")
    state = game.initial_state()
    while not game.is_terminal(state):
        decision = player.choose(game, state, Rng(1))
        assert decision.action is not None
        assert decision.simulations == 20
        state, _ = game.play(state, decision.action)


def test_arguments_are_checked() -> None:
    start = TIC_TAC_TOE.initial_state()
    for wrong, message in (
        ({"settings": "uct"}, "settings are TreeSearchSettings"),
        ({"value": 5}, "value is a function, not 5"),
        ({"playout": "x"}, "playout is a function, not 'x'"),
    ):
        with pytest.raises(InvalidArgumentError, match=message):
            TreeSearch(TIC_TAC_TOE, start, rng=Rng(1), **wrong)


def test_forgetting_reaches_the_counts_of_edges() -> None:
    def values_after(between_moves: str) -> list[float]:
        # Steps do not depend on counts: only the choice of actions does, by the counts of edges.
        settings = preset(
            "uct-original", graph_counts="edge", step_size="constant", step=0.1, between_moves=between_moves,
            forget_share=0.01,
        )  # fmt: skip
        search = TreeSearch(TIC_TAC_TOE, TIC_TAC_TOE.initial_state(), rng=Rng(1), settings=settings)
        search.run(Limit(simulations=2000))
        state, _ = TIC_TAC_TOE.play(TIC_TAC_TOE.initial_state(), Action(4))
        search.move_to(state, [Action(4)], Rng(2))
        search.run(Limit(simulations=40))
        return [root.value for root in search.root_actions()]

    assert values_after("keep") != values_after("forget")


@pytest.mark.parametrize("name", ["uct-original", "sarsa"])
def test_a_graph_keeps_what_can_be_reached_when_its_root_moves(name: str) -> None:
    game = make_game("gomoku", size=5)
    search = TreeSearch(game, game.initial_state(), rng=Rng(1), settings=preset(name, memory=8.0))
    search.run(Limit(simulations=20_000))
    assert search.is_full
    state, many = game.initial_state(), len(search.tree)
    for action in (Action(12), Action(6)):
        state, _ = game.play(state, action)
    assert search.move_to(state, [Action(12), Action(6)], Rng(2))
    assert 0 < len(search.tree) < many / 4
    assert search.bytes <= 8 * 2**20
    assert not search.is_full
    few = len(search.tree)
    search.run(Limit(simulations=200))
    assert len(search.tree) > few
