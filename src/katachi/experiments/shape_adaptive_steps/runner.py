"""Step sizes that adapt (Silver 2009, 10.3, proposes some): does a rule end high, whatever number it is given?

Each rule has one number to choose: alpha, or for kalman the variance of a weight before anything is learnt. It is tried
at three values, a factor of 10 apart. The best of three is flattered by chance alike for all rules.
"""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.curves import judge
from katachi.experiments.duel_plots import new_figure, save_figure
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.learning_curve_figures import plot_curves, plot_final
from katachi.experiments.learning_curve_results import LearningCurves
from katachi.experiments.learning_curves import count_rows, run_curves

__all__ = ["draw", "run", "summarise", "total"]

FIXED = "constant"
RULES = ("counts", "kalman", "idbd")

total, run = count_rows, run_curves


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """For each rule, its best against the best fixed step, and how far its worst is below its best."""
    curves = LearningCurves(rows)
    lines = {rule: _labels(curves, rule) for rule in (FIXED, *RULES)}
    best = {rule: curves.best(list(line.values())) for rule, line in lines.items()}
    lost = {rule: _lost(curves, list(line.values())) for rule, line in lines.items()}
    conditions, told = {}, []
    for rule in RULES:
        pair = curves.last(best[rule]), curves.last(best[FIXED])
        conditions[f"{rule} ends no lower than the best fixed step"] = curves.is_no_lower(*pair)
        conditions[f"{rule} depends less on its number than the fixed step on alpha"] = lost[rule] < lost[FIXED]
        told.append(f"{best[rule]} {curves.told_gap(*pair)}, its worst {_told_loss(lost[rule])} below")
    sentence = (
        f"against {best[FIXED]}, the best fixed step (its worst {_told_loss(lost[FIXED])} below), "
        f"after {curves.games:,} games: {'; '.join(told)}"
    )
    return curves.own_summary(judge(conditions, sentence))


def _labels(curves: LearningCurves, rule: str) -> dict[float, str]:
    """By the number that has to be chosen."""
    number = "variance" if rule == "kalman" else "alpha"
    return dict(sorted((curves.setting(label, number), label) for label in curves.labels(step_rule=rule)))


def _lost(curves: LearningCurves, labels: Sequence[str]) -> float:
    """By the worst number instead of the best; everything, if a run diverges."""
    if any(curves.diverged(label) is not None for label in labels):
        return float("inf")
    return curves.spread([curves.last(label) for label in labels])


def _told_loss(elo: float) -> str:
    return "diverges, all the Elo" if elo == float("inf") else f"{elo:.0f} Elo"


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Elo at the end over the number, and the curve of the best of each rule."""
    curves = LearningCurves(rows)
    lines = {rule: _labels(curves, rule) for rule in (FIXED, *RULES)}
    figure, (left, right) = new_figure(2, width=5.6, height=4.4)
    plot_final(left, curves, lines, f"after {curves.games:,} games", "alpha, or the variance of kalman")
    plot_curves(right, curves, [curves.best(list(line.values())) for line in lines.values()], "the best of each")
    save_figure(figure, path)
