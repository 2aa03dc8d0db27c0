"""Work on a Ray cluster (extra `katachi[ray]`): the same results, on other machines."""

from collections.abc import Iterable, Iterator
from typing import Any

from katachi.arena.executor import Json, answer_of, result_of
from katachi.core.errors import InvalidArgumentError, WorkerError

__all__ = ["RayExecutor"]

_MOST_RETRIES = 3
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
            ray.init(
                address=self.address or "local",
                num_cpus=None if self.address else self.processors,
                include_dashboard=False,
                log_to_driver=False,
                logging_level="warning",
            )
        work = ray.remote(max_retries=_MOST_RETRIES)(answer_of)
        source = iter(enumerate(arguments))
        room = max(1, int(ray.cluster_resources().get("CPU", 1))) * _AHEAD
        under_way: dict[Any, int] = {}
        try:
            while True:
                while len(under_way) < room and (item := next(source, None)) is not None:
                    number, argument = item
                    under_way[work.remote(function, argument)] = number
                if not under_way:
                    return
                # A short wait, so that Ctrl-C is heard.
                done, _ = ray.wait(list(under_way), num_returns=1, timeout=1.0)
                for reference in done:
                    number = under_way.pop(reference)
                    yield number, _result(ray, reference)
        finally:
            for reference in under_way:
                ray.cancel(reference, force=True)
            if started:
                ray.shutdown()


def _result(ray: Any, reference: Any) -> Json:  # noqa: ANN401
    try:
        return result_of(ray.get(reference))
    except ray.exceptions.RayError as error:
        raise WorkerError(f"a worker of the cluster failed: {error}") from error
