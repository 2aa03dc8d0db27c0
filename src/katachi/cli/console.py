"""What the commands share: progress bars on stderr, JSON and protocols on stdout, an orderly end with the terminal."""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import FileIO
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

if TYPE_CHECKING:
    from katachi.search.searches import Progress
    from katachi.training.run_folder import GamesResult, Row

__all__ = ["Tell", "games_lines", "live_status", "print_json", "progress_bar", "protocol_streams", "raise_on_hangup"]

_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_TO_HEAR = 0.1  # a signal, before it is sent again


def print_json(value: Any) -> None:  # noqa: ANN401
    """One JSON object on stdout, for programs."""
    print(json.dumps(value))


def games_lines(result: "GamesResult[Row]", line: "Callable[[Row], str]") -> list[str]:
    """What a run of games has come to; `line` is for the last row of its metrics."""
    lines = [f"{result.games:,} games in {result.folder}, {result.weights:,} weights"]
    if result.played:
        rate = result.played / max(result.cpu_seconds, 1e-9)
        lines.append(
            f"  {result.played:,} of them now: {result.cpu_seconds:.1f} CPU seconds, {rate:,.0f} games a CPU second"
        )
    if result.last is not None:
        lines.append(f"  last: {line(result.last)}")
    return lines


@contextmanager
def protocol_streams() -> Iterator[tuple[FileIO, BinaryIO]]:
    """stdin, unbuffered, and stdout for a protocol. Whoever reads the answers may go: then it ends.

    Whatever else writes to stdout in this process, native code included, goes to stderr from here on.
    """
    from katachi.core.errors import InvalidArgumentError

    if sys.stdout is None:
        raise InvalidArgumentError("stdout is closed: there is nowhere to answer")
    questions = FileIO(os.devnull if sys.stdin is None else sys.stdin.fileno(), closefd=sys.stdin is None)
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(os.open(os.devnull, os.O_WRONLY) if sys.stderr is None else sys.stderr.fileno(), sys.stdout.fileno())
        try:
            yield questions, answers
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), answers.fileno())


def raise_on_hangup() -> None:
    """From now on SIGHUP (the terminal is closed) and SIGTERM raise SystemExit(128 + number) in the main thread.

    Only the first one does: a closing terminal sends several, and none of them may interrupt what is done in the end.
    A signal that is ignored already, as by nohup, stays so.
    """
    signals = [getattr(signal, name) for name in ("SIGHUP", "SIGTERM") if hasattr(signal, name)]  # Windows has one

    is_ending = False

    def end(number: int, _frame: object) -> None:
        nonlocal is_ending
        if not is_ending:
            is_ending = True
            raise SystemExit(128 + number)

    ours = [each for each in signals if signal.getsignal(each) is signal.SIG_DFL]
    for each in ours:
        signal.signal(each, end)
    if ours and hasattr(signal, "pthread_kill"):
        _pass_on_signals(ours, lambda: is_ending)


def _pass_on_signals(numbers: Sequence[int], is_heard: Callable[[], bool]) -> None:
    """The system may hand a signal to another thread, such as one of numpy's: then the main thread goes on waiting."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    waiting = threading.main_thread().ident
    assert waiting is not None

    def pass_on() -> None:
        while received := os.read(reader, 64):
            for number in set(received) & set(numbers):
                time.sleep(_SECONDS_TO_HEAR)
                while not is_heard():
                    signal.pthread_kill(waiting, number)
                    time.sleep(_SECONDS_TO_HEAR)

    threading.Thread(target=pass_on, name="signals", daemon=True).start()


@contextmanager
def progress_bar(title: str, *, quiet: bool = False) -> Iterator["Progress"]:
    """A bar for one native job, on stderr, when somebody is watching."""
    if quiet or not sys.stderr.isatty():
        yield lambda _share: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda share: bar.update(task, completed=share)


class Tell(Protocol):
    """How a run hears of its state: how much is done, a line about it, and a table, if there is one, for a terminal."""

    def __call__(self, done: int, line: str, table: Callable[[], str] = ...) -> None:
        """The table is asked for only where it is shown."""


@contextmanager
def live_status(total: int, *, quiet: bool = False, unit: str = "games") -> Iterator[Tell]:
    """Tells how far a run is: on a terminal a table and a bar with score and time left, else a line now and then."""
    if quiet:
        yield lambda done, line, table=str: None
    elif not sys.stderr.isatty():
        yield _LineTeller(total, unit)
    else:
        with _live_table(total) as tell:
            yield tell


class _LineTeller:
    def __init__(self, total: int, unit: str) -> None:
        self._total, self._unit, self._last = total, unit, time.monotonic()

    def __call__(self, done: int, line: str, table: Callable[[], str] = str) -> None:
        if done == self._total or time.monotonic() - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            told = f": {line}" if line else ""
            print(f"{done}/{self._total} {self._unit}{told}", file=sys.stderr, flush=True)


@contextmanager
def _live_table(total: int) -> Iterator[Tell]:
    from rich.console import Console, RenderableType
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class TableAndBar(Progress):
        table = ""

        def get_renderables(self) -> Iterator[RenderableType]:
            if self.table:
                yield Text(self.table, no_wrap=True, overflow="ellipsis")
            yield from super().get_renderables()

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with TableAndBar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)

        def tell(done: int, line: str, table: Callable[[], str] = str) -> None:
            bar.table = table()
            bar.update(task, completed=done, description=line)

        yield tell
