"""The logistic scale of ratings: P(A beats B) = 1 / (1 + 10^((B - A) / 400))   (Silver 2009, 5.6)."""

from math import erf, inf, log, log10, sqrt, tanh

from katachi.arena.statistics import wilson_interval
from katachi.core.errors import InvalidArgumentError

__all__ = ["ELO_PER_LOGIT", "elo_difference", "elo_interval", "expected_score", "likelihood_of_superiority"]

ELO_PER_LOGIT = 400 / log(10)


def expected_score(difference: float) -> float:
    """The points per game of a player who is rated so much higher."""
    return (1 + tanh(difference / (2 * ELO_PER_LOGIT))) / 2  # the same as above, and no overflow


def elo_difference(win_rate: float) -> float:
    """The inverse of `expected_score`; infinite for 0 and 1."""
    if not 0 <= win_rate <= 1:
        raise InvalidArgumentError(f"a win rate is from 0 to 1, not {win_rate}")
    if win_rate in (0, 1):
        return inf if win_rate else -inf
    return -400 * log10(1 / win_rate - 1)


def elo_interval(points: float, games: int) -> tuple[float, float]:
    """The 95 % Wilson interval of the win rate, on the scale of ratings; infinite where all or no points were made."""
    low, high = wilson_interval(points, games)
    return elo_difference(low if points > 0 else 0.0), elo_difference(high if points < games else 1.0)


def likelihood_of_superiority(wins: int, losses: int) -> float:
    """The probability that the first player is the stronger one, by the normal approximation; draws say nothing."""
    decided = wins + losses
    return 0.5 if decided == 0 else 0.5 * (1 + erf((wins - losses) / sqrt(2 * decided)))
