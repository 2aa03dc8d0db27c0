"""Judges and draws how planning on Shortest walk depends on lambda, the budget, the size and transpositions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from katachi.experiments.curve_figures import (
    finish,
    label_axes,
    over_checkpoints,
    over_setting,
    panels,
    save,
    source_line,
)
from katachi.experiments.curves import Curves, format_number, is_better, judge
from katachi.experiments.curves import run_curves as run
from katachi.experiments.curves import total_rows as total
from katachi.experiments.experiment import Answer, Claim, Row, Summary, summary_of

__all__ = ["draw", "run", "summarise", "total"]

_SWEEP = "lambda"
_COLUMNS = ("size", "structure", "steps", "best lambda", "steps to the goal", "at lambda = 1", "lambda-threshold")
_LATE = (1000, 2000, 5000, 10_000)  # below a few hundred steps there is only noise (6.2)
_DEFAULT: Mapping[str, Any] = {"size": 11, "structure": "tree"}
_BARS = (0.4, 0.6, 0.8, 1.0)  # of the tenth headline


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """The best lambda by size, structure and budget, and an answer for every figure."""
    curves = Curves(rows)
    table = [
        [
            str(size),
            structure,
            f"{at:,}",
            f"{best:g}",
            f"{found} ({found.interval})",
            str(curves.at("steps", _SWEEP, at, size=size, structure=structure, lambda_=1.0)),
            f"{_threshold(curves, at, size, structure):g}",
        ]
        for size in curves.values(_SWEEP, "size")
        for structure in curves.values(_SWEEP, "structure")
        for at in curves.checkpoints(_SWEEP)
        for best, found in [curves.best("steps", _SWEEP, at, "lambda", size=size, structure=structure)]
    ]
    answers = {
        "vodopivec-fig-6-2": _planning(curves),
        "vodopivec-fig-6-3": _choices(curves),
        "vodopivec-fig-6-4": _errors(curves),
        "vodopivec-fig-6-5": _transpositions(curves),
        "vodopivec-fig-6-6": _sensitivity(curves),
        "vodopivec-fig-6-7": _optimum(curves),
        "vodopivec-h9": _inside_beats_one(curves),
        "vodopivec-h10": _optimum_falls(curves),
        "vodopivec-h13": _gain_by_structure(curves),
    }
    return summary_of(_COLUMNS, table, answers)


def _steps(curves: Curves, at: int, lambda_: float, structure: str = "tree", size: int = 11) -> Any:  # noqa: ANN401
    return curves.at("steps", _SWEEP, at, size=size, structure=structure, lambda_=lambda_)


def _threshold(curves: Curves, at: int, size: int, structure: str) -> float:
    """The lowest lambda that is at least as good as 1."""
    one = _steps(curves, at, 1.0, structure, size)
    lambdas: list[float] = curves.values(_SWEEP, "lambda")
    return next(x for x in lambdas if _steps(curves, at, x, structure, size).mean >= one.mean)


def _planning(curves: Curves) -> Answer:
    told, inside, sure = [], True, True
    for at in _LATE:
        best, found = curves.best("steps", _SWEEP, at, "lambda", **_DEFAULT)
        told.append(f"{found} at {at:,} (lambda {best:g}; lambda 1: {_steps(curves, at, 1.0)})")
        inside = inside and 0 < best < 1
        sure = sure and all(is_better(found, _steps(curves, at, x)) for x in (0.0, 1.0))
    return judge(
        {"the best lambda is strictly between 0 and 1": inside, "it is surely better than both 0 and 1": sure},
        f"steps to the goal at best: {', '.join(told)}; the optimum is 5",
    )


def _choices(curves: Curves) -> Answer:
    one = {at: curves.at("choice", _SWEEP, at, lambda_=1.0, **_DEFAULT) for at in (2000, 10_000)}
    best = {at: curves.best("choice", _SWEEP, at, "lambda", **_DEFAULT) for at in one}
    lambda_, found = best[2000]
    return judge(
        {
            "some lambda < 1 is surely better at 2,000 steps": lambda_ < 1 and is_better(found, one[2000], "choice"),
            "it is much faster: at 2,000 steps nearer to certainty than lambda = 1 at 10,000":
                found.value > one[10_000].value,
        },
        f"lambda = {lambda_:g} chooses right at the root in {found.value:.0%} after 2,000 steps, "
        f"lambda = 1 in {one[2000].value:.0%} and after 10,000 in {one[10_000].value:.0%}",
    )  # fmt: skip


def _errors(curves: Curves) -> Answer:
    """Of control, errors are from the optimal policy's values (6.1); from the uniform policy's they are told only."""
    told, is_larger = [], True
    for at in (2000, 10_000):
        best, _ = curves.best("steps", _SWEEP, at, "lambda", **_DEFAULT)
        mine, one = (curves.at("error", "error", at, lambda_=x) for x in (best, 1.0))
        its, other = (curves.at("error", "error-random", at, lambda_=x) for x in (best, 1.0))
        told.append(
            f"{mine} at {at:,} steps with lambda {best:g} against {one} with 1 (from the uniform policy's values: "
            f"{its} against {other})"
        )
        is_larger = is_larger and is_better(one, mine, "error")
    return judge(
        {"the better planner has the larger error": is_larger},
        f"error of root and children, from the optimal values: {', '.join(told)}",
    )


def _gain(curves: Curves, at: int, structure: str) -> tuple[float, float]:
    """The best lambda below 1, and by what share of steps it is better than 1."""
    lambdas = [x for x in curves.values(_SWEEP, "lambda") if x < 1]
    best = max(lambdas, key=lambda x: _steps(curves, at, x, structure).mean)
    return best, 1 - _steps(curves, at, best, structure).value / _steps(curves, at, 1.0, structure).value


def _transpositions(curves: Curves) -> Answer:
    (tree_best, tree), (graph_best, graph) = (_gain(curves, 1000, structure) for structure in ("tree", "graph"))
    return judge(
        {"large without (at least 20 %)": tree >= 0.2, "marginal with them (at most 15 %)": abs(graph) <= 0.15},
        f"after 1,000 steps lambda = {tree_best:g} gains {tree:.0%} without transpositions, "
        f"lambda = {graph_best:g} {graph:.0%} with them",
    )


def _sensitivity(curves: Curves) -> Answer:
    best = [curves.best("steps", _SWEEP, at, "lambda", **_DEFAULT)[0] for at in _LATE]
    worse = sum(is_better(_steps(curves, at, 1.0), _steps(curves, at, 0.0)) for at in _LATE)
    return judge(
        {
            "the optimum is strictly inside (0, 1)": all(0 < x < 1 for x in best),
            "it moves down": best == sorted(best, reverse=True) and best[-1] < best[0],
            "lambda = 0 is often worse than 1": worse * 2 >= len(_LATE),
        },
        f"best lambda {', '.join(f'{x:g}' for x in best)} at {', '.join(f'{at:,}' for at in _LATE)} steps; "
        f"lambda = 0 is surely worse than 1 at {worse} of {len(_LATE)} budgets",
    )


def _optimum(curves: Curves) -> Answer:
    sizes = curves.values(_SWEEP, "size")
    first, last = 500, curves.checkpoints(_SWEEP)[-1]
    best = {
        (size, at): curves.best("steps", _SWEEP, at, "lambda", size=size, structure="tree")[0]
        for size in sizes
        for at in (first, 2000, last)
    }
    low = {(size, at): _threshold(curves, at, size, "tree") for size, at in best}
    told = [
        f"{name} {', '.join(f'{values[size, first]:g} to {values[size, last]:g} (L = {size})' for size in sizes)}"
        for name, values in (("optimum", best), ("threshold", low))
    ]
    return judge(
        {
            "the optimum falls with time": all(best[size, last] <= best[size, first] for size in sizes),
            "the threshold falls with time": all(low[size, last] <= low[size, first] for size in sizes),
            "the optimum is lower in smaller games": best[sizes[0], 2000] < best[sizes[-1], 2000],
            "the threshold is lower in smaller games": low[sizes[0], 2000] < low[sizes[-1], 2000],
        },
        f"from {first} to {last:,} steps: {'; '.join(told)}",
    )


def _inside_beats_one(curves: Curves) -> Answer:
    mine, one = _steps(curves, 2000, 0.6), _steps(curves, 2000, 1.0)
    return judge(
        {"lambda = 0.6 needs at most 11": mine.value <= 11, "lambda = 1 at least 16": one.value >= 16},
        f"after 2,000 steps lambda = 0.6 needs {mine} steps to the goal ({mine.interval}), lambda = 1 {one} "
        f"({one.interval})",
    )


def _optimum_falls(curves: Curves) -> Answer:
    best = {at: max(_BARS, key=lambda x: _steps(curves, at, x).mean) for at in (1000, 2000)}
    return judge(
        {"0.8 at 1,000 steps": best[1000] == 0.8, "0.6 at 2,000 steps": best[2000] == 0.6},
        f"of 0.4, 0.6, 0.8 and 1 the best is {best[1000]:g} at 1,000 steps and {best[2000]:g} at 2,000",
    )


def _gain_by_structure(curves: Curves) -> Answer:
    gain = {
        structure: 1 - _steps(curves, 1000, 0.8, structure).value / _steps(curves, 1000, 1.0, structure).value
        for structure in ("tree", "graph")
    }
    return judge(
        {"at least 20 % in a tree": gain["tree"] >= 0.2, "at most 15 % in a graph": abs(gain["graph"]) <= 0.15},
        f"after 1,000 steps lambda = 0.8 needs {gain['tree']:.0%} fewer steps than 1 in a tree and {gain['graph']:.0%} "
        f"fewer in a graph (graph: {format_number(_steps(curves, 1000, 0.8, 'graph').value)} against "
        f"{format_number(_steps(curves, 1000, 1.0, 'graph').value)})",
    )


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Six panels, one for each figure of the source."""
    curves = Curves(rows)
    figure, (planning, choices, errors, structures, budgets, optimum) = panels(2, 3)
    lambdas = curves.values(_SWEEP, "lambda")
    shown = {f"lambda {x:g}": {"lambda_": x, **_DEFAULT} for x in lambdas}
    over_checkpoints(planning, curves, "steps", _SWEEP, shown)
    source_line(planning, claim.numbers["optimum"], "optimum (source): 5")
    planning.set_title("6.2: overall planning")
    over_checkpoints(choices, curves, "choice", _SWEEP, shown)
    choices.set_title("6.3: one-step planning")
    over_checkpoints(errors, curves, "error", "error", {f"lambda {x:g}": {"lambda_": x} for x in lambdas})
    errors.set_title("6.4: error of the values, from the optimal ones")
    trees = {s: (1000, {"size": 11, "structure": s}) for s in curves.values(_SWEEP, "structure")}
    over_setting(structures, curves, "steps", _SWEEP, "lambda", trees)
    structures.set_title("6.5: transpositions, after 1,000 steps")
    by_budget = {f"{at:,} steps": (at, _DEFAULT) for at in curves.checkpoints(_SWEEP) if at >= 500}
    over_setting(budgets, curves, "steps", _SWEEP, "lambda", by_budget)
    source_line(budgets, claim.numbers["optimum"], "optimum (source): 5")
    budgets.set_title("6.6: budgets")
    at = curves.checkpoints(_SWEEP)
    for number, size in enumerate(curves.values(_SWEEP, "size")):
        best = [curves.best("steps", _SWEEP, x, "lambda", size=size, structure="tree")[0] for x in at]
        low = [_threshold(curves, x, size, "tree") for x in at]
        optimum.plot(at, best, color=f"C{number}", marker="o", label=f"L = {size}, optimal lambda")
        optimum.plot(at, low, color=f"C{number}", marker="v", linestyle=":", label=f"L = {size}, lambda-threshold")
    label_axes(optimum, "value", "simulated steps")
    optimum.set_xscale("log")
    optimum.set_ylabel("lambda")
    optimum.set_title("6.7: optimal lambda and lambda-threshold")
    for axes in (planning, choices, errors, structures, budgets, optimum):
        finish(axes)
    figure.suptitle(f"Shortest walk, 11 states unless said otherwise, {curves.repeats(_SWEEP):,} repeats")
    save(figure, path)
