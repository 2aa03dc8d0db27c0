"""`katachi bench`: speed on this machine."""

from typing import Annotated

import typer

from katachi.cli.console import print_json, progress_bar

__all__ = ["bench"]


def bench(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")] = False,
    scale: Annotated[
        float, typer.Option(min=0.001, max=10.0, help="Length of the repeats; below 1 for a quick look.")
    ] = 1.0,
) -> None:
    """Measure the core per CPU second, best of five: playouts on 5x5, 9x9 and 19x19, training and searches on 9x9.

    \b
    Examples:
      katachi bench
      katachi bench --json > bench.json
    """
    from katachi.bench import STEPS, run_bench

    with progress_bar("bench") as progress:
        done = iter(range(STEPS))
        result = run_bench(scale=scale, on_step=lambda _name: progress(next(done) / STEPS))
    if as_json:
        print_json(result)
        return
    print(f"{'board':8}{'playouts/s':>12}{'moves/s':>14}")
    for name, rate in result["playouts_per_second"].items():
        print(f"{name:8}{rate:12,.0f}{result['moves_per_second'][name]:14,.0f}")
    policies = result["policy_playouts_per_second"]
    print("policies on 9x9: " + ", ".join(f"{name} {rate:,.0f} playouts/s" for name, rate in policies.items()))
    training = result["training"]
    print(f"training on 9x9: {training['training_games_per_second']:,.0f} games/s")
    print(f"  {training['afterstate_values_per_second']:,.0f} afterstate values/s in greedy self-play")
    searches = result["td_search_simulations_per_second"]
    print(
        f"TD search on 9x9: {searches['switch_6']:,.0f} simulations/s, {searches['switch_never']:,.0f} without a switch"
    )
    print(f"  two threads do {result['td_search_gain_of_two_threads']:.2f} times as much as one (by the clock)")
    trees = result["tree_search_simulations_per_second"]
    print("trees on 9x9: " + ", ".join(f"{name} {rate:,.0f} simulations/s" for name, rate in trees.items()))
    share = result["tree_search_two_threads_to_two_searches"]
    print(f"  two threads on one tree do {share:.2f} of what two searches do (by the clock)")
    draws = result["calibration"]["random_draws_per_second"]
    print(f"calibration: {draws:,.0f} random draws/s (all rates: per CPU second, best of five)")
    distance = result["calibration"]["core_round_trip_nanoseconds"]
    print(f"  from one core to another and back: {distance:,.0f} ns (by the clock)")
    print(f"{result['machine']['processor']}; {result['machine']['compiler']} {result['machine']['flags']}")
