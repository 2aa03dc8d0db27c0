"""Work on a Ray cluster (extra `katachi[ray]`): the same results, on other machines."""

import logging
import os
import signal
import socket
import threading
from collections.abc import Iterable, Iterator
from typing import Any

from katachi.arena.executor import MOST_DEATHS, Json, answer_of, result_of, shown
from katachi.core.errors import InvalidArgumentError, WorkerError

__all__ = ["RayExecutor"]

_AHEAD = 2  # pieces of work under way for each processor
_TO_CONNECT = 3.0  # seconds
_CLIENT = "ray://"
_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))  # RFC 9113, 3.4: and no settings
_SETTINGS = 4  # the type of the frame that answers it, in its fourth byte


class RayExecutor:
    """A cluster by its address, or one of this machine's processors, started for the run and ended with it.

    An address is `HOST:PORT`, `ray://HOST:PORT` (Ray's client, `pip install 'ray[client]'`) or `auto`: what RAY_ADDRESS
    says, or else the cluster that runs on this machine.
    """

    def __init__(self, address: str | None = None, processors: int | None = None) -> None:
        try:
            import ray
        except ImportError:
            raise InvalidArgumentError("the executor ray needs the extra: pip install 'katachi[ray]'") from None
        if address is not None and address != "auto":
            _parse_address(address)
        self._ray: Any = ray
        self.address, self.processors = address, processors

    def run(self, function: str, arguments: Iterable[Json]) -> Iterator[tuple[int, Json]]:
        """As they come. A worker that dies has its work done again elsewhere."""
        ray = self._ray
        started = not ray.is_initialized()
        if started:
            self._start()
        work = ray.remote(max_retries=MOST_DEATHS - 1)(answer_of)
        source = iter(enumerate(arguments))
        room = max(1, int(ray.cluster_resources().get("CPU", 1))) * _AHEAD
        under_way: dict[Any, tuple[int, Json]] = {}
        try:
            while True:
                while len(under_way) < room and (item := next(source, None)) is not None:
                    under_way[work.remote(function, item[1])] = item
                if not under_way:
                    return
                # A short wait, so that Ctrl-C is heard.
                done, _ = ray.wait(list(under_way), num_returns=1, timeout=1.0)
                for reference in done:
                    number, argument = under_way.pop(reference)
                    yield number, _result(ray, reference, argument)
        finally:
            for reference in under_way:
                ray.cancel(reference, force=True)
            if started:
                ray.shutdown()

    def _start(self) -> None:
        """Ray takes over what SIGTERM does; we give it back, so that a run ends as it does elsewhere."""
        address = self.address
        settings: dict[str, Any] = {}
        if address is None:
            settings = {"num_cpus": self.processors, "include_dashboard": False}
        else:
            self._check_reachable(os.environ.get("RAY_ADDRESS", address) if address == "auto" else address)
        handler = signal.getsignal(signal.SIGTERM)
        try:
            self._ray.init(address=address or "local", log_to_driver=False, logging_level=logging.ERROR, **settings)
        except Exception as error:  # many kinds, ValueError and RuntimeError among them
            where = "cannot be started" if address is None else f"at {address!r} cannot be used"
            raise WorkerError(f"a Ray cluster {where}: {error}\n{_ADVICE}") from error
        finally:
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGTERM, handler)

    def _check_reachable(self, address: str) -> None:
        """Ray itself would try for minutes, and hear no signal while it does."""
        if address in ("auto", "local"):
            return
        host, port = _parse_address(address)
        hosts = [host]
        if host in ("localhost", "127.0.0.1", "::1"):  # Ray takes this machine's own address instead
            hosts.insert(0, self._ray.util.get_node_ip_address())
        reasons = []
        for each in hosts:
            try:
                _check_speaks(each, port)
            except OSError as error:
                reasons.append(f"{each}: {error.strerror or error}")
            else:
                return
        raise WorkerError(f"there is no Ray cluster at {address!r} ({'; '.join(reasons)})\n{_ADVICE}")


_ADVICE = (
    "Start one with `ray start --head`, which prints its address, or leave the address out: ray uses this machine's "
    "processors, local:N does without Ray."
)


def _parse_address(text: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT` or `ray://HOST:PORT`; an IPv6 address stands in brackets."""
    host, _, port = text.removeprefix(_CLIENT).rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise InvalidArgumentError(
            f"{text!r} is no address of a Ray cluster: expected HOST:PORT, ray://HOST:PORT, auto"
        )
    return host, int(port)


def _check_speaks(host: str, port: int) -> None:
    """An OSError unless HTTP/2 is spoken there, as all servers of Ray do. What speaks TLS is believed."""
    with socket.create_connection((host, port), timeout=_TO_CONNECT) as connection:
        if os.environ.get("RAY_USE_TLS", "0").lower() in ("1", "true"):
            return
        connection.sendall(_HELLO)
        answer = b""
        while len(answer) < 4:
            part = connection.recv(64)
            if not part:
                break
            answer += part
    if len(answer) < 4 or answer[3] != _SETTINGS:
        raise ConnectionError("something else listens there")


def _result(ray: Any, reference: Any, argument: Json) -> Json:  # noqa: ANN401
    try:
        return result_of(ray.get(reference))
    except ray.exceptions.RayError as error:
        raise WorkerError(f"a worker of the cluster failed over {shown(argument)}: {error}") from error
