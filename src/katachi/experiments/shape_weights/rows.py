"""What is kept of a training run: a row for each snapshot, and at the end the largest weights and the occurrences.

Rows are data for katachi.experiments.shape_weights.runner, which judges and draws; the run itself is in a folder beside
them and can be thrown away when they are there.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from katachi.core.errors import StoreError
from katachi.experiments.experiment import Row
from katachi.experiments.published_weights import portrait
from katachi.features.local_shapes import Family, Shape
from katachi.training.checkpoint import load_checkpoint
from katachi.training.self_play import snapshot_counts
from katachi.values.shape_value import ShapeValue
from katachi.values.weights_file import load_weights
from katachi.values.weights_summary import largest_weights

__all__ = ["FAMILIES", "has_corner_eyes", "is_split", "rows_of_run", "snapshots_until"]

FAMILIES = ("1x1 li", "1x1 ld", "2x2 li", "2x2 ld", "3x3 li", "3x3 ld")
_TOP = 20
_BINS_PER_DECADE = 2
_MILLION = 1_000_000


def snapshots_until(games: int) -> list[int]:
    """After how many games there is a row: the snapshots of the run, and its end."""
    return [*takewhile(lambda count: count < games, snapshot_counts()), games]


def rows_of_run(folder: Path, games: int) -> Iterator[Row]:
    """Everything, in order."""
    metrics = _metrics(folder / "metrics.jsonl")
    before = 0
    for count in snapshots_until(games):
        name = "checkpoint.safetensors" if count == games else f"snapshots/games_{count:010}.safetensors"
        value, _ = load_weights(folder / name, board_size=9)
        yield {"snapshot": count, **_mean_errors(metrics, before, count), **portrait(value)}
        before = count
    checkpoint = load_checkpoint(folder / "checkpoint.safetensors")
    for family in value.shapes.families:
        yield _top(value, family)
    for family in value.shapes.families:
        if checkpoint.occurrences is None:
            raise StoreError(f"{folder}: this run did not count occurrences")
        own = checkpoint.occurrences[family.first : family.first + family.weights]
        yield {"occurrences": family.name, "games": games, **_counted(own, games)}


def _metrics(path: Path) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise StoreError(f"{path}: {error}") from error


def _mean_errors(metrics: Sequence[dict[str, Any]], after: int, until: int) -> dict[str, float]:
    """Means over the games of the rows of metrics between two snapshots; each row is about the games since the last."""
    counts = [0, *(row["games"] for row in metrics)]
    weights = [now - before for before, now in pairwise(counts)]
    own = [(row, weight) for row, weight in zip(metrics, weights, strict=True) if after < row["games"] <= until]
    played = sum(weight for _, weight in own)
    return {
        name: round(sum(row[name] * weight for row, weight in own) / max(1, played), 6)
        for name in ("cross_entropy", "rms_to_outcome")
    }


def _top(value: ShapeValue, family: Family) -> Row:
    """The largest weights of a family, and what the source says about those of 3x3."""
    ranked = largest_weights(value, family, family.weights if family.name == "3x3 li" else _TOP)
    top = ranked[:_TOP]
    row: Row = {"top": family.name, "weights": [[one.name, round(one.value, 6)] for one in top]}
    if family.name == "3x3 li":
        split = [is_split(one.shape, one.value) for one in ranked]
        row |= {"split": sum(split[:_TOP]), "split_of_all": round(sum(split) / len(split), 4)}
    if family.name == "3x3 ld":
        row["corner_eyes"] = sum(has_corner_eyes(one.shape, one.value) for one in top)
    return row


def _counted(counts: NDArray[np.uint64], games: int) -> dict[str, Any]:
    """Totals and a histogram: how many weights occurred from 10^(k/2) up to 10^((k+1)/2) times."""
    used = counts[counts > 0].astype(np.float64)
    places, found = np.unique(np.floor(_BINS_PER_DECADE * np.log10(used) + 1e-9).astype(int), return_counts=True)
    scaled = used * _MILLION / games
    return {
        "total": int(counts.sum()),
        "classes": int(counts.size),
        "never": int(counts.size - used.size),
        "thousands": int(((scaled >= 1_000) & (scaled < 10_000)).sum()),  # times, in a million games
        "bins": [[int(place), int(count)] for place, count in zip(places, found, strict=True)],
    }


def is_split(shape: Shape, weight: float) -> bool:
    """Are the stones of who is worse off in several parts, and those of the other in one?"""
    better, worse = ("X", "O") if weight > 0 else ("O", "X")
    return _parts(shape, better) == 1 and _parts(shape, worse) >= 2


def _parts(shape: Shape, stone: str) -> int:
    """Chains of a colour within the window."""
    left = {(y, x) for y, line in enumerate(shape.rows) for x, point in enumerate(line) if point == stone}
    parts = 0
    while left:
        parts += 1
        front = [left.pop()]
        while front:
            near = left.intersection(_neighbours(front.pop()))
            left -= near
            front += near
    return parts


def has_corner_eyes(shape: Shape, weight: float) -> bool:
    """Has who is better off two eyes in a corner window: empty points with only own stones, or the edge, around?"""
    if shape.corner != (0, 0):  # representatives are in the top left corner
        return False
    own = "X" if weight > 0 else "O"
    points = {(y, x): point for y, line in enumerate(shape.rows) for x, point in enumerate(line)}
    # Below the window and to its right the board goes on: there nothing is known.
    inside = {place for place in points if place[0] < shape.height - 1 and place[1] < shape.width - 1}
    eyes = [p for p in inside if points[p] == "." and all(points.get(n, own) == own for n in _neighbours(p))]
    return len(eyes) >= 2


def _neighbours(point: tuple[int, int]) -> list[tuple[int, int]]:
    y, x = point
    return [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]
