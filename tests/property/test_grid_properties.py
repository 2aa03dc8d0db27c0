"""Games of stones on a grid against their naive twins, move by move, whatever is played."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from katachi import Action, Player, Rng
from katachi._core import State
from katachi.games.grid import ConnectFour, Gomoku, GridGame, Hex
from katachi.games.native import TicTacToe
from katachi.reference.winners import hex_winner, line_winner

CHOICES = st.lists(st.integers(0, 10**6), max_size=200)
REWARDS = {"X": 1.0, "O": 0.0}


def naive_winner(game: Any, stones: str) -> str | None:  # noqa: ANN401
    if isinstance(game, Hex):
        return hex_winner(stones, game.board_shape[0])
    line = {"tic-tac-toe": 3, "connect-four": 4}.get(game.name) or game.line
    return line_winner(stones, game.board_shape[0], line)


def naive_legal(game: Any, stones: str) -> list[int]:  # noqa: ANN401
    if isinstance(game, ConnectFour):
        return [column for column in range(7) if stones[column] == "."]
    return [place for place, stone in enumerate(stones) if stone == "."]


def follow(game: Any, choices: list[int]) -> list[State]:  # noqa: ANN401
    """Plays, and compares everything with the twin at each step."""
    state = game.initial_state()
    states = [state]
    for choice in choices:
        if game.is_terminal(state):
            break
        legal = game.legal_actions(state)
        stones = game.stones(state)
        assert legal == naive_legal(game, stones)
        mover = "XO"[len(states) % 2 - 1]
        assert game.to_play(state) is Player("XO".index(mover))
        action = legal[choice % len(legal)]
        assert game.parse_action(state, game.format_action(state, action)) == action
        state, reward = game.play(state, action)
        states.append(state)
        after = game.stones(state)
        place = action
        if isinstance(game, ConnectFour):
            place = max(p for p in range(action, 42, 7) if stones[p] == ".")
        assert after == stones[:place] + mover + stones[place + 1 :]
        winner = naive_winner(game, after)
        full = "." not in after
        assert game.is_terminal(state) == (winner is not None or full)
        assert reward == (REWARDS[winner] if winner else 0.5 if full else 0.0)
        assert winner in (None, mover)
    return states


GAMES = [TicTacToe(), ConnectFour(), Gomoku(5, 3), Gomoku(6, 4), Gomoku(7), Gomoku(4, 5), Hex(1), Hex(4), Hex(7)]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name}-{game.board_shape[0]}")
@settings(max_examples=60)
@given(choices=CHOICES)
def test_games_follow_their_twins(game: Any, choices: list[int]) -> None:  # noqa: ANN401
    follow(game, choices)


@pytest.mark.parametrize(
    ("game", "games"),
    [(ConnectFour(), 200), (Gomoku(9), 20), (Gomoku(19), 1), (Hex(5), 150), (Hex(11), 4), (Hex(19), 1)],
)
def test_whole_random_games_follow_their_twins(game: GridGame, games: int) -> None:
    rng = Rng(11)
    ends = set()
    for _ in range(games):
        states = follow(game, [rng.below(10**6) for _ in range(400)])
        assert game.is_terminal(states[-1])
        ends.add(naive_winner(game, game.stones(states[-1])))
    assert games < 20 or {"X", "O"} <= ends


@pytest.mark.parametrize("game", [Gomoku(6), Hex(6)], ids=lambda game: game.name)
@given(data=st.data())
def test_keys_know_the_stones_and_not_their_order(game: GridGame, data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, 35), min_size=2, max_size=8, unique=True))
    black = data.draw(st.permutations(places[0::2]))
    white = data.draw(st.permutations(places[1::2]))
    shuffled = [(black if i % 2 == 0 else white)[i // 2] for i in range(len(places))]

    def key(moves: list[int]) -> int:
        state = game.initial_state()
        for move in moves:
            state, _ = game.play(state, Action(move))
        return game.key(state)

    assert key(places) == key(shuffled)
    assert key(places) != key(places[:-1])
    swapped = [*places[:-2], places[-1], places[-2]]
    assert key(places) != key(swapped), "the same places, but other colours"


@settings(max_examples=200)
@given(choices=CHOICES, others=CHOICES)
def test_keys_of_connect_four_are_those_of_its_boards(choices: list[int], others: list[int]) -> None:
    game = ConnectFour()
    states = follow(game, choices) + follow(game, others)
    assert len({game.key(state) for state in states}) == len({str(state) for state in states})
