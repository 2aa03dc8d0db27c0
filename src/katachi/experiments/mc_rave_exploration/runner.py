"""Section 8.7: exploration bonuses of several sizes against none."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel, values_of
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.go_duels import Finding, beats, count_rows, does_not_win, mixed, played, run_duels, summary

__all__ = ["draw", "run", "summarise", "total"]

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """No constant wins, and much exploration loses."""
    duels = played(rows)
    answer = mixed([_finding(duel, claim) for duel in duels])
    return summary(duels, claim, {"silver-sec-8-7-exploration": answer})


def _finding(duel: Duel, claim: Claim) -> Finding:
    text = f"{duel['form']}, {duel['schedule']}, c = {duel['c']:g}, {duel['sims']:,} simulations,"
    if duel["c"] >= claim.numbers["much"]:
        return beats(f"{text} loses", duel, loses=True)
    return does_not_win(f"{text} does not win", duel)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Win rate over c, a panel for each form of the bonus and each schedule."""
    duels = played(rows)
    panels = [
        Panel(f"{form}, {schedule}, against c = 0", "c", "sims", {"form": form, "schedule": schedule})
        for form in values_of(duels, "form")
        for schedule in values_of(duels, "schedule")
    ]
    draw_panels(duels, panels, path)
