"""Beyond the sources: what simulations lose that run beside each other, in TD search and in MC-RAVE."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.go_duels import all_of, count_rows, may_reach, played, run_duels, summary

__all__ = ["draw", "run", "summarise", "total"]

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Every number of threads at every number of simulations reaches one half."""
    duels = played(rows)
    findings = []
    for duel in duels:
        text = f"{duel['search']}, {duel['threads']} threads against one at {duel['sims']:,} simulations"
        findings.append(may_reach(text, duel, 50, claim.numbers["games"][duel["search"]]))
    answer = all_of(findings)
    told = summary(duels, claim, {})
    return Summary(told.columns, told.table, answer.result, answer.verdict, answer.result)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Win rate over threads."""
    duels = played(rows)
    panels = [
        Panel(f"{search} against one thread", "threads", "sims", {"search": search})
        for search in claim.numbers["games"]
    ]
    draw_panels(duels, panels, path)
