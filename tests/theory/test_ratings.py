"""Ratings and tests on games whose truth is known: coverage of the intervals, error rates of the sequential test."""

import numpy as np
import pytest

from katachi.arena.elo import ELO_PER_LOGIT, elo_difference, elo_interval, expected_score, likelihood_of_superiority
from katachi.arena.ratings import PairCounts, _Model, rate
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


def test_one_sided_games_have_finite_answers() -> None:
    """Black always wins: 20 of 20 with a virtual win and loss is 21:1; symmetric games have no advantage."""
    games = [PairCounts("a", "b", 10, 0, 0), PairCounts("b", "a", 10, 0, 0)]
    ratings = rate(games)
    assert ratings.advantage == pytest.approx(ELO_PER_LOGIT * np.log(21), rel=1e-4)
    assert ratings.difference("a", "b")[0] == pytest.approx(0, abs=1e-6)
    drawn = [PairCounts(a, b, 0, 50, 0) for a in "abc" for b in "abc" if a != b]
    ratings = rate(drawn)
    assert ratings.advantage == pytest.approx(0, abs=1e-3)
    assert ratings.draw_rate == pytest.approx(301 / 302, rel=1e-4)


@pytest.mark.parametrize("games", [10_000, 1_000_000])
def test_many_games_have_ratings(games: int) -> None:
    """The cost of so many has too few digits for a search to end at its lowest point; the slope has enough."""
    players = {f"p{number}": 40.0 * number for number in range(25)}
    anchors = ("p0", "p6", "p12", "p18", "p24")
    pairs = []
    for one in players:
        for other in anchors:
            if one != other:
                wins = games * expected_score(players[one] - players[other])
                pairs += [PairCounts(one, other, wins, 0, games - wins), PairCounts(other, one, games - wins, 0, wins)]
    ratings = rate(pairs, {"p0": 0.0})
    for player, elo in players.items():
        assert ratings[player].elo == pytest.approx(elo, abs=0.5)


def test_derivatives() -> None:
    games = [PairCounts("a", "b", 7, 2, 3), PairCounts("b", "a", 5, 0, 5), PairCounts("b", "c", 8, 1, 0)]
    model = _Model(games, ["a", "b", "c"], 2.0)
    x = np.random.default_rng(0).normal(size=model.size)
    steps = 1e-6 * np.eye(model.size)
    slopes = np.array([(model.cost(x + h) - model.cost(x - h)) / 2e-6 for h in steps])
    assert model.gradient(x) == pytest.approx(slopes, abs=1e-6)
    curvature = np.array([(model.gradient(x + h) - model.gradient(x - h)) / 2e-6 for h in steps])
    assert model.hessian(x) == pytest.approx(curvature, abs=1e-6)


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


@pytest.mark.parametrize(
    ("elo0", "elo1", "nu"), [(0, 35, 0.0), (0, 35, 0.9), (0, 100, 2.0), (0, 200, 0.9), (-200, 0, 1.3), (0, 35, 11.0)]
)
@pytest.mark.parametrize("truth", ["H0", "H1"])
def test_error_rates_of_the_sequential_test(truth: str, elo0: float, elo1: float, nu: float) -> None:
    """At nominal 5 % the wrong verdict is given in at most 6.5 % of 1,000 runs, looking after every game.

    Games are those of Davidson's model; nu from 0 to 11 is a share of draws from 0 to 85 %.
    """
    test = Sprt(elo0, elo1)
    rng = np.random.default_rng(1)
    strength = np.exp((elo0 if truth == "H0" else elo1) / ELO_PER_LOGIT)
    weights = np.array([strength, nu * np.sqrt(strength), 1.0])
    steps = np.array([test.llr(1, 0, 0), test.llr(0, 1, 0), test.llr(0, 0, 1)])
    low, high = test.bounds
    wrong = 0
    for _ in range(1000):
        llr, ended = 0.0, False
        while not ended:
            path = llr + np.cumsum(steps[rng.choice(3, size=400, p=weights / weights.sum())])
            outside = np.nonzero((path <= low) | (path >= high))[0]
            ended = outside.size > 0
            llr = float(path[outside[0]] if ended else path[-1])
        wrong += (llr >= high) != (truth == "H1")
    assert wrong / 1000 <= 0.065


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
    assert test.llr(7, 100, 3) == test.llr(7, 0, 3)
    with pytest.raises(InvalidArgumentError, match="from -2000 to 2000"):
        Sprt(0, 400_000)
    with pytest.raises(InvalidArgumentError, match="smaller one"):
        Sprt(10, 10)
    with pytest.raises(InvalidArgumentError, match="alpha"):
        Sprt(0, 10, alpha=0.7)
