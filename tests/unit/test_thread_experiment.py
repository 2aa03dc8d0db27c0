"""The experiment on threads: once, small, and its verdicts on rows made by hand."""

from pathlib import Path

import pytest

from katachi.experiments.registry import experiment
from tests.unit.experiment_smoke import check_smoke
from tests.unit.go_duel_checks import check_players, games

ID = "search-threads"


def test_smoke(tmp_path: Path) -> None:
    check_smoke(ID, tmp_path)


def test_players() -> None:
    check_players(ID)


@pytest.mark.parametrize(
    ("td_search", "mc_rave", "of", "expected"),
    [
        (50, 50, 400, "reproduced"),
        (44, 46, 400, "reproduced"),  # both may be one half
        (45, 40, 400, "not"),
        (50, 50, 200, "partly"),  # too few of MC-RAVE
        (50, 70, 200, "reproduced"),  # better for certain
    ],
)
def test_verdicts(td_search: int, mc_rave: int, of: int, expected: str) -> None:
    rows = [
        games(td_search, 200, search="td-search", threads=2, sims=1000),
        games(mc_rave, of, search="mc-rave", threads=2, sims=1000),
    ]
    found = experiment(ID)
    assert found.runner.summarise(rows, found.claim).verdict == expected
