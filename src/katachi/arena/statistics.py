"""Intervals for win rates."""

from math import sqrt

__all__ = ["wilson_interval"]

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
