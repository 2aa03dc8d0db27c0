"""Judges and draws control policies on Shortest walk: epsilon-greedy, UCB1, and how UCB1 scales values."""

import math
from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.curve_figures import band, finish, over_checkpoints, over_setting, panels, save, source_line
from katachi.experiments.curves import Curves, Estimate, is_better, judge
from katachi.experiments.curves import run_curves as run
from katachi.experiments.curves import total_rows as total
from katachi.experiments.experiment import Answer, Claim, Row, Summary, summary_of

__all__ = ["draw", "run", "summarise", "total"]

_COLUMNS = ("policy", "structure", "lambda", "steps to the goal at 2,000", "at 5,000", "at 10,000")
_AT = (2000, 5000, 10_000)
_END = 10_000
_GLOBAL = ("observed", "known")
_STRUCTURES = ("tree", "graph")
_WELL = 1.25  # C_p does well if its steps are within this factor of the best C_p's
_MOST_SURE = 3.0  # of many comparisons: a difference by chance in one of 400


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Every policy at its best lambda and at 1, and an answer for every figure."""
    curves = Curves(rows)
    table = []
    for name, sweep, cell in _policies(curves):
        for structure in _STRUCTURES:
            best, _ = curves.best("steps", sweep, _END, "lambda", structure=structure, **cell)
            for lambda_ in dict.fromkeys((best, 1.0)):
                found = [curves.at("steps", sweep, at, structure=structure, lambda_=lambda_, **cell) for at in _AT]
                table.append([name, structure, f"{lambda_:g}", *(f"{e} ({e.interval})" for e in found)])
    table.append(["random", "tree", "", *(str(curves.at("steps", "random", at, lambda_=1.0)) for at in _AT)])
    answers = {
        "vodopivec-fig-6-8": _control(curves),
        "vodopivec-fig-6-9": _without_decay(curves),
        "vodopivec-fig-6-10": _tree(curves),
        "vodopivec-fig-6-11": _graph(curves),
        "vodopivec-sec-6-2-exploration-rate": _exploration(curves),
        "vodopivec-sec-6-2-global-bounds": _bounds(curves),
        "vodopivec-h11": _local_is_needed(curves),
        "vodopivec-h12": _local_helps(curves),
    }
    return summary_of(_COLUMNS, table, answers)


def _policies(curves: Curves) -> list[tuple[str, str, dict[str, str]]]:
    epsilon = [("epsilon 0.1", {"epsilon_decay": "none"}), ("epsilon 0.1 to 0", {"epsilon_decay": "linear"})]
    bounds = [(f"UCB1, {name}", {"normalisation": name}) for name in curves.values("ucb1", "normalisation")]
    return [*((name, "epsilon", cell) for name, cell in epsilon), *((name, "ucb1", cell) for name, cell in bounds)]


def _ucb1(curves: Curves, normalisation: str, structure: str, lambda_: float, at: int = _END) -> Estimate:
    return curves.at("steps", "ucb1", at, normalisation=normalisation, structure=structure, lambda_=lambda_)


def _best_ucb1(curves: Curves, normalisation: str, structure: str) -> tuple[float, Estimate]:
    return curves.best("steps", "ucb1", _END, "lambda", normalisation=normalisation, structure=structure)


def _control(curves: Curves) -> Answer:
    best = {
        (name, at): curves.best("steps", sweep, at, "lambda", structure="tree", **cell)
        for name, sweep, cell in _policies(curves)
        if name in ("epsilon 0.1", "epsilon 0.1 to 0", "UCB1, local")
        for at in (5000, _END)
    }
    told = [f"{name} {found} at {at:,} (lambda {x:g})" for (name, at), (x, found) in best.items()]
    local, constant, linear = "UCB1, local", "epsilon 0.1", "epsilon 0.1 to 0"
    return judge(
        {
            "all are best below lambda = 1": all(x < 1 for x, _ in best.values()),
            "UCB1 is better than a constant epsilon": is_better(best[local, _END][1], best[constant, _END][1]),
            "UCB1 is better than a falling epsilon at 5,000 steps":
                is_better(best[local, 5000][1], best[linear, 5000][1]),
            "a falling epsilon reaches the optimum at the end": best[linear, _END][1].low <= 5.0 * 1.01,
        },
        f"steps to the goal: {', '.join(told)}; the optimum is 5",
    )  # fmt: skip


def _without_decay(curves: Curves) -> Answer:
    found = {(n, s): _ucb1(curves, n, s, 1.0) for n in ("local", *_GLOBAL) for s in _STRUCTURES}
    told = [
        f"{found['local', s]} with space-local, {found['observed', s]} with observed and {found['known', s]} with "
        f"known bounds in a {s}"
        for s in _STRUCTURES
    ]
    return judge(
        {
            "without transpositions the steps are halved at least": all(
                found["local", "tree"].value * 2 <= found[n, "tree"].value for n in _GLOBAL
            ),
            "with them the gain is sure": all(is_better(found["local", "graph"], found[n, "graph"]) for n in _GLOBAL),
        },
        f"after 10,000 steps at lambda = 1: {'; '.join(told)}",
    )


def _tree(curves: Curves) -> Answer:
    best = {n: _best_ucb1(curves, n, "tree") for n in ("local", *_GLOBAL)}
    one = {n: _ucb1(curves, n, "tree", 1.0) for n in best}
    told = [f"{n} {found} at lambda {x:g} against {one[n]} at 1" for n, (x, found) in best.items()]
    return judge(
        {
            "with global bounds no lambda below 1 gains 10 % on 1": all(
                best[n][1].value >= 0.9 * one[n].value or not is_better(best[n][1], one[n]) for n in _GLOBAL
            ),
            "with space-local bounds one is surely better": is_better(best["local"][1], one["local"]),
        },
        f"steps to the goal after 10,000 steps: {', '.join(told)}",
    )


def _graph(curves: Curves) -> Answer:
    best = {n: _best_ucb1(curves, n, "graph") for n in ("local", "observed")}
    gain = 1 - best["local"][1].value / best["observed"][1].value
    return judge(
        {
            "a sure gain": is_better(best["local"][1], best["observed"][1]),
            "a considerable one (10 % or more)": gain >= 0.1,
        },
        f"with transpositions after 10,000 steps: space-local {best['local'][1]} steps to the goal (lambda "
        f"{best['local'][0]:g}), observed bounds {best['observed'][1]} (lambda {best['observed'][0]:g}): "
        f"{gain:.0%} fewer",
    )


def _exploration(curves: Curves) -> Answer:
    told, well = [], 0
    settings = [
        {"size": size, "structure": structure, "lambda": lambda_}
        for size in curves.values("exploration", "size")
        for structure in curves.values("exploration", "structure")
        for lambda_ in curves.values("exploration", "lambda")
    ]
    for cell in settings:
        best, found = curves.best("steps", "exploration", _END, "c_p", **cell)
        one = curves.at("steps", "exploration", _END, c_p=1.0, **cell)
        if one.value <= _WELL * found.value:
            well += 1
        else:
            told.append(
                f"L = {cell['size']}, {cell['structure']}, lambda {cell['lambda']:g}: {one} ({found} at {best:g})"
            )
    others = f"; not in {', '.join(told)}" if told else ""
    return judge(
        {"in most settings": well * 2 > len(settings)},
        f"after 10,000 steps C_p = 1 is within 25 % of the best of "
        f"{', '.join(f'{x:g}' for x in curves.values('exploration', 'c_p'))} in {well} of {len(settings)} "
        f"settings{others}",
    )


def _bounds(curves: Curves) -> Answer:
    told = []
    settings = [(structure, x) for structure in _STRUCTURES for x in curves.values("ucb1", "lambda")]
    for structure, lambda_ in settings:
        known, seen = (_ucb1(curves, n, structure, lambda_) for n in ("known", "observed"))
        if abs(known.mean - seen.mean) > _MOST_SURE * math.hypot(known.error, seen.error):
            told.append(f"{structure}, lambda {lambda_:g}: {known} and {seen}")
    examples = f" ({'; '.join(told)})" if told else ""
    return judge(
        {"most settings do not differ": len(told) * 2 <= len(settings), "none does": not told},
        f"after 10,000 steps constant and observed bounds differ significantly in {len(told)} of {len(settings)} "
        f"settings{examples}",
    )


def _local_is_needed(curves: Curves) -> Answer:
    local = _ucb1(curves, "local", "tree", 0.8)
    lambda_, name, least = min(
        ((x, n, found) for n in _GLOBAL for x, found in [_best_ucb1(curves, n, "tree")]), key=lambda one: one[2].value
    )
    return judge(
        {"space-local at most 6": local.value <= 6, "global at least 35 with any lambda": least.value >= 35},
        f"in a tree after 10,000 steps: space-local with lambda = 0.8 {local} steps to the goal ({local.interval}), "
        f"global at best {least} ({least.interval}; {name} bounds, lambda {lambda_:g})",
    )


def _local_helps(curves: Curves) -> Answer:
    local = _ucb1(curves, "local", "tree", 1.0)
    other = min((_ucb1(curves, n, "tree", 1.0) for n in _GLOBAL), key=lambda one: one.value)
    return judge(
        {"space-local at most 12": local.value <= 12, "global at least 35": other.value >= 35},
        f"in a tree after 10,000 steps at lambda = 1: space-local {local} steps to the goal ({local.interval}), "
        f"global {other} ({other.interval})",
    )


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Six panels: one for each figure of the source, all normalisations, and C_p."""
    curves = Curves(rows)
    figure, axes = panels(2, 3)
    control, plain, tree, graph, variants, exploration = axes
    optimum, optimum_label = claim.numbers["optimum"], "optimum (source): 5"
    shown = [p for p in _policies(curves) if p[0] in ("epsilon 0.1", "epsilon 0.1 to 0", "UCB1, local")]
    for number, (name, sweep, cell) in enumerate(shown):
        best, _ = curves.best("steps", sweep, _END, "lambda", structure="tree", **cell)
        curve = curves.curve("steps", sweep, structure="tree", lambda_=best, **cell)
        band(control, curves.checkpoints(sweep), curve, number, f"{name}, lambda {best:g}")
    over_checkpoints(control, curves, "steps", "random", {"random": {"lambda_": 1.0}})
    control.get_lines()[-1].set_color("0.6")
    source_line(control, optimum, optimum_label)
    control.set_title("6.8: control policies in a tree, each at its best lambda")
    over_checkpoints(plain, curves, "steps", "ucb1", {
        f"{n}, {s}": {"normalisation": n, "structure": s, "lambda_": 1.0}
        for s in _STRUCTURES for n in ("local", "observed")
    })  # fmt: skip
    source_line(plain, optimum, optimum_label)
    plain.set_title("6.9: UCB1 with lambda = 1")
    for panel, structure, place in ((tree, "tree", "6.10"), (graph, "graph", "6.11")):
        cells = {n: (_END, {"normalisation": n, "structure": structure}) for n in ("local", "observed", "known")}
        over_setting(panel, curves, "steps", "ucb1", "lambda", cells)
        source_line(panel, optimum, optimum_label)
        panel.set_title(f"{place}: UCB1 in a {structure}, after 10,000 steps")
    cells = {n: (_END, {"normalisation": n, "structure": "tree"}) for n in curves.values("ucb1", "normalisation")}
    over_setting(variants, curves, "steps", "ucb1", "lambda", cells)
    source_line(variants, optimum, optimum_label)
    variants.set_title("UCB1 in a tree: what values are scaled by")
    over_setting(exploration, curves, "steps", "exploration", "c_p", {
        f"L = {size}, {s}, lambda {x:g}": (_END, {"size": size, "structure": s, "lambda": x})
        for size in curves.values("exploration", "size") for s in _STRUCTURES for x in (0.8, 1.0)
    }, "C_p")  # fmt: skip
    exploration.set_xscale("log", base=2)
    rates = curves.values("exploration", "c_p")
    exploration.set_xticks(rates)
    exploration.set_xticklabels([f"{rate:g}" for rate in rates])
    exploration.set_ylim(top=3 * exploration.get_ylim()[1])  # room for the legend
    exploration.set_title("C_p of UCB1, space-local, after 10,000 steps")
    for panel in axes:
        finish(panel)
    figure.suptitle(f"Shortest walk, 11 states unless said otherwise, {curves.repeats('ucb1'):,} repeats")
    save(figure, path)
