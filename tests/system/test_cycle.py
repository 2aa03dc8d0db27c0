"""`katachi cycle` as a process: ended in all ways and gone on with, its output, and its mistakes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from katachi.policies.policy_weights import load_policy_weights

KATACHI = (sys.executable, "-m", "katachi.cli")
RUN = (
    "cycle", "--learner", "two-step", "--size", "4", "--komi", "0.5", "--games", "12", "--steps", "40", "--alpha", "1",
    "--alpha-factor", "0.9", "--seed", "3", "--player", "mc-rave:sims=200",
    "--leaf-player", "policy:name={policy},sims=20",
)  # fmt: skip


def katachi(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*KATACHI, *arguments], capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_cycle_that_is_ended_goes_on_to_the_same_policy(number: signal.Signals, tmp_path: Path) -> None:
    for wanted in (
        "rounds/0001/labels.parquet.part", "rounds/0003/labels.parquet.part", "snapshots/steps_0000000160.safetensors"
    ):  # fmt: skip
        process = subprocess.Popen(
            [*KATACHI, *RUN, "--rounds", "100", "--workers", "2", "--out", str(tmp_path / "run")],
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 120
        while not (tmp_path / "run" / wanted).exists():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.002)
        os.kill(process.pid, number)
        assert process.wait(timeout=60) == {"SIGKILL": -9, "SIGTERM": 143, "SIGINT": 130}[number.name]
    there = load_policy_weights(tmp_path / "run" / "checkpoint.safetensors").header.games // 40
    assert there < 100
    results = []
    for name in ("run", "whole"):
        run = katachi(*RUN, "--rounds", str(there + 1), "--out", str(tmp_path / name), "--json")
        assert run.returncode == 0, run.stderr
        results.append(json.loads(run.stdout))
    assert [(told["rounds"], told["made"]) for told in results] == [(there + 1, 1), (there + 1, there + 1)]
    kept, whole = (load_policy_weights(told["weights_file"]).theta for told in results)
    assert kept.tobytes() == whole.tobytes()
    assert abs(kept).max() > 0.01


def test_errors_of_each_round_and_the_policy_are_told(tmp_path: Path) -> None:
    test, folder = str(tmp_path / "test.parquet"), str(tmp_path / "run")
    made = katachi("label", "--size", "4", "--komi", "0.5", "--games", "9", "--player", "uct:sims=50", "--out", test)
    assert made.returncode == 0, made.stderr
    run = katachi(*RUN, "--rounds", "2", "--test", test, "--out", folder)
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert lines[0] == f"2 rounds of 40 steps in {folder}, 2 now"
    assert [line.split()[0] for line in lines[2:5]] == ["0", "1", "2"]
    assert lines[-1] == f"  the policy: softmax-shapes({folder}/checkpoint.safetensors)"
    assert "2/2 rounds: round 2: MSE" in run.stderr
    match = katachi(
        "match", f"flat-mc:sims=5,policy=softmax-shapes({folder}/checkpoint.safetensors)", "random", "--size", "4",
        "--games", "2", "--json",
    )  # fmt: skip
    assert match.returncode == 0, match.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--learner", "balancing"), "player=tournament:sims=3000 (leaf_player=None) has no {policy}"),
        (("--learner", "reinforcement", "--player", "mc-rave:sims=9,playout_policy={policy}"), "without labels"),
        (("--learner", "walking"), "learner"),
        (("--learner", "two-step", "--trees", "0"), "trees=0 gives it none"),
        (("--learner", "balancing", "--leaf-player", "policy:name={policy},sims=2"), "does not learn from trees"),
        (("--learner", "two-step", "--size", "4x5"), "4x5"),
        (("--learner", "two-step", "--leaf-player", "policy:name={policy"), "{policy"),
        (("--learner", "two-step", "--leaf-player", "policy:name={policy}"), "sims"),
        (("--learner", "two-step", "--start", "nowhere"), "there is no such file"),
        (("--learner", "two-step", "--test", "nowhere"), "nowhere"),
        (("--learner", "two-step", "--rounds", "0"), "--rounds"),
        (("--learner", "two-step", "--alpha-factor", "2"), "alpha_factor"),
    ],
)
def test_mistakes_are_told_in_a_line(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    run = katachi("cycle", *arguments, "--games", "2", "--out", str(tmp_path / "run"))
    assert run.returncode != 0
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    assert not (tmp_path / "run" / "cycle.json").exists()
