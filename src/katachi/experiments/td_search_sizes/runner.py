"""Figure 6.3: TD search with shapes of some sizes, against UCT with as many simulations and against TD learning."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel, find, only, values_of
from katachi.experiments.experiment import Answer, Claim, Row, Summary
from katachi.experiments.go_duels import (
    count_rows,
    headline,
    is_alike,
    is_stronger,
    mixed,
    played,
    reaches,
    run_duels,
    summary,
)

__all__ = ["draw", "run", "summarise", "total"]

_ONE, _SMALL, _ALL = "1x1", "1x1+2x2", "1x1+2x2+3x3"

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Sizes against each other by what they make against UCT."""
    duels = played(rows)
    return summary(duels, claim, {"silver-fig-6-3": _sizes(duels), "silver-h7": headline(duels, claim, "silver-h7")})


def _sizes(duels: Sequence[Duel]) -> Answer:
    """With the most simulations that were played."""
    duels = find(duels, against="uct")
    sims = max(values_of(duels, "sims"), default=0)
    line = find(duels, sims=sims)
    one, small, every = (only(line, sizes=sizes) for sizes in (_ONE, _SMALL, _ALL))
    return mixed(
        [
            is_stronger(f"{_SMALL} above {_ONE} at {sims:,} simulations, against UCT", small, one),
            is_alike(f"{_ALL} as good as {_SMALL}", every, small),
            reaches(f"{_SMALL} above UCT", small, 50),
        ]
    )


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Against UCT, and against players that do not search."""
    duels = played(rows)
    panels = [
        Panel("against UCT with as many simulations", "sizes", "sims", {"against": "uct"}),
        Panel("against one ply on learnt weights", "sizes", "sims", {"against": "one ply"}),
    ]
    draw_panels(duels, panels, path)
