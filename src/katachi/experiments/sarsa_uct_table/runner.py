"""Table A.1 and Figure 7.6: every printed setting as a cell, judged row by row.

Where a range of best lambdas is printed, several of it play: the printed win rate was had somewhere in that range, so
it must lie between theirs. A win rate agrees with the printed one within 4 points, the bar of reproduction; cells that
have no such bar may also differ by what the two numbers of games allow (95 %). Connect four is judged by its direction
only: its printed numbers at 100 and 500 steps do not come out of the printed settings (docs/sarsa_uct.md).
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import hypot
from pathlib import Path
from typing import Any

from katachi.arena.executor import Executor
from katachi.arena.statistics import Score
from katachi.core.errors import InvalidArgumentError
from katachi.experiments.duel_plots import even_line, new_figure, plot_curve, plot_published, save_figure
from katachi.experiments.duels import (
    Duel,
    at_least,
    best_of,
    between,
    both,
    count_rows,
    difference,
    duels_of,
    find,
    is_above,
    only,
    run_duels,
    sampling_error,
    scored,
)
from katachi.experiments.experiment import Answer, Claim, Progress, Row, Summary, Verdict, summary_of

__all__ = ["draw", "run", "summarise", "total"]

_COLUMNS = ("game", "steps", "lambda", "C_p", "opponent's C_p", "win rate", "games", "published", "difference")
_WITHIN = 4.0  # points
_CELLS = 35  # of the printed table
_BAR_CELLS = {
    ("tic-tac-toe", 100), ("gomoku-7", 1000), ("gomoku-9", 1000), ("gomoku-11", 1000), ("hex-7", 1000),
    ("hex-11", 1000),
}  # fmt: skip
_GAMES = {
    "tic-tac-toe": "Tic-tac-toe", "connect-four": "Connect four", "hex-7": "Hex 7x7", "hex-11": "Hex 11x11",
    "gomoku-7": "Gomoku 7x7", "gomoku-9": "Gomoku 9x9", "gomoku-11": "Gomoku 11x11", "gomoku-13": "Gomoku 13x13",
}  # fmt: skip

total = count_rows


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Plays what is missing."""
    run_duels(settings, rows_path, executor, progress)


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """One line for each cell, one answer for each row of the ledger."""
    duels = duels_of(rows)
    published = _published(claim)
    if not duels:
        raise InvalidArgumentError("there are no games yet")
    table = [_line(duel, published) for name in _GAMES for duel in find(duels, table=name)]
    table += [_line(duel, {}) for name in _GAMES for duel in find(duels, scan=name)]
    answers = {f"vodopivec-table-a-1-{name}": _table_answer(name, duels, published) for name in _GAMES}
    answers["vodopivec-fig-7-6"] = _figure_answer(duels)
    answers["vodopivec-h2"] = _bar_answer([(only(duels, table="tic-tac-toe", steps=100), 53.5, 100.0)])
    answers["vodopivec-h3"] = _bar_answer([(only(duels, table="gomoku-7", steps=1000), 74.0, 82.0)])
    gomoku = [only(duels, table=f"gomoku-{size}", steps=1000, lambda_=0.8) for size in (9, 11)]
    answers["vodopivec-h4"] = _bar_answer([(duel, 92.0, 100.0) for duel in gomoku])
    hex_7, hex_11 = (only(duels, table=f"hex-{size}", steps=1000, lambda_=0.95) for size in (7, 11))
    answers["vodopivec-h5"] = _bar_answer([(hex_7, 66.0, 76.0), (hex_11, 82.0, 100.0)])
    answers["vodopivec-h6"] = _budget_answer(duels)
    answers["vodopivec-h7"] = _board_answer(duels)
    return summary_of(_COLUMNS, table, answers)


def _published(claim: Claim) -> dict[tuple[str, int], tuple[float, int]]:
    """(game, steps) -> (win rate, matches)."""
    told: Mapping[str, Sequence[Sequence[float]]] = claim.numbers["published"]
    return {(name, int(steps)): (rate, int(n)) for name, cells in told.items() for steps, rate, n in cells}


def _line(duel: Duel, published: Mapping[tuple[str, int], tuple[float, int]]) -> list[str]:
    low, high = duel.interval
    labels = duel.labels
    name = str(labels.get("table", labels.get("scan")))
    own = str(labels.get("c_p", ""))
    cells = [_GAMES[name], f"{duel['steps']:,}", f"{duel['lambda']:g}", own, str(labels.get("opponent_c_p", ""))]
    cells += [f"{duel.rate:.1f} ({low:.1f} to {high:.1f})", f"{duel.games:,}"]
    if (name, duel["steps"]) not in published:
        return [*cells, "", ""]
    rate, matches = published[name, duel["steps"]]
    return [*cells, f"{rate:.1f} ({matches:,})", f"{duel.rate - rate:+.1f}"]


def _bests(duels: Sequence[Duel], name: str) -> list[Duel]:
    """At each budget the best of the lambdas that were played, as in the source."""
    budgets = sorted({int(duel["steps"]) for duel in find(duels, table=name)})
    return [best_of(find(duels, table=name, steps=steps)) for steps in budgets]


def _best(duels: Sequence[Duel], name: str, steps: int) -> Duel | None:
    return next((duel for duel in _bests(duels, name) if duel["steps"] == steps), None)


def _told(duel: Duel) -> str:
    return f"{_GAMES[str(duel['table'])]} at {duel['steps']:,} steps {scored(duel)}"


def _agrees(played: Sequence[Duel], rate: float, matches: int) -> Verdict:
    """Within 4 points, or, where that is not the bar, within what chance explains; or between two lambdas."""
    if min(duel.rate for duel in played) <= rate <= max(duel.rate for duel in played):
        return "reproduced"
    near = min(played, key=lambda duel: abs(duel.rate - rate))
    wide = _WITHIN
    if (near["table"], near["steps"]) not in _BAR_CELLS:
        own = (near.interval[1] - near.interval[0]) / 2
        wide = max(wide, hypot(own, sampling_error(rate, matches)))
    return between(near.score, rate - wide, rate + wide)


def _table_answer(name: str, duels: Sequence[Duel], published: Mapping[tuple[str, int], tuple[float, int]]) -> Answer:
    printed = {steps: told for (game, steps), told in published.items() if game == name}
    played = {steps: find(duels, table=name, steps=steps) for steps in printed if find(duels, table=name, steps=steps)}
    if not played:
        return Answer("partly", f"{_GAMES[name]}: no games at this scale")
    verdicts = {steps: _agrees(line, *printed[steps]) for steps, line in played.items()}
    told = ", ".join(f"{_span(line)} % at {steps:,} ({printed[steps][0]:.1f})" for steps, line in played.items())
    left = [f"{steps:,}" for steps in printed if steps not in played]
    text = f"{_GAMES[name]}, ours (published): {told}"
    text += f"; not played at this scale: {', '.join(left)} steps" if left else ""
    if name == "connect-four" and set(verdicts.values()) != {"reproduced"}:
        return Answer(_direction(_bests(duels, name)), f"{text}; judged by the direction")
    far = [f"{steps:,}" for steps, verdict in verdicts.items() if verdict != "reproduced"]
    text += f"; not within the bar: {', '.join(far)} steps" if far else ""
    if left or len(far) not in (0, len(verdicts)):
        return Answer("partly", text)
    return Answer(both(*verdicts.values()), text)


def _span(line: Sequence[Duel]) -> str:
    rates = sorted({f"{duel.rate:.1f}" for duel in line}, key=float)
    return rates[0] if len(rates) == 1 else f"{rates[0]} to {rates[-1]}"


def _direction(played: Sequence[Duel]) -> Verdict:
    """Better than UCT with little time, and not worse with much: partly, since the numbers are others."""
    short = [duel for duel in played if duel["steps"] <= 1000]
    long = [duel for duel in played if duel["steps"] >= 5000]
    falls = not short or not long or max(duel.rate for duel in short) > max(duel.rate for duel in long)
    return "partly" if falls and not any(_is_worse(duel) for duel in played) else "not"


def _figure_answer(duels: Sequence[Duel]) -> Answer:
    """Better at the smallest budget, never worse, less gain at the largest, more on larger boards."""
    worse, better, falls, budgets = list[str](), [], [], 0
    for name in _GAMES:
        played = _bests(duels, name)
        if not played:
            continue
        budgets += len(played)
        worse += [_told(duel) for duel in played if _is_worse(duel)]
        better.append((is_above(played[0].score, 50), played[0]))
        if len(played) > 1:
            most = max(played, key=lambda duel: duel.rate)
            falls.append((difference(most.score, played[-1].score)[1] > 0, played[-1]))
    board = _board_answer(duels).verdict
    small = [_GAMES[str(duel["table"])] for sure, duel in better if not sure]
    flat = [_GAMES[str(duel["table"])] for sure, duel in falls if not sure]
    text = f"better than UCT at the smallest budget on {len(better) - len(small)} of {len(better)} boards"
    text += f", worse for certain at {len(worse)} of {budgets} budgets"
    text += f", gain smaller at the largest budget on {len(falls) - len(flat)} of {len(falls)}"
    text += f"; larger boards at 10,000 steps: {board}"
    if not worse and not small and not flat and board == "reproduced":
        return Answer("reproduced", text)
    return Answer("not" if len(worse) > 2 or len(small) > len(better) / 2 else "partly", text)


def _is_worse(duel: Duel) -> bool:
    """Than UCT, for certain: though there are so many cells, of which some must be below 50 % by chance."""
    return is_above(Score(duel.score.games - duel.score.points, duel.games), 50, cells=_CELLS)


def _bar_answer(bars: Sequence[tuple[Duel | None, float, float]]) -> Answer:
    played = [(duel, low, high) for duel, low, high in bars if duel is not None]
    if not played:
        return Answer("partly", "no games at this scale")
    text = "; ".join(
        f"{_told(duel)} (bar: {f'at least {low:g}' if high == 100 else f'{low:g} to {high:g}'} %)"
        for duel, low, high in played
    )
    judged: list[Verdict] = [
        at_least(d.score, low) if high == 100 else between(d.score, low, high) for d, low, high in played
    ]
    judged += ["partly"] * (len(bars) - len(played))
    return Answer(both(*judged), text)


def _budget_answer(duels: Sequence[Duel]) -> Answer:
    """H6: down from 1,000 to 5,000 steps, and at 10,000 the best lambda is at least 0.95 (1 is UCT itself: 50 %)."""
    verdicts: list[Verdict] = []
    told = []
    for name in ("hex-7", "gomoku-7"):
        steps = [duel for duel in (_best(duels, name, n) for n in (1000, 2000, 5000)) if duel is not None]
        scan = find(duels, scan=name)
        if len(steps) < 3 or not scan:
            return Answer("partly", "the budgets from 1,000 to 10,000 steps are not played at this scale")
        for before, after in pairwise(steps):
            gap, _, high = difference(before.score, after.score)
            verdicts.append("reproduced" if gap > 0 else "not" if high < 0 else "partly")
        near, far = (max(part, key=lambda duel: duel.rate) for part in _split(scan))
        best = max(near.rate, 50.0)
        verdicts.append("reproduced" if best >= far.rate else "not" if far.interval[0] > near.interval[1] else "partly")
        rates = ", ".join(f"{duel.rate:.1f}" for duel in steps)
        at_10000 = f"at 10,000 {near.rate:.1f} % at lambda {near['lambda']:g} and {far.rate:.1f} % at {far['lambda']:g}"
        told.append(f"{_GAMES[name]}: {rates} % at 1,000, 2,000, 5,000 steps; {at_10000}")
    return Answer(both(*verdicts), "; ".join(told))


def _split(scan: Sequence[Duel]) -> tuple[list[Duel], list[Duel]]:
    return [duel for duel in scan if duel["lambda"] >= 0.95], [duel for duel in scan if duel["lambda"] < 0.95]


def _board_answer(duels: Sequence[Duel]) -> Answer:
    """H7: 7x7 < 9x9 < 11x11 at 10,000 steps."""
    found = [_best(duels, f"gomoku-{size}", 10000) for size in (7, 9, 11, 13)]
    played = [duel for duel in found if duel is not None]
    if len(played) < 4:
        return Answer("partly", "10,000 steps are not played on all boards at this scale")
    verdicts: list[Verdict] = []
    for smaller, larger in pairwise(played[:3]):
        gap, _, high = difference(larger.score, smaller.score)
        verdicts.append("reproduced" if gap > 0 else "not" if high < 0 else "partly")
    return Answer(both(*verdicts), "; ".join(_told(duel) for duel in played))


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Figure 7.6: a panel for each kind of game, win rate against steps per move."""
    duels, published = duels_of(rows), _published(claim)
    figure, panels = new_figure(4, width=4.2)
    kinds = {
        "Tic-tac-toe": ["tic-tac-toe"],
        "Connect four": ["connect-four"],
        "Hex": ["hex-7", "hex-11"],
        "Gomoku": [f"gomoku-{size}" for size in (7, 9, 11, 13)],
    }
    for axes, (kind, names) in zip(panels, kinds.items(), strict=True):
        for number, name in enumerate(names):
            label = _GAMES[name].removeprefix(kind).strip() or "ours"
            plot_curve(axes, _bests(duels, name), lambda duel: float(duel["steps"]), label, colour=f"C{number}")
            cells = [(steps, rate) for (game, steps), (rate, _) in published.items() if game == name]
            axes.plot(*zip(*cells, strict=True), "x--", color=f"C{number}", alpha=0.6, linewidth=0.8)
        plot_published(axes, [], [])
        axes.set_xscale("log")
        even_line(axes, kind, "simulated steps per move")
        axes.legend(fontsize="small")
    save_figure(figure, path)
