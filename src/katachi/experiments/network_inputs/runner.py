"""Figure 13: networks that are told 32 numbers of a position, and networks that are told the 25 of the board."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.experiment import Claim, Row, Summary, summary_of
from katachi.experiments.go_duels import Finding, mixed
from katachi.experiments.network_figures import draw_curves
from katachi.experiments.network_results import (
    COLUMNS,
    Cells,
    cells_of,
    is_above,
    line_of,
    not_run,
    reaches,
    stays_below,
)
from katachi.experiments.network_runs import count_rows, run_networks

__all__ = ["draw", "run", "summarise", "total"]

_RULES = ("td-mu", "td-directed")

total, run = count_rows, run_networks


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Both, by how fast they learn; the source does not say by which rule, so that there are two."""
    cells = cells_of(rows)
    figure = [finding for rule in _RULES for finding in _figure(cells, rule, claim)]
    gaps = [_gap(cells, rule, claim) for rule in _RULES]
    answers = {"ekker-fig-13": mixed(figure), "ekker-h1": mixed(gaps)}
    return summary_of(COLUMNS, [line_of(cell) for cell in cells], answers)


def _figure(cells: Cells, rule: str, claim: Claim) -> list[Finding]:
    full, board = cells.get(rule=rule, name="full"), cells.get(rule=rule, name="board")
    early, late, never = (claim.numbers[name] for name in ("early", "late", "board"))
    return [
        reaches(f"32 inputs, {rule}", full, early["share"], early["games"]),
        reaches(f"32 inputs, {rule}", full, late["share"], late["games"]),
        stays_below(f"the board alone, {rule}", board, never["share"], never["games"]),
    ]


def _gap(cells: Cells, rule: str, claim: Claim) -> Finding:
    points, after = claim.numbers["gap"]["points"], claim.numbers["gap"]["games"]
    text = f"32 inputs {points} points above the board alone after {after:,} games, {rule}"
    full, board = cells.get(rule=rule, name="full"), cells.get(rule=rule, name="board")
    if full is None or board is None:
        return not_run(text)
    return is_above(text, full.shares(after), board.shares(after), by=points)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Both over the games of training."""
    cells = list(cells_of(rows))
    draw_curves({f"{rule} (Figure 13)": [cell for cell in cells if cell.rule == rule] for rule in _RULES}, path)
