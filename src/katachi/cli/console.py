"""What the commands share: progress bars on stderr, JSON on stdout."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from katachi.search.searches import Progress

__all__ = ["print_json", "progress_bar"]


def print_json(value: Any) -> None:  # noqa: ANN401
    """One JSON object on stdout, for programs."""
    print(json.dumps(value))


@contextmanager
def progress_bar(title: str, *, quiet: bool = False) -> Iterator["Progress"]:
    """A bar for one native job, on stderr, when somebody is watching."""
    if quiet or not sys.stderr.isatty():
        yield lambda _share: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda share: bar.update(task, completed=share)
