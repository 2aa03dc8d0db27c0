"""Handicap points, dead stones and the score without them."""

import pytest

from katachi import InvalidArgumentError, Player, Rng
from katachi.games.go import Position, Rules
from katachi.games.go.handicap import fixed_handicap, free_handicap, most_fixed_stones
from katachi.games.go.status import attacking_points, chains, dead_chains, final_score
from katachi.games.go.vertex import neighbours

# Black lives on the left, White on the right; a stone at A3 or G3 cannot live.
SETTLED = """
. X X X O O .
X X . X O O O
. . X X O . .
X X X X O O O
. X X X O O .
"""


def test_most_fixed_stones() -> None:
    squares = {size: most_fixed_stones(size, size) for size in range(1, 20)}
    assert squares == {**dict.fromkeys(range(1, 7), 0), 7: 4, 8: 4, **{n: 9 if n % 2 else 4 for n in range(9, 20)}}
    assert most_fixed_stones(9, 13) == 9
    assert most_fixed_stones(7, 13) == 4
    assert most_fixed_stones(6, 13) == 0


def test_fixed_points_of_a_rectangle() -> None:
    position = Position(9, 13)
    assert [position.vertex(p) for p in fixed_handicap(9, 9, 13)] == [
        "C10",
        "E10",
        "G10",
        "C7",
        "E7",
        "G7",
        "C4",
        "E4",
        "G4",
    ]


@pytest.mark.parametrize(("stones", "size"), [(1, 19), (10, 19), (5, 8), (2, 6), (0, 9), (-1, 9)])
def test_impossible_handicaps(stones: int, size: int) -> None:
    with pytest.raises(InvalidArgumentError, match=rf"{size}x{size}.*not {stones}$"):
        fixed_handicap(stones, size, size)


@pytest.mark.parametrize(("width", "height"), [(1, 3), (2, 2), (3, 3), (5, 5), (6, 6), (9, 9), (19, 19), (4, 13)])
def test_free_handicap_is_spread(width: int, height: int) -> None:
    for stones in range(2, width * height, max(1, width * height // 30)):
        points = free_handicap(stones, width, height)
        assert 2 <= len(points) <= stones
        assert len(set(points)) == len(points)
        assert not any(q in points for p in points for q in neighbours(p, width, height))
        Position.set_up(width, height, black=points, to_play=Player.WHITE)
    for stones in (0, 1, width * height, 1000):
        with pytest.raises(InvalidArgumentError, match=f"not {stones}"):
            free_handicap(stones, width, height)


def test_dead_stones_and_score() -> None:
    position = Position.from_diagram(SETTLED, rules="chinese").play("A3", Player.WHITE).play("G3", Player.BLACK)
    dead = dead_chains(position, Rng(1))
    assert [[position.vertex(p) for p in chain] for chain in dead] == [["A3"], ["G3"]]
    assert len(chains(position)) == 4
    assert final_score(position, Rng(1)) == 20 - 15 - 7.5
    strict = position.with_rules(Rules.named("tromp-taylor"))
    assert dead_chains(strict, Rng(1)) == []
    assert final_score(strict, Rng(1)) == position.score() == 18 - 13 - 7.5


def test_where_dead_stones_are_attacked() -> None:
    position = Position.from_diagram(SETTLED, rules="cgos").play("A3", Player.WHITE)
    black = position.turned_to(Player.BLACK)
    assert [black.vertex(a) for a in attacking_points(black, Rng(1))] == ["B3"]
    assert attacking_points(position.turned_to(Player.WHITE), Rng(1)) == []


def test_an_empty_board_has_no_dead_stones() -> None:
    assert dead_chains(Position(9, rules="chinese"), Rng(1)) == []
    assert final_score(Position(9, rules="chinese"), Rng(1)) == -7.5
