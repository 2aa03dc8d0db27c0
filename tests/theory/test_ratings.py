"""Ratings and tests on games whose truth is known: coverage of the intervals, error rates of the sequential test."""

import numpy as np
import pytest

from katachi.arena.elo import ELO_PER_LOGIT, elo_difference, elo_interval, expected_score, likelihood_of_superiority
from katachi.arena.ratings import PairCounts, rate
from katachi.arena.sprt import Sprt, parse_sprt
from katachi.core.errors import InvalidArgumentError, ParseError


def test_the_scale() -> None:
    """Silver's check values: +100, 64.0 %, up to +700, 98.3 %."""
    for difference, rate_ in ((100, 0.640), (200, 0.760), (300, 0.849), (500, 0.947), (700, 0.983)):
        assert expected_score(difference) == pytest.approx(rate_, abs=5e-4)
        assert elo_difference(expected_score(difference)) == pytest.approx(difference)
    assert elo_difference(0.0) == -elo_difference(1.0) == -float("inf")
    low, high = elo_interval(64, 100)
    assert low < 100 < high
    assert elo_interval(10, 10)[1] == float("inf")
    assert likelihood_of_superiority(0, 0) == 0.5
    assert likelihood_of_superiority(60, 40) == pytest.approx(0.9772, abs=1e-4)


def test_two_players_without_a_prior_are_the_win_rate() -> None:
    ratings = rate([PairCounts("a", "b", 40, 0, 10), PairCounts("b", "a", 25, 0, 25)], virtual_draws=0.0)
    # 40:10 as Black, 25:25 as White: ln 4 = gap + advantage, 0 = gap - advantage.
    gap, _ = ratings.difference("a", "b")
    assert gap == pytest.approx(ELO_PER_LOGIT * np.log(4) / 2)
    assert ratings.advantage == pytest.approx(ELO_PER_LOGIT * np.log(4) / 2)


def test_the_prior_by_hand() -> None:
    """10:0 with four virtual draws (two for each) is 12:2."""
    ratings = rate([PairCounts("a", "b", 10, 0, 0)])
    assert ratings.difference("a", "b")[0] == pytest.approx(ELO_PER_LOGIT * np.log(12 / 2), rel=1e-6)


def test_draws_by_hand() -> None:
    """Equal players: the share of draws is nu / (2 + nu)."""
    ratings = rate([PairCounts("a", "b", 10, 20, 10), PairCounts("b", "a", 10, 20, 10)])
    assert ratings.draw_rate == pytest.approx(0.5, abs=1e-6)
    assert ratings["a"].elo == pytest.approx(0, abs=1e-6)


def test_anchors() -> None:
    games = [PairCounts("gnugo", "a", 30, 0, 10), PairCounts("a", "gnugo", 20, 0, 20), PairCounts("a", "b", 30, 0, 10)]
    ratings = rate(games, {"gnugo": 1800})
    assert ratings["gnugo"].elo == pytest.approx(1800)
    assert ratings["gnugo"].low == pytest.approx(1800)
    assert [line.player for line in ratings.lines] == ["gnugo", "a", "b"]
    assert ratings.superiority("gnugo", "b") > 0.98
    free = rate(games)
    assert sum(line.elo for line in free.lines) == pytest.approx(0, abs=1e-6)
    assert free.difference("a", "b") == pytest.approx(ratings.difference("a", "b"))
    with pytest.raises(InvalidArgumentError, match="'gnu' has not played: did you mean 'gnugo'"):
        rate(games, {"gnu": 1800})


def test_what_cannot_be_rated() -> None:
    with pytest.raises(InvalidArgumentError, match="no games connect c, d with a"):
        rate([PairCounts("a", "b", 1, 0, 0), PairCounts("c", "d", 1, 0, 0)])
    with pytest.raises(InvalidArgumentError, match="at least two players"):
        rate([])
    with pytest.raises(InvalidArgumentError, match="no games between two players"):
        rate([PairCounts("a", "a", 1, 0, 0)])


def test_intervals_cover_the_truth() -> None:
    """Eight players of known strength, 200 tournaments: 95 % intervals hold the true differences in 92 to 98 %."""
    rng = np.random.default_rng(20261116)
    truth = np.array([0, 60, 120, 200, 260, 330, 420, 500.0])
    advantage, nu, games, inside = 40.0, 0.2, 20, []
    for _ in range(200):
        pairs = []
        for i in range(8):
            for j in range(8):
                if i != j:
                    strong, weak = np.exp((truth[i] + advantage) / ELO_PER_LOGIT), np.exp(truth[j] / ELO_PER_LOGIT)
                    weights = np.array([strong, nu * np.sqrt(strong * weak), weak])
                    win, draw, lose = rng.multinomial(games, weights / weights.sum())
                    pairs.append(PairCounts(f"p{i}", f"p{j}", win, draw, lose))
        ratings = rate(pairs, {"p0": 0.0})
        inside += [ratings[f"p{i}"].low <= truth[i] <= ratings[f"p{i}"].high for i in range(1, 8)]
    assert 0.92 <= np.mean(inside) <= 0.98


@pytest.mark.parametrize(("draw_rate", "runs"), [(0.0, 1000), (0.3, 1000)])
@pytest.mark.parametrize("truth", ["H0", "H1"])
def test_error_rates_of_the_sequential_test(truth: str, draw_rate: float, runs: int) -> None:
    """At nominal 5 % the wrong verdict is given in at most 6.5 % of the runs."""
    test = Sprt(0, 35)
    rng = np.random.default_rng(1)
    score = expected_score(test.elo0 if truth == "H0" else test.elo1)
    rates = (score - draw_rate / 2, draw_rate, 1 - score - draw_rate / 2)
    wrong = 0
    for _ in range(runs):
        counts = np.zeros(3, dtype=int)
        verdict = "continue"
        while verdict == "continue":
            counts += rng.multinomial(10, rates)
            verdict = test.verdict(*(int(count) for count in counts))
        wrong += verdict != truth
    assert wrong / runs <= 0.065


def test_the_sequential_test_by_hand() -> None:
    test = Sprt(0, 100)
    assert test.bounds == pytest.approx((np.log(0.05 / 0.95), np.log(0.95 / 0.05)))
    p1 = expected_score(100)
    assert test.llr(7, 0, 3) == pytest.approx(7 * np.log(p1 / 0.5) + 3 * np.log((1 - p1) / 0.5))
    assert test.llr(0, 0, 0) == 0
    assert test.llr(0, 10, 0) == 0
    assert test.verdict(40, 0, 10) == "H1"
    assert test.verdict(10, 0, 40) == "H0"
    assert test.verdict(5, 0, 5) == "continue"
    assert parse_sprt("0,35") == Sprt(0, 35)
    assert parse_sprt("-10,10,0.01,0.1") == Sprt(-10, 10, 0.01, 0.1)
    for text in ("", "5", "a,b", "1,2,3"):
        with pytest.raises(ParseError, match="expected ELO0,ELO1"):
            parse_sprt(text)
    with pytest.raises(InvalidArgumentError, match="smaller one"):
        Sprt(10, 0)
    with pytest.raises(InvalidArgumentError, match="alpha"):
        Sprt(0, 10, alpha=0.7)
