"""Work on a Ray cluster (extra `katachi[ray]`): the same results, on other machines."""

import logging
import signal
import threading
from collections.abc import Iterable, Iterator
from typing import Any

from katachi.arena.executor import MOST_DEATHS, Json, answer_of, result_of, shown
from katachi.core.errors import InvalidArgumentError, WorkerError

__all__ = ["RayExecutor"]

_AHEAD = 2  # pieces of work under way for each processor


class RayExecutor:
    """A cluster by its address, or one of this machine's processors, started for the run and ended with it."""

    def __init__(self, address: str | None = None, processors: int | None = None) -> None:
        try:
            import ray
        except ImportError:
            raise InvalidArgumentError("the executor ray needs the extra: pip install 'katachi[ray]'") from None
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
        handler = signal.getsignal(signal.SIGTERM)
        self._ray.init(
            address=self.address or "local",
            num_cpus=None if self.address else self.processors,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)


def _result(ray: Any, reference: Any, argument: Json) -> Json:  # noqa: ANN401
    try:
        return result_of(ray.get(reference))
    except ray.exceptions.RayError as error:
        raise WorkerError(f"a worker of the cluster failed over {shown(argument)}: {error}") from error
