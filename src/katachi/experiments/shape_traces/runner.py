"""Figure 5.14: TD(lambda) with accumulating and with replacing traces."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.curves import judge
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.learning_curve_figures import draw_panels
from katachi.experiments.learning_curve_results import EQUAL, LearningCurves
from katachi.experiments.learning_curves import count_rows, run_curves

__all__ = ["draw", "run", "summarise", "total"]

KINDS = ACCUMULATING, REPLACING = "accumulating", "replacing"
_MUCH = 100.0  # Elo: much worse
_LOW, _HIGH = 0.5, 0.9  # lambda below, and from here on
_EARLY = 1_000  # games

total, run = count_rows, run_curves


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Each lambda against 0, early and at the end."""
    curves = LearningCurves(rows)
    zero = curves.reference
    early = curves.near(zero, _EARLY)
    lines = {kind: _labels(curves, kind) for kind in KINDS}
    high = {kind: [label for value, label in lines[kind].items() if value >= _HIGH] for kind in KINDS}
    low = [label for kind in KINDS for value, label in lines[kind].items() if value < _LOW]
    one = lines[ACCUMULATING][1.0]

    def ahead(label: str, games: int) -> float:
        return curves.gap(curves.at(label, games), curves.at(zero, games))[0]

    conditions = {
        "accumulating: high lambda ends below 0": all(
            curves.is_stronger(curves.last(zero), curves.last(label)) for label in high[ACCUMULATING]
        ),
        f"accumulating: lambda 1 ends lowest and more than {_MUCH:.0f} Elo below 0": ahead(one, curves.games) < -_MUCH
        and all(ahead(one, curves.games) <= ahead(label, curves.games) for label in lines[ACCUMULATING].values()),
        f"replacing: high lambda is ahead of 0 after {early:,} games": any(
            curves.is_stronger(curves.at(label, early), curves.at(zero, early)) for label in high[REPLACING]
        ),
        "replacing: high lambda falls behind 0": all(
            curves.is_stronger(curves.last(zero), curves.last(label)) for label in high[REPLACING]
        ),
        f"low lambda ends within {EQUAL:.0f} Elo of 0": all(
            curves.is_equal(curves.last(label), curves.last(zero)) for label in low
        ),
    }
    told = [
        f"{label} {ahead(label, early):+.0f} and {curves.told_gap(curves.last(label), curves.last(zero))}"
        for kind in KINDS
        for label in lines[kind].values()
    ]
    sentence = f"{curves.told(zero)}; against lambda 0 after {early:,} and {curves.games:,} games: {', '.join(told)}"
    return curves.summary({"silver-fig-5-14": judge(conditions, sentence)})


def _labels(curves: LearningCurves, kind: str) -> dict[float, str]:
    """By lambda."""
    return dict(sorted((curves.setting(label, "lambda"), label) for label in curves.labels(traces=kind)))


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """A panel for each kind of traces."""
    curves = LearningCurves(rows)
    panels = {f"{kind} traces": [curves.reference, *_labels(curves, kind).values()] for kind in KINDS}
    draw_panels(curves, claim, path, panels)
