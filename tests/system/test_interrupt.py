"""Ctrl-C during every native loop: a real SIGINT to a real process.

The promise is 0.2 seconds. A slice of work is 50 ms, and a busy machine may lend us no processor for a while, so the
test takes the best of three; the delay is measured inside the process, from the signal to the exception.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PRELUDE = """
import os, signal, threading, time
from katachi import *
from katachi import _core
from katachi.games.go import GoGame, Position
from katachi.search.alpha_beta import AlphaBeta, AlphaBetaSettings
from katachi.training.self_play import SelfPlaySettings, self_play

class Slow(BaseGame):
    name = "slow"
    facts = GameFacts(players=1, action_space=2)
    def initial_state(self): return 0
    def legal_actions(self, state): return [Action(0), Action(1)]
    def play(self, state, action): return state + 1, 0.0
    def is_terminal(self, state): return state >= 50
    def to_play(self, state): return Player.BLACK

position = Position(9)
pig = make_game("pig", target=10_000)
long = FlatMonteCarlo(pig, pig.initial_state(), rng=Rng(1))
tree = TreeSearch(GoGame(19), Position(19), rng=Rng(1))
flat = FlatMonteCarlo(GoGame(19), Position(19), rng=Rng(1))
python = TreeSearch(Slow(), 0, rng=Rng(1))
deep = AlphaBetaSettings(depth=40)
signalled = None

def interrupt():
    global signalled
    time.sleep(0.3)
    signalled = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
try:
    {loop}
    print("not interrupted")
except KeyboardInterrupt:
    print(time.monotonic() - signalled)
"""

LOOPS = {
    "playouts": "position.search_state().playouts(10**9, Rng(1)).run()",
    "sequences": "_core.count_sequences(position._native, 8)",
    "games": "_core.count_games(Position(4, 1, 'tromp-taylor')._native)",
    "positions": "_core.count_positions(5, 4)",
    "tree search": "tree.run(Limit(seconds=60))",
    "flat Monte-Carlo": "flat.run(Limit(simulations=10**9))",
    "long simulations": "long.run(Limit(simulations=10**9))",
    "alpha-beta": "AlphaBeta(GoGame(19), Position(19), settings=deep).run()",
    "alpha-beta of a Python game": "AlphaBeta(Slow(), 0, settings=deep).run()",
    "alpha-beta with a Python evaluator": "AlphaBeta(GoGame(), position, evaluate=lambda s: 0, settings=deep).run()",
    "self-play": "self_play(SelfPlaySettings(size=19)).run(10**9)",
    "a Python game": "python.run(Limit(seconds=60))",
    "playouts of a Python game": "_core.python_state(Slow.facts, Slow(), 0).playouts(10**9, Rng(1)).run()",
}


@pytest.mark.parametrize("name", LOOPS)
def test_interrupt(name: str) -> None:
    program = PRELUDE.replace("{loop}", LOOPS[name])
    delays = []
    for _ in range(3):
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
        delays.append(float(run.stdout))
        if delays[-1] < 0.2:
            break
    assert min(delays) < 0.2, delays


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_the_command_line_ends_without_a_traceback() -> None:
    command = [sys.executable, "-m", "katachi.cli", "perft", "--size", "9", "--depth", "9"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while cpu_seconds(process.pid) < 2.0:  # start-up takes a fraction of that; then it is counting
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in stderr
    assert stdout == ""
