"""Headline 17: heuristic MC-RAVE with twice the simulations, again and again."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.go_duels import count_rows, headline, played, run_duels, summary

__all__ = ["draw", "run", "summarise", "total"]

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Doubling by doubling."""
    duels = played(rows)
    return summary(duels, claim, {row: headline(duels, claim, row) for row in ("silver-h17", "mogo-a7")})


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """What more simulations win."""
    doublings = [duel for duel in played(rows) if duel["sims"] == 2 * duel["than"]]
    draw_panels(doublings, [Panel("against half as many simulations", "sims", "", bar=55)], path)
