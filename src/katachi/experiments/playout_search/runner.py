"""Table 9.1: UCT by playout policy against GNU Go level 0, and the headline that stronger policies search no better."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel, find, only
from katachi.experiments.experiment import Answer, Claim, Row, Summary, Verdict
from katachi.experiments.go_duels import (
    Finding,
    count_rows,
    headline,
    is_alike,
    is_stronger,
    mixed,
    played,
    run_duels,
    summary,
)

__all__ = ["draw", "run", "summarise", "total"]

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """The printed numbers, their order, and the headline."""
    duels = played(rows)
    answers = {"silver-table-9-1": _table(duels, claim), "silver-h18": headline(duels, claim, "silver-h18")}
    return summary(duels, claim, answers)


def _table(duels: Sequence[Duel], claim: Claim) -> Answer:
    """MoGo's policy far above the others, which are alike; and each near what is printed."""
    line = find(duels, against="gnugo")
    mogo, uniform, noisy = (only(line, policy=name) for name in ("mogo", "uniform", "gaussian(0.15)"))
    findings = [
        is_stronger("mogo above uniform", mogo, uniform, claim.numbers["gain"]),
        is_stronger("mogo above the noisy learnt policy", mogo, noisy, claim.numbers["gain"]),
        is_alike("the noisy learnt policy like uniform", noisy, uniform),
    ]
    findings += [_near(duel, claim) for duel in (uniform, noisy, mogo) if duel is not None]
    return mixed(findings)


def _near(duel: Duel, claim: Claim) -> Finding:
    """Is the printed number inside what the games allow?"""
    printed, error = claim.numbers["printed"][duel["policy"]]
    low, high = duel.interval
    text = f"{duel['policy']}: {duel.rate:.1f} % ({low:.1f} to {high:.1f}), printed {printed:g} ± {error:g}"
    verdict: Verdict = "reproduced" if low - 2 * error <= printed <= high + 2 * error else "not"
    return Finding(verdict, text)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Against GNU Go with the printed numbers, and the two parts of the headline."""
    printed = {name: rate for name, (rate, _) in claim.numbers["printed"].items()}
    panels = [
        Panel("UCT against GNU Go level 0", "policy", "sims", {"against": "gnugo"}, published=printed),
        Panel("against mogo, direct and in UCT", "kind", "policy", {"against": "mogo"}),
    ]
    draw_panels(played(rows), panels, path)
