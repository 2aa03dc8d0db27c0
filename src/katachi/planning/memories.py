"""What learners write to: a table, or the weights of linear features. The learners cannot tell which.

A memory values *things*: states, or (state, action) pairs. It also makes traces, which remember how much credit each
weight deserves for what is to come.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from katachi.core.errors import InvalidArgumentError
from katachi.games.contract import Game
from katachi.planning.mdp import state_name

__all__ = ["LinearMemory", "Memory", "Table", "Trace", "VisitCount", "name_of_pair", "name_of_state"]

Name = Callable[[Any], Hashable]


def name_of_state(game: Game[Any]) -> Name:
    """For tables V(s): things are states."""
    return lambda state: state_name(game, state)


def name_of_pair(game: Game[Any]) -> Name:
    """For tables Q(s, a): things are (state, action)."""
    return lambda pair: (state_name(game, pair[0]), pair[1])


class Trace(Protocol):
    """Eligibility e of the weights (Silver 2.4)."""

    def decay(self, factor: float) -> None:
        """e <- factor e."""

    def mark(self, thing: Any, *, replacing: bool = False) -> None:  # noqa: ANN401
        """e <- e + φ(thing); replacing: 1 where φ(thing) is 1."""

    def apply(self, step: float) -> None:
        """θ <- θ + step e."""


class Memory(Protocol):
    """A value function that can be moved."""

    def value(self, thing: Any) -> float:  # noqa: ANN401
        """V(s) or Q(s, a)."""

    def add(self, thing: Any, step: float) -> None:  # noqa: ANN401
        """θ <- θ + step φ(thing)."""

    def trace(self) -> Trace:
        """A trace of nothing yet."""


class Table:
    """A value for every name; `initial` for those not met yet."""

    def __init__(self, name: Name, initial: float = 0.0) -> None:
        self.name = name
        self.initial = initial
        self.values: dict[Hashable, float] = {}

    def value(self, thing: Any) -> float:  # noqa: ANN401
        """V(s) or Q(s, a)."""
        return self.values.get(self.name(thing), self.initial)

    def add(self, thing: Any, step: float) -> None:  # noqa: ANN401
        """Moves one entry."""
        self.add_named(self.name(thing), step)

    def add_named(self, name: Hashable, step: float) -> None:
        """Moves the entry of a name."""
        self.values[name] = self.values.get(name, self.initial) + step

    def trace(self) -> "TableTrace":
        """A trace of nothing yet."""
        return TableTrace(self)


class TableTrace:
    """A number for every entry that deserves credit."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.eligibility: defaultdict[Hashable, float] = defaultdict(float)

    def decay(self, factor: float) -> None:
        """e <- factor e."""
        for name in self.eligibility:
            self.eligibility[name] *= factor

    def mark(self, thing: Any, *, replacing: bool = False) -> None:  # noqa: ANN401
        """e(thing) <- e(thing) + 1, or 1."""
        name = self._table.name(thing)
        self.eligibility[name] = 1.0 if replacing else self.eligibility[name] + 1.0

    def apply(self, step: float) -> None:
        """Moves every entry by its share."""
        for name, eligibility in self.eligibility.items():
            self._table.add_named(name, step * eligibility)


class LinearMemory:
    """θ·φ(thing): `features` gives the vector φ, always of the same length."""

    def __init__(self, features: Callable[[Any], NDArray[np.float64]], size: int) -> None:
        self.features = features
        self.theta = np.zeros(size)

    def phi(self, thing: Any) -> NDArray[np.float64]:  # noqa: ANN401
        """The features, checked."""
        phi = np.asarray(self.features(thing), dtype=np.float64)
        if phi.shape != self.theta.shape:
            raise InvalidArgumentError(f"features of {thing!r} have shape {phi.shape}, not {self.theta.shape}")
        return phi

    def value(self, thing: Any) -> float:  # noqa: ANN401
        """θ·φ."""
        return float(self.theta @ self.phi(thing))

    def add(self, thing: Any, step: float) -> None:  # noqa: ANN401
        """θ <- θ + step φ."""
        self.theta += step * self.phi(thing)

    def trace(self) -> "LinearTrace":
        """A trace of nothing yet."""
        return LinearTrace(self)


class LinearTrace:
    """A vector beside θ."""

    def __init__(self, memory: LinearMemory) -> None:
        self._memory = memory
        self.eligibility = np.zeros_like(memory.theta)

    def decay(self, factor: float) -> None:
        """e <- factor e."""
        self.eligibility *= factor

    def mark(self, thing: Any, *, replacing: bool = False) -> None:  # noqa: ANN401
        """e <- e + φ; replacing (for features of 0 and 1): 1 where φ is 1."""
        phi = self._memory.phi(thing)
        if replacing:
            self.eligibility[phi != 0] = phi[phi != 0]
        else:
            self.eligibility += phi

    def apply(self, step: float) -> None:
        """θ <- θ + step e."""
        self._memory.theta += step * self.eligibility


class VisitCount:
    """The step size α = 1/N(thing): counts a visit and gives one over their number."""

    def __init__(self, name: Name) -> None:
        self.name = name
        self.visits: defaultdict[Hashable, int] = defaultdict(int)

    def __call__(self, thing: Any) -> float:  # noqa: ANN401
        """α for this visit."""
        self.visits[self.name(thing)] += 1
        return 1 / self.visits[self.name(thing)]
