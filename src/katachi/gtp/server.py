"""The loop: lines in, answers out. An engine answers one line; a server connects it to two streams.

Between two lines the session may ponder. That and all commands run in one thread; another one only reads.
"""

import logging
import threading
from collections.abc import Callable
from io import RawIOBase
from typing import BinaryIO

from katachi.core.errors import KatachiError
from katachi.core.line_inbox import LineInbox, read_lines
from katachi.gtp import commands as _commands  # noqa: F401  (registers them)
from katachi.gtp.protocol import GtpError, Response, format_head, format_line, format_response, parse_request
from katachi.gtp.registry import run_command
from katachi.gtp.session import Session

__all__ = ["LONGEST_LINE", "Engine", "serve"]

log = logging.getLogger(__name__)

# A line may carry a whole game (gogui-play_sequence), but not fill the memory.
LONGEST_LINE = 1 << 20
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
    inbox = LineInbox()
    session.is_interrupted = inbox.has_lines
    session.is_left = inbox.is_closed
    session.is_stopped = lambda: _is_stop(inbox.peek() or b"")

    def write(piece: bytes) -> None:
        sink.write(piece)
        sink.flush()

    # A thread reads ahead, so that a command can be told that the controller does not want to wait for it.
    threading.Thread(target=read_lines, args=(source, inbox, LONGEST_LINE), daemon=True, name="gtp-reader").start()
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


def _is_stop(line: bytes) -> bool:
    head = line[:_LONGEST_STOP]
    if b"stop" not in head:
        return False
    try:
        request = parse_request(head.decode(errors="replace"))
    except GtpError:
        return False
    return request is not None and request.command == "stop"
