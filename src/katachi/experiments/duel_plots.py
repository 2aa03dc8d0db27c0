"""Figures of katachi.experiments.duels: win rates with their 95 % intervals, and the printed numbers beside them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from katachi.experiments.duels import Duel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["even_line", "new_figure", "plot_curve", "plot_published", "save_figure", "spread"]


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
    rates = [duel.rate for duel in duels]
    low = [duel.rate - duel.interval[0] for duel in duels]
    high = [duel.interval[1] - duel.rate for duel in duels]
    x = [place(duel) + shift for duel in duels]
    axes.errorbar(x, rates, yerr=[low, high], fmt="o-", markersize=3.5, capsize=2, color=colour, label=label)


def plot_published(axes: "Axes", x: Sequence[float], rates: Sequence[float], label: str = "published") -> None:
    """The printed numbers: crosses, since no line was printed."""
    axes.plot(x, rates, "x", color="black", markersize=7, label=label, zorder=5)


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
