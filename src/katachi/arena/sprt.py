"""The sequential probability ratio test (Wald 1945): play until one of two Elo differences is clearly the wiser bet.

In the model of the ratings (Davidson 1970) a game that is decided is won with the probability that the difference of
the ratings says, whatever the share of draws; so draws say nothing about it:

    LLR = W ln(p1 / p0) + L ln((1 - p1) / (1 - p0)),   p = 1 / (1 + 10^(-Elo / 400))

Error rates: tests/theory/test_ratings.py.
"""

from dataclasses import dataclass
from math import log
from typing import Literal

from katachi.arena.elo import expected_score
from katachi.core.errors import InvalidArgumentError, ParseError

__all__ = ["Sprt", "Verdict", "parse_sprt"]

Verdict = Literal["continue", "H0", "H1"]
_LARGEST = 2000.0  # Elo: beyond that nobody loses a game


@dataclass(frozen=True)
class Sprt:
    """H0: the first player is `elo0` stronger; H1: `elo1`. `alpha` and `beta` bound the two errors."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not (abs(self.elo0) <= _LARGEST and abs(self.elo1) <= _LARGEST):
            raise InvalidArgumentError(f"the bounds are from -2000 to 2000 Elo, not {self.elo0:g}, {self.elo1:g}")
        if not self.elo0 < self.elo1:
            raise InvalidArgumentError(f"the first bound must be the smaller one: {self.elo0:g}, {self.elo1:g}")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise InvalidArgumentError(f"{name} is between 0 and 0.5, not {value}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Below the first H0 is accepted, above the second H1."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def llr(self, wins: int, draws: int, losses: int) -> float:
        """The logarithm of the likelihood ratio of H1 to H0; draws do not change it."""
        p0, p1 = expected_score(self.elo0), expected_score(self.elo1)
        return wins * log(p1 / p0) + losses * log((1 - p1) / (1 - p0))

    def verdict(self, wins: int, draws: int, losses: int) -> Verdict:
        """Which hypothesis is accepted, if one is."""
        llr, (low, high) = self.llr(wins, draws, losses), self.bounds
        return "H0" if llr <= low else "H1" if llr >= high else "continue"


def parse_sprt(text: str) -> Sprt:
    """`0,35` or, with the bounds of the errors, `0,35,0.05,0.05`."""
    try:
        values = [float(word) for word in text.split(",")]
    except ValueError:
        values = []
    if len(values) not in (2, 4):
        raise ParseError(f"{text!r} is no test: expected ELO0,ELO1 such as 0,35")
    return Sprt(*values)
