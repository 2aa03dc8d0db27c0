"""An external GTP engine: its process, and a conversation that cannot hang.

`GtpProcess.ask` ends in one of three ways: it returns the answer, the engine refuses (EngineRefusedError, and the
conversation goes on), or the engine is ended (EngineError, or whatever interrupted the wait). So a process is either in
step with us or gone, and no late answer can be taken for another one's.

Two daemon threads read what the engine writes, so that it never waits for us; they hold no reference to the GtpProcess,
which is how one that is forgotten gets ended too. The engine is the leader of a session of its own: a Ctrl-C in the
terminal does not reach it, and signals to its group reach what it has started. Not for Windows.

If we are killed, we have no time to end it: it sees the end of its input, and on Linux the system kills it, whatever it
does (PR_SET_PDEATHSIG). That reaches the process that the command starts, but not what this one has started in turn (an
engine behind a shell script without `exec`), and no program with the set-user-id bit or capabilities. Those, and all
engines on other systems, have to heed the end of their input.

Not here: which commands a game needs (`katachi.players.gtp_player`), and how the lines look (`katachi.gtp.protocol`).
"""

import os
import select
import shlex
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Any, Self

from katachi.core.errors import EngineError, EngineTimeoutError, InvalidArgumentError, ParseError
from katachi.gtp.protocol import MAX_ID, GtpError, Request, Response, format_request, parse_response
from katachi.players.external import need_program

__all__ = ["LAST_WORDS", "EngineRefusedError", "GtpProcess", "split_command"]

LAST_WORDS = "last lines of its stderr:"
"""What stands before them in an EngineError."""

MAX_ANSWER = 2**20  # bytes; the longest sensible answers, analyses of a 19x19 board, have some ten thousand
STDERR_LINES = 200
_SHOWN_LINES = 10  # of stderr, in an error
_MAX_LINE = 4096  # of stderr: a longer one is cut into several
_TICK = 0.05  # seconds between two looks at who is waiting
_STALL = 1.0  # seconds between two looks by which we must have been stopped
_TO_ARRIVE = 0.2  # seconds in which what a dead engine has written comes out of the pipe
_TO_TERMINATE = 0.5  # seconds between SIGTERM and SIGKILL
_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


class EngineRefusedError(EngineError):
    """An engine that answered with an error: it still runs, and waits for the next command."""


def split_command(text: str) -> list[str]:
    """The words of a command as a POSIX shell splits them; nothing is expanded."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ParseError(f"this is no command: {text!r}: {error}") from error
    if not words or not words[0]:
        raise ParseError(f"this is no command: {text!r}: there is no program in it")
    return words


class GtpProcess:
    """A running engine. Starts at once; use it in a `with`, or `close` it. One thread at a time may ask.

    `timeout` is for one command, in seconds, from the first byte written to the last one read. `on_stderr` gets
    every line that the engine writes to stderr, in another thread.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        timeout: float = 60.0,
        on_stderr: Callable[[str], object] | None = None,
    ) -> None:
        if not timeout > 0:
            raise InvalidArgumentError(f"a time-out must be positive, not {timeout}")
        words = split_command(command) if isinstance(command, str) else list(command)
        if not words:
            raise ParseError(f"this is no command: {command!r}")
        self.name = os.path.basename(words[0])
        self.timeout = timeout
        self._last_id = 0
        self._ended: str | None = None  # why nothing can be asked any more
        self._died: float | None = None  # when it was found dead
        program = need_program(words[0])
        try:
            self._process = _launcher.start([program, *words[1:]])
        except (OSError, ValueError, subprocess.SubprocessError) as error:  # no program, a zero byte in an argument
            raise EngineError(f"{shlex.join(words)} cannot be started: {error}") from error
        self._finalizer = weakref.finalize(self, _end, self._process, terminate=_TO_TERMINATE)
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None
        assert stdout is not None
        assert stderr is not None
        self._stdin = stdin
        os.set_blocking(stdin.fileno(), False)
        self._output = _Output()
        self._stderr = _LastLines(on_stderr)
        self._readers = [
            threading.Thread(target=self._output.fill, args=(stdout,), daemon=True, name=f"stdout of {self.name}"),
            threading.Thread(target=self._stderr.fill, args=(stderr,), daemon=True, name=f"stderr of {self.name}"),
        ]
        for reader in self._readers:
            reader.start()

    @property
    def pid(self) -> int:
        """The process id; also that of the group."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Can it be asked, as far as we know? One that died unnoticed is found out by the next `ask`."""
        return self._ended is None

    @property
    def stderr_lines(self) -> list[str]:
        """The last lines that it wrote to stderr, at most 200."""
        return self._stderr.lines()

    def ask(
        self,
        command: str,
        *arguments: str,
        timeout: float | None = None,
        tick: Callable[[], object] | None = None,
    ) -> str:
        """The answer's text. A refusal is an EngineRefusedError; anything else that goes wrong ends the engine.

        While it waits, `tick` is called about every 50 ms; if it raises, the engine is ended.
        """
        question = " ".join((command, *arguments))
        shown = repr(question if len(question) <= 200 else question[:200] + "…")
        if self._ended is not None:
            raise EngineError(f"{self.name} cannot be asked {shown}: {self._ended}")
        seconds = self.timeout if timeout is None else timeout
        number = self._last_id % MAX_ID + 1
        line = format_request(Request(command, arguments, number)).encode()
        self._last_id = number
        wait = _Wait(seconds, tick)
        try:
            self._send(line, shown, wait)
            response = self._receive(shown, wait)
        except EngineError:
            raise
        except BaseException:  # Ctrl-C, or the tick: the answer would come later, and be taken for another one
            self._end("it was interrupted while it was asked " + shown)
            raise
        if response.id != number:
            raise self._failure(f"answered {shown} with id {response.id} instead of {number}: {response.text[:200]!r}")
        if response.is_error:
            raise EngineRefusedError(f"{self.name} refused {shown}: {response.text or 'no reason given'}")
        return response.text

    def close(self, patience: float = 1.0) -> None:
        """Sends `quit`, waits so many seconds, and ends it if it is still there. Does nothing the second time."""
        if self._ended is None:
            line = format_request(Request("quit", (), self._last_id % MAX_ID + 1))
            with suppress(OSError):  # a full pipe or a dead engine: it is ended all the same
                os.write(self._stdin.fileno(), line.encode())
        self._end("it was closed", ask=patience)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, line: bytes, shown: str, wait: "_Wait") -> None:
        descriptor = self._stdin.fileno()
        poll = select.poll()
        poll.register(descriptor, select.POLLOUT)
        rest = memoryview(line)
        while rest:
            try:
                rest = rest[os.write(descriptor, rest) :]
            except BlockingIOError:
                seconds = wait.next()
                if seconds is None:
                    raise self._failure(f"did not read {shown} within {wait.told}", EngineTimeoutError) from None
                if self._is_dead():
                    raise self._death(shown) from None
                poll.poll(seconds * 1000)
            except BrokenPipeError:
                raise self._death(shown) from None

    def _receive(self, shown: str, wait: "_Wait") -> Response:
        while (answer := self._output.take()) is None:
            if self._output.flooded:
                raise self._failure(f"answered {shown} with more than {MAX_ANSWER} bytes and no empty line")
            if self._output.ended or self._is_dead():
                raise self._death(shown)
            seconds = wait.next()
            if seconds is None:
                so_far = self._output.peek()
                said = f"; it wrote {so_far!r} and no empty line" if so_far else ""
                raise self._failure(f"did not answer {shown} within {wait.told}{said}", EngineTimeoutError)
            self._output.wait(seconds)
        try:
            return parse_response(answer.decode(errors="replace"))
        except GtpError as error:
            raise self._failure(f"was asked {shown}: {error}") from error

    def _is_dead(self) -> bool:
        """Has it failed, and nothing comes any more? Whatever it has started may still hold its pipes.

        One that ended well may have left the work to a process of its own.
        """
        if not self._process.poll():
            return False
        now = time.monotonic()
        if self._died is None:
            self._died = now
        return now - max(self._died, self._output.last_arrival) >= _TO_ARRIVE

    def _death(self, shown: str) -> EngineError:
        """An engine that closed its output, or no longer reads."""
        with suppress(subprocess.TimeoutExpired):  # give it the time to leave its own exit status behind
            self._process.wait(_TO_TERMINATE)
        status = self._process.returncode
        if status is None:
            return self._failure(f"closed its input or output when it was asked {shown}")
        how = f"status {status}" if status >= 0 else f"killed by signal {-status}, {signal.strsignal(-status)}"
        return self._failure(f"ended ({how}) before it answered {shown}")

    def _failure(self, what: str, kind: type[EngineError] = EngineError) -> EngineError:
        """Ends the engine; the error tells what happened, and the engine's last words."""
        self._end(f"it {what}")
        lines = self._stderr.lines()[-_SHOWN_LINES:]
        words = "".join(f"\n    {line}" for line in lines)
        return kind(f"{self.name} {what}" + (f"\n{LAST_WORDS}{words}" if words else ""))

    def _end(self, why: str, *, ask: float = 0.0) -> None:
        if self._ended is None:
            self._ended = why
        if not self._finalizer.alive:
            return
        _end(self._process, ask=ask, terminate=_TO_TERMINATE if ask else 0.0)
        self._finalizer.detach()  # only now: an interrupt in between leaves the work to the interpreter's exit
        for reader in self._readers:  # they have come to the end, unless something escaped from the group
            reader.join(0.2)


class _Launcher:
    """Starts engines, all of them in one thread that lives as long as we do.

    To Linux the parent of a process is the thread that has forked it: an engine that was started by a thread of
    somebody's pool would be killed when that thread ends.
    """

    def __init__(self) -> None:
        self._orders: SimpleQueue[tuple[list[str], Future[subprocess.Popen[bytes]]]] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self, words: list[str]) -> subprocess.Popen[bytes]:
        """Runs a command, or raises what Popen does. If the wait is interrupted, the process is ended."""
        with self._lock:
            if self._thread is None:
                thread = threading.Thread(target=self._serve, daemon=True, name="engine launcher")
                thread.start()
                self._thread = thread
        started: Future[subprocess.Popen[bytes]] = Future()
        self._orders.put((words, started))
        try:
            return started.result()
        except BaseException:
            started.add_done_callback(_end_unwanted)
            raise
        finally:
            del started  # an error refers to this frame

    def _serve(self) -> None:
        before_exec = _death_with_us()
        while True:
            words, started = self._orders.get()
            try:
                process = subprocess.Popen(
                    words,
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                    preexec_fn=before_exec,
                )
            except BaseException as error:  # it is raised where the engine is awaited
                started.set_exception(error)
            else:
                started.set_result(process)
                del process
            del words, started  # while this waits, an engine that is forgotten is forgotten here, too


def _death_with_us() -> Callable[[], None] | None:
    """What a child does between fork and exec so that the system kills it when we end; None if the system cannot.

    Other threads may hold any lock at the fork, so all that the child needs is found before it: two system calls.
    """
    if sys.platform != "linux":
        return None
    import ctypes

    try:
        prctl: Any = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):  # a Python without a C library of the system
        return None
    prctl.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)
    get_parent, leave, parent, kill = os.getppid, os._exit, os.getpid(), int(signal.SIGKILL)

    def before_exec() -> None:
        prctl(_PR_SET_PDEATHSIG, kill, 0, 0, 0)
        if get_parent() != parent:  # we ended before that: nobody will tell it
            leave(1)

    return before_exec


def _end_unwanted(started: "Future[subprocess.Popen[bytes]]") -> None:
    """Nobody waits for this process any more."""
    if started.exception() is None:
        process = started.result()
        _end(process)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


_launcher = _Launcher()


def _renew_launcher() -> None:
    """After a fork of ours: the child has none of our threads."""
    global _launcher
    _launcher = _Launcher()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew_launcher)


class _Wait:
    """One deadline for all the parts of an exchange.

    Time in which we were stopped ourselves does not count: whoever stops a job and lets it go on, or a whole machine,
    has stopped the engine, too, or not let it be heard.
    """

    def __init__(self, seconds: float, tick: Callable[[], object] | None) -> None:
        self.told = f"{seconds:g} s (gtp[timeout={2 * seconds:g}]:COMMAND allows more)"
        self._looked = time.monotonic()
        self._deadline = self._looked + seconds
        self._tick = tick
        self._next_tick = self._looked + _TICK

    def next(self) -> float | None:
        """How long to sleep before the next look, or None when the time is over."""
        now = time.monotonic()
        if now - self._looked >= _STALL:  # looks are a tick apart, unless we were stopped
            self._deadline += now - self._looked
        if self._tick is not None and now >= self._next_tick:
            self._tick()
            now = time.monotonic()
            self._next_tick = now + _TICK
        self._looked = now
        return min(self._deadline - now, _TICK) if now < self._deadline else None


class _Output:
    """What the engine wrote and nobody took yet; filled by a thread."""

    def __init__(self) -> None:
        self.ended = False
        self.flooded = False
        self.last_arrival = time.monotonic()
        self._arrival = threading.Condition()
        self._text = bytearray()
        self._searched = 0  # no empty line ends before this
        self._seen = 0  # how much there was at the last look

    def fill(self, stream: IO[bytes]) -> None:
        """Reads to the end, or until there is too much; then the pipe is closed, which stops an endless writer."""
        with stream:
            while not self.flooded and (chunk := stream.read(2**16)):
                with self._arrival:
                    self.last_arrival = time.monotonic()
                    self._text += chunk.replace(b"\r", b"")
                    self.flooded = len(self._text) > MAX_ANSWER
                    self._arrival.notify_all()
        with self._arrival:
            self.ended = True
            self._arrival.notify_all()

    def take(self) -> bytes | None:
        """The next answer, if all of it is here; a line that does not begin like an answer is taken by itself."""
        with self._arrival:
            blank = len(self._text) - len(self._text.lstrip(b"\n"))
            if blank:
                del self._text[:blank]
                self._searched = 0
            junk = bytes(self._text[:1]) not in (b"", b"=", b"?")
            end = self._text.find(b"\n" if junk else b"\n\n", self._searched)
            if end < 0:
                self._seen = len(self._text)
                self._searched = max(0, self._seen - 1)
                return None
            answer = bytes(self._text[:end])
            del self._text[:end]
            self._searched = 0
            return answer

    def peek(self) -> str:
        """The beginning of what is here."""
        with self._arrival:
            return bytes(self._text[:200]).decode(errors="replace")

    def wait(self, seconds: float) -> None:
        """Sleeps until there is more than at the last look, or for so long."""
        with self._arrival:
            if not self.ended and not self.flooded and len(self._text) == self._seen:
                self._arrival.wait(seconds)


class _LastLines:
    """The end of the engine's stderr; filled by a thread."""

    def __init__(self, on_line: Callable[[str], object] | None) -> None:
        self._on_line = on_line
        self._lines: deque[str] = deque(maxlen=STDERR_LINES)
        self._lock = threading.Lock()

    def fill(self, stream: IO[bytes]) -> None:
        """Reads to the end."""
        rest = b""
        with stream:
            while chunk := stream.read(2**16):
                *lines, rest = (rest + chunk).split(b"\n")
                while len(rest) > _MAX_LINE:
                    lines.append(rest[:_MAX_LINE])
                    rest = rest[_MAX_LINE:]
                for line in lines:
                    self._add(line)
        if rest:
            self._add(rest)

    def lines(self) -> list[str]:
        """What is kept."""
        with self._lock:
            return list(self._lines)

    def _add(self, line: bytes) -> None:
        text = line.decode(errors="replace").rstrip()
        with self._lock:
            self._lines.append(text)
        if self._on_line is not None:
            try:
                self._on_line(text)
            except Exception as error:  # must not end this thread: the engine would wait for a reader
                self._on_line = None
                with self._lock:
                    self._lines.append(f"(on_stderr is not called again, it raised {error!r})")


def _end(process: subprocess.Popen[bytes], *, ask: float = 0.0, terminate: float = 0.0) -> None:
    """Ends a process and all of its group: end of input, `ask` seconds, SIGTERM, `terminate` seconds, SIGKILL."""
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    for number, patience in ((None, ask), (signal.SIGTERM, terminate), (signal.SIGKILL, 5.0)):
        if patience <= 0:
            continue
        if number is not None and process.returncode is None:
            _signal_group(process.pid, number)
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            continue
        break
    _signal_group(process.pid, signal.SIGKILL)  # what it has started and left behind


def _signal_group(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # gone, or, on some systems, not yet buried
        os.killpg(group, number)
