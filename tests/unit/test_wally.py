"""The Wally-like player: what it does by hand, its slow twin in random games, and its player (Ekker, 4.1)."""

import random

import pytest

from katachi import InvalidArgumentError
from katachi._core import Rng, wally_move
from katachi.games.go import GoGame, Position, Rules
from katachi.games.registry import make_game
from katachi.players.registry import make_player
from katachi.reference.wally import wally_move as twin_move

RULES = Rules.named("chinese")  # simple ko


def position(moves: str, size: int = 5) -> Position:
    found = Position(size, size, RULES)
    for vertex in moves.split():
        found = found.play(found.action(vertex))
    return found


def answer(moves: str) -> str:
    board = position(moves)
    return board.vertex(wally_move(board.native))


def test_it_passes_on_an_empty_board() -> None:
    assert answer("") == "pass"


def test_it_takes_what_is_in_atari_at_once() -> None:
    assert answer("C3 A1 A2 E5") == "B1"
    assert answer("C3 A1 D3 pass A2 pass") == "B1"


def test_it_chases_the_chain_with_fewest_liberties() -> None:
    board = position("A1 pass")  # two liberties, both on the edge: the first one
    assert board.vertex(wally_move(board.play(board.action("pass")).native)) != "C3"
    assert answer("C3") in {"C4", "B3", "D3", "C2"}


def test_it_plays_no_self_atari_but_to_take() -> None:
    rng, own = random.Random(5), 0
    for seed in range(40):
        board = random_position(rng, 6 + seed % 12)
        move = wally_move(board.native)
        if move == 25:
            continue
        after = board.play(move)
        taken = after.captured(after.to_play) - board.captured(after.to_play)
        atari = after.native.in_atari(move)
        assert taken or not atari
        own += 1
    assert own > 20


def random_position(rng: random.Random, moves: int, size: int = 5) -> Position:
    found = Position(size, size, RULES)
    for _ in range(moves):
        legal = [action for action in found.legal_actions() if action != size * size]
        if legal:
            found = found.play(rng.choice(legal))
    return found


@pytest.mark.parametrize("size", [2, 5, 7])
def test_it_is_its_twin(size: int) -> None:
    rng, passes, shapes = random.Random(size), 0, 0
    for _ in range(150):
        board = random_position(rng, rng.randint(0, size * size + 8), size)
        expected = twin_move(board)
        assert wally_move(board.native) == expected, f"\n{board}"
        passes += expected == size * size
        shapes += expected != size * size
    assert passes
    assert shapes


def test_the_player() -> None:
    game = GoGame(5)
    board = game.initial_state().play(12)
    assert make_player("wally").choose(game, board, Rng(1)).action == wally_move(board.native)
    chosen = {make_player("wally:random=1").choose(game, board, Rng(seed)).action for seed in range(60)}
    assert len(chosen) > 15
    assert make_player("wally:random=0.5").name == "wally:random=0.5"
    with pytest.raises(InvalidArgumentError, match="wally plays Go, not tic-tac-toe"):
        make_player("wally").choose(make_game("tic-tac-toe"), None, Rng(1))
