"""The headlines of chapter 7: Dyna-2 and hybrid search against their parts and GNU Go, with games enough to tell."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.go_duels import count_rows, headline, played, run_duels, summary

__all__ = ["draw", "run", "summarise", "total"]

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Two headlines, bar by bar."""
    duels = played(rows)
    return summary(duels, claim, {row: headline(duels, claim, row) for row in ("silver-h12", "silver-h13")})


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Against GNU Go, and against each other."""
    panels = [
        Panel("against GNU Go level 0", "sims", "depth", {"against": "gnugo"}),
        Panel("both memories against the short-term one", "sims", "depth", {"against": "short"}, bar=65),
    ]
    draw_panels(played(rows), panels, path)
