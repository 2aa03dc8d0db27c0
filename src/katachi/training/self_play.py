"""Learning to value Go positions by self-play (Silver 2009, 5.6, Algorithm 3), kept in a folder.

    train(SelfPlaySettings(size=9, seed=1), games=100_000, folder=Path("run"))

The folder has `checkpoint.safetensors` (the run can go on from it bit for bit), `snapshots/` (weights after 10, 12, 14,
… games), `metrics.jsonl` and the lock of the run. Weights may be read while it trains: files are written whole. The
native half is cpp/training/self_play.hpp; the manual is docs/shape_learning.md.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from katachi import _core
from katachi._core import Rng
from katachi.core.errors import InvalidArgumentError, StoreError
from katachi.core.settings import Settings
from katachi.features.local_shapes import ShapeSettings
from katachi.learning.td_settings import TdSettings
from katachi.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from katachi.training.metrics import Metrics, MetricsFile
from katachi.training.run_folder import CHECKPOINT, GamesResult, check_settings, has_checkpoint, open_run_folder

__all__ = ["Schedule", "SelfPlaySettings", "TrainingResult", "self_play", "snapshot_counts", "train"]


class SelfPlaySettings(ShapeSettings):
    """A run: what is learnt, from which games."""

    size: int = Field(default=9, ge=1, le=19, description="Side of the board (5.6: 9).")
    seed: int = Field(default=1, ge=0, description="Same seed, same games, same weights, if there is one thread.")

    komi: float = Field(default=7.5, ge=-1000, le=1000, description="Points for White (5.6).")
    eye_rule: Literal["simple", "surrounded", "strict"] = Field(
        default="simple", description="What nobody fills (the published program: simple)."
    )
    epsilon: float = Field(default=0.1, ge=0, le=1, description="How often a move is random (5.6, 5.7.5).")
    ties: Literal["random", "last"] = Field(
        default="random", description="Among equally good moves: any, or, as printed, the last one."
    )
    longest_game: int = Field(default=1000, ge=1, le=1_000_000, description="Moves; a longer game is a draw (5.6).")
    threads: int = Field(
        default=1,
        ge=1,
        le=256,
        description="Threads that play and learn the same weights at a time; with more than one, no two runs are alike "
        "(ours).",
    )
    count_occurrences: bool = Field(
        default=False,
        description="Count how often each weight is active in the states of the games: SelfPlay.occurrences (ours).",
    )
    td: TdSettings = Field(default=TdSettings(), description="How weights learn from a game (5.5).")

    def to_json(self) -> dict[str, Any]:
        """As it stands in the header of a checkpoint."""
        values: dict[str, Any] = json.loads(self.model_dump_json())
        return values


def self_play(settings: SelfPlaySettings) -> _core.SelfPlay:
    """Weights of 0 and no game yet."""
    options = _core.SelfPlayOptions()
    for name in ("komi", "eye_rule", "epsilon", "ties", "longest_game", "threads", "count_occurrences"):
        setattr(options, name, getattr(settings, name))
    options.td = settings.td.to_native()
    return _core.self_play(settings.to_native(settings.size), options, Rng(settings.seed).split("self-play"))


def snapshot_counts(first: int = 10, factor: float = 1.2) -> Iterator[int]:
    """After how many games weights are kept: 10, and each time 1.2 times as many (the published program)."""
    count = float(first)
    while True:
        yield round(count)
        count *= factor


class Schedule(Settings):
    """When a run writes what. None of it changes the weights."""

    checkpoint_games: int = Field(default=10_000, ge=1, description="A checkpoint at every so many games.")
    checkpoint_seconds: float = Field(
        default=30.0, ge=0, description="Also one after so many seconds, at the next row of metrics."
    )
    snapshots: bool = Field(default=True, description="Keep weights after 10, 12, 14, … games.")
    metrics_games: int = Field(default=1_000, ge=1, description="A row of metrics at every so many games.")
    tensorboard: bool = Field(default=False, description="Write the metrics for TensorBoard, too.")


class TrainingResult(GamesResult[Metrics]):
    """What a run has come to."""


def train(
    settings: SelfPlaySettings,
    *,
    games: int,
    folder: Path,
    schedule: Schedule | None = None,
    on_games: Callable[[int, Metrics | None], object] = lambda _games, _metrics: None,
) -> TrainingResult:
    """Plays until there have been so many games in this folder, in this call and in those before.

    `on_games` hears now and then how many there have been, with the last row of metrics. A run that is interrupted
    writes a checkpoint; one that is killed goes on from the last one, and loses nothing but time.
    """
    schedule = schedule or Schedule()
    with open_run_folder(folder), ExitStack() as stack:
        run = _Run(settings, folder, schedule)
        stack.callback(run.metrics.close)
        return run.go(games, on_games)


class _Run:
    def __init__(self, settings: SelfPlaySettings, folder: Path, schedule: Schedule) -> None:
        self._settings, self._folder, self._schedule = settings.to_json(), folder, schedule
        self._counts = settings.count_occurrences
        self._path = folder / CHECKPOINT
        self._play = self_play(settings)
        if has_checkpoint(folder):
            self._take_up(load_checkpoint(self._path))
        self.metrics = MetricsFile(folder, self._play.games, tensorboard=schedule.tensorboard)
        self._save()

    def _take_up(self, checkpoint: Checkpoint) -> None:
        check_settings(self._folder, checkpoint.settings, self._settings, SelfPlaySettings().to_json())
        if checkpoint.rng is None:
            raise StoreError(f"{self._path}: this is a snapshot, which no run can go on from")
        if self._counts and checkpoint.occurrences is None:
            raise StoreError(f"{self._path}: its run counts occurrences, but there are none in it")
        try:
            self._play.weights = checkpoint.weights
            self._play.step_memories = list(checkpoint.step_memories)
            if checkpoint.occurrences is not None:
                self._play.occurrences = checkpoint.occurrences
        except InvalidArgumentError as error:
            raise StoreError(f"{self._path}: {error}") from error
        self._play.rng = checkpoint.rng
        self._play.games = checkpoint.games

    def go(self, games: int, on_games: Callable[[int, Metrics | None], object]) -> TrainingResult:
        play, first, cpu = self._play, self._play.games, time.process_time()
        last: Metrics | None = None

        def progress(_share: float) -> None:
            if play.games < games:
                on_games(play.games, last)

        try:
            for stop in self._stops(first, games):
                play.run(stop, progress)
                last = self._at(stop, games)
        except (KeyboardInterrupt, SystemExit):
            self._at_interruption()
            raise
        on_games(play.games, last)
        seconds = time.process_time() - cpu
        return TrainingResult(self._folder, play.games, len(play.weights), play.games - first, seconds, last)

    def _stops(self, first: int, games: int) -> Iterator[int]:
        """Where something is to be written: rows of metrics, checkpoints, snapshots, the end."""
        now = first
        while now < games:
            rows, checkpoints = self._schedule.metrics_games, self._schedule.checkpoint_games
            stops = [(now // rows + 1) * rows, (now // checkpoints + 1) * checkpoints, games]
            if self._schedule.snapshots:
                stops.append(next(count for count in snapshot_counts() if count > now))
            now = min(stops)
            yield now

    def _at(self, stop: int, games: int) -> Metrics:
        row = self.metrics.add(stop, self._play.take_tally())
        if self._schedule.snapshots and stop in _until(stop):
            name = self._folder / "snapshots" / f"games_{stop:010}.safetensors"
            save_checkpoint(name, Checkpoint(self._settings, stop, self._play.weights))
        is_time = time.monotonic() - self._saved >= self._schedule.checkpoint_seconds
        if is_time or stop == games or stop % self._schedule.checkpoint_games == 0:
            self._save()
        return row

    def _at_interruption(self) -> None:
        """A job that is interrupted rests between two games."""
        tally = self._play.take_tally()
        if tally.games > 0:
            self.metrics.add(self._play.games, tally)
        self._save()

    def _save(self) -> None:
        play = self._play
        save_checkpoint(
            self._path,
            Checkpoint(
                settings=self._settings,
                games=play.games,
                weights=play.weights,
                step_memories=list(play.step_memories),
                rng=play.rng,
                occurrences=play.occurrences if self._counts else None,
            ),
        )
        self._saved = time.monotonic()


def _until(count: int) -> set[int]:
    """The snapshots up to a number of games."""
    found: set[int] = set()
    for each in snapshot_counts():
        if each > count:
            return found
        found.add(each)
    return found
