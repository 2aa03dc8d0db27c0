"""`katachi train` as a process: killed without warning, stopped politely, started twice, and its mistakes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from katachi.training.checkpoint import load_checkpoint
from katachi.training.self_play import SelfPlaySettings, self_play

KATACHI = (sys.executable, "-m", "katachi.cli")
RUN = (
    "train",
    "--size",
    "5",
    "--seed",
    "2",
    "--metrics-games",
    "40",
    "--checkpoint-games",
    "80",
    "--step-rule",
    "counts",
)


def katachi(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*KATACHI, *arguments], capture_output=True, text=True, timeout=120)


def wait_for_games(process: subprocess.Popen[bytes], folder: Path, games: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            pytest.fail("the run has ended by itself")
        path = folder / "checkpoint.safetensors"
        if path.exists() and load_checkpoint(path).games >= games:
            return
        time.sleep(0.002)
    pytest.fail("no checkpoint in time")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_ended_goes_on_bit_for_bit(number: signal.Signals, tmp_path: Path) -> None:
    reached = 0
    for _ in range(3):
        process = subprocess.Popen(
            [*KATACHI, *RUN, "--games", "1000000000", "--out", str(tmp_path)], stderr=subprocess.DEVNULL
        )
        wait_for_games(process, tmp_path, reached + 80)
        os.kill(process.pid, number)
        assert process.wait(timeout=30) == {"SIGKILL": -9, "SIGTERM": 143, "SIGINT": 130}[number.name]
        reached = load_checkpoint(tmp_path / "checkpoint.safetensors").games
    games = reached + 25
    run = katachi(*RUN, "--games", str(games), "--out", str(tmp_path), "--json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["played"] == 25
    from katachi.learning.td_settings import TdSettings

    whole = self_play(SelfPlaySettings(size=5, seed=2, td=TdSettings(step_rule="counts")))
    whole.run(games)
    kept = load_checkpoint(tmp_path / "checkpoint.safetensors")
    assert (kept.games, kept.rng) == (games, whole.rng)
    assert kept.weights.tobytes() == whole.weights.tobytes()
    assert kept.step_memories[0].tobytes() == whole.step_memories[0].tobytes()
    rows = [json.loads(line)["games"] for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert rows == sorted(set(rows))
    assert rows[-1] == games


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_run_in_threads_is_ended_and_goes_on(number: signal.Signals, tmp_path: Path) -> None:
    command = (*RUN, "--threads", "2", "--count-occurrences")
    process = subprocess.Popen(
        [*KATACHI, *command, "--games", "1000000000", "--out", str(tmp_path)], stderr=subprocess.DEVNULL
    )
    wait_for_games(process, tmp_path, 160)
    os.kill(process.pid, number)
    assert process.wait(timeout=30) == {"SIGKILL": -9, "SIGINT": 130}[number.name]
    before = load_checkpoint(tmp_path / "checkpoint.safetensors")
    run = katachi(*command, "--games", str(before.games + 25), "--out", str(tmp_path), "--json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["played"] == 25
    after = load_checkpoint(tmp_path / "checkpoint.safetensors")
    assert before.occurrences is not None
    assert after.occurrences is not None
    assert after.occurrences.sum() > before.occurrences.sum()


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    process = subprocess.Popen([*KATACHI, *RUN, "--games", "1000000000", "--out", str(tmp_path), "--json"])
    try:
        wait_for_games(process, tmp_path, 80)
        second = katachi(*RUN, "--games", "100", "--out", str(tmp_path))
        assert second.returncode == 2
        assert "is in use by another run" in second.stderr
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--size", "9x7"), "boards of learners are square, N or NxN, not 9x7"),
        (("--size", "nine"), "a size is N or NxN, not 'nine'"),
        (("--head", "magic"), "TdSettings.head"),
        (("--sharing", "le"), "SelfPlaySettings.sharing"),
        (("--lambda", "0.5", "--plies", "1"), "needs trace_parity=single"),
        (("--sizes", "4x4"), "SelfPlaySettings.sizes"),
        (("--threads", "0"), "SelfPlaySettings.threads"),
    ],
)
def test_mistakes_are_one_message(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    run = katachi("train", "--games", "10", "--out", str(tmp_path / "run"), *arguments)
    assert run.returncode == 2
    assert message in run.stderr
    assert "Traceback" not in run.stderr


def test_what_people_see(tmp_path: Path) -> None:
    run = katachi("train", "--size", "5x5", "--games", "50", "--lambda", "0.3", "--out", str(tmp_path))
    assert run.returncode == 0, run.stderr
    assert "50 games in" in run.stdout
    assert "games a CPU second" in run.stdout
    assert "50/50 games:" in run.stderr
