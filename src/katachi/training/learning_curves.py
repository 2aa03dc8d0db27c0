"""Curves of a run: the share of won games and the mean score, row by row of its metrics (Ekker, Fig. 13 to 17)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from katachi.core.errors import StoreError
from katachi.core.files import write_whole

__all__ = ["draw_curves"]


def draw_curves(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """An SVG of the rows of metrics; the same rows, the same file."""
    import io

    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "katachi"}):
        figure = Figure(figsize=(8, 6), layout="constrained")
        wins, scores = figure.subplots(2, 1, sharex=True)
        games = [row["games"] for row in rows]
        wins.plot(games, [100 * row["wins"] for row in rows], marker=".", label="won by the learner")
        shares = [100 * row["random_share"] for row in rows]
        wins.plot(games, shares, linestyle=":", label="random moves of the opponent")
        wins.set_ylabel("%")
        wins.set_ylim(0, 100)
        wins.legend(loc="best")
        scores.plot(games, [row["score"] for row in rows], marker=".")
        scores.axhline(0, color="grey", linewidth=0.5)
        scores.set_ylabel("mean score")
        scores.set_xlabel("games")
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    try:
        write_whole(path, buffer.getvalue())
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from None
