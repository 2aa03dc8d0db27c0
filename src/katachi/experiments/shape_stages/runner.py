"""Figure 5.16: weights of their own for each stage of the game."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from katachi.experiments.curves import judge
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.learning_curve_figures import draw_curves
from katachi.experiments.learning_curve_results import LearningCurves, shown_games
from katachi.experiments.learning_curves import count_rows, run_curves

__all__ = ["draw", "run", "summarise", "total"]

total, run = count_rows, run_curves


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """From one stage to the shortest ones: who ends higher, and who is faster to where the last one ends."""
    curves = LearningCurves(rows)
    one = curves.reference
    staged = [label for label in curves.runs if label != one]
    order = [one, *sorted(staged, key=lambda label: -int(curves.setting(label, "stage_length")))]
    goal = min(curves.rating(curves.last(label)).elo for label in order)
    needed = [curves.games_to(label, goal) for label in order]
    known = [games for games in needed if games is not None]
    conditions = {
        "every number of stages ends below one stage": all(
            curves.is_stronger(curves.last(one), curves.last(label)) for label in staged
        ),
        "no shorter stages end above longer ones": all(
            curves.is_no_lower(curves.last(a), curves.last(b)) for a, b in pairwise(order)
        ),
        "the shorter the stages, the slower": len(known) == len(order) and known == sorted(known),
    }
    told = ", ".join(f"{label} after {shown_games(games)}" for label, games in zip(order, needed, strict=True))
    sentence = f"{curves.told_all(order)}; games to the {goal:.0f} Elo at which the lowest ends: {told}"
    return curves.summary({"silver-fig-5-16": judge(conditions, sentence)})


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """A curve for each length of stages."""
    draw_curves(LearningCurves(rows), claim, path, "moves of a stage")
