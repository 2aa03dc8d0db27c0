"""Beyond the sources: do TD errors help where RAVE values and a learnt prior are there already?"""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel, best_of, find, is_above, scored, values_of
from katachi.experiments.experiment import Claim, Row, Summary, Verdict
from katachi.experiments.go_duels import Finding, beats, count_rows, mixed, played, run_duels, summary

__all__ = ["draw", "run", "summarise", "total"]

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """At each number of simulations: the best lambda against lambda = 1, and all against no prior."""
    duels = played(rows)
    line = find(duels, against="heuristic")
    findings = [_best_lambda(find(line, sims=sims)) for sims in values_of(line, "sims")]
    for duel in find(duels, against="mc-rave"):
        text = f"lambda {duel['lambda']:g} against MC-RAVE without a prior at {duel['sims']:,} simulations"
        findings.append(beats(text, duel))
    answer = mixed(findings)
    told = summary(duels, claim, {})
    return Summary(told.columns, told.table, answer.result, answer.verdict, answer.result)


def _best_lambda(line: Sequence[Duel]) -> Finding:
    """Above half for certain, as the best of several must be; not, if none is above half."""
    best = best_of(line)
    verdict: Verdict = "partly"
    if is_above(best.score, 50, cells=len(line)):
        verdict = "reproduced"
    elif best.rate <= 50:
        verdict = "not"
    text = f"the best lambda at {best['sims']:,} simulations is {best['lambda']:g}: {scored(best)} against lambda 1"
    return Finding(verdict, text)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Win rate over lambda."""
    titles = {"heuristic": "against heuristic MC-RAVE (lambda 1)", "mc-rave": "against MC-RAVE without a prior"}
    panels = [Panel(title, "lambda", "sims", {"against": against}) for against, title in titles.items()]
    draw_panels(played(rows), panels, path)
