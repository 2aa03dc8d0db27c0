"""The gridworld: its map, its steps, and what it refuses."""

from collections.abc import Sequence

import pytest

from katachi import Action, InvalidArgumentError, Limit, ParseError, Rng, TreeSearch, check_game, make_game
from katachi.core.errors import GameContractError, IllegalMoveError
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
        ("S#G", "no way from S to a G"),
        ("SxG\n#..", "no way from S to a G"),
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
    with pytest.raises(InvalidArgumentError, match=r"max_length is a whole number, not 2\.5"):
        Gridworld(max_length=2.5)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="max_length must be at least 1, not 0"):
        Gridworld(max_length=0)


def test_steps_that_are_refused() -> None:
    game = Gridworld(slip=0)
    with pytest.raises(IllegalMoveError, match="no step up from here"):
        game.outcomes(3, UP)
    for action in (Action(4), Action(-1)):
        with pytest.raises(IllegalMoveError, match=f"{action} is no action of gridworld"):
            game.play(game.initial_state(), action)
        with pytest.raises(IllegalMoveError, match=f"{action} is no action of gridworld"):
            game.format_action(game.initial_state(), action)
    for state in (-1, 5, 12, 10_000):  # 5 is a wall
        for ask in (game.is_terminal, game.format_state, game.legal_actions, lambda state: game.play(state, UP)):
            with pytest.raises(InvalidArgumentError, match=f"{state} is no state of this gridworld"):
                ask(state)


def test_the_longest_game() -> None:
    assert Gridworld().facts.max_length is None
    game = make_game("gridworld", slip=0, max_length=3)
    assert isinstance(game, Gridworld)
    state = game.initial_state()
    assert game.format_state(state) == "...G\n.#.x\n@...\nstep 0 of 3\n"
    for step in range(3):
        assert not game.is_terminal(state)
        assert game.key(state) == step * 12 + 8, "a cell is not the same with fewer steps left"
        state, reward = game.play(state, LEFT)
        assert reward == -0.04
    assert game.format_state(state) == "...G\n.#.x\n@...\nstep 3 of 3\n"
    assert game.is_terminal(state)
    assert game.legal_actions(state) == []
    for slip in (0.0, 0.2):
        report = check_game(Gridworld("rooms", slip=slip, max_length=12))
        assert (report.longest, report.cut) == (12, 0)


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
