"""Figure 5.8: no shared weights, location dependent ones, location independent ones, both."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.curves import judge
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.learning_curve_figures import draw_curves
from katachi.experiments.learning_curve_results import EQUAL, LearningCurves, shown_games
from katachi.experiments.learning_curves import count_rows, run_curves

__all__ = ["draw", "run", "summarise", "total"]

NONE, LD, LI, BOTH = "none", "ld", "li", "ld+li"
_MILLION = 1_000_000

total, run = count_rows, run_curves


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Who is faster to where the run without sharing ends, and who ends higher."""
    curves = LearningCurves(rows)
    goal = curves.rating(curves.last(NONE)).elo
    needed = {label: curves.games_to(label, goal) for label in (NONE, LD, LI, BOTH)}
    better = max((LD, LI), key=lambda label: curves.rating(curves.last(label)).elo)
    conditions = {
        "ld is faster than none": _is_faster(curves, LD, NONE, goal),
        "li is faster than ld": _is_faster(curves, LI, LD, goal),
        "ld and li end equal": curves.is_equal(curves.last(LD), curves.last(LI)),
        f"ld+li ends less than {EQUAL:.0f} Elo above the better of them": curves.gap(
            curves.last(BOTH), curves.last(better)
        )[0]
        < EQUAL,
    }
    if curves.games >= _MILLION:
        reached = curves.games_to(NONE, 1000 - curves.level_error)
        conditions["none reaches 1000 Elo"] = reached is not None
    told = ", ".join(f"{label} after {shown_games(games)}" for label, games in needed.items())
    more = curves.told_gap(curves.last(BOTH), curves.last(better))
    sentence = (
        f"{curves.told_all(list(needed))}; games to the {goal:.0f} Elo that none has at its end: {told}; "
        f"ld+li less {better}: {more} (printed: ld, li and both equal after a million games)"
    )
    return curves.summary({"silver-fig-5-8": judge(conditions, sentence)})


def _is_faster(curves: LearningCurves, one: str, other: str, goal: float) -> bool:
    """To a level, and ahead for certain at some number of games on the way there."""
    first, second = curves.games_to(one, goal), curves.games_to(other, goal)
    if first is None or (second is not None and second <= first):
        return False
    return any(curves.is_stronger(curves.at(one, games), curves.at(other, games)) for games in curves.counts(one)[:-1])


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """A curve for each way to share."""
    draw_curves(LearningCurves(rows), claim, path, "weights shared by")
