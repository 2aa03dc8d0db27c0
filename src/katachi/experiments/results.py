"""Running an experiment into a folder, and finding what was run before.

A result is `DIR/ID/SCALE/` with settings.json (what was asked for), rows.jsonl (the truth), summary.json and the figure
(both follow from the rows). Small results are committed below benchmarks/results/reproduce/ID/: those count where no
run of at least the same scale is at hand.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias, cast

from katachi.arena.executor import Executor
from katachi.arena.store import lock_folder
from katachi.core.errors import InvalidArgumentError, KatachiError, StoreError
from katachi.core.files import write_whole
from katachi.core.settings import differences
from katachi.experiments.experiment import SCALES, VERDICTS, Progress, Row, Scale, Summary, Verdict, read_rows
from katachi.experiments.registry import Experiment, experiment, load_experiments

__all__ = [
    "COMMITTED", "OnDamage", "Result", "Run", "begin_run", "check_out", "draw_figure", "estimate", "find_results",
    "result_folder", "run_experiment", "save_text",
]  # fmt: skip

OnDamage: TypeAlias = Callable[[str, str], object]  # the id of an experiment; a file, what ails it and what to do

# In a checkout; an installed package has none.
COMMITTED = Path(__file__).parents[3] / "benchmarks" / "results" / "reproduce"
_ROWS, _SUMMARY, _SETTINGS, _LOCK = "rows.jsonl", "summary.json", "settings.json", "run.lock"
_DRAFT = ".katachi-"  # how the names of files begin that are not written to their end (katachi.core.files)


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
        return self._with_scale(self.summary.result)

    def sentence_for(self, row: str) -> str:
        """The same for a row of the ledger."""
        answer = self.summary.answers.get(row)
        return self.sentence if answer is None else self._with_scale(answer.result)

    def verdict_for(self, row: str) -> Verdict:
        """For a row of the ledger."""
        answer = self.summary.answers.get(row)
        return self.summary.verdict if answer is None else answer.verdict

    def _with_scale(self, result: str) -> str:
        return f"{result} ({self.scale}{'' if self.is_complete else ', not finished'})"


def result_folder(out: Path, id: str, scale: str) -> Path:
    """Where a run is kept."""
    return out / id / scale


def check_out(out: Path) -> None:
    """Refuses a place of results that is no folder and can never be one; one that is not there yet is fine."""
    for place in (out, *out.parents):
        if os.path.lexists(place):
            if not os.path.isdir(place):
                raise InvalidArgumentError(f"{out} cannot be a folder of results: {place} is not a folder")
            return


def estimate(id: str, scale: str, seed: int, folder: Path, workers: int) -> float:
    """Seconds that the missing rows will take."""
    found = experiment(id)
    total = found.runner.total(found.settings(scale, seed))
    missing = max(0, total - len(read_rows(folder / _ROWS)))
    return found.at(scale).core_seconds * missing / total / max(1, workers)


@dataclass(frozen=True)
class Run:
    """A folder that is ours: nobody else writes there, and what it holds was made with the same settings."""

    experiment: Experiment
    scale: Scale
    seed: int
    folder: Path

    @property
    def settings(self) -> dict[str, Any]:
        """What the runner gets."""
        return self.experiment.settings(self.scale, self.seed)

    def finish(self, executor: Executor, progress: Progress = lambda _done, _text: None) -> Result:
        """Runs what is missing; table, verdict and figure are made of all rows."""
        found, path = self.experiment, self.folder / _ROWS
        found.runner.run(self.settings, path, executor, progress)
        rows = read_rows(path)
        summary = _summarise(found, rows, path)
        is_complete = len(rows) >= found.runner.total(self.settings)
        result = Result(found.id, self.scale, self.seed, is_complete, summary, self.folder)
        draw_figure(found, rows, self.folder / "figure")
        _save(self.folder / _SUMMARY, result.to_json())
        return result


@contextmanager
def begin_run(id: str, scale: str, seed: int, folder: Path) -> Iterator[Run]:
    """Makes a folder for a run, or opens that of one that was stopped; a run with other settings is refused."""
    found = experiment(id)
    run = Run(found, cast(Scale, scale), seed, folder)
    found.runner.total(run.settings)  # settings that make no sense are refused before they are kept
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder}: {error.strerror or error}") from error
    with _locked(folder):
        _check_settings(run)
        # What a kill left of a file in the middle of writing it.
        for draft in folder.glob(f"{_DRAFT}*"):
            if draft.is_dir():
                shutil.rmtree(draft, ignore_errors=True)
            else:
                draft.unlink(missing_ok=True)
        yield run


def run_experiment(
    id: str, scale: str, seed: int, folder: Path, executor: Executor, progress: Progress = lambda _done, _text: None
) -> Result:
    """Runs an experiment, or what is missing of it in its folder."""
    with begin_run(id, scale, seed, folder) as run:
        return run.finish(executor, progress)


def find_results(out: Path, on_damage: OnDamage | None = None) -> dict[str, list[Result]]:
    """By id of the experiment, the best first: finished, then of the largest scale, then in `out`.

    A result that cannot be read is told to `on_damage` and left out; without one, it is an error.
    """
    check_out(out)
    results: dict[str, list[Result]] = {}
    for id, found in load_experiments().items():
        known = []
        places = [(result_folder(out, id, scale), _again(id, scale, out)) for scale in SCALES]
        for folder, remedy in (*places, (COMMITTED / id, "restore it: it belongs to the code")):
            try:
                result = _load(found, folder)
                if result is None and folder != COMMITTED / id:
                    result = _load_part(found, folder)
            except KatachiError as error:
                if on_damage is None:
                    raise
                # Some errors know only what is wrong, not where.
                where = "" if str(folder) in str(error) else f"{folder}: "
                on_damage(id, f"{where}{error}; {remedy}")
                continue
            if result is not None:
                known.append(result)
        if known:
            results[id] = sorted(known, key=lambda result: (not result.is_complete, -SCALES.index(result.scale)))
    return results


def _again(id: str, scale: str, out: Path) -> str:
    """The run mends what follows from the rows, and says what to do about the rest."""
    return f"run `katachi reproduce {id} --scale {scale} --out {out}` again, or move the folder away"


def _load(found: Experiment, folder: Path) -> Result | None:
    """A finished run: the summary says what was run, everything else is worked out anew from the rows."""
    path = folder / _SUMMARY
    try:
        told = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise StoreError(f"{path} is not JSON: {error}") from error
    if not _is_summary(told, found.id):
        raise StoreError(f"{path} is no summary of experiment {found.id!r}: {str(told)[:200]}")
    rows = read_rows(folder / _ROWS)
    if not rows:
        raise StoreError(f"{folder / _ROWS}: no rows, though there is a summary of them")
    summary = _summarise(found, rows, folder / _ROWS)
    # Rows may have been lost since, or the scale may have grown.
    is_complete = told["is_complete"] and len(rows) >= found.runner.total(found.settings(told["scale"], told["seed"]))
    return Result(found.id, told["scale"], told["seed"], is_complete, summary, folder)


def _load_part(found: Experiment, folder: Path) -> Result | None:
    """A run that is going on, or that was stopped; None as long as its rows say nothing."""
    rows = read_rows(folder / _ROWS)
    try:
        summary = _summarise(found, rows, folder / _ROWS)
    except InvalidArgumentError:
        return None
    return Result(found.id, cast(Scale, folder.name), _stored(folder)["seed"], False, summary, folder)


def _summarise(found: Experiment, rows: Sequence[Row], path: Path) -> Summary:
    """What the rows say. They come from a file, which may hold anything."""
    try:
        return found.runner.summarise(rows, found.claim)
    except KatachiError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise StoreError(f"{path} holds other rows than those of experiment {found.id!r}: {error!r}") from error


def _is_summary(told: object, id: str) -> bool:
    return (
        isinstance(told, Mapping)
        and told.get("id") == id
        and told.get("scale") in SCALES
        and told.get("verdict") in VERDICTS
        and isinstance(told.get("seed"), int)
        and isinstance(told.get("is_complete"), bool)
    )


def _check_settings(run: Run) -> None:
    """Rows of two settings must not mix; the file is there before the first row is."""
    own = run.experiment.at(run.scale).settings
    now = {"id": run.experiment.id, "scale": run.scale, "seed": run.seed, "settings": own}
    path = run.folder / _SETTINGS
    if not path.exists():
        if read_rows(run.folder / _ROWS):
            raise StoreError(f"{path} is missing, and nothing else says how the rows were made: choose another --out")
        _save(path, now)
    changed = differences(_stored(run.folder), json.loads(json.dumps(now)))
    if changed:
        raise InvalidArgumentError(
            f"{run.folder} holds a run with other settings: choose another --out\n" + "\n".join(changed)
        )


def _stored(folder: Path) -> dict[str, Any]:
    path = folder / _SETTINGS
    try:
        stored = json.loads(path.read_bytes())
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise StoreError(f"{path} is not JSON: {error}; without it nobody can add to these rows") from error
    if not isinstance(stored, dict) or not isinstance(stored.get("seed"), int):
        raise StoreError(f"{path} holds no settings: {str(stored)[:200]}; without them nobody can add to these rows")
    return stored


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One run at a time."""
    try:
        lock = lock_folder(folder / _LOCK)
    except OSError as error:
        raise StoreError(f"{folder / _LOCK}: {error.strerror or error}") from error
    with lock:
        yield


def draw_figure(found: Experiment, rows: Sequence[Row], path: Path) -> None:
    """Writes `path` with the suffixes .png and .svg, each complete or not at all."""
    try:
        with TemporaryDirectory(dir=path.parent, prefix=_DRAFT) as folder:
            found.runner.draw(rows, found.claim, Path(folder) / path.name)
            for draft in sorted(Path(folder).iterdir()):
                os.replace(draft, path.parent / draft.name)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error


def save_text(path: Path, text: str) -> None:
    """Complete or not at all."""
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error


def _save(path: Path, value: Mapping[str, Any]) -> None:
    save_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")
