"""Figure 7.8: a map of win rates over lambda and C_p, and the five things that the text says about it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from katachi.arena.executor import Executor
from katachi.arena.statistics import Score
from katachi.core.errors import InvalidArgumentError
from katachi.experiments.duel_plots import new_figure, save_figure
from katachi.experiments.duels import Duel, best_of, count_rows, difference, duels_of, find, near_best, run_duels
from katachi.experiments.experiment import Answer, Claim, Progress, Row, Summary, Verdict, summary_of

__all__ = ["draw", "run", "summarise", "total"]

_LAMBDAS = 0.45, 0.85  # what "near 0.65" is
_MOST = 2 / 3  # of the values of C_p must have their best lambda there

total = count_rows


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Plays what is missing."""
    run_duels(settings, rows_path, executor, progress)


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """The map as a table, and how many of the statements about it hold."""
    duels = duels_of(rows)
    if not duels:
        raise InvalidArgumentError("there are no games yet")
    c_p = _values(duels, "c_p")
    table = []
    for lambda_ in _values(duels, "lambda"):
        line = {duel["c_p"]: duel for duel in find(duels, lambda_=lambda_)}
        table.append([f"{lambda_:g}", *(f"{line[c].rate:.1f}" if c in line else "" for c in c_p)])
    statements = _statements(duels, claim)
    held = [text for is_so, text in statements if is_so]
    broken = [text for is_so, text in statements if not is_so]
    verdict: Verdict = "reproduced" if not broken else "partly" if held else "not"
    text = "; ".join(held) + (f"; not as published: {'; '.join(broken)}" if broken else "")
    columns = ["lambda", *(f"C_p {c:g}" for c in c_p)]
    return summary_of(columns, table, {"vodopivec-fig-7-8": Answer(verdict, text)})


def _values(duels: Sequence[Duel], label: str) -> list[float]:
    return sorted({float(duel[label]) for duel in duels})


def _statements(duels: Sequence[Duel], claim: Claim) -> list[tuple[bool, str]]:
    """Each with whether it holds. A printed place holds if it is among those that are not worse for certain."""
    best = claim.numbers["best"]
    top = best_of(duels)
    near = [duel for duel in near_best(duels) if abs(duel["c_p"] - best["c_p"]) <= 0.05 + 1e-9]
    near = [duel for duel in near if _LAMBDAS[0] <= duel["lambda"] <= _LAMBDAS[1]]
    found = [(bool(near), f"best {top.rate:.1f} % at lambda {top['lambda']:g} and C_p {top['c_p']:g}")]
    low = sum((duel.score for duel in find(duels, lambda_=0.0)), Score(0, 0))
    found.append(
        (difference(top.score, low)[1] > 0 and low.interval[1] < 0.5, f"{100 * low.win_rate:.1f} % at lambda 0")
    )
    for lambda_, c_p in claim.numbers["best_c_p"]:
        line = find(duels, lambda_=lambda_)
        if line:
            close = {duel["c_p"] for duel in near_best(line)}
            told = best_of(line)
            text = f"best C_p at lambda {lambda_:g} is {told['c_p']:g} ({told.rate:.1f} %; published {c_p:g})"
            found.append((c_p in close, text))
    inside = [best_of(find(duels, c_p=c)) for c in _values(duels, "c_p")]
    right = sum(_LAMBDAS[0] <= duel["lambda"] <= _LAMBDAS[1] for duel in inside)
    text = f"the best lambda is between {_LAMBDAS[0]:g} and {_LAMBDAS[1]:g} for {right} of {len(inside)} values of C_p"
    found.append((right >= _MOST * len(inside), text))
    return found


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """A heat map; a cross where the printed best is."""
    duels = duels_of(rows)
    lambdas, c_p = _values(duels, "lambda"), _values(duels, "c_p")
    rates = {(duel["lambda"], duel["c_p"]): duel.rate for duel in duels}
    grid = [[rates.get((x, c), float("nan")) for c in c_p] for x in lambdas]
    figure, (axes,) = new_figure(1, width=5 + 0.4 * len(c_p), height=2.5 + 0.3 * len(lambdas))
    image = axes.imshow(grid, origin="lower", aspect="auto", cmap="viridis", vmin=40)
    axes.set_xticks(range(len(c_p)), [f"{c:g}" for c in c_p])
    axes.set_yticks(range(len(lambdas)), [f"{x:g}" for x in lambdas])
    axes.set_xlabel("C_p of Sarsa-UCT(lambda)")
    axes.set_ylabel("lambda")
    for row, line in enumerate(grid):
        for column, rate in enumerate(line):
            colour = "white" if rate < 52 else "black"
            axes.text(column, row, f"{rate:.0f}", ha="center", va="center", fontsize=7, color=colour)
    best = claim.numbers["best"]
    if best["lambda"] in lambdas and best["c_p"] in c_p:
        place = c_p.index(best["c_p"]), lambdas.index(best["lambda"])
        axes.plot(*place, "s", color="red", markersize=18, fillstyle="none")
    half = max((duel.interval[1] - duel.interval[0]) / 2 for duel in duels)
    figure.colorbar(image, ax=axes, label="win rate in %")
    title = "Tic-tac-toe, 100 steps, against UCT with C_p 0.2 (red: published best)"
    axes.set_title(f"{title}\n95 % intervals within {half:.1f} points", fontsize="medium")
    save_figure(figure, path)
