"""What every experiment must do, shown on its smallest scale; and what those of duels in Go have in common."""

import random
import re
from pathlib import Path
from typing import Any

from katachi.arena.executor import InProcess
from katachi.experiments.duels import Cell, Duel, DuelsSettings
from katachi.experiments.experiment import SCALES, Answer, Row, read_rows
from katachi.experiments.go_duels import duel_settings, played, shown
from katachi.experiments.registry import experiment
from katachi.experiments.results import run_experiment
from katachi.players.registry import make_player
from tests.unit.test_duels import chunk

__all__ = ["answers", "check_bars", "check_players", "check_smoke", "games", "one"]


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


def _cells(id: str, scale: str) -> list[Cell]:
    told = experiment(id).settings(scale, 1)
    return DuelsSettings.from_mapping(duel_settings(told)).cells() if "duel" in told else []


def check_bars(id: str) -> None:
    """They are of games that quick and full play; what a bar names by mistake would be missing for ever."""
    found = experiment(id)
    for scale in ("quick", "full"):
        labels = [cell.labels for cell in _cells(id, scale)]
        for bar in found.claim.numbers.get("bars", []) if labels else ():
            assert bar["row"] in found.description.rows
            assert any(bar["labels"].items() <= own.items() for own in labels), bar


def check_players(id: str) -> None:
    """Those of all scales can be made, without the weights that are trained first."""
    for scale in SCALES:
        names = {f"@{training['name']}" for training in experiment(id).settings(scale, 1).get("training", [])}
        for spec in {spec for cell in _cells(id, scale) for spec in (cell.first, cell.second)}:
            assert set(re.findall(r"@\w+", spec)) <= names
            if shown(spec) == spec:
                make_player(re.sub(r"@\w+", "shipped", spec))


def games(rate: int, of: int = 200, **labels: Any) -> Row:  # noqa: ANN401
    """A row of a match on 9x9 in which the first player won so many per cent; labels make its players."""
    won = 2 * round(of * rate / 200)
    names = ",".join(f"{name}={value}" for name, value in labels.items())
    board = {"game": "go", "options": {"size": labels.get("board", 9)}}
    return {**chunk(won, 0, of - won, **labels), **board, "first": f"one:{names}", "second": "other"}


def one(rate: int, of: int = 200, **labels: Any) -> Duel:  # noqa: ANN401
    """What `games` says."""
    (duel,) = played([games(rate, of, **labels)])
    return duel


def answers(id: str, *rows: Row) -> dict[str, Answer]:
    """What an experiment makes of rows."""
    found = experiment(id)
    return dict(found.runner.summarise(rows, found.claim).answers)
