"""Figures 5.5, 5.9, 5.10 and 5.17 from the rows of a training run."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from katachi.experiments.duel_plots import new_figure, plot_scores, save_figure
from katachi.experiments.duels import Duel, only
from katachi.experiments.experiment import Claim, Row
from katachi.experiments.published_weights import ANYWHERE_2X2, BY_PLACE_1X1, FAMILIES
from katachi.experiments.shape_weights.rows import FAMILIES as NAMES
from katachi.features.local_shapes import parse_shape
from katachi.values.shape_pictures import draw_shapes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_shapes_of", "draw_watched"]

_SIDE = 9
_PLACES = {"A1": "corner", "E1": "edge", "C3": "C3", "E4": "E4", "E5": "centre"}


def draw_watched(
    snapshots: Sequence[Row], occurrences: Sequence[Row], duels: Sequence[Duel], claim: Claim, path: Path
) -> None:
    """Six panels; published values after a million games are crosses at the right."""
    figure, (errors, squares, places, sizes, counts, games) = new_figure(3, 2, width=5)
    x = [row["snapshot"] for row in snapshots]
    end = 1_000_000
    for name, word in (("cross_entropy", "cross entropy"), ("rms_to_outcome", "rms error to the outcome")):
        errors.plot(x, [row[name] for row in snapshots], label=word)
    errors.set_title("5.10: errors", fontsize="medium")
    for number, (square, known) in enumerate(ANYWHERE_2X2.items()):
        squares.plot(x, [row["squares"][square] for row in snapshots], color=f"C{number}", label=square)
        squares.plot([end], [known], "x", color=f"C{number}")
    squares.set_title("5.9: 2x2 anywhere (crosses: published)", fontsize="medium")
    for number, (vertex, word) in enumerate(_PLACES.items()):
        places.plot(x, [row["places"][vertex] for row in snapshots], color=f"C{number}", label=word)
        places.plot([end], [BY_PLACE_1X1[vertex]], "x", color=f"C{number}")
    places.set_title("5.9: a stone by its place", fontsize="medium")
    for number, family in enumerate(NAMES):
        found = [row["families"][family]["rms"] for row in snapshots]
        sizes.plot(x, found, color=f"C{number}", label=family)
        if family in FAMILIES:
            sizes.plot([end], [FAMILIES[family]["rms"]], "x", color=f"C{number}")
    sizes.set_title("5.9: root mean square by family", fontsize="medium")
    for axes in (errors, squares, places, sizes):
        axes.set_xscale("log")
        axes.set_xlabel("training games")
        axes.grid(alpha=0.3)
        axes.legend(fontsize="x-small")
    _draw_counts(counts, occurrences)
    _draw_games(games, duels, claim)
    save_figure(figure, path)


def _draw_counts(axes: "Axes", occurrences: Sequence[Row]) -> None:
    """How many weights occurred how often."""
    for row in sorted(occurrences, key=lambda row: NAMES.index(row["occurrences"])):
        places = [10 ** ((place + 0.5) / 2) for place, _ in row["bins"]]
        label = f"{row['occurrences']}, {row['never']:,} never"
        axes.plot(places, [count for _, count in row["bins"]], "o-", markersize=3, label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("occurrences")
    axes.set_ylabel("weights, by half decades")
    axes.set_title("5.5: occurrences", fontsize="medium")
    axes.grid(alpha=0.3)
    if occurrences:
        axes.legend(fontsize="x-small")


def _draw_games(axes: "Axes", duels: Sequence[Duel], claim: Claim) -> None:
    """The one-ply player's win rates and the bars."""
    for place, opponent in enumerate(("random", "gnugo")):
        duel = only(duels, opponent=opponent)
        if duel is not None:
            plot_scores(axes, [place], [duel.score], f"{opponent}: {duel.rate:.1f} %, {duel.games:,} games")
    low, high = claim.numbers["gnugo"]
    axes.plot([-0.3, 0.3], [claim.numbers["random"]] * 2, "k--", linewidth=1, label="bars")
    axes.fill_between([0.7, 1.3], low, high, color="black", alpha=0.15, linewidth=0)
    axes.set_xticks([0, 1], ["random", "GNU Go level 0"])
    axes.set_xlim(-0.6, 1.6)
    axes.set_ylim(-3, 103)
    axes.set_ylabel("win rate in %, 95 % intervals")
    axes.set_title("one ply on the last weights", fontsize="medium")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="x-small", loc="center")


def draw_shapes_of(rows: Sequence[Row], path: Path) -> None:
    """Figure 5.17: the largest weights of each family, as little boards."""
    groups = [
        (row["top"], [(parse_shape(name, _SIDE), weight) for name, weight in row["weights"]])
        for row in rows
    ]  # fmt: skip
    save_figure(draw_shapes(groups, _SIDE), path)
