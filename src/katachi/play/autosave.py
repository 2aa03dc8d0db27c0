"""Where the game is kept between two sittings: `game.sgf` in the folder for state, written after every move.

A new game replaces the one before it with its first move. If that one was not finished, or cannot be read, it is kept
as `unfinished-DATE-N.sgf` beside it, with the day of its last move and a number that is free; nobody removes these.

A session holds a lock on `game.lock` from its first write on. One that finds it held keeps its own game in
`game-2.sgf`, and so on. `resume` goes on with the latest of these games that is not finished and that nobody plays.
Where there are no locks (Windows, some network file systems) everybody writes `game.sgf`.
"""

import os
import re
import stat
import time
import weakref
from itertools import count
from pathlib import Path
from typing import Self

from katachi.core.errors import InvalidArgumentError, KatachiError
from katachi.core.files import write_whole
from katachi.games.go.record import Record
from katachi.play.table import Table

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["Autosave", "save_with_backup", "state_folder"]

_KEPT = re.compile(r"game(-[1-9][0-9]{0,8})?\.sgf")


def state_folder() -> Path:
    """`$XDG_STATE_HOME/katachi`, by default `~/.local/state/katachi`."""
    named = os.environ.get("XDG_STATE_HOME", "")
    # The XDG specification has relative paths ignored.
    base = Path(named) if os.path.isabs(named) else Path(os.path.expanduser("~")) / ".local" / "state"
    return base / "katachi"


class Autosave:
    """The kept game, in `path`. `close` it, or use it in a `with`: as long as it is there, others keep away.

    `failure` is why the game could not be written, if so; `set_aside` where the one before it went; `occupied` the
    games that others play, which is why `path` is another one.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "game.sgf"
        self.failure: OSError | KatachiError | None = None
        self.set_aside: Path | None = None
        self.occupied: list[Path] = []
        self._folder = folder
        self._unlock: weakref.finalize[..., Autosave] | None = None
        self._has_path = False  # is `path` for us alone?
        self._is_ours = False  # is what is there our game?

    def resume(self) -> Table:
        """The game that was left last and can be taken up. An error if there is none: then of the first that failed."""
        try:
            kept = [path for path in self._folder.iterdir() if _KEPT.fullmatch(path.name)]
            kept.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        except OSError:
            kept = []
        over = None
        failure: KatachiError | None = None
        for path in kept:
            if not self._lock(path):
                self.occupied.append(path)
                continue
            try:
                table = _resume(path)
            except KatachiError as error:
                failure = failure or error
                continue
            if not table.is_over:
                self.path = path
                self._has_path = self._is_ours = True
                return table
            over = over or f"the last one is over ({table.result}), its record is {path}"
        self.close()
        if failure is not None:
            raise failure
        if self.occupied:
            names = " and ".join(map(str, self.occupied)) + (" is" if len(self.occupied) == 1 else " are")
            raise InvalidArgumentError(f"there is no game to resume: {names} being played by another katachi play")
        why = over or f"{self.path} does not exist"
        raise InvalidArgumentError(f"there is no game to resume: {why}; begin one with katachi play")

    def forget(self) -> None:
        """The next game to be saved is another one."""
        self._is_ours = False

    def save(self, table: Table) -> bool:
        """Keeps the game; False if that fails. An untouched board is not worth replacing another game for."""
        if table.is_untouched and not self._is_ours:
            return True
        try:
            record = table.record()  # before anything is moved
            if not self.path.is_absolute():
                raise FileNotFoundError("there is no home folder")
            self._folder.mkdir(parents=True, exist_ok=True)
            self._choose_path()
            if not self._is_ours and self._is_unfinished():
                self.set_aside = _set_aside(self.path)
            record.save(self.path)
        except (OSError, KatachiError) as error:
            self.failure = error
            return False
        self._is_ours = True
        self.failure = None
        return True

    def close(self) -> None:
        """Others may go on with the game now."""
        if self._unlock is not None:
            self._unlock()
        self._unlock = None
        self._has_path = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _choose_path(self) -> None:
        for number in count(1):
            if self._has_path:
                return
            self.path = self._folder / ("game.sgf" if number == 1 else f"game-{number}.sgf")
            self._has_path = self._lock(self.path)
            if not self._has_path:
                self.occupied.append(self.path)

    def _lock(self, path: Path) -> bool:
        """Takes the lock of a game in place of the one we have; False if somebody else has it."""
        self.close()
        if fcntl is None:
            return True
        try:
            descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:  # then the game cannot be written either, and that is an error with a message
            return True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except OSError:  # a file system without locks
            os.close(descriptor)
            return True
        self._unlock = weakref.finalize(self, os.close, descriptor)
        return True

    def _is_unfinished(self) -> bool:
        if not self.path.is_file():
            return False
        try:
            record = Record.load(self.path)
            return not record.result and bool(record.moves())
        except (KatachiError, OSError):
            return True  # nobody knows what it is, so it is not for us to remove


def _resume(path: Path) -> Table:
    try:
        return Table.resume(path)
    except OSError as error:
        raise InvalidArgumentError(f"{path} cannot be read: {error.strerror or error}") from None


def _set_aside(path: Path) -> Path:
    """Gives a file a name that no file has."""
    day = time.strftime("%Y-%m-%d", time.localtime(path.stat().st_mtime))
    for number in count(1):
        name = path.with_name(f"unfinished-{day}-{number}.sgf")
        try:
            os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL))  # nobody else gets this name
        except FileExistsError:
            continue
        os.replace(path, name)
        return name
    raise AssertionError("unreachable")


def save_with_backup(table: Table, path: Path, backed_up: set[Path]) -> Path | None:
    """Writes a record where the person wants it. What was there is kept once, as `FILE~`; returns that name if so."""
    record = table.record()
    backup = None
    target = Path(os.path.realpath(path))
    if target not in backed_up and target.is_file():
        backup = target.with_name(f"{target.name}~")
        write_whole(backup, target.read_bytes(), mode=stat.S_IMODE(target.stat().st_mode))
    record.save(target)
    backed_up.add(target)
    return backup
