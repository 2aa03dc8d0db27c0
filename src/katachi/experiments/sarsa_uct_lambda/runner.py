"""Figures 7.4 and 7.5: win rate over lambda at each budget, and what a fixed lambda costs at another budget.

The gain on a toy game stands beside it: one row for each lambda, budget and size of Shortest walk, with how many
searches prefer the right step at the start (tree, one node per episode, epsilon-greedy 0.1, as in Vodopivec 6.1).
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.arena.statistics import Score
from katachi.core.errors import InvalidArgumentError
from katachi.core.limit import Limit
from katachi.experiments.duel_plots import even_line, new_figure, plot_curve, plot_published, save_figure, spread
from katachi.experiments.duels import (
    Duel,
    below,
    best_of,
    both,
    count_rows,
    difference,
    duels_of,
    find,
    near_best,
    only,
    percent,
    run_duels,
    run_others,
    scored,
)
from katachi.experiments.experiment import Answer, Claim, Progress, Row, Summary, Verdict, summary_of
from katachi.games.registry import make_game
from katachi.search.searches import TreeSearch
from katachi.search.tree_settings import preset

__all__ = ["draw", "play_toy", "run", "summarise", "total"]

_COLUMNS = ("game", "steps", "lambda", "win rate", "games", "")
_TOY = "katachi.experiments.sarsa_uct_lambda.runner:play_toy"
_RIGHT = 1  # the step towards the goal


def total(settings: Mapping[str, Any]) -> int:
    """Chunks of games, and one row for each cell of the toy."""
    return count_rows(settings) + len(_toys(settings))


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Plays what is missing."""
    run_duels(settings, rows_path, executor, progress)
    run_others(_TOY, _toys(settings), rows_path, executor, progress)


def _toys(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    toy = settings["toy"]
    return [
        {"toy": size, "steps": steps, "lambda": lambda_, "searches": toy["searches"], "seed": settings["seed"]}
        for size in toy["sizes"]
        for steps in toy["steps"]
        for lambda_ in toy["lambdas"]
    ]


def play_toy(work: dict[str, Any]) -> dict[str, Any]:
    """How many searches from the start of Shortest walk prefer the right step."""
    game = make_game("shortest-walk", size=work["toy"])
    state = game.initial_state()
    settings = preset("sarsa-uct", lambda_=work["lambda"], control="epsilon-greedy", epsilon=0.1)
    rng = Rng(work["seed"]).split("toy", work["toy"]).split("steps", work["steps"])
    right = 0
    for number in range(work["searches"]):
        own = rng.split("search", number)
        search = TreeSearch(game, state, rng=own, settings=settings)
        search.run(Limit(steps=work["steps"]))
        right += search.best(own.split("ties")) == _RIGHT
    return {**work, "right": right}


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """A line for each cell, an answer for each claim."""
    duels = duels_of(rows)
    if not duels:
        raise InvalidArgumentError("there are no games yet")
    table = []
    for board in _boards(duels):
        for steps in _budgets(duels, board):
            line = find(duels, board=board, steps=steps)
            best, near = best_of(line), near_best(line)
            for duel in line:
                mark = "best" if duel is best else "as good" if duel in near else ""
                told = [percent(duel.score), f"{duel.games:,}", mark]
                table.append([board, f"{steps:,}", f"{duel['lambda']:g}", *told])
    for row in _toy_rows(rows):
        right = percent(_right(row)).replace(" (", " right (", 1)
        name = f"Shortest walk of {row['toy']}"
        table.append([name, f"{row['steps']:,}", f"{row['lambda']:g}", right, f"{row['searches']:,}", ""])
    others = [board for board in _boards(duels) if board != "Tic-tac-toe"]
    answers = {
        "vodopivec-fig-7-4": _moves(duels, others),
        "vodopivec-fig-7-5": _tic_tac_toe(duels),
        "vodopivec-h8": _zero(duels),
        "vodopivec-sec-8-1-variable-budget": _fixed(duels),
        "vodopivec-sec-8-1-time-and-gain": _time(duels, rows),
    }
    return summary_of(_COLUMNS, table, answers)


def _boards(duels: Sequence[Duel]) -> list[str]:
    return sorted({str(duel["board"]) for duel in duels}, key=lambda board: (not board.startswith("Tic"), board))


def _budgets(duels: Sequence[Duel], board: str) -> list[int]:
    return sorted({int(duel["steps"]) for duel in find(duels, board=board)})


def _bests(duels: Sequence[Duel], board: str) -> list[Duel]:
    return [best_of(find(duels, board=board, steps=steps)) for steps in _budgets(duels, board)]


def _moves(duels: Sequence[Duel], boards: Sequence[str]) -> Answer:
    """Up from the smallest to the largest budget, and down nowhere for certain."""
    verdicts, told = list[Verdict](), []
    for board in boards:
        bests = _bests(duels, board)
        if len(bests) < 2:
            return Answer("partly", f"{board}: one budget only")
        highest = [max(d["lambda"] for d in near_best(find(duels, board=board, steps=b["steps"]))) for b in bests]
        falls = any(high < before["lambda"] for before, high in zip(bests, highest[1:], strict=False))
        rises = bests[-1]["lambda"] > bests[0]["lambda"]
        verdicts.append("not" if falls else "reproduced" if rises else "partly")
        cells = ", ".join(f"{best['lambda']:g} at {best['steps']:,} ({best.rate:.1f} %)" for best in bests)
        told.append(f"{board}: best lambda {cells}")
    return Answer(both(*verdicts), "; ".join(told) or "no games at this scale")


def _tic_tac_toe(duels: Sequence[Duel]) -> Answer:
    """The same, and lambda = 1 is UCT."""
    moves = _moves(duels, ["Tic-tac-toe"])
    ones = find(duels, board="Tic-tac-toe", lambda_=1.0)
    merged = sum((duel.score for duel in ones), Score(0, 0))
    low, high = merged.interval
    verdict: Verdict = "reproduced" if low <= 0.5 <= high else "not"
    return Answer(
        both(moves.verdict, verdict), f"{moves.result}; lambda 1 against UCT over all budgets {percent(merged)}"
    )


def _zero(duels: Sequence[Duel]) -> Answer:
    duel = only(duels, board="Tic-tac-toe", steps=100, lambda_=0.0)
    if duel is None:
        return Answer("partly", "Tic-tac-toe with 100 steps and lambda = 0 is not played at this scale")
    return Answer(below(duel.score, 40), f"Tic-tac-toe, 100 steps, lambda 0: {scored(duel)} (bar: below 40 %)")


def _fixed(duels: Sequence[Duel]) -> Answer:
    """The best lambda of the smallest budget, at all others."""
    told, worse, lower = [], 0, 0
    for board in _boards(duels):
        first, *_ = bests = _bests(duels, board)
        later = [only(duels, board=board, steps=best["steps"], lambda_=first["lambda"]) for best in bests[1:]]
        played = [duel for duel in later if duel is not None]
        worse += any(duel.interval[1] < 50 for duel in played)
        lower += any(duel.rate < 50 for duel in played)
        cells = ", ".join(f"{percent(duel.score)} at {duel['steps']:,}" for duel in played)
        told.append(
            f"{board}: lambda {first['lambda']:g} has {first.rate:.1f} % at {first['steps']:,} steps, then {cells}"
        )
    return Answer("reproduced" if worse else "partly" if lower else "not", "; ".join(told))


def _time(duels: Sequence[Duel], rows: Sequence[Row]) -> Answer:
    """Less gain with more time in games for two; more on the toy, and on a smaller one."""
    verdicts, told = list[Verdict](), []
    for board in _boards(duels):
        bests = _bests(duels, board)
        _, low, high = difference(bests[0].score, bests[-1].score)
        verdicts.append("reproduced" if low > 0 else "not" if high < 0 else "partly")
        ends = [f"{best.rate:.1f} % at {best['steps']:,}" for best in (bests[0], bests[-1])]
        told.append(f"{board} {ends[0]} and {ends[1]} steps")
    gains = _gains(rows)
    for size, line in gains.items():
        told.append(f"walk of {size}: gain {', '.join(f'{gain:+.0f} points at {n:,}' for n, gain in line.items())}")
    middle = sorted(gains)[len(gains) // 2] if gains else None
    if middle is not None:
        line = gains[middle]
        verdicts.append("reproduced" if line[max(line)] > line[min(line)] else "partly")
        smaller = [gains[size][min(gains[size])] for size in sorted(gains)]
        verdicts.append("reproduced" if all(a >= b for a, b in pairwise(smaller)) else "partly")
    return Answer(both(*verdicts), "; ".join(told))


def _toy_rows(rows: Sequence[Row]) -> list[Row]:
    return sorted((row for row in rows if "toy" in row), key=lambda row: (row["toy"], row["steps"], row["lambda"]))


def _right(row: Row) -> Score:
    return Score(row["right"], row["searches"])


def _gains(rows: Sequence[Row]) -> dict[int, dict[int, float]]:
    """By size and budget: right choices of the best lambda < 1, less those of lambda = 1, in points."""
    shares: dict[tuple[int, int], dict[float, float]] = {}
    for row in _toy_rows(rows):
        shares.setdefault((row["toy"], row["steps"]), {})[row["lambda"]] = 100 * _right(row).win_rate
    found: dict[int, dict[int, float]] = {}
    for (size, steps), line in shares.items():
        less = [share for lambda_, share in line.items() if lambda_ < 1]
        if less and 1.0 in line:
            found.setdefault(size, {})[steps] = max(less) - line[1.0]
    return found


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """A panel for each game, a curve for each budget; crosses are the printed bests."""
    duels = duels_of(rows)
    boards = _boards(duels)
    figure, panels = new_figure(len(boards), width=5)
    for axes, board in zip(panels, boards, strict=True):
        cells = [told for told in claim.numbers["published"] if told[0] == board and told[1] in _budgets(duels, board)]
        places = spread([*(duel["lambda"] for duel in find(duels, board=board)), *(told[2] for told in cells)])
        for number, steps in enumerate(_budgets(duels, board)):
            line = find(duels, board=board, steps=steps)
            where = {id(duel): places[duel["lambda"]] for duel in line}
            label, shift = f"{steps:,} steps", 0.06 * number
            plot_curve(axes, line, lambda duel: where[id(duel)], label, colour=f"C{number}", shift=shift)  # noqa: B023
            printed = [told for told in cells if told[1] == steps]
            x = [places[told[2]] + shift for told in printed]
            plot_published(axes, x, [told[3] for told in printed], None, colour=f"C{number}")
        plot_published(axes, [], [], "published best", colour="white")
        even_line(axes, board, "lambda", places)
        axes.legend(fontsize="small")
    save_figure(figure, path)
