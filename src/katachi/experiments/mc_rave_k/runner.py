"""Figure 8.2: MC-RAVE over k, and without RAVE.

In the figure all play GNU Go, as they do here in `full`. Head to head fewer games tell as much: k = 1000 plays every
other k, and UCT without RAVE, with and without exploration of its own.
"""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel, Label, find, only
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.go_duels import (
    Finding,
    beats,
    count_rows,
    headline,
    is_even,
    is_stronger,
    mixed,
    played,
    reaches,
    run_duels,
    summary,
)

__all__ = ["draw", "run", "summarise", "total"]

_USUAL, _NONE = 1000, "none"  # k

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """One figure, which both sources print."""
    duels = played(rows)
    figure = mixed([*_other_k(duels), *_without_rave(duels), *_gnugo(find(duels, against="gnugo"), claim)])
    answers = {row: headline(duels, claim, row) for row in ("silver-h14", "mogo-a4")}
    return summary(duels, claim, {"silver-fig-8-2": figure, "mogo-fig-2": figure, **answers})


def _other_k(duels: Sequence[Duel]) -> list[Finding]:
    """Smaller ones lose, larger ones are as good."""
    findings = list[Finding]()
    for duel in find(duels, against="k"):
        text = f"k = {_USUAL} against k = {duel['k']} at {duel['sims']:,} simulations"
        findings.append(beats(text, duel) if duel["k"] < _USUAL else is_even(text, duel))
    return findings


def _without_rave(duels: Sequence[Duel]) -> list[Finding]:
    return [
        beats(f"{_name(duel)} against UCT of c = {duel['c']:g} at {duel['sims']:,} simulations", duel)
        for duel in find(duels, against="uct")
    ]


def _name(duel: Duel) -> str:
    return f"UCT-RAVE of c = {duel['rave_c']:g}" if duel["rave_c"] else "MC-RAVE"


def _gnugo(duels: Sequence[Duel], claim: Claim) -> list[Finding]:
    """What the figure shows itself, where it is played."""
    if not duels:
        return []
    rave, uct = only(duels, k=_USUAL), only(duels, k=_NONE)
    return [
        reaches(f"k = {_USUAL} against GNU Go", rave, claim.numbers["gnugo"]),
        is_stronger("MC-RAVE above UCT against GNU Go", rave, uct),
    ]


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Head to head, and against GNU Go where it was played."""
    printed: dict[Label, float] = {_USUAL: claim.numbers["rave"], _NONE: claim.numbers["uct"]}
    panels = [
        Panel(f"MC-RAVE with k = {_USUAL} against other k", "k", "sims", {"against": "k"}),
        Panel("UCT-RAVE of c = 0.1 against UCT by its c", "c", "sims", {"against": "uct", "rave_c": 0.1}, bar=75),
        Panel("MC-RAVE against UCT by its c", "c", "sims", {"against": "uct", "rave_c": 0.0}),
        Panel("against GNU Go level 10", "k", "sims", {"against": "gnugo"}, published=printed),
    ]
    duels = played(rows)
    draw_panels(duels, panels if find(duels, against="gnugo") else panels[:3], path)
