"""Lines that one thread reads and another one answers, so that whoever works can be told that somebody waits.

The protocols on stdin (katachi.gtp.server, katachi.analysis.server) stand on it.
"""

import threading
from collections import deque
from io import RawIOBase

__all__ = ["LineInbox", "read_lines"]

# What may wait, in bytes; then the other side waits too.
_MOST_WAITING = 4 << 20
_PIECE = 1 << 16


class LineInbox:
    """Lines between two threads: not too many bytes at once."""

    def __init__(self) -> None:
        self._lines: deque[bytes] = deque()
        self._bytes = 0
        self._is_closed = False
        self._change = threading.Condition()

    def put(self, line: bytes) -> None:
        """Adds a line; waits while there is too much."""
        with self._change:
            while self._bytes > _MOST_WAITING:
                self._change.wait()
            self._lines.append(line)
            self._bytes += len(line) + 1
            self._change.notify_all()

    def close(self) -> None:
        """There is no more to come."""
        with self._change:
            self._is_closed = True
            self._change.notify_all()

    def take(self) -> bytes | None:
        """The next line, when there is one; None at the end."""
        with self._change:
            while not self._lines and not self._is_closed:
                self._change.wait()
            if not self._lines:
                return None
            line = self._lines.popleft()
            self._bytes -= len(line) + 1
            self._change.notify_all()
            return line

    def peek(self) -> bytes | None:
        """The next line, if there is one already; it stays."""
        with self._change:
            return self._lines[0] if self._lines else None

    def is_closed(self) -> bool:
        """Is there nobody any more who could say anything?"""
        return self._is_closed

    def has_lines(self) -> bool:
        """Is somebody waiting for an answer?"""
        return bool(self._lines)


def read_lines(source: RawIOBase, inbox: LineInbox, longest: int) -> None:
    """All lines of a source into an inbox, which is closed in the end; a last one need not end with a newline.

    Of a line that is too long only `longest + 1` bytes are sure to be kept. The source is unbuffered: a reader that
    waits in a buffered one would hold its lock when the process ends.
    """
    try:
        rest = b""
        while piece := source.read(_PIECE):
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                inbox.put(line)
            rest = rest[: longest + 1]
        if rest:
            inbox.put(rest)
    finally:
        inbox.close()
