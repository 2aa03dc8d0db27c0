"""Chapter 10: other features, steps and exploration, each against the plain search with as many simulations."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.go_duels import (
    Finding,
    beats,
    count_rows,
    does_not_win,
    is_even,
    mixed,
    played,
    run_duels,
    summary,
)

__all__ = ["draw", "run", "summarise", "total"]

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Those that the text calls better or worse must be so for certain, the others must not win."""
    duels = played(rows)
    answer = mixed([_finding(duel, claim) for duel in duels])
    told = summary(duels, claim, {})
    return Summary(told.columns, told.table, answer.result, answer.verdict, answer.result)


def _finding(duel: Duel, claim: Claim) -> Finding:
    variant, at = duel["variant"], f"at {duel['sims']:,} simulations"
    if variant in claim.numbers["winners"]:
        return beats(f"{variant} wins {at}", duel)
    if variant in claim.numbers["losers"]:
        return beats(f"{variant} loses {at}", duel, loses=True)
    if variant in claim.numbers["even"]:
        return is_even(f"{variant} is even {at}", duel)
    return does_not_win(f"{variant} does not win {at}", duel)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Win rates of all."""
    panels = [
        Panel("features, against the plain form", "variant", "sims", where={"about": "features"}),
        Panel("steps and exploration", "variant", "sims", where={"about": "learning"}),
    ]
    draw_panels(played(rows), panels, path)
