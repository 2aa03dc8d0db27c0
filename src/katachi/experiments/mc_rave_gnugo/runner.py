"""Table 8.1, and Tables 1 and 2 of Gelly and Silver (2008): each search against GNU Go level 10."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel, Label, find, only
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.go_duels import (
    Finding,
    bars_of,
    count_rows,
    is_stronger,
    mixed,
    played,
    rises,
    run_duels,
    stays_below,
    summary,
)

__all__ = ["draw", "run", "summarise", "total"]

_SIMS = 3_000  # of Table 1
_ORDER = (
    "UCT, random",
    "UCT",
    "MC-RAVE",
    "MC-RAVE, min-MSE",
    "heuristic",
    "heuristic, C = 10",
    "heuristic, min-MSE",
    "ours",
)

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Both tables of the paper, of which the thesis has the second, too, each with two schedules of RAVE."""
    duels = played(rows)
    scaling = mixed([*bars_of(duels, claim, "silver-table-8-1"), *_scaling(duels)])
    answers = {
        "silver-table-8-1": scaling,
        "mogo-table-1": mixed([*bars_of(duels, claim, "mogo-table-1"), *_improvements(duels, claim)]),
        "mogo-table-2": scaling,
        "mogo-a8": mixed(bars_of(duels, claim, "mogo-a8")),
    }
    return summary(duels, claim, answers)


def _improvements(duels: Sequence[Duel], claim: Claim) -> list[Finding]:
    """Each above the one before; the last step is too small for games against a third."""
    line = find(duels, sims=_SIMS)
    random, uct, rave, rave_min_mse = (
        only(line, player=player) for player in ("UCT, random", "UCT", "MC-RAVE", "MC-RAVE, min-MSE")
    )
    return [
        stays_below("UCT with random playouts", random, claim.numbers["random"]),
        is_stronger("MoGo's playouts above random ones", uct, random),
        is_stronger("MC-RAVE with k = 1000 above UCT", rave, uct),
        is_stronger("MC-RAVE by minimum MSE above UCT", rave_min_mse, uct),
    ]


def _scaling(duels: Sequence[Duel]) -> list[Finding]:
    player = "heuristic, C = 10"
    return [rises(f"{player} wins more with more simulations", find(duels, player=player), "sims")]


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """The two tables, with what is printed."""
    told, title = claim.numbers, f"{_SIMS:,} simulations against GNU Go level 10"
    by_sims: dict[Label, float] = {int(sims): rate for sims, rate in told["table-2"].items()}
    panels = [
        Panel(title, "player", "sims", {"sims": _SIMS}, published=told["table-1"]),
        Panel("by simulations (published: heuristic MC-RAVE)", "sims", "player", published=by_sims),
    ]
    draw_panels(sorted(played(rows), key=lambda duel: _ORDER.index(duel["player"])), panels, path)
