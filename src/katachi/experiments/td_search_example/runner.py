"""Section 6.10: one position, what TD search thinks of every move, and its largest weights by size.

The position is made by hand. All borders are closed but in the corner, where White's stones have three empty points in
a row: with B9 Black kills them and wins; else White plays there, lives, and is ahead by half a point. There is one row
for each number of simulations and repetition.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.core.errors import InvalidArgumentError
from katachi.core.limit import Limit
from katachi.experiments.duel_plots import new_figure, save_figure
from katachi.experiments.duels import run_others
from katachi.experiments.experiment import Claim, Progress, Row, Summary, Verdict, summary_of
from katachi.experiments.go_duels import Finding, mixed
from katachi.features.local_shapes import LocalShapes, ShapeSettings, parse_shape
from katachi.games.go.game import GoGame
from katachi.games.go.position import Position
from katachi.search.td_search import TdMemory, TdSearch, TdSearchSettings
from katachi.values.shape_pictures import draw_shapes
from katachi.values.shape_value import ShapeValue
from katachi.values.weights_summary import largest_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BEST", "POSITION", "draw", "look", "run", "summarise", "total"]

POSITION = """\
. . . O X O . . .
O O O O X O O O .
X X X X X X O . .
. . . . . X O . .
. . X . . X O O .
. . . . X X O . .
. X . X . X O . .
. . . . . X O O .
. . . . . X O . .
"""  # Black to play
BEST = "B9"
_FIGHT = {(row, column) for row in range(2) for column in range(4)}  # White's stones in the corner and their eyes
_TRIANGLE = "A9 2x2 .O/OO"
_SIDE, _TOP = 9, 10
_LOOK = "katachi.experiments.td_search_example.runner:look"
_COLUMNS = ("simulations", "repetition", "best moves", "fight, of 10", "largest 2x2", "largest 3x3")


def _wanted(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"sims": sims, "repetition": number, "seed": settings["seed"]}
        for sims in settings["sims"]
        for number in range(settings["repetitions"])
    ]


def total(settings: Mapping[str, Any]) -> int:
    """One row for each search."""
    return len(_wanted(settings))


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Searches what is missing."""
    run_others(_LOOK, _wanted(settings), rows_path, executor, progress)


def look(work: dict[str, Any]) -> dict[str, Any]:
    """Black's chance after each move, how often simulations began with it, and the largest weights of each size."""
    position = Position.from_diagram(POSITION)
    memory = TdMemory(_SIDE, TdSearchSettings())
    rng = Rng(work["seed"]).split("example", work["repetition"])
    search = TdSearch(GoGame(_SIDE), position, memory=memory, rng=rng)
    search.run(Limit(simulations=work["sims"]))
    roots = sorted(search.root_actions(), key=lambda root: -root.value)
    value = ShapeValue(LocalShapes(_SIDE, ShapeSettings(sharing="none")))
    value.assign(memory.weights)
    top = {
        family.name.split()[0]: [[one.name, round(one.value, 4)] for one in largest_weights(value, family, _TOP)]
        for family in value.shapes.families
    }
    moves = {position.vertex(root.action): [round(root.value, 4), root.visits] for root in roots}
    return {**work, "moves": moves, "top": top}


def _fighting(row: Row) -> int:
    """How many of the largest 3x3 weights are of windows that touch the corner's fight."""
    count = 0
    for name, _ in row["top"]["3x3"]:
        shape = parse_shape(name, _SIDE)
        assert shape.corner is not None  # no weights are shared
        y, x = shape.corner
        count += any((y + i, x + j) in _FIGHT for i in range(shape.height) for j in range(shape.width))
    return count


def _ordered(rows: Sequence[Row]) -> list[Row]:
    if not rows:
        raise InvalidArgumentError("nothing has been searched yet")
    return sorted(rows, key=lambda row: (row["sims"], row["repetition"]))


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Judged by the searches with the most simulations."""
    ordered = _ordered(rows)
    last = [row for row in ordered if row["sims"] == ordered[-1]["sims"]]
    least = claim.numbers["fight"]
    counts = ", ".join(str(_fighting(row)) for row in last)
    findings = [
        _how_often(f"{BEST}, which is best, comes first", last, lambda row: next(iter(row["moves"])) == BEST),
        _how_often(
            f"{least} of the {_TOP} largest 3x3 weights are of the fight ({counts})",
            last,
            lambda row: _fighting(row) >= least,
        ),
        _how_often(
            "a white empty triangle in the corner is among the largest 2x2 weights",
            last,
            lambda row: _TRIANGLE in [name for name, _ in row["top"]["2x2"]],
        ),
    ]
    answer = mixed(findings)
    return summary_of(_COLUMNS, [_line(row) for row in ordered], {"silver-figs-6-9-to-6-11": answer})


def _how_often(text: str, rows: Sequence[Row], holds: Callable[[Row], bool]) -> Finding:
    """Always, never or at times."""
    count = sum(map(holds, rows))
    verdict: Verdict = "reproduced" if count == len(rows) else "partly" if count else "not"
    return Finding(verdict, f"{text}: in {count} of {len(rows)} searches of {rows[0]['sims']:,} simulations")


def _line(row: Row) -> list[str]:
    moves = ", ".join(f"{move} {value:.3f} ({visits:,})" for move, (value, visits) in list(row["moves"].items())[:4])
    tops = [", ".join(f"{name} {weight:+.2f}" for name, weight in row["top"][size][:3]) for size in ("2x2", "3x3")]
    return [f"{row['sims']:,}", str(row["repetition"] + 1), moves, str(_fighting(row)), *tops]


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Figure 6.9: the values on the board, for each number of simulations; 6.10 and 6.11: the largest weights."""
    ordered = [row for row in _ordered(rows) if row["repetition"] == 0]
    figure, panels = new_figure(len(ordered), width=4.6, height=4.8)
    for axes, row in zip(panels, ordered, strict=True):
        _draw_board(axes, row)
    save_figure(figure, path)
    groups = [
        (
            f"the largest {size} weights after {ordered[-1]['sims']:,} simulations",
            [(parse_shape(name, _SIDE), weight) for name, weight in weights],
        )
        for size, weights in ordered[-1]["top"].items()
    ]
    save_figure(draw_shapes(groups, _SIDE), path.with_name(f"{path.name}-shapes"))


def _draw_board(axes: "Axes", row: Row) -> None:
    """Stones, and Black's chance in per cent at each move; the darker the better."""
    axes.set_facecolor("#e8c27a")
    for place in range(_SIDE):
        axes.plot([0, _SIDE - 1], [place, place], color="black", linewidth=0.5, zorder=1)
        axes.plot([place, place], [0, _SIDE - 1], color="black", linewidth=0.5, zorder=1)
    for y, line in enumerate(POSITION.splitlines()):
        for x, point in enumerate(line.split()):
            if point != ".":
                colour = "black" if point == "X" else "white"
                axes.plot([x], [_SIDE - 1 - y], "o", color=colour, markeredgecolor="black", markersize=19, zorder=2)
    values = {move: value for move, (value, _) in row["moves"].items() if move.lower() != "pass"}
    low, high = min(values.values()), max(values.values())
    columns = "ABCDEFGHJ"
    for move, value in values.items():
        x, y = columns.index(move[0]), int(move[1:]) - 1
        shade = 0.15 + 0.75 * (value - low) / max(high - low, 1e-9)
        axes.scatter(x, y, s=230, marker="s", color="#2a6f3c", alpha=shade, zorder=2)
        axes.text(x, y, f"{100 * value:.0f}", ha="center", va="center", fontsize=8, color="white", zorder=3)
    axes.set_xticks(range(_SIDE), list(columns))
    axes.set_yticks(range(_SIDE), [str(number + 1) for number in range(_SIDE)])
    axes.set_xlim(-0.6, _SIDE - 0.4)
    axes.set_ylim(-0.6, _SIDE - 0.4)
    axes.set_aspect("equal")
    axes.set_title(f"Black's chance in %, {row['sims']:,} simulations", fontsize="medium")
