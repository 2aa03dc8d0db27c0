"""Do two factors matter, by how much runs differ? An analysis of variance of one number for each run.

Games of one network are not independent of each other as a sign of what its trainer is worth: a run of another seed
may win more or less than chance allows for games of one network. So runs are what is counted here, not games, and a
factor matters if its levels differ by more than runs of one cell do. Pearson's chi-square of all games together, which
knows nothing of runs, is in katachi.experiments.network_results.

Fisher (1925), with as many runs in every cell: sums of squares of the factors, of their interaction and within cells.
Runs of one number share their seed from cell to cell. What they have in common stays in the variance within cells, by
which the test is rather too careful.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, sqrt
from statistics import fmean

__all__ = ["Effect", "TwoWay", "two_way"]


@dataclass(frozen=True)
class Effect:
    """What an F test says."""

    statistic: float
    degrees: int
    within: int  # degrees of freedom of what it is compared with
    p: float


@dataclass(frozen=True)
class TwoWay:
    """Numbers of runs, by the levels of both factors."""

    cells: Mapping[tuple[str, str], tuple[float, ...]]

    def levels(self, factor: int) -> list[str]:
        """Of the first factor (0) or the second (1)."""
        return list(dict.fromkeys(key[factor] for key in self.cells))

    def mean(self, factor: int, level: str) -> float:
        """Over all runs of a level: every cell has as many."""
        return fmean(value for key, values in self.cells.items() if key[factor] == level for value in values)

    @property
    def runs(self) -> int:
        """Of each cell."""
        return len(next(iter(self.cells.values())))

    @property
    def within(self) -> int:
        """Degrees of freedom within cells."""
        return len(self.cells) * (self.runs - 1)

    @property
    def variance(self) -> float:
        """Of runs within cells."""
        squares = (value - fmean(values) for values in self.cells.values() for value in values)
        return sum(gap**2 for gap in squares) / self.within

    def effect(self, factor: int) -> Effect:
        """Does a factor matter?"""
        levels = self.levels(factor)
        grand = fmean(self.mean(factor, level) for level in levels)
        size = self.runs * len(self.cells) / len(levels)
        return self._test(size * sum((self.mean(factor, level) - grand) ** 2 for level in levels), len(levels) - 1)

    def interaction(self) -> Effect:
        """Does one factor matter otherwise for other levels of the other?"""
        grand = fmean(value for values in self.cells.values() for value in values)
        gaps = (
            fmean(values) - self.mean(0, first) - self.mean(1, second) + grand
            for (first, second), values in self.cells.items()
        )
        degrees = (len(self.levels(0)) - 1) * (len(self.levels(1)) - 1)
        return self._test(self.runs * sum(gap**2 for gap in gaps), degrees)

    def _test(self, squares: float, degrees: int) -> Effect:
        from scipy.stats import f

        if self.variance == 0:
            return Effect(inf if squares else 0.0, degrees, self.within, 0.0 if squares else 1.0)
        statistic = squares / degrees / self.variance
        return Effect(statistic, degrees, self.within, float(f.sf(statistic, degrees, self.within)))

    def gap(self, factor: int, one: str, other: str) -> tuple[float, float, float]:
        """The mean of one level minus that of another, and its 95 % interval by Student's t."""
        from scipy.stats import t

        gap = self.mean(factor, one) - self.mean(factor, other)
        size = self.runs * len(self.cells) / len(self.levels(factor))
        half = float(t.ppf(0.975, self.within)) * sqrt(2 * self.variance / size)
        return gap, gap - half, gap + half


def two_way(runs: Mapping[tuple[str, str], Mapping[int, float]]) -> TwoWay | None:
    """Of the runs whose numbers every cell has; None if there is one of them, one level, or a cell is missing."""
    numbers = set.intersection(*(set(own) for own in runs.values())) if runs else set()
    first, second = ({key[factor] for key in runs} for factor in (0, 1))
    if len(numbers) < 2 or min(len(first), len(second)) < 2 or len(runs) < len(first) * len(second):
        return None
    return TwoWay({key: tuple(own[number] for number in sorted(numbers)) for key, own in runs.items()})
