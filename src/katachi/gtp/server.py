"""The loop: lines in, answers out. An engine answers one line; a server connects it to two streams."""

import logging
import queue
import threading
from io import RawIOBase
from typing import BinaryIO

from katachi.gtp import commands as _commands  # noqa: F401  (registers them)
from katachi.gtp.protocol import GtpError, Response, format_response, parse_request
from katachi.gtp.registry import run_command
from katachi.gtp.session import Session

__all__ = ["Engine", "serve"]

log = logging.getLogger(__name__)

# A line may carry a whole game (gogui-play_sequence), but not fill the memory.
LONGEST_LINE = 1 << 20
_PIECE = 1 << 16
# Lines that wait while a command runs; then the controller waits too.
LONGEST_QUEUE = 1000


class Engine:
    """Answers lines of GTP about one session."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def answer(self, line: str) -> str | None:
        """The whole answer to a line, or None for a line that asks nothing."""
        number = None
        try:
            request = parse_request(line)
            if request is None:
                return None
            number = request.id
            text, is_error = run_command(self.session, request.command, request.arguments), False
        except GtpError as error:
            text, is_error = str(error), True
            log.info("%s: %s", line.strip()[:200], error.__cause__ or error)
        except Exception:
            # A bug of ours must not end somebody's game.
            text, is_error = "internal error, see the log", True
            log.exception("internal error at %r", line[:200])
        return format_response(Response(text, is_error, number))


def serve(session: Session, source: RawIOBase, sink: BinaryIO) -> None:
    """Answers until `quit` or the end of the input; a last line need not end with a newline.

    The source is unbuffered: a reader that waits in a buffered one would hold its lock when the process ends.
    """
    engine = Engine(session)
    lines: queue.Queue[bytes | None] = queue.Queue(LONGEST_QUEUE)
    session.is_interrupted = lambda: not lines.empty()
    # A thread reads ahead, so that a command can be told that the controller does not want to wait for it.
    threading.Thread(target=_read, args=(source, lines), daemon=True, name="gtp-reader").start()
    while not session.quits:
        line = lines.get()
        if line is None:
            return
        if len(line) > LONGEST_LINE:
            answer: str | None = format_response(
                Response(f"syntax error: more than {LONGEST_LINE} bytes", is_error=True)
            )
        else:
            answer = engine.answer(line.decode(errors="replace"))
        if answer is not None:
            sink.write(answer.encode())
            sink.flush()


def _read(source: RawIOBase, lines: "queue.Queue[bytes | None]") -> None:
    """Lines into the queue, None at the end. Of a line that is too long only the beginning is kept."""
    try:
        rest = b""
        while piece := source.read(_PIECE):
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                lines.put(line)
            rest = rest[: LONGEST_LINE + 1]
        if rest:
            lines.put(rest)
    finally:
        lines.put(None)
