"""Where work is done does not matter: this process, worker processes, a real Ray. Workers that die are replaced."""

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from katachi.arena.executor import Executor, InProcess, Json, LocalWorkers, make_executor
from katachi.arena.match import MatchSettings, run_match
from katachi.arena.ray_executor import RayExecutor
from katachi.core.errors import EngineError, InvalidArgumentError, KatachiError, ParseError, SettingsError, WorkerError
from katachi.players.gtp_process import EngineRefusedError
from tests.programs import require
from tests.system.match_processes import MARK, is_alive, leftovers, marked

HERE = "tests.system.test_executors"
GAMES = MatchSettings(first="flat-mc:sims=30", second="random", games=12, seed=3, options={"size": 5}, opening_plies=2)


# -- work, as the workers see it


def work_double(argument: Json) -> Json:
    print("this must not disturb the answers")
    time.sleep(argument.get("seconds", 0.0))
    return {"value": 2 * argument["value"], "pid": os.getpid()}


def work_death(argument: Json) -> Json:
    """Kills its worker, as often as told."""
    path = Path(argument["folder"]) / "deaths"
    deaths = len(path.read_text()) if path.exists() else 0
    if deaths < argument["deaths"]:
        path.write_text("x" * (deaths + 1))
        os.kill(os.getpid(), signal.SIGKILL)
    return {"deaths": deaths}


def work_error(argument: Json) -> Json:
    kinds: dict[str, type[Exception]] = {
        kind.__name__: kind for kind in (InvalidArgumentError, EngineError, SettingsError, EngineRefusedError)
    }
    raise kinds[argument["kind"]](f"wrong: {argument['kind']}")


def work_mistake(argument: Json) -> Json:
    return {"value": 1 / argument["zero"]}


def work_unsayable(argument: Json) -> Json:
    return {"value": object()}


# -- the same results


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """What is started here is recognized, and is gone in the end."""
    env = marked()
    monkeypatch.setenv(MARK, env[MARK])
    yield env
    assert leftovers(env) == {}


def values(executor: Executor, count: int = 9) -> dict[int, int]:
    arguments = ({"value": value, "seconds": 0.01 * (value % 3)} for value in range(count))
    return {number: result["value"] for number, result in executor.run(f"{HERE}:work_double", arguments)}


@pytest.mark.parametrize("executor", [InProcess(), LocalWorkers(1), LocalWorkers(3)])
def test_every_argument_has_its_result(executor: Executor, env: dict[str, str]) -> None:
    assert values(executor) == {number: 2 * number for number in range(9)}
    assert values(executor, 0) == {}


def test_games_are_the_same_here_and_there(env: dict[str, str]) -> None:
    here, there = (
        [outcome.untimed() for outcome in run_match(GAMES, executor=executor).outcomes]
        for executor in (InProcess(), LocalWorkers(2))
    )
    assert here == there
    assert len(here) == 12


def test_executors_by_name() -> None:
    assert isinstance(make_executor("local"), InProcess)
    local = make_executor("local:3")
    assert isinstance(local, LocalWorkers)
    assert local.workers == 3
    for text in ("", "locl", "local:", "local:0", "local:x", "local:-1", "local:99999", "local:1:2", "ray:"):
        with pytest.raises(ParseError, match="is no executor"):
            make_executor(text)
    with pytest.raises(InvalidArgumentError, match="at least one worker"):
        LocalWorkers(0)


# -- deaths


def test_a_worker_that_is_killed_is_replaced_and_every_game_comes(env: dict[str, str]) -> None:
    long = GAMES.replace(first="flat-mc:sims=200", games=20)
    killed: list[int] = []

    def kill() -> None:
        deadline = time.monotonic() + 10
        while len(killed) < 3 and time.monotonic() < deadline:
            time.sleep(0.3)
            workers = sorted(leftovers(env, 0, "katachi.arena.worker"))
            if workers:
                os.kill(workers[0], signal.SIGKILL)
                killed.append(workers[0])

    killer = threading.Thread(target=kill)
    killer.start()
    there = run_match(long, executor=LocalWorkers(2))
    killer.join()
    assert len(set(killed)) >= 2
    assert [o.untimed() for o in there.outcomes] == [o.untimed() for o in run_match(long).outcomes]


def test_work_that_kills_its_worker_twice_is_done_in_the_end(tmp_path: Path, env: dict[str, str]) -> None:
    argument = {"folder": str(tmp_path), "deaths": 2}
    assert list(LocalWorkers(1).run(f"{HERE}:work_death", [argument])) == [(0, {"deaths": 2})]


def test_work_that_always_kills_its_worker_is_an_error_that_shows_it(tmp_path: Path, env: dict[str, str]) -> None:
    argument = {"folder": str(tmp_path), "deaths": 99}
    with pytest.raises(WorkerError, match=rf"3 workers died over the same work: .*{tmp_path}"):
        list(LocalWorkers(2).run(f"{HERE}:work_death", [argument]))
    assert (tmp_path / "deaths").read_text() == "xxx"


def test_a_worker_ends_with_whoever_started_it(env: dict[str, str]) -> None:
    program = (
        f"from katachi.arena.executor import LocalWorkers\n"
        f"work = [{{'value': i, 'seconds': 60 * (i > 1)}} for i in range(9)]\n"
        f"for _ in LocalWorkers(2).run('{HERE}:work_double', work):\n"
        f"    print('one', flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    process.stdout.readline()
    assert len(leftovers(env, 0, "katachi.arena.worker")) == 2
    process.kill()
    process.communicate()
    assert leftovers(env, 2.0) == {}


def test_a_worker_that_is_terminated_ends(env: dict[str, str]) -> None:
    """By whoever cleans up the machine: the work is done again."""
    arguments = [{"value": 1, "seconds": 1.0}]
    terminated = []

    def terminate() -> None:
        time.sleep(0.6)
        for pid in leftovers(env, 0, "katachi.arena.worker"):
            os.kill(pid, signal.SIGTERM)
            terminated.append(pid)

    killer = threading.Thread(target=terminate)
    killer.start()
    ((_, result),) = LocalWorkers(1).run(f"{HERE}:work_double", arguments)
    killer.join()
    assert len(terminated) == 1
    assert result["pid"] not in terminated
    assert not is_alive(terminated[0])


# -- errors


@pytest.mark.parametrize("executor", [InProcess(), LocalWorkers(1)])
def test_errors_of_ours_come_back_as_they_are(executor: Executor, env: dict[str, str]) -> None:
    for kind in (InvalidArgumentError, EngineError, SettingsError):
        with pytest.raises(KatachiError, match=f"^wrong: {kind.__name__}$") as caught:
            list(executor.run(f"{HERE}:work_error", [{"kind": kind.__name__}]))
        assert type(caught.value) is kind
    with pytest.raises(EngineError, match="wrong: EngineRefusedError"):  # the nearest kind that everybody knows
        list(executor.run(f"{HERE}:work_error", [{"kind": "EngineRefusedError"}]))


def test_mistakes_in_the_work_are_shown_with_their_place(env: dict[str, str]) -> None:
    workers = LocalWorkers(1)
    with pytest.raises(WorkerError, match=r"(?s)in work_mistake.*ZeroDivisionError: division by zero"):
        list(workers.run(f"{HERE}:work_mistake", [{"zero": 0}]))
    with pytest.raises(WorkerError, match="not JSON serializable"):
        list(workers.run(f"{HERE}:work_unsayable", [{}]))
    with pytest.raises(WorkerError, match=r"No module named 'katachi\.nowhere'"):
        list(workers.run("katachi.nowhere:work", [{}]))


def test_an_error_among_the_arguments_is_raised(env: dict[str, str]) -> None:
    def arguments() -> Iterator[Json]:
        yield {"value": 1}
        raise KeyError("no more")

    with pytest.raises(KeyError, match="no more"):
        list(LocalWorkers(2).run(f"{HERE}:work_double", arguments()))


# -- giving up


def test_closing_ends_the_workers_at_once(env: dict[str, str]) -> None:
    arguments = [{"value": value, "seconds": 60 * (value > 0)} for value in range(9)]
    work = LocalWorkers(2).run(f"{HERE}:work_double", arguments)
    with closing(work):  # type: ignore[type-var]
        assert next(work)[0] == 0
        assert len(leftovers(env, 0, "katachi.arena.worker")) == 2
        started = time.monotonic()
    assert time.monotonic() - started < 1.5
    assert leftovers(env, 0) == {}


@pytest.mark.parametrize("executor", [InProcess(), LocalWorkers(2)])
def test_arguments_are_taken_when_there_is_room(executor: Executor, env: dict[str, str]) -> None:
    taken = []

    def arguments() -> Iterator[Json]:
        for value in range(1000):
            taken.append(value)
            yield {"value": value, "seconds": 0.05}

    work = executor.run(f"{HERE}:work_double", arguments())
    with closing(work):  # type: ignore[type-var]
        for _ in range(4):
            next(work)
        assert len(taken) <= 4 + 2 + 4  # done, under way, and some that were done meanwhile


# -- Ray


@pytest.fixture
def ray() -> RayExecutor:
    require(find_spec("ray"), "ray is not installed (extra katachi[ray])")
    return RayExecutor(processors=2)


def ray_processes(text: bytes = b"ray::") -> set[int]:
    """Processes whose titles begin like this: Ray's workers show what they do."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cmdline").read_bytes().startswith(text):
                found.add(int(folder.name))
        except OSError:
            continue
    return found


@pytest.mark.filterwarnings("ignore")  # Ray's own
def test_ray_plays_the_same_games_and_survives_the_death_of_a_worker(
    ray: RayExecutor, env: dict[str, str], tmp_path: Path
) -> None:
    import ray as package

    before = ray_processes()
    package.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    try:
        long = GAMES.replace(first="flat-mc:sims=300")
        killed: list[int] = []

        def kill() -> None:
            deadline = time.monotonic() + 60
            while not killed and time.monotonic() < deadline:
                time.sleep(0.05)
                busy = ray_processes(b"ray::answer_of") - before
                if busy:
                    time.sleep(0.1)
                    os.kill(min(busy), signal.SIGKILL)
                    killed.append(min(busy))

        killer = threading.Thread(target=kill)
        killer.start()
        there = run_match(long, executor=ray)
        killer.join()
        assert len(killed) == 1
        assert not is_alive(killed[0])
        assert [o.untimed() for o in there.outcomes] == [o.untimed() for o in run_match(long).outcomes]

        assert values(ray) == {number: 2 * number for number in range(9)}
        with pytest.raises(InvalidArgumentError, match=r"^wrong: InvalidArgumentError$"):
            list(ray.run(f"{HERE}:work_error", [{"kind": "InvalidArgumentError"}]))
        with pytest.raises(WorkerError, match="division by zero"):
            list(ray.run(f"{HERE}:work_mistake", [{"zero": 0}]))
        with pytest.raises(WorkerError, match=rf"failed over .*{tmp_path}"):
            list(ray.run(f"{HERE}:work_death", [{"folder": str(tmp_path), "deaths": 99}]))
        assert (tmp_path / "deaths").read_text() == "xxx"
        work = ray.run(f"{HERE}:work_double", ({"value": i, "seconds": 60 * (i > 0)} for i in range(99)))
        with closing(work):  # type: ignore[type-var]
            assert next(work)[0] == 0
        assert package.is_initialized(), "what somebody else has started goes on"
    finally:
        package.shutdown()


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InvalidArgumentError, match=r"pip install 'katachi\[ray\]'"):
        make_executor("ray")


def unused_port() -> int:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port: int = place.getsockname()[1]
        return port


@pytest.mark.parametrize(
    "form", ["ray:127.0.0.1:{}", "ray:localhost:{}", "ray:ray://127.0.0.1:{}", "ray://127.0.0.1:{}"]
)
def test_an_address_without_a_cluster_is_said_at_once(ray: RayExecutor, form: str) -> None:
    text = form.format(unused_port())
    address = text if text.startswith("ray://") else text.removeprefix("ray:")
    started = time.monotonic()
    with pytest.raises(WorkerError, match=rf"(?s)no Ray cluster at '{address}' .*refused.*\n.*`ray start --head`"):
        values(make_executor(text))
    assert time.monotonic() - started < 2


def test_auto_is_what_the_environment_says(ray: RayExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{unused_port()}")
    with pytest.raises(WorkerError, match="no Ray cluster at '127"):
        values(make_executor("ray:auto"))


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", None])
def test_a_port_where_something_else_listens(
    ray: RayExecutor, answer: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It closes, speaks another protocol, or says nothing."""
    monkeypatch.setattr("katachi.arena.ray_executor._TO_CONNECT", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as server, ExitStack() as stack:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection = stack.enter_context(server.accept()[0])
                    if answer is not None:
                        connection.recv(1000)
                        connection.sendall(answer)
                        connection.close()

        threading.Thread(target=serve, daemon=True).start()
        started = time.monotonic()
        with pytest.raises(WorkerError, match=r"something else listens there|timed out"):
            values(RayExecutor(f"127.0.0.1:{server.getsockname()[1]}"))
        assert time.monotonic() - started < 2
        server.shutdown(socket.SHUT_RDWR)


def test_what_is_no_address(ray: RayExecutor) -> None:
    for text in ("nonsense", "host:", ":6379", "host:0", "host:99999", "ray://host", "[::1]"):
        with pytest.raises(InvalidArgumentError, match="is no address of a Ray cluster"):
            make_executor(f"ray:{text}")
    for text in ("host:6379", "[::1]:6379", "auto", "ray://host:10001"):
        executor = make_executor(f"ray:{text}")
        assert isinstance(executor, RayExecutor)
        assert executor.address == text


def test_what_ray_itself_objects_to_is_an_error_of_ours(ray: RayExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    import ray as package

    def init(**_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise RuntimeError("the versions differ")

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(package, "init", init)
    with pytest.raises(WorkerError, match=r"a Ray cluster cannot be started: the versions differ\n.*local:N"):
        values(ray)
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.filterwarnings("ignore")  # Ray's own
def test_ray_by_its_address(ray: RayExecutor, env: dict[str, str]) -> None:
    """As another process sees a cluster; it goes on when the work is done."""
    import ray as package

    program = (
        "import sys\n"
        "from katachi.arena.executor import make_executor\n"
        f"results = make_executor(sys.argv[1]).run('{HERE}:work_double', [{{'value': i}} for i in range(4)])\n"
        "print(sorted(result['value'] for _, result in results))\n"
    )
    package.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    try:
        address = package.get_runtime_context().gcs_address
        for text in (f"ray:{address}", f"ray:localhost:{address.rpartition(':')[2]}"):
            ended = subprocess.run([sys.executable, "-c", program, text], capture_output=True, text=True, timeout=60)
            assert "[0, 2, 4, 6]" in ended.stdout.splitlines(), ended.stderr  # Ray may talk, too
        assert package.is_initialized()
    finally:
        package.shutdown()
