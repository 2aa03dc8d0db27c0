"""Whom a network learns from, and what it then wins against whom (4.1; the table of all of them is ours).

All networks have RPROP and TD(mu), and play their tests with 2 plies. `flat-mc` and GNU Go teach nobody below `full`.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from katachi.experiments.duel_plots import new_figure, plot_scores, save_figure
from katachi.experiments.experiment import Claim, Row, Summary, summary_of
from katachi.experiments.go_duels import all_of
from katachi.experiments.network_results import Cell, cells_of, is_above
from katachi.experiments.network_runs import count_rows, run_networks

__all__ = ["draw", "run", "summarise", "total"]

_COLUMNS = ("learnt from", "runs", "games", "tested against", "won", "mean score", "games of the test")

total, run = count_rows, run_networks


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Everybody against everybody; self-play against the training of the source."""
    cells = cells_of(rows)
    wally, alone = cells.get(name="wally"), cells.get(name="self")
    taught, own = (None if cell is None else cell.shares() for cell in (wally, alone))
    text = "learning from the Wally-like player above self-play, against that player"
    answers = {"ekker-x5": all_of([is_above(text, taught, own, by=claim.numbers["poor"])])}
    lines = [_line(cell, opponent) for cell in cells for opponent in _opponents(cells)]
    return summary_of(_COLUMNS, lines, answers)


def _opponents(cells: Iterable[Cell]) -> list[str]:
    return list(dict.fromkeys(test["opponent"] for cell in cells for row in cell.rows for test in row["tests"]))


def _line(cell: Cell, opponent: str) -> list[str]:
    share, score, games = cell.shares(opponent=opponent), cell.scores(opponent=opponent), cell.tested(opponent=opponent)
    told = ["" if mean is None else str(mean) for mean in (share, score)]
    return [cell.name, str(len(cell.rows)), f"{cell.games:,}", opponent, *told, f"{games.games:,}" if games else "0"]


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """A panel for each opponent, a point for each teacher."""
    cells = list(cells_of(rows))
    opponents = _opponents(cells)
    figure, panels = new_figure(len(opponents), width=3.6)
    for axes, opponent in zip(panels, opponents, strict=True):
        scores = {place: score for place, cell in enumerate(cells) if (score := cell.tested(opponent=opponent))}
        plot_scores(axes, list(scores), list(scores.values()), "all runs")
        for place, cell in enumerate(cells):
            mean = cell.shares(opponent=opponent)
            if mean is not None:
                axes.plot([place + 0.15] * len(mean.values), mean.values, ".", color="C1", markersize=4)
        axes.set_xticks(range(len(cells)), [cell.name for cell in cells], rotation=30)
        axes.set_title(f"against {opponent}", fontsize="medium")
        axes.set_ylim(-3, 103)
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("won in %; points beside: single runs")
    save_figure(figure, path)
