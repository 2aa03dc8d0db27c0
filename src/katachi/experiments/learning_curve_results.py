"""What the rows of learning curves say: one rating of all snapshots, and what a claim about them needs.

Intervals are those of differences within the pool (the mean of all snapshots is held), since that is what curves are
compared by. How well the level as a whole is known, which hangs on few games against GNU Go (level 10 is 1800), is
`level_error`. All are pure functions of the rows; figures: katachi.experiments.learning_curve_figures.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from math import exp, inf, isfinite, log, sqrt
from typing import Any

from katachi.arena.ratings import PairCounts, Rating, rate
from katachi.arena.statistics import Score
from katachi.core.errors import InvalidArgumentError
from katachi.experiments.duels import both, percent
from katachi.experiments.experiment import Answer, Row, Summary, summary_of
from katachi.experiments.learning_curves import snapshot_name

__all__ = ["EQUAL", "LearningCurves", "after", "shown_games"]

EQUAL = 60.0  # Elo: runs that differ by less are as good as equal (single runs of equal settings differ, too)
_ANCHORS = ("gnugo:level=10", 1800.0), ("random", 0.0)  # the first that has played
_Z95 = 1.959963984540054
_COLUMNS = ("player", "games learnt", "Elo", "95 % interval", "games", "points", "cross entropy", "error to outcome")


class LearningCurves:
    """All snapshots on one scale, by the label of their run and the number of games."""

    def __init__(self, rows: Sequence[Row]) -> None:
        chunks = {(row["first"], row["second"], row["chunk"]): row for row in rows if "chunk" in row and row["games"]}
        if not chunks:
            raise InvalidArgumentError("there are no games yet")
        trained = {row["run"]: row for row in rows if "run" in row}
        self.runs = dict(sorted(trained.items(), key=lambda item: int(item[1]["number"])))
        reference = [label for label, row in self.runs.items() if row["reference"]]
        if not reference:
            raise InvalidArgumentError("the reference is not trained yet")
        self.reference = reference[0]
        self._scores: dict[tuple[str, str], Score] = {}
        cells: dict[tuple[str, str], list[int]] = {}
        for (first, second, _), row in sorted(chunks.items()):
            for key, place in (((first, second), 0), ((second, first), 2)):
                won = Score(row["wins" if place == 0 else "losses"] + row["draws"] / 2, row["games"])
                self._scores[key] = self._scores.get(key, Score(0, 0)) + won
            for key, colour, order in (((first, second), "black", 1), ((second, first), "white", -1)):
                cell = cells.setdefault(key, [0, 0, 0])
                for place, count in enumerate(row[colour][::order]):
                    cell[place] += count
        pairs = [PairCounts(*key, *counts) for key, counts in sorted(cells.items())]
        players = {player for key in cells for player in key}
        snapshots = {snapshot_name(label, games) for label, row in self.runs.items() for games in row["rated"]}
        self.opponents = sorted(players - snapshots)  # those that do not learn
        self._ratings = rate(pairs, dict.fromkeys(sorted(players & snapshots), 0.0))
        self.anchor = next((player for player, _ in _ANCHORS if player in players), self._ratings.lines[0].player)
        self._shift = dict(_ANCHORS).get(self.anchor, 0.0) - self._ratings[self.anchor].elo
        self._lines = {line.player: _shifted(line, self._shift) for line in self._ratings.lines}

    # ---- who there is ------------------------------------------------------------------------------------------------

    @property
    def games(self) -> int:
        """That a run learns from."""
        return int(self.runs[self.reference]["games"])

    @property
    def level_error(self) -> float:
        """Half of the 95 % interval of the level: of the reference's last snapshot against the anchor."""
        return _Z95 * self._ratings.difference(self.last(self.reference), self.anchor)[1]

    def labels(self, **changes: Any) -> list[str]:  # noqa: ANN401
        """The runs with these settings, by their last names (`lambda_` is lambda)."""
        wanted = {name.rstrip("_"): value for name, value in changes.items()}
        return [
            label for label in self.runs if all(self.setting(label, name) == value for name, value in wanted.items())
        ]

    def setting(self, label: str, name: str) -> Any:  # noqa: ANN401
        """What a run changed, by the last name of the setting; None if it did not."""
        changes = {key.rpartition(".")[2]: value for key, value in self.runs[label]["changes"].items()}
        return changes.get(name)

    def diverged(self, label: str) -> int | None:
        """By which number of games, if it did."""
        found: int | None = self.runs[label]["diverged"]
        return found

    def last(self, label: str) -> str:
        """The snapshot at the end of a run."""
        return self.at(label, self.games)

    def at(self, label: str, games: int) -> str:
        """A snapshot that has been rated, or that is not there since its run had diverged."""
        name = snapshot_name(label, games)
        if name not in self._lines and not self._is_gone(name):
            raise InvalidArgumentError(f"{name} has not been rated yet")
        return name

    def _is_gone(self, player: str) -> bool:
        label, _, games = player.rpartition("@")
        diverged = self.runs[label]["diverged"] if label in self.runs else None
        return diverged is not None and int(games) >= diverged

    def counts(self, label: str) -> list[int]:
        """After how many games a run has been rated."""
        return [games for games in self.runs[label]["rated"] if snapshot_name(label, games) in self._lines]

    def near(self, label: str, games: int) -> int:
        """The rated number of games that is nearest, by its factor."""
        return min(self.counts(label), key=lambda count: abs(log(count / games)))

    def before(self, label: str, games: int) -> int:
        """The last rated number of games that is not later; the first, if there is none."""
        counts = self.counts(label)
        return max((count for count in counts if count <= games), default=counts[0])

    # ---- how good they are -------------------------------------------------------------------------------------------

    def rating(self, player: str) -> Rating:
        """On the scale of GNU Go."""
        if player not in self._lines:
            raise InvalidArgumentError(f"{player} has not been rated yet")
        return self._lines[player]

    def curve(self, label: str) -> list[tuple[int, Rating]]:
        """Of a run."""
        return [(games, self.rating(snapshot_name(label, games))) for games in self.counts(label)]

    def gap(self, one: str, other: str) -> tuple[float, float]:
        """By how much one is rated higher, and half of the 95 % interval of that; without end, if one diverged."""
        gone = self._is_gone(one), self._is_gone(other)
        if any(gone):
            return (0.0 if all(gone) else -inf if gone[0] else inf), 0.0
        gap, error = self._ratings.difference(one, other)
        return gap, _Z95 * error

    def is_stronger(self, one: str, other: str, by: float = 0.0) -> bool:
        """Is it rated higher by more than that, for certain (95 %)?"""
        gap, error = self.gap(one, other)
        return gap - error > by

    def is_equal(self, one: str, other: str) -> bool:
        """Do they differ by less than what is as good as equal, and is that known so well?"""
        gap, error = self.gap(one, other)
        return abs(gap) < EQUAL and error < EQUAL

    def is_no_lower(self, one: str, other: str) -> bool:
        """Is it rated as good as equal or higher, for certain (95 %)?"""
        gap, error = self.gap(one, other)
        return gap - error > -EQUAL

    def best(self, labels: Sequence[str]) -> str:
        """The run that ends highest; one that diverged only if all have."""
        ended = [label for label in labels if self.diverged(label) is None]
        return max(ended, key=lambda label: self.rating(self.last(label)).elo) if ended else labels[0]

    def score(self, one: str, other: str) -> Score:
        """What one player made against another."""
        return self._scores.get((one, other), Score(0, 0))

    def spread(self, players: Sequence[str]) -> float:
        """Between the highest and the lowest."""
        ratings = [self.rating(player).elo for player in players]
        return max(ratings) - min(ratings)

    def excess(self, players: Sequence[str]) -> float:
        """How much of the variance of several ratings is not that of the games: a standard deviation in Elo."""
        ratings = [self.rating(player).elo for player in players]
        mean = sum(ratings) / len(ratings)
        variance = sum((elo - mean) ** 2 for elo in ratings) / max(1, len(ratings) - 1)
        errors = [(self.gap(a, b)[1] / _Z95) ** 2 / 2 for a, b in combinations(players, 2)]
        return sqrt(max(0.0, variance - sum(errors) / max(1, len(errors))))

    def games_to(self, label: str, elo: float, edge: int = 0) -> float | None:
        """After how many games a curve first reaches a level, between snapshots by a line over log(games).

        Of the lower (-1) or upper (1) ends of its intervals with `edge`. None: it does not reach it.
        """
        line = [(games, (r.low, r.elo, r.high)[1 + edge]) for games, r in self.curve(label)]
        if line and line[0][1] >= elo:
            return float(line[0][0])
        for (before, low), (after, high) in pairwise(line):
            if low < elo <= high:
                return exp(log(before) + (elo - low) / (high - low) * log(after / before))
        return None

    def drop(self, label: str, since: int = 1) -> tuple[float, str, str]:
        """The largest fall from a snapshot to a later one, in Elo, and the two."""
        names = [self.at(label, games) for games in self.counts(label) if games >= since]
        falls = [(self.gap(a, b)[0], a, b) for a, b in combinations(names, 2)]
        return max(falls, default=(0.0, "", ""))

    # ---- in words ----------------------------------------------------------------------------------------------------

    def told(self, label: str, games: int | None = None) -> str:
        """`li: 905 ± 20`, or when it diverged."""
        diverged = self.diverged(label)
        if diverged is not None and (games or self.games) >= diverged:
            return f"{label}: diverged by game {diverged:,}"
        line = self.rating(self.at(label, games or self.games))
        return f"{label}: {line.elo:.0f} ± {line.high - line.elo:.0f}"

    def told_all(self, labels: Sequence[str], games: int | None = None) -> str:
        """`Elo after 50,000 games: …`"""
        lines = ", ".join(self.told(label, games) for label in labels)
        return f"Elo after {games or self.games:,} games: {lines}"

    def told_gap(self, one: str, other: str) -> str:
        """`+120 ± 30`."""
        gap, error = self.gap(one, other)
        return f"{gap:+.0f} ± {error:.0f} Elo" if isfinite(gap) else "diverged"

    @property
    def scale(self) -> str:
        """What the numbers are worth."""
        if self.anchor != _ANCHORS[0][0]:
            return f"Elo above {self.anchor}"
        return f"GNU Go level 10 is 1800; the level of all is known to ± {self.level_error:.0f}"

    def table(self) -> list[list[str]]:
        """A line for each snapshot, then the opponents."""
        lines = []
        for label, row in self.runs.items():
            for place, games in enumerate(row["rated"]):
                if row["diverged"] is not None and games >= row["diverged"]:
                    lines.append([label, f"{games:,}", "diverged", "", "", "", "", ""])
                elif games in self.counts(label):
                    means = [f"{row[name][place]:.4f}" for name in ("cross_entropy", "rms_to_outcome")]
                    lines.append([label, f"{games:,}", *_told_rating(self.rating(snapshot_name(label, games))), *means])
        for player in self.opponents:
            lines.append([player, "", *_told_rating(self._lines[player]), "", ""])
        return lines

    def summary(self, answers: Mapping[str, Answer]) -> Summary:
        """The table, and a verdict for each row of the ledger."""
        return summary_of(_COLUMNS, self.table(), answers)

    def own_summary(self, answer: Answer) -> Summary:
        """The same for a claim of ours."""
        return Summary(_COLUMNS, self.table(), answer.result, answer.verdict, answer.result)

    def told_score(self, one: str, other: str) -> str:
        """`one v other: 97.5 % (94.2 to 99.0) over 200 games`."""
        score = self.score(one, other)
        return f"{one} v {other}: {percent(score)} over {score.games:,} games"


def after(curves: LearningCurves, games: int, answer: Answer) -> Answer:
    """What a bar about so many games of training says: shorter runs cannot reach it."""
    if curves.games >= games:
        return answer
    short = f"the runs have {curves.games:,} games, the bar asks for {games:,}"
    return Answer(both(answer.verdict, "partly"), f"{answer.result}; {short}")


def shown_games(games: float | None) -> str:
    """About so many."""
    return "never" if games is None else f"{float(f'{games:.2g}'):,.0f}"


def _shifted(line: Rating, shift: float) -> Rating:
    return Rating(line.player, line.elo + shift, line.low + shift, line.high + shift, line.games, line.points)


def _told_rating(line: Rating) -> list[str]:
    interval = f"{line.low:.0f} to {line.high:.0f}"
    return [f"{line.elo:.0f}", interval, f"{line.games:.0f}", f"{100 * line.points / line.games:.1f} %"]
