"""A game written in Python: the native tree search over it against the all-Python twin, and what the adapter costs.

    python benchmarks/python_game.py [--simulations 5000] [--seed 1] [--json]

The game is examples/own_game.py, the searches are katachi.TreeSearch and katachi.reference.tree_search.TreeSearchTwin,
with the same settings, seed and number of simulations; their root visits are compared, so that they did the same. CPU
seconds, the best of five, taking turns so that a busy machine hurts both alike. The bar: the native search does at
least 1.4 times the simulations per second.

The twin is written to be read and makes the same calls through the adapter, so that the ratio says nothing of how far
one can go. That is what the game's own share says: the game's methods are recorded, then called alone, from compiled
code (`map`), with the very states and actions of the search. A search that cost nothing would still take that long.

The adapter's cost per step is measured on uniform playouts in the same way: what a step takes, less what the game's own
methods take alone. It is the way in and out of Python: calling, looking at what the game returned, turning it into
native values; and drawing the action. In a search it cannot be told from the search's own work.
"""

import argparse
import gc
import importlib.util
import json
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from katachi import Limit, Rng, TreeSearch
from katachi.bench import machine
from katachi.games.contract import native_state
from katachi.reference.tree_search import TreeSearchTwin
from katachi.search.tree_settings import preset

EXAMPLE = Path(__file__).parents[1] / "examples" / "own_game.py"
PRESETS = ("uct", "sarsa-uct")
REPEATS = 5
BAR = 1.4
RULES = ("candidates", "is_terminal", "key", "legal_actions", "play", "to_play")


def example_class() -> Any:  # noqa: ANN401
    """The game of the example."""
    spec = importlib.util.spec_from_file_location("own_game", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Sticks


def cpu_seconds(work: Callable[[], object]) -> float:
    """Of one run."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def record(game_class: Any, work: Callable[[Any], object]) -> dict[str, list[tuple[Any, ...]]]:  # noqa: ANN401
    """The calls that some work makes into a game: for each method, its arguments as columns."""
    calls: dict[str, list[tuple[Any, ...]]] = {}
    game, watched = game_class(), game_class()

    def recorded(method: str) -> Callable[..., Any]:
        answer = getattr(game, method)

        def call(*arguments: Any) -> Any:  # noqa: ANN401
            calls.setdefault(method, []).append(arguments)
            return answer(*arguments)

        return call

    for method in RULES:
        setattr(watched, method, recorded(method))
    work(watched)
    return {method: list(zip(*rows, strict=True)) for method, rows in calls.items()}


def call_again(game: Any, calls: dict[str, list[tuple[Any, ...]]]) -> None:  # noqa: ANN401
    """Nothing but the game's own methods."""
    for method, columns in calls.items():
        deque(map(getattr(game, method), *columns), maxlen=0)


def compare(game_class: Any, name: str, simulations: int, seed: int) -> dict[str, Any]:  # noqa: ANN401
    """Both searches with one preset, and the game alone, taking turns."""
    settings, limit, game = preset(name), Limit(simulations=simulations), game_class()
    root = game.initial_state()
    calls = record(game_class, lambda watched: TreeSearch(watched, root, rng=Rng(seed), settings=settings).run(limit))
    native_seconds, twin_seconds, own_seconds = [], [], []
    for _ in range(REPEATS):
        native = TreeSearch(game, root, rng=Rng(seed), settings=settings)
        native_seconds.append(cpu_seconds(lambda: native.run(limit)))  # noqa: B023
        twin = TreeSearchTwin(game, root, rng=Rng(seed), settings=settings)
        twin_seconds.append(cpu_seconds(lambda: twin.run(limit)))  # noqa: B023
        own_seconds.append(cpu_seconds(lambda: call_again(game, calls)))
    visits = {child["action"]: child["visits"] for child in twin.to_dict(1)["children"]}
    assert {action.action: action.visits for action in native.root_actions() if action.visits} == visits
    return {
        "native_simulations_per_second": round(simulations / min(native_seconds), 1),
        "twin_simulations_per_second": round(simulations / min(twin_seconds), 1),
        "ratio": round(min(twin_seconds) / min(native_seconds), 2),
        "steps_per_simulation": round(native.steps / native.simulations, 2),
        "native_microseconds_per_step": round(1e6 * min(native_seconds) / native.steps, 3),
        "own_share": round(min(own_seconds) / min(native_seconds), 3),
    }


def adapter_cost(game_class: Any, playouts: int, seed: int) -> dict[str, Any]:  # noqa: ANN401
    """What a step of a playout costs, and how much of it is the game's own."""
    game = game_class()
    root = game.initial_state()
    calls = record(game_class, lambda watched: native_state(watched, root).playouts(playouts, Rng(seed)).run())
    steps = len(calls["play"][0])
    through, alone = [], []
    for _ in range(REPEATS):
        batch = native_state(game, root).playouts(playouts, Rng(seed))
        through.append(cpu_seconds(batch.run))
        assert batch.steps == steps
        alone.append(cpu_seconds(lambda: call_again(game, calls)))
    per_step = 1e6 / steps
    return {
        "calls_per_step": {method: round(len(columns[0]) / steps, 2) for method, columns in calls.items()},
        "microseconds_per_step": round(min(through) * per_step, 3),
        "own_microseconds_per_step": round(min(alone) * per_step, 3),
        "adapter_microseconds_per_step": round((min(through) - min(alone)) * per_step, 3),
    }


def main() -> None:
    """Prints a table or a JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=5_000, help="of each search; as many playouts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args()
    game_class = example_class()
    searches = {name: compare(game_class, name, options.simulations, options.seed) for name in PRESETS}
    cost = adapter_cost(game_class, options.simulations, options.seed)
    if options.json:
        told = {"simulations": options.simulations, "seed": options.seed, "bar": BAR}
        print(json.dumps({**told, "searches": searches, "adapter": cost, "machine": machine()}))
        return
    print(f"{'preset':12}{'native/s':>12}{'twin/s':>12}{'ratio':>8}{'own share':>12}   (bar {BAR:g})")
    for name, row in searches.items():
        rates = f"{row['native_simulations_per_second']:12,.0f}{row['twin_simulations_per_second']:12,.0f}"
        print(f"{name:12}{rates}{row['ratio']:8.2f}{row['own_share']:12.0%}")
    print(
        f"a step of a playout takes {cost['microseconds_per_step']:.2f} µs: the game's own methods"
        f" {cost['own_microseconds_per_step']:.2f} µs, the adapter {cost['adapter_microseconds_per_step']:.2f} µs"
    )


if __name__ == "__main__":
    main()
