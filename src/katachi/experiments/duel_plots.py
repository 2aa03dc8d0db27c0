"""Figures of katachi.experiments.duels: win rates with their 95 % intervals, and the printed numbers beside them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from katachi.arena.statistics import Score
from katachi.experiments.duels import Duel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["even_line", "new_figure", "plot_curve", "plot_published", "plot_scores", "save_figure", "spread"]


def new_figure(columns: int, rows: int = 1, width: float = 4.6, height: float = 3.8) -> "tuple[Figure, list[Axes]]":
    """A figure and its panels, row by row."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def spread(values: Sequence[float]) -> dict[float, float]:
    """Places for values whose distances say nothing, such as lambda from 0 to 0.9999: 0, 1, 2, ..."""
    return {value: float(place) for place, value in enumerate(sorted(set(values)))}


def plot_curve(
    axes: "Axes", duels: Sequence[Duel], place: Callable[[Duel], float], label: str, *, colour: str, shift: float = 0.0
) -> None:
    """Win rates against what `place` says."""
    if not duels:
        return
    plot_scores(axes, [place(duel) + shift for duel in duels], [duel.score for duel in duels], label, colour=colour)


def plot_scores(
    axes: "Axes", x: Sequence[float], scores: Sequence[Score], label: str, *, colour: str | None = None
) -> None:
    """Win rates in per cent, with their intervals."""
    rates = [100 * score.win_rate for score in scores]
    # Rounding must not make an end of an interval negative, as it may at 0 %.
    low = [max(0.0, rate - 100 * score.interval[0]) for rate, score in zip(rates, scores, strict=True)]
    high = [max(0.0, 100 * score.interval[1] - rate) for rate, score in zip(rates, scores, strict=True)]
    axes.errorbar(x, rates, yerr=[low, high], fmt="o-", markersize=3.5, capsize=2, color=colour, label=label)


def plot_published(
    axes: "Axes", x: Sequence[float], rates: Sequence[float], label: str | None = "published", *, colour: str = "black"
) -> None:
    """The printed numbers: crosses, since no line was printed."""
    axes.plot(x, rates, "X", color=colour, markeredgecolor="black", markersize=8, label=label, zorder=5)


def even_line(axes: "Axes", title: str, x_label: str, ticks: dict[float, float] | None = None) -> None:
    """What all panels have: the line of equal players, titles, places of values."""
    axes.axhline(50, color="grey", linewidth=0.8)
    axes.set_title(title, fontsize="medium")
    axes.set_xlabel(x_label)
    axes.set_ylabel("win rate in %, 95 % intervals")
    axes.grid(alpha=0.3)
    if ticks is not None:
        axes.set_xticks(list(ticks.values()))
        axes.set_xticklabels([f"{value:g}" for value in ticks], rotation=45)


def save_figure(figure: "Figure", path: Path) -> None:
    """PNG and SVG; without dates and with fixed ids, so that the same rows give the same files."""
    from matplotlib import rc_context

    no_software: dict[str, Any] = {"Software": None}
    figure.savefig(path.with_suffix(".png"), dpi=120, metadata=no_software)
    with rc_context({"svg.hashsalt": "katachi"}):
        figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
