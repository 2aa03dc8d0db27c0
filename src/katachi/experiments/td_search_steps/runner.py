"""Figure 6.4: alpha and epsilon, each against the same search with 0.1."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel, find, only, values_of
from katachi.experiments.experiment import Answer, Claim, Row, Summary
from katachi.experiments.go_duels import (
    Finding,
    beats,
    count_rows,
    is_even,
    is_stronger,
    mixed,
    played,
    reaches,
    run_duels,
    summary,
)

__all__ = ["draw", "run", "summarise", "total"]

_USUAL = 0.1
_MANY = 5_000  # simulations at which alpha = 1 has flattened and 0.1 has not

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Each rate against 0.1."""
    duels = played(rows)
    answers = {"silver-fig-6-4-alpha": _alpha(duels), "silver-fig-6-4-epsilon": _epsilon(duels)}
    return summary(duels, claim, answers)


def _alpha(duels: Sequence[Duel]) -> Answer:
    """Careful rates are worse, bold ones are not, and the boldest falls back where there are many simulations."""
    line = [duel for duel in duels if "alpha" in duel.labels]
    findings = list[Finding]()
    for duel in line:
        text = f"alpha {duel['alpha']:g} at {duel['sims']:,} simulations"
        if duel["alpha"] < _USUAL:
            findings.append(beats(f"{text} loses", duel, loses=True))
        elif duel["sims"] < _MANY:
            findings.append(reaches(f"{text} is no worse", duel, 50))
    counts = values_of(line, "sims")
    few = max((sims for sims in counts if sims < _MANY), default=0)
    many = max((sims for sims in counts if sims >= _MANY), default=0)
    early, late = only(line, alpha=1.0, sims=few), only(line, alpha=1.0, sims=many)
    findings.append(is_stronger(f"alpha 1 falls back from {_MANY:,} simulations on", early, late))
    return mixed(findings)


def _epsilon(duels: Sequence[Duel]) -> Answer:
    """Both ends are poor, all between are alike."""
    findings = list[Finding]()
    for epsilon in values_of(duels, "epsilon"):
        for duel in find(duels, epsilon=epsilon):
            text = f"epsilon {epsilon:g} at {duel['sims']:,} simulations"
            findings.append(
                is_even(f"{text} is as good", duel) if 0 < epsilon < 1 else beats(f"{text} loses", duel, loses=True)
            )
    return mixed(findings)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """The two halves of the figure."""
    panels = [Panel(f"{name} against {name} 0.1", name, "sims") for name in ("alpha", "epsilon")]
    draw_panels(played(rows), panels, path)
