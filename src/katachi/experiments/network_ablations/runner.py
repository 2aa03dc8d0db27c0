"""Single choices of the training (4.2, 4.3, 5.2), each left out or turned round beside the same base, RPROP and TD(mu).

Win or loss is a reward without captures, and its values are outputs of the network: it stands beside stones without
rewards for captures. The unit of values remains a difference, also in searches, where a stone that is taken counts 1.

`one-opening` is the first experiment of the source: no random openings, TD-directed. Without random moves there are two
games against a player that never varies, one for each colour: they are the plan that the source tells of. Beside
them stand the training games of the last window, in which every tenth move of the learner is random, and test games
after random openings, in which a plan that knows one game only must fail.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from katachi.experiments.duel_plots import new_figure, save_figure
from katachi.experiments.experiment import Answer, Claim, Row, Summary, Verdict, summary_of
from katachi.experiments.go_duels import Finding, all_of, mixed
from katachi.experiments.network_results import (
    COLUMNS,
    Cell,
    Cells,
    Mean,
    cells_of,
    is_above,
    is_equal,
    line_of,
    not_run,
)
from katachi.experiments.network_runs import count_rows, run_networks

__all__ = ["draw", "run", "summarise", "total"]

_PLAN: dict[str, Any] = {"opening_plies": 0}

total, run = count_rows, run_networks


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Each choice against the base; win or loss against the end's stones alone."""
    cells = cells_of(rows)
    base, without = _shares(cells, "base"), _shares(cells, "no-captures")
    plan, dramatic = _one_opening(cells), claim.numbers["dramatic"]
    answers: dict[str, Answer] = {
        "ekker-x1": mixed(_overtrained(plan, claim)),
        "ekker-x2": all_of([
            is_above("stones above win or loss, without captures", without, _shares(cells, "win-reward"))
        ]),
        "ekker-x3": all_of([
            is_above("without moves into own eyes above with them", base, _shares(cells, "fills-eyes"), by=dramatic)
        ]),
        "ekker-x4": all_of([is_above("with rewards for captures above without", base, without)]),
        "ekker-x6": all_of([is_equal("with and without an input for ko", _shares(cells, "ko-input"), base)]),
        "ekker-h8": all_of(_overtrained(plan, claim)[:1]),
    }  # fmt: skip
    lines = [line_of(cell) for cell in cells]
    if plan is not None:
        lines += [_plan_line(plan, point) for point in plan.points(**_PLAN)]
    return summary_of(COLUMNS, lines, answers)


def _shares(cells: Cells, name: str) -> Mean | None:
    cell = cells.get(name=name)
    return None if cell is None else cell.shares()


def _one_opening(cells: Cells) -> Cell | None:
    return cells.get("rprop", "td-directed", "one-opening")


def _overtrained(cell: Cell | None, claim: Claim) -> list[Finding]:
    """The plan wins everything; after random openings it does not."""
    bar = claim.numbers["plan"]
    if cell is None or (shares := cell.shares(**_PLAN)) is None:
        return [not_run("without random openings")]
    window = 100 * cell.trained().value
    text = f"without random openings, after {cell.games:,} games: " + ", ".join(
        f"{share:.0f} %" for share in shares.values
    )
    text += f" of the games without random moves, run by run, {window:.1f} % of the last training games"
    verdict: Verdict = (
        "reproduced" if shares.value >= bar["share"] else "partly" if max(shares.values) >= bar["share"] else "not"
    )
    told = "the plan wins more than the same networks after random openings"
    return [Finding(verdict, text), is_above(told, shares, cell.shares(), by=bar["fails_by"])]


def _plan_line(cell: Cell, point: int) -> list[str]:
    means = (cell.shares(point, **_PLAN), cell.scores(point, **_PLAN), cell.scores(point, "positive_score", **_PLAN))
    told = ["" if mean is None else str(mean) for mean in means]
    return [f"{cell.title}, no opening", str(len(cell.rows)), f"{point:,}", *told, "", "", ""]


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Wins of each run beside those of the base."""
    cells = list(cells_of(rows))
    figure, (axes, *_) = new_figure(1, width=7)
    for place, cell in enumerate(cells):
        mean = cell.shares()
        if mean is None:
            continue
        axes.plot([place] * len(mean.values), mean.values, "o", color="C0", markersize=4, alpha=0.6)
        axes.plot([place - 0.2, place + 0.2], [mean.value, mean.value], color="black")
        plan = cell.shares(**_PLAN)
        if plan is not None:
            axes.plot([place + 0.3] * len(plan.values), plan.values, "x", color="C1", label="without an opening")
    axes.set_xticks(range(len(cells)), [cell.name for cell in cells], rotation=20)
    axes.set_ylabel("won in % of test games, run by run")
    axes.set_ylim(-3, 103)
    axes.grid(alpha=0.3)
    axes.set_title("one choice at a time; bars are means", fontsize="medium")
    save_figure(figure, path)
