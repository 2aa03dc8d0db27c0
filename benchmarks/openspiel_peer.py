"""Our searches next to OpenSpiel's C++ MCTSBot: simulations per CPU second on the same games, in one process.

    python benchmarks/openspiel_peer.py [--games tic_tac_toe connect_four] [--scale 1.0] [--uct-c 1.0]

Each figure is the best of five fresh searches from the start, one playout a simulation, without a solver. They take
turns, with a calibration loop before each, so that a busy machine hurts all alike. The bot may use more memory than it
can fill, so that it never stops to collect garbage; what a search added to the process is reported. Prints one JSON
object.

A row of GAMES is a game; a row of OURS is a search of ours; a `ratio` above 1 says that ours is faster. Where Katachi
has no game of its own, ours goes through the adapter (`"game": "adapter"`): OpenSpiel's rules called from Python, no
match for a native game, and searched with fewer simulations.
"""

import argparse
import ctypes
import gc
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pyspiel

from katachi import FlatMonteCarlo, Limit, Rng, TreeSearch, make_game
from katachi._core import calibrate
from katachi.bench import machine
from katachi.search.tree_settings import preset

REPEATS = 5
CALIBRATION_STEPS = 5_000_000
MEMORY_MB = 16_000
ADAPTER_SHARE = 10  # a search through the adapter does this fraction of the simulations


@dataclass(frozen=True)
class Row:
    """One game: OpenSpiel's name, simulations that take the bot about a second, and our own game."""

    spiel: str
    simulations: int
    ours: Callable[[], Any] | None = None


class Searching(Protocol):
    """What is measured of a search of ours."""

    def run(self, limit: Limit) -> bool:
        """Searches until the limit is reached."""


GAMES: dict[str, Row] = {
    "tic_tac_toe": Row("tic_tac_toe", 1_000_000, lambda: make_game("tic-tac-toe")),
    "connect_four": Row("connect_four", 90_000, lambda: make_game("connect-four")),
    "hex": Row("hex(board_size=11)", 15_000, lambda: make_game("hex", size=11)),
    # Its rollouts know no eyes and may pass at any time; the second row is our own way, with the eye filter.
    "go": Row(
        "go(board_size=9,komi=7.5)", 6_500, lambda: make_game("go", size=9, rules="cgos", komi=7.5, eye_rule="none")
    ),
    "go_with_eye_filter": Row(
        "go(board_size=9,komi=7.5)", 6_500, lambda: make_game("go", size=9, rules="cgos", komi=7.5)
    ),
}

# (game, state, seed) -> a search that has not begun.
OURS: dict[str, Callable[[Any, Any, int], Searching]] = {
    "uct": lambda game, state, seed: TreeSearch(game, state, rng=Rng(seed)),
    "sarsa_uct": lambda game, state, seed: TreeSearch(game, state, rng=Rng(seed), settings=preset("sarsa-uct")),
    "flat": lambda game, state, seed: FlatMonteCarlo(game, state, rng=Rng(seed)),
}


@dataclass
class Figure:
    """Rates of one search on one game."""

    simulations: int
    rates: list[float] = field(default_factory=list)
    grown_mb: float = 0.0

    def add(self, seconds: float, grown_mb: float) -> None:
        self.rates.append(self.simulations / max(seconds, 1e-9))
        self.grown_mb = max(self.grown_mb, grown_mb)

    def to_json(self) -> dict[str, Any]:
        return {
            "simulations_per_second": round(max(self.rates), 1),
            "all": [round(rate, 1) for rate in self.rates],
            "simulations": self.simulations,
            "memory_mb": round(self.grown_mb, 1),
        }


def resident_mb() -> float:
    """What this process holds in memory now."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def give_back() -> None:
    """Lets go of freed memory (glibc), so that what grows is the search's."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def measured(search: Callable[[], object]) -> tuple[float, float]:
    """CPU seconds of a search, and the memory that what it returns holds; freeing that is not timed."""
    gc.collect()
    give_back()
    before = resident_mb()
    start = time.process_time()
    kept = search()
    seconds = time.process_time() - start
    grown = resident_mb() - before
    del kept
    return seconds, grown


def peer_search(game: Any, simulations: int, uct_c: float, seed: int) -> object:  # noqa: ANN401
    """One search of the bot from the start; its tree is returned."""
    bot = pyspiel.MCTSBot(
        game,
        pyspiel.RandomRolloutEvaluator(1, seed),
        uct_c,
        simulations,
        MEMORY_MB,
        False,  # solve
        seed,
        False,  # verbose
    )
    return bot.mcts_search(game.new_initial_state())


def our_search(make: Callable[[Any, Any, int], Searching], game: Any, simulations: int, seed: int) -> object:  # noqa: ANN401
    """One search of ours from the start."""
    search = make(game, game.initial_state(), seed)
    search.run(Limit(simulations=simulations))
    return search


def run_row(row: Row, scale: float, uct_c: float, draws: list[float]) -> dict[str, Any]:
    """All searches on one game, taking turns."""
    peer_game = pyspiel.load_game(row.spiel)
    game = make_game(f"openspiel:{row.spiel}") if row.ours is None else row.ours()
    simulations = max(1, int(row.simulations * scale))
    ours_simulations = simulations if row.ours is not None else max(1, simulations // ADAPTER_SHARE)
    peer = Figure(simulations)
    ours = {name: Figure(ours_simulations) for name in OURS}
    for seed in range(REPEATS):
        draws.append(calibration_rate())
        peer.add(*measured(lambda: peer_search(peer_game, simulations, uct_c, seed)))  # noqa: B023
        for name, make in OURS.items():
            ours[name].add(*measured(lambda: our_search(make, game, ours_simulations, seed)))  # noqa: B023
    told = {name: figure.to_json() for name, figure in ours.items()}
    for name, figure in ours.items():
        told[name]["ratio"] = round(max(figure.rates) / max(peer.rates), 3)
    return {"openspiel": peer.to_json(), "game": "adapter" if row.ours is None else "native", "katachi": told}


def calibration_rate() -> float:
    """Draws per CPU second of a fixed loop."""
    start = time.process_time()
    calibrate(CALIBRATION_STEPS)
    return CALIBRATION_STEPS / (time.process_time() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES))
    parser.add_argument("--scale", type=float, default=1.0, help="of the number of simulations")
    parser.add_argument("--uct-c", type=float, default=1.0, help="the bot's exploration")
    asked = parser.parse_args()
    draws: list[float] = []
    games = {name: run_row(GAMES[name], asked.scale, asked.uct_c, draws) for name in asked.games}
    print(
        json.dumps(
            {
                "games": games,
                "uct_c": asked.uct_c,
                "calibration": {
                    "random_draws_per_second": round(max(draws), 1),
                    "lowest": round(min(draws), 1),
                },
                "machine": machine(),
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
