"""Endings of Go that a person can solve, what they rest on, and what is refused."""

import pytest

from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Player
from katachi.games.go.position import Position
from katachi.games.go.rules import Rules
from katachi.search.endings import safe_area, solve_ending

# Both live with single points for eyes: 15 points for Black, 10 for White.
SETTLED = """
. O O O .
O O O O O
X X X X X
X X . X X
. X X X .
"""
# The same with one neutral point, C3: 14 points for Black, 10 for White, and one for who moves.
ONE_LEFT = """
. O O . O
O O O O O
X X . X X
X X X X X
. X X X .
"""


def position(stones: str, to_play: Player, komi: float, ko: str = "positional") -> Position:
    rows = [row.split() for row in stones.strip().splitlines()]
    black, white = (
        [r * len(rows[0]) + c for r, row in enumerate(rows) for c, stone in enumerate(row) if stone == colour]
        for colour in "XO"
    )
    rules = Rules(ko=ko, komi=komi)
    return Position.set_up(len(rows[0]), len(rows), rules=rules, black=black, white=white, to_play=to_play)


def outcome(found: Position, nodes: int = 100_000) -> float | None:
    ending = solve_ending(found, nodes)
    assert ending is not None
    assert (ending.outcome is None) == (ending.verdict != "proven")
    return ending.outcome


def test_who_lives_for_ever() -> None:
    safe = safe_area(position(SETTLED, Player.BLACK, 0.5), Player.BLACK)
    assert safe.eyes == (17, 20, 24)
    assert safe.stones == tuple(p for p in range(10, 25) if p not in safe.eyes)
    # White's two eyes are real, too: A5 and E5.
    white = safe_area(position(SETTLED, Player.BLACK, 0.5), Player.WHITE)
    assert white.eyes == (0, 4)
    assert safe_area(Position(5, 5), Player.BLACK).stones == ()


def test_one_region_is_not_life() -> None:
    one = "X X X\nX . X\nO O ."
    assert safe_area(position(one, Player.WHITE, 0.5), Player.BLACK).stones == ()


@pytest.mark.parametrize("to_play", [Player.BLACK, Player.WHITE])
@pytest.mark.parametrize(("komi", "black"), [(4.5, 1.0), (5.5, 0.0), (5.0, 0.5)])
def test_what_is_settled_is_counted(to_play: Player, komi: float, black: float) -> None:
    """Black has 15 points and White 10, whoever moves."""
    assert outcome(position(SETTLED, to_play, komi)) == black


@pytest.mark.parametrize("ko", ["simple", "positional", "situational"])
@pytest.mark.parametrize(("komi", "black_first", "white_first"), [(3.0, 1.0, 0.5), (4.5, 1.0, 0.0), (5.0, 0.5, 0.0)])
def test_the_last_point_is_worth_two(ko: str, komi: float, black_first: float, white_first: float) -> None:
    assert outcome(position(ONE_LEFT, Player.BLACK, komi, ko)) == black_first
    assert outcome(position(ONE_LEFT, Player.WHITE, komi, ko)) == white_first


def test_a_game_that_is_over_is_counted() -> None:
    over = Position(3, 3, Rules(komi=0.0)).play("B2").play("pass").play("pass")
    assert outcome(over) == 1.0
    assert outcome(Position(3, 3, Rules(komi=0.0)).play("pass").play("pass")) == 0.5


def test_the_end_of_the_nodes_is_no_opinion() -> None:
    ending = solve_ending(Position(5, 5), 1000)
    assert ending is not None
    assert (ending.outcome, ending.verdict, ending.nodes) == (None, "nodes", 1000)


def test_mistakes_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="boards of at most 49 points, not for 8x8"):
        solve_ending(Position(8, 8))
    with pytest.raises(InvalidArgumentError, match="boards of at most 49 points, not for 13x13"):
        solve_ending(Position(13, 13))
    with pytest.raises(InvalidArgumentError, match="boards of at most 64 points, not for 9x9"):
        safe_area(Position(9, 9), Player.BLACK)
    with pytest.raises(InvalidArgumentError, match="at least one node, not 0"):
        solve_ending(Position(5, 5), 0)


def test_it_can_be_stopped() -> None:
    assert solve_ending(Position(7, 7), 50_000_000, lambda _share: False) is None
