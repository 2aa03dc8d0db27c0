"""Two suggestions of the thesis: residual algorithms whose steps are RPROP's, and TD(mu) on the leaves of searches.

Moves are judged with what they earn wherever there is a mu (katachi.experiments.network_mu tells why).
"""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.go_duels import mixed
from katachi.experiments.network_figures import draw_curves
from katachi.experiments.network_results import COLUMNS, Cells, Mean, cells_of, is_as_good, line_of
from katachi.experiments.network_runs import count_rows, run_networks

__all__ = ["draw", "run", "summarise", "total"]

_TRAINERS = ("rprop", "residual", "residual-rprop")
_RULES = ("td-leaf", "td-mu", "td-leaf-mu")

total, run = count_rows, run_networks


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Each of the two against both that it is made of."""
    cells = cells_of(rows)
    findings = [
        is_as_good(
            f"residual-rprop and {trainer}, with {rule}",
            _shares(cells, "residual-rprop", rule),
            _shares(cells, trainer, rule),
        )
        for rule in ("td-directed", "td-mu")
        for trainer in _TRAINERS[:2]
    ]
    findings += [
        is_as_good(
            f"TD-leaf(mu) and {rule}, with RPROP", _shares(cells, "rprop", "td-leaf-mu"), _shares(cells, "rprop", rule)
        )
        for rule in _RULES[:2]
    ]
    answer = mixed(findings)
    return Summary(COLUMNS, [line_of(cell) for cell in cells], answer.result, answer.verdict, answer.result)


def _shares(cells: Cells, trainer: str, rule: str) -> Mean | None:
    cell = cells.get(trainer, rule)
    return None if cell is None else cell.shares()


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Wins and scores over the games of training: trainers by rule, rules with RPROP."""
    cells = cells_of(rows)
    panels = {rule: [(trainer, rule) for trainer in _TRAINERS] for rule in ("td-directed", "td-mu")}
    panels["rprop"] = [("rprop", rule) for rule in _RULES]
    found = {title: [cells.get(*cell) for cell in drawn] for title, drawn in panels.items()}
    draw_curves({title: [cell for cell in own if cell is not None] for title, own in found.items()}, path)
