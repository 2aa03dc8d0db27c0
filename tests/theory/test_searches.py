"""The searches over every kind of game: right answers, exact counts, one seed one result, Python equal to native."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest

from katachi import (
    Action,
    BaseGame,
    FlatMonteCarlo,
    GameFacts,
    InvalidArgumentError,
    KeyKind,
    Limit,
    Player,
    Rng,
    TreeSearch,
    check_game,
    make_game,
)
from katachi.games.go import GoGame, Position, Rules
from katachi.games.native import ExplicitTree, Pig, TicTacToe
from katachi.search.tree_settings import TreeSearchSettings


class PythonTicTacToe(BaseGame[tuple[int, int, int]]):
    """Tic-tac-toe once more, in Python: (black stones, white stones, number of moves)."""

    name = "python-tic-tac-toe"
    facts = GameFacts(players=2, action_space=9, return_bounds=(0, 1), max_length=9, key=KeyKind.EXACT)
    lines = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)

    def initial_state(self) -> tuple[int, int, int]:
        return 0, 0, 0

    def is_terminal(self, state: tuple[int, int, int]) -> bool:
        return state[2] == 9 or any(stones & line == line for stones in state[:2] for line in self.lines)

    def legal_actions(self, state: tuple[int, int, int]) -> Sequence[Action]:
        if self.is_terminal(state):
            return []
        return [Action(a) for a in range(9) if not (state[0] | state[1]) >> a & 1]

    def to_play(self, state: tuple[int, int, int]) -> Player:
        return Player(state[2] % 2)

    def play(self, state: tuple[int, int, int], action: Action) -> tuple[tuple[int, int, int], float]:
        black, white, count = state
        if count % 2 == 0:
            black |= 1 << action
            won = any(black & line == line for line in self.lines)
            reward = 1.0 if won else 0.5 if count == 8 else 0.0
        else:
            white |= 1 << action
            reward = 0.0
        return (black, white, count + 1), reward

    def key(self, state: tuple[int, int, int]) -> int:
        return hash(state)


def visits(search: TreeSearch | FlatMonteCarlo) -> list[tuple[int, int, float]]:
    return [(root.action, root.visits, root.value) for root in search.root_actions()]


def searched(game: Any, state: Any = None, *, simulations: int = 500, seed: int = 1) -> TreeSearch:  # noqa: ANN401
    search = TreeSearch(game, game.initial_state() if state is None else state, rng=Rng(seed))
    assert search.run(Limit(simulations=simulations))
    return search


@pytest.mark.parametrize(
    "game",
    [GoGame(5), GoGame("10x9"), TicTacToe(), Pig(15), ExplicitTree([[3, 12], [2, 4]]), PythonTicTacToe()],
    ids=lambda game: game.name,
)
def test_one_tree_search_runs_over_every_kind_of_game(game: Any) -> None:  # noqa: ANN401
    search = searched(game, simulations=200)
    roots = search.root_actions()
    assert sum(root.visits for root in roots) == search.simulations == 200
    assert [root.action for root in roots] == list(game.candidates(game.initial_state()))
    low, high = game.facts.return_bounds
    assert all(low <= root.value <= high for root in roots if root.visits)
    assert visits(searched(game, simulations=200)) == visits(search), "same seed, same search"
    assert visits(searched(game, simulations=200, seed=2)) != visits(search) or game.name == "explicit-tree"


@pytest.mark.parametrize("seed", range(5))
def test_a_python_game_is_searched_exactly_like_its_native_twin(seed: int) -> None:
    native, python = searched(TicTacToe(), seed=seed), searched(PythonTicTacToe(), seed=seed)
    assert visits(native) == visits(python)
    assert native.steps == python.steps


@pytest.mark.parametrize(
    ("tree", "players", "best", "value"),
    [
        ([[3, 12], [2, 4]], 2, 0, 3.0),
        ([[3, 12], [5, 4]], 2, 1, 4.0),
        ([[0, 1], [[0, 1], [1, 0]]], 2, 1, 1.0),
        ([[0, 1], [0.4, 0.3]], 1, 0, 1.0),
        ([-5, [-7, -9]], 1, 0, -5.0),
    ],
)
def test_tree_search_finds_the_value_of_hand_written_trees(tree: Any, players: int, best: int, value: float) -> None:  # noqa: ANN401
    search = searched(ExplicitTree(tree, players), simulations=4000)
    assert search.best_by_visits(Rng(0)) == best
    root = search.root_actions()[best]
    assert abs(root.value - value) < 0.05 * max(1.0, abs(value))
    assert search.best_by_value(Rng(0)) == best


def test_tree_search_never_loses_tic_tac_toe() -> None:
    game = TicTacToe()
    for seed in range(6):
        state, total, move = game.initial_state(), 0.0, 0
        rng = Rng(seed)
        while not game.is_terminal(state):
            if int(game.to_play(state)) == seed % 2:
                action = searched(game, state, simulations=1500, seed=seed * 10 + move).best_by_visits(rng)
            else:
                legal = game.legal_actions(state)
                action = legal[rng.below(len(legal))]
            state, reward = game.play(state, action)
            total += reward
            move += 1
        assert game.facts.value_for(Player(seed % 2), total) >= 0.5


def test_tree_search_knows_when_to_hold_in_pig() -> None:
    # Needing one point with one on the table, holding wins at once.
    game = Pig(2)
    state, _ = game.play(game.initial_state(), Action(0), _rng_that_rolls_two_or_more())
    search = searched(game, state)
    assert search.best_by_visits(Rng(0)) == 1
    assert search.root_actions()[1].value == 1.0


def _rng_that_rolls_two_or_more() -> Rng:
    return next(rng for rng in map(Rng, range(100)) if Rng.from_state(rng.state).below(6) > 0)


def test_flat_monte_carlo_gives_every_action_its_share() -> None:
    game = TicTacToe()
    search = FlatMonteCarlo(game, game.initial_state(), rng=Rng(1))
    search.run(Limit(simulations=9 * 400))
    assert [root.visits for root in search.root_actions()] == [400] * 9
    assert search.best_by_value(Rng(1)) == 4, "the centre wins most random games"


def test_flat_monte_carlo_on_a_tree_of_depth_one_is_exact() -> None:
    search = FlatMonteCarlo(tree := ExplicitTree([1, 5, 3]), tree.initial_state(), rng=Rng(1))
    search.run(Limit(simulations=6))
    assert [root.value for root in search.root_actions()] == [1, 5, 3]


def test_values_belong_to_player_0_and_change_sides_for_the_mover() -> None:
    # White to move has lost on the board whatever it does: Black's value is 1, White's 0.
    lost = Position.from_diagram("X X .\nX X X\n. X .", to_play=Player.WHITE, rules=Rules(komi=0.5))
    search = FlatMonteCarlo(GoGame(3, komi=0.5), lost, rng=Rng(1))
    search.run(Limit(simulations=10))
    (root,) = search.root_actions()
    assert (root.value, search.value_to_play(root)) == (1.0, 0.0)


def test_a_search_can_be_stopped_and_continued() -> None:
    game = GoGame(9)
    parts = TreeSearch(game, game.initial_state(), rng=Rng(1))
    assert not parts.run(Limit(seconds=60), progress=lambda _: False)
    stopped = parts.simulations
    assert parts.run(Limit(simulations=500))
    assert parts.simulations == stopped + 500
    assert visits(parts) == visits(searched(game, simulations=stopped + 500))


@pytest.mark.parametrize("kind", [TreeSearch, FlatMonteCarlo])
@pytest.mark.parametrize("failures", range(12, 60, 9))
def test_a_simulation_that_fails_leaves_no_trace(kind: Any, failures: int) -> None:  # noqa: ANN401
    class Interrupted(PythonTicTacToe):
        calls = 0  # a simulation needs at most nine

        def play(self, state: tuple[int, int, int], action: Action) -> tuple[tuple[int, int, int], float]:
            self.calls += 1
            if self.calls % failures == 0:
                raise KeyboardInterrupt
            return super().play(state, action)

    game = Interrupted()
    search = kind(game, game.initial_state(), rng=Rng(3))
    while search.simulations < 100:
        with suppress(KeyboardInterrupt):
            search.run(Limit(simulations=100 - search.simulations))
    whole = kind(PythonTicTacToe(), (0, 0, 0), rng=Rng(3))
    whole.run(Limit(simulations=100))
    assert visits(search) == visits(whole)


def test_limits() -> None:
    game = GoGame(9)
    search = TreeSearch(game, game.initial_state(), rng=Rng(1))
    with pytest.raises(InvalidArgumentError, match="nothing has been searched"):
        search.best_by_visits(Rng(0))
    with pytest.raises(InvalidArgumentError, match="runs under a Limit"):
        search.run(100)  # type: ignore[arg-type]
    assert search.run(Limit(seconds=1e-9))
    assert search.simulations > 0, "at least one simulation is done"
    before = search.steps
    assert search.run(Limit(steps=5000))
    assert 5000 <= search.steps - before < 5000 + 300
    shares: list[float] = []
    assert search.run(Limit(seconds=0.2), progress=shares.append)
    assert 0 < shares[0] <= shares[-1] <= 1.0


def test_superko_moves_are_not_searched() -> None:
    position = Position.set_up(5, 1, white=["B1", "D1"], to_play=Player.WHITE).play("A1").play("C1")
    search = TreeSearch(GoGame((5, 1)), position, rng=Rng(1))
    assert position.action("B1") not in [root.action for root in search.root_actions()]


def test_changed_rules_are_searched_as_changed() -> None:
    class Misere(TicTacToe):
        """Three in a row loses."""

        name = "misere"

        def play(self, state: Any, action: Action, rng: Rng | None = None) -> tuple[Any, float]:  # noqa: ANN401
            following, reward = super().play(state, action, rng)
            return following, 1.0 - reward if self.is_terminal(following) else reward

    game = Misere()
    check_game(game)
    state = game.initial_state()
    for action in (0, 3, 1, 4):  # X X . / O O . / . . .
        state, _ = game.play(state, Action(action))
    assert searched(game, state).root_actions()[0].value < 0.1, "completing the line loses"
    assert searched(TicTacToe(), state).root_actions()[0].value > 0.9


def test_states_must_belong_to_the_game() -> None:
    with pytest.raises(InvalidArgumentError, match="no state of tic-tac-toe"):
        searched(TicTacToe(), Pig().initial_state())
    for position in (Position(5), Position(9, 9, "chinese")):
        with pytest.raises(InvalidArgumentError, match="is no position of <GoGame 9x9 cgos"):
            searched(GoGame(9), position)


def test_equal_positions_search_alike_however_they_arose() -> None:
    game = GoGame(5)
    start = game.initial_state()
    one = start.play("A1").play("E5").play("C3")
    other = start.play("C3").play("E5").play("B2").undo().play("A1")
    assert visits(searched(game, one)) == visits(searched(game, other))


def test_nothing_to_search() -> None:
    game = make_game("go", size=3)
    over = game.initial_state().play("pass").play("pass")
    with pytest.raises(InvalidArgumentError, match="is over"):
        TreeSearch(game, over, rng=Rng(0))


def test_exploration_changes_the_search() -> None:
    tree = ExplicitTree([[0.4, 0.6], [0.5, 0.5]])
    greedy = TreeSearch(tree, tree.initial_state(), rng=Rng(1), settings=TreeSearchSettings(c_p=0))
    greedy.run(Limit(simulations=1000))
    curious = TreeSearch(tree, tree.initial_state(), rng=Rng(1), settings=TreeSearchSettings(c_p=10))
    curious.run(Limit(simulations=1000))
    assert min(root.visits for root in curious.root_actions()) > 400
    assert min(root.visits for root in greedy.root_actions()) < 100
