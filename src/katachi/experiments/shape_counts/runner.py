"""Table 5.1: local shapes and weights, counted by building them, against closed formulas and the printed numbers.

A row is a board: features by size, weights by size and sharing, and what all sizes together have. With the symmetries g
of the square and the exchange of colours inv, Burnside's count of the classes that have a weight is

    (1/16) sum over g of places(g) [3^cycles(g) - 3^even(g)]

where cycles are those of g on the points of a window, even those of even length (of the others, only empty points stay
themselves when colours are exchanged), and places(g) the windows that g leaves where they are; 1 if any place will do.
Without the exchange of colours it is (1/8) sum over g of places(g) [3^cycles(g) - 1].
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from katachi.arena.executor import Executor
from katachi.core.errors import InvalidArgumentError
from katachi.experiments.duel_plots import new_figure, save_figure
from katachi.experiments.duels import run_others
from katachi.experiments.experiment import Answer, Claim, Progress, Row, Summary, summary_of
from katachi.features.local_shapes import LocalShapes, ShapeSettings

__all__ = ["SHARINGS", "count_shapes", "draw", "formula", "run", "summarise", "total"]

Point: TypeAlias = tuple[int, int]

SHARINGS = ("none", "ci", "nld", "nli", "ld", "li")
_SIZES = {"1x1": 1, "2x2": 2, "3x3": 3}
_COLUMNS = (
    "board",
    "features",
    "LI 1x1, 2x2, 3x3",
    "LD 1x1, 2x2, 3x3",
    "LD+LI",
    "1x1 and 2x2",
    "active",
    "as expected",
)
_COUNT = "katachi.experiments.shape_counts.runner:count_shapes"


def total(settings: Mapping[str, Any]) -> int:
    """One row for each board."""
    return len(settings["boards"])


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Counts what is missing."""
    run_others(_COUNT, [{"board": side} for side in settings["boards"]], rows_path, executor, progress)


def count_shapes(work: dict[str, Any]) -> dict[str, Any]:
    """The representations of one board, built and counted."""
    side = work["board"]
    weights = {}
    for sharing in SHARINGS:
        shapes = LocalShapes(side, ShapeSettings.from_mapping({"sharing": sharing}))
        weights[sharing] = {family.size: family.weights for family in shapes.families}
    both = LocalShapes(side)
    small = LocalShapes(side, ShapeSettings(sizes=("1x1", "2x2")))
    features = {family.size: family.features for family in both.families}
    told = {"all_features": both.features, "all_weights": both.weights, "active": both.max_active}
    return {**work, "features": features, "weights": weights, **told, "small_weights": small.weights}


def formula(side: int, size: int, sharing: str) -> int:
    """Weights of windows of size x size on a board, by Burnside's count."""
    windows = side - size + 1
    if sharing in ("none", "ci"):
        shapes: int = windows**2 * (3 ** (size * size) - 1)  # empty windows have none
        return shapes if sharing == "none" else shapes // 2
    kept = 0
    for turn in _symmetries():
        cycles = _cycles(turn, size)
        places = 1 if sharing in ("li", "nli") else _fixed(turn, windows)
        lost = 1 if sharing in ("nli", "nld") else 3 ** sum(length % 2 == 0 for length in cycles)
        kept += places * (3 ** len(cycles) - lost)
    return kept // (8 if sharing in ("nli", "nld") else 16)


def _symmetries() -> list[Callable[[Point, int], Point]]:
    """Of a square of n x n points."""
    turns: list[Callable[[Point, int], Point]] = [
        lambda p, n: p,
        lambda p, n: (p[1], n - 1 - p[0]),
        lambda p, n: (n - 1 - p[0], n - 1 - p[1]),
        lambda p, n: (n - 1 - p[1], p[0]),
        lambda p, n: (p[1], p[0]),
        lambda p, n: (n - 1 - p[0], p[1]),
        lambda p, n: (n - 1 - p[1], n - 1 - p[0]),
        lambda p, n: (p[0], n - 1 - p[1]),
    ]
    return turns


def _cycles(turn: Callable[[Point, int], Point], size: int) -> list[int]:
    """Lengths of the cycles of a symmetry on the points of a window."""
    left = {(row, col) for row in range(size) for col in range(size)}
    lengths = []
    while left:
        start = point = left.pop()
        length = 1
        while (point := turn(point, size)) != start:
            left.remove(point)
            length += 1
        lengths.append(length)
    return lengths


def _fixed(turn: Callable[[Point, int], Point], windows: int) -> int:
    """Windows that stay where they are: corners of windows turn like the points of a board of their own."""
    return sum(turn((row, col), windows) == (row, col) for row in range(windows) for col in range(windows))


def _faults(row: Row, claim: Claim) -> list[str]:
    """What is not as the formulas say, or not one of the known numbers."""
    side = row["board"]
    expected: dict[str, tuple[int, int]] = {}
    for size, m in _SIZES.items():
        expected[f"{size} features"] = row["features"][size], (side - m + 1) ** 2 * 3 ** (m * m)
        for sharing in SHARINGS:
            expected[f"{size} {sharing}"] = row["weights"][sharing][size], formula(side, m, sharing)
    by_size = {size: formula(side, m, "ld") + formula(side, m, "li") for size, m in _SIZES.items()}
    expected["features"] = row["all_features"], sum((side - m + 1) ** 2 * 3 ** (m * m) for m in _SIZES.values())
    expected["ld+li"] = row["all_weights"], sum(by_size.values())
    expected["1x1 and 2x2 ld+li"] = row["small_weights"], by_size["1x1"] + by_size["2x2"]
    expected["active"] = row["active"], 2 * sum((side - m + 1) ** 2 for m in _SIZES.values())
    printed = claim.numbers["boards"].get(str(side))
    if printed is not None:
        for place, size in enumerate(_SIZES):
            expected[f"{size} features as known"] = row["features"][size], printed["features"][place]
            expected[f"{size} ld as known"] = row["weights"]["ld"][size], printed["ld"][place]
            expected[f"{size} li as known"] = row["weights"]["li"][size], claim.numbers["li"][place]
        expected["ld+li as known"] = row["all_weights"], printed["all"]
        expected["1x1 and 2x2 as known"] = row["small_weights"], printed["small"]
    return [
        f"{side}x{side} {name}: {found:,}, not {known:,}" for name, (found, known) in expected.items() if found != known
    ]


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """All boards, and whether every number is the expected one."""
    boards = {row["board"]: row for row in sorted(rows, key=lambda row: row["board"])}
    if not boards:
        raise InvalidArgumentError("there are no counts yet")
    faults = {side: _faults(row, claim) for side, row in boards.items()}
    table = []
    for side, row in boards.items():
        li, ld = (", ".join(f"{row['weights'][sharing][size]:,}" for size in _SIZES) for sharing in ("li", "ld"))
        numbers = [f"{row[key]:,}" for key in ("all_weights", "small_weights", "active")]
        right = "; ".join(faults[side]) or "yes"
        table.append([f"{side}x{side}", f"{row['all_features']:,}", li, ld, *numbers, right])
    every = [fault for found in faults.values() for fault in found]
    answers = {
        "silver-table-5-1": _nine(boards, faults),
        "silver-h1": _headline(boards, every),
        "mogo-a9": _million(boards),
        "balancing-k10": _five(boards),
    }
    return summary_of(_COLUMNS, table, answers)


def _nine(boards: Mapping[int, Row], faults: Mapping[int, Sequence[str]]) -> Answer:
    if 9 not in boards:
        return Answer("partly", "9x9 is not counted yet")
    row = boards[9]
    text = f"9x9: {row['all_features']:,} features, {row['all_weights']:,} weights"
    text += f" ({row['weights']['ld']['3x3']:,} of 3x3 LD), at most {row['active']} active"
    text += "".join(f"; {fault}" for fault in faults[9])
    return Answer("not" if faults[9] else "reproduced", text)


def _headline(boards: Mapping[int, Row], every: Sequence[str]) -> Answer:
    text = (
        f"{len(boards)} boards, every number by size and sharing: {len(every)} differ from the formulas or the numbers"
    )
    text += " that are known" + "".join(f"; {fault}" for fault in every[:5])
    is_enough = {5, 9} <= boards.keys()
    return Answer("not" if every else "reproduced" if is_enough else "partly", text)


def _million(boards: Mapping[int, Row]) -> Answer:
    if 9 not in boards:
        return Answer("partly", "9x9 is not counted yet")
    found = boards[9]["all_features"]
    return Answer("reproduced" if found == 969_894 else "not", f"{found:,} features on 9x9")


def _five(boards: Mapping[int, Row]) -> Answer:
    if 5 not in boards:
        return Answer("partly", "5x5 is not counted yet")
    found = boards[5]["small_weights"]
    return Answer("reproduced" if found == 107 else "not", f"{found} weights of 1x1 and 2x2 shapes on 5x5")


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Weights over the board, by size and sharing; crosses are the known numbers."""
    boards = {row["board"]: row for row in sorted(rows, key=lambda row: row["board"])}
    figure, panels = new_figure(3, width=4.2)
    for place, (axes, size) in enumerate(zip(panels, _SIZES, strict=True)):
        axes.plot(list(boards), [row["features"][size] for row in boards.values()], "k:", label="features")
        for sharing in SHARINGS:
            counts = [row["weights"][sharing][size] for row in boards.values()]
            axes.plot(list(boards), counts, "o-", markersize=3, label=f"weights, {sharing}")
        known = {int(side): told["ld"][place] for side, told in claim.numbers["boards"].items()}
        axes.plot(list(known), list(known.values()), "kx", markersize=8, label="ld, known numbers")
        axes.set_yscale("log")
        axes.set_title(size, fontsize="medium")
        axes.set_xlabel("side of the board")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("how many")
    panels[-1].legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1, 0.5))
    save_figure(figure, path)
