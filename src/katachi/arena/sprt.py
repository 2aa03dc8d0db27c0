"""The sequential probability ratio test (Wald 1945): play until one of two Elo differences is clearly the wiser bet.

Win, draw and loss are three outcomes; the share of draws is taken as observed, so a draw's factor cancels:

    LLR = W ln(w1 / w0) + L ln(l1 / l0),   w = s - d/2,  l = 1 - s - d/2,  s = the expected score

Without draws this is the exact test.   Error rates: tests/theory/test_sprt.py.
"""

from dataclasses import dataclass
from math import log
from typing import Literal

from katachi.arena.elo import expected_score
from katachi.core.errors import InvalidArgumentError, ParseError

__all__ = ["Sprt", "Verdict", "parse_sprt"]

Verdict = Literal["continue", "H0", "H1"]
_LEAST = 1e-3  # no outcome is taken to be impossible


@dataclass(frozen=True)
class Sprt:
    """H0: the first player is `elo0` stronger; H1: `elo1`. `alpha` and `beta` bound the two errors."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
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
        """The logarithm of the likelihood ratio of H1 to H0."""
        games = wins + draws + losses
        if games == 0:
            return 0.0
        draw_rate = draws / games
        ratio = 0.0
        for count, sign in ((wins, 1), (losses, -1)):
            rates = []
            for elo in (self.elo0, self.elo1):
                score = expected_score(sign * elo)
                rates.append(max(score - draw_rate / 2, _LEAST))
            ratio += count * log(rates[1] / rates[0])
        return ratio

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
