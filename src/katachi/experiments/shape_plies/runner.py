"""Figure 5.12: updates over one ply and over two."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.curves import judge
from katachi.experiments.duels import at_least
from katachi.experiments.experiment import Answer, Claim, Row, Summary
from katachi.experiments.learning_curve_figures import draw_curves
from katachi.experiments.learning_curve_results import LearningCurves, after
from katachi.experiments.learning_curves import count_rows, run_curves

__all__ = ["draw", "run", "summarise", "total"]

ONE, TWO = "1-ply", "2-ply"
_BAR, _BAR_GAMES = 90.0, 50_000
_SINCE = 1_000  # games: before that, nobody knows much

total, run = count_rows, run_curves


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """How far one-ply stays behind, and the games head to head."""
    curves = LearningCurves(rows)
    counts = [games for games in curves.counts(ONE) if games >= min(_SINCE, curves.games)]
    early = curves.near(TWO, max(1, curves.games // 10))
    conditions = {
        f"two-ply is ahead from {counts[0]:,} games on": all(
            curves.is_stronger(curves.at(TWO, games), curves.at(ONE, games)) for games in counts
        ),
        f"one-ply does not get to where two-ply is after {early:,} games": all(
            curves.is_stronger(curves.at(TWO, early), curves.at(ONE, games)) for games in counts
        ),
    }
    ends = curves.last(TWO), curves.last(ONE)
    figure = judge(conditions, f"{curves.told_all([ONE, TWO])}: two-ply is {curves.told_gap(*ends)} ahead")
    score = Answer(at_least(curves.score(*ends), _BAR), f"{curves.told_score(*ends)} (bar: {_BAR:.0f} %)")
    return curves.summary({"silver-fig-5-12": figure, "silver-h4": after(curves, _BAR_GAMES, score)})


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Both curves."""
    draw_curves(LearningCurves(rows), claim, path, "plies from a state to its target")
