"""Table 1 (9.2 of the thesis): policies as players, each by itself (`direct`) and in a one-ply search (`mc`).

The learnt policies are those of the package, which `balancing-learning` has learnt. All games of a board make one
rating, with the uniform direct player at 0; a direct player and a searching one meet where the settings say so. Gaps
are differences of ratings with their standard errors. `accuracy` rows are errors on labelled positions that no policy
has learnt from: a headline of the thesis asks for both.
"""

from collections.abc import Mapping, Sequence
from math import hypot
from pathlib import Path
from typing import Any

from katachi.arena.executor import Executor
from katachi.arena.ratings import Ratings
from katachi.experiments.duel_plots import new_figure, save_figure
from katachi.experiments.duels import Duel, between, find, only, run_others, scored
from katachi.experiments.experiment import Answer, Claim, Progress, Row, Summary, Verdict, read_rows
from katachi.experiments.go_duels import (
    Finding,
    all_of,
    count_rows,
    does_not_win,
    mixed,
    played,
    rate_duels,
    run_duels,
    shown,
    summary,
)
from katachi.experiments.policy_accuracy import MEASURE, LabelsOf, accuracy_work, make_labels

__all__ = ["draw", "run", "spec_of_player", "summarise", "total"]

_BOARDS = (5, 6)
_Z95 = 1.959963984540054
_ANCHOR = "policy:name=uniform"
_LEARNT = ("regression", "reinforcement-early", "reinforcement", "balancing", "two-step")
_NAMES = ("uniform", *_LEARNT, "fuego", "mogo")


def total(settings: Mapping[str, Any]) -> int:
    """Chunks of games, and errors."""
    accuracy = settings.get("accuracy")
    return count_rows(settings) + (0 if accuracy is None else len(accuracy["policies"]))


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Measures and plays what is missing."""
    accuracy = settings.get("accuracy")
    if accuracy is not None and sum("accuracy" in row for row in read_rows(rows_path)) < len(accuracy["policies"]):
        labels = LabelsOf.from_mapping(accuracy["labels"])
        path = rows_path.parent / "labels" / f"{labels.name}.parquet"
        make_labels(labels, settings["seed"], path, executor, lambda text: progress(len(read_rows(rows_path)), text))
        wanted = [
            accuracy_work(name, policy_of(name), labels.name, path, accuracy["simulations"], settings["seed"])
            for name in accuracy["policies"]
        ]
        there = {row["accuracy"] for row in read_rows(rows_path) if "accuracy" in row}
        run_others(MEASURE, [work for work in wanted if work["accuracy"] not in there], rows_path, executor, progress)
    run_duels(settings, rows_path, executor, progress)


def policy_of(name: str) -> str:
    """The text of a policy by its name in tables."""
    if name not in _LEARNT:
        return name
    return "softmax-shapes(shipped)" if name == "balancing" else f"softmax-shapes(shipped-{name})"


def spec_of_player(name: str, kind: str, sims: int) -> str:
    """As the rows have it."""
    policy = policy_of(name)
    return f"policy:name={policy}" if kind == "direct" else f"flat-mc:sims={sims},policy={policy}"


def _connected(duels: Sequence[Duel]) -> list[tuple[set[str], list[Duel]]]:
    """Players that games connect, and these games: of a run that is not finished there may be several parts."""
    parts: list[tuple[set[str], list[Duel]]] = []
    for duel in duels:
        players, games = {shown(duel.first), shown(duel.second)}, [duel]
        for part in [part for part in parts if part[0] & players]:
            players |= part[0]
            games = [*part[1], *games]
            parts.remove(part)
        parts.append((players, games))
    return parts


class _Table:
    """The ratings of one board."""

    def __init__(self, duels: Sequence[Duel], size: int) -> None:
        self.size = size
        self.duels = [duel for duel in duels if duel.options["size"] == size]
        searches = [duel for duel in self.duels if "sims" in duel.labels and duel["kind"] != "gnugo"]
        self._sims = max((int(duel["sims"]) for duel in searches), default=0)
        self._parts = [
            (players, rate_duels(own, {_ANCHOR: 0.0} if _ANCHOR in players else {}))
            for players, own in _connected(self.duels)
        ]

    def spec(self, name: str, kind: str) -> str:
        """Of a player by its place in the table."""
        return f"gnugo:level={name.rpartition(' ')[2]}" if kind == "gnugo" else spec_of_player(name, kind, self._sims)

    def rating(self, name: str, kind: str) -> tuple[float, float, float] | None:
        """Elo and its 95 % interval, if games connect it with the anchor."""
        ratings = self._ratings(_ANCHOR, self.spec(name, kind))
        if ratings is None:
            return None
        line = ratings[self.spec(name, kind)]
        return line.elo, line.low, line.high

    def _ratings(self, *specs: str) -> Ratings | None:
        """Those that have all of these players."""
        return next((ratings for players, ratings in self._parts if players.issuperset(specs)), None)

    def games(self, name: str, kind: str) -> int:
        """That a player has played."""
        spec = self.spec(name, kind)
        return sum(duel.games for duel in self.duels if spec in (shown(duel.first), shown(duel.second)))

    def gap(self, one: str, other: str, kind: str) -> tuple[float, float] | None:
        """By how much one is rated above another, and half of the 95 % interval of that."""
        specs = self.spec(one, kind), self.spec(other, kind)
        ratings = self._ratings(*specs)
        if ratings is None:
            return None
        difference, error = ratings.difference(*specs)
        return difference, _Z95 * error

    def pairing(self, one: str, other: str, kind: str) -> Duel | None:
        """The games between two."""
        return only(self.duels, kind=kind, one=policy_of(one), other=policy_of(other))

    def is_above(self, one: str, other: str, kind: str, bar: float) -> Finding:
        """Is one so many Elo above another? Certain is what the whole interval says."""
        text = f"{one} above {other} on {self.size}x{self.size} ({_KINDS[kind]})"
        found = self.gap(one, other, kind)
        if found is None:
            return Finding("partly", f"{text}: not played at this scale")
        gap, error = found
        duel = self.pairing(one, other, kind)
        told = f"{text}: {gap:+.0f} ± {error:.0f} Elo, bar {bar:g}"
        told += "" if duel is None else f"; against each other {scored(duel)}"
        verdict: Verdict = "reproduced" if gap >= bar else "not" if gap + error < bar else "partly"
        return Finding(verdict, told)

    def is_near(self, one: str, other: str, kind: str, bar: float) -> Finding:
        """Are they less than so many Elo apart?"""
        found, text = self.gap(one, other, kind), f"{one} and {other} on {self.size}x{self.size} ({_KINDS[kind]})"
        if found is None:
            return Finding("partly", f"{text}: not played at this scale")
        gap, error = found
        verdict: Verdict = "reproduced" if abs(gap) < bar else "not" if abs(gap) - error >= bar else "partly"
        return Finding(verdict, f"{text}: {gap:+.0f} ± {error:.0f} Elo apart, less than {bar:g}")


_KINDS = {"direct": "direct play", "mc": "Monte-Carlo search"}


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """The table, the headlines, and a rating for each player."""
    duels = played(rows)
    gaps = claim.numbers["gaps"]
    tables = {size: _Table(duels, size) for size in _BOARDS}
    table_1 = mixed([finding for table in tables.values() for finding in _order(table, claim)])
    answers = {
        "balancing-table-1": table_1,
        "balancing-k2": _all(tables, "balancing", "uniform", "mc", gaps["k2"]),
        "balancing-k3": _all(tables, "balancing", "reinforcement", "mc", gaps["k3"]),
        "balancing-k4": _all(tables, "reinforcement", "balancing", "direct", gaps["k4"]),
        "balancing-k6": _all(tables, "balancing", "regression", "mc", gaps["k6"]),
        "balancing-k7": all_of(
            [
                tables[5].is_near("balancing", "two-step", "mc", gaps["k7"]),
                tables[6].is_above("balancing", "two-step", "mc", gaps["k7"]),
            ]
        ),
        "balancing-k8": all_of([_even(tables[5], gaps["k8"])]),
        "balancing-k9": all_of(
            [
                does_not_win(
                    "mogo against uniform on 5x5 (Monte-Carlo search)", tables[5].pairing("mogo", "uniform", "mc")
                )
            ]
        ),
        "silver-table-9-2": table_1,
        "silver-h19": all_of([*_paradox(tables[5], gaps["h19"]), _error(rows, gaps["h19_mse"])]),
    }
    return summary(duels, claim, answers, [line for table in tables.values() for line in _lines(table, claim)])


def _all(tables: Mapping[int, _Table], one: str, other: str, kind: str, bar: float) -> Answer:
    return all_of([table.is_above(one, other, kind, bar) for table in tables.values()])


def _order(table: _Table, claim: Claim) -> list[Finding]:
    """What the printed table says of who is above whom, at least for certain."""
    return [table.is_above(one, other, kind, 0) for one, other, kind in claim.numbers["order"][str(table.size)]]


def _paradox(table: _Table, bar: float) -> list[Finding]:
    """Balancing searches better than what is stronger by itself."""
    return [
        table.is_above("balancing", "reinforcement", "mc", bar),
        table.is_above("balancing", "regression", "mc", bar),
        table.is_above("two-step", "reinforcement", "mc", bar),
        table.is_above("two-step", "regression", "mc", bar),
        table.is_above("reinforcement", "balancing", "direct", 0),
        table.is_above("reinforcement", "two-step", "direct", 0),
    ]


def _even(table: _Table, band: Sequence[float]) -> Finding:
    """Is the balanced policy as good as GNU Go, with as many simulations as have been tried?"""
    text = "balancing (Monte-Carlo search) against GNU Go level 10 on 5x5"
    duels = sorted(find(table.duels, kind="gnugo"), key=lambda duel: int(duel["sims"]))
    if not duels:
        return Finding("partly", f"{text}: not played at this scale")
    told = "; ".join(f"{duel['sims']} simulations for each move {scored(duel)}" for duel in duels)
    return Finding(between(duels[-1].score, *band), f"{text}: {told}, {band[0]:g} to {band[1]:g} %")


def _error(rows: Sequence[Row], bar: float) -> Finding:
    """Is the error at most so many times that of uniform playouts?"""
    found = {row["accuracy"]: row for row in rows if "accuracy" in row}
    if not {"balancing", "uniform"} <= found.keys():
        return Finding("partly", "the error of balancing on 5x5: not measured at this scale")
    ours, uniform = found["balancing"], found["uniform"]
    ratio = ours["mse"] / uniform["mse"]
    spread = _Z95 * ratio * hypot(ours["error"] / ours["mse"], uniform["error"] / uniform["mse"])
    verdict: Verdict = "reproduced" if ratio <= bar else "not" if ratio - spread > bar else "partly"
    text = f"the error of balancing on {ours['positions']:,} new positions of 5x5: {ratio:.2f} ± {spread:.2f} times"
    return Finding(verdict, f"{text} uniform's, at most {bar:g}")


def _lines(table: _Table, claim: Claim) -> list[list[str]]:
    """A rating for each player, beside the printed one."""
    printed = claim.numbers["elo"][str(table.size)]
    places = [(name, kind) for kind in _KINDS for name in _NAMES] + [("GNU Go level 10", "gnugo")]
    lines = []
    for name, kind in places:
        found = table.rating(name, kind)
        if found is not None:
            known = printed.get(f"{name} {kind}")
            told = "not printed" if known is None else f"printed {known}"
            level = f"{found[0]:.0f} ({found[1]:.0f} to {found[2]:.0f})"
            board = f"{table.size}x{table.size}"
            lines.append(
                [f"{name}, {_KINDS.get(kind, '')}", "all", board, "", f"{table.games(name, kind):,}", level, told]
            )
    return lines


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Ratings with their intervals, direct against search, and the printed ones."""
    duels = played(rows)
    figure, panels = new_figure(len(_BOARDS), width=5.4, height=4.4)
    for axes, size in zip(panels, _BOARDS, strict=True):
        table, printed = _Table(duels, size), claim.numbers["elo"][str(size)]
        for place, name in enumerate(_NAMES):
            found = [table.rating(name, kind) for kind in _KINDS]
            known = [printed.get(f"{name} {kind}") for kind in _KINDS]
            if all(one is not None for one in known):
                axes.plot(known[0], known[1], "x", color=f"C{place}")
            direct, search = found
            if direct is not None and search is not None:
                errors = [[one[0] - one[1]] for one in (direct, search)]
                axes.errorbar(
                    direct[0],
                    search[0],
                    xerr=errors[0],
                    yerr=errors[1],
                    fmt="o",
                    color=f"C{place}",
                    capsize=2,
                    label=name,
                )
        axes.set_title(f"{size}x{size}; crosses: printed", fontsize="medium")
        axes.set_xlabel("Elo in direct play")
        axes.set_ylabel("Elo in Monte-Carlo search")
        axes.grid(alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize="x-small")
    save_figure(figure, path)
