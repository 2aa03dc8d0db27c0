"""Where the game is kept between two sittings: `game.sgf` in the folder for state, written after every move.

One game is kept. A new one replaces it with its first move; if the old one was not finished, or cannot be read, it is
kept as `previous.sgf` beside it.
"""

import errno
import os
from pathlib import Path

from katachi.core.errors import InvalidArgumentError, KatachiError
from katachi.games.go.record import Record
from katachi.play.table import Table

__all__ = ["Autosave", "save_with_backup", "state_folder"]


def state_folder() -> Path:
    """`$XDG_STATE_HOME/katachi`, by default `~/.local/state/katachi`."""
    named = os.environ.get("XDG_STATE_HOME", "")
    # The XDG specification has relative paths ignored.
    base = Path(named) if os.path.isabs(named) else Path(os.path.expanduser("~")) / ".local" / "state"
    return base / "katachi"


class Autosave:
    """The kept game. `failure` is why it could not be written, if so; `set_aside` where the one before it went."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "game.sgf"
        self.previous = folder / "previous.sgf"
        self.failure: OSError | None = None
        self.set_aside: Path | None = None
        self._is_ours = False

    def resume(self) -> Table:
        """The kept game; an error if there is none, if it is over or damaged."""
        try:
            table = Table.resume(self.path)
        except FileNotFoundError:
            message = f"there is no game to resume: {self.path} does not exist; begin one with katachi play"
            raise InvalidArgumentError(message) from None
        except OSError as error:
            raise InvalidArgumentError(f"{self.path} cannot be read: {error.strerror or error}") from None
        if table.is_over:
            raise InvalidArgumentError(
                f"there is no game to resume: the last one is over ({table.result}), its record is {self.path}; "
                "begin another with katachi play"
            )
        self._is_ours = True
        return table

    def forget(self) -> None:
        """The next game to be saved is another one."""
        self._is_ours = False

    def save(self, table: Table) -> bool:
        """Keeps the game; False if that fails. An untouched board is not worth replacing another game for."""
        if table.is_untouched and not self._is_ours:
            return True
        try:
            if not self.path.is_absolute():
                raise FileNotFoundError("there is no home folder")
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if not self._is_ours and self._is_unfinished():
                os.replace(self.path, self.previous)
                self.set_aside = self.previous
            table.record().save(self.path)
        except OSError as error:
            self.failure = error
            return False
        self._is_ours = True
        self.failure = None
        return True

    def _is_unfinished(self) -> bool:
        if not self.path.is_file():
            return False
        try:
            record = Record.load(self.path)
            return not record.result and bool(record.moves())
        except (KatachiError, OSError):
            return True  # nobody knows what it is, so it is not for us to remove


def save_with_backup(table: Table, path: Path, backed_up: set[Path]) -> Path | None:
    """Writes a record where the person wants it. What was there is kept once, as `FILE~`; returns that name if so."""
    backup = None
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if target not in backed_up and target.is_file():
        backup = target.with_name(f"{target.name}~")
        backup.write_bytes(target.read_bytes())
    table.record().save(target)
    backed_up.add(target)
    return backup
