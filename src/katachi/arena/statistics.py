"""What a number of games says about a win rate."""

from dataclasses import dataclass
from math import sqrt

__all__ = ["Score", "wilson_interval"]

_Z95 = 1.959963984540054


def wilson_interval(points: float, games: int, z: float = _Z95) -> tuple[float, float]:
    """The score interval of Wilson (1927) for a win rate; a draw is half a point. (0, 1) without games."""
    if games == 0:
        return 0.0, 1.0
    rate = points / games
    centre = rate + z * z / (2 * games)
    spread = z * sqrt(rate * (1 - rate) / games + z * z / (4 * games * games))
    scale = 1 + z * z / games
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


@dataclass(frozen=True)
class Score:
    """Points out of games; a draw is half a point."""

    points: float
    games: int

    @property
    def win_rate(self) -> float:
        """Points per game; one half without games."""
        return self.points / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """95 % Wilson interval of the win rate."""
        return wilson_interval(self.points, self.games)

    def __add__(self, other: "Score") -> "Score":
        return Score(self.points + other.points, self.games + other.games)
