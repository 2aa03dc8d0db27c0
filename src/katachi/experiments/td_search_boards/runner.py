"""Figure 6.8: TD search against UCT with as many simulations, by the size of the board."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel, find, only, values_of
from katachi.experiments.experiment import Answer, Claim, Row, Summary
from katachi.experiments.go_duels import (
    beats,
    count_rows,
    headline,
    is_even,
    mixed,
    played,
    rises,
    run_duels,
    summary,
)

__all__ = ["draw", "run", "summarise", "total"]

_HEADLINE = (5, 9, 13)  # boards
_FEW, _MANY = 1_000, 10_000  # simulations of the headline, and of the text

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """The trend, and each end of it."""
    duels = played(rows)
    line = [duel for duel in find(duels, sims=_FEW) if duel["board"] in _HEADLINE]
    trend = rises("win rate over boards of 5, 9 and 13", line if len(line) == len(_HEADLINE) else [], "board")
    answers = {"silver-fig-6-8": _boards(duels), "silver-h11": headline(duels, claim, "silver-h11", trend)}
    return summary(duels, claim, answers)


def _boards(duels: Sequence[Duel]) -> Answer:
    """UCT is better on 5x5 and TD search from 9x9 on, by more on larger boards; 7x7 is equal at 10,000 simulations."""
    findings = []
    for sims in values_of(duels, "sims"):
        line = find(duels, sims=sims)
        text = f"at {sims:,} simulations"
        findings.append(beats(f"5x5 {text} is lost", only(line, board=5), loses=True))
        if sims >= _MANY:
            findings.append(is_even(f"7x7 {text} is even", only(line, board=7)))
        large = [duel for duel in line if duel["board"] >= 9]
        findings += [beats(f"{duel['board']}x{duel['board']} {text} is won", duel) for duel in large]
        findings.append(rises(f"the larger the better {text}", large, "board"))
    return mixed(findings)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Win rate over boards."""
    draw_panels(played(rows), [Panel("TD search against UCT", "board", "sims", bar=60)], path)
