"""Margins by territory and prisoners, for rewards (Ekker, 4.2): positions that are counted by hand."""

import pytest

from katachi._core import territory_margin
from katachi.games.go import Position, Rules

RULES = Rules.named("cgos")


def counted(diagram: str) -> tuple[int, list[int]]:
    """Black's margin, and the dead stones."""
    board = Position.from_diagram(diagram, rules=RULES)
    margin, dead = territory_margin(board.native, 200, 0.6)
    return margin, [point for point, is_dead in enumerate(dead) if is_dead]


def test_an_empty_board_is_nobodys() -> None:
    assert territory_margin(Position(5, 5, RULES).native, 200, 0.6)[0] == 0


def test_two_walls() -> None:
    margin, dead = counted(
        """
        . X O . .
        . X O . .
        . X O . .
        . X O . .
        . X O . .
        """
    )
    assert dead == []
    assert margin == 5 - 10


def test_a_dead_stone_is_territory_and_a_prisoner() -> None:
    margin, dead = counted(
        """
        . . X . O
        . X X O .
        X X . X O
        . O X X O
        . X X O O
        """
    )
    assert 16 in dead
    without, _ = counted(
        """
        . . X . O
        . X X O .
        X X . X O
        . . X X O
        . X X O O
        """
    )
    assert margin == without + 1


def test_everything_is_one_sides() -> None:
    margin, dead = counted(
        """
        . X . X .
        X X X X X
        . X . X .
        X . X X X
        . O X X .
        """
    )
    assert dead == [21]
    assert margin == 9 + 2  # nine empty points, the dead stone, and where it stood


@pytest.mark.parametrize("share", [0.6, 0.9])
def test_the_same_stones_have_the_same_margin(share: float) -> None:
    one = Position(5, 5, RULES).play(12).play(7).play(11)
    other = Position(5, 5, RULES).play(11).play(7).play(12)
    assert territory_margin(one.native, 50, share) == territory_margin(other.native, 50, share)
