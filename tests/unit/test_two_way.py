"""The analysis of variance of runs, against numbers by hand and against others' tests."""

from collections.abc import Mapping
from math import inf

import numpy as np
import pytest
from scipy.stats import f_oneway, ttest_ind

from katachi.experiments.two_way import TwoWay, two_way

# Means of cells 2, 6, 3, 9; of rows 4 and 6; of columns 2.5 and 7.5; of all 5.
SMALL = {("a", "x"): (1.0, 3.0), ("a", "y"): (5.0, 7.0), ("b", "x"): (2.0, 4.0), ("b", "y"): (8.0, 10.0)}


def numbered(cells: Mapping[tuple[str, str], tuple[float, ...]]) -> dict[tuple[str, str], dict[int, float]]:
    return {key: dict(enumerate(values, 1)) for key, values in cells.items()}


class TestByHand:
    def test_variance_within_cells(self) -> None:
        analysis = TwoWay(SMALL)
        # Every run is 1 from the mean of its cell: 8 over 4 degrees of freedom.
        assert (analysis.within, analysis.variance) == (4, 2.0)

    def test_factors(self) -> None:
        first, second = (TwoWay(SMALL).effect(place) for place in (0, 1))
        # 4 * (1 + 1) = 8 and 4 * (6.25 + 6.25) = 50, over 1 degree of freedom and a variance of 2.
        assert (first.statistic, first.degrees, first.within) == (4.0, 1, 4)
        assert (second.statistic, second.degrees, second.within) == (25.0, 1, 4)
        # Student's t of 4 degrees, both sides: 2 has 0.1161, 5 has 0.0075.
        assert first.p == pytest.approx(0.1161, abs=1e-4)
        assert second.p == pytest.approx(0.0075, abs=1e-4)

    def test_interaction(self) -> None:
        # Every cell is half a point from the sum of its row and column: 2 * 4 * 0.25 = 2, over a variance of 2.
        found = TwoWay(SMALL).interaction()
        assert (found.statistic, found.degrees) == (1.0, 1)

    def test_gap(self) -> None:
        # t of 4 degrees 2.7764, sqrt(2 * 2 / 4) = 1.
        assert TwoWay(SMALL).gap(0, "b", "a") == pytest.approx((2.0, 2 - 2.7764, 2 + 2.7764), abs=1e-4)
        assert TwoWay(SMALL).gap(1, "x", "y") == pytest.approx((-5.0, -5 - 2.7764, -5 + 2.7764), abs=1e-4)

    def test_runs_that_do_not_differ(self) -> None:
        still = TwoWay({("a", "x"): (1.0, 1.0), ("a", "y"): (1.0, 1.0), ("b", "x"): (2.0, 2.0), ("b", "y"): (2.0, 2.0)})
        assert (still.effect(0).statistic, still.effect(0).p) == (inf, 0.0)
        assert (still.effect(1).statistic, still.effect(1).p) == (0.0, 1.0)
        assert still.gap(0, "b", "a") == (1.0, 1.0, 1.0)


class TestAgainstOthers:
    def test_one_factor_that_does_nothing_at_all(self) -> None:
        """With the second factor a mere name, sums of squares add up to those of a one-way analysis of all cells."""
        rng = np.random.default_rng(1)
        cells = {(first, second): tuple(rng.normal(50, 5, 3)) for first in "abcd" for second in "xyz"}
        analysis = TwoWay(cells)
        parts = [analysis.effect(0), analysis.effect(1), analysis.interaction()]
        whole = f_oneway(*cells.values()).statistic
        assert sum(part.statistic * part.degrees for part in parts) == pytest.approx(whole * 11)
        assert [part.degrees for part in parts] == [3, 2, 6]
        assert analysis.within == 24

    def test_gap_of_a_single_pair(self) -> None:
        """Student's t with a common variance, where the other two cells have that variance, too."""
        one, other = (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)
        analysis = TwoWay({("a", "x"): one, ("a", "y"): one, ("b", "x"): other, ("b", "y"): other})
        gap, low, high = analysis.gap(0, "a", "b")
        assert gap == -3
        error = (high - low) / 2 / 2.3060  # t of 8 degrees
        expected = ttest_ind(one, other)
        assert error == pytest.approx(abs(3 / expected.statistic) / 2**0.5, abs=1e-4)

    def test_level_of_the_test(self) -> None:
        """Without any effect, p is below 0.05 about once in twenty times."""
        rng = np.random.default_rng(2)
        found = [
            TwoWay({(a, b): tuple(rng.normal(40, 6, 3)) for a in "abc" for b in "xyz"}).effect(0).p for _ in range(400)
        ]
        assert 8 <= sum(p < 0.05 for p in found) <= 34


class TestWhatIsAnalysed:
    def test_runs_that_every_cell_has(self) -> None:
        runs = numbered(SMALL)
        runs["a", "x"][7] = 100.0
        analysis = two_way(runs)
        assert analysis is not None
        assert dict(analysis.cells) == SMALL

    @pytest.mark.parametrize(
        "runs",
        [
            {},
            numbered({key: values[:1] for key, values in SMALL.items()}),
            numbered({key: values for key, values in SMALL.items() if key != ("b", "y")}),
            numbered({key: values for key, values in SMALL.items() if key[0] == "a"}),
            {("a", "x"): {1: 1.0, 2: 2.0}, ("a", "y"): {1: 1.0, 2: 2.0}, ("b", "x"): {3: 1.0}, ("b", "y"): {3: 1.0}},
        ],
        ids=["nothing", "one run", "a cell is missing", "one level", "no run of all"],
    )
    def test_what_cannot_be_analysed(self, runs: dict[tuple[str, str], dict[int, float]]) -> None:
        assert two_way(runs) is None
