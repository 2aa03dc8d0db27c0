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
_CELL, _CELL_HEIGHT = 4.0, 5.6  # room of one board, in points of a board


def draw_shapes(groups: Sequence[tuple[str, Sequence[tuple[Shape, float]]]], side: int) -> "Figure":
    """One row of little boards, or several, for each (title, shapes with their weights)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    lines = [
        (title if start == 0 else "", shapes[start : start + _COLUMNS])
        for title, shapes in groups
        for start in range(0, len(shapes), _COLUMNS)
    ]
    figure = Figure(figsize=(1.15 * _COLUMNS, 1.6 * max(1, len(lines))))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.01, 0.0, 0.98, 1.0))  # one for all of them: many would take minutes
    axes.set_axis_off()
    axes.set_xlim(-0.7, _CELL * _COLUMNS)
    axes.set_ylim(_CELL_HEIGHT * max(1, len(lines)), 0.0)
    axes.set_aspect("equal", anchor="NW")
    for row, (title, shapes) in enumerate(lines):
        top = row * _CELL_HEIGHT + 1.2
        if title:
            axes.text(-0.5, top - 0.65, title, ha="left", va="bottom", fontsize="medium")
        for column, (shape, weight) in enumerate(shapes):
            _draw(axes, (column * _CELL, top), shape, weight, side)
    return figure


def _draw(axes: "Axes", place: tuple[float, float], shape: Shape, weight: float, side: int) -> None:
    """A window; lines stop where the board does, if its place is known."""
    from matplotlib.patches import Circle, Rectangle

    width, height = shape.width, shape.height
    x0, y0 = place
    axes.add_patch(Rectangle((x0 - 0.5, y0 - 0.5), width, height, facecolor="#e8c27a", edgecolor="none"))
    row, col = shape.corner if shape.corner is not None else (1, 1)
    inner = side if shape.corner is not None else side + 4
    left, right = (-0.5 if col > 0 else 0.0), (width - 0.5 if col + width < inner else width - 1.0)
    top, bottom = (-0.5 if row > 0 else 0.0), (height - 0.5 if row + height < inner else height - 1.0)
    axes.hlines([y0 + y for y in range(height)], x0 + left, x0 + right, color="black", linewidth=_LINE, zorder=1)
    axes.vlines([x0 + x for x in range(width)], y0 + top, y0 + bottom, color="black", linewidth=_LINE, zorder=1)
    for y, line in enumerate(shape.rows):
        for x, stone in enumerate(line):
            if stone != ".":
                face = "black" if stone == "X" else "white"
                patch = Circle((x0 + x, y0 + y), 0.44, facecolor=face, edgecolor="black", linewidth=_LINE, zorder=2)
                axes.add_patch(patch)
    where = "" if shape.corner is None else format_vertex(point_at(row, col, side), side, side) + "\n"
    axes.text(x0 - 0.5, y0 + height - 0.35, f"{where}{weight:+.4f}", ha="left", va="top", fontsize="x-small")


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
