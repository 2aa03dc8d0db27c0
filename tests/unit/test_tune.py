"""Tuning: parameters, trials, and going on after an interruption."""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from katachi.arena.executor import InProcess, Json
from katachi.arena.tune import Param, TuneSettings, _is_whole, parse_param, run_tune, spec_with
from katachi.core.errors import InvalidArgumentError, KatachiError, ParseError, StoreError
from katachi.core.settings import Settings
from tests.programs import require


@pytest.fixture(autouse=True)
def _optuna() -> None:
    require(find_spec("optuna"), "optuna is not installed (pip install 'katachi[tune]')")


def settings(**changes: Any) -> TuneSettings:  # noqa: ANN401
    values = {
        "player": "flat-mc",
        "opponent": "random",
        "params": ["sims=1:6:log"],
        "trials": 12,  # beyond the ten random ones that Optuna begins with
        "games": 2,
        "seed": 5,
        "game": "tic-tac-toe",
        **changes,
    }
    return TuneSettings(**values)


class Breaking:
    """An executor that dies after some games."""

    def __init__(self, count: int) -> None:
        self._left = count

    def run(self, function: str, arguments: Iterable[Json]) -> Iterator[tuple[int, Json]]:
        for item in InProcess().run(function, arguments):
            if self._left == 0:
                raise KeyboardInterrupt
            self._left -= 1
            yield item


def test_parameters() -> None:
    assert parse_param("sims=10:1000") == Param("sims", (), 10, 1000)
    assert parse_param("c=0.5:2:log") == Param("c", (), 0.5, 2, log=True)
    assert parse_param("prior.kind=even|'a b'|3|true") == Param("prior.kind", ("even", "a b", 3, True))


@pytest.mark.parametrize(
    "text",
    ["sims", "=1:2", "sims=", "sims=1", "sims=1:2:lin", "sims=2:1", "sims=1:1", "sims=a:b", "sims=true:false",
     "sims=0:4:log", "sims=1:2:log:3", "a|b", "x=a|", "x=a|a", "x.=1:2"],
)  # fmt: skip
def test_mistakes_in_a_parameter(text: str) -> None:
    with pytest.raises(ParseError, match="(?s)" + text.replace("|", r"\|")):
        parse_param(text)


def test_a_spec_with_other_settings() -> None:
    assert spec_with("flat-mc:sims=3", {"sims": 4}) == "flat-mc:sims=4"
    assert spec_with("x:a.b=1", {"a.c": 0.5, "d": "e f"}) == 'x:a.b=1,a.c=0.5,d="e f"'
    with pytest.raises(ParseError, match="'a' is a value"):
        spec_with("x:a=1", {"a.b": 2})


def test_trials_are_repeatable_and_whole_numbers_stay_whole(tmp_path: Path) -> None:
    one, two = (run_tune(settings(), tmp_path / name) for name in "ab")
    assert one == two
    assert [trial.number for trial in one.trials] == list(range(12))
    assert all(isinstance(trial.values["sims"], int) and 1 <= trial.values["sims"] <= 6 for trial in one.trials)
    assert len({trial.values["sims"] for trial in one.trials}) > 2
    assert one.best.score.win_rate == max(trial.score.win_rate for trial in one.trials)
    other = run_tune(settings(seed=6), tmp_path / "c")
    assert [trial.values for trial in other.trials] != [trial.values for trial in one.trials]


def test_an_interrupted_run_ends_as_if_it_was_not(tmp_path: Path) -> None:
    wanted = run_tune(settings(), tmp_path / "whole")
    for count in (1, 6, 14):  # in the middle of a trial each time
        with pytest.raises(KeyboardInterrupt):
            run_tune(settings(), tmp_path / "parts", executor=Breaking(count))
    heard: list[int] = []
    result = run_tune(
        settings(), tmp_path / "parts", on_result=lambda done, match: heard.append(2 * len(done) + len(match.outcomes))
    )
    assert result == wanted
    assert heard == sorted(heard)
    assert heard[0] > 20  # what was there already counts
    assert heard[-1] == 24
    assert run_tune(settings(), tmp_path / "parts", executor=Breaking(0)) == wanted


def test_more_trials_come_after_those_there(tmp_path: Path) -> None:
    first = run_tune(settings(trials=3), tmp_path)
    longer = run_tune(settings(trials=5), tmp_path)
    assert longer.trials[:3] == first.trials
    assert len(longer.trials) == 5
    assert run_tune(settings(trials=3), tmp_path) == first
    with pytest.raises(InvalidArgumentError, match=r"(?s)other settings.*games: 2 there, 4 now"):
        run_tune(settings(games=4), tmp_path)


def test_choices(tmp_path: Path) -> None:
    result = run_tune(settings(params=["sims=1|4"], trials=6), tmp_path)
    assert {trial.values["sims"] for trial in result.trials} == {1, 4}
    assert {trial.spec for trial in result.trials} == {"flat-mc:sims=1", "flat-mc:sims=4"}


def test_more_playouts_are_found_to_be_better(tmp_path: Path) -> None:
    found = run_tune(
        settings(params=["sims=1|60"], opponent="flat-mc:sims=8", trials=4, games=10, game="go",
                 options={"size": 5}, opening_plies=2),
        tmp_path,
    )  # fmt: skip
    assert found.best.values == {"sims": 60}
    assert found.best.score.interval[0] < found.best.score.win_rate


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"params": ["sim=1:2"]}, "did you mean 'sims'"),
        ({"params": ["sims=0:5"]}, "sims = 0 is refused"),
        ({"params": ["sims=1:2.5"]}, "sims = 2.5 is refused"),
        ({"params": ["sims=few|many"]}, "sims = 'few' is refused"),
        ({"params": ["sims=1:2", "sim=1:2"]}, "did you mean 'sims'"),
        ({"params": ["sims=1:2", "sims=1:3"]}, "twice"),
        ({"params": []}, "params"),
        ({"games": 3}, "multiple of 2"),
        ({"player": "flat-nc"}, "did you mean 'flat-mc'"),
        ({"opponent": "randm"}, "did you mean 'random'"),
    ],
)
def test_mistakes(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(KatachiError, match=f"(?s){message}"):
        run_tune(settings(**changes), tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_file_that_is_not_optunas(tmp_path: Path) -> None:
    (tmp_path / "study.sqlite").write_bytes(b"something else" * 100)
    with pytest.raises(StoreError, match=r"study\.sqlite"):
        run_tune(settings(), tmp_path)


def test_types_of_settings() -> None:
    class Inner(Settings):
        whole: int = 1
        perhaps: int | None = None
        share: float = 0.5
        kind: str = "even"

    class Outer(Settings):
        inner: Inner

    outer = Outer(inner=Inner())
    assert _is_whole(outer, "inner.whole")
    assert _is_whole(outer, "inner.perhaps")
    assert not _is_whole(outer, "inner.share")
    with pytest.raises(InvalidArgumentError, match=r"inner\.kind is no number"):
        _is_whole(outer, "inner.kind")
    with pytest.raises(InvalidArgumentError, match="did you mean 'share'"):
        _is_whole(outer, "inner.shar")


def test_the_command(tmp_path: Path) -> None:
    command = [
        sys.executable, "-m", "katachi.cli", "tune", "flat-mc", "random", "--param", "sims=1:4", "--trials", "2",
        "--games", "2", "--size", "5", "--out", str(tmp_path),
    ]  # fmt: skip
    text = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "best: flat-mc:sims=" in text.stdout
    assert text.stderr.startswith("4/4 games: trial 2 of 2")  # and nothing of Optuna's
    assert text.stderr.count("\n") == 1
    told = json.loads(subprocess.run([*command, "--json"], check=True, capture_output=True, text=True).stdout)
    assert f"best: {told['best']['player']}\n" in text.stdout
    assert len(told["trials"]) == 2


def test_one_run_at_a_time(tmp_path: Path) -> None:
    refused = list[str]()

    class Intruder(InProcess):
        def run(self, function: str, arguments: Iterable[Json]) -> Iterator[tuple[int, Json]]:
            if not refused:
                with pytest.raises(StoreError, match="in use by another run") as error:
                    run_tune(settings(trials=2), tmp_path / "two")
                refused.append(str(error.value))
            yield from super().run(function, arguments)

    assert (
        run_tune(settings(trials=2), tmp_path / "two", executor=Intruder()).trials
        == run_tune(settings(trials=2), tmp_path / "one").trials
    )
    assert refused


def test_a_study_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    import sqlite3

    run_tune(settings(trials=1), tmp_path)
    with sqlite3.connect(tmp_path / "study.sqlite") as database:
        database.execute("CREATE TRIGGER full BEFORE INSERT ON trials BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
    with pytest.raises(StoreError, match=r"study\.sqlite: .*disk is full"):
        run_tune(settings(trials=2), tmp_path)
