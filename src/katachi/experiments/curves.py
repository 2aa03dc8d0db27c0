"""Learning curves of tree searches on the left-right games: sweeps of settings, measured at checkpoints.

A sweep is a game, settings that all its cells share, and a grid of lists whose product are the cells. Every cell is
repeated with seeds of its own, in chunks: a chunk is a piece of work for an executor and a row of the result, with sums
and sums of squares for each checkpoint, so that chunks merge to what one run would give, and intervals can be told.
What is measured of one search is in katachi.experiments.walk_metrics; how curves are drawn, in
katachi.experiments.curve_figures; what they mean, in the runner of each experiment.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from katachi import _core
from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.core.errors import InvalidArgumentError, SettingsError, StoreError
from katachi.core.settings import Settings
from katachi.experiments.experiment import Answer, Progress, Row, Verdict, append_row, read_rows
from katachi.experiments.walk_metrics import (
    Reference,
    Walk,
    afterstate_values,
    arrivals,
    choice,
    learnt_values,
    root_value,
    squared_error,
)
from katachi.games.contract import native_state
from katachi.games.registry import make_game
from katachi.search.tree_settings import TreeSearchSettings

__all__ = [
    "WINDOW", "Curves", "CurvesSettings", "Estimate", "Metric", "Sweep", "cell_key", "format_number", "is_better",
    "judge", "measure", "run_curves", "run_pieces", "total_rows",
]  # fmt: skip

# error: B1. choice: B2. steps: B3. value: the mean value of the root's actions, to compare two searches.
Metric = Literal["error", "choice", "steps", "value"]

WINDOW = 10  # steps over which arrivals are counted (6.1)
_WORK = "katachi.experiments.curves:measure"
_NORMAL = 1.959964  # 95 %
_SURE = 1.96


class Sweep(Settings):
    """Cells that are measured alike."""

    name: str = Field(pattern=r"^[a-z0-9-]+$", description="Once in an experiment; seeds depend on it.")
    game: Walk = Field(description="Which walk.")
    metrics: list[Metric] = Field(min_length=1, description="What is measured.")
    reference: Reference = Field(default="optimal", description="Whose values errors are told from.")
    unit: Literal["steps", "episodes"] = Field(default="steps", description="Of the checkpoints.")
    checkpoints: list[int] = Field(min_length=1, description="Ascending; the last one is the budget.")
    repeats: int = Field(ge=1, description="Of each cell.")
    chunk: int = Field(ge=1, description="Repeats in a row of the result.")
    common: bool = Field(default=False, description="The same random numbers in every cell.")
    settings: dict[str, Any] = Field(description="Of every cell: those of the search, and the size of the game.")
    grid: dict[str, list[Any]] = Field(description="A list for each setting that differs: cells are their product.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        budgeted = {"steps", "choice", "value"} & set(self.metrics)
        for is_wrong, text in (
            (sorted(set(self.checkpoints)) != self.checkpoints, f"checkpoints ascend, unlike {self.checkpoints}"),
            (self.checkpoints[0] < 1, "the first checkpoint is at least 1"),
            (bool(budgeted) and self.checkpoints[0] <= WINDOW, f"the first checkpoint is later than {WINDOW} steps"),
            (bool(budgeted) and self.unit == "episodes", f"{', '.join(sorted(budgeted))}: in steps only"),
            (bool(budgeted) and "error" in self.metrics, "errors are measured in a sweep of their own"),
            (not all(self.grid.values()), "a list of the grid is empty"),
        ):
            if is_wrong:
                raise ValueError(text)
        for cell in self.cells():
            options = {**self.settings, **cell}
            if "size" not in options:
                raise ValueError("the size of the game is missing")
            search = TreeSearchSettings(**{name: value for name, value in options.items() if name != "size"})
            if "error" in self.metrics and search.epsilon_decay == "linear":
                raise ValueError("the error is read between runs: no epsilon that falls over the budget")
        return self

    def cells(self) -> list[dict[str, Any]]:
        """The product of the grid."""
        return [dict(zip(self.grid, values, strict=True)) for values in product(*self.grid.values())]

    def pieces(self, seed: int) -> list[Row]:
        """Arguments of `measure`: first chunks first, so that a run that is stopped has something of every cell."""
        told = self.model_dump(mode="json", exclude={"name", "grid", "repeats", "chunk", "settings"})
        return [
            {
                **told,
                "seed": seed,
                "sweep": self.name,
                "cell": cell,
                "settings": {**self.settings, **cell},
                "chunk": number,
                "first": first,
                "repeats": min(self.chunk, self.repeats - first),
            }
            for number, first in enumerate(range(0, self.repeats, self.chunk))
            for cell in self.cells()
        ]


class CurvesSettings(Settings):
    """All that the rows depend on."""

    seed: int = Field(ge=0, lt=2**63, description="Same seed, same rows.")
    repeats: int = Field(ge=1, description="Of each cell of a sweep that does not say otherwise.")
    chunk: int = Field(ge=1, description="Repeats in a row of the result, likewise.")
    settings: dict[str, Any] = Field(description="Of all sweeps; each may have others.")
    sweep: list[Sweep] = Field(min_length=1, description="Each with its own grid.")

    def __init__(self, **values: Any) -> None:  # noqa: ANN401
        shared: dict[str, Any] = {name: values[name] for name in ("repeats", "chunk") if name in values}
        base = values.get("settings", {})
        sweeps = [
            s
            if isinstance(s, Sweep)
            else Sweep.from_mapping({**shared, **s, "settings": {**base, **s.get("settings", {})}})
            for s in values.pop("sweep", [])
        ]
        super().__init__(sweep=sweeps, **values)
        names = [sweep.name for sweep in sweeps]
        if len(set(names)) != len(names):
            raise SettingsError(f"a sweep has a name of its own, unlike {names}")

    def pieces(self) -> list[Row]:
        """All work."""
        return [piece for sweep in self.sweep for piece in sweep.pieces(self.seed)]


# ---- measuring ------------------------------------------------------------------------------------------------------


def measure(piece: Row) -> Row:
    """One chunk of one cell. Rows are the same wherever and in whatever order they are made."""
    walk: Walk = piece["game"]
    options = dict(piece["settings"])
    size = options.pop("size")
    settings = TreeSearchSettings(**options)
    game = make_game(walk, size=size)
    root = native_state(game, game.initial_state())
    native = settings.to_native(root.facts)
    is_graph = settings.structure != "tree"
    truth = afterstate_values(walk, size, piece["reference"])
    if not is_graph:
        truth[size // 2] = root_value(walk, size, piece["reference"])
    rng = Rng(piece["seed"]).split("curves").split(piece["sweep"])
    if not piece["common"]:
        rng = rng.split(cell_key(piece["cell"]))
    measured: dict[str, list[list[float]]] = {metric: [] for metric in piece["metrics"]}
    for repeat in range(piece["first"], piece["first"] + piece["repeats"]):
        search = _core.tree_search(root, native, rng.split("repeat", repeat))
        if "error" not in measured:
            _watch(search, piece, walk, measured)
            continue
        errors = []
        for checkpoint in piece["checkpoints"]:
            _go_to(search, checkpoint, piece["unit"])
            learnt = learnt_values(search, size, is_graph, native.v_init or 0.0)
            errors.append(squared_error(learnt, truth))
        measured["error"].append(errors)
    sums = {metric: _sums(values) for metric, values in measured.items()}
    return {
        "sweep": piece["sweep"],
        "cell": piece["cell"],
        "chunk": piece["chunk"],
        "repeats": piece["repeats"],
        "at": piece["checkpoints"],
        **sums,
    }


def _go_to(search: _core.TreeMemory, checkpoint: int, unit: str) -> None:
    """Until the checkpoint has been reached, and to the end of the episode in which it falls: nothing is cut."""
    if unit == "episodes":
        search.run(simulations=checkpoint - search.simulations)
        return
    while search.steps < checkpoint:
        search.run(simulations=1)


def _watch(search: _core.TreeMemory, piece: Row, walk: Walk, measured: Mapping[str, list[list[float]]]) -> None:
    """One run to the last checkpoint."""
    checkpoints: list[int] = piece["checkpoints"]
    search.watch(sorted({step for at in checkpoints for step in (at - WINDOW, at)}))
    search.run(steps=checkpoints[-1])
    shots = {shot.steps: shot for shot in search.snapshots}
    for metric, values in measured.items():
        if metric == "steps":
            values.append([arrivals(walk, shots[at - WINDOW], shots[at]) for at in checkpoints])
        elif metric == "choice":
            values.append([choice(shots[at].actions) for at in checkpoints])
        elif metric == "value":
            values.append([sum(action.value for action in shots[at].actions) / 2 for at in checkpoints])


def _sums(values: Sequence[Sequence[float]]) -> list[list[float]]:
    """Sums and sums of squares by checkpoint."""
    columns = list(zip(*values, strict=True))
    return [
        [_short(math.fsum(column)) for column in columns],
        [_short(math.fsum(x * x for x in column)) for column in columns],
    ]


def _short(x: float) -> float:
    """Rows are read by people, too: whole numbers are written so, others with twelve digits."""
    return int(x) if x == int(x) else float(f"{x:.12g}")


# ---- running --------------------------------------------------------------------------------------------------------


def total_rows(settings: Mapping[str, Any]) -> int:
    """How many rows there will be."""
    return len(CurvesSettings.from_mapping(settings).pieces())


def run_curves(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Measures what is missing."""
    run_pieces(_WORK, CurvesSettings.from_mapping(settings).pieces(), rows_path, executor, progress)


def run_pieces(function: str, pieces: Iterable[Row], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Work whose pieces and rows are told apart by sweep, cell and chunk; rows that are there are not made again."""
    there = {_row_key(rows_path, number, row) for number, row in enumerate(read_rows(rows_path), 1)}
    missing = [piece for piece in pieces if _key(piece) not in there]
    done = len(there)
    for _, row in executor.run(function, missing) if missing else ():
        append_row(rows_path, row)
        done += 1
        progress(done, f"{row['sweep']}: {cell_key(row['cell'])}")


def cell_key(cell: Mapping[str, Any]) -> str:
    """A cell as text: what seeds depend on, whatever the order of the grid."""
    return " ".join(f"{name}={json.dumps(value)}" for name, value in sorted(cell.items()))


def _key(row: Mapping[str, Any]) -> tuple[str, str, int]:
    return row["sweep"], cell_key(row["cell"]), row["chunk"]


def _row_key(path: Path, number: int, row: Row) -> tuple[str, str, int]:
    if not row.keys() >= {"sweep", "cell", "chunk"}:
        raise StoreError(f"{path}, line {number} is no chunk of a curve: {str(row)[:200]}")
    return _key(row)


# ---- merging --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Estimate:
    """A number and its 95 % interval; `mean` and `error` are of what was averaged, which may be something else."""

    value: float
    low: float
    high: float
    mean: float
    error: float

    def __str__(self) -> str:
        return format_number(self.value)

    @property
    def interval(self) -> str:
        """For tables."""
        return f"{format_number(self.low)} to {format_number(self.high)}"


def format_number(x: float) -> str:
    """Three digits; more than a thousand steps are as good as never."""
    return "never" if math.isinf(x) else f"{x:.3g}" if abs(x) < 1000 else f"{x:.0f}"


def is_better(one: Estimate, other: Estimate, metric: Metric = "steps") -> bool:
    """Is one surely better (95 %)? Of steps, arrivals are compared: two means that were measured apart."""
    gap = one.mean - other.mean
    if metric == "error":
        gap = -gap
    return gap > _SURE * math.hypot(one.error, other.error)


def judge(conditions: Mapping[str, bool], sentence: str) -> Answer:
    """Reproduced if all that a claim says holds, not if nothing of it does, else partly; what fails is named."""
    failed = [text for text, holds in conditions.items() if not holds]
    verdict: Verdict = "reproduced" if not failed else "not" if len(failed) == len(conditions) else "partly"
    return Answer(verdict, sentence + (f"; does not hold: {', '.join(failed)}" if failed else ""))


class Curves:
    """Rows, merged: estimates by sweep, cell and checkpoint."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows: dict[tuple[str, str], list[Row]] = {}
        self._cells: dict[str, dict[str, dict[str, Any]]] = {}
        for row in rows:
            key = cell_key(row["cell"])
            self._rows.setdefault((row["sweep"], key), []).append(row)
            self._cells.setdefault(row["sweep"], {})[key] = row["cell"]

    def values(self, sweep: str, name: str) -> list[Any]:
        """What a sweep has of one setting: numbers in their order, then words in that of the rows."""
        if sweep not in self._cells:
            raise InvalidArgumentError(f"nothing of {sweep} has been measured yet")
        found = list(dict.fromkeys(cell[name] for cell in self._cells[sweep].values()))
        numbers = sorted(value for value in found if not isinstance(value, str))
        return numbers + [value for value in found if isinstance(value, str)]

    def checkpoints(self, sweep: str) -> list[int]:
        """Of a sweep."""
        rows = [row for (name, _), some in self._rows.items() if name == sweep for row in some]
        if not rows:
            raise InvalidArgumentError(f"nothing of {sweep} has been measured yet")
        return [int(at) for at in rows[0]["at"]]

    def repeats(self, sweep: str) -> int:
        """Of the cell that has the fewest so far."""
        counts = [sum(int(row["repeats"]) for row in some) for (name, _), some in self._rows.items() if name == sweep]
        return min(counts)

    def has(self, sweep: str, cell: Mapping[str, Any]) -> bool:
        """Has this cell been measured?"""
        return (sweep, cell_key(cell)) in self._rows

    def at(self, metric: Metric, sweep: str, checkpoint: int, **cell: Any) -> Estimate:  # noqa: ANN401
        """One number. `lambda_` is lambda."""
        if "lambda_" in cell:
            cell["lambda"] = cell.pop("lambda_")
        rows = self._rows.get((sweep, cell_key(cell)))
        if rows is None:
            raise InvalidArgumentError(f"{sweep}: {cell_key(cell)} has not been measured yet")
        place = rows[0]["at"].index(checkpoint)
        count = sum(row["repeats"] for row in rows)
        mean = math.fsum(row[metric][0][place] for row in rows) / count
        square = math.fsum(row[metric][1][place] for row in rows) / count
        variance = max(0.0, square - mean * mean) * count / max(1, count - 1)
        return _estimate(metric, mean, math.sqrt(variance / count))

    def best(self, metric: Metric, sweep: str, checkpoint: int, over: str, **cell: Any) -> tuple[Any, Estimate]:  # noqa: ANN401
        """The value of one setting that does best, and how well; of equal ones the first."""
        found = [
            (value, self.at(metric, sweep, checkpoint, **cell, **{over: value})) for value in self.values(sweep, over)
        ]
        sign = -1 if metric == "error" else 1
        return max(found, key=lambda one: sign * one[1].mean)

    def curve(self, metric: Metric, sweep: str, **cell: Any) -> list[Estimate]:  # noqa: ANN401
        """At every checkpoint."""
        return [self.at(metric, sweep, checkpoint, **cell) for checkpoint in self.checkpoints(sweep)]


def _estimate(metric: Metric, mean: float, error: float) -> Estimate:
    """B3: the window by the mean number of arrivals. B1: the root of the mean square. So with intervals."""
    low, high = mean - _NORMAL * error, mean + _NORMAL * error
    if metric == "steps":
        return Estimate(_by(WINDOW, mean), _by(WINDOW, high), _by(WINDOW, low), mean, error)
    if metric == "error":
        return Estimate(math.sqrt(mean), math.sqrt(max(0.0, low)), math.sqrt(high), mean, error)
    return Estimate(mean, low, high, mean, error)


def _by(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator > 0 else math.inf
