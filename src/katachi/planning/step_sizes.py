"""Sparse memories whose weights have steps of their own, which adapt (Silver 10.3.1): by counts, and IDBD.

They are memories like others: every learner and search works on them, and its α is a factor of all steps. The fast ones
of Go are cpp/learning/step_sizes.hpp.
"""

from collections import defaultdict
from collections.abc import Hashable
from math import exp, log
from typing import Any

from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Action
from katachi.planning.memories import Features, SparseMemory, SparseTrace

__all__ = ["CountedMemory", "IdbdMemory"]

_LARGEST_CHANGE = 2.0  # of β in one step (Sutton 1992, section 3)


class CountedMemory(SparseMemory):
    """Steps fall with the occurrences of a feature: α_i = α c / (c + n_i), n_i those before."""

    def __init__(self, features: Features, count_scale: float) -> None:
        if count_scale <= 0:
            raise InvalidArgumentError(f"count_scale is above 0, not {count_scale}")
        super().__init__(features)
        self.count_scale = count_scale
        self.counts: defaultdict[Hashable, int] = defaultdict(int)

    def share(self, name: Hashable) -> float:
        """c / (c + n_i)."""
        return self.count_scale / (self.count_scale + self.counts[name])

    def add(self, thing: tuple[Any, Action], step: float) -> None:
        """θ_i <- θ_i + step α_i φ_i, which is an occurrence."""
        for name, value in self.features(*thing):
            self.theta[name] = self.theta.get(name, 0.0) + step * self.share(name) * value
            self.counts[name] += 1

    def trace(self) -> "CountedTrace":
        """A trace of nothing yet."""
        return CountedTrace(self)

    def reset(self) -> None:
        """θ = 0, n = 0."""
        super().reset()
        self.counts.clear()


class CountedTrace(SparseTrace):
    """A trace that a feature enters with its step."""

    def __init__(self, memory: CountedMemory) -> None:
        super().__init__(memory)
        self._counted = memory

    def mark(self, thing: tuple[Any, Action], *, replacing: bool = False, scale: float = 1.0) -> None:
        """e_i <- e_i + scale φ_i c / (c + n_i), which is an occurrence."""
        for name, value in self._counted.features(*thing):
            held = 0.0 if replacing else self.eligibility.get(name, 0.0)
            self.eligibility[name] = held + scale * value * self._counted.share(name)
            self._counted.counts[name] += 1


class IdbdMemory(SparseMemory):
    """Every weight learns its step, too (Sutton 1992, IDBD; with traces, Kearney et al. 2018, TIDBD):

    β_i <- β_i + μ δ φ_i h_i;  α_i = e^β_i;  θ_i <- θ_i + α_i δ e_i;  h_i <- h_i max(0, 1 - α_i φ_i e_i) + α_i δ e_i.

    `first_step` is e^β at the start, `meta_step` is μ. δ is what a learner applies, its α times its error: give it 1.
    """

    def __init__(self, features: Features, first_step: float, meta_step: float) -> None:
        if first_step <= 0 or meta_step < 0:
            raise InvalidArgumentError(
                f"first_step is above 0 and meta_step 0 or more, not {first_step} and {meta_step}"
            )
        super().__init__(features)
        self.first_step = first_step
        self.meta_step = meta_step
        self.log_steps: dict[Hashable, float] = {}  # β
        self.memories: dict[Hashable, float] = {}  # h

    def step_of(self, name: Hashable) -> float:
        """α_i."""
        return exp(self.log_steps.get(name, log(self.first_step)))

    def add(self, thing: tuple[Any, Action], step: float) -> None:
        """One update of a trace that holds φ alone."""
        trace = self.trace()
        trace.mark(thing)
        trace.apply(step)

    def trace(self) -> "IdbdTrace":
        """A trace of nothing yet."""
        return IdbdTrace(self)

    def reset(self) -> None:
        """θ = 0, and steps as at first."""
        super().reset()
        self.log_steps.clear()
        self.memories.clear()


class IdbdTrace(SparseTrace):
    """A trace that also knows which features are on now."""

    def __init__(self, memory: IdbdMemory) -> None:
        super().__init__(memory)
        self._adaptive = memory
        self._now: dict[Hashable, float] = {}

    def mark(self, thing: tuple[Any, Action], *, replacing: bool = False, scale: float = 1.0) -> None:
        """e <- e + scale φ."""
        super().mark(thing, replacing=replacing, scale=scale)
        self._now = dict(self._adaptive.features(*thing))

    def apply(self, step: float) -> None:
        """The equations above, δ being `step`."""
        memory = self._adaptive
        for name, eligibility in self.eligibility.items():
            phi, held = self._now.get(name, 0.0), memory.memories.get(name, 0.0)
            change = memory.meta_step * step * phi * held
            beta = memory.log_steps.get(name, log(memory.first_step))
            memory.log_steps[name] = beta + min(_LARGEST_CHANGE, max(-_LARGEST_CHANGE, change))
            alpha = memory.step_of(name)
            moved = alpha * step * eligibility
            memory.theta[name] = memory.theta.get(name, 0.0) + moved
            memory.memories[name] = held * max(0.0, 1 - alpha * phi * eligibility) + moved
