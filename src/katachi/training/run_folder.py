"""What all runs that learn have in common: a folder with a checkpoint and snapshots, and what they have come to.

One process at a time writes to a folder. A run goes on from its checkpoint, if the settings are those of before.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from katachi.arena.store import lock_folder
from katachi.core.errors import InvalidArgumentError, StoreError
from katachi.training.checkpoint import setting_changes

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["CHECKPOINT", "GamesResult", "Row", "check_settings", "has_checkpoint", "open_run_folder"]

CHECKPOINT = "checkpoint.safetensors"
Row = TypeVar("Row", bound="DataclassInstance")


@dataclass(frozen=True)
class GamesResult(Generic[Row]):
    """What a run of games has come to."""

    folder: Path
    games: int
    weights: int
    played: int  # by this call
    cpu_seconds: float
    last: Row | None  # row of metrics of this call

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "folder": str(self.folder),
            "games": self.games,
            "weights": self.weights,
            "played": self.played,
            "cpu_seconds": round(self.cpu_seconds, 3),
            "games_per_cpu_second": round(self.played / max(self.cpu_seconds, 1e-9), 1),
            "metrics": None if self.last is None else asdict(self.last),
        }


@contextmanager
def open_run_folder(folder: Path) -> Iterator[None]:
    """Makes the folder and keeps others out; what a run that was killed has not written to its end is removed."""
    try:
        (folder / "snapshots").mkdir(parents=True, exist_ok=True)
        lock = lock_folder(folder / "run.lock")
    except OSError as error:
        raise StoreError(f"{folder}: {error.strerror or error}") from error
    try:
        for unfinished in (*folder.glob(".*.tmp"), *(folder / "snapshots").glob(".*.tmp")):
            unfinished.unlink(missing_ok=True)
        yield
    finally:
        lock.close()


def has_checkpoint(folder: Path) -> bool:
    """Is there something to go on from, or does a run begin?"""
    if (folder / CHECKPOINT).exists():
        return True
    if any((folder / "snapshots").glob("*.safetensors")):
        raise StoreError(f"{folder} has snapshots of a run and no checkpoint to go on from: choose another folder")
    return False


def check_settings(
    folder: Path, before: Mapping[str, Any], now: Mapping[str, Any], defaults: Mapping[str, Any], what: str = "settings"
) -> None:
    """An error that names all that is not as it was; what an older file does not know has its default."""
    changed = setting_changes(before, now, defaults)
    if changed:
        raise InvalidArgumentError(
            f"{folder} holds a run with other {what}: choose another folder\n" + "\n".join(changed)
        )
