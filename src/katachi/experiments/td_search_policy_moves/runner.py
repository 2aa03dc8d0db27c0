"""Bars of chapters 6 and 7 again, with moves of the default policy among the random ones."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.go_duels import count_rows, headline, played, run_duels, summary

__all__ = ["draw", "run", "summarise", "total"]

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """All bars together."""
    duels = played(rows)
    answer = headline(duels, claim, "ours")
    told = summary(duels, claim, {})
    return Summary(told.columns, told.table, answer.result, answer.verdict, answer.result)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """By player, for each share of policy moves."""
    panels = [
        Panel("against one ply of all sizes", "player", "moves", {"against": "one ply"}, bar=80),
        Panel("against GNU Go level 0", "player", "moves", {"against": "gnugo"}),
    ]
    draw_panels(played(rows), panels, path)
