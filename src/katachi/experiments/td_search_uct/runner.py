"""Figure 6.1: TD search against UCT by simulations per move, without and with a default policy for both."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel, find
from katachi.experiments.experiment import Answer, Claim, Row, Summary
from katachi.experiments.go_duels import (
    Finding,
    beats,
    count_rows,
    headline,
    is_even,
    mixed,
    played,
    reaches,
    run_duels,
    summary,
)

__all__ = ["draw", "run", "summarise", "total"]

_MANY = 2_000  # simulations beyond which the lead is not significant

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Every number of simulations by itself."""
    duels = played(rows)
    return summary(duels, claim, {"silver-fig-6-1": _curves(duels), "silver-h8": headline(duels, claim, "silver-h8")})


def _curves(duels: Sequence[Duel]) -> Answer:
    """Certain without a default policy; ahead with one, or even where there are many simulations."""
    findings = list[Finding]()
    for duel in find(duels, policy="none"):
        findings.append(beats(f"without a default policy, {duel['sims']:,} simulations", duel))
    for duel in find(duels, policy="fuego"):
        text = f"with a default policy, {duel['sims']:,} simulations"
        findings.append(is_even(text, duel) if duel["sims"] > _MANY else reaches(text, duel, 50))
    return mixed(findings)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """A curve for each kind of simulation."""
    draw_panels(played(rows), [Panel("TD search against UCT", "sims", "policy")], path)
