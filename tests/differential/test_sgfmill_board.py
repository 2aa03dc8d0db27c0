"""Captures, simple ko and area against sgfmill's `boards.Board`, a third writing of the same rules.

sgfmill's board performs captures and suicides and refuses nothing but an occupied point: legality is not compared here.
It returns the point that simple ko forbids after a move, as `Position.ko` does; a pass, which it does not know, lifts a
ko. Its smallest side is 2, so there is no 1x1 board to compare with.
"""

import random
from collections import Counter

import pytest
from sgfmill.boards import Board

from katachi.core.types import Player
from katachi.games.go import Position, Rules
from katachi.games.go.vertex import point_at, row_and_col

COLOUR = {Player.BLACK: "b", Player.WHITE: "w"}
STONE = {"b": "X", "w": "O", None: "."}
RULES = [Rules(ko=ko, suicide=suicide) for ko in ("simple", "positional", "situational") for suicide in (False, True)]


def stones(board: Board) -> str:
    """One character a point from the top, as Katachi has it; sgfmill's row 0 is at the bottom."""
    return "".join(STONE[colour] for row in reversed(board.board) for colour in row)


def emptied(before: str, action: int, after: str) -> list[int]:
    """The points that a move emptied, its own included when it was suicide."""
    return [p for p, stone in enumerate(after) if stone == "." and (before[p] != "." or p == action)]


def show(position: Position) -> str:
    """How to find this position again."""
    return f"{position!r}\n{position}"


def play_both(size: int, seed: int) -> Counter[str]:
    """One random game, compared after every move."""
    rng = random.Random(f"{size} {seed}")
    wild = rng.random() < 0.5
    position, board = Position(size, rules=RULES[(size + seed) % len(RULES)]), Board(size)
    events: Counter[str] = Counter()
    for ply in range(2 * size * size):
        if position.is_over:
            break
        points = position.legal_actions()[:-1]
        action = rng.choice(points) if wild and points and rng.random() < 0.97 else rng.choice(position.candidates())
        before, position = position, position.play(action)
        ko = None
        if action != before.pass_action:
            row, col = row_and_col(action, size)
            ko = board.play(size - 1 - row, col, COLOUR[before.to_play])
        assert position.stones() == stones(board), show(position)
        assert position.ko == (None if ko is None else point_at(size - 1 - ko[0], ko[1], size)), show(position)
        if ply % 8 == 0 or position.is_over:  # sgfmill takes its time for this
            assert position.area_score() == board.area_score(), show(position)
        removed = emptied(before.stones(), action, stones(board))
        assert position.last_removed == removed, show(position)
        suicide = action in removed
        events.update(moves=1, captures=bool(removed) and not suicide, ko=ko is not None, suicides=suicide)
    return events


@pytest.mark.parametrize("size", range(2, 20))
def test_random_games(size: int) -> None:
    """The smaller the board, the more games; on the largest ones, sgfmill's speed allows three."""
    events: Counter[str] = Counter()
    for seed in range(max(3, 2000 // (size * size))):
        events += play_both(size, seed)
    rare = ["captures"]
    if 3 <= size <= 9:  # 2x2 has no room for a ko
        rare += ["ko", "suicides"]
    for event in rare:
        assert events[event] > 0, f"{event} never occurred: {dict(events)}"
