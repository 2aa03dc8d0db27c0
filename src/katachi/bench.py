"""`katachi bench`: how fast the core is on this machine, as one JSON object.

Rates are per CPU second of this process, the best of five short repeats: machines are shared. `calibration` is a fixed
loop of arithmetic, so that two machines can be compared. Instruction counts are in benchmarks/instructions.py.

Self-play on local shapes is measured in three kinds, on the same weights: `learning` as in training, `exploring` the
same without learning, and `greedy` without random moves, too (Silver 2009, 5.7.1).
"""

import platform
import time
from collections.abc import Callable
from threading import Thread
from typing import Any, Literal

import katachi
from katachi import _core
from katachi.core.limit import Limit
from katachi.games.go import GoGame, Position
from katachi.learning.td_settings import TdSettings
from katachi.policies.playout_policies import PlayoutPolicy
from katachi.policies.policy_weights import policy_representation
from katachi.search.searches import TreeSearch
from katachi.search.td_search import TdMemory, TdSearch, TdSearchSettings
from katachi.search.tree_settings import TreeSearchSettings, preset
from katachi.training.self_play import SelfPlaySettings, self_play

__all__ = [
    "REPEATS", "SELF_PLAY_KINDS", "STEPS", "best_rate", "calibration_rate", "machine", "run_bench", "self_play_kinds",
    "self_play_pace", "td_search_gain", "td_search_rates", "training_rates", "tree_search_rates", "tree_search_share",
]  # fmt: skip

REPEATS = 5
_CALIBRATION_STEPS = 5_000_000
# Board side and playouts per repeat: about half a CPU second each.
_BOARDS = ((5, 200_000), (9, 75_000), (19, 15_000))
SELF_PLAY_KINDS = ("learning", "exploring", "greedy")
_WARM_UP, _GAMES = 3_000, 700  # of self-play: about half a CPU second, too, after the warm-up
# Playouts on 9x9 per repeat. Learnt policies value every move.
_POLICIES = {
    "uniform": 25_000,
    "mogo": 25_000,
    "fuego": 25_000,
    "mix(0.4*uniform+0.6*fuego)": 15_000,
    "switch(6;greedy(0.1);fuego)": 10_000,
    "greedy(0.1)": 2_000,
    "gaussian(0.15)": 500,
    "softmax(0.05)": 500,
}
_SHAPE_PLAYOUTS = 8_000  # of softmax over local shapes, with weights drawn at random
# Of temporal-difference search on 9x9, per repeat: with the switch to fuego after 6 moves, and without any.
_SEARCHES: dict[str, tuple[int, float | Literal["never"]]] = {
    "switch_6": (4_000, 6.0),
    "switch_never": (1_000, "never"),
}
_THREADS, _THREADED = 2, 20_000  # simulations per repeat: a second and a half
# Of the tree search on 9x9, per repeat, all with MoGo's playouts.
_TREES = {"uct": 15_000, "mc-rave": 10_000, "heuristic-mc-rave": 8_000, "tournament": 6_000}
_ROUND_TRIPS = 200_000
_SHARED = 20_000  # simulations of mc-rave per thread and repeat: half a second
STEPS = 7 + len(_BOARDS)  # how often `run_bench` tells what it measures


def run_bench(*, scale: float = 1.0, on_step: Callable[[str], object] = lambda _: None) -> dict[str, Any]:
    """Every measurement. `scale` shortens or lengthens the repeats; `on_step` is told what is being measured."""
    on_step("calibration")
    calibration = calibration_rate(scale)
    playouts, moves = {}, {}
    for side, count in _BOARDS:
        name = f"{side}x{side}"
        on_step(f"playouts {name}")
        playouts[name], moves[name] = playout_rates(side, max(1, int(count * scale)))
    on_step("policies 9x9")
    policies = policy_rates(scale)
    on_step("self-play 9x9")
    training = training_rates(max(1, int(_WARM_UP * scale)), max(1, int(_GAMES * scale)))
    on_step("temporal-difference search 9x9")
    searches = td_search_rates(scale)
    on_step("temporal-difference search 9x9, two threads")
    gain = td_search_gain(scale)
    on_step("tree search 9x9")
    trees = tree_search_rates(scale)
    on_step("tree search 9x9, two threads")
    share = tree_search_share(scale)
    distance = core_round_trip(scale)
    return {
        "playouts_per_second": playouts,
        "moves_per_second": moves,
        "policy_playouts_per_second": policies,
        "training": training,
        "td_search_simulations_per_second": searches,
        "td_search_gain_of_two_threads": gain,
        "tree_search_simulations_per_second": trees,
        "tree_search_two_threads_to_two_searches": share,
        "calibration": {"random_draws_per_second": calibration, "core_round_trip_nanoseconds": distance},
        "board_bytes": {f"{side}x{side}": _core.board_bytes(side, side) for side, _ in _BOARDS},
        "version": katachi.__version__,
        "machine": machine(),
    }


def calibration_rate(scale: float = 1.0) -> float:
    """Random draws per CPU second: a loop that knows nothing of games."""
    steps = max(1, int(_CALIBRATION_STEPS * scale))
    return best_rate(lambda: (_core.calibrate(steps), steps)[1])


def core_round_trip(scale: float = 1.0) -> float:
    """Nanoseconds in which a number goes from one thread to another and back, best of five, by the clock.

    Cores that share a cache take about 100, cores that do not 400: what threads on one tree are worth depends on it.
    """
    rounds, best = max(1, int(_ROUND_TRIPS * scale)), float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter_ns()
        _core.pass_around(rounds)
        best = min(best, (time.perf_counter_ns() - start) / rounds)
    return round(best, 1)


def best_rate(work: Callable[[], float]) -> float:
    """Units of work per CPU second, best of five. `work` does its work and returns the number of units."""
    best = 0.0
    for _ in range(REPEATS):
        start = time.process_time()
        units = work()
        best = max(best, units / max(time.process_time() - start, 1e-9))
    return round(best, 1)


def policy_rates(scale: float = 1.0) -> dict[str, float]:
    """Playouts of policies per CPU second, from the empty 9x9 board."""
    rates = {policy: playout_rates(9, max(1, int(count * scale)), policy)[0] for policy, count in _POLICIES.items()}
    rates["softmax-shapes"] = playout_rates(9, max(1, int(_SHAPE_PLAYOUTS * scale)), _shape_policy(9))[0]
    return rates


def _shape_policy(side: int) -> _core.Policy:
    """Weights from -0.3 to 0.3: what is learnt has about that size."""
    import numpy as np

    placements, rng = _core.Placements(policy_representation(side)), katachi.Rng(7)
    theta = np.array([0.6 * rng.uniform() - 0.3 for _ in range(placements.weights)])
    return _core.Policy.softmax_shapes(_core.FrozenPlacements(placements, theta))


def playout_rates(side: int, count: int, policy: str | _core.Policy = "uniform") -> tuple[float, float]:
    """Playouts and their moves per CPU second: empty board, one thread, scored; the uniform eye filter is simple."""
    state = Position(side, side).search_state()
    ready = PlayoutPolicy(policy).native(GoGame(side)) if isinstance(policy, str) else policy
    length = 0.0

    def work() -> float:
        nonlocal length
        batch = state.playouts(count, katachi.Rng(1), ready)
        batch.run()
        length = batch.steps / batch.done
        return batch.done

    rate = best_rate(work)
    return rate, round(rate * length, 1)


def td_search_rates(scale: float = 1.0) -> dict[str, float]:
    """Simulations of temporal-difference search per CPU second: one thread, all shapes, from the empty 9x9 board."""

    def rate(count: int, switch_after: float | Literal["never"]) -> float:
        return best_rate(lambda: _search_9x9(count, TdSearchSettings(switch_after=switch_after)))

    return {name: rate(max(1, int(count * scale)), switch) for name, (count, switch) in _SEARCHES.items()}


def td_search_gain(scale: float = 1.0) -> float:
    """How many times as many simulations two threads do in the same time as one: best of five each, in turn.

    Seconds of the clock, since both threads count for the CPU: a measure only if two cores have nothing else to do.
    """
    best = dict.fromkeys((1, _THREADS), float("inf"))
    for _ in range(REPEATS):
        for threads in best:
            start = time.monotonic()
            _search_9x9(max(1, int(_THREADED * scale)), TdSearchSettings(threads=threads))
            best[threads] = min(best[threads], time.monotonic() - start)
    return round(best[1] / max(best[_THREADS], 1e-9), 2)


def _search_9x9(simulations: int, settings: TdSearchSettings) -> float:
    search = TdSearch(GoGame(9), Position(9), memory=TdMemory(9, settings), rng=katachi.Rng(1))
    search.run(Limit(simulations=simulations))
    return search.simulations


def tree_search_rates(scale: float = 1.0) -> dict[str, float]:
    """Simulations of tree searches per CPU second: one thread, the preset's playouts, from the empty 9x9 board."""
    game = GoGame(9)

    def rate(name: str, count: int) -> float:
        playouts = {"playout_policy": "mogo"} if name == "uct" else {}
        return best_rate(lambda: _search_tree(game, preset(name, **playouts), count))

    return {name: rate(name, max(1, int(count * scale))) for name, count in _TREES.items()}


def tree_search_share(scale: float = 1.0) -> float:
    """Simulations of two threads on one tree, as a share of those of two searches at the same time: best of five each.

    Seconds of the clock, for MC-RAVE from the empty 9x9 board: a measure only if two cores have nothing else to do.
    """
    game, count, alone = GoGame(9), max(1, int(_SHARED * scale)), preset("mc-rave")

    def together() -> None:
        _search_tree(game, alone.replace(threads=_THREADS), _THREADS * count)

    def apart() -> None:
        others = [Thread(target=_search_tree, args=(game, alone, count)) for _ in range(_THREADS)]
        for other in others:
            other.start()
        for other in others:
            other.join()

    best = dict.fromkeys((together, apart), float("inf"))
    for _ in range(REPEATS):
        for work in best:
            start = time.monotonic()
            work()
            best[work] = min(best[work], time.monotonic() - start)
    return round(best[apart] / max(best[together], 1e-9), 2)


def _search_tree(game: GoGame, settings: TreeSearchSettings, count: int) -> float:
    search = TreeSearch(game, Position(9), rng=katachi.Rng(1), settings=settings)
    search.run(Limit(simulations=count))
    return search.simulations


def self_play_kinds(warm_up: int, seed: int = 1) -> dict[str, _core.SelfPlay]:
    """Self-play on 9x9 with all shapes and the default settings, on weights that have learnt from the warm-up games."""
    settings = SelfPlaySettings(seed=seed)
    learning = self_play(settings)
    learning.run(warm_up)
    frozen = {
        kind: self_play(settings.replace(epsilon=epsilon, td=TdSettings(alpha=0.0)))
        for kind, epsilon in (("exploring", settings.epsilon), ("greedy", 0.0))
    }
    for play in frozen.values():
        play.weights = learning.weights
    return {"learning": learning, **frozen}


def self_play_pace(play: _core.SelfPlay, games: int) -> dict[str, float]:
    """Games, moves, afterstate values and CPU seconds of so many more games."""
    play.take_tally()
    start = time.process_time()
    play.run(play.games + games)
    seconds = time.process_time() - start
    tally = play.take_tally()
    return {"games": tally.games, "moves": tally.moves, "values": tally.values, "seconds": max(seconds, 1e-9)}


def training_rates(warm_up: int = _WARM_UP, games: int = _GAMES, seed: int = 1) -> dict[str, float]:
    """Per CPU second: training games and moves, and afterstate values while training and with weights that stay."""
    kinds = self_play_kinds(warm_up, seed)
    paces = [{kind: self_play_pace(play, games) for kind, play in kinds.items()} for _ in range(REPEATS)]

    def best(kind: str, unit: str) -> float:
        return round(max(pace[kind][unit] / pace[kind]["seconds"] for pace in paces), 1)

    return {
        "training_games_per_second": best("learning", "games"),
        "training_moves_per_second": best("learning", "moves"),
        "training_values_per_second": best("learning", "values"),
        "afterstate_values_per_second": best("greedy", "values"),
        "exploring_afterstate_values_per_second": best("exploring", "values"),
    }


def machine() -> dict[str, Any]:
    """Processor, system, compiler and flags."""
    compiler, flags = _core.build_info()
    return {
        "processor": _processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "compiler": compiler,
        "flags": flags,
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            names = [line.split(":", 1)[1].strip() for line in info if line.startswith("model name")]
        return f"{names[0]} x {len(names)}" if names else platform.processor()
    except OSError:
        return platform.processor()
