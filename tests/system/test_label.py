"""`katachi label` as a process: killed and gone on with, on several workers, looked at, checked, and its mistakes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

KATACHI = (sys.executable, "-m", "katachi.cli")
RUN = ("label", "--size", "4", "--games", "12", "--per-game", "3", "--player", "mc-rave:sims=400")
TREES = ("--trees", "2", "--leaf-sims", "20", "--seed", "3")


def katachi(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*KATACHI, *arguments], capture_output=True, text=True, timeout=300)


def wait_for_rows(process: subprocess.Popen[bytes], part: Path, rows: int) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if part.exists() and part.read_bytes().count(b"\n") >= rows:
            return
        if process.poll() is not None:
            pytest.fail("the run has ended by itself")
        time.sleep(0.002)
    pytest.fail("no labels in time")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_ended_goes_on_to_the_same_file(number: signal.Signals, tmp_path: Path) -> None:
    path, part = tmp_path / "labels.parquet", tmp_path / "labels.parquet.part"
    for rows in (3, 20, 42):  # values, values, leaves of trees
        process = subprocess.Popen(
            [*KATACHI, *RUN, *TREES, "--workers", "2", "--out", str(path)], stderr=subprocess.DEVNULL
        )
        wait_for_rows(process, part, rows)
        os.kill(process.pid, number)
        assert process.wait(timeout=60) == {"SIGKILL": -9, "SIGTERM": 143, "SIGINT": 130}[number.name]
        assert not path.exists()
    run = katachi(*RUN, *TREES, "--out", str(path), "--json")
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert (told["positions"], told["games"], told["trees"]) == (36, 12, 2)
    assert not part.exists()
    whole = katachi(*RUN, *TREES, "--out", str(tmp_path / "whole.parquet"), "--json")
    assert whole.returncode == 0, whole.stderr
    assert path.read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    assert json.loads(whole.stdout)["simulations_now"] > told["simulations_now"] > 0


def test_a_data_set_is_shown_and_checked(tmp_path: Path) -> None:
    path = str(tmp_path / "labels.parquet")
    made = katachi("label", "--size", "3", "--games", "30", "--player", "mc-rave:sims=500", "--out", path)
    assert made.returncode == 0, made.stderr
    assert "30 positions of 30 games" in made.stdout
    assert "mean squared error of uniform playouts" in made.stdout
    shown = katachi("label", "show", path, "--json")
    assert shown.returncode == 0, shown.stderr
    told = json.loads(shown.stdout)
    assert told["settings"]["player"] == "mc-rave:sims=500"
    assert sum(told["histogram"]) == 30
    assert "0.9 to 1.0" in katachi("label", "show", path).stdout
    checked = katachi("label", "check", path, "--empty", "5", "--json")
    found = json.loads(checked.stdout)
    assert found["solved"] > 0
    assert checked.returncode == (0 if found["mean_error"] < 0.1 else 1), checked.stderr
    assert "positions with at most 0 empty points: 0 solved" in katachi("label", "check", path, "--empty", "0").stdout


def test_komis_are_compared() -> None:
    run = katachi("label", "komi", "--size", "3", "--games", "10", "--player", "uct:sims=50", "--komis", "20.5,0.5")
    assert run.returncode == 0, run.stderr
    assert "recommended: --komi 0.5" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--per-game", "some"), "positions of a game are one, all or a number, not 'some'"),
        (("--size", "5x"), "5x"),
        (("--player", "random"), "random does not tell what a position is worth"),
        (("--player", "uct:sms=5"), "has no setting 'sms'"),
        (("--rules", "japanese"), "territory scoring"),
        (("--trees", "2000"), "2000 trees, 1000 games"),
        (("--out", ""), "the file to be written is missing"),
        (("--out", "nowhere/labels.parquet"), "nowhere/labels.parquet.part: No such file"),
    ],
)
def test_mistakes_are_one_message(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    run = subprocess.run(
        [*KATACHI, "label", "--out", "labels.parquet", "--player", "uct:sims=1", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
    )
    assert run.returncode == 2
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    assert list(tmp_path.iterdir()) == []


def test_other_files_are_no_data_sets(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    for command in ("show", "check"):
        run = katachi("label", command, str(path))
        assert run.returncode == 2
        assert "notes.txt is no Parquet file" in run.stderr
