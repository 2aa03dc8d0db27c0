"""Real `katachi match` processes: starting them, reading what they kept, and finding what they left behind."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4

from katachi.arena.referee import GameOutcome

__all__ = ["MARK", "command", "is_alive", "kept", "leftovers", "marked", "run", "sgf_files", "wait_for_games"]

MARK = "KATACHI_TEST_MARK"  # a variable that every process of a run inherits


def marked() -> dict[str, str]:
    """An environment that is recognized in /proc."""
    return {**os.environ, MARK: uuid4().hex}


def command(*words: object) -> list[str]:
    """`katachi match WORDS`."""
    return [sys.executable, "-m", "katachi.cli", "match", *map(str, words)]


def run(*words: object, timeout: float = 60, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """A match from beginning to end."""
    return subprocess.run(command(*words), capture_output=True, text=True, timeout=timeout, env=env)


def is_alive(pid: int) -> bool:
    """Does the process run? One that has ended and that nobody has buried yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in ("Z", "X")


def leftovers(env: Mapping[str, str], seconds: float = 2.0, program: str = "") -> dict[int, str]:
    """The processes with this environment that have not ended after so many seconds: pid and command line."""
    deadline = time.monotonic() + seconds
    entry = f"{MARK}={env[MARK]}".encode()
    while True:
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if entry in (folder / "environ").read_bytes().split(b"\0") and is_alive(int(folder.name)):
                    line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    if program in line:
                        found[int(folder.name)] = line
            except OSError:  # another user's, or gone
                continue
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.02)


def kept(folder: Path) -> list[GameOutcome]:
    """The games of a run, without what the clock said."""
    with sqlite3.connect(folder / "games.sqlite") as database:
        rows = database.execute("SELECT outcome FROM games ORDER BY number").fetchall()
    database.close()
    return [GameOutcome.from_json(json.loads(text)).untimed() for (text,) in rows]


def sgf_files(folder: Path) -> dict[str, str]:
    """Names and texts of the records."""
    return {path.name: path.read_text() for path in sorted((folder / "sgf").glob("*"))}


def wait_for_games(folder: Path, games: int, seconds: float = 20.0) -> None:
    """Returns when so many games are kept."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if len(kept(folder)) >= games:
                return
        except sqlite3.Error:  # not there yet
            pass
        time.sleep(0.02)
    raise AssertionError(f"no {games} games in {folder} after {seconds} s")
