"""Where the games of a run are kept: a folder with an SQLite file, and SGF files for people.

Each game is written when it ends, so that a run that is killed loses only the games in play. The same command goes on
where it stopped; other settings are refused, with the difference.
"""

import fcntl
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Self

from katachi.arena.referee import GameOutcome, GameTask, outcome_record
from katachi.core.errors import InvalidArgumentError, SettingsError, StoreError

__all__ = ["Store", "lock_folder"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS run (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS games (
    number INTEGER PRIMARY KEY,
    black TEXT NOT NULL, white TEXT NOT NULL,
    total REAL NOT NULL, reason TEXT NOT NULL, loser TEXT, margin REAL, length INTEGER NOT NULL,
    seconds_black REAL NOT NULL, seconds_white REAL NOT NULL,
    seed TEXT NOT NULL, opening_seed TEXT NOT NULL,
    ended TEXT NOT NULL,
    task TEXT NOT NULL, outcome TEXT NOT NULL
) STRICT;
"""
_VERSION = 1


class Store:
    """The games of one run. Only one process writes."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        """Opens or makes a folder for a run with these settings: `games` may change, everything else must be equal."""
        self.folder = folder
        self.path = folder / "games.sqlite"
        with ExitStack() as stack, self._named_errors():
            folder.mkdir(parents=True, exist_ok=True)
            stack.callback(lock_folder(folder / "run.lock").close)
            self._database = sqlite3.connect(self.path, isolation_level=None)
            stack.callback(self._database.close)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.executescript(_SCHEMA)
            self._check(dict(settings))
            # What a kill left of a file in the middle of writing it; nobody else writes here while we hold the lock.
            for unfinished in (folder / "sgf").glob(".katachi-*.tmp"):
                unfinished.unlink(missing_ok=True)
            self._open = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is lost without it, too."""
        self._open.close()

    def outcomes(self) -> dict[int, GameOutcome]:
        """All games so far, by number."""
        with self._named_errors():
            rows = self._database.execute("SELECT number, outcome FROM games ORDER BY number")
            return {number: GameOutcome.from_json(json.loads(text)) for number, text in rows}

    def add(self, task: GameTask, outcome: GameOutcome) -> None:
        """Keeps a game: its SGF file first, then its row."""
        record = outcome_record(task, outcome)
        row = (
            task.index, outcome.black, outcome.white, outcome.total, outcome.reason, outcome.loser, outcome.margin,
            len(outcome.moves), *outcome.seconds, str(task.seed), str(task.opening_seed),
            datetime.now(UTC).isoformat(timespec="seconds"), task.model_dump_json(), outcome.model_dump_json(),
        )  # fmt: skip
        with self._named_errors():
            if record is not None:
                games = self.folder / "sgf"
                games.mkdir(exist_ok=True)
                record.save(games / f"{task.index:06}.sgf")
            self._database.execute(f"INSERT OR REPLACE INTO games VALUES ({', '.join('?' * len(row))})", row)

    def drop_from(self, number: int) -> None:
        """Forgets the games from a number on: those that a test had no need of."""
        with self._named_errors():
            rows = self._database.execute("SELECT number FROM games WHERE number >= ?", (number,)).fetchall()
            for (dropped,) in rows:
                (self.folder / "sgf" / f"{dropped:06}.sgf").unlink(missing_ok=True)
            self._database.execute("DELETE FROM games WHERE number >= ?", (number,))

    def _check(self, settings: dict[str, Any]) -> None:
        settings = json.loads(json.dumps({"format": _VERSION, **settings}))
        with self._transaction():
            before = {key: json.loads(value) for key, value in self._database.execute("SELECT key, value FROM run")}
            if before:
                changed = [
                    f"  {key}: {before.get(key)!r} there, {settings.get(key)!r} now"
                    for key in sorted(before.keys() | settings.keys())
                    if before.get(key) != settings.get(key) and key != "games"
                ]
                if changed:
                    raise InvalidArgumentError(
                        f"{self.folder} holds a run with other settings: choose another folder\n" + "\n".join(changed)
                    )
            rows = [(key, json.dumps(value)) for key, value in settings.items()]
            self._database.executemany("INSERT OR REPLACE INTO run VALUES (?, ?)", rows)

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """What the disk, SQLite and a row that makes no sense may raise."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            is_foreign = not isinstance(error, sqlite3.OperationalError)  # those are of the disk
            raise StoreError(
                f"{self.path}: {error}{'; is it a file of this program?' if is_foreign else ''}"
            ) from error
        except (SettingsError, json.JSONDecodeError) as error:
            raise StoreError(f"{self.path}: a row that cannot be read: {error}") from error
        except OSError as error:
            raise StoreError(f"{error.filename or self.folder}: {error.strerror or error}") from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")


def lock_folder(path: Path) -> IO[bytes]:
    """A file that one process at a time holds; it is free again when the process ends, however that happens."""
    file = open(path, "wb")  # noqa: SIM115  (it stays open as long as the store)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        raise StoreError(f"{path.parent} is in use by another run") from error
    return file
