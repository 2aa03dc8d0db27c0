"""Running an experiment into a folder, and finding what was run before.

A result is `DIR/ID/SCALE/` with rows.jsonl (the truth), summary.json and the figure (both follow from the rows).
Small results are committed below benchmarks/results/reproduce/ID/: those count where no run of at least the same scale
is at hand.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from katachi.arena.executor import Executor
from katachi.core.errors import InvalidArgumentError, StoreError
from katachi.experiments.experiment import SCALES, VERDICTS, Progress, Scale, Summary, read_rows
from katachi.experiments.registry import Experiment, experiment, load_experiments

__all__ = ["COMMITTED", "Result", "estimate", "find_results", "result_folder", "run_experiment"]

# In a checkout; an installed package has none.
COMMITTED = Path(__file__).parents[3] / "benchmarks" / "results" / "reproduce"
_ROWS, _SUMMARY, _SEED = "rows.jsonl", "summary.json", "seed.json"


@dataclass(frozen=True)
class Result:
    """What one run says."""

    id: str
    scale: Scale
    seed: int
    is_complete: bool
    summary: Summary
    folder: Path

    def to_json(self) -> dict[str, Any]:
        """What summary.json holds."""
        own = {"id": self.id, "scale": self.scale, "seed": self.seed, "is_complete": self.is_complete}
        return {**own, **self.summary.to_json()}

    @property
    def sentence(self) -> str:
        """The result in one line, with what it is worth."""
        part = "" if self.is_complete else ", not finished"
        return f"{self.summary.result} ({self.scale}{part})"


def result_folder(out: Path, id: str, scale: str) -> Path:
    """Where a run is kept."""
    return out / id / scale


def estimate(id: str, scale: str, seed: int, folder: Path, workers: int) -> float:
    """Seconds that the missing rows will take."""
    found = experiment(id)
    total = found.runner.total(found.settings(scale, seed))
    missing = max(0, total - len(read_rows(folder / _ROWS)))
    return found.at(scale).core_seconds * missing / total / max(1, workers)


def run_experiment(
    id: str, scale: str, seed: int, folder: Path, executor: Executor, progress: Progress = lambda _done, _text: None
) -> Result:
    """Runs what is missing; table, verdict and figure are made of all rows."""
    found = experiment(id)
    settings = found.settings(scale, seed)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder}: {error.strerror or error}") from error
    _check_seed(folder, seed)
    found.runner.run(settings, folder / _ROWS, executor, progress)
    rows = read_rows(folder / _ROWS)
    summary = found.runner.summarise(rows, found.claim)
    result = Result(id, cast(Scale, scale), seed, len(rows) >= found.runner.total(settings), summary, folder)
    found.runner.draw(rows, found.claim, folder / "figure")
    _save(folder / _SUMMARY, result.to_json())
    return result


def find_results(out: Path) -> dict[str, list[Result]]:
    """By id of the experiment, the best first: finished, then of the largest scale, then in `out`."""
    results: dict[str, list[Result]] = {}
    for id, found in load_experiments().items():
        folders = [result_folder(out, id, scale) for scale in SCALES]
        there = [_load(found, folder) or _load_part(found, folder) for folder in folders] + [
            _load(found, COMMITTED / id)
        ]
        known = [result for result in there if result is not None]
        if known:
            results[id] = sorted(known, key=lambda result: (not result.is_complete, -SCALES.index(result.scale)))
    return results


def _load(found: Experiment, folder: Path) -> Result | None:
    """A finished run: the summary says what was run, everything else is worked out anew from the rows."""
    path = folder / _SUMMARY
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StoreError(f"{path}: {error}") from error
    if not _is_summary(told, found.id):
        raise StoreError(f"{path} is no summary of experiment {found.id!r}: {str(told)[:200]}")
    rows = read_rows(folder / _ROWS)
    if not rows:
        raise StoreError(f"{folder / _ROWS}: no rows, though there is a summary of them")
    summary = found.runner.summarise(rows, found.claim)
    # Rows may have been lost since, or the scale may have grown.
    is_complete = told["is_complete"] and len(rows) >= found.runner.total(found.settings(told["scale"], told["seed"]))
    return Result(found.id, told["scale"], told["seed"], is_complete, summary, folder)


def _load_part(found: Experiment, folder: Path) -> Result | None:
    """A run that is going on, or that was stopped; None as long as its rows say nothing."""
    rows = read_rows(folder / _ROWS)
    try:
        summary = found.runner.summarise(rows, found.claim)
    except InvalidArgumentError:
        return None
    return Result(found.id, cast(Scale, folder.name), _seed(folder), False, summary, folder)


def _is_summary(told: object, id: str) -> bool:
    return (
        isinstance(told, Mapping)
        and told.get("id") == id
        and told.get("scale") in SCALES
        and told.get("verdict") in VERDICTS
        and isinstance(told.get("seed"), int)
        and isinstance(told.get("is_complete"), bool)
    )


def _check_seed(folder: Path, seed: int) -> None:
    """Rows of two seeds must not mix; the file is there before the first row is."""
    if not (folder / _SEED).exists():
        _save(folder / _SEED, {"seed": seed})
    before = _seed(folder)
    if before != seed:
        raise InvalidArgumentError(f"{folder} holds a run with seed {before}, not {seed}: choose another --out")


def _seed(folder: Path) -> int:
    path = folder / _SEED
    try:
        return int(json.loads(path.read_text(encoding="utf-8"))["seed"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise StoreError(f"{path} cannot be read: {error}") from error


def _save(path: Path, value: Mapping[str, Any]) -> None:
    """Complete or not at all."""
    draft = path.with_suffix(".part")
    try:
        draft.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(draft, path)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
