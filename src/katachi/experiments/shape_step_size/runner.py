"""Figure 5.11: values that are a logistic function or linear, steps of two errors, and the step size."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.curves import judge
from katachi.experiments.duel_plots import new_figure, save_figure
from katachi.experiments.duels import at_least, both
from katachi.experiments.experiment import Answer, Claim, Row, Summary, Verdict
from katachi.experiments.learning_curve_figures import plot_curves, plot_final
from katachi.experiments.learning_curve_results import EQUAL, LearningCurves
from katachi.experiments.learning_curves import count_rows, run_curves

__all__ = ["draw", "run", "summarise", "total"]

HEADS = LOGISTIC, NON_LINEAR, LINEAR = "logistic", "non-linear", "linear"
_GOOD = 200.0  # Elo below the best step size
_LARGE = 0.1  # step sizes from here on make linear values diverge
_BAR_GAMES, _BAR = 20_000, 95.0
_BAR_ALPHAS = (0.01, 0.1, 1.0)

total, run = count_rows, run_curves


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Where each head ends, by step size, and which diverge."""
    curves = LearningCurves(rows)
    return curves.summary({"silver-fig-5-11": _figure(curves), "silver-h5": _headline(curves)})


def _labels(curves: LearningCurves, head: str) -> dict[float, str]:
    """By step size."""
    return dict(sorted((curves.setting(label, "alpha"), label) for label in curves.labels(head=head)))


def _figure(curves: LearningCurves) -> Answer:
    lines = {head: _labels(curves, head) for head in HEADS}
    best = {head: curves.best(list(lines[head].values())) for head in (LOGISTIC, NON_LINEAR)}
    good = [alpha for alpha, label in lines[LOGISTIC].items() if _is_good(curves, label, best[LOGISTIC])]
    stable = [label for label in lines[LINEAR].values() if curves.diverged(label) is None]
    large = [label for alpha, label in lines[LINEAR].items() if alpha >= _LARGE]
    conditions = {
        f"logistic is within {_GOOD:.0f} Elo of its best over three orders of magnitude": bool(good)
        and max(good) / min(good) >= 999,
        f"linear diverges at alpha of {_LARGE} and more": all(curves.diverged(label) is not None for label in large),
        "logistic ends above linear": not stable
        or curves.is_stronger(curves.last(best[LOGISTIC]), curves.last(curves.best(stable))),
        f"non-linear ends within {EQUAL:.0f} Elo of logistic": curves.is_equal(
            curves.last(best[NON_LINEAR]), curves.last(best[LOGISTIC])
        ),
    }
    ends = curves.told_all([label for head in HEADS for label in lines[head].values()])
    return judge(conditions, f"{ends}; logistic is good at alpha {', '.join(f'{alpha:g}' for alpha in good)}")


def _is_good(curves: LearningCurves, label: str, best: str) -> bool:
    return curves.diverged(label) is None and curves.gap(curves.last(best), curves.last(label))[0] <= _GOOD


def _headline(curves: LearningCurves) -> Answer:
    """The bars: linear diverges in time, logistic does not and beats random."""
    verdicts, told = list[Verdict](), []
    for alpha, label in _labels(curves, LINEAR).items():
        if alpha >= _LARGE:
            diverged = curves.diverged(label)
            in_time = diverged is not None and diverged <= _BAR_GAMES
            verdicts.append("reproduced" if in_time else "not" if curves.games >= _BAR_GAMES else "partly")
            told.append(f"{label} {'does not diverge' if diverged is None else f'diverges by game {diverged:,}'}")
    for alpha, label in _labels(curves, LOGISTIC).items():
        if alpha in _BAR_ALPHAS and curves.diverged(label) is None:
            verdicts.append(at_least(curves.score(curves.last(label), "random"), _BAR))
            told.append(curves.told_score(curves.last(label), "random"))
        elif alpha in _BAR_ALPHAS:
            verdicts.append("not")
            told.append(f"{label} diverges by game {curves.diverged(label):,}")
    return Answer(both(*verdicts), f"{'; '.join(told)} (bar: {_BAR:.0f} %)")


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Elo at the end over the step size, and the curves of the logistic runs."""
    curves = LearningCurves(rows)
    figure, (left, right) = new_figure(2, width=5.6, height=4.4)
    title = f"after {curves.games:,} games"
    plot_final(left, curves, {head: _labels(curves, head) for head in HEADS}, title, "step size alpha")
    plot_curves(right, curves, list(_labels(curves, LOGISTIC).values()), "logistic, by alpha")
    save_figure(figure, path)
