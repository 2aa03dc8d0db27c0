"""Figures 19 and 20: TD(mu) goes on learning. The first network that is tested, when its opponent has stopped playing
random moves, is compared with the last.
"""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.experiment import Claim, Row, Summary, summary_of
from katachi.experiments.go_duels import Finding, mixed
from katachi.experiments.network_figures import draw_curves
from katachi.experiments.network_results import COLUMNS, Cell, cells_of, is_above, is_equal, line_of, not_run
from katachi.experiments.network_runs import count_rows, run_networks

__all__ = ["draw", "run", "summarise", "total"]

_TRAINERS = ("rprop", "residual-lambda")

total, run = count_rows, run_networks


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Begin and end."""
    cells = cells_of(rows)
    findings = [
        finding for trainer in _TRAINERS for finding in _drift(cells.get(trainer), trainer, claim.numbers["constant"])
    ]
    return summary_of(COLUMNS, [line_of(cell) for cell in cells], {"ekker-figs-19-20": mixed(findings)})


def _drift(cell: Cell | None, trainer: str, constant: float) -> list[Finding]:
    if cell is None or len(cell.points()) < 2:
        return [not_run(f"TD(mu) with {trainer}")]
    first, last = cell.points()[0], cell.points()[-1]
    span = f"with {trainer} after {first:,} and {last:,} games"
    return [
        is_above(f"mean score drifts down, {span}", cell.scores(first), cell.scores(last), unit="stones"),
        is_equal(f"wins stay, {span}", cell.shares(first), cell.shares(last), constant),
    ]


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Wins and scores over the games of training."""
    draw_curves({"long runs (Figures 19, 20)": list(cells_of(rows))}, path)
