"""Figures of curves: panels with bands of 95 % and what the source says beside them. Pure functions of the rows."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from katachi.experiments.curves import Curves, Estimate, Metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["band", "finish", "label_axes", "over_checkpoints", "over_setting", "panels", "save", "source_line"]

_AXES = {
    "steps": "steps per arrival at the right end",
    "choice": "share of right choices at the root",
    "error": "root mean squared error",
    "value": "value",
}
_MARKS = "osD^vP*X"
_COARSE = (1, 1.5, 2, 3, 5, 7)
_FINE = (1, 1.2, 1.5, 2, 2.5, 3, 3.2, 3.4, 3.6, 4, 4.5, 5, 5.5, 6, 7, 8, 9)


def panels(rows: int, columns: int) -> "tuple[Figure, list[Axes]]":
    """A figure and its panels, row by row."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2 * columns, 4.2 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, [axes for line in figure.subplots(rows, columns, squeeze=False) for axes in line]


def save(figure: "Figure", path: Path) -> None:
    """As PNG and SVG, without a date and with fixed ids, so that the same rows give the same files."""
    from matplotlib import rc_context

    figure.savefig(path.with_suffix(".png"), dpi=110, metadata={"Software": None})
    with rc_context({"svg.hashsalt": "katachi"}):
        figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})


def band(axes: "Axes", x: Sequence[float], estimates: Sequence[Estimate], number: int, label: str) -> None:
    """A line with its 95 % band; points that were never reached are left out."""
    color, mark = f"C{number % 10}", _MARKS[number % len(_MARKS)]
    kept = [(at, e) for at, e in zip(x, estimates, strict=True) if e.high < float("inf")]
    places = [at for at, _ in kept]
    axes.plot(places, [e.value for _, e in kept], color=color, marker=mark, markersize=4, label=label)
    axes.fill_between(places, [e.low for _, e in kept], [e.high for _, e in kept], color=color, alpha=0.15, linewidth=0)


def over_checkpoints(
    axes: "Axes",
    curves: Curves,
    metric: Metric,
    sweep: str,
    cells: Mapping[str, Mapping[str, Any]],
    unit: str = "steps",
) -> None:
    """Curves by label, over the budget."""
    at = curves.checkpoints(sweep)
    for number, (label, cell) in enumerate(cells.items()):
        band(axes, at, curves.curve(metric, sweep, **cell), number, label)
    axes.set_xscale("log")
    axes.set_xticks(at)
    axes.set_xticks([], minor=True)
    axes.set_xticklabels([f"{x:,}" for x in at], fontsize="small", rotation=30 if len(at) > 6 else 0)
    label_axes(axes, metric, f"simulated {unit}")


def over_setting(
    axes: "Axes", curves: Curves, metric: Metric, sweep: str, over: str,
    cells: Mapping[str, tuple[int, Mapping[str, Any]]], label: str | None = None,
) -> None:  # fmt: skip
    """Curves by label, over one setting, each at its own checkpoint."""
    values = curves.values(sweep, over)
    is_text = any(isinstance(value, str) for value in values)
    places = list(range(len(values))) if is_text else values
    for number, (name, (at, cell)) in enumerate(cells.items()):
        band(axes, places, [curves.at(metric, sweep, at, **cell, **{over: value}) for value in values], number, name)
    if is_text:
        axes.set_xticks(places)
        axes.set_xticklabels([str(value) for value in values], fontsize="small")
    label_axes(axes, metric, label or over)


def label_axes(axes: "Axes", metric: Metric, below: str) -> None:
    """Names, a grid, and a logarithmic axis where steps or errors differ by factors; `finish` does the rest."""
    axes.set_xlabel(below)
    axes.set_ylabel(f"{_AXES[metric]}, 95 % bands")
    if metric in ("steps", "error"):
        axes.set_yscale("log")
    axes.grid(alpha=0.3)


def finish(axes: "Axes") -> None:
    """When all lines are drawn: numbers along a logarithmic axis that fit what is shown, and the legend."""
    if axes.get_yscale() == "log":
        from matplotlib.ticker import NullFormatter

        low, high = axes.get_ylim()
        mantissas = _FINE if high < 3 * low else _COARSE if high < 100 * low else (1,)
        scales = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks = [mantissa * 10.0**scale for scale in scales for mantissa in mantissas]
        ticks = [tick for tick in ticks if low <= tick <= high]
        axes.set_yticks(ticks)
        axes.set_yticklabels([f"{tick:.3g}" for tick in ticks])
        axes.yaxis.set_minor_formatter(NullFormatter())
    axes.legend(fontsize="x-small")


def source_line(axes: "Axes", value: float, label: str) -> None:
    """What the source, or theory, says."""
    axes.axhline(value, color="black", linestyle="--", linewidth=1, label=label)
