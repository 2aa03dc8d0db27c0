"""End positions, as the source has them (6.2.1): of games of a trained network, and who has won them for GNU Go.

They are kept in `ends.jsonl` beside the rows: stones row by row, and Black's margin on the board. A network is shown
each as Black and as White, and calls it won if its output is above one half. Drawn positions are left out.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from katachi._core import Player
from katachi.core.files import write_whole
from katachi.core.json_lines import read_rows
from katachi.experiments.experiment import Row
from katachi.experiments.network_runs import snapshot_path
from katachi.games.go.position import Position
from katachi.training.network_learning import play_test
from katachi.values.network import NetworkSettings, outputs_of
from katachi.values.network_file import read_network

__all__ = ["FILE", "call_ends", "make_ends", "read_ends"]

FILE = "ends.jsonl"
_MOST_ROUNDS = 10  # then there are as many as there are
_EPSILON = 0.1  # games as those of training: without it one opening has one end


def make_ends(work: dict[str, Any]) -> Row:
    """Plays until there are enough of them, all different, and writes the file."""
    found: dict[str, float] = {}

    def note(position: Position, margin: float) -> None:
        if margin != 0 and len(found) < work["positions"]:
            found.setdefault(position.stones(), margin)

    rounds = 0
    while len(found) < work["positions"] and rounds < _MOST_ROUNDS:
        play_test(
            work["network"], opponent="wally", games=work["positions"], seed=work["seed"] + rounds, referee="gnugo",
            epsilon=_EPSILON, on_score=note,
        )  # fmt: skip
        rounds += 1
    lines = [json.dumps({"stones": stones, "margin": margin}) for stones, margin in found.items()]
    write_whole(Path(work["file"]), ("\n".join(lines) + "\n").encode())
    own = {name: work[name] for name in ("name", "trainer", "rule", "number", "kind", "after")}
    return {**own, "positions": len(found), "won_by_black": sum(margin > 0 for margin in found.values())}


def read_ends(path: Path, side: int) -> list[tuple[Position, float]]:
    """Positions, and Black's margins."""
    return [(_position(row["stones"], side), row["margin"]) for row in read_rows(path)]


def _position(stones: str, side: int) -> Position:
    black, white = ([point for point, stone in enumerate(stones) if stone == mark] for mark in "XO")
    return Position.set_up(side, side, black=black, white=white)


def call_ends(work: dict[str, Any]) -> Row:
    """What the snapshots of one run make of the positions: the share of right calls, and the mean squared error."""
    calls = []
    for after in work["points"]:
        file = read_network(snapshot_path(Path(work["folder"]), after))
        assert file.header.board is not None
        ends = read_ends(Path(work["file"]), file.header.board[0])
        right, squares = _called(ends, file.header.network, file.weights)
        calls.append({"after": after, "right": right, "of": 2 * len(ends), "mse": float(f"{squares:.6g}")})
    own = {name: work[name] for name in ("name", "trainer", "rule", "number", "kind")}
    return {**own, "calls": calls}


def _called(
    ends: Sequence[tuple[Position, float]], network: NetworkSettings, weights: NDArray[np.float64]
) -> tuple[int, float]:
    """How many are right, and the mean squared error of outputs for won (1) and lost (0)."""
    positions = [position for position, _ in ends]
    right, squares = 0, 0.0
    for player, sign in ((Player.BLACK, 1), (Player.WHITE, -1)):
        outputs = outputs_of(network, weights, positions, player)
        for output, (_, margin) in zip(outputs, ends, strict=True):
            is_won = sign * margin > 0
            right += (output > 0.5) == is_won
            squares += (output - is_won) ** 2
    return right, squares / max(1, 2 * len(ends))
