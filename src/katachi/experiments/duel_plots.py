"""Figures of katachi.experiments.duels: win rates with their 95 % intervals, and the printed numbers beside them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from katachi.arena.statistics import Score
from katachi.experiments.duels import Duel, Label, find, values_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "Panel", "draw_panels", "even_line", "new_figure", "plot_curve", "plot_published", "plot_scores", "save_figure",
    "spread",
]  # fmt: skip


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


@dataclass(frozen=True)
class Panel:
    """Win rates over one label, a curve for each value of another."""

    title: str
    x: str  # a label: numbers and words stand at equal distances
    lines: str  # a label; what has none is one curve
    where: Mapping[str, Label] = field(default_factory=dict)  # labels of the duels that it shows
    bar: float | None = None  # per cent
    published: Mapping[Label, float] = field(default_factory=dict)  # win rates by what is on x


def draw_panels(duels: Sequence[Duel], panels: Sequence[Panel], path: Path) -> None:
    """Side by side; those that have no games are empty."""
    figure, axes = new_figure(len(panels), width=5)
    for place, panel in zip(axes, panels, strict=True):
        _draw_panel(place, [duel for duel in find(duels, **panel.where) if panel.x in duel.labels], panel)
    save_figure(figure, path)


def _draw_panel(axes: "Axes", duels: Sequence[Duel], panel: Panel) -> None:
    places = {value: float(place) for place, value in enumerate(values_of(duels, panel.x))}
    lines = list(dict.fromkeys(duel.labels.get(panel.lines, "") for duel in duels))
    for number, line in enumerate(lines):
        own = [duel for duel in duels if duel.labels.get(panel.lines, "") == line]
        own.sort(key=lambda duel: places[duel[panel.x]])
        label = f"{panel.lines} {line:,}" if isinstance(line, int | float) else line
        plot_scores(
            axes,
            [places[duel[panel.x]] + 0.06 * number for duel in own],
            [duel.score for duel in own],
            label or "win rate",
            colour=f"C{number}",
        )
    even_line(axes, panel.title, panel.x)
    axes.set_ylim(-3, 103)
    axes.set_xticks(list(places.values()), [str(value) for value in places], rotation=30)
    printed = {places[value]: rate for value, rate in panel.published.items() if value in places}
    if printed:
        plot_published(axes, list(printed), list(printed.values()))
    if panel.bar is not None:
        axes.axhline(panel.bar, color="black", linestyle="--", linewidth=1, label=f"bar {panel.bar:g} %")
    if lines:
        axes.legend(fontsize="small")
