"""Files of weights: safetensors with one array, `weights`, and a header in JSON that says what they are of.

The header (key `katachi` of the file's metadata) has the board size, the features, how many games were played with
which seed and configuration, and a checksum of all this and the weights. A file is written under another name and
renamed, so that whoever reads sees the old one or the new one. Whatever is wrong with a file is a WeightsError with
its path.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from katachi.core.errors import InvalidArgumentError, SettingsError, WeightsError
from katachi.features.local_shapes import LocalShapes, ShapeSettings
from katachi.values.shape_value import ShapeValue

__all__ = ["WeightsHeader", "load_weights", "read_header", "save_weights"]

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

    def to_json(self) -> dict[str, Any]:
        """As the file has it, without the checksum."""
        return {
            "format": _FORMAT,
            "board_size": self.board_size,
            "features": self.features.model_dump(mode="json"),
            "games": self.games,
            "seed": self.seed,
            "configuration": dict(self.configuration),
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
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise WeightsError(f"its header is incomplete: {error}") from None
        except SettingsError as error:
            raise WeightsError(f"its features are unknown: {error}") from None
        if not isinstance(header.board_size, int) or not isinstance(header.configuration, dict):
            raise WeightsError(f"its header is wrong: {dict(values)}")
        return header


def save_weights(path: Path | str, value: ShapeValue, header: WeightsHeader) -> None:
    """Writes weights; a file of that name is replaced once the new one is complete."""
    from safetensors.numpy import save

    path = Path(path)
    if (header.board_size, header.features) != (value.shapes.side, value.shapes.settings):
        raise InvalidArgumentError(f"the header is of other local shapes than the weights: {header}")
    weights = value.weights
    text = _canonical({**header.to_json(), "checksum": _checksum(header.to_json(), weights)})
    content = save({_ARRAY: weights}, metadata={_KEY: text})
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise WeightsError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        beside.unlink(missing_ok=True)


def read_header(path: Path | str) -> WeightsHeader:
    """What a file says of itself, after its weights were checked."""
    return _read(Path(path))[0]


def load_weights(path: Path | str, *, board_size: int | None = None) -> tuple[ShapeValue, WeightsHeader]:
    """Reads weights, for boards of a size if one is given."""
    path = Path(path)
    header, weights = _read(path)
    if board_size is not None and header.board_size != board_size:
        sides = (f"{side}x{side}" for side in (header.board_size, board_size))
        raise WeightsError(f"{path}: its weights are for boards of {next(sides)}, not of {next(sides)}")
    try:
        shapes = LocalShapes(header.board_size, header.features)
    except InvalidArgumentError as error:
        raise WeightsError(f"{path}: its header is wrong: {error}") from None
    if weights.shape != (shapes.weights,):
        raise WeightsError(f"{path}: has {weights.size} weights where its features have {shapes.weights}")
    return ShapeValue(shapes, weights), header


def _read(path: Path) -> tuple[WeightsHeader, NDArray[np.float32]]:
    try:
        return _checked(*_raw(path))
    except WeightsError as error:
        raise WeightsError(f"{path}: {error}") from None


def _raw(path: Path) -> tuple[dict[str, Any], NDArray[Any]]:
    """Header and array as they are in the file."""
    from safetensors import SafetensorError, safe_open

    if path.is_dir():
        raise WeightsError("is a folder, not a file of weights")
    try:
        with safe_open(str(path), framework="numpy") as file:
            text = (file.metadata() or {}).get(_KEY)
            names = list(file.keys())
            if text is None or names != [_ARRAY]:
                raise WeightsError(f"is not a file of Katachi's weights: it has the arrays {names}")
            array = np.asarray(file.get_tensor(_ARRAY))
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
    return header, array


def _checked(values: dict[str, Any], weights: NDArray[Any]) -> tuple[WeightsHeader, NDArray[np.float32]]:
    header = WeightsHeader.from_json(values)
    if weights.dtype != np.float32 or weights.ndim != 1:
        raise WeightsError(f"its weights are {weights.dtype} of shape {weights.shape}, not a row of float32")
    if not np.isfinite(weights).all():
        first = int(np.flatnonzero(~np.isfinite(weights))[0])
        raise WeightsError(f"its weight {first} is {weights[first]}, not a finite number")
    without = {key: value for key, value in values.items() if key != "checksum"}
    if values.get("checksum") != _checksum(without, weights):
        raise WeightsError("is damaged: its checksum is not that of its content")
    return header, weights


def _canonical(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _checksum(header: Mapping[str, Any], weights: NDArray[Any]) -> str:
    return hashlib.sha256(_canonical(header).encode() + weights.tobytes()).hexdigest()
