"""The picture of a review: Black's win rate over the moves, with the largest swings marked."""

from pathlib import Path
from typing import Any

from katachi.analysis.review import Review
from katachi.core.errors import InvalidArgumentError

__all__ = ["check_plot_name", "plot_review"]

_KINDS = (".png", ".svg")


def check_plot_name(path: Path) -> None:
    """An error unless it is called .png or .svg, and its folder is there."""
    if not path.parent.is_dir():
        raise InvalidArgumentError(f"{path} cannot be written: there is no folder {str(path.parent)!r}")
    if path.suffix.lower() not in _KINDS:
        raise InvalidArgumentError(f"a picture is called NAME.svg or NAME.png, not {str(path)!r}")


def plot_review(review: Review, path: Path, *, title: str = "", marked: int = 5) -> None:
    """SVG or PNG, by the name; the same review gives the same file."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    check_plot_name(path)
    figure = Figure(figsize=(9, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    numbers, rates = zip(*review.winrates(), strict=True)
    percent = [100 * rate for rate in rates]
    axes.axhline(50, color="grey", linewidth=0.8)
    axes.fill_between(numbers, percent, 50, color="0.85", linewidth=0)
    axes.plot(numbers, percent, color="black", linewidth=1.2)
    for move in review.swings(marked):
        assert move.winrate_after is not None
        axes.plot(move.number, 100 * move.winrate_after, "o", color="C3", markersize=5)
        axes.annotate(
            f"{move.number} {move.move}",
            (move.number, 100 * move.winrate_after),
            xytext=(4, 4),
            textcoords="offset points",
            fontsize="small",
        )
    axes.set_xlim(0, max(1, len(review.moves)))
    axes.set_ylim(0, 100)
    axes.set_xlabel("moves")
    axes.set_ylabel("win rate of Black in %")
    axes.set_title(title, fontsize="medium", parse_math=False)
    axes.grid(alpha=0.3)
    nameless: dict[str, Any] = {"Date": None} if path.suffix.lower() == ".svg" else {"Software": None}
    try:
        with rc_context({"svg.hashsalt": "katachi"}):
            figure.savefig(path, dpi=120, metadata=nameless)
    except OSError as error:
        raise InvalidArgumentError(f"{path} cannot be written: {error.strerror or error}") from None
