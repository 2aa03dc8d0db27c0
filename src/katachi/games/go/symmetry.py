"""The eight symmetries of the square, acting on points of any rectangle (Silver 2009, 5.4).

A symmetry first mirrors rows and columns as asked, then transposes. Transposing a rectangle exchanges width and height.
"""

from dataclasses import dataclass
from typing import Self

from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Point
from katachi.games.go.vertex import point_at, row_and_col

__all__ = ["Symmetry"]


@dataclass(frozen=True)
class Symmetry:
    """One element of the dihedral group D8."""

    flip_rows: bool = False
    flip_cols: bool = False
    transpose: bool = False

    @classmethod
    def all(cls) -> list[Self]:
        """All eight, the identity first."""
        return [cls(bool(i & 1), bool(i & 2), bool(i & 4)) for i in range(8)]

    def size(self, width: int, height: int) -> tuple[int, int]:
        """(width, height) of the image of a board."""
        return (height, width) if self.transpose else (width, height)

    def image(self, point: int, width: int, height: int) -> Point:
        """Where a point goes."""
        if not 0 <= point < width * height:
            raise InvalidArgumentError(f"no point {point} on a board of {width}x{height}")
        row, col = row_and_col(point, width)
        row = height - 1 - row if self.flip_rows else row
        col = width - 1 - col if self.flip_cols else col
        return point_at(col, row, height) if self.transpose else point_at(row, col, width)

    def inverse(self) -> "Symmetry":
        """The symmetry that undoes this one."""
        if self.transpose:
            return Symmetry(self.flip_cols, self.flip_rows, True)
        return self
