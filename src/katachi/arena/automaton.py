"""A linear reward-penalty automaton: a search for the best of a few values where every trial is noisy.

It chooses values with probabilities p and learns from each trial whether it was a success (Narendra and Thathachar
1974; Vodopivec 2018 tuned parameters with it). One step of it is a pure function; what a trial is, and when it is a
success, is the caller's. Searches over many parameters are in katachi.arena.tune.
"""

from collections.abc import Sequence

from pydantic import Field

from katachi._core import Rng
from katachi.core.errors import InvalidArgumentError
from katachi.core.settings import Settings

__all__ = ["Automaton", "AutomatonSettings", "update_probabilities"]


class AutomatonSettings(Settings):
    """How fast it learns. Equal rates never settle, a penalty of 0 may settle on a wrong value."""

    reward: float = Field(gt=0, lt=1, description="a: how far a success moves the probabilities.")
    penalty: float = Field(ge=0, lt=1, description="b: how far a failure does.")


def update_probabilities(
    p: Sequence[float], tried: int, is_success: bool, settings: AutomatonSettings
) -> tuple[float, ...]:
    """The probabilities after a trial of value i = `tried` of r.

    Success: p_i + a (1 - p_i), the others p_j - a p_j. Failure: p_i - b p_i, the others p_j + b (1/(r-1) - p_j).
    """
    if len(p) < 2 or not 0 <= tried < len(p):
        raise InvalidArgumentError(f"value {tried} of {len(p)}: an automaton chooses among two values or more")
    if is_success:
        a = settings.reward
        return tuple(x + a * (1 - x) if j == tried else x - a * x for j, x in enumerate(p))
    b = settings.penalty
    other = 1 / (len(p) - 1)
    return tuple(x - b * x if j == tried else x + b * (other - x) for j, x in enumerate(p))


class Automaton:
    """Probabilities over values that change with every trial; uniform at first."""

    def __init__(self, values: int, settings: AutomatonSettings) -> None:
        if values < 2:
            raise InvalidArgumentError(f"an automaton chooses among two values or more, not {values}")
        self.settings = settings
        self.p: tuple[float, ...] = (1 / values,) * values

    def choose(self, rng: Rng) -> int:
        """The number of a value, with its probability."""
        drawn = rng.uniform()
        for place, share in enumerate(self.p):
            drawn -= share
            if drawn < 0:
                return place
        return len(self.p) - 1

    def update(self, tried: int, is_success: bool) -> None:
        """After a trial."""
        self.p = update_probabilities(self.p, tried, is_success, self.settings)

    @property
    def best(self) -> int:
        """The value with the highest probability, of equals the first."""
        return max(range(len(self.p)), key=lambda place: self.p[place])
