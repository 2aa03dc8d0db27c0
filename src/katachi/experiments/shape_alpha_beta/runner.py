"""Table 5.2: alpha-beta of depth 1 to 6 on learnt weights, as a tournament rated in Elo, with GNU Go level 0 beside it.

Rows: chunks of games between depths (`depth` against `other`) and against GNU Go (`other` is "gnugo"), after random
opening plies, since none of the depths plays by chance; and for each depth how fast it searches a few positions. Elo is
anchored at GNU Go. Only differences are judged: the level depends on who else plays.
"""

import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.arena.ratings import PairCounts, Ratings, rate
from katachi.core.errors import InvalidArgumentError
from katachi.experiments.duel_plots import new_figure, save_figure
from katachi.experiments.duels import Duel, at_least, both, count_rows, duels_of, only, run_duels, run_others, scored
from katachi.experiments.experiment import Answer, Claim, Progress, Row, Summary, Verdict, summary_of
from katachi.games.registry import make_game
from katachi.players.registry import make_player

__all__ = ["draw", "measure", "run", "summarise", "total"]

_COLUMNS = (
    "player",
    "Elo",
    "95 % interval",
    "published",
    "games",
    "win rate",
    "nodes per CPU second",
    "seconds a move",
)
_MEASURE = "katachi.experiments.shape_alpha_beta.runner:measure"
_GNUGO = "GNU Go level 0"
_GROUPS = ((1,), (2,), (3, 4), (5, 6))  # each is stronger than the one before; within one, depths are equal
_CERTAIN = 0.975  # the 95 % interval of a difference leaves out 0
_ENOUGH = 200  # games of the headline
_OPENING, _STEP = 4, 10  # plies


def total(settings: Mapping[str, Any]) -> int:
    """Chunks of games, and a measurement for each depth."""
    return count_rows(settings) + len(_speeds(settings))


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """What is missing."""
    run_others(_MEASURE, _speeds(settings), rows_path, executor, progress)
    run_duels(settings, rows_path, executor, progress)


def _speeds(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    told = settings["speed"]
    own = {**{name: told[name] for name in ("positions", "weights", "size")}, "seed": settings["seed"]}
    return [{"speed": depth, **own} for depth in told["depths"]]


def measure(work: dict[str, Any]) -> dict[str, Any]:
    """Nodes and CPU seconds of one search in each of some positions of a game between one-ply players."""
    game = make_game("go", size=work["size"], komi=7.5, rules="cgos")
    walker, player = (
        make_player(f"alpha-beta:weights={work['weights']},depth={depth}") for depth in (1, work["speed"])
    )
    rng = Rng(work["seed"]).split("speed")
    state, positions = game.initial_state(), []
    for ply in range(_OPENING + _STEP * work["positions"]):
        if ply < _OPENING:
            actions = list(game.legal_actions(state))
            action = actions[rng.split("opening", ply).next() % len(actions)]
        else:
            if (ply - _OPENING) % _STEP == 0:
                positions.append(state)
            decision = walker.choose(game, state, rng.split("walk", ply))
            assert decision.action is not None  # it does not resign
            action = decision.action
        state, _ = game.play(state, action)
        if game.is_terminal(state):
            break
    nodes, started = 0, time.process_time()
    for number, position in enumerate(positions):
        nodes += player.choose(game, position, rng.split("search", number)).simulations
    return {**work, "searched": len(positions), "nodes": nodes, "seconds": round(time.process_time() - started, 6)}


def _name(side: int | str) -> str:
    return _GNUGO if side == "gnugo" else f"depth {side}"


def _rate(duels: Sequence[Duel], claim: Claim) -> Ratings:
    """Of all games; GNU Go is the anchor if it has played."""
    pairs = []
    for duel in duels:
        first, second = _name(duel["depth"]), _name(duel["other"])
        pairs.append(PairCounts(first, second, *duel.black))
        wins, draws, losses = duel.white  # the second player was Black
        pairs.append(PairCounts(second, first, losses, draws, wins))
    has_anchor = any(duel["other"] == "gnugo" for duel in duels)
    anchor = {_GNUGO: claim.numbers["gnugo"]} if has_anchor else {"depth 1": claim.numbers["elo"][0][1]}
    return rate([pair for pair in pairs if pair.games], anchor)


def _depths(duels: Sequence[Duel]) -> list[int]:
    return sorted({side for duel in duels for side in (duel["depth"], duel["other"]) if side != "gnugo"})


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Ratings, the order of depths, depth 3 against depth 1, speeds."""
    duels = duels_of(rows)
    if not duels:
        raise InvalidArgumentError("there are no games yet")
    ratings = _rate(duels, claim)
    speeds = {f"depth {row['speed']}": row for row in rows if "speed" in row}
    printed = {f"depth {depth}": f"{elo} ± {error}" for depth, elo, error in claim.numbers["elo"]}
    table = []
    for line in sorted(ratings.lines, key=lambda line: line.player):
        speed = speeds.get(line.player)
        pace = ["", ""] if speed is None else [_nodes(speed), f"{speed['seconds'] / speed['searched']:.4f}"]
        elo = [f"{line.elo:.0f}", f"{line.low:.0f} to {line.high:.0f}", printed.get(line.player, "")]
        table.append([line.player, *elo, f"{line.games:.0f}", f"{line.points / line.games:.1%}", *pace])
    answers = {
        "silver-h6": _headline(duels, claim),
        "silver-table-5-2": _order(ratings, _depths(duels), speeds),
    }
    return summary_of(_COLUMNS, table, answers)


def _nodes(speed: Row) -> str:
    return f"{speed['nodes'] / max(speed['seconds'], 1e-9):,.0f}"


def _headline(duels: Sequence[Duel], claim: Claim) -> Answer:
    duel = only(duels, depth=3, other=1)
    if duel is None:
        return Answer("partly", "depth 3 has not played depth 1 yet")
    bar = claim.numbers["bar"]
    verdict = at_least(duel.score, bar)
    text = f"depth 3 against depth 1: {scored(duel)} (bar {bar:g} %)"
    if duel.games < _ENOUGH:
        return Answer(both(verdict, "partly"), f"{text}; the bar is for {_ENOUGH} games")
    return Answer(verdict, text)


def _order(ratings: Ratings, depths: Sequence[int], speeds: Mapping[str, Row]) -> Answer:
    """Every depth of a group against every one of the next: all certain, none the other way round for certain."""
    sure: list[str] = []
    unsure: list[str] = []
    fallen: list[str] = []
    missing: list[str] = []
    for weaker, stronger in pairwise(_GROUPS):
        for low in weaker:
            for high in stronger:
                if low not in depths or high not in depths:
                    missing.append(f"{low} < {high}")
                    continue
                chance = ratings.superiority(f"depth {high}", f"depth {low}")
                told = f"{low} < {high} ({chance:.1%})"
                (sure if chance >= _CERTAIN else fallen if chance <= 1 - _CERTAIN else unsure).append(told)
    elo = ", ".join(f"{depth}: {ratings[f'depth {depth}'].elo:.0f}" for depth in depths)
    pace = ", ".join(f"{_nodes(speeds[name])} at {name}" for name in sorted(speeds))
    text = (
        f"Elo by depth {elo}; {len(sure)} of {len(sure) + len(unsure) + len(fallen)} steps are up with 95 % confidence"
    )
    for word, some in (("not sure", unsure), ("the other way round", fallen), ("not played", missing)):
        text += f"; {word}: {', '.join(some)}" if some else ""
    text += f"; nodes per CPU second: {pace}" if pace else ""
    verdict: Verdict = "not" if fallen else "partly" if unsure or missing else "reproduced"
    return Answer(verdict, text)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Elo against depth beside the printed, and nodes per second."""
    duels = duels_of(rows)
    ratings = _rate(duels, claim)
    depths = _depths(duels)
    figure, (axes, pace) = new_figure(2, width=5)
    lines = [ratings[f"depth {depth}"] for depth in depths]
    errors = [[line.elo - line.low for line in lines], [line.high - line.elo for line in lines]]
    axes.errorbar(depths, [line.elo for line in lines], yerr=errors, fmt="o-", capsize=3, label="ours")
    known, elo, spread = zip(*claim.numbers["elo"], strict=True)
    axes.errorbar(known, elo, yerr=spread, fmt="X", color="black", capsize=3, label="published, other opponents")
    if any(line.player == _GNUGO for line in ratings.lines):
        axes.axhline(ratings[_GNUGO].elo, color="C1", linestyle="--", label=f"{_GNUGO} (anchor)")
    axes.set_xlabel("depth")
    axes.set_ylabel("Elo, 95 % intervals")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    speeds = {row["speed"]: row for row in sorted(rows, key=lambda row: row.get("speed", 0)) if "speed" in row}
    pace.bar(list(speeds), [row["nodes"] / max(row["seconds"], 1e-9) / 1e6 for row in speeds.values()])
    pace.set_xlabel("depth")
    pace.set_ylabel("nodes per CPU second, millions")
    save_figure(figure, path)
