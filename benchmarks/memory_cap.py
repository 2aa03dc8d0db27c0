"""Does a memory cap hold? Searches under a cap of 256 MB, next to what the system says of the process.

    python benchmarks/memory_cap.py [--minutes 10] [--cases tree graph] [--cap 256] [--json]

Every case is a process of its own. Its baseline is the resident memory after one simulation, when the search is made
and its code is loaded: of what the empty search has room for it has written to a few pages only. The peak is the
system's own (VmHWM), so that nothing escapes between two samples, neither a table that grows nor what moving the root
takes. The bar: the peak is at most 1.10 times the cap above the baseline.

The first case searches for all of the given minutes, most of them with a full memory; the others end within a minute.
"""

import argparse
import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from katachi import Limit, Rng, TreeSearch, make_game
from katachi.cli.console import progress_bar
from katachi.search.tree_settings import preset

BAR = 1.10
SHORT_SECONDS = 60.0  # at most, of all cases but the first


@dataclass(frozen=True)
class Case:
    """A game whose tree outgrows the cap, and settings that fill the memory in their own way."""

    game: str
    preset: str
    changes: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    moves: int = 0  # the time is divided between the searches of so many moves more, which keep what they can


CASES: dict[str, Case] = {
    "tree": Case("connect-four", "uct"),
    "tree-stop": Case("hex", "uct", {"when_full": "stop", "new_nodes": "all"}, {"size": 11}),
    # Most states that an episode meets are memorised and never left again: the table of keys is half of the memory.
    "graph": Case("connect-four", "uct-original"),
    "graph-stop": Case("connect-four", "uct-original", {"when_full": "stop"}),
    # All actions of all states: nearly everything is edges.
    "graph-edges": Case("hex", "mc-control", parameters={"size": 11}),
    # A parallel array beside the nodes.
    "local-bounds": Case("go", "sarsa-uct", {"normalisation": "local", "new_nodes": "all"}, {"size": 9}),
    # Greedy enough that most of a full memory is kept, slid together in place, when the root moves.
    "moves": Case("connect-four", "uct", {"c_p": 0.2, "new_nodes": "all"}, moves=5),
}


def status_mb(name: str) -> float:
    """A line of the system's account of this process: VmRSS, VmHWM."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise SystemExit(f"the system does not tell {name}: this benchmark needs Linux")


def run_case(name: str, cap: float, seconds: float, seed: int) -> dict[str, Any]:
    """One case, in this process."""
    case, rng = CASES[name], Rng(seed)
    game = make_game(case.game, **case.parameters)
    state = game.initial_state()
    search = TreeSearch(game, state, rng=rng, settings=preset(case.preset, memory=cap, **case.changes))
    search.run(Limit(simulations=1))
    baseline, started = status_mb("VmRSS"), time.monotonic()
    simulations, most_bytes, was_full = 0, 0, False
    with progress_bar(f"{name}, {seconds:.0f} s") as progress:
        for move in range(case.moves + 1):
            if move:
                action = search.best(rng)
                state, _ = game.play(state, action)
                if game.is_terminal(state):
                    break
                search.move_to(state, [action], rng.split("move", move))
            done = move / (case.moves + 1)
            search.run(
                Limit(seconds=seconds / (case.moves + 1)),
                lambda share, done=done: progress(done + share / (case.moves + 1)),  # type: ignore[misc]
            )
            simulations += search.simulations
            most_bytes = max(most_bytes, search.bytes)
            was_full = was_full or search.is_full
    grown = status_mb("VmHWM") - baseline
    return {
        "game": game.name,
        "seconds": round(time.monotonic() - started, 1),
        "simulations": simulations,
        "nodes": len(search.tree),
        "was_full": was_full,
        "account_mb": round(most_bytes / 2**20, 1),
        "peak_growth_mb": round(grown, 1),
        "share_of_cap": round(grown / cap, 3),
        "within_bar": grown <= BAR * cap,
    }


def in_its_own_process(name: str, options: argparse.Namespace, seconds: float) -> dict[str, Any]:
    """The same, with nothing in memory that an earlier case has left there."""
    command = [sys.executable, __file__, "--inside", name, "--seconds", str(seconds)]
    command += ["--cap", str(options.cap), "--seed", str(options.seed)]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    told: dict[str, Any] = json.loads(run.stdout)
    return told


def main() -> None:
    """Prints a table or a JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0, help="of the first case")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--cap", type=float, default=256.0, help="in megabytes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--inside", choices=CASES, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(run_case(options.inside, options.cap, options.seconds, options.seed)))
        return
    told = {}
    if not options.json:
        print(f"cap {options.cap:g} MB, bar {BAR:g} of it")
        print(
            f"{'case':14}{'seconds':>8}{'simulations':>14}{'nodes':>12}{'account MB':>12}{'peak MB':>10}{'of cap':>9}"
        )
    for name in options.cases:
        seconds = options.minutes * 60
        told[name] = row = in_its_own_process(
            name, options, seconds if name == options.cases[0] else min(SHORT_SECONDS, seconds)
        )
        if not options.json:
            print(
                f"{name:14}{row['seconds']:8.0f}{row['simulations']:14,}{row['nodes']:12,}{row['account_mb']:12.1f}"
                f"{row['peak_growth_mb']:9.1f}{row['share_of_cap']:9.1%}"
                + ("" if row["within_bar"] else "  above the bar")
                + ("" if row["was_full"] else "  the cap was not met"),
                flush=True,
            )
    if options.json:
        print(json.dumps({"cap_mb": options.cap, "bar": BAR, "cases": told}))


if __name__ == "__main__":
    main()
