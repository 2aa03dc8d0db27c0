"""How a run stands between two games, as a file of weights (katachi.values.weights_file).

A checkpoint has all that the next game depends on: weights, what steps that adapt remember, the random generator, the
number of games, the settings; and the occurrences of the weights, if the run counts them. A snapshot has no generator,
no memories and no occurrences.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

from katachi._core import Rng
from katachi.core.errors import WeightsError
from katachi.features.local_shapes import ShapeSettings
from katachi.values.weights_file import WeightsHeader, read_file, write_file

__all__ = ["Checkpoint", "load_checkpoint", "save_checkpoint", "setting_changes"]

Floats: TypeAlias = NDArray[numpy.float32]
Counts: TypeAlias = NDArray[numpy.uint64]

_MEMORY = "step_memory_"
_OCCURRENCES = "occurrences"


@dataclass(frozen=True)
class Checkpoint:
    """Without a generator it is a snapshot, which no run can go on from."""

    settings: Mapping[str, Any]
    games: int
    weights: Floats
    step_memories: Sequence[Floats] = field(default=())
    rng: Rng | None = None
    occurrences: Counts | None = None  # by weight, where they are counted


def save_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Writes a file, whole or not at all."""
    settings = dict(checkpoint.settings)
    header = WeightsHeader(
        board_size=settings["size"],
        features=ShapeSettings.from_json({name: settings[name] for name in ShapeSettings.model_fields}),
        games=checkpoint.games,
        seed=settings["seed"],
        configuration=settings,
        state={} if checkpoint.rng is None else {"rng": list(checkpoint.rng.state)},
    )
    arrays: dict[str, NDArray[Any]] = {f"{_MEMORY}{i}": memory for i, memory in enumerate(checkpoint.step_memories)}
    if checkpoint.occurrences is not None:
        arrays[_OCCURRENCES] = checkpoint.occurrences
    write_file(path, header, checkpoint.weights, arrays)


def load_checkpoint(path: Path) -> Checkpoint:
    """Reads a file; one that is damaged, cut short or something else is a WeightsError."""
    file = read_file(path)
    memories = [file.arrays[name] for name in sorted(file.arrays) if name.startswith(_MEMORY)]
    for memory in memories:
        if memory.dtype != numpy.float32 or memory.ndim != 1 or not numpy.isfinite(memory).all():
            raise WeightsError(f"{path}: what its steps remember is no row of finite float32 numbers")
    occurrences = file.arrays.get(_OCCURRENCES)
    if occurrences is not None and (occurrences.dtype != numpy.uint64 or occurrences.shape != file.weights.shape):
        raise WeightsError(f"{path}: its occurrences are {occurrences.dtype} of shape {occurrences.shape}")
    try:
        rng = Rng.from_state(tuple(file.header.state["rng"])) if "rng" in file.header.state else None
    except (TypeError, ValueError) as error:
        raise WeightsError(f"{path}: its random generator is damaged: {error}") from None
    return Checkpoint(file.header.configuration, file.header.games, file.weights, memories, rng, occurrences)


def setting_changes(before: Mapping[str, Any], now: Mapping[str, Any], defaults: Mapping[str, Any]) -> list[str]:
    """What differs between the settings of a file and those of now, line by line; what a file has not is by default."""
    there, here = _flat(defaults) | _flat(before), _flat(now)
    return [
        f"  {key}: {there.get(key)!r} there, {here.get(key)!r} now"
        for key in sorted(there.keys() | here.keys())
        if there.get(key) != here.get(key)
    ]


def _flat(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Settings within settings by their full names."""
    found: dict[str, Any] = {}
    for key, value in settings.items():
        found |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return found
