"""What experiments that are made of duels in Go have in common: checks of their settings, and rows made by hand."""

import re
from typing import Any

from katachi.experiments.duels import Cell, Duel, DuelsSettings
from katachi.experiments.experiment import SCALES, Answer, Row
from katachi.experiments.go_duels import duel_settings, played, shown
from katachi.experiments.registry import experiment
from katachi.players.registry import make_player
from tests.unit.test_duels import chunk

__all__ = ["answers", "check_bars", "check_players", "games", "one"]


def _cells(id: str, scale: str) -> list[Cell]:
    told = experiment(id).settings(scale, 1)
    return DuelsSettings.from_mapping(duel_settings(told)).cells() if "duel" in told else []


def check_bars(id: str) -> None:
    """They are of games that quick and full play; what a bar names by mistake would be missing for ever."""
    found = experiment(id)
    for scale in ("quick", "full"):
        labels = [cell.labels for cell in _cells(id, scale)]
        for bar in found.claim.numbers.get("bars", []) if labels else ():
            assert bar["row"] in (found.description.rows or ["ours"])
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
