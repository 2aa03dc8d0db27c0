"""What a training run says of itself: rows of numbers, as JSON lines and, if asked for, for TensorBoard."""

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from katachi._core import SelfPlayTally
from katachi.core.errors import InvalidArgumentError, StoreError
from katachi.core.files import write_whole

__all__ = ["Metrics", "MetricsFile", "RowsFile"]


@dataclass(frozen=True)
class Metrics:
    """Means over the games since the row before."""

    games: int
    games_per_cpu_second: float
    values_per_cpu_second: float
    cross_entropy: float
    mean_error: float
    rms_error: float
    rms_to_outcome: float
    black_wins: float
    moves_per_game: float
    cut_games: int

    @classmethod
    def from_tally(cls, games: int, tally: SelfPlayTally, cpu_seconds: float) -> Self:
        """`games` have been played in all, those of the tally in so many CPU seconds."""
        count, seconds = max(1, tally.games), max(cpu_seconds, 1e-9)
        return cls(
            games=games,
            games_per_cpu_second=round(tally.games / seconds, 1),
            values_per_cpu_second=round(tally.values / seconds),
            cross_entropy=tally.errors.cross_entropy / count,
            mean_error=tally.errors.mean / count,
            rms_error=tally.errors.rms / count,
            rms_to_outcome=tally.errors.rms_to_outcome / count,
            black_wins=tally.black_wins / count,
            moves_per_game=tally.moves / count,
            cut_games=tally.cut,
        )


class RowsFile:
    """The rows of a run, in a file of JSON lines; only one process writes."""

    def __init__(self, folder: Path, done: int, *, count: str, tensorboard: bool = False) -> None:
        """Goes on where `count` of a row is `done`: rows of what was lost with a crash are dropped."""
        self.path = folder / "metrics.jsonl"
        self._count = count
        self._board = _summary_writer(folder / "tensorboard", done) if tensorboard else None
        kept = "".join(line for line in self._lines() if self._done(line) <= done)
        try:
            write_whole(self.path, kept.encode())
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be written: {error.strerror}") from None

    def write(self, row: Mapping[str, Any]) -> None:
        """Adds a row."""
        try:
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror or error}") from error
        if self._board is not None:
            for name, value in row.items():
                if name != self._count and value is not None:
                    self._board.add_scalar(name, value, row[self._count])

    def rows(self) -> list[dict[str, Any]]:
        """All that there are."""
        return [json.loads(line) for line in self._lines()]

    def close(self) -> None:
        """TensorBoard's file is complete only then."""
        if self._board is not None:
            self._board.close()

    def _lines(self) -> list[str]:
        try:
            text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"{self.path}: {error}") from error
        return [line for line in text.splitlines(keepends=True) if line.endswith("\n")]  # not one that was cut

    def _done(self, line: str) -> int:
        try:
            return int(json.loads(line)[self._count])
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            raise StoreError(f"{self.path}: a row of metrics that cannot be read: {line.strip()!r}") from error


class MetricsFile(RowsFile):
    """Those of self-play."""

    def __init__(self, folder: Path, games: int, *, tensorboard: bool = False) -> None:
        super().__init__(folder, games, count="games", tensorboard=tensorboard)
        self._cpu = time.process_time()

    def add(self, games: int, tally: SelfPlayTally) -> Metrics:
        """A row of what has been played since the last one."""
        now = time.process_time()
        row = Metrics.from_tally(games, tally, now - self._cpu)
        self._cpu = now
        self.write(asdict(row))
        return row


def _summary_writer(folder: Path, done: int) -> Any:  # noqa: ANN401  (the library is optional)
    try:
        from tensorboardX import SummaryWriter
    except ImportError:
        raise InvalidArgumentError("TensorBoard needs tensorboardX: pip install 'katachi[tensorboard]'") from None
    return SummaryWriter(str(folder), purge_step=done + 1)
