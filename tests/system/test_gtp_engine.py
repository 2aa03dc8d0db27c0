"""The real engine as a process: interrupts, cancelled searches, a controller that goes away, the log, bad options."""

import signal
import subprocess
import sys
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
        assert hear(engine) != b"= cancelled\n\n"
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
