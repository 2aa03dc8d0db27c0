"""Is a move judged by what it leaves alone (eq. 9, as printed), or also by what it earns?

Values are of what is still to come, and captures are paid at once. So where a move takes c stones, V falls by about c,
and d_i = V(s_i) - V(s_{i-1}) calls a good move bad: the c stones are added a second time.
"""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.go_duels import all_of
from katachi.experiments.network_figures import draw_curves
from katachi.experiments.network_results import COLUMNS, Cells, Mean, cells_of, is_above, is_as_good, line_of
from katachi.experiments.network_runs import count_rows, run_networks

__all__ = ["draw", "run", "summarise", "total"]

_TRAINERS = ("rprop", "residual-lambda")
_CELLS = (("printed", "td-mu"), ("with-reward", "td-mu"), ("directed", "td-directed"))

total, run = count_rows, run_networks


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """With what a move earns against without, and against TD-directed."""
    cells = cells_of(rows)
    findings = []
    for trainer in _TRAINERS:
        printed, whole, directed = (_shares(cells, trainer, *cell) for cell in _CELLS)
        findings += [
            is_above(f"TD(mu) with rewards above TD(mu) as printed, with {trainer}", whole, printed),
            is_as_good(f"TD(mu) with rewards and TD-directed, with {trainer}", whole, directed),
        ]
    answer = all_of(findings)
    return Summary(COLUMNS, [line_of(cell) for cell in cells], answer.result, answer.verdict, answer.result)


def _shares(cells: Cells, trainer: str, name: str, rule: str) -> Mean | None:
    cell = cells.get(trainer, rule, name)
    return None if cell is None else cell.shares()


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Wins and scores over the games of training, by trainer."""
    cells = cells_of(rows)
    found = {trainer: [cells.get(trainer, rule, name) for name, rule in _CELLS] for trainer in _TRAINERS}
    draw_curves({trainer: [cell for cell in own if cell is not None] for trainer, own in found.items()}, path)
