"""Figures of networks that learn: wins and scores over games of training, in tests and in the training games."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from katachi.experiments.duel_plots import new_figure, plot_scores, save_figure
from katachi.experiments.network_results import Cell

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_curves"]


def draw_curves(groups: Mapping[str, Sequence[Cell]], path: Path, **test: Any) -> None:  # noqa: ANN401
    """A column for each group: above, per cent of won games; below, mean scores.

    Points with 95 % intervals of their games are tests; dotted lines are training games, window by window.
    """
    figure, panels = new_figure(len(groups), rows=2, width=5, height=3.6)
    for place, (title, cells) in enumerate(groups.items()):
        wins, scores = panels[place], panels[place + len(groups)]
        for number, cell in enumerate(cells):
            _draw_cell(wins, scores, cell, f"C{number}", test)
        wins.set_title(title, fontsize="medium")
        wins.set_ylabel("won in %, 95 % intervals of the games")
        wins.set_ylim(-3, 103)
        scores.set_ylabel("mean score")
        scores.axhline(0, color="grey", linewidth=0.8)
        scores.set_xlabel("games of training")
        for axes in (wins, scores):
            axes.grid(alpha=0.3)
        if cells:
            wins.legend(fontsize="x-small", loc="lower right")
    save_figure(figure, path)


def _draw_cell(wins: "Axes", scores: "Axes", cell: Cell, colour: str, test: Mapping[str, Any]) -> None:
    points = cell.points(**test)
    tested = {point: score for point in points if (score := cell.tested(point, **test)) is not None}
    plot_scores(wins, list(tested), list(tested.values()), cell.title, colour=colour)
    means = {point: mean.value for point in points if (mean := cell.scores(point, **test)) is not None}
    scores.plot(list(means), list(means.values()), "o-", markersize=3.5, color=colour)
    curves = cell.rows[0]["curve"]["games"]
    shown = [place for place, games in enumerate(curves) if all(games in row["curve"]["games"] for row in cell.rows)]
    games = [curves[place] for place in shown]
    for axes, what, scale in ((wins, "wins", 100), (scores, "score", 1)):
        axes.plot(games, [scale * cell.trained(what, place).value for place in shown], ":", color=colour, linewidth=1)
