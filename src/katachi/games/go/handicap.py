"""Where handicap stones go: the fixed points, which the board shows as dots, and a free choice that is spread out."""

from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Point
from katachi.games.go.vertex import point_at, row_and_col

__all__ = ["fixed_handicap", "free_handicap", "most_fixed_stones", "star_points"]


def most_fixed_stones(width: int, height: int) -> int:
    """9 on boards with two odd sides from 9 up, 4 from 7 up, otherwise none (GTP 2 draft 2, 4.1.1)."""
    if min(width, height) < 7:
        return 0
    return 9 if min(width, height) >= 9 and width % 2 == height % 2 == 1 else 4


def fixed_handicap(stones: int, width: int, height: int) -> list[Point]:
    """The fixed points, ascending: on the fourth line of sides from 12 up, on the third of shorter ones."""
    if not 2 <= stones <= most_fixed_stones(width, height):
        most = most_fixed_stones(width, height)
        known = f"takes 2 to {most}" if most else "has no fixed points for"
        raise InvalidArgumentError(f"a board of {width}x{height} {known} handicap stones, not {stones}")
    (left, centre, right), (top, middle, bottom) = _lines(width), _lines(height)
    corners = [(top, right), (bottom, left), (top, left), (bottom, right)][:stones]
    sides = [(middle, left), (middle, right)] if stones >= 6 else []
    ends = [(top, centre), (bottom, centre)] if stones >= 8 else []
    heart = [(middle, centre)] if stones in (5, 7, 9) else []
    return sorted(point_at(row, col, width) for row, col in (*corners, *sides, *ends, *heart))


def free_handicap(stones: int, width: int, height: int) -> list[Point]:
    """Any number from 2 up, ascending: the fixed points as far as there are some, then whatever is farthest from them.

    The edge comes last. No two stones touch, so there may be fewer than asked for.
    """
    area = width * height
    if not 2 <= stones < area:
        raise InvalidArgumentError(f"a board of {width}x{height} takes 2 to {area - 1} handicap stones, not {stones}")
    most = most_fixed_stones(width, height)
    chosen = fixed_handicap(min(stones, most), width, height) if most else []
    places = [row_and_col(point, width) for point in range(area)]
    lines = [min(row, height - 1 - row, col, width - 1 - col) for row, col in places]
    away = [area] * area  # from each point to the nearest stone

    def stand_off(point: Point) -> None:
        row, col = places[point]
        for other, (r, c) in enumerate(places):
            away[other] = min(away[other], abs(row - r) + abs(col - c))

    for point in chosen:
        stand_off(point)
    for lowest in (2, 1, 0) if min(width, height) >= 9 else (1, 0):
        inside = [Point(point) for point in range(area) if lines[point] >= lowest]
        while len(chosen) < stones and any(away[point] > 1 for point in inside):
            chosen.append(max(inside, key=away.__getitem__))
            stand_off(chosen[-1])
    return sorted(chosen)


def star_points(width: int, height: int) -> list[tuple[int, int]]:
    """The customary dots as (row, column): the fixed points, but on smaller boards not those at the sides."""
    if not most_fixed_stones(width, height):
        return []
    (left, centre, right), (top, middle, bottom) = _lines(width), _lines(height)
    corners = [(top, left), (top, right), (bottom, left), (bottom, right)]
    if most_fixed_stones(width, height) < 9:
        return corners
    sides = [(top, centre), (middle, left), (middle, right), (bottom, centre)]
    return [*corners, (middle, centre), *(sides if min(width, height) >= 15 else [])]


def _lines(side: int) -> tuple[int, int, int]:
    edge = 3 if side >= 12 else 2
    return edge, side // 2, side - 1 - edge
