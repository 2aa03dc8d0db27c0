"""A cap on memory, next to what the system says of the process. Ten minutes of it: benchmarks/memory_cap.py."""

import json
import subprocess
import sys
from typing import Any

import pytest

from katachi._core import build_info

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process is read from /proc"),
    pytest.mark.skipif("-fsanitize" in build_info()[1], reason="sanitizers have an account of their own"),
]

CAP = 16.0
SLACK = 1.10

# The peak is the system's own, so that nothing escapes between two samples. One simulation loads the code; an empty
# search has room for more, but has written to a few pages of it only.
PROGRAM = """
import json, sys
from pathlib import Path
from katachi import Limit, Rng, TreeSearch, make_game
from katachi.search.tree_settings import preset

def megabytes(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name + ":"))

name, changes, moves = json.loads(sys.argv[1])
game, rng = make_game("connect-four"), Rng(1)
state = game.initial_state()
search = TreeSearch(game, state, rng=rng, settings=preset(name, when_full="stop", **changes))
search.run(Limit(simulations=1))
baseline = megabytes("VmRSS")
account, is_full, kept = 0, True, []
for move in range(moves + 1):
    if move:
        action = search.best_by_visits(rng)
        state, _ = game.play(state, action)
        search.move_to(state, [action], rng.split("move", move))
        kept.append(search.bytes / 2**20)
    search.run(Limit(simulations=300_000))
    account, is_full = max(account, search.bytes / 2**20), is_full and search.is_full
print(json.dumps({"account": account, "grown": megabytes("VmHWM") - baseline, "is_full": is_full, "kept": kept}))
"""


def run_under_cap(name: str, moves: int = 0, **changes: Any) -> dict[str, Any]:  # noqa: ANN401
    arguments = json.dumps([name, {"memory": CAP, **changes}, moves])
    run = subprocess.run([sys.executable, "-c", PROGRAM, arguments], capture_output=True, text=True, check=True)
    told: dict[str, Any] = json.loads(run.stdout)
    return told


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("uct", {"new_nodes": "all"}),
        ("uct-original", {}),  # half of the memory is the table of keys
        ("mc-control", {}),  # most of it is edges
        ("sarsa-uct", {"new_nodes": "all", "normalisation": "local"}),
    ],
)
def test_the_cap_is_a_cap_on_the_process(name: str, changes: dict[str, Any]) -> None:
    told = run_under_cap(name, **changes)
    assert told["is_full"]
    assert 0.85 * CAP < told["account"] <= CAP
    assert 0.85 * CAP < told["grown"] <= SLACK * CAP


def test_the_cap_holds_while_the_root_moves() -> None:
    cap = 2 * CAP  # a move takes seven percent more for a moment
    told = run_under_cap("uct", moves=2, new_nodes="all", c_p=0.05, memory=cap)
    assert told["is_full"]
    assert max(told["kept"]) > 0.5 * cap  # much had to be moved
    assert told["grown"] <= SLACK * cap
