"""Pictures of local shapes with their weights below them, as in Figures 5.9 and 5.17 of Silver (2009)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from katachi.core.errors import WeightsError
from katachi.features.local_shapes import Shape
from katachi.games.go.vertex import format_vertex, point_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_shapes", "save_picture"]

_COLUMNS = 8
_LINE = 0.8  # width of the lines of a board


def draw_shapes(groups: Sequence[tuple[str, Sequence[tuple[Shape, float]]]], side: int) -> "Figure":
    """One row of little boards, or several, for each (title, shapes with their weights)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    lines = [
        (title if start == 0 else "", shapes[start : start + _COLUMNS])
        for title, shapes in groups
        for start in range(0, len(shapes), _COLUMNS)
    ]
    figure = Figure(figsize=(1.15 * _COLUMNS, 1.6 * max(1, len(lines))), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(max(1, len(lines)), _COLUMNS, squeeze=False)
    for axes in panels.flat:
        axes.set_axis_off()
    for row, (title, shapes) in enumerate(lines):
        if title:
            panels[row][0].set_title(title, loc="left", fontsize="medium")
        for axes, (shape, weight) in zip(panels[row], shapes, strict=False):
            _draw(axes, shape, weight, side)
    return figure


def _draw(axes: "Axes", shape: Shape, weight: float, side: int) -> None:
    """A window; lines stop where the board does, if its place is known."""
    from matplotlib.patches import Circle, Rectangle

    width, height = shape.width, shape.height
    axes.set_xlim(-0.7, 2.7)
    axes.set_ylim(3.6, -0.7)
    axes.set_aspect("equal")
    axes.add_patch(Rectangle((-0.5, -0.5), width, height, facecolor="#e8c27a", edgecolor="none"))
    row, col = shape.corner if shape.corner is not None else (1, 1)
    inner = side if shape.corner is not None else side + 4
    left, right = (-0.5 if col > 0 else 0.0), (width - 0.5 if col + width < inner else width - 1.0)
    top, bottom = (-0.5 if row > 0 else 0.0), (height - 0.5 if row + height < inner else height - 1.0)
    for y in range(height):
        axes.plot([left, right], [y, y], color="black", linewidth=_LINE, zorder=1)
    for x in range(width):
        axes.plot([x, x], [top, bottom], color="black", linewidth=_LINE, zorder=1)
    for y, line in enumerate(shape.rows):
        for x, stone in enumerate(line):
            if stone != ".":
                face = "black" if stone == "X" else "white"
                axes.add_patch(Circle((x, y), 0.44, facecolor=face, edgecolor="black", linewidth=_LINE, zorder=2))
    where = "" if shape.corner is None else format_vertex(point_at(row, col, side), side, side) + "\n"
    axes.text(-0.5, height - 0.35, f"{where}{weight:+.4f}", ha="left", va="top", fontsize="x-small")


def save_picture(figure: "Figure", path: Path, kind: Literal["png", "svg"]) -> None:
    """Without dates and with fixed ids, so that the same weights give the same file."""
    from matplotlib import rc_context

    try:
        with rc_context({"svg.hashsalt": "katachi"}):
            figure.savefig(
                path,
                dpi=120,
                format=kind,
                metadata={"Date" if kind == "svg" else "Software": None},
            )
    except OSError as error:
        raise WeightsError(f"{path}: the picture cannot be written: {error.strerror}") from None
