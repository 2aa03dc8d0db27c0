"""Endings of Go that can be solved: who wins if both play as well as can be.

    ending = solve_ending(position)
    ending.outcome          # Black's z: 1, 0.5 or 0; None: not solved

Solved is the game by its rules: area, all stones alive, two passes, no komi left out. Under superko a value belongs to
a position *and* its history, so an outcome is given only if the proof holds with this history (the method is told in
cpp/search/ending_solver.hpp). Boards of at most 49 points; what is solvable within a number of nodes is the last part
of a game, when few points are empty. `safe_area` is Benson's unconditional life.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from katachi import _core
from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Player, Point
from katachi.games.go.position import Position

__all__ = ["MOST_NODES", "Ending", "SafeArea", "safe_area", "solve_ending"]

MOST_NODES = 200_000
"""Nodes of an attempt, if nothing else is said."""

_VERDICTS: dict[_core.EndingVerdict, Literal["proven", "nodes", "superko"]] = {
    _core.EndingVerdict.PROVEN: "proven",
    _core.EndingVerdict.OUT_OF_NODES: "nodes",
    _core.EndingVerdict.SUPERKO: "superko",
}


@dataclass(frozen=True)
class Ending:
    """What has become of an attempt.

    `verdict` is `proven`, `nodes` (there were not enough) or `superko`: a proof under simple ko in which superko might
    forbid a move of the winner, which proves nothing here.
    """

    outcome: float | None  # Black's z
    verdict: Literal["proven", "nodes", "superko"]
    depth: int  # plies of the deepest search
    nodes: int


def solve_ending(
    position: Position, nodes: int = MOST_NODES, progress: Callable[[float], object] | None = None
) -> Ending | None:
    """Tries to solve a position; None if `progress`, told the share of the nodes, returned False."""
    if nodes < 1:
        raise InvalidArgumentError(f"an ending needs at least one node, not {nodes}")
    solved = _core.solve_ending(position.native, nodes, progress)
    if solved is None:
        return None
    verdict, outcome, depth, used = solved
    return Ending(outcome if verdict is _core.EndingVerdict.PROVEN else None, _VERDICTS[verdict], depth, used)


@dataclass(frozen=True)
class SafeArea:
    """What a player holds for ever, also if he passes for ever (Benson 1976)."""

    stones: tuple[Point, ...]
    eyes: tuple[Point, ...]  # single points between such stones


def safe_area(position: Position, player: Player) -> SafeArea:
    """Of a player, on boards of at most 64 points."""
    stones, eyes = _core.safe_area(position.native, player)
    return SafeArea(tuple(map(Point, stones)), tuple(map(Point, eyes)))
