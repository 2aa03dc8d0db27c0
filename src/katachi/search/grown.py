"""Settings of the features that a TD search grows as it meets them, beside local shapes (Silver 2009, 10.1, 10.2.1).

Manual: docs/td_search.md; the native half is cpp/search/grown_memory.hpp and grown_features.hpp, the slow twin
katachi.reference.grown_features.
"""

from typing import Literal, NamedTuple, Self

from pydantic import Field, model_validator

from katachi._core import GrownOptions
from katachi.core.settings import Settings

__all__ = ["NONE", "GrownFeature", "GrownSettings"]

NONE = "none"
_KINDS = ("table", "blocks", "sequences", "squares")
_SQUARES = ("1x1", "2x2", "3x3", "4x4", "5x5")


class GrownFeature(NamedTuple):
    """One that has been met and added."""

    kind: str  # table, block, sequence, square
    weight: float
    total: float  # of an interpolated table: the sum of the outcomes of its visits
    visits: int


class GrownSettings(Settings):
    """Which features grow, how far, and how the table is combined with the others."""

    grown: str = Field(
        default=NONE,
        description="Features that are added when they are first met, with + between them (10.1): table (positions), "
        "blocks (and what is near them), sequences (of moves), squares; or none.",
    )
    block_distance: int = Field(
        default=1, ge=0, le=3, description="Of blocks: points as near as this belong to them (10.1.2: 0 to 3)."
    )
    sequence_length: int = Field(
        default=4, ge=1, le=8, description="Of sequences: all lengths up to this one (10.1.3: 1 to 8)."
    )
    square_sizes: str = Field(
        default="4x4+5x5", description="Of squares: sizes with + between them, 1x1 to 5x5 (10.1.2)."
    )
    grown_limit: int = Field(
        default=1_000_000, ge=1, le=100_000_000, description="Features beyond which none are added (ours)."
    )
    table_value: Literal["regression", "interpolation"] = Field(
        default="regression",
        description="An entry of the table is one more feature of the sum, or a mean outcome that is weighed against "
        "the value of the others by its visits (10.2.1).",
    )
    table_prior: float = Field(
        default=50.0, ge=0, description="Of interpolation: visits that the others' value is worth (8.5; ours)."
    )

    @model_validator(mode="after")
    def _can_grow(self) -> Self:
        kinds, squares = self.grown_kinds, self.square_sizes.split("+")
        for is_wrong, text in (
            (
                not set(kinds) <= set(_KINDS) or len(set(kinds)) != len(kinds),
                f"grown features are some of {', '.join(_KINDS)}, each once, with + between them, or {NONE}, not "
                f"{self.grown!r}",
            ),
            (
                not set(squares) <= set(_SQUARES) or len(set(squares)) != len(squares),
                f"square_sizes are some of {', '.join(_SQUARES)}, each once, with + between them, not "
                f"{self.square_sizes!r}",
            ),
            (
                self.table_value == "interpolation" and "table" not in kinds,
                f"table_value=interpolation needs grown=table, not {self.grown!r}",
            ),
        ):
            if is_wrong:
                raise ValueError(text)
        return self

    @property
    def grown_kinds(self) -> tuple[str, ...]:
        """The kinds of features that grow, one by one."""
        return () if self.grown == NONE else tuple(self.grown.split("+"))

    def to_grown_options(self) -> GrownOptions | None:
        """What native code takes; None if nothing grows."""
        kinds = self.grown_kinds
        if not kinds:
            return None
        options = GrownOptions()
        options.table, options.blocks, options.sequences = (kind in kinds for kind in ("table", "blocks", "sequences"))
        options.squares = [int(size[0]) for size in self.square_sizes.split("+")] if "squares" in kinds else []
        options.block_distance = self.block_distance
        options.sequence_length = self.sequence_length
        options.limit = self.grown_limit
        options.table_value = self.table_value
        options.table_prior = self.table_prior
        return options
