"""Figure 6.5: TD(lambda) search against TD(0) search, with both kinds of traces."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel, best_of, find, only, values_of
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.go_duels import (
    Finding,
    beats,
    count_rows,
    is_stronger,
    mixed,
    played,
    reaches,
    run_duels,
    summary,
)

__all__ = ["draw", "run", "summarise", "total"]

_FEW, _MANY = 2_000, 5_000  # simulations up to which, and from which on

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Lambda = 1 against what bootstraps."""
    duels = played(rows)
    return summary(duels, claim, {"silver-fig-6-5": mixed([*_accumulating(duels), *_replacing(duels)])})


def _accumulating(duels: Sequence[Duel]) -> list[Finding]:
    """At each budget: lambda = 1 against 0, and against the best between."""
    line = find(duels, traces="accumulating")
    findings = []
    for sims in values_of(line, "sims"):
        own = find(line, sims=sims)
        end = only(own, lambda_=1.0)
        between = [duel for duel in own if duel["lambda"] < 1]
        text = f"accumulating, {sims:,} simulations, lambda"
        findings.append(beats(f"{text} 1 loses to 0", end, loses=True))
        if between:
            best = best_of(between)
            findings.append(is_stronger(f"{text} {best['lambda']:g} above 1", best, end))
    return findings


def _replacing(duels: Sequence[Duel]) -> list[Finding]:
    """Lambda = 1 is good, until there are many simulations."""
    line = find(duels, traces="replacing", lambda_=1.0)
    findings = []
    for duel in line:
        text = f"replacing, {duel['sims']:,} simulations, lambda 1"
        if duel["sims"] <= _FEW:
            findings.append(reaches(f"{text} is no worse than 0", duel, 50))
        elif duel["sims"] >= _MANY:
            findings.append(beats(f"{text} loses to 0", duel, loses=True))
    if all(duel["sims"] < _MANY for duel in line):
        findings.append(beats(f"replacing, {_MANY:,} simulations, lambda 1 loses to 0", None))
    return findings


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """A panel for each kind of traces."""
    kinds = ("accumulating", "replacing")
    panels = [Panel(f"{kind} traces, against lambda 0", "lambda", "sims", {"traces": kind}) for kind in kinds]
    draw_panels(played(rows), panels, path)
