"""Why a move is worth what it is: the shapes that it makes and breaks, and what each memory of a search says of them.

A move changes the windows around its stone, and around those that it takes. What the sum of the weights gains by it is
what the new shapes are worth, less what the old ones were: these are the reasons, the weightiest first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from katachi import _core
from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Action
from katachi.features.local_shapes import LocalShapes, Shape, ShapeSettings, format_shape
from katachi.games.go.position import Position
from katachi.search.td_search import TdMemory

__all__ = ["MemoryName", "Reason", "Why", "why"]

MemoryName: TypeAlias = Literal["long-term", "short-term"]
_MEMORIES: tuple[MemoryName, ...] = ("long-term", "short-term")
_SMALLEST = 1e-7  # what rounding leaves of a weight that is not there


@dataclass(frozen=True)
class Reason:
    """A shape that a move makes or breaks."""

    shape: Shape
    memory: MemoryName
    weight: float  # what a memory says that it is worth to Black
    is_made: bool

    @property
    def gain(self) -> float:
        """What the sum gains by the move, for Black."""
        return self.weight if self.is_made else -self.weight


@dataclass(frozen=True)
class Why:
    """The reasons for a move's value, and the values before and after it."""

    side: int
    action: Action
    vertex: str
    before: float  # Black's chance to win
    after: float
    reasons: tuple[Reason, ...]  # the weightiest first, of both memories

    def of(self, memory: MemoryName) -> list[Reason]:
        """Those of one memory."""
        return [reason for reason in self.reasons if reason.memory == memory]

    def text(self, most: int = 10) -> str:
        """For people: some of the reasons of each memory, and what all of them add up to."""
        lines = [f"{self.vertex}: Black's chance {100 * self.before:.1f} % -> {100 * self.after:.1f} %"]
        for memory in _MEMORIES:
            reasons = self.of(memory)
            if not reasons:
                continue
            total = sum(reason.gain for reason in reasons)
            lines.append(f"{memory} memory: {total:+.4f} by {len(reasons)} shapes")
            for reason in reasons[:most]:
                word = "makes" if reason.is_made else "breaks"
                lines.append(f"  {reason.gain:+.4f}  {word:<6}  {format_shape(reason.shape, self.side)}")
        return "\n".join(lines)

    def groups(self, most: int = 8) -> list[tuple[str, Sequence[tuple[Shape, float]]]]:
        """For katachi.values.shape_pictures.draw_shapes: the shapes that it makes and breaks, by memory."""
        found = list[tuple[str, Sequence[tuple[Shape, float]]]]()
        for memory in _MEMORIES:
            for is_made, word in ((True, "makes"), (False, "breaks")):
                reasons = [r for r in self.of(memory) if r.is_made is is_made][:most]
                if reasons:
                    found.append((f"{self.vertex} {word}, {memory}", [(r.shape, r.gain) for r in reasons]))
        return found


def why(memory: TdMemory, position: Position, move: int | str) -> Why:
    """What the memories of now say of a legal move."""
    action = position.action(move)
    after = position.play(action)
    settings = memory.settings
    if settings.sharing != "none":
        raise InvalidArgumentError(
            f"reasons are told shape by shape, and sharing={settings.sharing} is for many at once"
        )
    evaluator = memory.evaluator()
    reasons = list[Reason]()
    for name, shapes, weights in _tables(memory):
        before_entries, after_entries = (set(shapes.active(state).tolist()) for state in (position, after))
        for entries, is_made in ((after_entries - before_entries, True), (before_entries - after_entries, False)):
            for entry in sorted(entries):
                weight = float(weights[entry - 1])
                if abs(weight) > _SMALLEST:
                    reasons.append(Reason(shapes.shape_of_weight(entry - 1), name, weight, is_made))
    reasons.sort(key=lambda reason: -abs(reason.weight))
    chances = [evaluator.chance(evaluator.sum(state.native)) for state in (position, after)]
    return Why(memory.size, action, position.vertex(action), chances[0], chances[1], tuple(reasons))


def _tables(memory: TdMemory) -> Iterator[tuple[MemoryName, LocalShapes, NDArray[np.float32]]]:
    """Of each memory its shapes, and a weight for each of them."""
    own = LocalShapes(memory.size, ShapeSettings(sizes=memory.settings.size_names, sharing="none"))
    short = memory.weights
    if memory.long_term is not None:
        shapes = own if memory.below is None else LocalShapes(memory.size, _unshared(memory.long_term))
        weights = _core.ShapeWeights(shapes.weights, is_signed=False)
        _core.add_shapes(memory.long_term, shapes.native, weights)
        yield "long-term", shapes, weights.values()
        if memory.below is None:
            short = short - weights.values()
    yield "short-term", own, short


def _unshared(evaluator: _core.ShapeEvaluator) -> ShapeSettings:
    sizes = tuple(f"{width}x{height}" for width, height in evaluator.sizes)
    return ShapeSettings.from_mapping({"sizes": sizes, "sharing": "none"})
