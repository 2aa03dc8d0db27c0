"""Figures of katachi.experiments.balancing_learning: errors and weights over the steps of learning."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from katachi.experiments.duel_plots import new_figure, save_figure
from katachi.features.local_shapes import LocalShapes
from katachi.policies.policy_weights import policy_shapes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from katachi.experiments.balancing_learning.runner import Curve

__all__ = ["draw_learning"]

_SHOWN = {"turn": "OX/XX", "hane": "OX/X.", "empty triangle": "XX/X.", "dumpling": "XX/XX", "stone": "X./.."}


def draw_learning(curves: "Sequence[Curve]", path: Path) -> None:
    """Figure 3 at `path`, Figure 2 at `path`-weights."""
    sizes = sorted({curve.size for curve in curves})
    figure, panels = new_figure(len(sizes), width=5)
    for axes, size in zip(panels, sizes, strict=True):
        _draw_errors(axes, [curve for curve in curves if curve.size == size])
        axes.set_title(f"{size}x{size}", fontsize="medium")
    save_figure(figure, path)
    small = [curve for curve in curves if curve.size == sizes[0]]
    figure, panels = new_figure(len(small), width=3.6)
    for axes, curve in zip(panels, small, strict=True):
        _draw_weights(axes, curve)
    panels[0].set_ylabel("weight")
    panels[-1].legend(fontsize="x-small")
    save_figure(figure, path.with_name(f"{path.name}-weights"))


def _draw_errors(axes: "Axes", curves: "Sequence[Curve]") -> None:
    for curve in curves:
        steps = [row["steps"] for row in curve.rows]
        axes.plot(steps, [row["mse"] for row in curve.rows], "o-", markersize=3, label=curve.name)
    axes.axhline(curves[0].rows[0]["mse"], color="grey", linewidth=0.8, label="uniform")
    axes.axhline(curves[0].rows[0]["mse"] / 2, color="black", linestyle="--", linewidth=0.8, label="half of it")
    axes.set_xlabel("steps")
    axes.set_ylabel("mean squared error on held-out positions")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="x-small")


def _draw_weights(axes: "Axes", curve: "Curve") -> None:
    shapes = LocalShapes(curve.size, policy_shapes())
    rows = [row for row in curve.rows if "theta" in row]
    for number, family in enumerate(shapes.families):
        if family.name == "2x2 ld":
            for weight in range(family.first, family.first + family.weights):
                line = [row["theta"][weight] for row in rows]
                axes.plot([row["steps"] for row in rows], line, color="lightgrey", linewidth=0.4, zorder=number)
    for place, (name, square) in enumerate(_SHOWN.items()):
        weight, sign = shapes.parse_weight(f"2x2 {square}")
        line = [sign * row["theta"][weight] for row in rows]
        axes.plot([row["steps"] for row in rows], line, color=f"C{place}", label=name, zorder=10)
    weight, sign = shapes.parse_weight("1x1 X")
    line = [sign * row["theta"][weight] for row in rows]
    axes.plot([row["steps"] for row in rows], line, color="black", label="capture (1x1)", zorder=10)
    axes.set_title(curve.name, fontsize="medium")
    axes.set_xlabel("steps")
    axes.grid(alpha=0.3)
