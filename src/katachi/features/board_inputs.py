"""A Go board as a few dozen numbers for a network (Ekker, 5.2).

    inputs = BoardInputs(5, 5)
    inputs.read(position, Player.BLACK)     # 32 numbers, as Black sees the board
    inputs.names                            # what they are called

Numbers come in groups; `FULL` are the source's 32 on 5x5 (n² + 7 on n x n), `BOARD` its 25. The native half is
cpp/features/board_inputs.hpp, which also says how to add a group; the slow twin is katachi.reference.board_inputs.
"""

from typing import TYPE_CHECKING, Literal, Self

from pydantic import Field, model_validator

from katachi import _core
from katachi._core import Player
from katachi.core.settings import Settings
from katachi.games.go.position import Position

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["BOARD", "FULL", "BoardInputSettings", "BoardInputs", "InputGroup"]

InputGroup = Literal["points", "liberties", "difference", "edge", "atari", "ko"]

FULL: tuple[InputGroup, ...] = ("points", "liberties", "difference", "edge", "atari")
"""All of the source's."""

BOARD: tuple[InputGroup, ...] = ("points",)
"""What stands where, and nothing else."""


class BoardInputSettings(Settings):
    """Which numbers; the native twin is cpp/features/board_inputs.hpp."""

    groups: tuple[InputGroup, ...] = Field(
        default=FULL,
        min_length=1,
        description="points: by point the liberties of the chain there, at most 5, negative for enemies; liberties: of "
        "all chains added up, own and enemy; difference: of stones; edge: stones on the edge, own and enemy; atari: is "
        "a chain in atari, own and enemy; ko: is there one (5.2; ko: tried there without gain).",
    )
    scale_inputs: bool = Field(
        default=False,
        description="Divide points by 5, sums by the points of the board, edge stones by those of the edge. Not said: "
        "raw numbers.",
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(set(self.groups)) < len(self.groups):
            raise ValueError(f"a group is named twice: {', '.join(self.groups)}")
        return self


class BoardInputs:
    """The numbers of boards of one size."""

    def __init__(self, width: int, height: int, settings: BoardInputSettings | None = None) -> None:
        self.settings = settings or BoardInputSettings()
        self.native = _core.BoardInputs(width, height, list(self.settings.groups), self.settings.scale_inputs)

    @property
    def size(self) -> int:
        """How many there are."""
        return self.native.size

    @property
    def names(self) -> list[str]:
        """What they are called; points are counted row by row from the top."""
        return self.native.names

    def read(self, position: Position, viewpoint: Player) -> "NDArray[np.float64]":
        """All numbers, as a player sees the board: its stones are own. Who is to move does not matter."""
        return self.native.read(position.native, viewpoint)
