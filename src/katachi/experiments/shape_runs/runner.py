"""Figure 5.4: runs that differ by their random numbers alone."""

from collections.abc import Sequence
from pathlib import Path

from katachi.core.errors import InvalidArgumentError
from katachi.experiments.curves import judge
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.learning_curve_figures import draw_curves
from katachi.experiments.learning_curve_results import EQUAL, LearningCurves
from katachi.experiments.learning_curves import count_rows, run_curves

__all__ = ["draw", "run", "summarise", "total"]

_ON_THE_WAY = 100.0  # Elo
_SINCE = 1_000  # games: before that, what chance has taught differs

total, run = count_rows, run_curves


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """How far the runs are apart at each number of games."""
    curves = LearningCurves(rows)
    labels = list(curves.runs)
    if len(labels) < 2:
        raise InvalidArgumentError("one run alone does not differ")
    counts = curves.counts(curves.reference)
    apart = {games: curves.spread([curves.at(label, games) for label in labels]) for games in counts}
    late = [distance for games, distance in apart.items() if games >= min(_SINCE, curves.games)]
    conditions = {
        f"they end within {EQUAL:.0f} Elo": apart[curves.games] < EQUAL,
        f"they stay within {_ON_THE_WAY:.0f} Elo from {_SINCE:,} games on": max(late) < _ON_THE_WAY,
    }
    ends = [curves.last(label) for label in labels]
    told = ", ".join(f"{distance:.0f} after {games:,}" for games, distance in apart.items())
    sentence = (
        f"{curves.told_all(labels)}; highest less lowest: {told}; beyond what the games of the rating explain, "
        f"their ends have a standard deviation of {curves.excess(ends):.0f} Elo"
    )
    return curves.summary({"silver-fig-5-4": judge(conditions, sentence)})


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """A curve for each run."""
    draw_curves(LearningCurves(rows), claim, path, "default settings")
