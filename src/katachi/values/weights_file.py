"""Files of weights: safetensors with an array `weights`, and a header in JSON that says what they are of.

The header (key `katachi` of the file's metadata) has the board size, the features, how many games were played with
which seed and configuration. The container, with its checksum, is katachi.values.tensor_file. Whatever is wrong with a
file is a WeightsError with its path.

Whoever trains may keep more in it, `arrays` and a `state`, from which a run goes on; readers of weights pass them by.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from katachi.core.errors import InvalidArgumentError, SettingsError, WeightsError
from katachi.features.local_shapes import LocalShapes, ShapeSettings
from katachi.values.shape_value import ShapeValue
from katachi.values.tensor_file import WEIGHTS, check_sum, read_arrays, write_arrays

__all__ = ["WeightsFile", "WeightsHeader", "load_weights", "read_file", "save_weights", "write_file"]

_FORMAT = 1


@dataclass(frozen=True)
class WeightsHeader:
    """What weights are of, and where they come from."""

    board_size: int
    features: ShapeSettings = field(default_factory=ShapeSettings)
    games: int = 0
    seed: int | None = None
    configuration: Mapping[str, Any] = field(default_factory=dict)  # of the training, as JSON has it
    state: Mapping[str, Any] = field(default_factory=dict)  # what a run needs to go on, as JSON has it

    def to_json(self) -> dict[str, Any]:
        """As the file has it, without the checksum."""
        return {
            "format": _FORMAT,
            "board_size": self.board_size,
            "features": self.features.model_dump(mode="json"),
            "games": self.games,
            "seed": self.seed,
            "configuration": dict(self.configuration),
            "state": dict(self.state),
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "WeightsHeader":
        """The reverse; raises WeightsError."""
        if values.get("format") != _FORMAT:
            raise WeightsError(f"its format is {values.get('format')!r}, not {_FORMAT}")
        try:
            header = cls(
                board_size=values["board_size"],
                features=ShapeSettings.from_json(values["features"]),
                games=values["games"],
                seed=values["seed"],
                configuration=values["configuration"],
                state=values["state"],
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise WeightsError(f"its header is incomplete: {error}") from None
        except SettingsError as error:
            raise WeightsError(f"its features are unknown: {error}") from None
        numbers = (header.board_size, header.games, header.seed if header.seed is not None else 0)
        if not all(type(number) is int and number >= 0 for number in numbers) or not all(
            isinstance(part, dict) for part in (header.configuration, header.state)
        ):
            raise WeightsError(f"its header is wrong: {dict(values)}")
        return header


@dataclass(frozen=True)
class WeightsFile:
    """All that is in a file."""

    header: WeightsHeader
    weights: NDArray[np.float32]
    arrays: Mapping[str, NDArray[Any]]  # the others


def save_weights(
    path: Path | str, value: ShapeValue, header: WeightsHeader, arrays: Mapping[str, NDArray[Any]] | None = None
) -> None:
    """Writes weights, and other arrays if given; a file of that name is replaced once the new one is complete."""
    if (header.board_size, header.features) != (value.shapes.side, value.shapes.settings):
        raise InvalidArgumentError(f"the header is of other local shapes than the weights: {header}")
    write_file(path, header, value.weights, arrays)


def write_file(
    path: Path | str,
    header: WeightsHeader,
    weights: NDArray[np.float32],
    arrays: Mapping[str, NDArray[Any]] | None = None,
) -> None:
    """The same without asking whether the weights fit the header."""
    path = Path(path)
    if arrays and WEIGHTS in arrays:
        raise InvalidArgumentError(f"another array cannot be called {WEIGHTS!r}")
    write_arrays(path, header.to_json(), {WEIGHTS: weights, **(arrays or {})})


def read_file(path: Path | str) -> WeightsFile:
    """Reads a file without asking what its weights are of."""
    try:
        return _checked(*read_arrays(Path(path)))
    except WeightsError as error:
        raise WeightsError(f"{path}: {error}") from None


def load_weights(path: Path | str, *, board_size: int | None = None) -> tuple[ShapeValue, WeightsHeader]:
    """Reads weights, for boards of a size if one is given."""
    path = Path(path)
    file = read_file(path)
    header, weights = file.header, file.weights
    if board_size is not None and header.board_size != board_size:
        sides = (f"{side}x{side}" for side in (header.board_size, board_size))
        raise WeightsError(f"{path}: its weights are for boards of {next(sides)}, not of {next(sides)}")
    try:
        shapes = LocalShapes(header.board_size, header.features)
    except InvalidArgumentError as error:
        raise WeightsError(f"{path}: its header is wrong: {error}") from None
    if weights.shape != (shapes.weights,):
        raise WeightsError(f"{path}: has {weights.size} weights where its features have {shapes.weights}")
    return ShapeValue(shapes, weights, linear_offset=_linear_offset(header, path)), header


def _linear_offset(header: WeightsHeader, path: Path) -> float | None:
    """Of weights that were learnt with a linear head."""
    learning = header.configuration.get("td", {})
    if not isinstance(learning, dict) or learning.get("head") != "linear":
        return None
    offset = learning.get("linear_offset", 0.5)
    if not isinstance(offset, int | float):
        raise WeightsError(f"{path}: its header is wrong: linear_offset is {offset!r}")
    return float(offset)


def _checked(values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> WeightsFile:
    header = WeightsHeader.from_json(values)
    weights = arrays[WEIGHTS]
    if weights.dtype != np.float32 or weights.ndim != 1:
        raise WeightsError(f"its weights are {weights.dtype} of shape {weights.shape}, not a row of float32")
    if not np.isfinite(weights).all():
        first = int(np.flatnonzero(~np.isfinite(weights))[0])
        raise WeightsError(f"its weight {first} is {weights[first]}, not a finite number")
    check_sum(values, arrays)
    return WeightsFile(header, weights, {name: array for name, array in arrays.items() if name != WEIGHTS})
