"""The contract: our games keep it, broken games are told apart, and Python games run in native code."""

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import pytest

from katachi import (
    Action,
    BaseGame,
    FlatMonteCarlo,
    GameContractError,
    GameFacts,
    IllegalMoveError,
    InvalidArgumentError,
    KatachiError,
    KeyKind,
    Limit,
    ParseError,
    Player,
    Rng,
    TreeSearch,
    check_game,
    make_game,
)
from katachi._core import python_object
from katachi.games.contract import Game, native_state
from katachi.games.native import ExplicitTree, Pig, TicTacToe
from katachi.games.registry import game_names


class Countdown(BaseGame[tuple[int, int]]):
    """Take one or two from a heap; who takes the last wins. Multiples of three are lost. State: (left, player)."""

    name = "countdown"

    def __init__(self, heap: int = 10, max_length: int = 10) -> None:
        self.heap = heap
        self.facts = GameFacts(
            players=2,
            action_space=3,
            return_bounds=(0, 1),
            max_length=max_length,
            deterministic=True,
            key=KeyKind.EXACT,
        )

    def initial_state(self) -> tuple[int, int]:
        return self.heap, 0

    def legal_actions(self, state: tuple[int, int]) -> Sequence[Action]:
        return [Action(n) for n in (1, 2) if n <= state[0]]

    def play(self, state: tuple[int, int], action: Action) -> tuple[tuple[int, int], float]:
        left, player = state
        return (left - action, 1 - player), float(left == action and player == 0)

    def is_terminal(self, state: tuple[int, int]) -> bool:
        return state[0] == 0

    def to_play(self, state: tuple[int, int]) -> Player:
        return Player(state[1])

    def key(self, state: tuple[int, int]) -> int:
        return hash(state)


class Coin(BaseGame[int]):
    """One player tosses a coin three times and earns 1 a head: a stochastic game with step rewards, in Python."""

    name = "coin"
    facts = GameFacts(players=1, action_space=1, return_bounds=(0, 3), max_length=3, deterministic=False)

    def initial_state(self) -> int:
        return 0

    def legal_actions(self, state: int) -> Sequence[Action]:
        return [Action(0)] if state < 3 else []

    def play(self, state: int, action: Action, rng: Rng) -> tuple[int, float]:
        return state + 1, float(rng.below(2))

    def is_terminal(self, state: int) -> bool:
        return state == 3

    def to_play(self, state: int) -> Player:
        return Player.BLACK


ALL_GAMES: list[Game[Any]] = [
    make_game("go", size=5),
    make_game("go", size="4x3", rules="chinese"),
    make_game("go", size=3, rules="new-zealand"),
    make_game("tic-tac-toe"),
    make_game("pig", target=10),
    make_game("connect-four"),
    make_game("gomoku", size=5, line=4),
    make_game("hex", size=4),
    make_game("random-walk", size=5),
    make_game("shortest-walk", size=7, cap=30),
    ExplicitTree([[3, 12], [2, [4, 6]]]),
    ExplicitTree([1, [2, 0.5]], players=1),
    Countdown(),
    Coin(),
]


@pytest.mark.parametrize("game", ALL_GAMES, ids=lambda game: game.name)
def test_our_games_keep_the_contract(game: Game[Any]) -> None:
    report = check_game(game, games=10, seed=1)
    assert report.games == 10
    assert report.steps >= 10
    assert report.cut == 0


class Mutable(Countdown):
    def initial_state(self) -> Any:  # noqa: ANN401
        return [self.heap, 0]

    def play(self, state: Any, action: Action) -> tuple[Any, float]:  # noqa: ANN401
        state[0] -= action
        state[1] = 1 - state[1]
        return state, 0.0

    def key(self, state: Any) -> int:  # noqa: ANN401
        return hash(tuple(state))


class Moody(Countdown):
    moods = 0

    def play(self, state: tuple[int, int], action: Action) -> tuple[tuple[int, int], float]:
        self.moods += 1
        left, player = state
        return (left - action, 1 - player), self.moods / 1000


def broken(**methods: Any) -> Game[Any]:  # noqa: ANN401
    return type("Broken", (Countdown,), methods)()  # type: ignore[no-any-return]


BROKEN = [
    (Mutable(), "changed the state"),
    (Moody(), "two calls led to different"),
    (broken(legal_actions=lambda self, s: []), "no legal action"),
    (broken(legal_actions=lambda self, s: [1, 1] if s[0] else []), "repeats itself"),
    (broken(legal_actions=lambda self, s: [7] if s[0] else []), r"actions \[7\] are outside"),
    (broken(candidates=lambda self, s: []), "no candidate"),
    (broken(candidates=lambda self, s: [0]), r"candidates \[0\] are not legal"),
    (broken(to_play=lambda self, s: 2), "to_play is 2"),
    (broken(play=lambda self, s, a: ((s[0] - a, 1 - s[1]), float("nan"))), "not a finite number"),
    (broken(play=lambda self, s, a: ((s[0] - a, 1 - s[1]), 5.0)), "outside return_bounds"),
    (broken(play=lambda self, s, a: (s[0] - a, 1 - s[1], 0)), "instead of .state, reward."),
    (broken(key=lambda self, s: 1), "said to be exact"),
    (Countdown(max_length=3), "max_length=3"),
    (broken(is_terminal=lambda self, s: s[0] <= 2), "terminal state has legal actions"),
]


@pytest.mark.parametrize(("game", "message"), BROKEN)
def test_broken_games_are_told_apart(game: Game[Any], message: str) -> None:
    with pytest.raises(GameContractError, match=message):
        check_game(game)


def test_final_reward_is_a_claim_that_is_checked() -> None:
    assert {game.name for game in ALL_GAMES if not game.facts.final_reward} == {"shortest-walk", "countdown", "coin"}
    assert make_game("go", size=5).initial_state().search_state().facts.final_reward
    claim = GameFacts(players=2, action_space=3, return_bounds=(0, 1), max_length=10, final_reward=True)
    assert claim.final_reward
    assert "final_reward=True" in repr(claim)
    assert claim != GameFacts(players=2, action_space=3, return_bounds=(0, 1), max_length=10)
    honest = Countdown()
    honest.facts = claim
    check_game(honest)
    liar = broken(play=lambda self, s, a: ((s[0] - a, 1 - s[1]), 0.01))
    check_game(liar)
    liar.facts = claim  # type: ignore[misc]
    with pytest.raises(GameContractError, match=r"earned 0\.01, but the facts say final_reward"):
        check_game(liar)


@pytest.mark.parametrize("game", ALL_GAMES, ids=lambda game: game.name)
def test_single_playouts_are_those_of_a_batch(game: Game[Any]) -> None:
    state = native_state(game, game.initial_state())
    batch = state.playouts(20, Rng(3))
    batch.run()
    rng = Rng(3)
    singles = [state.uniform_playout(rng) for _ in range(20)]
    assert sum(total for total, _, _ in singles) == pytest.approx(batch.total)
    assert (sum(length for _, length, _ in singles), sum(cut for _, _, cut in singles)) == (batch.steps, batch.cut)


@pytest.mark.parametrize("game", ALL_GAMES, ids=lambda game: game.name)
def test_playouts_stop_after_the_given_steps(game: Game[Any]) -> None:
    state = native_state(game, game.initial_state())
    with pytest.raises(InvalidArgumentError, match="not -1"):
        state.uniform_playout(Rng(0), -1)
    untouched = Rng(0)
    assert state.uniform_playout(untouched, 0) == (0.0, 0, not state.is_terminal)
    assert untouched == Rng(0)
    for seed in range(10):
        whole = state.uniform_playout(Rng(seed))
        length = whole[1]
        assert state.uniform_playout(Rng(seed), length) == whole
        total, steps, cut = state.uniform_playout(Rng(seed), length - 1)
        assert (steps, cut) == (length - 1, True)
        if game.facts.final_reward:
            assert total == 0


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("hex", {"size": 2.5}, "hex: size is a whole number, not 2.5"),
        ("hex", {"size": "7x9"}, "hex: size is a whole number, not '7x9'"),
        ("hex", {"size": 99999999999}, "hex: size is too large a number: 99999999999"),
        ("hex", {"size": True}, "hex: size is a whole number, not True"),
        ("gomoku", {"size": "9x9"}, "gomoku: size is a whole number, not '9x9'"),
        ("gomoku", {"line": None}, "gomoku: line is a whole number, not None"),
        ("go", {"size": 2.5}, "go: size is a whole number, not 2.5"),
        ("go", {"size": (9, 9, 9)}, "go: size is a whole number, not .9, 9, 9."),
        ("go", {"size": (9, "a")}, "go: size is a whole number, not 'a'"),
        ("go", {"komi": "x"}, "komi"),
        ("go", {"rules": 5}, "rules"),
        ("go", {"eye_rule": 5}, "eye"),
        ("pig", {"target": "ten"}, "pig: target is a whole number, not 'ten'"),
        ("random-walk", {"size": 5.0}, "random-walk: size is a whole number, not 5.0"),
        ("shortest-walk", {"cap": -(2**40)}, "shortest-walk: cap is too large a number: -1099511627776"),
        ("gridworld", {"slip": "a"}, "gridworld: slip is a finite number, not 'a'"),
        ("gridworld", {"slip": None}, "gridworld: slip is a finite number, not None"),
        ("gridworld", {"pit_reward": "1"}, "gridworld: pit_reward is a finite number, not '1'"),
        ("gridworld", {"map": 5}, "gridworld: map is text, not 5"),
        (5, {}, "the name of a game is text, not 5"),
    ],
)
def test_options_of_the_wrong_kind_are_named(name: Any, options: dict[str, Any], message: str) -> None:  # noqa: ANN401
    with pytest.raises(KatachiError, match=message):
        make_game(name, **options)


@pytest.mark.parametrize("name", ["connect-four", "gomoku", "hex", "pig", "random-walk", "tic-tac-toe"])
def test_what_is_no_action_is_not_written(name: str) -> None:
    game: Any = make_game(name)
    for action in (-1, game.facts.action_space):
        with pytest.raises(IllegalMoveError, match=f"{action} is no action of {name}"):
            game.format_action(game.initial_state(), Action(action))


def test_missing_parts_are_named() -> None:
    class Nothing:
        name = "nothing"

    with pytest.raises(GameContractError, match="has no 'facts'"):
        check_game(Nothing())  # type: ignore[arg-type]
    keyless = type("Keyless", (Coin,), {"facts": GameFacts(players=1, action_space=1, key=KeyKind.EXACT)})()
    with pytest.raises(GameContractError, match="no method 'key'"):
        check_game(keyless)


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ({"legal_actions": lambda self, s: ["a"]}, "(legal_actions|candidates) returned 'a' instead of whole numbers"),
        ({"legal_actions": lambda self, s: [3]}, "returned action 3, outside the action space of 3"),
        ({"legal_actions": lambda self, s: []}, "no action in a state that is not terminal"),
        ({"legal_actions": lambda self, s: 3}, "returned 3 instead of a sequence"),
        ({"play": lambda self, s, a: ((s[0] - a, 1 - s[1]), float("nan"))}, "play earned nan"),
        ({"play": lambda self, s, a: ((s[0] - a, 1 - s[1]), float("inf"))}, "play earned inf"),
        ({"to_play": lambda self, s: 5}, "to_play returned 5"),
        ({"play": lambda self, s, a: None}, "play returned None instead of"),
        ({"play": lambda self, s, a: (s, "x")}, "play returned 'x' instead of a number"),
        ({"play": lambda self, s, a: ((s[0] - a, 1 - s[1]), 1.7e308)}, "added up to inf"),
        ({"is_terminal": lambda self, s: "no"}, "is_terminal returned 'no' instead of a bool"),
    ],
)
def test_native_code_survives_broken_games(methods: dict[str, Any], message: str) -> None:
    game = broken(**methods)

    def use() -> None:
        native_state(game, game.initial_state()).playouts(10, Rng(0)).run()
        TreeSearch(game, game.initial_state(), rng=Rng(0)).run(Limit(simulations=10))

    with pytest.raises(GameContractError, match=message):
        use()


def test_a_state_that_changes_its_mind_about_the_end() -> None:
    class Fickle(Countdown):
        asked = 0

        def is_terminal(self, state: tuple[int, int]) -> bool:
            self.asked += 1
            return self.asked % 2 == 0

        def legal_actions(self, state: tuple[int, int]) -> Sequence[Action]:
            return []

    with pytest.raises(GameContractError, match="no action"):
        native_state(Fickle(), (3, 0)).playouts(5, Rng(1)).run()


def test_a_game_that_never_ends_is_cut() -> None:
    class Forever(Countdown):
        def legal_actions(self, state: tuple[int, int]) -> Sequence[Action]:
            return [Action(1)]

        def play(self, state: tuple[int, int], action: Action) -> tuple[tuple[int, int], float]:
            return (state[0], 1 - state[1]), 0.0

    game = Forever()
    game.facts = GameFacts(players=2, action_space=3, return_bounds=(0, 1))
    assert check_game(game, games=1).cut == 1
    batch = native_state(game, (3, 0)).playouts(1, Rng(1))
    batch.run()
    assert (batch.cut, batch.steps) == (1, 100_000)


def test_a_game_may_bring_its_own_playout() -> None:
    class Quick(Countdown):
        def uniform_playout(self, state: tuple[int, int], rng: Rng) -> tuple[float, int]:
            return float(rng.below(2)), 7

    game = Quick()
    batch = native_state(game, game.initial_state()).playouts(1000, Rng(1))
    batch.run()
    assert batch.steps == 7000
    native = native_state(game, game.initial_state())
    assert native.uniform_playout(Rng(1), 10)[1:] == (7, False), "as many as the longest game takes"
    assert native.uniform_playout(Rng(1), 4)[1:] == (4, True), "the game's own playout knows no cap"
    draws = Rng(1)
    assert batch.total == sum(draws.below(2) for _ in range(1000)), "the generator comes back"
    search = TreeSearch(game, game.initial_state(), rng=Rng(1))
    search.run(Limit(simulations=50))
    assert sum(root.visits for root in search.root_actions()) == 50
    for answer, message in (
        (3, "instead of .return, length."),
        ((float("nan"), 1), "earned nan"),
        ((0.5, "x"), "length"),
        ((1.0, -5), "the length -5, not one from 1 to 10, the max_length"),
        ((1.0, 0), "the length 0, not one from 1 to 10"),
        ((1.0, 11), "the length 11, not one from 1 to 10"),
        ((1.0, 2_000_000), "the length 2000000, not one from 1 to 10"),
        ((1.0, 2**31 - 1), "the length 2147483647, not one from 1 to 10"),
        ((1.0, 2**70), "length"),
    ):
        bad = broken(uniform_playout=lambda self, s, rng, answer=answer: answer)
        with pytest.raises(GameContractError, match=message):
            native_state(bad, (3, 0)).playouts(1, Rng(1)).run()


def test_a_playout_of_its_own_is_not_asked_for_where_the_game_is_over() -> None:
    class Quick(Countdown):
        def uniform_playout(self, state: tuple[int, int], rng: Rng) -> tuple[float, int]:
            assert not self.is_terminal(state)
            return 1.0, 1

    assert native_state(Quick(), (0, 0)).uniform_playout(Rng(1)) == (0.0, 0, False)
    search = FlatMonteCarlo(Quick(), (1, 0), rng=Rng(1))
    search.run(Limit(simulations=10))
    assert search.steps == 10


def test_without_a_longest_game_playouts_of_its_own_are_cut_where_others_are() -> None:
    class Endless(Countdown):
        def __init__(self) -> None:
            super().__init__()
            self.facts = GameFacts(players=2, action_space=3)

        def uniform_playout(self, state: tuple[int, int], rng: Rng) -> tuple[float, int]:
            return 1.0, 100_000 + state[0]

    with pytest.raises(GameContractError, match="the length 100003, not one from 1 to 100000, where playouts are cut"):
        native_state(Endless(), (3, 0)).uniform_playout(Rng(1))


def test_array_scalars_are_welcome() -> None:
    import numpy as np

    class Arrays(Countdown):
        def is_terminal(self, state: tuple[int, int]) -> bool:
            return np.int64(state[0]) == 0  # type: ignore[no-any-return]

        def legal_actions(self, state: tuple[int, int]) -> Any:  # noqa: ANN401
            return np.array([n for n in (1, 2) if n <= state[0]])

        def play(self, state: tuple[int, int], action: Action) -> tuple[tuple[int, int], float]:
            following, reward = super().play(state, action)
            return following, np.float32(reward)  # type: ignore[return-value]

    batch = native_state(Arrays(), (9, 0)).playouts(100, Rng(1))
    batch.run()
    assert batch.done == 100


def test_errors_of_a_python_game_come_through() -> None:
    def explode(self: Any, state: Any, action: Any) -> Any:  # noqa: ANN401
        raise ZeroDivisionError("in the game")

    game = broken(play=explode)
    with pytest.raises(ZeroDivisionError, match="in the game"):
        TreeSearch(game, game.initial_state(), rng=Rng(0)).run(Limit(simulations=10))


def test_python_states_pass_through_native_code_unchanged() -> None:
    game = Countdown()
    state = native_state(game, (4, 1))
    assert python_object(state) == (4, 1)
    following, reward = state.play(2)
    assert python_object(following) == (2, 0)
    assert reward == 0
    assert str(following) == "(2, 0)"
    assert python_object(native_state(TicTacToe(), TicTacToe().initial_state())) is None


def test_a_stochastic_python_game_draws_from_the_generator() -> None:
    state = native_state(Coin(), 0)
    batch = state.playouts(4000, Rng(2))
    batch.run()
    assert batch.steps == 12000
    assert 1.4 < batch.total / batch.done < 1.6
    with pytest.raises(InvalidArgumentError, match="needs an Rng"):
        state.play(0)


def test_tic_tac_toe_has_255168_games() -> None:
    game = TicTacToe()
    outcomes = {1.0: 0, 0.5: 0, 0.0: 0}

    def walk(state: Any, total: float) -> None:  # noqa: ANN401
        if game.is_terminal(state):
            outcomes[total] += 1
        for action in game.legal_actions(state):
            following, reward = game.play(state, action)
            walk(following, total + reward)

    walk(game.initial_state(), 0.0)
    assert outcomes == {1.0: 131184, 0.5: 46080, 0.0: 77904}


def test_actions_as_text() -> None:
    game = TicTacToe()
    state = game.initial_state()
    assert [game.format_action(state, Action(a)) for a in (0, 4, 8)] == ["a3", "b2", "c1"]
    assert all(game.parse_action(state, game.format_action(state, Action(a))) == a for a in range(9))
    pig = Pig()
    assert [pig.parse_action(state, text) for text in ("roll", "HOLD")] == [0, 1]
    assert pig.format_action(state, Action(1)) == "hold"
    with pytest.raises(ParseError, match="d1"):
        game.parse_action(state, "d1")
    with pytest.raises(ParseError, match="fold"):
        pig.parse_action(state, "fold")
    with pytest.raises(ParseError, match="x"):
        Countdown().parse_action((3, 0), "x")


def test_illegal_actions_are_refused_by_every_native_game() -> None:
    for game in (TicTacToe(), Pig(), ExplicitTree([1, 2])):
        for action in (-1, 99, 10**12):
            with pytest.raises(IllegalMoveError):
                game.play(game.initial_state(), Action(action), Rng(0))


@pytest.mark.parametrize("tree", [[], [1, []], ["x"], "x", [1, None], [1, float("nan")], float("inf")])
def test_bad_trees(tree: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidArgumentError, match="explicit tree"):
        ExplicitTree(tree)


def test_deep_trees_are_refused_not_crashed() -> None:
    tree: Any = 1
    for _ in range(100_000):
        tree = [tree]
    with pytest.raises(InvalidArgumentError, match="deeper than 1000"):
        ExplicitTree(tree)
    while isinstance(tree, list):  # taken apart from outside: Python's own destructor would recurse
        tree = tree[0]


def test_every_registered_game_has_text_and_a_picture() -> None:
    for name in game_names():
        game: Any = make_game(name)
        assert game.name == name
        state = game.initial_state()
        assert game.format_state(state)
        assert ElementTree.fromstring(game.svg(state)).tag.endswith("svg")
        action = game.candidates(state)[0]
        assert game.parse_action(state, game.format_action(state, action)) == action
    picture = ElementTree.fromstring(Countdown().svg((3, 0)))
    assert [e.text for e in picture.iter() if e.tag.endswith("text")] == ["(3, 0)"]


def test_pig_by_hand() -> None:
    game = Pig(target=6)
    for target in (0, 10**6):
        with pytest.raises(InvalidArgumentError, match=f"target must be .* not {target}"):
            Pig(target)
    state, rng, total = game.initial_state(), Rng(0), 0.0
    assert game.facts.deterministic is False
    held, reward = game.play(state, Action(1), rng)
    assert reward == 0
    assert game.to_play(held) is Player.WHITE
    while not game.is_terminal(state):
        state, reward = game.play(state, Action(0 if rng.below(2) else 1), rng)
        total += reward
    assert total in (0.0, 1.0)


def test_facts_are_checked() -> None:
    with pytest.raises(InvalidArgumentError, match="1 or 2 players, not 3"):
        GameFacts(players=3, action_space=1)
    with pytest.raises(InvalidArgumentError, match="at least 1, not 0"):
        GameFacts(players=2, action_space=0)
    for bounds in ((1, 0), (0, float("inf")), (float("nan"), 1)):
        with pytest.raises(InvalidArgumentError, match="low <= high"):
            GameFacts(players=2, action_space=1, return_bounds=bounds)
    with pytest.raises(InvalidArgumentError, match="max_length must be at least 1, not 0"):
        GameFacts(players=2, action_space=1, max_length=0)
    with pytest.raises(InvalidArgumentError, match="1 or 2 players, not 7"):
        ExplicitTree([1], players=7)
    assert len({GameFacts(players=2, action_space=1), GameFacts(players=2, action_space=1)}) == 1
    assert GameFacts(players=2, action_space=1) != GameFacts(players=1, action_space=1)
    facts = GameFacts(players=2, action_space=1, return_bounds=(-1, 3))
    assert facts.value_for(Player.WHITE, 0.5) == 1.5
    assert facts.value_for(Player.BLACK, 0.5) == 0.5
    assert GameFacts(players=2, action_space=1).value_for(Player.WHITE, 0.5) == -0.5
