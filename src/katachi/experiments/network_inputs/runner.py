"""Figure 13: networks that are told 32 numbers of a position, and networks that are told the 25 of the board."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.experiment import Claim, Row, Summary, summary_of
from katachi.experiments.go_duels import all_of, mixed
from katachi.experiments.network_figures import draw_curves
from katachi.experiments.network_results import COLUMNS, cells_of, is_above, line_of, not_run, reaches, stays_below
from katachi.experiments.network_runs import count_rows, run_networks

__all__ = ["draw", "run", "summarise", "total"]

total, run = count_rows, run_networks


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Both, by how fast they learn."""
    cells, numbers = cells_of(rows), claim.numbers
    full, board = cells.get(name="full"), cells.get(name="board")
    gap = f"32 inputs above the board alone after {numbers['gap']['games']:,} games"
    after = numbers["gap"]["games"]
    if full is None or board is None or after not in full.points() or after not in board.points():
        headline = not_run(gap)
    else:
        headline = is_above(gap, full.shares(after), board.shares(after), by=numbers["gap"]["points"])
    figure = [
        reaches("32 inputs", full, numbers["early"]["share"], numbers["early"]["games"]),
        reaches("32 inputs", full, numbers["late"]["share"], numbers["late"]["games"]),
        stays_below("the board alone", board, numbers["board"]["share"], numbers["board"]["games"]),
    ]
    answers = {"ekker-fig-13": mixed(figure), "ekker-h1": all_of([headline])}
    return summary_of(COLUMNS, [line_of(cell) for cell in cells], answers)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Both over the games of training."""
    draw_curves({"inputs (Figure 13)": list(cells_of(rows))}, path)
