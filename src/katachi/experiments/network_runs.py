"""Networks that learn from games (Ekker), as work of an experiment: training runs, and test games of their snapshots.

    window = 1000                                        # games of one point of a training curve
    [[run]]                                              # a cell for each trainer and rule, `runs` runs of each
    trainers = ["rprop", "residual-lambda"]
    rules = ["td-directed", "td-mu"]
    games = 10_000
    runs = 3
    settings = { network = { inputs = "board" } }        # of NetworkLearningSettings, beside its defaults
    [[test]]                                             # of every run; without `after`, of its last network
    opponent = "wally"
    games = 200
    after = [1000, 2000, 5000]

A run is in training/ beside the rows, and its row has everything that is judged: the curve of its training games, and
its tests, which are played without exploration and without random moves of the opponent. Runs of the same number have
the same seed in every cell. Matches whose games are dear (`Match`) have rows of their own. What the rows say is
katachi.experiments.network_results.
"""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from math import gcd
from pathlib import Path
from typing import Any

from pydantic import Field

from katachi.arena.executor import Executor
from katachi.core.errors import SettingsError, StoreError
from katachi.core.settings import Settings
from katachi.experiments.experiment import Progress, Row, append_row, read_rows
from katachi.experiments.learning_curve_training import means_between
from katachi.learning.episode_rules import RuleName
from katachi.learning.network_trainers import TrainerName
from katachi.training.network_learning import (
    LearningSchedule,
    NetworkLearningSettings,
    PlayedTest,
    learn,
    learner,
    play_test,
)
from katachi.training.run_folder import CHECKPOINT
from katachi.values.network import NetworkSettings
from katachi.values.network_file import read_network

__all__ = [
    "Match", "NetworkRuns", "TestOf", "TrainingRun", "count_rows", "keep", "play_match", "row_key", "run_network",
    "run_networks", "snapshot_path", "train_networks",
]  # fmt: skip

_HERE = "katachi.experiments.network_runs"
_RUN = ("name", "trainer", "rule", "number")  # what tells one run from another
_KEY = (*_RUN, "kind", "after", "opponent", "depth", "stage", "chunk")
_MEANS = ("wins", "score", "positive_score")
_SEEDS = 1000  # runs and tests of one seed of an experiment


class TestOf(Settings):
    """Games of a network that does not learn from them."""

    __test__ = False  # no test of pytest's

    opponent: str = Field(min_length=1, description="As NetworkLearningSettings has them.")
    depth: int = Field(default=2, ge=1, le=20, description="Plies (4.3: 2 against Wally; 6.2.1: 3 against GNU Go).")
    games: int = Field(default=200, ge=1, description="Of each network.")
    opening_plies: int = Field(default=2, ge=0, description="Random ones at the start.")
    after: list[int] = Field(default=[], description="Games of training; none: all of them.")


class _RunsOf(Settings):
    """Runs that differ in trainer, rule and seed."""

    name: str = Field(default="", pattern=r"^[a-z0-9-]*$", description="What else tells these from others.")
    trainers: list[TrainerName] = Field(default=["rprop"], min_length=1, description="A cell for each …")
    rules: list[RuleName] = Field(default=["td-mu"], min_length=1, description="… and each.")
    games: int = Field(ge=1, description="Of training.")
    runs: int = Field(default=3, ge=1, lt=_SEEDS // 2, description="Seeds (6.2: 3).")
    settings: dict[str, Any] = Field(default_factory=dict, description="Of NetworkLearningSettings.")
    test: list[dict[str, Any]] = Field(default=[], description="Tests of these runs alone.")


@dataclass(frozen=True)
class TrainingRun:
    """One run: its names, what it learns with, and what it is tested by."""

    name: str
    trainer: str
    rule: str
    number: int
    games: int
    settings: NetworkLearningSettings
    tests: tuple[TestOf, ...]

    @property
    def key(self) -> dict[str, Any]:
        """What its rows begin with."""
        return {"name": self.name, "trainer": self.trainer, "rule": self.rule, "number": self.number}

    @property
    def folder(self) -> str:
        """Below training/."""
        return "-".join(part for part in (self.name, self.trainer, self.rule, str(self.number)) if part)

    def points(self, extra: Iterable[int] = ()) -> list[int]:
        """After how many games of training a network is kept."""
        told = {*extra, self.games, *(point for test in self.tests for point in test.after)}
        return sorted(point for point in told if point <= self.games)


class NetworkRuns(Settings):
    """All that the rows of runs depend on."""

    seed: int = Field(ge=0, lt=2**50, description="Same seed, same networks, same tests.")
    window: int = Field(default=1000, ge=1, description="Games of one point of a training curve (6.2: 1000).")
    run: list[_RunsOf] = Field(min_length=1, description="What is trained.")
    test: list[TestOf] = Field(default=[], description="What is played with every network.")

    def __init__(self, **values: Any) -> None:  # noqa: ANN401
        runs = [told if isinstance(told, _RunsOf) else _RunsOf.from_mapping(told) for told in values.pop("run", [])]
        tests = [told if isinstance(told, TestOf) else TestOf.from_mapping(told) for told in values.pop("test", [])]
        super().__init__(run=runs, test=tests, **values)
        folders = [run.folder for run in self.runs()]
        if len(set(folders)) < len(folders):
            raise SettingsError("runs need names where trainer and rule do not tell them apart")

    def runs(self) -> list[TrainingRun]:
        """Number by number, so that a part of the rows has every cell."""
        cells = [(told, trainer, rule) for told in self.run for trainer in told.trainers for rule in told.rules]
        most = max(told.runs for told in self.run)
        return [
            self._run(told, trainer, rule, number)
            for number in range(1, most + 1)
            for told, trainer, rule in cells
            if number <= told.runs
        ]

    def _run(self, told: _RunsOf, trainer: TrainerName, rule: RuleName, number: int) -> TrainingRun:
        values = {"schedule_games": told.games, **told.settings, "seed": _SEEDS * self.seed + number}
        network = NetworkSettings.from_json(values.pop("network", {}))
        if "opponents" in values:
            values["opponents"] = tuple(values["opponents"])
        settings = learner(rule, trainer, network=network, **values)
        tests = (*self.test, *(TestOf.from_mapping(own) for own in told.test))
        return TrainingRun(told.name, trainer, rule, number, told.games, settings, tests)


def snapshot_path(folder: Path, games: int) -> Path:
    """The network of a run after so many games."""
    return folder / "snapshots" / f"games_{games:010}.safetensors"


def row_key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a row is about, or the row that some work will make."""
    return tuple(row.get(name) for name in _KEY)


def count_rows(settings: Mapping[str, Any]) -> int:
    """Of an experiment that is nothing but runs."""
    return len(NetworkRuns.from_mapping(settings).runs())


def run_networks(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Trains and tests what is missing, of an experiment that is nothing but runs."""
    train_networks(NetworkRuns.from_mapping(settings), rows_path, executor, progress)


def train_networks(
    told: NetworkRuns,
    rows_path: Path,
    executor: Executor,
    progress: Progress,
    needed: Mapping[tuple[Any, ...], Sequence[int]] | None = None,
) -> dict[tuple[Any, ...], Path]:
    """Folders of the runs by the keys of their rows.

    `needed` are points whose networks must be here, by the same keys: runs that have their row and not these networks,
    as those of a copy, are trained again.
    """
    runs = {row_key({**run.key, "kind": "run"}): run for run in told.runs()}
    folders = {key: rows_path.parent.resolve() / "training" / run.folder for key, run in runs.items()}
    there = {row_key(row) for row in _checked(rows_path)}
    works = []
    for key, run in runs.items():
        extra = list((needed or {}).get(key, ()))
        is_lost = any(not snapshot_path(folders[key], point).exists() for point in extra)
        if key not in there or is_lost:
            works.append({
                **run.key,
                "kind": "run",
                "games": run.games,
                "window": told.window,
                "points": run.points(extra),
                "settings": run.settings.to_json(),
                "tests": [test.model_dump(mode="json") for test in run.tests] if key not in there else [],
                "test_seed": _SEEDS * told.seed + _SEEDS // 2 + run.number,
                "folder": str(folders[key]),
            })  # fmt: skip
    keep(f"{_HERE}:run_network", works, rows_path, executor, progress)
    return folders


def keep(function: str, works: list[dict[str, Any]], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Does work, and appends the rows that are not there."""
    there = {row_key(row) for row in _checked(rows_path)}
    results = executor.run(function, works)
    with closing(results):  # type: ignore[type-var]
        for _, row in results:
            if row_key(row) not in there:
                append_row(rows_path, row)
                there.add(row_key(row))
            what = " ".join(str(row[name]) for name in ("kind", *_RUN) if row.get(name))
            progress(len(there), what)


def _checked(rows_path: Path) -> list[Row]:
    rows = read_rows(rows_path)
    for number, row in enumerate(rows, 1):
        if not row.keys() >= {"kind", "trainer", "rule", "number"}:
            raise StoreError(f"{rows_path}, line {number} is no row of networks that learn: {str(row)[:200]}")
    return rows


# ---- work for an executor --------------------------------------------------------------------------------------------


def run_network(work: dict[str, Any]) -> Row:
    """Trains a network, or what is left of it, and tests it. All of its row follows from the settings."""
    folder, points, window = Path(work["folder"]), list[int](work["points"]), int(work["window"])
    settings = NetworkLearningSettings.from_json(work["settings"])
    _forget_if_lost(folder, points)
    # Checkpoints are where rows of metrics are: a run that is killed goes on with a whole window.
    schedule = LearningSchedule(
        checkpoint_games=window, metrics_games=window, snapshot_games=gcd(*points), curves=False
    )
    learn(settings, games=work["games"], folder=folder, schedule=schedule)
    stops = [*range(window, work["games"], window), work["games"]]
    means, seconds = means_between(folder / "metrics.jsonl", stops, _MEANS)
    tests = []
    for place, told in enumerate(work["tests"]):
        test = TestOf.from_mapping(told)
        for after in test.after or [work["games"]]:
            if after > work["games"]:
                continue
            # Every test has games of its own, and all snapshots of a run have the same.
            seed = work["test_seed"] + 2**50 * (place + 1)
            played = play_test(
                snapshot_path(folder, after), opponent=test.opponent, games=test.games, depth=test.depth, seed=seed,
                opening_plies=test.opening_plies,
            )  # fmt: skip
            tests.append({**test.model_dump(mode="json", exclude={"after"}), "after": after, **_told(played)})
    own = {name: work[name] for name in (*_RUN, "kind", "games")}
    return {**own, "seed": settings.seed, "curve": {"games": stops, **means}, "tests": tests, "seconds": seconds}


def _forget_if_lost(folder: Path, points: Sequence[int]) -> None:
    """A snapshot that was lost, or that a former run did not keep, can only be had by the same games again."""
    checkpoint = folder / CHECKPOINT
    done = read_network(checkpoint).header.games if checkpoint.exists() else 0
    if any(point <= done and not snapshot_path(folder, point).exists() for point in points):
        shutil.rmtree(folder)


def _told(played: PlayedTest) -> dict[str, Any]:
    return {
        "games": played.games,
        "wins": played.wins,
        "score": float(f"{played.mean_score:.6g}"),
        "positive_score": float(f"{played.mean_positive_score:.6g}"),
    }


class Match(Settings):
    """Games of one snapshot that are dear enough for rows of their own."""

    opponent: str = Field(description="As NetworkLearningSettings has them.")
    depth: int = Field(default=3, ge=1, le=20, description="Plies (6.2.1: 3).")
    games: int = Field(ge=1, description="In all.")
    chunk: int = Field(ge=1, description="Games of one row.")
    referee: str = Field(default="gnugo", description="Who scores them (4.2).")

    @property
    def chunks(self) -> int:
        """How many rows it has."""
        return -(-self.games // self.chunk)

    def works(self, run: Mapping[str, Any], folder: Path, after: int, stage: str, seed: int) -> list[dict[str, Any]]:
        """Of one snapshot of a run, chunk by chunk."""
        shared = {**run, "kind": "match", "after": after, "opponent": self.opponent, "depth": self.depth}
        return [
            {
                **shared,
                "stage": stage,
                "chunk": chunk,
                "games": min(self.chunk, self.games - chunk * self.chunk),
                "referee": self.referee,
                "seed": seed + chunk,
                "network": str(snapshot_path(folder, after)),
            }
            for chunk in range(self.chunks)
        ]


def play_match(work: dict[str, Any]) -> Row:
    """A chunk of a match."""
    played = play_test(
        work["network"], opponent=work["opponent"], games=work["games"], depth=work["depth"], seed=work["seed"],
        referee=work["referee"],
    )  # fmt: skip
    return {**{name: value for name, value in work.items() if name != "network"}, **_told(played)}
