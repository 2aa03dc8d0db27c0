"""Networks that learn 5x5 Go: games per CPU second of one thread, by rule and opponent.

    python benchmarks/network_learning.py [--games 1000] [--depth 2]

A 32-75-1 network, RPROP, games as `katachi learn` plays them; best of three. The bar is 50 games with a search of two
plies against an opponent in this process.
"""

import argparse
import time

from katachi.training.network_learning import learner, network_learning

BAR = 50.0
REPEATS = 3


def rate(rule: str, opponent: str, games: int, depth: int) -> float:
    """Games per CPU second."""
    play = network_learning(learner(rule, "rprop", opponents=(opponent,), depth=depth))  # type: ignore[arg-type]
    best = 0.0
    for _ in range(REPEATS):
        start = time.process_time()
        play.run(play.games + games)
        best = max(best, games / (time.process_time() - start))
    return best


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000, help="games of each measurement")
    parser.add_argument("--depth", type=int, default=2, help="plies of the searches")
    arguments = parser.parse_args()
    print(f"games per CPU second, {arguments.depth} plies (bar with two plies: {BAR:.0f})")
    for rule in ("td-mu", "td-leaf", "td-leaf-mu"):
        rates = [rate(rule, opponent, arguments.games, arguments.depth) for opponent in ("wally", "self")]
        print(f"  {rule:<12} wally {rates[0]:8,.0f}    self {rates[1]:8,.0f}")


if __name__ == "__main__":
    main()
