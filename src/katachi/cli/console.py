"""What the commands share: progress bars on stderr, JSON on stdout, an orderly end when the terminal is closed."""

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from katachi.search.searches import Progress

__all__ = ["live_status", "print_json", "progress_bar", "raise_on_hangup"]

_SECONDS_BETWEEN_LINES = 10.0


def print_json(value: Any) -> None:  # noqa: ANN401
    """One JSON object on stdout, for programs."""
    print(json.dumps(value))


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

    for each in signals:
        if signal.getsignal(each) is signal.SIG_DFL:
            signal.signal(each, end)


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


@contextmanager
def live_status(total: int, *, quiet: bool = False) -> Iterator[Callable[[int, str], None]]:
    """Tells how far a run is: a bar with the score and the time left on a terminal, otherwise a line now and then."""
    if quiet:
        yield lambda _done, _line: None
        return
    if not sys.stderr.isatty():
        last = time.monotonic()

        def print_line(done: int, line: str) -> None:
            nonlocal last
            if done == total or time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
                last = time.monotonic()
                print(f"{done}/{total} games: {line}", file=sys.stderr, flush=True)

        yield print_line
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda done, line: bar.update(task, completed=done, description=line)
