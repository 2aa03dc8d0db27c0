"""Figure 5.15: weights for both players to move, for each, or both kinds."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from katachi.experiments.curves import judge
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.learning_curve_figures import draw_curves
from katachi.experiments.learning_curve_results import LearningCurves
from katachi.experiments.learning_curves import count_rows, run_curves

__all__ = ["draw", "run", "summarise", "total"]

total, run = count_rows, run_curves


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Every two against each other."""
    curves = LearningCurves(rows)
    conditions, told = {}, []
    for one, other in combinations(curves.runs, 2):
        pair = curves.last(one), curves.last(other)
        conditions[f"{one} and {other} end equal"] = curves.is_equal(*pair)
        told.append(f"{one} less {other} {curves.told_gap(*pair)}")
    sentence = f"{curves.told_all(list(curves.runs))}; {', '.join(told)}"
    return curves.summary({"silver-fig-5-15": judge(conditions, sentence)})


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """A curve for each."""
    draw_curves(LearningCurves(rows), claim, path, "weights for the player to move")
