"""Learning local shapes by self-play on 9x9: games and afterstate values per CPU second.

    python benchmarks/training_speed.py [--warm-up 3000] [--games 1000] [--threads 2] [--json]

What `katachi bench` measures (katachi.bench.training_rates), with the lengths as options and the bars beside it. All
shapes, LD and LI weights, one thread, best of five beside the calibration loop. Training: logistic two-ply TD(0) with
epsilon = 0.1, from weights that have learnt from the warm-up games; the bar is 1,000 games (Silver's program: 186).
Afterstates: the same weights, frozen, in greedy self-play with every candidate of every move counted (his program: 0.62
million). They are valued through the tables of shared weights, as in training; players on weights that stay as they are
have a faster table. Threads: the same training in several threads that share the weights, per CPU second of all of them
together and per second of the clock; the latter says something only where as many cores are idle.
"""

import argparse
import json
import time

from katachi.bench import REPEATS, calibration_rate, machine, training_rates
from katachi.training.self_play import SelfPlaySettings, self_play

BAR = 1_000.0


def thread_rates(threads: int, warm_up: int, games: int, seed: int) -> dict[str, float]:
    """Training games of several threads, per CPU second of them all and per second of the clock; best of five."""
    play = self_play(SelfPlaySettings(seed=seed, threads=threads))
    play.run(warm_up)
    by_cpu = by_clock = 0.0
    for _ in range(REPEATS):
        cpu, clock = time.process_time(), time.perf_counter()
        play.run(play.games + games)
        by_cpu = max(by_cpu, games / (time.process_time() - cpu))
        by_clock = max(by_clock, games / (time.perf_counter() - clock))
    return {"threads_games_per_second": round(by_cpu, 1), "threads_games_per_clock_second": round(by_clock, 1)}


def main() -> None:
    """Prints a table or a JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warm-up", type=int, default=3_000, help="training games before anything is measured")
    parser.add_argument("--games", type=int, default=1_000, help="of each repeat")
    parser.add_argument("--threads", type=int, default=2, help="that share the weights")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args()

    result = {
        **training_rates(options.warm_up, options.games, options.seed),
        **thread_rates(options.threads, options.warm_up, options.games, options.seed),
        "random_draws_per_second": calibration_rate(),
        "warm_up": options.warm_up,
        "games": options.games,
        "threads": options.threads,
        "seed": options.seed,
        "bar_games_per_second": BAR,
        "machine": machine(),
    }
    if options.json:
        print(json.dumps(result))
        return
    print(f"training: {result['training_games_per_second']:,.0f} games a CPU second   (bar {BAR:,.0f})")
    print(f"  {result['training_moves_per_second']:,.0f} moves")
    print(f"training in {options.threads} threads: {result['threads_games_per_second']:,.0f} games a CPU second of all")
    print(f"  {result['threads_games_per_clock_second']:,.0f} games a second of the clock")
    print(f"greedy self-play: {result['afterstate_values_per_second']:,.0f} afterstate values a CPU second")
    print(f"  {result['exploring_afterstate_values_per_second']:,.0f} with epsilon = 0.1, where no two games are alike")
    print(f"calibration: {result['random_draws_per_second']:,.0f} random draws a CPU second")


if __name__ == "__main__":
    main()
