"""Endings by brute force: the twin of the solver and of unconditional life, for tiny boards and the ends of games.

Nothing is remembered and nothing is left out: every legal move of both sides is tried in every position, with the whole
history that superko asks about (`TwinPosition` keeps it). A cap on positions ends what would take too long.
"""

from collections.abc import Sequence

from katachi.reference.go_rules import BLACK, TwinPosition

__all__ = ["best_outcome", "live_for_ever"]


class _Search:
    def __init__(self, white_points: float, most: int) -> None:
        self.white_points, self.left = white_points, most

    def reaches(self, position: TwinPosition, player: int, wanted: float) -> bool:
        """Can a player force an outcome of his of at least so much?"""
        self.left -= 1
        if self.left < 0:
            raise TimeoutError
        if position.is_over():
            black, white = position.area()
            margin = (black - white - self.white_points) * (1 if player == BLACK else -1)
            return (1.0 if margin > 0 else 0.5 if margin == 0 else 0.0) >= wanted
        outcomes = (self.reaches(position.play(a), player, wanted) for a in reversed(position.legal_actions()))
        return any(outcomes) if position.to_play == player else all(outcomes)


def best_outcome(position: TwinPosition, white_points: float, most: int = 20_000) -> float | None:
    """Black's z if both play as well as can be; None if that takes more positions than `most`."""
    search = _Search(white_points, most)
    try:
        for outcome in (1.0, 0.5):
            if search.reaches(position, BLACK, outcome):
                return outcome
    except (TimeoutError, RecursionError):
        return None
    return 0.0


def live_for_ever(position: TwinPosition, owner: int, points: Sequence[int], most: int) -> bool | None:
    """Can the opponent, who alone moves, never take a stone of `owner` at the points? None: more positions than `most`.

    `position` is taken under simple ko; after each stone of the opponent the owner passes.
    """
    seen: set[str] = set()
    waiting = [position if position.to_play != owner else position.play(position.width * position.height)]
    stone = "XO"[owner]
    while waiting:
        found = waiting.pop()
        if any(found.stones()[point] != stone for point in points):
            return False
        if found.stones() in seen:
            continue
        if len(seen) >= most:
            return None
        seen.add(found.stones())
        passing = found.width * found.height
        waiting += [found.play(a).play(passing) for a in found.legal_actions() if a != passing]
    return True
