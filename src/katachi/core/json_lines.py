"""Rows as JSON lines: work that is appended piece by piece, and survives a kill of whoever writes it."""

import json
from pathlib import Path
from typing import Any, TypeAlias

from katachi.core.errors import StoreError

__all__ = ["append_row", "read_rows"]

Row: TypeAlias = dict[str, Any]

_DELETE = "delete that line, and its row is made again"


def read_rows(path: Path) -> list[Row]:
    """The rows of a file; none if there is no file.

    A last line without an end was cut by a kill: it is left out, and `append_row` will not run into it.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
    rows = []
    for number, line in enumerate(lines[:-1], 1):
        try:
            row = json.loads(line)
        except ValueError:
            raise StoreError(f"{path}, line {number} is not JSON: {line[:100]!r}; {_DELETE}") from None
        if not isinstance(row, dict):
            raise StoreError(f"{path}, line {number} is no row: {line[:100]!r}; {_DELETE}")
        rows.append(row)
    return rows


def append_row(path: Path, row: Row) -> None:
    """One short line, complete or not there."""
    line = json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    try:
        with open(path, "a+b") as file:
            if file.tell():
                file.seek(-1, 2)
                if file.read(1) != b"\n":  # what a kill left of a line
                    file.seek(0)
                    file.truncate(file.read().rfind(b"\n") + 1)
            file.write(line)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
