"""H1: both searches with the same seed memorise the same tree. H18: the CPU time of a simulated step.

Rows: chunks of games of Sarsa-UCT(1) against UCT; a comparison of two trees for each game and seed; a measurement for
each game and repetition. UCT learns from returns, Sarsa-UCT from TD errors. Both are measured in the same native loop
(cpp/search/tree_learner.cpp), so that the times tell what a step costs here, not what the leanest UCT would save.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.arena.statistics import Score
from katachi.core.errors import InvalidArgumentError
from katachi.core.limit import Limit
from katachi.experiments.duel_plots import new_figure, save_figure
from katachi.experiments.duels import between, both, count_rows, duels_of, percent, run_duels, run_others
from katachi.experiments.experiment import Answer, Claim, Progress, Row, Summary, Verdict, summary_of
from katachi.games.registry import make_game
from katachi.search.searches import TreeSearch
from katachi.search.tree_settings import TreeSearchSettings, preset

__all__ = ["compare_trees", "draw", "measure", "run", "summarise", "total"]

_GAMES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tic-tac-toe", {}),
    ("connect-four", {}),
    ("gomoku", {"size": 7}),
    ("gomoku", {"size": 11}),
    ("hex", {"size": 7}),
)
_COLUMNS = ("what", "game", "seeds, games or repetitions", "result")
_HERE = "katachi.experiments.sarsa_uct_equivalence.runner"
_TOLERANCE = 1e-9  # of values
_BAND = 48.8, 51.2  # per cent, over 8,000 games
_MOST = 1.15  # times the time of UCT
_LAMBDAS = 1.0, 0.8


def total(settings: Mapping[str, Any]) -> int:
    """Chunks of games, pairs of trees, measurements."""
    return count_rows(settings) + len(_trees(settings)) + len(_costs(settings))


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """What is missing."""
    run_duels(settings, rows_path, executor, progress)
    run_others(f"{_HERE}:compare_trees", _trees(settings), rows_path, executor, progress)
    run_others(f"{_HERE}:measure", _costs(settings), rows_path, executor, progress)


def _trees(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    told = settings["trees"]
    own = {"steps": told["steps"], "c_p": told["c_p"], "seed": settings["seed"]}
    return [
        {"tree": number, "game": game, "options": options, **own}
        for game, options in _GAMES
        for number in range(told["seeds"])
    ]


def _costs(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    told = settings["cost"]
    own = {"steps": told["steps"], "c_p": told["c_p"], "seed": settings["seed"]}
    return [
        {"cost": number, "game": game, "options": options, **own}
        for number in range(told["repetitions"])
        for game, options in _GAMES
    ]


def _search(work: Mapping[str, Any], settings: TreeSearchSettings, number: int) -> TreeSearch:
    game = make_game(work["game"], **work["options"])
    rng = Rng(work["seed"]).split(work["game"]).split("search", number)
    return TreeSearch(game, game.initial_state(), rng=rng, settings=settings)


def compare_trees(work: dict[str, Any]) -> dict[str, Any]:
    """Nodes of UCT, how many of them Sarsa-UCT(1) has not or with other visits, and how far values are apart."""
    found = []
    for settings in (
        preset("uct", c_p=work["c_p"]),
        preset("sarsa-uct", lambda_=1.0, c_p=work["c_p"]),
    ):
        search = _search(work, settings, work["tree"])
        search.run(Limit(steps=work["steps"]))
        found.append(_nodes(search))
    mean, td = found
    unlike = sum(way not in td or td[way][0] != visits for way, (visits, _) in mean.items())
    unlike += sum(way not in mean for way in td)
    apart = max((abs(value - td[way][1]) for way, (_, value) in mean.items() if way in td), default=0.0)
    return {**work, "nodes": len(mean), "unlike": unlike, "apart": apart}


def _nodes(search: TreeSearch) -> dict[tuple[int, ...], tuple[int, float]]:
    """Visits and value by the actions that lead to a node."""
    found, way = {}, list[int]()
    for depth, node in search.tree.walk():
        if depth:
            way[depth - 1 :] = [int(node.action)]
        found[tuple(way)] = node.visits, node.value
    return found


def measure(work: dict[str, Any]) -> dict[str, Any]:
    """CPU seconds of one search of each kind, in an order that changes with the repetition."""
    kinds = {"uct": preset("uct", c_p=work["c_p"])}
    for lambda_ in _LAMBDAS:
        kinds[f"{lambda_:g}"] = preset("sarsa-uct", lambda_=lambda_, c_p=work["c_p"])
    names = list(kinds)
    turn = work["cost"] % len(names)
    seconds = {}
    for name in (*names[turn:], *names[:turn]):
        search = _search(work, kinds[name], 0)  # the same episodes in every repetition
        started = time.process_time()
        search.run(Limit(steps=work["steps"]))
        seconds[name] = round(time.process_time() - started, 6)
    return {**work, "cpu": seconds}


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Trees, games, times."""
    duels = duels_of(rows)
    trees = [row for row in rows if "tree" in row]
    if not duels or not trees:
        raise InvalidArgumentError("there are no games and no trees yet")
    table = []
    for name in _names(trees):
        line = [row for row in trees if _name(row) == name]
        unlike, nodes = (sum(row[key] for row in line) for key in ("unlike", "nodes"))
        apart = max(row["apart"] for row in line)
        told = f"{unlike} of {nodes:,} nodes differ in visits; values differ by at most {apart:.1e}"
        table.append(["trees", name, f"{len(line)}", told])
    score = duels[0].score
    table.append(["games", "tic-tac-toe", f"{score.games:,}", percent(score)])
    ratios = _ratios(rows)
    for name, times in ratios.items():
        count = sum(_name(row) == name for row in rows if "cost" in row)
        told = ", ".join(f"lambda {lambda_}: {ratio:.3f}" for lambda_, (_, ratio) in times.items())
        table.append(["time", name, f"{count}", f"{told} times that of UCT"])
    answers = {"vodopivec-h1": _same(trees, score), "vodopivec-h18": _cost(ratios)}
    return summary_of(_COLUMNS, table, answers)


def _name(row: Row) -> str:
    size = row["options"].get("size")
    return str(row["game"]) + (f" {size}x{size}" if size else "")


def _names(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(_name(row) for row in sorted(rows, key=lambda row: (row["game"], str(row["options"])))))


def _same(trees: Sequence[Row], score: Score) -> Answer:
    unlike, nodes = (sum(row[key] for row in trees) for key in ("unlike", "nodes"))
    apart = max(row["apart"] for row in trees)
    text = (
        f"{unlike} of {nodes:,} nodes in {len(trees)} pairs of trees on {len(_names(trees))} boards have other visits, "
    )
    text += f"values differ by at most {apart:.1e}; "
    text += f"Tic-tac-toe, 100 steps, lambda 1: {percent(score)} over {score.games:,} games (bar: 50 ± 1.2 %)"
    equal: Verdict = "reproduced" if unlike == 0 and apart <= _TOLERANCE else "not"
    return Answer(both(equal, between(score, *_BAND)), text)


def _ratios(rows: Sequence[Row]) -> dict[str, dict[str, tuple[float, float]]]:
    """By game and lambda: nanoseconds of a step, and how often those of UCT; the best of all repetitions."""
    costs = [row for row in rows if "cost" in row]
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for name in _names(costs):
        line = [row for row in costs if _name(row) == name]
        best = {kind: min(row["cpu"][kind] for row in line) for kind in line[0]["cpu"]}
        found[name] = {
            kind: (1e9 * seconds / line[0]["steps"], seconds / best["uct"])
            for kind, seconds in best.items()
            if kind != "uct"
        }
    return found


def _cost(ratios: Mapping[str, Mapping[str, tuple[float, float]]]) -> Answer:
    """The same episodes at lambda = 1: every board must keep the bar. What lambda < 1 costs is told beside it."""
    if not ratios:
        return Answer("partly", "nothing is measured yet")
    same = {name: line["1"][1] for name, line in ratios.items()}
    mean, other = (sum(line[key][1] for line in ratios.values()) / len(ratios) for key in ("1", "0.8"))
    worst = max(same, key=lambda name: same[name])
    text = f"a step of Sarsa-UCT(1) takes {mean:.3f} times the CPU time of UCT in the mean over {len(same)} boards, "
    text += f"at most {same[worst]:.3f} ({worst}; bar: {_MOST}); Sarsa-UCT(0.8), whose trees are others, {other:.3f}"
    return Answer("reproduced" if same[worst] <= _MOST else "partly" if mean <= _MOST else "not", text)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Times of a step relative to UCT, with the bar."""
    ratios = _ratios(rows)
    figure, (axes,) = new_figure(1, width=7)
    for number, lambda_ in enumerate(_LAMBDAS):
        places = [place + 0.35 * number for place in range(len(ratios))]
        heights = [line[f"{lambda_:g}"][1] for line in ratios.values()]
        axes.bar(places, heights, width=0.33, label=f"Sarsa-UCT({lambda_:g})")
    axes.axhline(1, color="grey", linewidth=0.8)
    axes.axhline(_MOST, color="black", linestyle="--", label=f"bar: {_MOST:g}")
    axes.set_xticks([place + 0.17 for place in range(len(ratios))], list(ratios))
    axes.set_ylim(0.6, 1.3)
    axes.set_ylabel("CPU time of a simulated step, UCT = 1")
    axes.legend(fontsize="small", loc="lower right")
    save_figure(figure, path)
