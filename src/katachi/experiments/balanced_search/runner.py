"""Beyond the sources: the balanced policy in the tree of MC-RAVE on 9x9, against the handcrafted one.

At equal simulations, and at equal time. Time is told in simulations, since a clock would measure what else the machine
does: the settings give the dearer policy fewer of them, and rows of the kind `speed` say what a simulation costs.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import find, run_others
from katachi.experiments.experiment import Claim, Progress, Row, Summary
from katachi.experiments.go_duels import beats, count_rows, mixed, played, run_duels, summary
from katachi.games.go.game import GoGame
from katachi.players.registry import make_player

__all__ = ["draw", "run", "summarise", "think", "total"]

_THINK = "katachi.experiments.balanced_search.runner:think"


def total(settings: Mapping[str, Any]) -> int:
    """Chunks, and speeds."""
    return count_rows(settings) + len(settings["speed"])


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Measures and plays what is missing."""
    run_others(_THINK, [{"speed": dict(told)} for told in settings["speed"]], rows_path, executor, progress)
    run_duels(settings, rows_path, executor, progress)


def think(work: dict[str, Any]) -> Row:
    """CPU seconds of some searches of the empty board: the least of several, as others use the machine, too."""
    told = work["speed"]
    game, player = GoGame(told["size"]), make_player(told["player"])
    seconds = []
    for number in range(told["repeats"]):
        started = time.process_time()
        player.choose(game, game.initial_state(), Rng(1).split("speed", number))
        seconds.append(time.process_time() - started)
    return {**work, "seconds": round(min(seconds), 4)}


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Does it win at equal simulations, and at equal time? Are the times equal?"""
    duels = played(rows)
    findings = [
        beats(
            f"at equal {budget}, {duel['sims']:,} simulations against {duel['rival_sims']:,} with {duel['rival']}", duel
        )
        for budget in ("simulations", "time")
        for duel in find(duels, budget=budget)
    ]
    answer, told = mixed(findings), summary(duels, claim, {})
    result = f"{answer.result}; {_costs(rows)}"
    return Summary(told.columns, told.table, result, answer.verdict, result)


def _costs(rows: Sequence[Row]) -> str:
    """What a simulation costs, by policy."""
    costs = {row["speed"]["policy"]: 1e6 * row["seconds"] / row["speed"]["sims"] for row in rows if "speed" in row}
    told = ", ".join(f"{policy} {cost:.0f}" for policy, cost in sorted(costs.items()))
    return f"CPU microseconds of a simulation: {told or 'not measured'}"


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Win rates by budget."""
    draw_panels(played(rows), [Panel("MC-RAVE with the balanced policy", "rival", "budget")], path)
