"""Table 1 of Gelly and Silver (2008), head to head: better playouts, then RAVE, then a learnt prior."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.go_duels import count_rows, headline, played, run_duels, summary

__all__ = ["draw", "run", "summarise", "total"]

_STEPS = ("playouts", "rave", "prior", "expansion")

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Each step by its bar."""
    duels = played(rows)
    return summary(duels, claim, {row: headline(duels, claim, row) for row in ("mogo-a1", "mogo-a2", "mogo-a3")})


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """In the order of the table."""
    duels = sorted(played(rows), key=lambda duel: _STEPS.index(duel["step"]))
    draw_panels(duels, [Panel("each step against the one before", "step", "sims")], path)
