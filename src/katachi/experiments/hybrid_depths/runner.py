"""Figure 7.4 and Table 7.1: alpha-beta of some depth on the memories of Dyna-2, and on the long-term one alone.

`sims` is 0 where there is no search but alpha-beta. Three players also meet GNU Go level 10, which holds a ladder at
1800: the server of the table is gone, so that only the order and the distances are compared.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from katachi.arena.ratings import Ratings
from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel, find, only, values_of
from katachi.experiments.experiment import Answer, Claim, Row, Summary, Verdict
from katachi.experiments.go_duels import (
    Finding,
    all_of,
    count_rows,
    is_stronger,
    may_reach,
    mixed,
    played,
    rate_duels,
    run_duels,
    shown,
    summary,
)

__all__ = ["draw", "run", "summarise", "total"]

_FEW = 200  # simulations that beat a full-width search
_FACTOR = 2.0  # what "about" is
_CERTAIN = 0.975
_Z95 = 1.959963984540054

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """What depth adds, and where everybody stands."""
    duels = played(rows)
    gnugo = find(duels, against="gnugo")
    answers = {
        "silver-fig-7-4": mixed([*_depths(gnugo, claim), _most(gnugo, claim), _plies(duels, claim)]),
        "silver-table-7-1": _ladder(duels, claim),
    }
    return summary(duels, claim, answers, _rungs_table(duels, claim))


def _depths(duels: Sequence[Duel], claim: Claim) -> list[Finding]:
    """Against GNU Go level 0: the deepest against depth 1, and few simulations against full width."""
    findings = []
    for sims in (sims for sims in values_of(duels, "sims") if sims):
        line = find(duels, sims=sims)
        deep, flat = max(line, key=lambda duel: duel["depth"]), only(line, depth=1)
        if flat is not None and deep is not flat:
            text = f"depth {deep['depth']} above 1 at {sims:,} simulations"
            findings.append(is_stronger(text, deep, flat, claim.numbers["gain"]))
    wide = max(find(duels, sims=0), key=lambda duel: duel["depth"], default=None)
    plies = "full width" if wide is None else f"{wide['depth']} plies"
    findings.append(is_stronger(f"{_FEW} simulations above {plies}", only(duels, sims=_FEW, depth=1), wide))
    return findings


def _most(duels: Sequence[Duel], claim: Claim) -> Finding:
    """Does the interval of the deepest with the most simulations reach what is printed?"""
    bar, sims = claim.numbers["most"], claim.numbers["sims"]
    duel = max(find(duels, sims=sims), key=lambda duel: duel["depth"], default=None)
    depth = "" if duel is None else f" and depth {duel['depth']}"
    return may_reach(f"almost {bar} % at {sims:,} simulations{depth}", duel, bar)


def _plies(duels: Sequence[Duel], claim: Claim) -> Finding:
    """What the plies of the ladder's hybrid cost, in simulations: by the CPU seconds of a move with and without."""
    flat, deep = (only(duels, ladder=name) for name in ("dyna2", "hybrid"))
    text = "5 plies take the time of about 1,000 simulations"
    if flat is None or deep is None or flat.seconds <= 0:
        return Finding("partly", f"{text}: not measured")
    without, with_plies = (2 * duel.seconds / max(1, duel.moves) for duel in (flat, deep))
    cost = (with_plies - without) / without * flat["sims"]
    printed = claim.numbers["plies"]
    verdict: Verdict = "reproduced" if printed / _FACTOR <= cost <= printed * _FACTOR else "not"
    return Finding(verdict, f"{text}: of {cost:,.0f} here")


def _rungs(duels: Sequence[Duel], claim: Claim) -> list[Duel]:
    found = (only(duels, ladder=name) for name in claim.numbers["elo"])
    return [duel for duel in found if duel is not None]


def _ratings(duels: Sequence[Duel], claim: Claim) -> Ratings:
    """Of all games of the experiment."""
    return rate_duels(duels, {shown(_rungs(duels, claim)[0].second): claim.numbers["gnugo"]})


def _ladder(duels: Sequence[Duel], claim: Claim) -> Answer:
    """Each rung above the one before."""
    rungs, printed = _rungs(duels, claim), claim.numbers["elo"]
    if len(rungs) < len(printed):
        return Answer("partly", "the ladder has not been played yet")
    ratings = _ratings(duels, claim)
    findings = []
    for lower, upper in pairwise(rungs):
        low, high = shown(lower.first), shown(upper.first)
        gap, error = ratings.difference(high, low)
        chance = ratings.superiority(high, low)
        verdict: Verdict = "reproduced" if chance >= _CERTAIN else "not" if chance <= 1 - _CERTAIN else "partly"
        known = printed[upper["ladder"]] - printed[lower["ladder"]]
        text = f"{upper['ladder']} above {lower['ladder']} by {gap:+.0f} ± {_Z95 * error:.0f} Elo (printed {known:+})"
        findings.append(Finding(verdict, text))
    return all_of(findings)


def _rungs_table(duels: Sequence[Duel], claim: Claim) -> list[list[str]]:
    rungs = _rungs(duels, claim)
    if not rungs:
        return []
    ratings, lines = _ratings(duels, claim), []
    for duel in rungs:
        line = ratings[shown(duel.first)]
        level = f"{line.elo:.0f} ({line.low:.0f} to {line.high:.0f})"
        told = f"ladder; printed on CGOS: {claim.numbers['elo'][duel['ladder']]}"
        lines.append([line.player, "all", "", "", f"{line.games:.0f}", level, told])
    return lines


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """The figure, and depths against depth 1."""
    panels = [
        Panel("against GNU Go level 0", "depth", "sims", {"against": "gnugo"}),
        Panel("the hybrid against depth 1", "depth", "sims", {"against": "depth 1"}, bar=60),
    ]
    draw_panels(played(rows), panels, path)
