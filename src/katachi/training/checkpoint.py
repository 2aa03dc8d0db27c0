"""Files of weights: arrays and a JSON header in one safetensors file, written whole or not at all.

A checkpoint has all that the next game depends on: weights, what steps that adapt remember, the random generator, the
number of games, the settings. A snapshot has no generator and no memories. The header also says what the weights are of
(board size, features), and has a checksum of itself and the arrays.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from katachi._core import Rng
from katachi.core.errors import KatachiError, StoreError

__all__ = ["Checkpoint", "load_checkpoint", "save_checkpoint", "write_whole"]

Floats: TypeAlias = NDArray[numpy.float32]

_FORMAT = 1
_HEADER = "katachi"  # the key of the JSON text in the file's metadata


@dataclass(frozen=True)
class Checkpoint:
    """How a run stood between two games. Without a generator it is a snapshot, which no run can go on from."""

    settings: Mapping[str, Any]
    games: int
    weights: Floats
    step_memories: Sequence[Floats] = field(default=())
    rng: Rng | None = None


def save_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Writes a file under another name and gives it its own when it is complete."""
    settings = dict(checkpoint.settings)
    arrays = {f"step_memory_{i}": memory for i, memory in enumerate(checkpoint.step_memories)}
    arrays["weights"] = checkpoint.weights
    header = {
        "format": _FORMAT,
        "board_size": settings["size"],
        "features": {name: settings[name] for name in ("sizes", "sharing", "turns", "stage_length")},
        "games": checkpoint.games,
        "seed": settings["seed"],
        "configuration": settings,
        "state": {} if checkpoint.rng is None else {"rng": list(checkpoint.rng.state)},
    }
    header["checksum"] = _checksum(header, arrays)
    write_whole(path, save(arrays, metadata={_HEADER: _canonical(header)}))


def load_checkpoint(path: Path) -> Checkpoint:
    """Reads a file; one that is damaged, cut short or something else is a StoreError."""
    try:
        with safe_open(path, framework="numpy") as file:
            header = json.loads((file.metadata() or {})[_HEADER])
            arrays = {name: _floats(path, name, file.get_tensor(name)) for name in file.keys()}  # noqa: SIM118
        if header["format"] != _FORMAT:
            raise StoreError(f"{path}: its format is {header['format']!r}, not {_FORMAT!r}")
        if header.pop("checksum") != _checksum(header, arrays):
            raise StoreError(f"{path}: it is damaged: its checksum is not that of its content")
        state = header["state"]
        return Checkpoint(
            settings=dict(header["configuration"]),
            games=int(header["games"]),
            weights=arrays["weights"],
            step_memories=[arrays[name] for name in sorted(arrays) if name.startswith("step_memory_")],
            rng=Rng.from_state(tuple(state["rng"])) if "rng" in state else None,
        )
    except FileNotFoundError:
        raise StoreError(f"{path}: there is no such file") from None
    except KatachiError:
        raise
    except (SafetensorError, OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"{path}: this is no file of weights, or a damaged one: {error}") from error


def _canonical(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _checksum(header: Mapping[str, Any], arrays: Mapping[str, Floats]) -> str:
    """Of header and arrays: their names, kinds and content."""
    digest = hashlib.sha256(_canonical(header).encode())
    for name in sorted(arrays):
        digest.update(f"\n{name} {arrays[name].dtype} {arrays[name].shape}\n".encode())
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()


def _floats(path: Path, name: str, array: NDArray[Any]) -> Floats:
    if array.dtype != numpy.float32 or array.ndim != 1 or not numpy.isfinite(array).all():
        raise StoreError(f"{path}: {name} is no row of finite float32 numbers")
    return array


def write_whole(path: Path, content: bytes) -> None:
    """Whoever looks at `path`, also after a crash, sees the old content or the new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StoreError(f"{path}: {error.strerror or error}") from error
