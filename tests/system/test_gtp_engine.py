"""The real engine as a process: interrupts, cancelled searches, a controller that goes away, the log, bad options."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

KATACHI = str(Path(sys.executable).with_name("katachi"))
ENDLESS = "flat-mc:sims=1000000"


def start(*arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [KATACHI, "gtp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def say(engine: "subprocess.Popen[bytes]", text: bytes) -> None:
    assert engine.stdin is not None
    engine.stdin.write(text)
    engine.stdin.flush()


def hear(engine: "subprocess.Popen[bytes]") -> bytes:
    assert engine.stdout is not None
    return engine.stdout.readline() + engine.stdout.readline()


def test_interrupt_while_it_thinks() -> None:
    with start(ENDLESS) as engine:
        say(engine, b"name\n")
        assert hear(engine) == b"= Katachi\n\n"
        say(engine, b"genmove b\n")
        engine.send_signal(signal.SIGINT)
        out, err = engine.communicate(timeout=10)
    assert (out, err, engine.returncode) == (b"", b"", 130)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_signals_end_the_engine_behind_ours(number: int, status: int) -> None:
    from tests.programs import require_program

    require_program("gnugo", "gnugo")
    with start("gtp:gnugo --mode gtp --level 1", "--size", "5") as engine:
        say(engine, b"genmove b\n")
        assert hear(engine).startswith(b"= ")
        threads = Path(f"/proc/{engine.pid}/task").iterdir()
        children = [child for thread in threads for child in (thread / "children").read_text().split()]
        assert children
        engine.send_signal(number)
        assert engine.communicate(timeout=10) == (b"", b"")
    assert engine.returncode == status
    assert not any(Path(f"/proc/{child}").exists() for child in children)


@pytest.mark.parametrize("line", [b"stop\n", b"\n", b"name\n"])
def test_a_search_is_cancelled_by_any_line(line: bytes) -> None:
    with start(ENDLESS, "--size", "5") as engine:
        say(engine, b"7 kata-search_cancellable b\n")
        say(engine, line)
        assert hear(engine) == b"=7 cancelled\n\n"
        say(engine, b"quit\n")
        assert engine.wait(timeout=10) == 0


def test_a_search_that_nobody_cancels() -> None:
    with start("flat-mc:sims=2", "--size", "3") as engine:
        say(engine, b"kata-search_cancellable w\n")
        assert hear(engine)[:4] in (b"= A1", b"= A2", b"= A3", b"= B1", b"= B2", b"= B3", b"= C1", b"= C2", b"= C3")
        say(engine, b"gogui-rules_board\n")
        assert hear(engine).startswith(b"= . . ."), "it is not played"


def test_a_controller_that_goes_away() -> None:
    with start("random") as engine:
        assert engine.stdout is not None
        assert engine.stderr is not None
        engine.stdout.close()
        say(engine, b"name\nname\n")
        assert engine.stderr.read() == b""
        assert engine.wait(timeout=10) == 0


def test_failures_are_explained_in_the_log(tmp_path: Path) -> None:
    log = tmp_path / "katachi.log"
    with start("random", "--size", "3", "--log", str(log), "-v") as engine:
        out, err = engine.communicate(b"play b a1\nplay w a1\nloadsgf nothing.sgf\n", timeout=10)
    assert out == b"=\n\n? illegal move\n\n? cannot load file\n\n"
    assert err == b""
    text = log.read_text()
    assert "play w a1: illegal move A1 for WHITE: point is occupied" in text
    assert "nothing.sgf" in text


def test_another_engine_behind_ours() -> None:
    from tests.programs import require_program

    require_program("gnugo", "gnugo")
    with start("gtp:gnugo --mode gtp --level 1 --seed {seed}", "--size", "5") as engine:
        out, err = engine.communicate(b"genmove b\ngenmove w\nundo\ngenmove w\nkata-set-param timeout 5\n", timeout=30)
    assert err == b""
    assert out.count(b"= ") == 3
    assert b"?" not in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nobody",), "there is no player called 'nobody'"),
        (("flat-mc",), "needs a value for 'sims'"),
        (("gtp:",), "needs the engine's command"),
        (("random", "--rules", "japanese"), "territory scoring"),
        (("random", "--size", "20"), "1x1 to 19x19, not 20x20"),
        (("random", "--komi", "nan"), "finite number"),
        (("random", "--game", "pig"), "pig has no board to show"),
        (("random", "--game", "chess"), "there is no game called 'chess'"),
        (("random", "--log", "/nonexistent/log"), "/nonexistent/log"),
    ],
)
def test_bad_options(arguments: tuple[str, ...], message: str) -> None:
    with start(*arguments) as engine:
        out, err = engine.communicate(b"name\n", timeout=10)
    assert engine.returncode == 2
    assert message in err.decode()
    assert b"Traceback" not in err
    assert out == b""


@pytest.mark.parametrize(
    ("redirection", "out", "err", "status"),
    [
        ("<&-", b"", b"", 0),
        ("2>&-", b"= Katachi\n\n", b"", 0),
        (">&-", b"", b"katachi: stdout is closed: there is nowhere to answer\n", 2),
    ],
)
def test_closed_streams(redirection: str, out: bytes, err: bytes, status: int) -> None:
    command = f"echo name | {KATACHI} gtp random {redirection}" if redirection != "<&-" else f"{KATACHI} gtp random <&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=20)
    assert (done.stdout, done.stderr, done.returncode) == (out, err, status)


def test_a_name_that_is_no_text() -> None:
    """A path of an engine need not be UTF-8."""
    with subprocess.Popen(
        [KATACHI.encode(), b"gtp", b"gtp:./engine\xff"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as engine:
        out, _ = engine.communicate(b"version\nname\n", timeout=20)
    first, second, _ = out.split(b"\n\n")
    assert first.endswith(b"gtp:./engine\\udcff")
    assert second == b"= Katachi"


def test_a_flood_of_lines_while_it_thinks() -> None:
    """A process of its own: it reads a few megabytes ahead, and then the controller waits."""
    with start(ENDLESS, "--size", "9") as engine:
        assert engine.stdin is not None
        say(engine, b"name\n")
        hear(engine)  # it has started
        say(engine, b"kata-search b\n")
        os.set_blocking(engine.stdin.fileno(), False)
        taken, lines = 0, (b"x" * 1023 + b"\n") * 64
        last = time.monotonic()
        while time.monotonic() < last + 3 and taken < 50_000_000:  # until it takes no more
            try:
                taken += os.write(engine.stdin.fileno(), lines)
                last = time.monotonic()
            except BlockingIOError:
                time.sleep(0.001)
        engine.kill()
    assert 2_000_000 < taken < 8_000_000


def test_the_benchmark_plays() -> None:
    with start("random", "--size", "9") as engine:
        say(engine, b"kata-benchmark 2000\n")
        words = hear(engine).decode().split()
        assert words[1:4] == ["2000", "playouts", "in"]
        assert 10_000 < float(words[-3]) < 10_000_000, "a second"
        say(engine, b"kata-benchmark 1000000\n\n")
        assert int(hear(engine).split()[1]) < 1_000_000, "the next line has cut it short"
