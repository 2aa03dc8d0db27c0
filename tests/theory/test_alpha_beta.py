"""Alpha-beta against plain minimax: every value, every best action, with and without a table, on every kind of game."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi import Action, BaseGame, GameFacts, InvalidArgumentError, KeyKind, Limit, Player, Rng
from katachi.core.errors import GameContractError, SettingsError
from katachi.games.go import GoGame, Position
from katachi.games.native import ExplicitTree, Pig, TicTacToe
from katachi.search.alpha_beta import AlphaBeta, AlphaBetaSettings, Evaluator, neutral_value
from tests.theory.test_searches import PythonTicTacToe


class Minimax:
    """The slow twin: no window, no table, no order. Values are totals of player 0, as in the fast one."""

    def __init__(self, game: Any, evaluate: Callable[[Any], float], *, legal: bool = False) -> None:  # noqa: ANN401
        self.game = game
        self.evaluate = evaluate
        self.legal = legal
        self.nodes = 0

    def value(self, state: Any, depth: int, earned: float = 0.0) -> float:  # noqa: ANN401
        if self.game.is_terminal(state):
            return earned
        if depth == 0:
            return earned + self.evaluate(state)
        best = max if self.game.to_play(state) == Player.BLACK else min
        return best(self.root_values(state, depth, earned).values())

    def root_values(self, state: Any, depth: int, earned: float = 0.0) -> dict[int, float]:  # noqa: ANN401
        actions = self.game.legal_actions(state) if self.legal else self.game.candidates(state)
        values = {}
        for action in actions:
            self.nodes += 1
            following, reward = self.game.play(state, action)
            values[action] = self.value(following, depth - 1, earned + reward)
        return values


def searched(game: Any, state: Any, depth: int, evaluate: Evaluator | None = None, **settings: Any) -> AlphaBeta:  # noqa: ANN401
    search = AlphaBeta(game, state, evaluate=evaluate, settings=AlphaBetaSettings(depth=depth, **settings))
    assert search.run()
    return search


def check(game: Any, state: Any, depth: int, evaluate: Callable[[Any], float], **settings: Any) -> AlphaBeta:  # noqa: ANN401
    """One search, compared with its twin: value, first best action, line and leaf, bounds, and what it calls solved."""
    twin = Minimax(game, evaluate, legal=settings.get("moves") == "legal")
    values = twin.root_values(state, depth)
    best = max if game.to_play(state) == Player.BLACK else min
    value = best(values.values())
    search = searched(game, state, depth, evaluate, **settings)
    assert search.value == value
    assert search.best_action == next(action for action, v in values.items() if v == value)
    check_line(game, state, search, evaluate)
    if search.is_exact:
        assert twin.value(state, depth + 1) == value
    bounds = {root.action: root.value for root in search.root_actions()}
    assert list(bounds) == list(values)
    if settings.get("root_values") == "all":
        assert bounds == values
    for action, true in values.items():  # none is better than its bound says
        assert best(bounds[action], true) == bounds[action]
    return search


def check_line(game: Any, state: Any, search: AlphaBeta, evaluate: Callable[[Any], float]) -> None:  # noqa: ANN401
    """What the line earns, and the value of its leaf, are the value; the leaf is as deep as it can be."""
    total = 0.0
    for action in search.line:
        assert not game.is_terminal(state)
        state, reward = game.play(state, action)
        total += reward
    if not game.is_terminal(state):
        assert len(search.line) == search.depth
        assert evaluate(search.leaf) == evaluate(state)
        total += evaluate(state)
    assert total == search.value


def random_positions(game: Any, count: int, seed: int) -> list[Any]:  # noqa: ANN401
    rng = Rng(seed)
    positions: list[Any] = []
    while len(positions) < count:
        state = game.initial_state()
        for _ in range(rng.below(game.facts.max_length or 12)):
            following, _ = game.play(state, Action(rng.choice(game.candidates(state))))
            if game.is_terminal(following):
                break
            state = following
        positions.append(state)
    return positions


def corner(state: Any) -> float:  # noqa: ANN401
    """An arbitrary evaluation with many different values and some ties."""
    stones = str(state).replace("\n", "")
    return sum((i + 1) * {"X": 1, "O": -1, ".": 0}[c] for i, c in enumerate(stones)) / 64 + 0.5


def test_tic_tac_toe_is_a_draw() -> None:
    game = TicTacToe()
    search = searched(game, game.initial_state(), 9)
    assert search.value == 0.5
    assert search.is_exact
    assert search.best_action == 0
    assert search.depth == 9
    assert len(search.line) == 9
    assert search.leaf.is_terminal
    plain: dict[str, Any] = {"table": "off", "iterative": False, "killers": False, "history": False}
    without = searched(game, game.initial_state(), 9, **plain)
    assert without.value == 0.5
    assert without.best_action == 0
    # With the root these are the well-known 18,297 nodes of plain alpha-beta, of 549,946.
    assert without.nodes == 18_296
    assert search.nodes == 7_905  # a signature of deepening and table


def test_tic_tac_toe_agrees_with_minimax_on_many_positions() -> None:
    game = TicTacToe()
    for number, state in enumerate(random_positions(game, 300, seed=1)):
        depth = 1 + number % 9 if number % 2 else 9
        if str(state).count(".") > 6:
            depth = min(depth, 4)
        settings = {"table": ("exact", "off")[number % 3 == 0], "root_values": ("best", "all")[number % 5 == 0]}
        check(game, state, depth, (lambda _: 0.5) if number % 4 else corner, **settings)


Trees = st.recursive(
    st.integers(-4, 4).map(float), lambda inner: st.lists(inner, min_size=1, max_size=4), max_leaves=40
)


@given(Trees.filter(lambda tree: isinstance(tree, list)), st.sampled_from([1, 2]), st.sampled_from(["exact", "off"]))
def test_trees_agree_with_minimax_at_every_depth(tree: list[Any], players: int, table: str) -> None:
    game = ExplicitTree(tree, players=players)

    def evaluate(state: Any) -> float:  # noqa: ANN401
        return float(state.key % 7) - 3

    for depth in range(1, 8):
        for iterative in (True, False):
            search = check(game, game.initial_state(), depth, evaluate, table=table, iterative=iterative)
            full = Minimax(game, evaluate).value(game.initial_state(), 100)
            assert not search.is_exact or search.value == full


@given(Trees.filter(lambda tree: isinstance(tree, list)), st.integers(1, 8))
def test_alpha_beta_never_visits_more_than_minimax(tree: list[Any], depth: int) -> None:
    game = ExplicitTree(tree)
    twin = Minimax(game, lambda _: 0.0)
    twin.value(game.initial_state(), depth)
    assert searched(game, game.initial_state(), depth, 0.0, table="off", iterative=False).nodes <= twin.nodes


def test_a_perfect_order_gives_the_minimal_tree() -> None:
    """Knuth and Moore 1975: b^ceil(d/2) + b^floor(d/2) - 1 leaves, where the best move always comes first."""

    def build(depth: int, value: float, maximises: bool) -> Any:  # noqa: ANN401
        if depth == 0:
            return value
        worse = -1.0 if maximises else 1.0
        return [build(depth - 1, value + worse * i, not maximises) for i in range(4)]

    game = ExplicitTree(build(6, 0.0, True))
    search = searched(game, game.initial_state(), 6, table="off", iterative=False)
    inner = sum(4 ** ((d + 1) // 2) + 4 ** (d // 2) - 1 for d in range(1, 6))
    assert search.nodes == inner + 2 * 4**3 - 1


class Graph(BaseGame[int]):
    """A random graph: rewards on every step, players in no order, paths that meet and walk in circles."""

    name = "graph"

    def __init__(self, seed: int, players: int) -> None:
        rng = Rng(seed)
        size = 4 + rng.below(6)
        self.facts = GameFacts(players=players, action_space=3, key=KeyKind.EXACT)
        self.following = [[rng.below(size) for _ in range(1 + rng.below(3))] for _ in range(size)]
        self.rewards = [[float(rng.below(7)) - 3 for _ in range(3)] for _ in range(size)]
        self.ends = [number > 0 and rng.below(3) == 0 for number in range(size)]
        self.movers = [rng.below(players) for _ in range(size)]
        self.worth = [float(rng.below(9)) - 4 for _ in range(size)]

    def initial_state(self) -> int:
        return 0

    def is_terminal(self, state: int) -> bool:
        return self.ends[state]

    def legal_actions(self, state: int) -> Sequence[Action]:
        return [] if self.ends[state] else [Action(a) for a in range(len(self.following[state]))]

    def to_play(self, state: int) -> Player:
        return Player(self.movers[state])

    def play(self, state: int, action: Action) -> tuple[int, float]:
        return self.following[state][action], self.rewards[state][action]

    def key(self, state: int) -> int:
        return state


@pytest.mark.parametrize("players", [1, 2])
def test_graphs_agree_with_minimax(players: int) -> None:
    solved = 0
    for seed in range(300):
        game = Graph(seed, players)
        for depth in range(1, 6):
            for table in ("exact", "off"):
                search = check(game, 0, depth, game.worth.__getitem__, table=table, iterative=seed % 3 != 0)
                solved += search.is_exact
    assert solved > 100


def test_a_table_of_any_size_gives_the_same_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    game = TicTacToe()
    states = random_positions(game, 20, seed=4)
    answers = [(s.value, s.best_action) for s in (searched(game, state, 9) for state in states)]
    for size in (24, 24 * 7, 24 * 100):
        monkeypatch.setattr(AlphaBetaSettings, "table_bytes", lambda *_, size=size: size)
        searches = [searched(game, state, 9) for state in states]
        assert [(s.value, s.best_action) for s in searches] == answers
        assert all(s._native.table_bytes <= size for s in searches)
        for state, search in zip(states, searches, strict=True):
            check_line(game, state, search, lambda _: 0.5)


class NativeFace:
    """Go below the root as a search sees it, simple ko and a cap, for the twin."""

    def is_terminal(self, state: Any) -> bool:  # noqa: ANN401
        return bool(state.is_terminal)

    def to_play(self, state: Any) -> Player:  # noqa: ANN401
        return Player(state.to_play)

    def legal_actions(self, state: Any) -> list[int]:  # noqa: ANN401
        return list(state.legal_actions())

    def play(self, state: Any, action: int) -> Any:  # noqa: ANN401
        return state.play(action)


@pytest.mark.parametrize("size", ["2x2", "3x2"])
@pytest.mark.parametrize("table", ["off", "approximate"])
def test_small_go_by_legal_moves(size: str, table: str) -> None:
    game = GoGame(size, rules="tromp-taylor", komi=0.5)
    rng = Rng(7)

    def evaluate(state: Any) -> float:  # noqa: ANN401
        stones = [c for c in str(state) if c in "XO"]
        return stones.count("X") / 8 - stones.count("O") / 16

    for _ in range(25):
        position: Position = game.initial_state()
        for _ in range(rng.below(8)):
            following = position.play(Action(rng.choice(position.legal_actions())))
            if following.is_over:
                break
            position = following
        for depth in (1, 2, 3, 4):
            twin = Minimax(NativeFace(), evaluate, legal=True)
            root = position.search_state()
            best = max if position.to_play == Player.BLACK else min
            values = {}
            for action in position.legal_actions():
                following_state, reward = root.play(action)
                values[action] = twin.value(following_state, depth - 1, reward)
            search = searched(game, position, depth, evaluate, moves="legal", table=table, root_values="all")
            if table == "off":
                assert {r.action: r.value for r in search.root_actions()} == values
                assert search.value == best(values.values())
            check_line(NativeFace(), root, search, evaluate)


def test_go_2x1_is_solved_to_its_end() -> None:
    """After six plies the cap ends every game."""
    game = GoGame("2x1", rules="tromp-taylor", komi=0.5)
    search = searched(game, game.initial_state(), 6, moves="legal")
    assert search.is_exact
    assert search.value == Minimax(NativeFace(), lambda _: 0.5, legal=True).value(
        game.initial_state().search_state(), 6
    )


def test_superko_is_obeyed_at_the_root() -> None:
    game = GoGame(5)
    position = game.initial_state()
    for vertex in ("B3", "C3", "B2", "C4", "A4", "D5", "B5", "B4"):
        position = position.play(position.action(vertex))
    search = searched(game, position, 1, lambda _: 0.0, moves="legal")
    assert [r.action for r in search.root_actions()] == list(position.legal_actions())


def test_a_python_game_is_searched_like_its_native_twin() -> None:
    python, native = PythonTicTacToe(), TicTacToe()
    search, twin = searched(python, python.initial_state(), 5), searched(native, native.initial_state(), 5)
    assert not python.facts.final_reward
    assert twin.value == 0.5
    assert search.value == 0.0  # neutral is 0 where steps may earn
    search = searched(python, (0b000000011, 0b000011000, 4), 9)
    assert search.is_exact
    assert search.best_action == 2
    assert search.value == 1.0
    assert search.leaf == (0b000000111, 0b000011000, 5)


def test_the_evaluator_gets_states_as_the_game_has_them() -> None:
    game = PythonTicTacToe()
    seen = []

    def evaluate(state: tuple[int, int, int]) -> float:
        seen.append(state)
        return float(state[0]) / 512

    search = check(game, game.initial_state(), 2, evaluate)
    assert all(isinstance(state, tuple) and state[2] <= 2 for state in seen)
    assert search.leaf[2] == 2


@pytest.mark.parametrize("answer", [float("nan"), float("inf"), "much", None])
def test_an_evaluator_that_returns_no_number(answer: object) -> None:
    game = TicTacToe()
    with pytest.raises(GameContractError, match="evaluator"):
        searched(game, game.initial_state(), 2, lambda _: answer)  # type: ignore[arg-type]


def test_what_is_refused() -> None:
    pig, game = Pig(), TicTacToe()
    with pytest.raises(InvalidArgumentError, match="pig is a game of chance"):
        searched(pig, pig.initial_state(), 2)
    with pytest.raises(SettingsError, match="depth"):
        AlphaBetaSettings(depth=0)
    search = AlphaBeta(game, game.initial_state(), settings=AlphaBetaSettings(depth=3))
    with pytest.raises(InvalidArgumentError, match="no depth has been finished"):
        _ = search.best_action
    with pytest.raises(InvalidArgumentError, match="Limit"):
        search.run(3)  # type: ignore[arg-type]
    over = game.initial_state()
    for action in (0, 3, 1, 4, 2):
        over, _ = game.play(over, Action(action))
    with pytest.raises(InvalidArgumentError, match="over"):
        AlphaBeta(game, over, settings=AlphaBetaSettings(depth=3))


def outcome(search: AlphaBeta) -> tuple[Any, ...]:
    roots = [(r.action, r.visits, r.value) for r in search.root_actions()]
    return search.value, search.line, search.depth, search.nodes, search.is_exact, roots


def test_limits_count_nodes_and_interruptions_leave_no_trace() -> None:
    game = GoGame(4)
    whole = searched(game, game.initial_state(), 3, corner_of_go)
    parts = AlphaBeta(game, game.initial_state(), evaluate=corner_of_go, settings=AlphaBetaSettings(depth=3))
    parts.run(Limit(steps=5))
    assert parts.depth == 1  # the first run has an answer
    assert parts.nodes == 16
    before = parts.nodes
    while parts.depth < 3:
        parts.run(Limit(steps=17))
        assert parts.nodes <= before + 17
        before = parts.nodes
    assert outcome(parts) == outcome(whole)


def corner_of_go(state: Any) -> float:  # noqa: ANN401
    return sum(i * {"X": 3, "O": -2}.get(c, 0) for i, c in enumerate(str(state))) / 1024


def test_an_evaluator_that_throws_leaves_no_trace() -> None:
    game = TicTacToe()
    state = game.initial_state()
    whole = searched(game, state, 4, corner)
    calls = 0

    def moody(position: Any) -> float:  # noqa: ANN401
        nonlocal calls
        calls += 1
        if calls % 10 == 0:
            raise RuntimeError("not now")
        return corner(position)

    search = AlphaBeta(game, state, evaluate=moody, settings=AlphaBetaSettings(depth=4))
    errors = 0
    while search.depth < 4:
        try:
            search.run()
        except RuntimeError:
            errors += 1
    assert errors > 5
    assert outcome(search) == outcome(whole)


def test_progress_may_stop_it() -> None:
    game = GoGame(9)
    search = AlphaBeta(game, game.initial_state(), settings=AlphaBetaSettings(depth=8))
    shares: list[float] = []

    def progress(share: float) -> bool:
        shares.append(share)
        return len(shares) < 3

    assert not search.run(progress=progress)
    assert len(shares) == 3
    assert all(0 <= share <= 1 for share in shares)
    assert search.depth >= 1


def test_a_solved_game_ends_the_deepening() -> None:
    game = ExplicitTree([[3, 12], [2, 4]])
    search = searched(game, game.initial_state(), 100)
    assert (search.value, search.best_action, search.depth, search.is_exact) == (3, 0, 2, True)


def test_neutral_values() -> None:
    assert neutral_value(TicTacToe().facts) == 0.5
    assert neutral_value(ExplicitTree([2, 8]).facts) == 5
    assert neutral_value(PythonTicTacToe().facts) == 0
