"""`katachi bench`: how fast the core is on this machine, as one JSON object.

Rates are per CPU second of this process, the best of five short repeats: machines are shared. `calibration` is a fixed
loop of arithmetic, so that two machines can be compared. Instruction counts are in benchmarks/instructions.py.
"""

import platform
import time
from collections.abc import Callable
from typing import Any

import katachi
from katachi import _core
from katachi.games.go import Position

__all__ = ["REPEATS", "run_bench"]

REPEATS = 5
_CALIBRATION_STEPS = 5_000_000
# Board side and playouts per repeat: about half a CPU second each.
_BOARDS = ((5, 200_000), (9, 75_000), (19, 15_000))


def run_bench(*, scale: float = 1.0, on_step: Callable[[str], object] = lambda _: None) -> dict[str, Any]:
    """Every measurement. `scale` shortens or lengthens the repeats; `on_step` is told what is being measured."""
    on_step("calibration")
    steps = max(1, int(_CALIBRATION_STEPS * scale))
    calibration = best_rate(lambda: (_core.calibrate(steps), steps)[1])
    playouts, moves = {}, {}
    for side, count in _BOARDS:
        name = f"{side}x{side}"
        on_step(f"playouts {name}")
        playouts[name], moves[name] = playout_rates(side, max(1, int(count * scale)))
    return {
        "playouts_per_second": playouts,
        "moves_per_second": moves,
        "calibration": {"random_draws_per_second": calibration},
        "board_bytes": {f"{side}x{side}": _core.board_bytes(side, side) for side, _ in _BOARDS},
        "version": katachi.__version__,
        "machine": machine(),
    }


def best_rate(work: Callable[[], float]) -> float:
    """Units of work per CPU second, best of five. `work` does its work and returns the number of units."""
    best = 0.0
    for _ in range(REPEATS):
        start = time.process_time()
        units = work()
        best = max(best, units / max(time.process_time() - start, 1e-9))
    return round(best, 1)


def playout_rates(side: int, count: int) -> tuple[float, float]:
    """Uniform playouts and their moves per CPU second: empty board, one thread, simple eye filter, scored."""
    state = Position(side, side).search_state()
    length = 0.0

    def work() -> float:
        nonlocal length
        batch = state.playouts(count, katachi.Rng(1))
        batch.run()
        length = batch.steps / batch.done
        return batch.done

    rate = best_rate(work)
    return rate, round(rate * length, 1)


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
