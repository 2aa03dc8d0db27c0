"""Figure 6.2 and the speeds of 6.9.1: T moves by what is learnt, then a default policy.

Rows: chunks of games of each T against a search that never switches, and for each kind of search how many simulations
it makes in a CPU second, over positions of one game.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel, find, only, run_others, values_of
from katachi.experiments.experiment import Answer, Claim, Progress, Row, Summary, Verdict
from katachi.experiments.go_duels import (
    Finding,
    all_of,
    best_within,
    count_rows,
    headline,
    mixed,
    played,
    reaches,
    run_duels,
    summary,
)
from katachi.games.registry import make_game
from katachi.players.registry import make_player

__all__ = ["draw", "measure", "run", "summarise", "total"]

_MEASURE = "katachi.experiments.td_search_switch.runner:measure"
_SEARCHES = {
    "never": "td-search:sims={sims},switch_after=never",
    "switch": "td-search:sims={sims}",
    "uct": "uct-vanilla:sims={sims},playout_policy=fuego",
}
_STEP = 8  # moves between two positions
_USUAL = 6  # T


def total(settings: Mapping[str, Any]) -> int:
    """Chunks of games, and measurements."""
    return count_rows(settings) + len(_speeds(settings))


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """What is missing."""
    run_others(_MEASURE, _speeds(settings), rows_path, executor, progress)
    run_duels(settings, rows_path, executor, progress)


def _speeds(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    told = dict(settings["speed"])
    repetitions = range(told.pop("repetitions"))
    return [
        {"speed": name, "repetition": number, **told, "seed": settings["seed"]}
        for number in repetitions
        for name in _SEARCHES
    ]


def measure(work: dict[str, Any]) -> dict[str, Any]:
    """Simulations and CPU seconds of a search in each of some positions of a game."""
    game = make_game("go", size=work["size"], komi=7.5, rules="cgos")
    walker = make_player("td-search:sims=20")
    player = make_player(_SEARCHES[work["speed"]].format_map(work))
    rng = Rng(work["seed"]).split("speed")
    state, simulations, seconds = game.initial_state(), 0, 0.0
    for ply in range(_STEP * work["positions"]):
        if game.is_terminal(state):
            break
        if ply % _STEP == 0:
            started = time.process_time()
            simulations += player.choose(game, state, rng.split("search", ply)).simulations
            seconds += time.process_time() - started
        action = walker.choose(game, state, rng.split("walk", ply)).action
        assert action is not None  # it does not resign
        state, _ = game.play(state, action)
    return {**work, "simulations": simulations, "seconds": round(seconds, 6)}


def _paces(rows: Sequence[Row]) -> dict[str, float]:
    """Simulations per CPU second, the best of the repetitions."""
    found: dict[str, float] = {}
    for row in rows:
        if "speed" in row:
            found[row["speed"]] = max(found.get(row["speed"], 0.0), row["simulations"] / max(row["seconds"], 1e-9))
    return found


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Where the best T is, and what it is worth and costs."""
    duels, paces = played(rows), _paces(rows)
    ratio = _faster("T = 6", "never switching", paces.get("switch"), paces.get("never"), claim.numbers["ratio"])
    answers = {
        "silver-fig-6-2": _best(duels, claim),
        "silver-sec-6-9-1-speed": _speed(paces, ratio, claim),
        "silver-h9": headline(duels, claim, "silver-h9", ratio),
    }
    blank = [""] * 5
    table = [
        [_SEARCHES[name].format(sims="N"), *blank, f"{pace:,.0f} simulations per CPU second"]
        for name, pace in sorted(paces.items())
    ]
    return summary(duels, claim, answers, table)


def _faster(one: str, other: str, pace: float | None, than: float | None, bar: float) -> Finding:
    if pace is None or than is None:
        return Finding("partly", f"{one} and {other}: speed was not measured")
    verdict: Verdict = "reproduced" if pace >= bar * than else "not"
    return Finding(verdict, f"{one} is {pace / than:.1f} times as fast as {other} (bar {bar:g})")


def _speed(paces: Mapping[str, float], ratio: Finding, claim: Claim) -> Answer:
    """The order, the ratio of the headline, and nothing slower than in 2009."""
    findings = [ratio, _faster("UCT", "T = 6", paces.get("uct"), paces.get("switch"), 1)]
    for name, printed in claim.numbers["speed"].items():
        if name in paces:
            verdict: Verdict = "reproduced" if paces[name] >= printed else "not"
            findings.append(Finding(verdict, f"{name}: {paces[name]:,.0f} per CPU second (printed {printed:,})"))
    return all_of(findings)


def _best(duels: Sequence[Duel], claim: Claim) -> Answer:
    """At each number of simulations: the best T is between 2 and 8, and 300 Elo above never."""
    low, high = claim.numbers["best"]
    findings = []
    for sims in values_of(duels, "sims"):
        line = find(duels, sims=sims)
        findings.append(best_within(f"{sims:,} simulations", line, "switch", low, high, "T"))
        findings.append(reaches(f"T = {_USUAL} against never", only(line, switch=_USUAL), claim.numbers["gain"]))
    return mixed(findings)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Win rate over T, a curve for each number of simulations."""
    draw_panels(played(rows), [Panel("switching after T moves against never", "switch", "sims", bar=70)], path)
