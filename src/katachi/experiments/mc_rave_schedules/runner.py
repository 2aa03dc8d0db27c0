"""Section 8.4.3: the minimum-MSE schedule with several biases, against the hand-selected schedule."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel, best_of, find, only
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.go_duels import (
    Finding,
    beats,
    count_rows,
    elo,
    headline,
    is_stronger,
    mixed,
    played,
    run_duels,
    summary,
)

__all__ = ["draw", "run", "summarise", "total"]

_SMALL, _LARGE = 9, 19  # boards

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """The bias that the claim names is judged; it was not chosen with these games."""
    duels = played(rows)
    answers = {
        "silver-sec-8-4-3-minimum-mse": mixed([*_small_board(duels, claim), _large_board(duels)]),
        "silver-h15": headline(duels, claim, "silver-h15"),
    }
    return summary(duels, claim, answers)


def _small_board(duels: Sequence[Duel], claim: Claim) -> list[Finding]:
    """Ahead at every number of simulations, by what it is worth in the source."""
    b, printed = claim.numbers["b"], claim.numbers["elo"]
    return [
        beats(f"b = {b:g}, {duel['sims']:,} simulations, {elo(duel.score)} Elo (printed {printed:+})", duel)
        for duel in find(duels, b=b, board=_SMALL)
    ] or [beats(f"b = {b:g}", None)]


def _large_board(duels: Sequence[Duel]) -> Finding:
    """The best bias on the large board above the same on the small one."""
    line = find(duels, board=_LARGE)
    large = best_of(line) if line else None
    small = None if large is None else only(duels, board=_SMALL, b=large["b"], sims=large["sims"])
    return is_stronger(f"the gain is larger on {_LARGE}x{_LARGE}", large, small)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Win rate over the bias, a curve for each number of simulations."""
    duels = played(rows)
    boards = [_SMALL, *([_LARGE] if find(duels, board=_LARGE) else [])]
    title = "minimum MSE against k = 1000, {0}x{0}"
    panels = [Panel(title.format(board), "b", "sims", {"board": board}, bar=55) for board in boards]
    draw_panels(duels, panels, path)
