"""`katachi balance` as a process: killed without warning, stopped politely, and its mistakes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from katachi.policies.policy_weights import load_policy_weights
from katachi.training.policy_learning import PolicyLearningSettings, policy_learning

KATACHI = (sys.executable, "-m", "katachi.cli")
RUN = ("balance", "--learner", "reinforcement", "--size", "5", "--seed", "3", "--checkpoint-steps", "50")


def katachi(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*KATACHI, *arguments], capture_output=True, text=True, timeout=120)


def steps_of(folder: Path) -> int:
    path = folder / "checkpoint.safetensors"
    return load_policy_weights(path).header.games if path.exists() else -1


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_ended_goes_on_bit_for_bit(number: signal.Signals, tmp_path: Path) -> None:
    reached = 0
    for _ in range(2):
        process = subprocess.Popen(
            [*KATACHI, *RUN, "--steps", "1000000000", "--out", str(tmp_path)], stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 60
        while steps_of(tmp_path) < reached + 50:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.kill(process.pid, number)
        assert process.wait(timeout=30) == {"SIGKILL": -9, "SIGTERM": 143, "SIGINT": 130}[number.name]
        reached = steps_of(tmp_path)
    steps = reached + 25
    run = katachi(*RUN, "--steps", str(steps), "--out", str(tmp_path), "--json")
    assert run.returncode == 0, run.stderr
    assert (json.loads(run.stdout)["learnt"], json.loads(run.stdout)["weights"]) == (25, 107)
    whole = policy_learning(PolicyLearningSettings(learner="reinforcement", size=5, seed=3, alpha=0.3), [])
    whole.run(steps)
    kept = load_policy_weights(tmp_path / "checkpoint.safetensors")
    assert kept.theta.tobytes() == whole.weights.tobytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--learner", "balancing"), "learns from labelled positions: give --data FILE"),
        (("--learner", "reinforcement"), "the size of the board is not known"),
        (("--learner", "reinforcement", "--size", "5", "--baseline", "mean"), "reinforcement takes none or critic"),
        (("--learner", "reinforcement", "--size", "1"), "size"),
        (("--learner", "reinforcement", "--size", "5", "--start", "nowhere"), "there is no such file"),
        (("--learner", "reinforcement", "--size", "5", "--held-out", "-3"), "--held-out"),
        (("--learner", "reinforcement", "--size", "5", "--held-out", "nan"), "--held-out"),
    ],
)
def test_mistakes_are_told_in_a_line(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    run = katachi("balance", *arguments, "--steps", "1", "--out", str(tmp_path / "run"))
    assert run.returncode != 0
    assert message in run.stderr
    assert "Traceback" not in run.stderr
