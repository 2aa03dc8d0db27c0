"""Files of weights: safetensors with an array `weights`, and a header in JSON that says what they are of.

The header (key `katachi` of the file's metadata) has the board size, the features, how many games were played with
which seed and configuration, and a checksum of all this and the weights. A file is written under another name and
renamed, so that whoever reads sees the old one or the new one. Whatever is wrong with a file is a WeightsError with
its path.

Whoever trains may keep more in it, `arrays` and a `state`, from which a run goes on; readers of weights pass them by.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from katachi.core.errors import InvalidArgumentError, SettingsError, WeightsError
from katachi.core.files import write_whole
from katachi.features.local_shapes import LocalShapes, ShapeSettings
from katachi.values.shape_value import ShapeValue

__all__ = ["WeightsFile", "WeightsHeader", "load_weights", "read_file", "save_weights", "write_file"]

_FORMAT = 1
_KEY = "katachi"
_ARRAY = "weights"


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
    from safetensors.numpy import save

    path = Path(path)
    if arrays and _ARRAY in arrays:
        raise InvalidArgumentError(f"another array cannot be called {_ARRAY!r}")
    content = {_ARRAY: weights, **{name: np.ascontiguousarray(array) for name, array in (arrays or {}).items()}}
    try:
        text = _canonical({**header.to_json(), "checksum": _checksum(header.to_json(), content)})
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(f"the header cannot be written as JSON: {error}: {header}") from None
    try:
        write_whole(path, save(content, metadata={_KEY: text}))
    except OSError as error:
        raise WeightsError(f"{path}: cannot be written: {error.strerror}") from None


def read_file(path: Path | str) -> WeightsFile:
    """Reads a file without asking what its weights are of."""
    try:
        return _checked(*_raw(Path(path)))
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


def _raw(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header and arrays as they are in the file."""
    from safetensors import SafetensorError, safe_open

    if path.is_dir():
        raise WeightsError("is a folder, not a file of weights")
    try:
        with safe_open(str(path), framework="numpy") as file:
            text = (file.metadata() or {}).get(_KEY)
            names = list(file.keys())
            if text is None or _ARRAY not in names:
                raise WeightsError(f"is not a file of Katachi's weights: it has the arrays {names}")
            arrays = {name: np.asarray(file.get_tensor(name)) for name in names}
    except FileNotFoundError:
        raise WeightsError("there is no such file") from None
    except OSError as error:
        raise WeightsError(f"cannot be read: {error.strerror or error}") from None
    except (SafetensorError, UnicodeDecodeError) as error:
        raise WeightsError(f"is damaged or no file of weights: {error}") from None
    try:
        header = json.loads(text)
    except ValueError as error:
        raise WeightsError(f"its header is damaged: {error}") from None
    if not isinstance(header, dict):
        raise WeightsError(f"its header is wrong: {header!r}")
    return header, arrays


def _checked(values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> WeightsFile:
    header = WeightsHeader.from_json(values)
    weights = arrays[_ARRAY]
    if weights.dtype != np.float32 or weights.ndim != 1:
        raise WeightsError(f"its weights are {weights.dtype} of shape {weights.shape}, not a row of float32")
    if not np.isfinite(weights).all():
        first = int(np.flatnonzero(~np.isfinite(weights))[0])
        raise WeightsError(f"its weight {first} is {weights[first]}, not a finite number")
    without = {key: value for key, value in values.items() if key != "checksum"}
    if values.get("checksum") != _checksum(without, arrays):
        raise WeightsError("is damaged: its checksum is not that of its content")
    return WeightsFile(header, weights, {name: array for name, array in arrays.items() if name != _ARRAY})


def _canonical(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _checksum(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Of header and arrays: their names, kinds and content."""
    digest = hashlib.sha256(_canonical(header).encode())
    for name in sorted(arrays):
        digest.update(f"\n{name} {arrays[name].dtype} {arrays[name].shape}\n".encode())
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()
