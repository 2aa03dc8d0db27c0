"""What learners write to: a table, or the weights of linear features. The learners cannot tell which.

A memory values *things*: states, or (state, action) pairs. It also makes traces, which remember how much credit each
weight deserves for what is to come. Features of a pair are a vector (`LinearMemory`), or the few that are on, by name
(`SparseMemory`); `TableLookup` has one for every action of the states it represents, and can grow. A `Correction` is a
memory on top of another.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Action
from katachi.games.contract import Game
from katachi.planning.mdp import state_name

__all__ = [
    "Correction",
    "Features",
    "LinearMemory",
    "Memory",
    "SparseMemory",
    "Table",
    "TableLookup",
    "Trace",
    "VisitCount",
    "name_of_pair",
    "name_of_state",
]

Name = Callable[[Any], Hashable]

# φ(s, a) as the features that are not 0: (name or number, value), each of them once.
Features = Callable[[Any, Action], Iterable[tuple[Hashable, float]]]


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

    def mark(self, thing: Any, *, replacing: bool = False, scale: float = 1.0) -> None:  # noqa: ANN401
        """e <- e + scale φ(thing); replacing: scale where φ(thing) is 1."""

    def apply(self, step: float) -> None:
        """θ <- θ + step e."""


class Memory(Protocol):
    """A value function that can be moved."""

    def value(self, thing: Any) -> float:  # noqa: ANN401
        """V(s) or Q(s, a)."""

    def add(self, thing: Any, step: float) -> None:  # noqa: ANN401
        """θ <- θ + step φ(thing)."""

    def squared_norm(self, thing: Any) -> float:  # noqa: ANN401
        """‖φ(thing)‖²: of features of 0 and 1, how many are on (k)."""

    def trace(self) -> Trace:
        """A trace of nothing yet."""

    def reset(self) -> None:
        """Back to the beginning."""


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

    def squared_norm(self, thing: Any) -> float:  # noqa: ANN401
        """One entry for each thing."""
        return 1.0

    def trace(self) -> "TableTrace":
        """A trace of nothing yet."""
        return TableTrace(self)

    def reset(self) -> None:
        """Everything is `initial` again."""
        self.values.clear()


class TableTrace:
    """A number for every entry that deserves credit."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.eligibility: defaultdict[Hashable, float] = defaultdict(float)

    def decay(self, factor: float) -> None:
        """e <- factor e."""
        for name in self.eligibility:
            self.eligibility[name] *= factor

    def mark(self, thing: Any, *, replacing: bool = False, scale: float = 1.0) -> None:  # noqa: ANN401
        """e(thing) <- e(thing) + scale, or scale."""
        name = self._table.name(thing)
        self.eligibility[name] = scale if replacing else self.eligibility[name] + scale

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

    def squared_norm(self, thing: Any) -> float:  # noqa: ANN401
        """φ·φ."""
        phi = self.phi(thing)
        return float(phi @ phi)

    def trace(self) -> "LinearTrace":
        """A trace of nothing yet."""
        return LinearTrace(self)

    def reset(self) -> None:
        """θ = 0."""
        self.theta[:] = 0.0


class LinearTrace:
    """A vector beside θ."""

    def __init__(self, memory: LinearMemory) -> None:
        self._memory = memory
        self.eligibility = np.zeros_like(memory.theta)

    def decay(self, factor: float) -> None:
        """e <- factor e."""
        self.eligibility *= factor

    def mark(self, thing: Any, *, replacing: bool = False, scale: float = 1.0) -> None:  # noqa: ANN401
        """e <- e + scale φ; replacing (for features of 0 and 1): scale where φ is 1."""
        phi = self._memory.phi(thing)
        if replacing:
            self.eligibility[phi != 0] = scale * phi[phi != 0]
        else:
            self.eligibility += scale * phi

    def apply(self, step: float) -> None:
        """θ <- θ + step e."""
        self._memory.theta += step * self.eligibility


class SparseMemory:
    """Σ θ_i φ_i(s, a) over the features that are on; things are (state, action). Whatever has a name has a weight.

    `features(state, action)` is the linear feature map of a game: (name, value) of all that is not 0.
    """

    def __init__(self, features: Features) -> None:
        self.features = features
        self.theta: dict[Hashable, float] = {}

    def value(self, thing: tuple[Any, Action]) -> float:
        """θ·φ."""
        theta = self.theta
        return sum(value * theta.get(name, 0.0) for name, value in self.features(*thing))

    def add(self, thing: tuple[Any, Action], step: float) -> None:
        """θ <- θ + step φ."""
        for name, value in self.features(*thing):
            self.theta[name] = self.theta.get(name, 0.0) + step * value

    def squared_norm(self, thing: tuple[Any, Action]) -> float:
        """φ·φ."""
        return sum(value * value for _, value in self.features(*thing))

    def trace(self) -> "SparseTrace":
        """A trace of nothing yet."""
        return SparseTrace(self)

    def reset(self) -> None:
        """θ = 0."""
        self.theta.clear()


class SparseTrace:
    """A number for every weight that deserves credit."""

    def __init__(self, memory: SparseMemory) -> None:
        self._memory = memory
        self.eligibility: dict[Hashable, float] = {}

    def decay(self, factor: float) -> None:
        """e <- factor e."""
        if factor == 0:
            self.eligibility.clear()
        elif factor != 1:
            for name in self.eligibility:
                self.eligibility[name] *= factor

    def mark(self, thing: tuple[Any, Action], *, replacing: bool = False, scale: float = 1.0) -> None:
        """e <- e + scale φ; replacing (for features of 0 and 1): scale where φ is 1."""
        for name, value in self._memory.features(*thing):
            held = 0.0 if replacing else self.eligibility.get(name, 0.0)
            self.eligibility[name] = held + scale * value

    def apply(self, step: float) -> None:
        """θ <- θ + step e."""
        theta = self._memory.theta
        for name, eligibility in self.eligibility.items():
            theta[name] = theta.get(name, 0.0) + step * eligibility


class TableLookup:
    """The features I[S, A](s, a) = 1 if (s, a) = (S, A), of the states S that were added; elsewhere none is on."""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game
        self._states: set[Hashable] = set()

    def __call__(self, state: Any, action: Action) -> list[tuple[Hashable, float]]:  # noqa: ANN401
        """One feature, or none."""
        name = state_name(self._game, state)
        return [((name, action), 1.0)] if name in self._states else []

    def __contains__(self, state: Any) -> bool:  # noqa: ANN401
        return state_name(self._game, state) in self._states

    def __len__(self) -> int:
        return len(self._states)

    def add(self, state: Any) -> None:  # noqa: ANN401
        """From now on all actions of this state have a feature."""
        self._states.add(state_name(self._game, state))

    def clear(self) -> None:
        """No state has a feature."""
        self._states.clear()


class Correction:
    """Two memories whose values are added, of which only `short` learns (Silver 7.2): Q̄(s, a) = Q(s, a) + φ̄·θ̄."""

    def __init__(self, long: Memory, short: Memory) -> None:
        self.long = long
        self.short = short

    def value(self, thing: Any) -> float:  # noqa: ANN401
        """What both say together."""
        return self.long.value(thing) + self.short.value(thing)

    def add(self, thing: Any, step: float) -> None:  # noqa: ANN401
        """θ̄ <- θ̄ + step φ̄."""
        self.short.add(thing, step)

    def squared_norm(self, thing: Any) -> float:  # noqa: ANN401
        """‖φ̄‖²."""
        return self.short.squared_norm(thing)

    def trace(self) -> Trace:
        """Of θ̄."""
        return self.short.trace()

    def reset(self) -> None:
        """θ̄ = 0; θ stays."""
        self.short.reset()


class VisitCount:
    """The step size α = 1/(C + N(thing)): counts a visit; `confidence` C is what a first value is worth in visits."""

    def __init__(self, name: Name, confidence: float | Callable[[Any], float] = 0.0) -> None:
        self.name = name
        self.confidence = confidence
        self.visits: defaultdict[Hashable, int] = defaultdict(int)

    def __call__(self, thing: Any) -> float:  # noqa: ANN401
        """α for this visit."""
        self.visits[self.name(thing)] += 1
        confidence = self.confidence(thing) if callable(self.confidence) else self.confidence
        return 1 / (confidence + self.visits[self.name(thing)])
