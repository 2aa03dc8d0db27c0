"""Judges and draws the error of values that a random policy learns on Random walk."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.curve_figures import finish, over_checkpoints, over_setting, panels, save
from katachi.experiments.curves import Curves, Estimate, is_better, judge
from katachi.experiments.curves import run_curves as run
from katachi.experiments.curves import total_rows as total
from katachi.experiments.experiment import Claim, Row, Summary, summary_of

__all__ = ["draw", "run", "summarise", "total"]

_SWEEP = "evaluation"
_COLUMNS = ("structure", "V_init", "lambda", "error after 10 episodes", "after 100")
_AT = (10, 100)


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Errors by structure, V_init and lambda."""
    curves = Curves(rows)
    lambdas = curves.values(_SWEEP, "lambda")
    table = [
        [structure, f"{initial:g}", f"{x:g}",
         *(f"{e} ({e.interval})" for e in (_error(curves, at, structure, initial, x) for at in _AT))]
        for structure in ("tree", "graph")
        for initial in (0.0, 0.5)
        for x in lambdas
    ]  # fmt: skip
    helped: dict[str, list[float]] = {"tree": [], "graph": []}
    hurt: dict[str, list[float]] = {"tree": [], "graph": []}
    for structure in helped:
        for x in lambdas:
            half, zero = (_error(curves, 10, structure, v, x) for v in (0.5, 0.0))
            if is_better(half, zero, "error"):
                helped[structure].append(x)
            if is_better(zero, half, "error"):
                hurt[structure].append(x)
    below = [x for x in lambdas if x < 1]
    best = {
        (s, at): curves.best("error", _SWEEP, at, "lambda", structure=s, v_init=0.5)
        for s in ("tree", "graph")
        for at in _AT
    }
    told = [f"{found} at lambda {x:g} in a {s} after {at}" for (s, at), (x, found) in best.items()]
    conditions = {f"0.5 helps at every lambda below 1 in a {s}": set(below) <= set(helped[s]) for s in helped}
    conditions["it hurts nowhere"] = not any(hurt.values())
    answer = judge(
        conditions,
        f"after 10 episodes V_init = 0.5 is surely better than 0 at lambda {_listed(helped['tree'])} in a tree and "
        f"{_listed(helped['graph'])} in a graph; the smallest error with it is {', '.join(told)} episodes",
    )
    return summary_of(_COLUMNS, table, {"vodopivec-sec-6-1-random-walk": answer})


def _listed(lambdas: Sequence[float]) -> str:
    return ", ".join(f"{x:g}" for x in lambdas) or "none"


def _error(curves: Curves, at: int, structure: str, initial: float, lambda_: float) -> Estimate:
    return curves.at("error", _SWEEP, at, structure=structure, v_init=initial, lambda_=lambda_)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Errors over the episodes with V_init = 0.5, and against lambda with both."""
    curves = Curves(rows)
    figure, axes = panels(2, 2)
    for number, structure in enumerate(("tree", "graph")):
        what = "root and children" if structure == "tree" else "all states"
        cells = {
            f"lambda {x:g}": {"structure": structure, "v_init": 0.5, "lambda_": x}
            for x in curves.values(_SWEEP, "lambda")
        }
        over_checkpoints(axes[number], curves, "error", _SWEEP, cells, "episodes")
        axes[number].set_title(f"{structure} ({what}), V_init = 0.5")
        over_setting(axes[2 + number], curves, "error", _SWEEP, "lambda", {
            f"V_init = {v:g}, {at} episodes": (at, {"structure": structure, "v_init": v})
            for v in (0.0, 0.5) for at in _AT
        })  # fmt: skip
        axes[2 + number].set_title(f"{structure} ({what})")
    for panel in axes:
        finish(panel)
    figure.suptitle(f"Random walk, 11 states, random policy, {curves.repeats(_SWEEP):,} repeats")
    save(figure, path)
