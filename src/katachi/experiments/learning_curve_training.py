"""A training run of a learning curve: work for an executor. Which runs there are: katachi.experiments.learning_curves.

The folder of a run has what katachi.training.self_play writes, and `rated/`: the weights after those numbers of games
at which the run is rated.
"""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy

from katachi.core.errors import DivergenceError
from katachi.experiments.experiment import Row, read_rows
from katachi.learning.td_settings import TdSettings
from katachi.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from katachi.training.self_play import Schedule, SelfPlaySettings, train

__all__ = ["BOUND", "means_between", "snapshot_path", "train_run"]

BOUND = 1000.0  # a weight beyond it has diverged
_SCHEDULE = Schedule(snapshots=False)
_MEANS = ("cross_entropy", "rms_error", "rms_to_outcome", "moves_per_game")


def snapshot_path(folder: Path, games: int) -> Path:
    """The weights of a run after so many games."""
    return folder / "rated" / f"games_{games:010}.safetensors"


def train_run(work: dict[str, Any]) -> Row:
    """Trains, or what is left of it. All of the row but `seconds` follows from the settings.

    A run that diverges (a weight is no number, or beyond the bound) is no error: its row says by which number of games,
    looked at after 10, 100, 1,000, … games and wherever it is rated.
    """
    folder, rated = Path(work["folder"]), list[int](work["rated"])
    values = dict(work["settings"])
    settings = SelfPlaySettings.from_json({**values, "td": TdSettings.from_mapping(values["td"])})
    diverged, largest, weights = None, list[float](), 0
    done = _games_done(folder, rated)
    for stop in sorted({*rated, *_looks(rated[-1])}):
        kept = snapshot_path(folder, stop)
        if stop < done and not kept.exists():  # it was looked at, and was well
            continue
        if not kept.exists():
            try:
                train(settings, games=stop, folder=folder, schedule=_SCHEDULE)
            except DivergenceError:
                diverged = stop
                break
        now = load_checkpoint(kept if kept.exists() else folder / "checkpoint.safetensors")
        size = float(numpy.abs(now.weights).max(initial=0.0))
        if not size <= BOUND:
            diverged = stop
            break
        if stop in rated:
            weights = len(now.weights)
            largest.append(float(f"{size:.4g}"))
            if not kept.exists():
                kept.parent.mkdir(exist_ok=True)
                save_checkpoint(kept, Checkpoint(now.settings, now.games, now.weights))
    reached = [count for count in rated if diverged is None or count < diverged]
    told = {key: work[key] for key in ("run", "number", "reference", "changes", "games", "rated")}
    own = {"seed": settings.seed, "weights": weights, "diverged": diverged, "largest": largest}
    means, seconds = means_between(folder / "metrics.jsonl", reached, _MEANS)
    return {**told, **own, **means, "seconds": seconds}


def _looks(games: int) -> Iterator[int]:
    """10, 100, …"""
    look = 10
    while look < games:
        yield look
        look *= 10


def _games_done(folder: Path, rated: Sequence[int]) -> int:
    """So far. A snapshot that was lost can only be had by the same games again."""
    checkpoint = folder / "checkpoint.safetensors"
    if not checkpoint.exists():
        shutil.rmtree(folder, ignore_errors=True)
        return 0
    games = load_checkpoint(checkpoint).games
    if any(count < games and not snapshot_path(folder, count).exists() for count in rated):
        shutil.rmtree(folder)
        return 0
    return games


def means_between(path: Path, stops: Sequence[int], names: Sequence[str]) -> tuple[dict[str, list[float]], float]:
    """Means of metrics between some numbers of games, and the CPU seconds of the run.

    Rows of metrics may end anywhere: where a run was interrupted, too.
    """
    spans, before, seconds = list[tuple[int, Row]](), 0, 0.0
    for row in read_rows(path):
        spans.append((row["games"] - before, row))
        seconds += (row["games"] - before) / max(row["games_per_cpu_second"], 0.1)
        before = row["games"]
    found: dict[str, list[float]] = {name: [] for name in names}
    begin = 0
    for end in stops:
        own = [(count, row) for count, row in spans if begin < row["games"] <= end]
        games = sum(count for count, _ in own)
        for name in names:
            found[name].append(float(f"{sum(count * row[name] for count, row in own) / games:.6g}"))
        begin = end
    return found, round(seconds, 3)
