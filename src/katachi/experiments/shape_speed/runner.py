"""Section 5.7.1: how many positions are valued in a CPU second, and which share of the training time is learning.

A row is a repetition: games, moves, afterstate values and CPU seconds of self-play that learns, of the same without
learning (alpha = 0: nothing is collected), and of greedy self-play, all on the same weights (katachi.bench), beside the
calibration loop. The best of all repetitions counts, since others may be at work on the machine. The share is what a
move costs more where there is learning; games differ in length, so that moves are compared, not games.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from katachi.arena.executor import Executor
from katachi.bench import SELF_PLAY_KINDS, calibration_rate, self_play_kinds, self_play_pace
from katachi.core.errors import InvalidArgumentError
from katachi.experiments.duel_plots import new_figure, save_figure
from katachi.experiments.duels import run_others
from katachi.experiments.experiment import Answer, Claim, Progress, Row, Summary, summary_of

__all__ = ["draw", "measure", "run", "summarise", "total"]

_COLUMNS = ("self-play", "values per CPU second", "moves", "games", "microseconds a move")
_MEASURE = "katachi.experiments.shape_speed.runner:measure"
_FEW = 5  # repetitions below which the best says little


def total(settings: Mapping[str, Any]) -> int:
    """Repetitions."""
    return int(settings["repetitions"])


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """What is missing."""
    own = {name: settings[name] for name in ("warm_up", "games", "seed")}
    wanted = [{"repetition": number, **own} for number in range(settings["repetitions"])]
    run_others(_MEASURE, wanted, rows_path, executor, progress)


def measure(work: dict[str, Any]) -> dict[str, Any]:
    """One repetition; which kind comes first changes."""
    plays = self_play_kinds(work["warm_up"], work["seed"])
    turn = work["repetition"] % len(SELF_PLAY_KINDS)
    found = {
        kind: self_play_pace(plays[kind], work["games"]) for kind in SELF_PLAY_KINDS[turn:] + SELF_PLAY_KINDS[:turn]
    }
    return {**work, **{kind: found[kind] for kind in SELF_PLAY_KINDS}, "draws_per_second": calibration_rate(0.2)}


def _best(rows: Sequence[Row], kind: str, unit: str) -> float:
    """Per CPU second, in the best repetition."""
    return max(float(row[kind][unit] / row[kind]["seconds"]) for row in rows)


def _share(rows: Sequence[Row]) -> float:
    """Of the training time, that is learning: from the best of each, not from one repetition."""
    return 1 - _best(rows, "learning", "moves") / _best(rows, "exploring", "moves")


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Rates of the three kinds, the bar, the share."""
    if not rows:
        raise InvalidArgumentError("nothing is measured yet")
    table = []
    for kind in SELF_PLAY_KINDS:
        values, moves, games = (_best(rows, kind, unit) for unit in ("values", "moves", "games"))
        table.append([kind, f"{values:,.0f}", f"{moves:,.0f}", f"{games:,.0f}", f"{1e6 / moves:.1f}"])
    bar, printed = claim.numbers["bar"], claim.numbers["learning_share"]
    slowest = min(SELF_PLAY_KINDS, key=lambda kind: _best(rows, kind, "values"))
    rate = _best(rows, slowest, "values")
    draws = max(row["draws_per_second"] for row in rows)
    share = _share(rows)
    text = f"at least {rate / 1e6:.1f} million values a CPU second ({slowest}; bar {bar / 1e6:g} million, published "
    text += f"{claim.numbers['evaluations'] / 1e6:g} at 2 GHz), calibration {draws / 1e6:,.0f} million draws; "
    text += f"learning takes {share:.0%} of the training time (published about {printed:.0%}; told, not judged), "
    text += f"best of {len(rows)}"
    if rate < bar:
        return summary_of(_COLUMNS, table, {"silver-sec-5-7-1-speed": Answer("not", text)})
    if len(rows) < _FEW:
        return summary_of(_COLUMNS, table, {"silver-sec-5-7-1-speed": Answer("partly", f"{text}: too few")})
    # The share belongs to the program and its machine: it is told, and only the speed is judged.
    return summary_of(_COLUMNS, table, {"silver-sec-5-7-1-speed": Answer("reproduced", text)})


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Values per second with the bar, and what a move costs."""
    figure, (values, moves) = new_figure(2, width=4.8)
    names = list(SELF_PLAY_KINDS)
    values.bar(names, [_best(rows, kind, "values") / 1e6 for kind in names], color="C0")
    values.axhline(claim.numbers["bar"] / 1e6, color="black", linestyle="--", label="bar: 1 million")
    values.axhline(claim.numbers["evaluations"] / 1e6, color="C3", linestyle=":", label="published, 2 GHz")
    values.set_ylabel("afterstate values per CPU second, millions")
    values.set_title(f"the best of {len(rows)}", fontsize="medium")
    values.legend(fontsize="small")
    costs = [1e6 / _best(rows, kind, "moves") for kind in names]
    moves.bar(names, costs, color="C1")
    moves.set_ylabel("CPU microseconds a move")
    share = f"learning: {_share(rows):.0%} of the time (published {claim.numbers['learning_share']:.0%})"
    moves.set_title(share, fontsize="medium")
    save_figure(figure, path)
