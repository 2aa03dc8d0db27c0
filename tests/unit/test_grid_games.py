"""Connect four, Gomoku and Hex by hand: every direction, the edges, draws, what is illegal, how they are drawn."""

from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest

from katachi import Action, IllegalMoveError, InvalidArgumentError, ParseError, Player, make_game
from katachi._core import State
from katachi.games.contract import BoardGame, native_state
from katachi.games.grid import ConnectFour, Gomoku, GridGame, Hex
from katachi.games.native import TicTacToe


def played(game: Any, moves: list[int]) -> tuple[State, list[float]]:  # noqa: ANN401
    state, rewards = game.initial_state(), []
    for move in moves:
        state, reward = game.play(state, Action(move))
        rewards.append(reward)
    return state, rewards


def check_win(game: Any, moves: list[int], reward: float) -> None:  # noqa: ANN401
    """The last move wins, and not before."""
    state, rewards = played(game, moves[:-1])
    assert not game.is_terminal(state)
    assert not any(rewards)
    state, rewards = played(game, moves)
    assert game.is_terminal(state)
    assert rewards[-1] == reward
    assert game.legal_actions(state) == []
    with pytest.raises(IllegalMoveError):
        game.play(state, Action(0))


# --- connect four ---

FOUR = {
    "up": [0, 1, 0, 1, 0, 1, 0],
    "up to the top": [0, 0, 0, 1, 0, 1, 0, 1, 0],
    "across": [0, 0, 1, 1, 2, 2, 3],
    "five across": [0, 0, 1, 1, 3, 3, 4, 4, 2],
    "rising": [0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3],
    "falling": [6, 5, 5, 4, 4, 3, 4, 3, 3, 0, 3],
}


@pytest.mark.parametrize("name", FOUR)
@pytest.mark.parametrize("mirrored", [False, True])
def test_connect_four_lines(name: str, mirrored: bool) -> None:
    moves = [6 - move if mirrored else move for move in FOUR[name]]
    check_win(ConnectFour(), moves, 1.0)


def test_white_wins_connect_four() -> None:
    check_win(ConnectFour(), [6, 0, 1, 0, 1, 0, 1, 0], 0.0)
    check_win(ConnectFour(), [0, 0, 0, 1, 1, 2, 2, 4, 5, 3], 0.0)


def test_no_line_runs_from_the_top_of_a_column_into_the_next() -> None:
    game = ConnectFour()
    # X has the three highest places of column 0 and the lowest of column 1, and of column 2 what would follow.
    state, rewards = played(game, [1, 0, 2, 0, 3, 0, 0, 3, 0, 4, 0])
    assert str(state).splitlines() == ["X......", "X......", "X......", "O......", "O..O...", "OXXXO.."]
    assert not game.is_terminal(state)
    assert not any(rewards)


def test_a_draw_of_connect_four() -> None:
    game = ConnectFour()
    moves = [int(c) for c in "045440122555440354663251233621666331112000"]
    state, rewards = played(game, moves)
    assert len(moves) == 42
    assert game.is_terminal(state)
    assert rewards == [0.0] * 41 + [0.5]


def test_columns_of_connect_four() -> None:
    game = ConnectFour()
    state = game.initial_state()
    assert game.facts.max_length == 42
    assert [game.format_action(state, Action(c)) for c in range(7)] == ["A1", "B1", "C1", "D1", "E1", "F1", "G1"]
    full, _ = played(game, [3] * 6)
    assert game.legal_actions(full) == [0, 1, 2, 4, 5, 6]
    assert game.format_action(full, Action(3)) == "D6"
    assert [game.parse_action(state, text) for text in ("d", "D1", "d6", " G ")] == [3, 3, 3, 6]
    for text in ("h", "H1", "D7", "4", "", "pass", "44"):
        with pytest.raises(ParseError):
            game.parse_action(state, text)
    for action in (-1, 7, 10**12):
        with pytest.raises(IllegalMoveError):
            game.play(state, Action(action))
    with pytest.raises(IllegalMoveError):
        game.play(full, Action(3))


# --- Gomoku ---


def every_five(size: int, step: tuple[int, int]) -> list[list[int]]:
    down, across = step
    lines = [[(row + i * down, col + i * across) for i in range(5)] for row in range(size) for col in range(size)]
    return [[r * size + c for r, c in line] for line in lines if all(0 <= x < size for at in line for x in at)]


def beside(line: list[int], area: int, count: int) -> list[int]:
    """Places for the other player, far from each other."""
    return [i * 3 % area for i in range(area) if i * 3 % area not in line][:count]


@pytest.mark.parametrize("step", [(0, 1), (1, 0), (1, 1), (1, -1)])
@pytest.mark.parametrize("size", [5, 7])
def test_every_line_of_five_wins(size: int, step: tuple[int, int]) -> None:
    game = Gomoku(size)
    lines = every_five(size, step)
    assert lines
    for line in lines:
        for order in (line, [line[i] for i in (4, 0, 3, 1, 2)]):
            others = beside(line, size * size, 5)
            check_win(game, [m for pair in zip(order, [*others[:4], -1], strict=True) for m in pair][:-1], 1.0)
            check_win(game, [m for pair in zip(others, order, strict=True) for m in pair], 0.0)


def test_lines_of_gomoku_do_not_run_around_the_edge() -> None:
    size = 7
    game = Gomoku(size)
    wraps = 0
    for step in (1, size - 1, size, size + 1, 2 * size - 1):
        for start in range(size * size - 4 * step):
            line = [start + i * step for i in range(5)]
            columns = [place % size for place in line]
            if all(abs(a - b) <= 1 for a, b in pairwise(columns)):
                continue
            wraps += 1
            others = beside(line, size * size, 4)
            state, rewards = played(game, [m for pair in zip(line, [*others, -1], strict=True) for m in pair][:-1])
            assert not game.is_terminal(state)
            assert not any(rewards)
    assert wraps > 20


def test_more_than_five_win_too() -> None:
    check_win(Gomoku(9), [0, 20, 1, 23, 2, 38, 4, 41, 5, 62, 3], 1.0)


def test_a_draw_of_gomoku() -> None:
    state, rewards = played(Gomoku(3), [4, 0, 8, 1, 2, 6, 3, 5, 7])
    assert state.is_terminal
    assert rewards == [0.0] * 8 + [0.5]
    full = [0, 2, 1, 3, 6, 4, 7, 5, 8, 10, 9, 11, 14, 12, 15, 13]
    state, rewards = played(Gomoku(4, 3), full)
    assert state.is_terminal
    assert rewards[-1] == 0.5


def test_gomoku_with_lines_of_three_is_tic_tac_toe_on_3x3() -> None:
    from katachi import Rng

    ours, other = Gomoku(3, 3), TicTacToe()
    rng = Rng(4)
    for _ in range(100):
        a, b = ours.initial_state(), other.initial_state()
        while not a.is_terminal:
            assert ours.legal_actions(a) == other.legal_actions(b)
            move = rng.choice(ours.legal_actions(a))
            (a, reward), (b, other_reward) = ours.play(a, move), other.play(b, move)
            assert reward == other_reward
        assert b.is_terminal


@pytest.mark.parametrize(("size", "line"), [(2, 5), (20, 5), (-1, 5), (9, 1), (9, 20)])
def test_bad_sizes_of_gomoku(size: int, line: int) -> None:
    with pytest.raises(InvalidArgumentError, match="gomoku"):
        Gomoku(size, line)


# --- Hex ---


@pytest.mark.parametrize("size", [1, 2, 3, 5, 11, 19])
def test_straight_chains_win_hex(size: int) -> None:
    game = Hex(size)
    for i in range(size):
        column = [row * size + i for row in range(size)]
        row = [i * size + col for col in range(size)]
        other = (i + 1) % size
        if size > 1:
            # The other player builds a parallel chain, one stone behind.
            beside_column = [r * size + other for r in range(size)]
            check_win(game, [m for pair in zip(column, beside_column, strict=True) for m in pair][:-1], 1.0)
            beside_row = [other * size + c for c in range(size)]
            check_win(game, [m for pair in zip(beside_row, row, strict=True) for m in pair], 0.0)
        else:
            check_win(game, column, 1.0)


def test_neighbours_of_hex() -> None:
    game = Hex(2)
    check_win(game, [1, 0, 2], 1.0)  # the short diagonal touches
    state, _ = played(game, [0, 1, 3])  # the long one does not
    assert not state.is_terminal
    assert game.play(state, Action(2))[1] == 0.0
    check_win(game, [0, 1, 3, 2], 0.0)


def test_a_winding_chain_of_hex() -> None:
    #  . X . . .      A chain that goes down, to the right and back to the left.
    #   . X X X .
    #    . . . X .
    #     X X X . .
    #      X . . . .
    game = Hex(5)
    chain = [1, 6, 7, 8, 13, 17, 16, 15, 20]
    others = [0, 5, 10, 3, 9, 14, 19, 24, 23]
    check_win(game, [m for pair in zip(chain, others, strict=True) for m in pair][:-1], 1.0)
    joined = [*chain[:4], *chain[5:], chain[4]]
    check_win(game, [m for pair in zip(joined, others, strict=True) for m in pair][:-1], 1.0)


def test_own_sides_do_not_help_the_other_player() -> None:
    state, rewards = played(Hex(3), [0, 2, 1, 5])  # X along the top, O along the right
    assert not state.is_terminal
    assert not any(rewards)


@pytest.mark.parametrize("size", [0, 20, -3])
def test_bad_sizes_of_hex(size: int) -> None:
    with pytest.raises(InvalidArgumentError, match=f"hex: the size must be from 1 to 19, not {size}"):
        Hex(size)


# --- all of them ---

ALL = [TicTacToe(), ConnectFour(), Gomoku(), Gomoku(19), Hex(), Hex(3)]


@pytest.mark.parametrize("game", ALL, ids=lambda game: f"{game.name}-{game.board_shape[0]}")
def test_boards_can_be_shown(game: Any) -> None:  # noqa: ANN401
    board: Any = game
    assert isinstance(board, BoardGame)
    width, height = game.board_shape
    state, _ = played(game, [0, 1, 2])
    assert len(game.stones(state)) == width * height
    assert sorted(game.stones(state).replace(".", "")) == ["O", "X", "X"]
    assert game.to_play(state) is Player.WHITE
    root = ElementTree.fromstring(game.svg(state))
    stones = [e for e in root.iter() if e.tag.endswith("circle") and e.get("fill") in ("#111", "#fafafa")]
    assert sorted(str(e.get("fill")) for e in stones) == ["#111", "#111", "#fafafa"]
    across, down = float(root.get("width", 0)), float(root.get("height", 0))
    for element in root.iter():
        for x, y in (("cx", "cy"), ("x1", "y1"), ("x2", "y2")):
            if element.get(x):
                assert 0 < float(element.get(x, 0)) < across
                assert 0 < float(element.get(y, 0)) < down
        for corner in element.get("points", "").split():
            x_at, y_at = map(float, corner.split(","))
            assert 0 < x_at < across
            assert 0 < y_at < down
    letters = [e.text for e in root.iter() if e.tag.endswith("text")]
    assert str(height) in letters


def test_drawings_as_text() -> None:
    gomoku, hexagons, four = Gomoku(3), Hex(3), ConnectFour()
    assert str(played(gomoku, [0, 5])[0]) == "X..\n..O\n...\n"
    assert gomoku.format_state(played(gomoku, [0, 5])[0]) == "\n".join(
        ["   A B C", " 3 X . . 3", " 2 . . O 2", " 1 . . . 1", "   A B C", ""]
    )
    state, _ = played(hexagons, [0, 5])
    assert str(state) == "X . .\n . . O\n  . . .\n"
    assert hexagons.format_state(state) == "\n".join(
        ["   A B C", " 3  X . .  3", "  2  . . O  2", "   1  . . .  1", "       A B C", ""]
    )
    assert four.format_state(played(four, [3, 3])[0]).splitlines()[-3:] == [
        " 2 . . . O . . . 2",
        " 1 . . . X . . . 1",
        "   A B C D E F G",
    ]


@pytest.mark.parametrize("game", [Gomoku(19), Hex(19)], ids=lambda game: game.name)
def test_points_as_vertices(game: GridGame) -> None:
    state = game.initial_state()
    assert [game.format_action(state, Action(a)) for a in (0, 18, 8, 360)] == ["A19", "T19", "J19", "T1"]
    assert all(game.parse_action(state, game.format_action(state, Action(a))) == a for a in range(361))
    assert game.parse_action(state, "j19") == 8
    for text in ("I5", "A20", "pass", "", "5"):
        with pytest.raises(ParseError):
            game.parse_action(state, text)
    once, _ = game.play(state, Action(7))
    for action in (7, -1, 361, 10**12):
        with pytest.raises(IllegalMoveError, match=r"not legal in\n\s*\. \.|not legal in\n\.\.\."):
            game.play(once, Action(action))


def test_states_of_another_size_are_refused() -> None:
    small, large = make_game("gomoku", size=5), make_game("gomoku", size=6)
    with pytest.raises(InvalidArgumentError, match="no state of gomoku"):
        native_state(small, large.initial_state())
    with pytest.raises(InvalidArgumentError, match="no state of hex"):
        native_state(make_game("hex", size=5), small.initial_state())
