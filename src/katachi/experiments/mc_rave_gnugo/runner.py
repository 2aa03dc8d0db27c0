"""Table 8.1, and Tables 1 and 2 of Gelly and Silver (2008): each search against GNU Go level 10."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel, Label, find, only
from katachi.experiments.experiment import Answer, Claim, Row, Summary
from katachi.experiments.go_duels import (
    count_rows,
    headline,
    is_stronger,
    played,
    rises,
    run_duels,
    stays_below,
    summary,
)

__all__ = ["draw", "run", "summarise", "total"]

_SIMS = 3_000  # of Table 1

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Both tables of the paper, of which the thesis has the second, too."""
    duels = played(rows)
    scaling = _scaling(duels, claim)
    answers = {
        "silver-table-8-1": scaling,
        "mogo-table-1": _improvements(duels, claim),
        "mogo-table-2": scaling,
        "mogo-a8": headline(duels, claim, "mogo-a8"),
    }
    return summary(duels, claim, answers)


def _improvements(duels: Sequence[Duel], claim: Claim) -> Answer:
    """Each player by itself, and each above the one before; the last step is too small for games against a third."""
    line = find(duels, sims=_SIMS)
    random, uct, rave = (only(line, player=player) for player in ("UCT, random", "UCT", "MC-RAVE"))
    return headline(
        duels,
        claim,
        "mogo-table-1",
        stays_below("UCT with random playouts", random, claim.numbers["random"]),
        is_stronger("MoGo's playouts above random ones", uct, random),
        is_stronger("MC-RAVE above UCT", rave, uct),
    )


def _scaling(duels: Sequence[Duel], claim: Claim) -> Answer:
    line = find(duels, player="heuristic")
    return headline(duels, claim, "silver-table-8-1", rises("wins more with more simulations", line, "sims"))


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """The two tables, with what is printed."""
    told, title = claim.numbers, f"{_SIMS:,} simulations against GNU Go level 10"
    by_sims: dict[Label, float] = {int(sims): rate for sims, rate in told["table-2"].items()}
    panels = [
        Panel(title, "player", "sims", {"sims": _SIMS}, published=told["table-1"]),
        Panel("heuristic MC-RAVE", "sims", "player", {"player": "heuristic"}, published=by_sims),
    ]
    order = list(told["table-1"])
    draw_panels(sorted(played(rows), key=lambda duel: order.index(duel["player"])), panels, path)
