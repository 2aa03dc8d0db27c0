"""Where work is done: in this process, in worker processes of this machine, or on a Ray cluster.

Work is a function of JSON, named by its path (`katachi.arena.referee:play_task_json`), and its arguments: what comes
back is the same wherever it ran. An executor takes arguments as it has room for them and gives results as they come,
in any order, each with the number of its argument.

A worker that dies is replaced, and its piece of work is done again; one that dies three times over the same piece is
an error. Workers end with us, however we end: they watch the pipe from here, and end the engines that they have
started. Engines of a worker that is killed end with it as far as the system sees to that: on Linux it does, elsewhere
they have to heed the end of their input (`katachi.players.gtp_process` says which are meant).
"""

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any, Protocol

from katachi.core.errors import InvalidArgumentError, KatachiError, ParseError, WorkerError

__all__ = ["Executor", "InProcess", "LocalWorkers", "call", "make_executor"]

Json = dict[str, Any]
MOST_DEATHS = 3
_TO_END = 1.5  # seconds for a worker to end what it has started, before it is killed
# Modules are found where we find them. Not by PYTHONPATH: engines would inherit it, and they may have a Python of
# their own.
_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from katachi.arena.worker import main; main()"


class Executor(Protocol):
    """Does work."""

    def run(self, function: str, arguments: Iterable[Json]) -> Iterator[tuple[int, Json]]:
        """(number, result) of each argument, as they come. Closing the iterator gives up what is not done."""


def call(function: str, argument: Json) -> Json:
    """Calls a function by its path, `module:name`."""
    module, _, name = function.partition(":")
    found: Callable[[Json], Json] = getattr(import_module(module), name)
    return found(argument)


def make_executor(text: str) -> Executor:
    """`local` (this process), `local:N` (N worker processes), `ray` or `ray:ADDRESS`.

    An address is `HOST:PORT`, `auto` (the cluster that runs here) or `ray://HOST:PORT` (Ray's client), which may stand
    alone.
    """
    kind, _, rest = text.partition(":")
    if text == "local":
        return InProcess()
    if kind == "local" and rest.isdecimal() and len(rest) <= 4 and 1 <= int(rest) <= 1024:
        return LocalWorkers(int(rest))
    if text == "ray" or (kind == "ray" and rest):
        from katachi.arena.ray_executor import RayExecutor

        return RayExecutor(text if rest.startswith("//") else rest or None)
    raise ParseError(f"{text!r} is no executor: expected local, local:N, ray or ray:ADDRESS")


class InProcess:
    """One piece after the other, here."""

    def run(self, function: str, arguments: Iterable[Json]) -> Iterator[tuple[int, Json]]:
        """In order."""
        for number, argument in enumerate(arguments):
            yield number, call(function, argument)


class LocalWorkers:
    """Several processes of this machine (katachi.arena.worker), each fed by a thread."""

    def __init__(self, workers: int) -> None:
        if workers < 1:
            raise InvalidArgumentError(f"there must be at least one worker, not {workers}")
        self.workers = workers

    def run(self, function: str, arguments: Iterable[Json]) -> Iterator[tuple[int, Json]]:
        """As they come."""
        source = _Source(arguments)
        results: queue.Queue[tuple[int, Json] | BaseException | None] = queue.Queue()
        feeders = [_Feeder(function, source, results) for _ in range(self.workers)]
        for feeder in feeders:
            feeder.start()
        running = len(feeders)
        try:
            while running:
                result = results.get()
                if result is None:
                    running -= 1
                elif isinstance(result, BaseException):
                    raise result
                else:
                    yield result
        finally:
            for feeder in feeders:
                feeder.hush()
            for feeder in feeders:
                feeder.stop()
            for feeder in feeders:
                feeder.join()


class _Source:
    """Arguments for several threads."""

    def __init__(self, arguments: Iterable[Json]) -> None:
        self._arguments = enumerate(arguments)
        self._lock = threading.Lock()

    def next(self) -> tuple[int, Json] | None:
        with self._lock:
            return next(self._arguments, None)


class _Feeder(threading.Thread):
    """Gives work to one worker process, and another one when that dies."""

    def __init__(
        self, function: str, source: _Source, results: "queue.Queue[tuple[int, Json] | BaseException | None]"
    ) -> None:
        super().__init__(daemon=True, name="feeder")
        self._function, self._source, self._results = function, source, results
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._is_stopped = False

    def run(self) -> None:
        try:
            while not self._is_stopped and (item := self._source.next()) is not None:
                number, argument = item
                result = self._work(argument)
                if result is not None:
                    self._results.put((number, result))
        except BaseException as error:  # it is raised where the results are awaited
            self._results.put(error)
        finally:
            self.stop()
            self._results.put(None)

    def hush(self) -> None:
        """Asks the worker to end, and does not wait."""
        with self._lock:
            self._is_stopped = True
            if self._process is not None and self._process.stdin is not None:
                with suppress(OSError):
                    self._process.stdin.close()

    def stop(self) -> None:
        """Ends the worker, whatever it does."""
        self.hush()
        with self._lock:
            self._end(patience=_TO_END)

    def _work(self, argument: Json) -> Json | None:
        line = json.dumps({"function": self._function, "argument": argument}).encode() + b"\n"
        for _ in range(MOST_DEATHS):
            process = self._worker()
            if process is None:
                return None
            answer = b""
            assert process.stdin is not None
            assert process.stdout is not None
            with suppress(OSError, ValueError):  # dead, or ended by `stop`
                process.stdin.write(line)
                process.stdin.flush()
                answer = process.stdout.readline()
            if answer.endswith(b"\n"):
                return result_of(json.loads(answer))
            with self._lock:
                self._end()
        if self._is_stopped:
            return None
        raise WorkerError(f"{MOST_DEATHS} workers died over the same work: {shown(argument)}")

    def _worker(self) -> "subprocess.Popen[bytes] | None":
        with self._lock:
            if self._is_stopped:
                return None
            if self._process is None:
                try:
                    self._process = subprocess.Popen(
                        [sys.executable, "-c", _PROGRAM, *sys.path],
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        start_new_session=True,  # Ctrl-C is for us; we end the workers
                    )
                except OSError as error:
                    raise WorkerError(f"no worker process can be started: {error}") from error
            return self._process

    def _end(self, patience: float = 0.0) -> None:
        process, self._process = self._process, None
        if process is not None:
            if patience:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(patience)
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()


def shown(argument: Json) -> str:
    """A piece of work, for an error message."""
    return json.dumps(argument)[:500]


def answer_of(function: str, argument: Json) -> Json:
    """In a worker: the result, or an error of ours as a value: its text, and its nearest kind in the error tree."""
    try:
        return {"result": call(function, argument)}
    except KatachiError as error:
        kinds = (kind.__name__ for kind in type(error).__mro__ if kind.__module__ == KatachiError.__module__)
        return {"error": str(error), "kind": next(kinds)}


def result_of(answer: Json) -> Json:
    """What a worker answered; its errors are raised here."""
    if "error" in answer:
        from katachi.core import errors

        kind = getattr(errors, answer["kind"], KatachiError)
        raise kind(answer["error"])
    result: Json = answer["result"]
    return result
