"""What worker processes cost: one run with two workers against two runs that are started side by side.

    python benchmarks/workers.py [--games 200]

Both play the same number of games of the same players. Prints one line of JSON with the ratio of the games per second:
1 would be no cost at all, and 0.9 is the bar. The runs take turns, three times, and the best of each counts.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

KATACHI = str(Path(sys.executable).with_name("katachi"))
MATCH = ("match", "flat-mc:sims=20", "flat-mc:sims=10", "--size", "9", "--json")


def seconds(*runs: list[str]) -> float:
    """How long these take side by side."""
    started = time.perf_counter()
    processes = [subprocess.Popen([KATACHI, *run], stdout=subprocess.DEVNULL) for run in runs]
    for process in processes:
        assert process.wait() == 0
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200, help="in all")
    games = parser.parse_args().games
    apart, together = [], []
    for _ in range(3):
        apart.append(seconds(*([*MATCH, "--games", str(games // 2), "--seed", str(seed)] for seed in (1, 2))))
        together.append(seconds([*MATCH, "--games", str(games), "--seed", "1", "--workers", "2"]))
    print(
        json.dumps(
            {
                "games": games,
                "two_runs_games_per_second": round(games / min(apart), 2),
                "two_workers_games_per_second": round(games / min(together), 2),
                "ratio": round(min(apart) / min(together), 3),
            }
        )
    )


if __name__ == "__main__":
    main()
