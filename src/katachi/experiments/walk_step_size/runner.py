"""Judges and draws step sizes on Shortest walk: 1/n_e against constants."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from katachi.experiments.curve_figures import band, finish, label_axes, panels, save, source_line
from katachi.experiments.curves import Curves, Estimate, is_better, judge
from katachi.experiments.curves import run_curves as run
from katachi.experiments.curves import total_rows as total
from katachi.experiments.experiment import Claim, Row, Summary, summary_of

__all__ = ["draw", "run", "summarise", "total"]

_COLUMNS = ("size", "structure", "lambda", "steps", "1/n_e", "best constant", "steps to the goal with it", "better")
_AT = (2000, 10_000)
_SIZE = 11  # the default of the source


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """1/n_e against the best constant, setting by setting; the answer counts every constant apart."""
    curves = Curves(rows)
    table = []
    better = worse = pairs = 0
    for cell in _settings(curves):
        for at in _AT:
            mean = curves.at("steps", "mean", at, **cell)
            constants = [curves.at("steps", "constant", at, step=x, **cell) for x in curves.values("constant", "step")]
            pairs += len(constants)
            better += sum(is_better(mean, constant) for constant in constants)
            worse += sum(is_better(constant, mean) for constant in constants)
            alpha, best = curves.best("steps", "constant", at, "step", **cell)
            verdict = "1/n_e" if is_better(mean, best) else "constant" if is_better(best, mean) else "not sure"
            table.append([
                str(cell["size"]), cell["structure"], f"{cell['lambda']:g}", f"{at:,}", f"{mean} ({mean.interval})",
                f"{alpha:g}", f"{best} ({best.interval})", verdict,
            ])  # fmt: skip
    told = "; ".join(_at_best_lambda(curves, structure) for structure in ("tree", "graph"))
    answer = judge(
        {"1/n_e is better in most comparisons": better * 2 > pairs, "a constant is better in none": not worse},
        f"in {pairs} comparisons with a constant 1/n_e is surely better in {better} and surely worse in {worse}; on "
        f"{_SIZE} states after {_AT[-1]:,} steps, each at its best lambda: {told}",
    )
    return summary_of(_COLUMNS, table, {"vodopivec-sec-6-2-step-size": answer})


def _at_best_lambda(curves: Curves, structure: str) -> str:
    """1/n_e and the best constant, each with the lambda that suits it: told, not judged."""
    place = {"size": _SIZE, "structure": structure}
    best, mean = curves.best("steps", "mean", _AT[-1], "lambda", **place)
    constants = {
        step: curves.best("steps", "constant", _AT[-1], "lambda", step=step, **place)
        for step in curves.values("constant", "step")
    }
    alpha = max(constants, key=lambda step: constants[step][1].mean)
    its, constant = constants[alpha]
    return f"{structure} {mean} (lambda {best:g}) against {constant} with {alpha:g} (lambda {its:g})"


def _settings(curves: Curves) -> list[dict[str, Any]]:
    return [
        {"size": size, "structure": structure, "lambda": lambda_}
        for size in curves.values("mean", "size")
        for structure in curves.values("mean", "structure")
        for lambda_ in curves.values("mean", "lambda")
    ]


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Steps against lambda for each step size; a panel for each size and structure, at the last budget."""
    curves = Curves(rows)
    places = list(dict.fromkeys((cell["size"], cell["structure"]) for cell in _settings(curves)))
    figure, axes = panels(len(places) // 2, 2)
    lambdas = curves.values("mean", "lambda")
    for panel, (size, structure) in zip(axes, places, strict=True):

        def curve(sweep: str, place: Mapping[str, Any]) -> list[Estimate]:
            return [curves.at("steps", sweep, _AT[-1], lambda_=x, **place) for x in lambdas]

        place = {"size": size, "structure": structure}
        band(panel, lambdas, curve("mean", place), 0, "1/n_e")
        for number, step in enumerate(curves.values("constant", "step"), 1):
            band(panel, lambdas, curve("constant", {**place, "step": step}), number, f"{step:g}")
        source_line(panel, (size - 1) / 2, f"optimum: {(size - 1) // 2}")
        label_axes(panel, "steps", "lambda")
        panel.set_title(f"L = {size}, {structure}, after {_AT[-1]:,} steps")
        finish(panel)
    figure.suptitle(f"Shortest walk, epsilon 0.1, step sizes, {curves.repeats('mean'):,} repeats")
    save(figure, path)
