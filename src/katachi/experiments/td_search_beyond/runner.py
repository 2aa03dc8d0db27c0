"""Chapter 10: ways to choose steps and to explore, each against the plain search with as many simulations."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.experiment import Claim, Row, Summary, Verdict
from katachi.experiments.td_duels import Finding, beats, count_rows, mixed, played, run_duels, summary

__all__ = ["draw", "run", "summarise", "total"]

_OPPOSITE: dict[Verdict, Verdict] = {"reproduced": "not", "partly": "reproduced", "not": "reproduced"}

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Those that the text calls better must win for certain, the others must not."""
    duels = played(rows)
    findings = []
    for duel in duels:
        is_winner = duel["variant"] in claim.numbers["winners"]
        text = f"{duel['variant']} {'wins' if is_winner else 'does not win'} at {duel['sims']:,} simulations"
        found = beats(text, duel)
        findings.append(found if is_winner else Finding(_OPPOSITE[found.verdict], found.text))
    answer = mixed(findings)
    told = summary(duels, claim, {})
    return Summary(told.columns, told.table, answer.result, answer.verdict, answer.result)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Win rates of all."""
    draw_panels(played(rows), [Panel("against the plain form", "variant", "sims")], path)
