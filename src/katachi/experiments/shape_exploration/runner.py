"""Figure 5.13: random moves in self-play."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.curves import judge
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.learning_curve_figures import draw_curves
from katachi.experiments.learning_curve_results import LearningCurves
from katachi.experiments.learning_curves import count_rows, run_curves

__all__ = ["draw", "run", "summarise", "total"]

_DEFAULT = 0.1
_SINCE = 10_000  # games: a curve that falls later is not stable

total, run = count_rows, run_curves


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Where each run ends, and how far each falls after it has risen."""
    curves = LearningCurves(rows)
    by_epsilon = dict(sorted((curves.setting(label, "epsilon"), label) for label in curves.runs))
    default, most, none = by_epsilon[_DEFAULT], by_epsilon[max(by_epsilon)], by_epsilon[0.0]
    more = [label for epsilon, label in by_epsilon.items() if epsilon > _DEFAULT]
    since = min(_SINCE, curves.games // 2)
    falls = {label: curves.drop(label, since) for label in by_epsilon.values()}
    fall, before, later = falls[none]
    others = max(0.0, *(falls[label][0] for label in falls if label != none))
    conditions = {
        f"{most} ends below {default}": curves.is_stronger(curves.last(default), curves.last(most)),
        "more exploration than the default's does not end higher": all(
            curves.is_no_lower(curves.last(default), curves.last(label)) for label in more
        ),
        f"{none} falls after it has risen": fall > 0 and curves.is_stronger(before, later),
        f"{none} falls further than the others": fall > others,
    }
    told = ", ".join(f"{label} {max(0.0, found[0]):.0f}" for label, found in falls.items())
    sentence = f"{curves.told_all(list(by_epsilon.values()))}; largest fall since {since:,} games, in Elo: {told}"
    return curves.summary({"silver-fig-5-13": judge(conditions, sentence)})


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """A curve for each epsilon."""
    draw_curves(LearningCurves(rows), claim, path, "share of random moves in self-play")
