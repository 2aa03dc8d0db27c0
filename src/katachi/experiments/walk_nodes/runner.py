"""Judges and draws the number of states memorised per episode on Shortest walk, in trees and graphs."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.curve_figures import finish, over_checkpoints, over_setting, panels, save, source_line
from katachi.experiments.curves import Curves, Estimate, judge
from katachi.experiments.curves import run_curves as run
from katachi.experiments.curves import total_rows as total
from katachi.experiments.experiment import Claim, Row, Summary, summary_of

__all__ = ["draw", "run", "summarise", "total"]

_SWEEP = "nodes"
_COLUMNS = ("structure", "new nodes", "steps to the goal at 1,000", "at 2,000", "at 5,000", "at 10,000")
_AT = (1000, 2000, 5000, 10_000)
_LITTLE = 0.1  # a loss of this share of steps or less


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Steps by structure and number of nodes."""
    curves = Curves(rows)
    nodes = list(dict.fromkeys((1, *curves.values(_SWEEP, "new_nodes"), "all")))
    table = [
        [structure, str(count), *(f"{e} ({e.interval})" for e in (_steps(curves, structure, count, at) for at in _AT))]
        for structure in ("tree", "graph")
        for count in nodes
    ]
    at = 2000
    tree, graph = (
        {count: _steps(curves, structure, count, at).value for count in nodes} for structure in ("tree", "graph")
    )
    tree_loss, graph_loss = (1 - found["all"] / found[1] for found in (tree, graph))
    gain = 1 - graph[1] / tree[1]
    answer = judge(
        {
            "transpositions matter more than nodes": gain > max(tree_loss, graph_loss),
            "one node instead of all loses little with transpositions": graph_loss <= _LITTLE,
            "and moderately without": tree_loss > max(0.0, graph_loss),
        },
        f"at lambda = 0.9 after 2,000 steps: tree {_listed(tree)}, graph {_listed(graph)} steps to the goal with "
        f"{', '.join(map(str, nodes))} nodes per episode; all instead of one node gains {tree_loss:.0%} in a tree and "
        f"{graph_loss:.0%} in a graph, a graph instead of a tree {gain:.0%}",
    )
    return summary_of(_COLUMNS, table, {"vodopivec-fig-6-13": answer})


def _listed(found: dict[int | str, float]) -> str:
    return ", ".join(f"{value:.3g}" for value in found.values())


def _steps(curves: Curves, structure: str, nodes: int | str, at: int) -> Estimate:
    return curves.at("steps", _SWEEP, at, structure=structure, new_nodes=nodes)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Steps over the budget, and against the number of nodes."""
    curves = Curves(rows)
    figure, (budget, nodes) = panels(1, 2)
    cells = {
        f"{structure}, {count}": {"structure": structure, "new_nodes": count}
        for structure in ("tree", "graph")
        for count in curves.values(_SWEEP, "new_nodes")
    }
    over_checkpoints(budget, curves, "steps", _SWEEP, cells)
    budget.set_title("6.13: new nodes per episode, lambda = 0.9")
    over_setting(nodes, curves, "steps", _SWEEP, "new_nodes", {
        f"{structure}, {at:,} steps": (at, {"structure": structure})
        for structure in ("tree", "graph") for at in (2000, 10_000)
    }, "new nodes per episode")  # fmt: skip
    nodes.set_title("the same at two budgets")
    for panel in (budget, nodes):
        source_line(panel, claim.numbers["optimum"], "optimum (source): 5")
        finish(panel)
    figure.suptitle(f"Shortest walk, 11 states, epsilon 0.1, {curves.repeats(_SWEEP):,} repeats")
    save(figure, path)
