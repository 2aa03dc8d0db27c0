"""Figure 8.3: four priors by M, the RAVE returns that they are worth.

In the figure all play GNU Go, as they do here in `full`. Head to head with MC-RAVE that has no prior fewer games tell
as much.
"""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel, find, only, values_of
from katachi.experiments.experiment import Claim, Row, Summary, Verdict
from katachi.experiments.go_duels import (
    Finding,
    all_of,
    beats,
    best_within,
    count_rows,
    headline,
    is_stronger,
    mixed,
    played,
    run_duels,
    summary,
)

__all__ = ["draw", "run", "summarise", "total"]

_LEARNT = "shapes"
_PRIORS = 4
_USUAL, _MUCH = 50, 200  # M

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Priors by what they make against none, with the most simulations that were played."""
    duels = played(rows)
    line = find(duels, against="none")
    line = find(line, sims=max(values_of(line, "sims"), default=0))
    best, above = _best_count(line, claim), [*_above(line), *_above(find(duels, against="gnugo"))]
    answers = {
        "silver-fig-8-3": mixed([*above, best]),
        "silver-h16": headline(duels, claim, "silver-h16", _order(line)),
        "mogo-fig-3": mixed([*above, *_range(line, claim)]),
        "mogo-a5": all_of([best]),
        "mogo-a6": headline(duels, claim, "mogo-a6"),
    }
    return summary(duels, claim, answers)


def _order(duels: Sequence[Duel]) -> Finding:
    """Of all priors at the usual M; told, not judged."""
    line = sorted(find(duels, M=_USUAL), key=lambda duel: -duel.rate)
    told = ", ".join(f"{duel['prior']} {duel.rate:.1f} %" for duel in line)
    verdict: Verdict = "reproduced" if len(line) == _PRIORS else "partly"
    return Finding(verdict, f"the order at M = {_USUAL}: {told or 'not played at this scale'}")


def _above(duels: Sequence[Duel]) -> list[Finding]:
    """Local shapes against each of the others, at the usual M."""
    learnt = only(duels, prior=_LEARNT, M=_USUAL)
    others = [duel for duel in find(duels, M=_USUAL) if duel is not learnt]
    return [
        is_stronger(f"local shapes above {duel['prior']}, against {duel['against']}, M = {_USUAL}", learnt, duel)
        for duel in others
    ]


def _best_count(duels: Sequence[Duel], claim: Claim) -> Finding:
    low, high = claim.numbers["best"]
    return best_within("local shapes", find(duels, prior=_LEARNT), "M", low, high)


def _range(duels: Sequence[Duel], claim: Claim) -> list[Finding]:
    """Local shapes win over a wide range, good priors beat none, and the grandfather must not be trusted."""
    low, high = claim.numbers["wide"]
    wide = [duel for duel in find(duels, prior=_LEARNT) if low <= duel["M"] <= high and duel["M"] != _USUAL]
    findings = [beats(f"local shapes beat none, M = {duel['M']}", duel) for duel in wide]
    for prior in claim.numbers["good"]:
        findings.append(beats(f"{prior} beats none, M = {_USUAL}", only(duels, prior=prior, M=_USUAL)))
    text = f"grandfather loses to none, M = {_MUCH}"
    return [*findings, beats(text, only(duels, prior="grandfather", M=_MUCH), loses=True)]


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Win rate over M, a curve for each prior; against GNU Go where it was played."""
    duels = played(rows)
    panels = []
    for against, title in (("none", "against no prior"), ("gnugo", "against GNU Go level 10")):
        for sims in values_of(find(duels, against=against), "sims"):
            panels.append(Panel(f"{title}, {sims:,} simulations", "M", "prior", {"against": against, "sims": sims}))
    draw_panels(duels, panels or [Panel("not played yet", "M", "prior", {"against": "none"})], path)
