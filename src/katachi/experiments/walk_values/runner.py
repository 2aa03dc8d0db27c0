"""Judges and draws what initial and playout values do at small lambda, and that they do nothing at 1."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.curve_figures import finish, over_setting, panels, save, source_line
from katachi.experiments.curves import Curves, Estimate, is_better, judge
from katachi.experiments.curves import run_curves as run
from katachi.experiments.curves import total_rows as total
from katachi.experiments.experiment import Answer, Claim, Row, Summary, summary_of

__all__ = ["draw", "run", "summarise", "total"]

_COLUMNS = ("walk", "lambda", "V_init", "V_playout", "steps to the goal at 2,000", "at 10,000")
_WALKS = ("shortest-walk", "random-walk")
_END = 10_000
_GOOD, _BAD = -5.0, (5.0, 10.0, 20.0)  # on Shortest walk, whose optimal return is -4


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Steps by walk, lambda and values, and two answers."""
    curves = Curves(rows)
    table = [
        [walk, f"{lambda_:g}", f"{initial:g}", _name(playout),
         *(f"{e} ({e.interval})" for e in (_steps(curves, walk, lambda_, initial, playout, at) for at in (2000, _END)))]
        for walk in _WALKS
        for lambda_ in curves.values(walk, "lambda")
        for initial in curves.values(walk, "v_init")
        for playout in ("initial", 0.0)
    ]  # fmt: skip
    answers = {"vodopivec-fig-6-12": _small_lambda(curves), "vodopivec-h15": _decisive(curves)}
    return summary_of(_COLUMNS, table, answers)


def _name(playout: str | float) -> str:
    return "V_init" if playout == "initial" else f"{playout:g}"


def _steps(curves: Curves, walk: str, lambda_: float, initial: float, playout: str | float, at: int = _END) -> Estimate:
    return curves.at("steps", walk, at, lambda_=lambda_, v_init=initial, v_playout=playout)


def _small_lambda(curves: Curves) -> Answer:
    shortest = {
        (v, p): _steps(curves, "shortest-walk", 0.1, v, p)
        for v in curves.values("shortest-walk", "v_init")
        for p in ("initial", 0.0)
    }
    early = {key: _steps(curves, "shortest-walk", 0.1, *key, at=2000) for key in shortest}
    half, zero = (_steps(curves, "random-walk", 0.1, v, "initial", at=2000) for v in (0.5, 0.0))
    safer = [v for v in _BAD if is_better(shortest[v, 0.0], shortest[v, "initial"])]
    riskier = [v for v in _BAD if is_better(shortest[v, "initial"], shortest[v, 0.0])]
    zero_init = (0.0, "initial")
    return judge(
        {
            "a tuned V_init helps on Shortest walk": is_better(early[_GOOD, "initial"], early[zero_init]),
            "0.5 helps on Random walk": is_better(half, zero),
            "5 hurts seriously": shortest[5.0, "initial"].value >= 2 * shortest[zero_init].value,
            "V_playout = V_init is better than 0 where V_init is good":
                is_better(early[_GOOD, "initial"], early[_GOOD, 0.0]),
            "0 is safer where V_init is bad": bool(safer) and not riskier,
        },
        f"at lambda = 0.1 V_init -5 needs {early[_GOOD, 'initial']} steps to the goal after 2,000 steps (V_playout 0: "
        f"{early[_GOOD, 0.0]}), V_init 0 {early[zero_init]}; after 10,000 steps 0 {shortest[zero_init]}, "
        f"5 {shortest[5.0, 'initial']} (V_playout 0: {shortest[5.0, 0.0]}); on Random walk after 2,000 steps 0.5 "
        f"{half}, 0 {zero}",
    )  # fmt: skip


def _decisive(curves: Curves) -> Answer:
    initials = curves.values("identity", "v_init")
    values = [[curves.at("value", "identity", at, v_init=v).mean for at in curves.checkpoints("identity")]
              for v in initials]  # fmt: skip
    widest = max(max(column) - min(column) for column in zip(*values, strict=True))
    bad, zero = (_steps(curves, "shortest-walk", 0.1, v, "initial") for v in (5.0, 0.0))
    one = [_steps(curves, "shortest-walk", 1.0, v, "initial") for v in (-5.0, 0.0, 5.0)]
    return judge(
        {
            "identical values at lambda = 1": widest <= 1e-9,
            "5 at least 40 steps": bad.value >= 40,
            "0 at most 13": zero.value <= 13,
        },
        f"at lambda = 1 the same walks give values that differ by {widest:.1g} at most between V_init = "
        f"{', '.join(f'{v:g}' for v in initials)} (with epsilon-greedy {', '.join(map(str, one))} steps to the goal "
        f"after 10,000); at lambda = 0.1 V_init = 5 needs {bad} ({bad.interval}), 0 {zero} ({zero.interval})",
    )


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Steps against V_init: both walks, small lambda and 1."""
    curves = Curves(rows)
    figure, axes = panels(1, 3)
    shown = [("shortest-walk", 0.1), ("shortest-walk", 1.0), ("random-walk", 0.1)]
    for panel, (walk, lambda_) in zip(axes, shown, strict=True):
        cells = {
            f"V_playout = {_name(p)}, {at:,} steps": (at, {"lambda": lambda_, "v_playout": p})
            for at in (2000, _END)
            for p in ("initial", 0.0)
        }
        over_setting(panel, curves, "steps", walk, "v_init", cells, "V_init")
        source_line(panel, claim.numbers["optimum"], "optimum (source): 5")
        panel.set_xscale("symlog", linthresh=1)
        ticks = curves.values(walk, "v_init")
        panel.set_xticks(ticks)
        panel.set_xticks([], minor=True)
        panel.set_xticklabels([f"{v:g}" for v in ticks])
        panel.set_title(f"{'6.12: ' if lambda_ < 1 else ''}{walk.replace('-', ' ')}, lambda = {lambda_:g}")
        finish(panel)
    figure.suptitle(f"11 states, epsilon 0.1, tree, {curves.repeats('shortest-walk'):,} repeats")
    save(figure, path)
