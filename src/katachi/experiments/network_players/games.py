"""What the rows of `network-players` say, added up: games against GNU Go by snapshot, calls of end positions by run.

A cell is a trainer and a rule, a snapshot is one network of one run. Which games may choose a network, and which judge
it, is told by their stage (katachi.experiments.network_players.runner). Findings are in `findings`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from katachi.arena.statistics import Score
from katachi.core.errors import InvalidArgumentError
from katachi.experiments.experiment import Row
from katachi.experiments.network_results import Mean
from katachi.experiments.network_runs import row_key

__all__ = [
    "RULES", "TRAINERS", "Cell", "Games", "Snapshot", "best_candidate", "best_of_all", "calls_of", "judged_runs",
    "matches", "named", "ordered", "shown_of_cell", "used_to_choose",
]  # fmt: skip

Cell: TypeAlias = tuple[str, str]  # trainer and rule
Snapshot: TypeAlias = tuple[str, str, int, int]  # trainer, rule, number of the run, games of training

TRAINERS = ("residual", "residual-lambda", "rprop")  # of Table 1
RULES = ("td-directed", "td-leaf", "td-mu")


@dataclass(frozen=True)
class Games:
    """Games of some rows, added up."""

    score: Score
    mean: float  # score
    positive: float  # the same, lost games counting 0

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "Games":
        """Means are weighted by games."""
        games = sum(row["games"] for row in rows)
        means = [sum(row["games"] * row[name] for row in rows) / games for name in ("score", "positive_score")]
        return cls(Score(sum(row["wins"] for row in rows), games), *means)

    @property
    def share(self) -> float:
        """Won, in per cent."""
        return 100 * self.score.win_rate


def ordered(cells: Mapping[Cell, object]) -> list[Cell]:
    """As Table 1 has them; back-propagation, which it leaves out, is last."""
    known = [(trainer, rule) for trainer in (*TRAINERS, "backpropagation") for rule in RULES]
    return [cell for cell in known if cell in cells]


def matches(rows: Sequence[Row], *stages: str) -> dict[Snapshot, Games]:
    """Games of these stages."""
    found: dict[Snapshot, list[Row]] = {}
    for row in sorted(rows, key=lambda row: str(row_key(row))):
        if row["kind"] == "match" and row["stage"] in stages:
            found.setdefault((row["trainer"], row["rule"], row["number"], row["after"]), []).append(row)
    return {key: Games.of(own) for key, own in found.items()}


def _best(found: Mapping[Snapshot, Games]) -> Snapshot:
    """By wins; of equals, by score."""
    if not found:
        raise InvalidArgumentError("no games have chosen a network yet")
    return max(found, key=lambda key: (found[key].score.win_rate, found[key].mean, key))


def named(snapshot: Snapshot) -> dict[str, Any]:
    """What rows about it begin with."""
    return {"name": "", **dict(zip(("trainer", "rule", "number", "after"), snapshot, strict=True))}


def best_candidate(rows: Sequence[Row], trainer: str, rule: str, number: int) -> Snapshot:
    """The snapshot of a run that has won most of the games that choose."""
    return _best({key: games for key, games in matches(rows, "choice").items() if key[:3] == (trainer, rule, number)})


def shown_of_cell(rows: Sequence[Row], cell: Cell) -> Snapshot:
    """The one that Table 1 would show: of those of a cell that were judged, the best by the games that choose."""
    judged = matches(rows, "judged")
    return _best({
        key: games for key, games in matches(rows, "choice").items() if key[:2] == cell and key in judged
    })  # fmt: skip


def used_to_choose(rows: Sequence[Row]) -> dict[Snapshot, Games]:
    """All games before those of the headline, of the best snapshots of all runs."""
    judged = matches(rows, "judged")
    return {key: games for key, games in matches(rows, "choice", "judged").items() if key in judged}


def best_of_all(rows: Sequence[Row]) -> Snapshot:
    """The one that stands for the headline."""
    return _best(used_to_choose(rows))


def judged_runs(rows: Sequence[Row]) -> dict[Cell, dict[int, Games]]:
    """Games that judge the best snapshot of each run, by cell and number."""
    found: dict[Cell, dict[int, Games]] = {}
    for (trainer, rule, number, _), games in sorted(matches(rows, "judged").items()):
        found.setdefault((trainer, rule), {})[number] = games
    return {cell: found[cell] for cell in ordered(found)}


def calls_of(rows: Sequence[Row], what: str = "right") -> dict[Cell, dict[int, Mean]]:
    """Right calls of end positions in per cent, or mean squared errors (mse), run by run, by cell and snapshot.

    All runs are shown the same positions, so that positions of several runs are not added up.
    """
    found: dict[Cell, dict[int, dict[int, float]]] = {}
    for row in rows:
        for call in row["calls"] if row["kind"] == "ends" else ():
            value = 100 * call["right"] / call["of"] if what == "right" else call[what]
            own = found.setdefault((row["trainer"], row["rule"]), {})
            own.setdefault(call["after"], {})[row["number"]] = value
    return {
        cell: {after: Mean(tuple(own[number] for number in sorted(own))) for after, own in sorted(found[cell].items())}
        for cell in ordered(found)
    }
