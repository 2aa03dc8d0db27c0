"""The loop: lines in, answers out. An engine answers one line; a server connects it to two streams.

Between two lines the session may ponder. That and all commands run in one thread; another one only reads.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from io import RawIOBase
from typing import BinaryIO

from katachi.core.errors import KatachiError
from katachi.gtp import commands as _commands  # noqa: F401  (registers them)
from katachi.gtp.protocol import GtpError, Response, format_head, format_line, format_response, parse_request
from katachi.gtp.registry import run_command
from katachi.gtp.session import Session

__all__ = ["LONGEST_LINE", "Engine", "serve"]

log = logging.getLogger(__name__)

# A line may carry a whole game (gogui-play_sequence), but not fill the memory.
LONGEST_LINE = 1 << 20
# What may wait while a command runs, in bytes; then the controller waits too.
_MOST_WAITING = 4 << 20
_PIECE = 1 << 16
_LONGEST_STOP = 100  # bytes of a line that are looked at for the word `stop`


class Engine:
    """Answers lines of GTP about one session."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def answer(self, line: bytes | str) -> bytes | None:
        """The whole answer to a line, or None for a line that asks nothing."""
        parts = list[bytes]()
        self.respond(line, parts.append)
        return b"".join(parts) or None

    def respond(self, line: bytes | str, write: Callable[[bytes], object]) -> None:
        """Writes the answer to a line, if it asks anything: at once, or piece by piece as the command finds it."""
        text = line.decode(errors="replace") if isinstance(line, bytes) else line
        spoken = _Spoken(write)
        self.session.say = spoken.say
        try:
            request = parse_request(text)
            if request is None:
                return
            spoken.id = request.id
            if len(line) > LONGEST_LINE:
                raise GtpError(f"syntax error: more than {LONGEST_LINE} bytes")
            said, is_error = run_command(self.session, request.command, request.arguments), False
        except GtpError as error:
            said, is_error = str(error), True
            log.info("%s: %s", text.strip()[:200], error.__cause__ or error)
        except BrokenPipeError:
            raise
        except Exception:
            # A bug of ours must not end somebody's game.
            said, is_error = "internal error, see the log", True
            log.exception("internal error at %r", text[:200])
        spoken.end(said, is_error)


class _Spoken:
    """An answer on its way: a command that takes long may say lines before its end."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self.id: int | None = None
        self._write = write
        self._has_begun = False

    def say(self, text: str) -> None:
        head = "" if self._has_begun else format_head(Response("", id=self.id))
        self._has_begun = True
        self._send(head + (format_line(text) if text else ""))

    def end(self, text: str, is_error: bool) -> None:
        if not self._has_begun:
            self._send(format_response(Response(text, is_error, self.id)))
            return
        # What has begun as a success cannot end as an error: that is in the log.
        self._send((format_line(text) if text and not is_error else "") + format_line(""))

    def _send(self, text: str) -> None:
        self._write(text.encode(errors="backslashreplace"))


def serve(session: Session, source: RawIOBase, sink: BinaryIO) -> None:
    """Answers until `quit` or the end of the input; a last line need not end with a newline.

    The source is unbuffered: a reader that waits in a buffered one would hold its lock when the process ends.
    """
    engine = Engine(session)
    inbox = _Inbox()
    session.is_interrupted = inbox.has_lines
    session.is_left = inbox.is_closed
    session.is_stopped = inbox.begins_with_stop

    def write(piece: bytes) -> None:
        sink.write(piece)
        sink.flush()

    # A thread reads ahead, so that a command can be told that the controller does not want to wait for it.
    threading.Thread(target=_read, args=(source, inbox), daemon=True, name="gtp-reader").start()
    while not session.quits:
        _ponder(session)
        line = inbox.take()
        if line is None:
            return
        engine.respond(line, write)


def _ponder(session: Session) -> None:
    """In this thread, until somebody says something: so nothing else ever looks at a search that is running."""
    try:
        session.ponder()
    except KatachiError:
        session.stop_pondering()
        log.exception("an error while pondering")


def _read(source: RawIOBase, inbox: "_Inbox") -> None:
    """Lines into the inbox. Of a line that is too long only the beginning is kept."""
    try:
        rest = b""
        while piece := source.read(_PIECE):
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                inbox.put(line)
            rest = rest[: LONGEST_LINE + 1]
        if rest:
            inbox.put(rest)
    finally:
        inbox.close()


def _is_stop(line: bytes) -> bool:
    try:
        request = parse_request(line.decode(errors="replace"))
    except GtpError:
        return False
    return request is not None and request.command == "stop"


class _Inbox:
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

    def begins_with_stop(self) -> bool:
        """Is the next line the command `stop`?"""
        with self._change:
            line = self._lines[0] if self._lines else b""
        return b"stop" in line[:_LONGEST_STOP] and _is_stop(line[:_LONGEST_STOP])

    def is_closed(self) -> bool:
        """Is there nobody any more who could say anything?"""
        return self._is_closed

    def has_lines(self) -> bool:
        """Is somebody waiting for an answer?"""
        return bool(self._lines)
