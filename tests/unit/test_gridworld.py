"""The gridworld: its map, its steps, and what it refuses."""

from collections.abc import Sequence

import pytest

from katachi import Action, InvalidArgumentError, Limit, ParseError, Rng, TreeSearch, check_game, make_game
from katachi.core.errors import GameContractError
from katachi.games.contract import Outcome, outcomes_of
from katachi.games.gridworld import MAPS, Gridworld
from katachi.search.alpha_beta import AlphaBeta, AlphaBetaSettings

UP, RIGHT, DOWN, LEFT = map(Action, range(4))


def test_drawing_and_steps() -> None:
    game = make_game("gridworld", slip=0.0)
    assert isinstance(game, Gridworld)
    state = game.initial_state()
    assert game.format_state(state) == "...G\n.#.x\n@...\n"
    assert game.play(state, LEFT) == (state, -0.04)
    state, reward = game.play(state, UP)
    assert game.format_state(state) == "...G\n@#.x\nS...\n"
    assert game.play(state, RIGHT) == (state, -0.04)  # a wall
    for action in (UP, RIGHT, RIGHT, RIGHT):
        state, reward = game.play(state, action)
    assert reward == pytest.approx(0.96)
    assert game.is_terminal(state)
    assert game.legal_actions(state) == []


def test_slipping() -> None:
    game = Gridworld(slip=0.2)
    outcomes = outcomes_of(game, 6, UP)
    assert [(o.probability, o.state) for o in outcomes] == [(0.8, 2), (0.1, 7), (0.1, 6)]
    assert [o.reward for o in outcomes] == pytest.approx([-0.04, -1.04, -0.04])
    rng = Rng(1)
    ends = [game.play(6, UP, rng)[0] for _ in range(5000)]
    for outcome in outcomes:
        assert ends.count(outcome.state) / 5000 == pytest.approx(outcome.probability, abs=0.02)
    with pytest.raises(InvalidArgumentError, match="generator"):
        game.play(6, UP)


@pytest.mark.parametrize("name", MAPS)
def test_words_and_maps(name: str) -> None:
    game = Gridworld(name)
    state = game.initial_state()
    for action in game.legal_actions(state):
        assert game.parse_action(state, game.format_action(state, action)) == action
    with pytest.raises(ParseError, match="direction"):
        game.parse_action(state, "north")


@pytest.mark.parametrize(
    ("map", "problem"),
    [
        ("S.\n.", "equally long"),
        ("S.\n..", "one S and at least one G"),
        ("S?G", "not ?"),
        ("corne", "did you mean 'corner'"),
        ("", "equally long"),
    ],
)
def test_maps_that_are_refused(map: str, problem: str) -> None:
    with pytest.raises(InvalidArgumentError, match=problem.replace("?", r"\?")):
        Gridworld(map)


def test_other_refusals() -> None:
    with pytest.raises(InvalidArgumentError, match="probability"):
        Gridworld(slip=1.5)
    with pytest.raises(InvalidArgumentError, match="finite"):
        Gridworld(step_reward=float("nan"))
    with pytest.raises(InvalidArgumentError, match="no step"):
        Gridworld().outcomes(3, UP)


def test_outcomes_that_are_not_what_play_does() -> None:
    class Forgetful(Gridworld):
        def play(self, state: int, action: Action, rng: Rng | None = None) -> tuple[int, float]:
            return Gridworld.play(self, state, Action((action + 2) % 4), rng)

    class Vague(Gridworld):
        def outcomes(self, state: int, action: Action) -> Sequence[Outcome]:
            return [Outcome(o.probability / 2, o.state, o.reward) for o in super().outcomes(state, action)]

    with pytest.raises(GameContractError, match="outcomes does not name"):
        check_game(Forgetful())
    with pytest.raises(GameContractError, match="sum 1"):
        check_game(Vague())


def test_searches_find_the_goal() -> None:
    game = Gridworld(slip=0)
    start = game.initial_state()
    full = AlphaBeta(game, start, settings=AlphaBetaSettings(depth=6))
    full.run()
    assert full.value == pytest.approx(1 - 5 * 0.04)
    assert len(full.line) == 5
    tree = TreeSearch(game, 2, rng=Rng(1))
    tree.run(Limit(simulations=500))
    assert tree.best_by_visits(Rng(1)) == RIGHT
