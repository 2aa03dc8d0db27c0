"""Learning local shapes by self-play on 9x9: games and afterstate values per CPU second.

    python benchmarks/training_speed.py [--warm-up 3000] [--games 1000] [--threads 2] [--json]

All shapes, LD and LI weights, one thread, best of five beside the calibration loop of `katachi bench`. Training:
logistic two-ply TD(0) with epsilon = 0.1, from weights that have learnt from the warm-up games; the bar is 1,000 games
(Silver's program: 186). Afterstates: the same weights, frozen, in greedy self-play with every candidate of every move
counted (his program: 0.62 million). They are valued through the tables of shared weights, as in training; players on
weights that stay as they are have a faster table. Threads: the same training in several threads that share the weights,
per CPU second of all of them together and per second of the clock; the latter says something only where as many cores
are idle.
"""

import argparse
import json
import time

from katachi import _core
from katachi.bench import REPEATS, best_rate, machine
from katachi.learning.td_settings import TdSettings
from katachi.training.self_play import SelfPlaySettings, self_play

BAR = 1_000.0
CALIBRATION_STEPS = 5_000_000


def rate_of(play: _core.SelfPlay, games: int, unit: str) -> float:
    """Games, moves or values per CPU second."""

    def work() -> float:
        play.take_tally()
        play.run(play.games + games)
        return float(getattr(play.take_tally(), unit))

    return best_rate(work)


def clock_rate(play: _core.SelfPlay, games: int) -> float:
    """Games per second of the clock, best of five."""
    best = 0.0
    for _ in range(REPEATS):
        start = time.perf_counter()
        play.run(play.games + games)
        best = max(best, games / (time.perf_counter() - start))
    return round(best, 1)


def main() -> None:
    """Prints a table or a JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warm-up", type=int, default=3_000, help="training games before anything is measured")
    parser.add_argument("--games", type=int, default=1_000, help="of each repeat")
    parser.add_argument("--threads", type=int, default=2, help="that share the weights")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args()

    settings = SelfPlaySettings(seed=options.seed)
    training = self_play(settings)
    training.run(options.warm_up)
    greedy, exploring = (self_play(settings.replace(epsilon=e, td=TdSettings(alpha=0.0))) for e in (0.0, 0.1))
    threads = self_play(settings.replace(threads=options.threads))
    greedy.weights = exploring.weights = threads.weights = training.weights
    result = {
        "training_games_per_second": rate_of(training, options.games, "games"),
        "training_moves_per_second": rate_of(training, options.games, "moves"),
        "training_games_per_clock_second": clock_rate(training, options.games),
        "threads_games_per_second": rate_of(threads, options.games, "games"),
        "threads_games_per_clock_second": clock_rate(threads, options.games),
        "afterstate_values_per_second": rate_of(greedy, options.games, "values"),
        "exploring_afterstate_values_per_second": rate_of(exploring, options.games, "values"),
        "random_draws_per_second": best_rate(lambda: (_core.calibrate(CALIBRATION_STEPS), CALIBRATION_STEPS)[1]),
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
    print(f"  {result['training_games_per_clock_second']:,.0f} games a second of the clock")
    print(f"training in {options.threads} threads: {result['threads_games_per_second']:,.0f} games a CPU second of all")
    print(f"  {result['threads_games_per_clock_second']:,.0f} games a second of the clock")
    print(f"greedy self-play: {result['afterstate_values_per_second']:,.0f} afterstate values a CPU second")
    print(f"  {result['exploring_afterstate_values_per_second']:,.0f} with epsilon = 0.1, where no two games are alike")
    print(f"calibration: {result['random_draws_per_second']:,.0f} random draws a CPU second")


if __name__ == "__main__":
    main()
