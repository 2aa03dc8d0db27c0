"""Beyond the sources: what policies of the iterated cycle are worth, by themselves (`direct`) and in searches (`mc`).

The games are like those of katachi.experiments.balancing_players, against the policies of the package.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from katachi.experiments.duel_plots import new_figure, save_figure
from katachi.experiments.duels import Duel, only
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.go_duels import Finding, beats, count_rows, is_even, mixed, played, run_duels, summary

__all__ = ["draw", "run", "summarise", "total"]

_OWN, _BALANCED = "softmax-shapes(shipped-two-step-cycle)", "softmax-shapes(shipped)"
_REINFORCED, _SEARCHED = "softmax-shapes(shipped-reinforcement)", "softmax-shapes(shipped-two-step)"
_WEAKER = {"uniform": "uniform", "regression": "softmax-shapes(shipped-regression)", "reinforcement": _REINFORCED}

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Who is beaten in search, and by whom."""
    duels = played(rows)
    findings = [
        one for size in (5, 6) for one in _findings([each for each in duels if each.options["size"] == size], size)
    ]
    answer, told = mixed(findings), summary(duels, claim, {})
    return Summary(told.columns, told.table, answer.result, answer.verdict, answer.result)


def _findings(duels: Sequence[Duel], size: int) -> Iterator[Finding]:
    board = f"on {size}x{size}"
    for name, policy in _WEAKER.items():
        yield beats(f"in search against {name} {board}", only(duels, kind="mc", one=_OWN, other=policy))
    found = only(duels, kind="mc", one=_OWN, other=_SEARCHED)
    text = f"in search against two-step from values of searches {board}"
    yield beats(text, found) if size > 5 else is_even(text, found)
    yield is_even(f"balancing in search against it {board}", only(duels, kind="mc", one=_BALANCED, other=_OWN))
    found = only(duels, kind="direct", one=_REINFORCED, other=_OWN)
    yield beats(f"reinforcement against it {board} (direct play)", found)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """What the policy wins in search, by opponent, with 95 % intervals."""
    names = {**_WEAKER, "two-step": _SEARCHED}
    figure, panels = new_figure(2)
    for axes, size in zip(panels, (5, 6), strict=True):
        duels = [duel for duel in played(rows) if duel.options["size"] == size]
        for place, policy in enumerate(names.values()):
            duel = only(duels, kind="mc", one=_OWN, other=policy)
            if duel is not None:
                low, high = duel.interval
                axes.errorbar(place, duel.rate, yerr=[[duel.rate - low], [high - duel.rate]], fmt="o", capsize=3)
        axes.axhline(50, color="grey", linewidth=0.8)
        axes.set_xticks(range(len(names)), names, rotation=20)
        axes.set_title(f"two-step-cycle on {size}x{size}, Monte-Carlo search", fontsize="medium")
        axes.set_ylabel("win rate, %")
        axes.grid(alpha=0.3)
    save_figure(figure, path)
