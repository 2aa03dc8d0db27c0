"""What every experiment must do, shown on its smallest scale."""

import random
from pathlib import Path

from katachi.arena.executor import InProcess
from katachi.experiments.experiment import read_rows
from katachi.experiments.registry import experiment
from katachi.experiments.results import run_experiment

__all__ = ["check_smoke"]


def check_smoke(id: str, folder: Path) -> None:
    """It runs through, answers its rows of the ledger, is a pure function of its rows, and does nothing twice."""
    found = experiment(id)
    result = run_experiment(id, "smoke", 1, folder, InProcess())
    assert result.is_complete
    assert result.summary.answers.keys() == set(found.description.rows)
    assert all(len(line) == len(result.summary.columns) for line in result.summary.table)
    # Pure functions of the rows, in any order.
    rows = read_rows(folder / "rows.jsonl")
    random.Random(1).shuffle(rows)
    assert found.runner.summarise(rows, found.claim).to_json() == result.summary.to_json()
    for suffix in (".png", ".svg"):
        assert (folder / f"figure{suffix}").stat().st_size > 1000
    # What one run was asked for, the next does not do again.
    before = (folder / "rows.jsonl").read_bytes()
    found.runner.run(found.settings("smoke", 1), folder / "rows.jsonl", InProcess(), lambda _done, _text: None)
    assert (folder / "rows.jsonl").read_bytes() == before
