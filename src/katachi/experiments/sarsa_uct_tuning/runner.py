"""Figures 7.1 to 7.3: the C_p at which two UCT players are most equal, the best answer to it, then the best lambda.

Beside the grid, learning automata seek lambda as the dissertation did: a trial is a few games with one value, and a
success if they brought more than the trials before in the mean (when a trial succeeds is not printed; that is ours). A
row is a chunk of games or a whole run of an automaton, which is a chain of trials and cannot be cut.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from katachi._core import Rng
from katachi.arena.automaton import Automaton, AutomatonSettings
from katachi.arena.executor import Executor
from katachi.arena.statistics import Score
from katachi.core.errors import InvalidArgumentError
from katachi.experiments.duel_plots import (
    even_line,
    new_figure,
    plot_curve,
    plot_published,
    plot_scores,
    save_figure,
    spread,
)
from katachi.experiments.duels import (
    Duel,
    best_of,
    both,
    count_rows,
    difference,
    duels_of,
    find,
    is_above,
    near_best,
    only,
    percent,
    play_chunk,
    run_duels,
    run_others,
    scored,
)
from katachi.experiments.experiment import Answer, Claim, Progress, Row, Summary, Verdict, summary_of

__all__ = ["draw", "run", "run_automaton", "summarise", "total"]

_COLUMNS = (
    "part",
    "steps",
    "C_p",
    "lambda",
    "win rate of the first player",
    "first move: win, draw, loss in %",
    "games",
)
_AUTOMATON = "katachi.experiments.sarsa_uct_tuning.runner:run_automaton"


def total(settings: Mapping[str, Any]) -> int:
    """Chunks of games, and runs of automata."""
    return count_rows(settings) + len(_automata(settings))


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Plays what is missing."""
    run_duels(settings, rows_path, executor, progress)
    run_others(_AUTOMATON, _automata(settings), rows_path, executor, progress)


def _automata(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = []
    for told in settings["automaton"]:
        own = {key: value for key, value in told.items() if key != "runs"}
        found += [{"automaton": number, "seed": settings["seed"], **own} for number in range(told["runs"])]
    return found


def run_automaton(work: dict[str, Any]) -> dict[str, Any]:
    """All its trials; how often each value was tried, and the probabilities at the end."""
    automaton = Automaton(len(work["values"]), AutomatonSettings(reward=work["reward"], penalty=work["penalty"]))
    rng = Rng(work["seed"]).split("automaton", work["automaton"]).split("steps", work["steps"])
    tried, score = [0] * len(work["values"]), Score(0, 0)
    for trial in range(work["trials"]):
        place = automaton.choose(rng.split("value", trial))
        row = play_chunk({
            "game": "tic-tac-toe", "options": {}, "labels": {}, "chunk": trial, "begin": 0, "end": work["games"],
            "first": work["first"].format(value=work["values"][place]), "second": work["second"],
            "seed": rng.split("games", trial).next() % 2**63,
        })  # fmt: skip
        points = Score(row["wins"] + row["draws"] / 2, row["games"])
        automaton.update(place, points.win_rate > score.win_rate)
        score += points
        tried[place] += 1
    return {**work, "tried": tried, "p": [round(share, 6) for share in automaton.p]}


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """The three steps, each at each budget."""
    duels = duels_of(rows)
    if not duels:
        raise InvalidArgumentError("there are no games yet")
    table = []
    for part in ("equal", "counter", "lambda"):
        for duel in sorted(find(duels, part=part), key=lambda duel: int(duel["steps"])):
            c_p = duel.labels.get("c_p", duel.labels.get("opponent_c_p"))
            lambda_ = duel.labels.get("lambda", "")
            first = " ".join(f"{100 * share:.1f}" for share in _first_mover(duel))
            cells = [str(c_p), str(lambda_), percent(duel.score), first if part == "equal" else "", f"{duel.games:,}"]
            table.append([part, f"{duel['steps']:,}", *cells])
    automata = [row for row in rows if "automaton" in row]
    for row in sorted(automata, key=lambda row: (row["steps"], row["automaton"])):
        likely = row["values"][max(range(len(row["p"])), key=lambda place: row["p"][place])]
        shares = ", ".join(f"{value:g}: {100 * p:.0f} %" for value, p in zip(row["values"], row["p"], strict=True))
        told = [f"{row['steps']:,}", "", f"{likely:g}", shares, "", f"{row['trials'] * row['games']:,}"]
        table.append([f"automaton {row['automaton'] + 1}", *told])
    printed = [told for told in claim.numbers["published"] if find(duels, steps=told[0])]
    answers = {
        "vodopivec-fig-7-1": _joined([_equal(duels, steps, c_p) for steps, c_p, _, _ in printed]),
        "vodopivec-fig-7-2": _joined([_counter(duels, steps, c_p) for steps, c_p, _, _ in printed]),
        "vodopivec-fig-7-3": _joined([_lambda(duels, rows, *told) for told in printed]),
    }
    return summary_of(_COLUMNS, table, answers)


def _joined(answers: Sequence[Answer]) -> Answer:
    verdict = both(*(answer.verdict for answer in answers))
    return Answer(verdict, "; ".join(answer.result for answer in answers))


def _first_mover(duel: Duel) -> tuple[float, float, float]:
    """Shares of wins, draws and losses of whoever moves first, when both players are the same."""
    wins, draws, losses = duel.black[0] + duel.white[2], duel.black[1] + duel.white[1], duel.black[2] + duel.white[0]
    return wins / duel.games, draws / duel.games, losses / duel.games


def _first_score(duel: Duel) -> Score:
    wins, draws, _ = _first_mover(duel)
    return Score((wins + draws / 2) * duel.games, duel.games)


def _equal(duels: Sequence[Duel], steps: int, printed: float) -> Answer:
    """Most equal: where moving first is worth least. The printed C_p must not be less equal for certain."""
    line = find(duels, part="equal", steps=steps)
    flat = min(line, key=lambda duel: abs(_first_score(duel).win_rate - 0.5))
    text = f"{steps:,} steps: moving first is worth least at C_p {flat['c_p']:g} ({percent(_first_score(flat))})"
    there = only(duels, part="equal", steps=steps, c_p=printed)
    if there is None:
        return Answer("partly", text)
    text += f", at the published {printed:g} {percent(_first_score(there))}"
    _, low, _ = difference(_first_score(there), _first_score(flat))
    return Answer("reproduced" if low <= 0 else "not", text)


def _counter(duels: Sequence[Duel], steps: int, printed: float) -> Answer:
    """No C_p beats the fixed one for certain, with as many candidates as there are."""
    line = find(duels, part="counter", steps=steps)
    best = best_of(line)
    text = f"{steps:,} steps against C_p {printed:g}: the best of {len(line)} is {best['c_p']:g} with {scored(best)}"
    return Answer("not" if is_above(best.score, 50, cells=len(line)) else "reproduced", text)


def _lambda(duels: Sequence[Duel], rows: Sequence[Row], steps: int, _c_p: float, lambda_: float, rate: float) -> Answer:
    """The printed lambda is among the best, with the printed win rate."""
    line = find(duels, part="lambda", steps=steps)
    if not line:
        return Answer("partly", f"{steps:,} steps: no games at this scale")
    best = best_of(line)
    text = f"{steps:,} steps: best lambda {best['lambda']:g} with {scored(best)} (published {lambda_:g}, {rate:g} %)"
    likely = [row["values"][row["p"].index(max(row["p"]))] for row in rows if row.get("steps") == steps and "p" in row]
    if likely:
        text += f", automata settled on {', '.join(f'{value:g}' for value in sorted(likely))}"
    among = any(duel["lambda"] == lambda_ for duel in near_best(line))
    verdict: Verdict = "reproduced" if among and abs(best.rate - rate) <= 4 else "partly" if among else "not"
    return Answer(verdict, text)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Three panels for each budget."""
    duels = duels_of(rows)
    budgets = [told for told in claim.numbers["published"] if find(duels, steps=told[0])]
    figure, panels = new_figure(3, len(budgets))
    for number, (steps, c_p, lambda_, rate) in enumerate(budgets):
        equal, counter, sought = panels[3 * number : 3 * number + 3]
        line = find(duels, part="equal", steps=steps)
        for place, name in enumerate(("win", "draw", "loss")):
            shares = [Score(_first_mover(duel)[place] * duel.games, duel.games) for duel in line]
            plot_scores(equal, [duel["c_p"] for duel in line], shares, f"{name} of the first mover")
        even_line(equal, f"UCT against UCT, {steps:,} steps", "C_p of both")
        equal.axvline(c_p, color="black", linestyle=":", label="published C_p")
        equal.set_ylabel("%, 95 % intervals")
        line = find(duels, part="counter", steps=steps)
        plot_curve(counter, line, lambda duel: float(duel["c_p"]), "ours", colour="C0")
        counter.axvline(c_p, color="black", linestyle=":", label="published C_p")
        even_line(counter, f"UCT against UCT with C_p {c_p:g}", "C_p")
        line = find(duels, part="lambda", steps=steps)
        places = spread([*(duel["lambda"] for duel in line), lambda_])
        where = {id(duel): places[duel["lambda"]] for duel in line}
        plot_curve(sought, line, lambda duel: where[id(duel)], "ours", colour="C0")  # noqa: B023
        plot_published(sought, [places[lambda_]], [rate])
        even_line(sought, f"Sarsa-UCT(lambda) against UCT, C_p {c_p:g}", "lambda", places)
        _draw_automata(sought, [row for row in rows if row.get("steps") == steps and "p" in row], places)
        for axes in (equal, counter, sought):
            axes.legend(fontsize="small")
    save_figure(figure, path)


def _draw_automata(axes: Any, runs: Sequence[Row], places: Mapping[float, float]) -> None:  # noqa: ANN401
    """Mean probabilities at the end, as bars on an axis of their own."""
    if not runs:
        return
    means = {
        value: sum(row["p"][place] for row in runs) / len(runs)
        for place, value in enumerate(runs[0]["values"])
        if value in places
    }
    other = axes.twinx()
    other.bar([places[value] for value in means], list(means.values()), width=0.5, color="C1", alpha=0.3)
    other.set_ylim(0, 1)
    other.set_ylabel("probability of the automata", color="C1")
