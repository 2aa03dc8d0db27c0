"""Figures 6.6 and 6.7: fresh values against old ones, and weights that are kept against weights that are forgotten."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel, find, only, values_of
from katachi.experiments.experiment import Answer, Claim, Row, Summary
from katachi.experiments.go_duels import count_rows, headline, mixed, played, reaches, rises, run_duels, summary

__all__ = ["draw", "run", "summarise", "total"]

_OLD = 6  # moves

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """The first player is the one that does it right."""
    duels = played(rows)
    answers = {
        "silver-fig-6-6": _stale(duels, claim),
        "silver-fig-6-7": _reset(duels, claim),
        "silver-h10": headline(duels, claim, "silver-h10"),
    }
    return summary(duels, claim, answers)


def _stale(duels: Sequence[Duel], claim: Claim) -> Answer:
    """The older the worse; 500 Elo at 6 moves, with the most simulations that were played."""
    line = [duel for duel in duels if "stale" in duel.labels]
    sims = max(values_of(line, "sims"), default=0)
    own = find(line, sims=sims)
    young = [duel for duel in own if duel["stale"] <= _OLD]
    return mixed(
        [
            rises(f"fresh values win more against older ones, {sims:,} simulations", young, "stale"),
            reaches(f"500 Elo against values {_OLD} moves old", only(own, stale=_OLD), claim.numbers["stale"]),
        ]
    )


def _reset(duels: Sequence[Duel], claim: Claim) -> Answer:
    """At least 400 Elo at each number of simulations."""
    line = find(duels, kept="weights")
    return mixed([reaches(f"400 Elo at {duel['sims']:,} simulations", duel, claim.numbers["reset"]) for duel in line])


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """The two figures, as win rates."""
    panels = [
        Panel("6.6: fresh values against stale ones", "stale", "sims", bar=80),
        Panel("6.7: weights kept against forgotten", "sims", "kept", {"kept": "weights"}, bar=85),
    ]
    draw_panels(played(rows), panels, path)
