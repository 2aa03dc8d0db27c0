"""What there is to say about weights of local shapes: by family, the largest ones, and the difference of two files."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from katachi.core.errors import UnknownNameError, WeightsError
from katachi.features.local_shapes import Family, Shape
from katachi.values.shape_value import ShapeValue

__all__ = ["FamilySummary", "RankedWeight", "chosen_families", "differences", "largest_weights", "summaries"]


@dataclass(frozen=True)
class FamilySummary:
    """The weights of one family, of all stages."""

    family: str
    weights: int
    used: int  # that are not zero
    mean: float
    rms: float
    smallest: float
    largest: float

    def to_json(self) -> dict[str, Any]:
        """For --json."""
        return asdict(self)


@dataclass(frozen=True)
class RankedWeight:
    """A weight, and what it is of."""

    weight: int
    name: str
    shape: Shape
    value: float

    def to_json(self) -> dict[str, Any]:
        """For --json."""
        return {"weight": self.weight, "name": self.name, "value": self.value}


def chosen_families(value: ShapeValue, text: str | None) -> list[Family]:
    """Those whose names have all words of the text: `3x3`, `li`, `3x3 li`; all without a text."""
    words = (text or "").lower().split()
    found = [family for family in value.shapes.families if set(words) <= set(family.name.split())]
    if not found:
        known = ", ".join(family.name for family in value.shapes.families)
        raise UnknownNameError(f"there is no family {text!r}; known: {known}")
    return found


def _indices(value: ShapeValue, family: Family) -> NDArray[np.int64]:
    """Its weights, of all stages."""
    step = value.shapes.weights // value.shapes.stages
    starts = np.arange(value.shapes.stages, dtype=np.int64) * step + family.first
    return (starts[:, None] + np.arange(family.weights, dtype=np.int64)[None, :]).ravel()


def _summary(name: str, weights: NDArray[np.float64]) -> FamilySummary:
    if weights.size == 0:
        return FamilySummary(name, 0, 0, 0.0, 0.0, 0.0, 0.0)
    return FamilySummary(
        family=name,
        weights=int(weights.size),
        used=int(np.count_nonzero(weights)),
        mean=float(weights.mean()),
        rms=float(np.sqrt(np.square(weights).mean())),
        smallest=float(weights.min()),
        largest=float(weights.max()),
    )


def summaries(value: ShapeValue) -> list[FamilySummary]:
    """One for each family."""
    weights = value.weights.astype(np.float64)
    return [_summary(family.name, weights[_indices(value, family)]) for family in value.shapes.families]


def largest_weights(value: ShapeValue, family: Family, count: int) -> list[RankedWeight]:
    """Those of a family that are farthest from zero, first the largest."""
    indices = _indices(value, family)
    weights = value.weights[indices]
    order = np.argsort(-np.abs(weights), kind="stable")[:count]
    return [
        RankedWeight(
            weight=int(indices[i]),
            name=value.shapes.weight_name(int(indices[i])),
            shape=value.shapes.shape_of_weight(int(indices[i])),
            value=float(weights[i]),
        )
        for i in order
    ]


def differences(first: ShapeValue, second: ShapeValue) -> ShapeValue:
    """The second's weights less the first's; raises if they are of different shapes."""
    if (first.shapes.side, first.shapes.settings) != (second.shapes.side, second.shapes.settings):
        raise WeightsError(
            "only weights of the same shapes can be compared: "
            + " against ".join(f"{v.shapes.side}x{v.shapes.side} {v.shapes.settings}" for v in (first, second))
        )
    return ShapeValue(first.shapes, second.weights - first.weights)
