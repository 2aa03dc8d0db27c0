"""The container of all files of weights: safetensors, with a header in JSON and a checksum of header and arrays.

The header is the key `katachi` of the file's metadata. A file is written under another name and renamed, so that
whoever reads sees the old one or the new one. What headers say is for those who use it: katachi.values.weights_file,
katachi.values.network_file.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from katachi.core.errors import InvalidArgumentError, WeightsError
from katachi.core.files import write_whole

__all__ = ["WEIGHTS", "check_sum", "read_arrays", "write_arrays"]

WEIGHTS = "weights"
"""The array that every file has."""

_KEY = "katachi"
_CHECKSUM = "checksum"


def write_arrays(path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Writes a file, whole or not at all."""
    from safetensors.numpy import save

    content = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    try:
        text = _canonical({**header, _CHECKSUM: _digest(header, content)})
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(f"the header cannot be written as JSON: {error}: {header}") from None
    try:
        write_whole(path, save(content, metadata={_KEY: text}))
    except OSError as error:
        raise WeightsError(f"{path}: cannot be written: {error.strerror}") from None


def read_arrays(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header, with its checksum, and arrays as they are in the file. Errors do not name the path."""
    from safetensors import SafetensorError, safe_open

    if path.is_dir():
        inside = ", ".join(sorted(file.name for file in path.glob("*.safetensors")))
        raise WeightsError("is a folder, not a file of weights" + (f": it has {inside}" if inside else ""))
    try:
        with safe_open(str(path), framework="numpy") as file:
            text = (file.metadata() or {}).get(_KEY)
            names = list(file.keys())
            if text is None or WEIGHTS not in names:
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


def check_sum(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """An error if header and arrays are not what was written."""
    without = {key: value for key, value in header.items() if key != _CHECKSUM}
    if header.get(_CHECKSUM) != _digest(without, arrays):
        raise WeightsError("is damaged: its checksum is not that of its content")


def _canonical(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _digest(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Of header and arrays: their names, kinds and content."""
    digest = hashlib.sha256(_canonical(header).encode())
    for name in sorted(arrays):
        digest.update(f"\n{name} {arrays[name].dtype} {arrays[name].shape}\n".encode())
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()
