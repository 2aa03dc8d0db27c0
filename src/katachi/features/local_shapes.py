"""Local shapes (Silver 2009, 5.3 and 5.4): which there are, which share a weight, and what they are called.

A shape is a small window of the board with a content. `E5 3x3 .X./XO./...` is the one whose top left corner is E5; its
rows come from the top, X is black and O is white. A weight is called like its representative, the first shape of its
class; if the place on the board does not matter, there is no vertex: `3x3 .X./XO./...`. Weights of the player to move
and of stages say so: `E5 1x1 X to-play:X stage:2`, where X is the player to move.

The native half is cpp/features, the slow twin katachi.reference.local_shapes; what shapes are worth is katachi.values.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from katachi._core import Player, ShapeRepresentation, Sharing, Turns
from katachi.core.errors import InvalidArgumentError, ParseError
from katachi.core.settings import Settings
from katachi.games.go.position import Position
from katachi.games.go.vertex import format_vertex, parse_vertex, point_at, row_and_col

__all__ = ["Family", "LocalShapes", "Shape", "ShapeSettings", "format_shape", "parse_shape"]

_DIGITS = ".XO"
_LARGEST_SIDE = 19
_SHARING = {
    "none": (Sharing.NONE,),
    "ci": (Sharing.INVERSION,),
    "nld": (Sharing.TURNED,),
    "nli": (Sharing.ANYWHERE,),
    "ld": (Sharing.DEPENDENT,),
    "li": (Sharing.INDEPENDENT,),
    "ld+li": (Sharing.INDEPENDENT, Sharing.DEPENDENT),
    "nld+nli": (Sharing.ANYWHERE, Sharing.TURNED),
}
_SCHEME_NAMES = {schemes[0]: name for name, schemes in _SHARING.items() if len(schemes) == 1}
_TURNS = {"both": Turns.BOTH, "each": Turns.EACH, "each+both": Turns.EACH_AND_BOTH}
_NAME = re.compile(
    r"(?:(?P<vertex>[A-Za-z][0-9]{1,2})\s+)?(?P<size>[1-3]x[1-3])\s+(?P<rows>[.XO/]+)"
    r"(?P<own>\s+to-play:X)?(?:\s+stage:(?P<stage>[0-9]{1,6}))?"
)


class ShapeSettings(Settings):
    """Which local shapes there are, and which share a weight; the native twin is cpp/features/representation.hpp."""

    sizes: tuple[Literal["1x1", "2x1", "2x2", "3x2", "3x3"], ...] = Field(
        default=("1x1", "2x2", "3x3"),
        description="m x m of the windows (5.3); of 2x1 and 3x2 also those that stand upright (ours).",
    )
    sharing: Literal["none", "ci", "nld", "nli", "ld", "li", "ld+li", "nld+nli"] = Field(
        default="ld+li",
        description="Shapes with one weight: ci: colours exchanged; ld: and symmetries of the board; li: and any place "
        "(5.4). nld, nli: without the exchange of colours. With + the weights of a shape are added.",
    )
    turns: Literal["both", "each", "each+both"] = Field(
        default="both", description="Weights for all states, for each player to move, or both kinds (5.7.7)."
    )
    stage_length: int = Field(
        default=0, ge=0, le=1000, description="T: moves of a stage with weights of its own (5.7.8); 0: one stage."
    )

    @field_validator("sizes")
    @classmethod
    def _each_once(cls, sizes: tuple[str, ...]) -> tuple[str, ...]:
        if not sizes or len(set(sizes)) != len(sizes):
            raise ValueError("local shapes need at least one size, and each once")
        return sizes

    def to_native(self, side: int) -> ShapeRepresentation:
        """What native code takes, for a board of side x side."""
        if not 1 <= side <= _LARGEST_SIDE:
            raise InvalidArgumentError(f"local shapes are for boards from 1x1 to 19x19, not of side {side}")
        return ShapeRepresentation(
            side=side,
            sizes=[(int(size[0]), int(size[2])) for size in self.sizes],
            sharing=_SHARING[self.sharing],
            turns=_TURNS[self.turns],
            stage_length=self.stage_length,
        )


@dataclass(frozen=True)
class Shape:
    """A window and its content, or a class of them."""

    rows: tuple[str, ...]  # from the top
    corner: tuple[int, int] | None = None  # row and column of its top left corner; None: anywhere
    is_own: bool = False  # of the player to move, who is X
    stage: int | None = None

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.rows[0])

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self.rows)


@dataclass(frozen=True)
class Family:
    """The weights of one size under one scheme."""

    size: str
    scheme: str  # as ShapeSettings.sharing names it
    is_own: bool  # of the player to move
    table: int
    features: int
    first: int  # the first of its weights, in the first stage
    weights: int  # in one stage

    @property
    def name(self) -> str:
        """Such as `3x3 li`."""
        return f"{self.size} {self.scheme}" + (" to-play" if self.is_own else "")


def format_shape(shape: Shape, side: int) -> str:
    """`E5 3x3 .X./XO./...`."""
    words = [f"{shape.width}x{shape.height}", "/".join(shape.rows)]
    if shape.corner is not None:
        words.insert(0, format_vertex(point_at(*shape.corner, side), side, side))
    if shape.is_own:
        words.append("to-play:X")
    if shape.stage is not None:
        words.append(f"stage:{shape.stage}")
    return " ".join(words)


def parse_shape(text: str, side: int) -> Shape:
    """The reverse of `format_shape`."""
    match = _NAME.fullmatch(text.strip())
    if match is None:
        raise ParseError(f"{text!r} is not a local shape: expected something like E5 3x3 .X./XO./... or 2x2 XX/..")
    rows = tuple(match["rows"].split("/"))
    width, height = int(match["size"][0]), int(match["size"][2])
    if len(rows) != height or any(len(row) != width for row in rows):
        raise ParseError(f"{text!r} is not a local shape: {match['rows']!r} has not {height} rows of {width}")
    corner = None
    if match["vertex"]:
        row, col = row_and_col(parse_vertex(match["vertex"], side, side), side)
        if row + height > side or col + width > side:
            raise ParseError(f"{text!r} does not fit on a board of {side}x{side}: the vertex is its top left corner")
        corner = (row, col)
    return Shape(rows, corner, match["own"] is not None, int(match["stage"]) if match["stage"] else None)


class LocalShapes:
    """The local shapes of boards of one size: counts, names, and what is on in a position."""

    def __init__(self, side: int, settings: ShapeSettings | None = None) -> None:
        self.side = side
        self.settings = settings or ShapeSettings()
        self.native = self.settings.to_native(side)
        self._schemes = [(scheme, self._is_own(table)) for table, scheme in enumerate(self.native.tables)]

    @classmethod
    def on_board(cls, width: int, height: int, settings: ShapeSettings | None = None) -> "LocalShapes":
        """Raises for a rectangle: its symmetries are others."""
        if width != height:
            raise InvalidArgumentError(f"local shapes are for square boards, not for {width}x{height}")
        return cls(width, settings)

    @property
    def features(self) -> int:
        """How many there are, contents of empty windows included."""
        return self.native.features

    @property
    def weights(self) -> int:
        """How many there are, of all stages."""
        return self.native.weights

    @property
    def stages(self) -> int:
        """How many the game has."""
        return self.native.stages

    @property
    def max_active(self) -> int:
        """How many weights can count in one state."""
        return self.native.max_active

    @cached_property
    def families(self) -> list[Family]:
        """In the order of their weights."""
        return [
            Family(
                size=size,
                scheme=_SCHEME_NAMES[scheme],
                is_own=is_own,
                table=table,
                features=self.native.features_of(family),
                first=self.native.first_weight(family, table),
                weights=self.native.weights_of(family, table),
            )
            for family, size in enumerate(self.settings.sizes)
            for table, (scheme, is_own) in enumerate(self._schemes)
        ]

    def active(self, position: Position) -> NDArray[np.int32]:
        """The weights that count in a position, window by window: +(weight + 1), or -(weight + 1) for a turned sign."""
        self.check_board(position)
        return self.native.active(position.native)

    def check_board(self, position: Position) -> None:
        """Raises if a position has another size."""
        if (position.width, position.height) != (self.side, self.side):
            sizes = f"boards of {self.side}x{self.side}, not of {position.width}x{position.height}"
            raise InvalidArgumentError(f"these local shapes are for {sizes}")

    # -- features

    def shape_of_feature(self, feature: int) -> Shape:
        """The window and the content that a feature stands for."""
        if not 0 <= feature < self.features:
            raise InvalidArgumentError(f"there is no feature {feature}, only {self.features}")
        first, _family, width, height, row, col = self._windows[self.native.window_of(feature)]
        return Shape(_rows(feature - first, width, height), (row, col))

    def feature_of_shape(self, shape: Shape) -> int:
        """The reverse; a shape that may be anywhere is looked for in the first window."""
        row, col = shape.corner or (0, 0)
        first = self._window_firsts.get((shape.width, shape.height, row, col))
        if first is None:
            raise ParseError(
                f"{format_shape(shape, self.side)!r} is of another size than these local shapes: "
                f"{', '.join(self.settings.sizes)} on {self.side}x{self.side}"
            )
        return first + int("".join(str(_DIGITS.index(c)) for c in reversed("".join(shape.rows))), base=3)

    def feature_name(self, feature: int) -> str:
        """`E5 3x3 .X./XO./...`."""
        return format_shape(self.shape_of_feature(feature), self.side)

    def parse_feature(self, text: str) -> int:
        """The number of the feature with that name."""
        shape = parse_shape(text, self.side)
        if shape.corner is None or shape.is_own or shape.stage is not None:
            raise ParseError(f"{text!r} is not a feature: expected a vertex, a size and a content, as in E5 2x2 X./..")
        return self.feature_of_shape(shape)

    # -- weights

    def family_of(self, weight: int) -> Family:
        """The family that a weight belongs to."""
        weight = self._in_one_stage(weight)[0]
        return next(f for f in self.families if f.first <= weight < f.first + f.weights)

    def shape_of_weight(self, weight: int) -> Shape:
        """The representative of its class."""
        base, stage = self._in_one_stage(weight)
        shape = self.shape_of_feature(int(self._representatives[base]))
        family = self.family_of(base)
        return Shape(
            shape.rows,
            None if family.scheme in ("li", "nli") else shape.corner,
            family.is_own,
            stage if self.settings.stage_length else None,
        )

    def weight_name(self, weight: int) -> str:
        """Its representative's: `3x3 .X./XO./...` or `E5 3x3 .X./XO./...`."""
        return format_shape(self.shape_of_weight(weight), self.side)

    def parse_weight(self, text: str) -> tuple[int, int]:
        """The weight of any shape of a class, and its sign there: 1, or -1 if colours are exchanged."""
        shape = parse_shape(text, self.side)
        table = self._table_of(shape, text)
        entry = int(self._entries[table][self.feature_of_shape(shape)])
        if entry == 0:
            raise ParseError(f"{text!r} has no weight: its class contains it with colours exchanged, or it is empty")
        stage = shape.stage or 0
        if (shape.stage is None) != (self.settings.stage_length == 0) or stage >= self.stages:
            raise ParseError(f"{text!r} is of no stage of these local shapes, which have {self.stages}")
        return abs(entry) - 1 + stage * self._stage_weights, 1 if entry > 0 else -1

    def _table_of(self, shape: Shape, text: str) -> int:
        for table, (scheme, is_own) in enumerate(self._schemes):
            is_anywhere = scheme in (Sharing.ANYWHERE, Sharing.INDEPENDENT)
            if is_anywhere == (shape.corner is None) and is_own == shape.is_own:
                return table
        raise ParseError(
            f"{text!r} is no weight with sharing={self.settings.sharing} and turns={self.settings.turns}: a vertex is "
            "for weights of one place, to-play:X for weights of the player to move"
        )

    def _is_own(self, table: int) -> bool:
        return self.settings.turns != "both" and table < len(_SHARING[self.settings.sharing])

    @property
    def _stage_weights(self) -> int:
        return self.weights // self.stages

    def _in_one_stage(self, weight: int) -> tuple[int, int]:
        if not 0 <= weight < self.weights:
            raise InvalidArgumentError(f"there is no weight {weight}, only {self.weights}")
        stage, base = divmod(weight, self._stage_weights)
        return base, stage

    @cached_property
    def _windows(self) -> Sequence[tuple[int, int, int, int, int, int]]:
        return self.native.windows

    @cached_property
    def _window_firsts(self) -> dict[tuple[int, int, int, int], int]:
        return {(width, height, row, col): first for first, _family, width, height, row, col in self._windows}

    @cached_property
    def _entries(self) -> list[NDArray[np.int32]]:
        return [self.native.entries(table, Player.BLACK) for table in range(len(self._schemes))]

    @cached_property
    def _representatives(self) -> NDArray[np.int64]:
        """By weight: the first feature of its class."""
        result = np.zeros(self._stage_weights, dtype=np.int64)
        for entries in self._entries:
            values, firsts = np.unique(entries, return_index=True)
            result[values[values > 0] - 1] = firsts[values > 0]
        return result


def _rows(code: int, width: int, height: int) -> tuple[str, ...]:
    stones = "".join(_DIGITS[code // 3**i % 3] for i in range(width * height))
    ends = range(0, width * height + 1, width)
    return tuple(stones[start:end] for start, end in pairwise(ends))
