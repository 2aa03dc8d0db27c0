"""What the rows of networks that learn say (katachi.experiments.network_runs): cells, means over runs, findings.

A cell is a trainer and a rule (and a name, where something else is varied); its runs differ in their seeds. What is
said of a cell is the mean over its runs, with an interval by Student's t of so many runs: games of one network tell
nothing about how much networks of other seeds differ. Shares are per cent, gaps are points.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot, inf, sqrt
from statistics import fmean, stdev
from typing import Any

from katachi.arena.statistics import Score
from katachi.core.errors import InvalidArgumentError
from katachi.experiments.duels import at_least, percent
from katachi.experiments.experiment import Row, Verdict
from katachi.experiments.go_duels import Finding

__all__ = [
    "COLUMNS", "Cell", "Cells", "Mean", "cells_of", "chi_square", "gap_between", "is_above", "is_as_good", "is_equal",
    "line_of", "not_run", "reaches", "reaches_before", "stays_below",
]  # fmt: skip

COLUMNS = ("cell", "runs", "games", "won in tests", "mean score", "lost games as 0", "won in training", "60 % after",
           "70 % after")  # fmt: skip
_WALLY = "wally"


@dataclass(frozen=True)
class Mean:
    """Of one number for each run."""

    values: tuple[float, ...]

    @property
    def value(self) -> float:
        """The mean."""
        return fmean(self.values)

    @property
    def error(self) -> float:
        """Its standard error, by how much runs differ; unknown (infinite) of a single one."""
        return stdev(self.values) / sqrt(len(self.values)) if len(self.values) > 1 else inf

    @property
    def interval(self) -> tuple[float, float]:
        """95 %, by Student's t."""
        return self.interval_of_best(1)

    def interval_of_best(self, cells: int) -> tuple[float, float]:
        """As wide as the best of so many needs (Bonferroni)."""
        half = _t(len(self.values) - 1, cells) * self.error if len(self.values) > 1 else inf
        return self.value - half, self.value + half

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:.1f}" + (f" ({low:.1f} to {high:.1f})" if len(self.values) > 1 else "")


def _t(degrees: float, cells: int = 1) -> float:
    """The 97.5 % quantile of Student's t, further out for one of several."""
    from scipy.stats import t

    return float(t.ppf(1 - 0.025 / cells, degrees))


def gap_between(one: Mean, other: Mean) -> tuple[float, float, float]:
    """One mean minus the other, and its 95 % interval (Welch 1947)."""
    gap, error = one.value - other.value, hypot(one.error, other.error)
    if error == inf:
        return gap, -inf, inf
    if error == 0:
        return gap, gap, gap
    parts = [mean.error**4 / (len(mean.values) - 1) for mean in (one, other)]
    half = _t(error**4 / sum(parts)) * error
    return gap, gap - half, gap + half


class Cell:
    """The runs of one trainer and rule."""

    def __init__(self, name: str, trainer: str, rule: str, rows: Sequence[Row]) -> None:
        self.name, self.trainer, self.rule = name, trainer, rule
        self.rows = sorted(rows, key=lambda row: int(row["number"]))

    @property
    def title(self) -> str:
        """For people."""
        return " ".join(part for part in (self.name, self.trainer, self.rule) if part)

    @property
    def numbers(self) -> set[int]:
        """Of its runs."""
        return {row["number"] for row in self.rows}

    def alone(self, number: int) -> "Cell":
        """One of its runs."""
        return Cell(self.name, self.trainer, self.rule, [row for row in self.rows if row["number"] == number])

    @property
    def games(self) -> int:
        """Of training, in the shortest of its runs."""
        return min(int(row["games"]) for row in self.rows)

    def points(self, **test: Any) -> list[int]:  # noqa: ANN401
        """After how many games all of its runs were tested like that."""
        each = [{told["after"] for told in self._tests(row, **test)} for row in self.rows]
        return sorted(set.intersection(*each))

    def tested(self, after: int | None = None, **test: Any) -> Score | None:  # noqa: ANN401
        """All games of such tests after so much training, by default at its end; of all runs together."""
        found = [told for row in self.rows for told in self._tests(row, after=after or self.games, **test)]
        return Score(sum(told["wins"] for told in found), sum(told["games"] for told in found)) if found else None

    def shares(self, after: int | None = None, **test: Any) -> Mean | None:  # noqa: ANN401
        """Per cent of won games of such tests, run by run."""
        return self._mean(lambda told: 100 * told["wins"] / told["games"], after, test)

    def scores(self, after: int | None = None, what: str = "score", **test: Any) -> Mean | None:  # noqa: ANN401
        """Mean score of such tests, run by run."""
        return self._mean(lambda told: told[what], after, test)

    def trained(self, what: str = "wins", place: int = -1) -> Mean:
        """A point of the training curves, with exploration and random moves of the opponent; the last by default."""
        return Mean(tuple(row["curve"][what][place] for row in self.rows))

    def first_at(self, share: float, **test: Any) -> int | None:  # noqa: ANN401
        """After how many games of training the mean of the runs is so many per cent, of the points that were tested."""
        for point in self.points(**test):
            mean = self.shares(point, **test)
            if mean is not None and mean.value >= share:
                return point
        return None

    def _mean(self, number: Callable[[Row], float], after: int | None, test: Mapping[str, Any]) -> Mean | None:
        """Weighted by games where a run has several tests of that kind."""
        values = []
        for row in self.rows:
            found = self._tests(row, after=after or self.games, **test)
            if not found:
                return None
            games = sum(told["games"] for told in found)
            values.append(sum(told["games"] * number(told) for told in found) / games)
        return Mean(tuple(values))

    @staticmethod
    def _tests(row: Row, **wanted: Any) -> list[Row]:  # noqa: ANN401
        """Against the Wally-like player with 2 plies and after 2 random ones, unless it is said otherwise."""
        told = {"opponent": _WALLY, "depth": 2, "opening_plies": 2, **wanted}
        return [test for test in row["tests"] if all(test[name] == value for name, value in told.items())]


class Cells:
    """All cells of some rows."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._cells = {(cell.name, cell.trainer, cell.rule): cell for cell in cells}

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._cells.values())

    def get(self, trainer: str = "rprop", rule: str = "td-mu", name: str = "") -> Cell | None:
        """The cell, if it was run."""
        return self._cells.get((name, trainer, rule))


def cells_of(rows: Sequence[Row]) -> Cells:
    """The rows of runs, by cell; an error if there are none."""
    found: dict[tuple[str, str, str], dict[int, Row]] = {}
    for row in rows:
        if row["kind"] == "run":
            own = found.setdefault((row["name"], row["trainer"], row["rule"]), {})
            own.setdefault(row["number"], row)
    if not found:
        raise InvalidArgumentError("no network has been trained yet")
    return Cells([Cell(*key, list(own.values())) for key, own in sorted(found.items())])


def line_of(cell: Cell) -> list[str]:
    """A cell in a table."""
    share, score, positive = cell.shares(), cell.scores(), cell.scores(what="positive_score")
    reached = ["never" if (games := cell.first_at(share)) is None else f"{games:,}" for share in (60, 70)]
    told = ["" if mean is None else str(mean) for mean in (share, score, positive)]
    training = Mean(tuple(100 * value for value in cell.trained().values))
    return [cell.title, str(len(cell.rows)), f"{cell.games:,}", *told, str(training), *reached]


# ---- findings --------------------------------------------------------------------------------------------------------


def not_run(text: str) -> Finding:
    """What a scale leaves out is not certain."""
    return Finding("partly", f"{text}: not run at this scale")


def _told_gap(text: str, one: Mean, other: Mean, unit: str) -> tuple[str, float, float, float]:
    gap, low, high = gap_between(one, other)
    width = "" if high == inf else f" ({low:+.1f} to {high:+.1f})"
    return f"{text}: {one.value:.1f} and {other.value:.1f}, {gap:+.1f} {unit}{width}", gap, low, high


def is_above(text: str, one: Mean | None, other: Mean | None, by: float = 0.0, unit: str = "points") -> Finding:
    """Is one mean above the other: for certain if it is by any, else by so much?"""
    if one is None or other is None:
        return not_run(text)
    told, gap, low, high = _told_gap(text, one, other, unit)
    is_so = low > 0 if by == 0 else gap >= by
    return Finding("reproduced" if is_so else "not" if high < by else "partly", told)


def is_as_good(text: str, one: Mean | None, other: Mean | None) -> Finding:
    """Is one mean not below the other by more than one standard error of the gap?"""
    if one is None or other is None:
        return not_run(text)
    told, gap, _, high = _told_gap(text, one, other, "points")
    error = hypot(one.error, other.error)
    if error == inf:
        return Finding("partly", f"{told}, one run each")
    return Finding("reproduced" if gap >= -error else "not" if high < 0 else "partly", f"{told}, ± {error:.1f}")


def is_equal(text: str, one: Mean | None, other: Mean | None, within: float | None = None) -> Finding:
    """Is the gap below so many points; without any, is there no certain one?"""
    if one is None or other is None:
        return not_run(text)
    told, gap, low, high = _told_gap(text, one, other, "points")
    verdict: Verdict
    if within is None:
        verdict = "reproduced" if low <= 0 <= high else "not"
    else:
        verdict = "reproduced" if abs(gap) < within else "not" if low > within or high < -within else "partly"
    return Finding(verdict, told)


def reaches(text: str, cell: Cell | None, share: float, within: int, **test: Any) -> Finding:  # noqa: ANN401
    """Does the share of wins get there within so many games of training? The best of all points is judged.

    It is missed if both games and runs exclude it: games of several runs tell nothing about how much runs differ.
    """
    if cell is None or not cell.points(**test):
        return not_run(text)
    points = [point for point in cell.points(**test) if point <= within]
    scores = {point: score for point in points if (score := cell.tested(point, **test)) is not None}
    if not scores:
        return not_run(text)
    best = max(scores, key=lambda point: (scores[point].win_rate, -point))
    verdict = at_least(scores[best], share, cells=len(scores))
    runs = cell.shares(best, **test)
    if verdict == "not" and runs is not None and len(runs.values) > 1:
        verdict = "not" if runs.interval_of_best(len(scores))[1] < share else "partly"
    first = cell.first_at(share, **test)
    is_in_time = first is not None and first <= within
    told = f"first after {first:,}, " if is_in_time else ""
    told += f"best {percent(scores[best])} after {best:,}, bar {share:g} % within {within:,}"
    if verdict != "reproduced" and cell.games < within:
        return Finding("partly", f"{text}: {told}, and trained for {cell.games:,} only")
    return Finding(verdict, f"{text}: {told}")


def stays_below(text: str, cell: Cell | None, share: float, games: int) -> Finding:
    """Is it below so many per cent for so many games of training?"""
    if cell is None:
        return not_run(text)
    found = reaches(text, cell, share, games)
    told = found.text.replace(f"bar {share:g} % within", f"below {share:g} % for")
    if cell.first_at(share) is not None:
        return Finding("not", told)
    return Finding("reproduced" if cell.games >= games else "partly", told)


def reaches_before(text: str, one: Cell | None, other: Cell | None, share: float, factor: float = 1.0) -> Finding:
    """Does one need fewer games than the other, by a factor? Who never gets there needs more than was trained.

    It has to be so for the means of the runs and for every pair of runs of the same number; it is not if it is so for
    none of them.
    """
    if one is None or other is None:
        return not_run(text)
    verdicts = [_is_before(one, other, share, factor)]
    for number in sorted(one.numbers & other.numbers):
        verdicts.append(_is_before(one.alone(number), other.alone(number), share, factor))
    verdict = verdicts[0] if len(set(verdicts)) == 1 else "partly"
    told = f"{text}: {_after(one, share)}, {_after(other, share)}"
    if len(verdicts) > 2:
        told += f"; so in {verdicts[1:].count('reproduced')} of {len(verdicts) - 1} pairs of runs"
    return Finding(verdict, told)


def _is_before(one: Cell, other: Cell, share: float, factor: float) -> Verdict:
    first, second = one.first_at(share), other.first_at(share)
    if first is None:
        return "partly" if second is None else "not"
    if second is None:
        return "reproduced" if other.games >= factor * first else "partly"
    return "reproduced" if first < second and factor * first <= second else "not"


def _after(cell: Cell, share: float) -> str:
    games = cell.first_at(share)
    return f"{cell.title} " + (f"never in {cell.games:,}" if games is None else f"after {games:,}")


def chi_square(scores: Sequence[Score]) -> tuple[float, int, float]:
    """Pearson's test whether all have one win rate: statistic, degrees of freedom, p (6.3)."""
    from scipy.stats import chi2

    games, won = sum(score.games for score in scores), sum(score.points for score in scores)
    if len(scores) < 2 or not 0 < won < games:
        return 0.0, max(0, len(scores) - 1), 1.0
    rate = won / games
    found = sum((score.points - rate * score.games) ** 2 / (score.games * rate * (1 - rate)) for score in scores)
    degrees = len(scores) - 1
    return float(found), degrees, float(chi2.sf(found, degrees))
