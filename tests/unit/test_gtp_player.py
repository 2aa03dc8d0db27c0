"""External engines: real processes that misbehave in every way we could think of, and what the player tells them."""

import gc
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import Any

import pytest

from katachi import (
    EngineError,
    InvalidArgumentError,
    KatachiError,
    ParseError,
    Player,
    Rng,
    SettingsError,
    make_game,
    make_player,
    play_match,
)
from katachi.core.clock import Clock
from katachi.core.errors import EngineTimeoutError
from katachi.core.time_control import TimeSettings, parse_time_settings
from katachi.games.go import Position, Rules
from katachi.games.go.game import GoGame
from katachi.gtp.protocol import GtpError
from katachi.players import gtp_process
from katachi.players.external import find_program, need_program
from katachi.players.gtp_player import GtpPlayer
from katachi.players.gtp_process import MAX_ANSWER, EngineRefusedError, GtpProcess, split_command
from katachi.players.player import check_player, lasting_name
from katachi.players.registry import change_settings, player_names

SHORT = 0.5  # seconds: the time-out of engines that never answer


def script(body: str) -> list[str]:
    """A Python program as a command."""
    return [sys.executable, "-S", "-c", "import os, signal, subprocess, sys, time\n" + dedent(body)]


def is_alive(pid: int) -> bool:
    """Does the process run? One that has ended and that nobody has buried yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in ("Z", "X")


def is_gone(pid: int, seconds: float = 1.0) -> bool:
    """Has it ended, or does it within a moment?"""
    deadline = time.monotonic() + seconds
    while is_alive(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


# -- the process: what works


def test_a_conversation() -> None:
    body = r"""
    answers = {"name": "Fake", "list": "a\nb\n\tc", "empty": "", "quit": ""}
    for line in sys.stdin:
        number, command, *words = line.split()
        if command == "empty":
            print(f"={number}\n")
        elif command in answers:
            print(f"={number} {answers[command]}\n")
        else:
            print(f"?{number} unknown command {' '.join(words)}\n")
        sys.stdout.flush()
        if command == "quit":
            break
    """
    with GtpProcess(script(body), timeout=5) as process:
        assert process.ask("name") == "Fake"
        assert process.ask("list") == "a\nb\n c"
        assert process.ask("empty") == ""
        with pytest.raises(EngineRefusedError, match=r"python\S* refused 'fly A1 B2': unknown command A1 B2"):
            process.ask("fly", "A1", "B2")
        assert process.ask("name") == "Fake", "a refusal does not end the conversation"
        with pytest.raises(GtpError, match="cannot be a word"):
            process.ask("two words")
        assert process.ask("name") == "Fake", "nor does a command that was never sent"
        assert process.ask("quit") == ""
        with pytest.raises(EngineError, match=r"ended \(status 0\) before it answered 'name'"):
            process.ask("name")


@pytest.mark.parametrize(
    "answer",
    [
        b"=1 yes\r\n\r\n",
        b"\n\n\r\n=1 yes\n\n",
        b"=1 yes\n\n\n\n",
        b"=1\tyes  \n\n",
        b"=1 ye\x01s\n\n",
    ],
)
@pytest.mark.parametrize("in_pieces", [False, True])
def test_sloppy_answers_are_read(answer: bytes, in_pieces: bool) -> None:
    body = f"""
    answer = {answer!r}
    sys.stdin.readline()
    for piece in [answer[i:i + 1] for i in range(len(answer))] if {in_pieces} else [answer]:
        os.write(1, piece)
        time.sleep(0.002)
    sys.stdin.readline()
    os.write(1, answer.replace(b"=1", b"=2"))
    time.sleep(60)
    """
    with GtpProcess(script(body), timeout=5) as process:
        assert process.ask("x") == "yes"
        assert process.ask("x") == "yes", "whatever is left of the first answer is not taken for the second one"
        process.close(patience=0.05)


def test_an_answer_may_be_long() -> None:
    body = f"""
    sys.stdin.readline()
    print("=1 " + {"x" * 99!r} + ("\\n" + {"x" * 99!r}) * 9000 + "\\n")
    """
    with GtpProcess(script(body), timeout=5) as process:
        assert len(process.ask("x")) == 9001 * 100 - 1


def test_the_engine_has_a_group_of_its_own() -> None:
    with GtpProcess(script("time.sleep(60)")) as process:
        assert os.getpgid(process.pid) == process.pid != os.getpgid(0), "Ctrl-C in the terminal does not reach it"
        process.close(patience=0.01)


# -- the process: what goes wrong


def test_an_engine_that_hangs_is_ended() -> None:
    body = """
    print("I think", file=sys.stderr, flush=True)
    sys.stdin.readline()
    os.write(1, b"=1 E")
    time.sleep(60)
    """
    with GtpProcess(script(body), timeout=60) as process:
        started = time.monotonic()
        with pytest.raises(EngineError) as caught:
            process.ask("genmove", "black", timeout=SHORT)
        assert SHORT <= time.monotonic() - started < SHORT + 1
        assert str(caught.value).endswith(
            "did not answer 'genmove black' within 0.5 s (gtp[timeout=1]:COMMAND allows more); it wrote '=1 E' and no "
            "empty line\nlast lines of its stderr:\n    I think"
        )
        assert not is_alive(process.pid)
        assert not process.is_running
        with pytest.raises(EngineError, match="cannot be asked 'name': it did not answer 'genmove black' within"):
            process.ask("name")


def test_time_in_which_we_were_stopped_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job that is stopped for longer than an engine may take, and goes on: the engine was stopped, too."""
    now = 100.0
    monkeypatch.setattr(gtp_process, "time", SimpleNamespace(monotonic=lambda: now))
    wait = gtp_process._Wait(2.0, None)
    for _ in range(30):
        now += 0.05
        assert wait.next() is not None
    now += 90.0
    assert wait.next() is not None
    now += 0.4
    assert wait.next() == pytest.approx(0.05)
    now += 0.2
    assert wait.next() is None  # 1.5 + 0.4 + 0.2 seconds of its own


def test_an_engine_that_dies_is_an_error_with_its_last_words() -> None:
    body = """
    for count, line in enumerate(sys.stdin, 1):
        if count == 3:
            for i in range(30):
                print(f"line {i}", file=sys.stderr)
            print("no such file: weights.bin", file=sys.stderr, end="", flush=True)
            sys.exit(7)
        print(f"={count}\\n", flush=True)
    """
    with GtpProcess(script(body), timeout=5) as process:
        process.ask("one")
        process.ask("two")
        with pytest.raises(EngineError, match=r"ended \(status 7\) before it answered 'three'") as caught:
            process.ask("three")
    assert "no such file: weights.bin" in str(caught.value)
    assert str(caught.value).count("\n    ") == 10, "the last lines, not all"
    assert len(process.stderr_lines) == 31


def test_an_engine_that_was_killed() -> None:
    with (
        GtpProcess(script("sys.stdin.readline(); os.kill(os.getpid(), 9)"), timeout=5) as process,
        pytest.raises(EngineError, match=r"killed by signal 9, Killed\) before it answered 'x'"),
    ):
        process.ask("x")


def test_an_engine_that_closes_its_output_is_ended() -> None:
    with GtpProcess(script("os.close(1); time.sleep(60)"), timeout=5) as process:
        with pytest.raises(EngineError, match="closed its input or output when it was asked 'x'"):
            process.ask("x")
        assert not is_alive(process.pid)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("Welcome to Fake 1.0\n=1 x\n\n", "this is not a GTP answer: 'Welcome to Fake 1.0'"),
        ("=x\n\n", "this is not a GTP answer: '=x'"),
        ("=2 late\n\n", "with id 2 instead of 1: 'late'"),
        ("= anonymous\n\n", "with id None instead of 1: 'anonymous'"),
        ("?99999999999 x\n\n", "this is not a GTP answer"),
    ],
)
def test_nonsense_is_shown_and_ends_the_engine(output: str, message: str) -> None:
    with GtpProcess(script(f"sys.stdin.readline(); os.write(1, {output.encode()!r}); time.sleep(60)")) as process:
        with pytest.raises(EngineError, match=message):
            process.ask("x")
        assert not is_alive(process.pid)


def test_a_second_answer_to_one_question_is_noticed() -> None:
    body = """
    for number, line in enumerate(sys.stdin, 1):
        os.write(1, b"=%d x\\n\\n=%d x\\n\\n" % (number, number))
    """
    with GtpProcess(script(body), timeout=5) as process:
        process.ask("one")
        with pytest.raises(EngineError, match="with id 1 instead of 2"):
            process.ask("two")


@pytest.mark.parametrize("text", [b"x" * 1000, b"=1 x\n" * 200, b"=1 " + b"x" * 1000])
def test_endless_output_is_cut(text: bytes) -> None:
    body = f"""
    sys.stdin.readline()
    while True:
        os.write(1, {text!r})
    """
    with GtpProcess(script(body), timeout=10) as process:
        with pytest.raises(EngineError, match=f"with more than {MAX_ANSWER} bytes and no empty line"):
            process.ask("x")
        assert not is_alive(process.pid)


def test_a_flood_on_stderr_blocks_nobody() -> None:
    body = """
    sys.stderr.write("x" * 1_000_000)
    for i in range(20_000):
        sys.stderr.write(f"\\nthis is line number {i} of the flood")
    sys.stderr.flush()
    for line in sys.stdin:
        print(f"={line.split()[0]} done\\n", flush=True)
    """
    heard: list[str] = []
    with GtpProcess(script(body), timeout=5, on_stderr=heard.append) as process:
        assert process.ask("x") == "done"
    assert process.stderr_lines == [f"this is line number {i} of the flood" for i in range(19_800, 20_000)]
    assert heard[-200:] == process.stderr_lines
    assert "".join(heard[:-20_000]) == "x" * 1_000_000


def test_a_listener_that_raises_is_not_asked_again() -> None:
    def listen(line: str) -> None:
        raise ValueError(line)

    with (
        GtpProcess(script("print('a\\nb', file=sys.stderr)"), timeout=5, on_stderr=listen) as process,
        pytest.raises(EngineError, match="status 0"),
    ):
        process.ask("x")
    assert process.stderr_lines == ["a", "(on_stderr is not called again, it raised ValueError('a'))", "b"]


def test_an_engine_that_never_reads_does_not_block_the_writer() -> None:
    with GtpProcess(script("time.sleep(60)"), timeout=SHORT) as process:
        started = time.monotonic()
        with pytest.raises(EngineError, match=r"did not read 'play x+…' within 0\.5 s"):
            process.ask("play", "x" * 1_000_000)
        assert time.monotonic() - started < SHORT + 1
        assert not is_alive(process.pid)


def test_an_engine_that_ignores_quit_and_sigterm_is_ended() -> None:
    body = """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("ready", file=sys.stderr, flush=True)
    while True:
        time.sleep(60)
    """
    process = GtpProcess(script(body))
    while not process.stderr_lines:
        time.sleep(0.01)
    started = time.monotonic()
    process.close(patience=0.1)
    assert 0.6 <= time.monotonic() - started < 2
    assert not is_alive(process.pid)
    process.close()
    with pytest.raises(EngineError, match="cannot be asked 'name': it was closed"):
        process.ask("name")


def test_what_an_engine_has_started_is_ended_with_it() -> None:
    body = """
    child = subprocess.Popen(["sleep", "60"])
    print(child.pid, file=sys.stderr, flush=True)
    sys.stdin.readline()
    if {leaves}:
        os._exit(3)
    time.sleep(60)
    """
    for leaves in (False, True):  # the second one's child keeps the pipes open
        with GtpProcess(script(body.format(leaves=leaves)), timeout=SHORT) as process:
            with pytest.raises(EngineError):
                process.ask("x")
            assert is_gone(int(process.stderr_lines[0]))
            assert not is_alive(process.pid)


@pytest.mark.parametrize("question", ["x", "x" * 1_000_000])
def test_a_dead_engine_is_noticed_though_others_hold_its_pipes(question: str) -> None:
    body = """
    child = subprocess.Popen(["sleep", "60"])
    print("out of memory", file=sys.stderr, flush=True)
    time.sleep(0.1)
    os._exit(3)
    """
    with GtpProcess(script(body), timeout=60) as process:
        started = time.monotonic()
        with pytest.raises(EngineError, match=r"ended \(status 3\) before it answered 'x[^$]*out of memory"):
            process.ask(question)
        assert time.monotonic() - started < 5


def test_what_an_engine_said_before_it_died_is_read() -> None:
    """Even if it is a child that says it, after the parent has died."""
    body = """
    sys.stdin.readline()
    if os.fork():
        os._exit(0)
    for piece in (b"=1 y", b"e", b"s", b"\\n\\n"):
        time.sleep(0.1)
        os.write(1, piece)
    time.sleep(60)
    """
    with GtpProcess(script(body), timeout=10) as process:
        assert process.ask("x") == "yes"


def test_processes_leave_no_files_open() -> None:
    def once() -> None:
        with GtpProcess(script("sys.stdin.readline()"), timeout=5) as process, pytest.raises(EngineError):
            process.ask("x")

    once()
    before = os.listdir("/proc/self/fd")
    once()
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_a_forgotten_engine_is_ended() -> None:
    process = GtpProcess(script("time.sleep(60)"))
    pid = process.pid
    assert is_alive(pid)
    del process
    gc.collect()
    assert is_gone(pid)


@pytest.mark.parametrize("interrupted", [False, True])
def test_no_engine_survives_us(interrupted: bool) -> None:
    body = f"""
    from katachi.players.gtp_process import GtpProcess
    process = GtpProcess({script("time.sleep(60)")!r})
    print(process.pid, flush=True)
    if {interrupted}:
        process.ask("genmove", "black")
    """
    with subprocess.Popen(
        [sys.executable, "-c", dedent(body)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as parent:
        assert parent.stdout is not None
        engine = int(parent.stdout.readline())
        if interrupted:
            time.sleep(0.2)
            assert is_alive(engine)
            os.killpg(parent.pid, signal.SIGINT)  # what Ctrl-C does
        _, errors = parent.communicate(timeout=10)
    assert ("KeyboardInterrupt" in errors) == interrupted
    assert is_gone(engine)


DEAF = """
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
print("deaf", file=sys.stderr, flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere an engine has to heed the end of its input")
@pytest.mark.parametrize("thread", ["main", "other"])
def test_a_deaf_engine_ends_when_we_are_killed(thread: str) -> None:
    body = f"""
    import threading, time
    from katachi.players.gtp_process import GtpProcess
    def start():
        global process
        process = GtpProcess({script(DEAF)!r})
    if {thread == "main"}:
        start()
    else:
        starter = threading.Thread(target=start)
        starter.start()
        starter.join()
    for _ in range(500):
        if process.stderr_lines:
            break
        time.sleep(0.01)
    print(process.pid, flush=True)
    time.sleep(60)
    """
    with subprocess.Popen([sys.executable, "-c", dedent(body)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        engine = int(parent.stdout.readline())
        time.sleep(0.3)
        was_alive = is_alive(engine)
        parent.kill()
    assert was_alive, "the end of the thread that asked for it does not matter"
    assert is_gone(engine)


def test_an_engine_that_was_asked_for_by_a_short_thread_goes_on() -> None:
    body = """
    for line in sys.stdin:
        print("=" + line.split()[0] + " here\\n", flush=True)
    """
    started: list[GtpProcess] = []
    thread = threading.Thread(target=lambda: started.append(GtpProcess(script(body), timeout=5)))
    thread.start()
    thread.join()
    with started[0] as process:
        time.sleep(0.2)
        assert process.ask("name") == "here"


def test_a_child_of_ours_starts_engines_of_its_own() -> None:
    """A fork has none of our threads, and its engines are not ours."""
    body = f"""
    import os
    from katachi.players.gtp_process import GtpProcess
    GtpProcess({script("time.sleep(60)")!r}).close(0)
    if os.fork() == 0:
        GtpProcess({script("time.sleep(60)")!r}).close(0)
        print("done", flush=True)
        os._exit(0)
    os.wait()
    """
    ended = subprocess.run([sys.executable, "-c", dedent(body)], capture_output=True, text=True, timeout=20)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("done\n", "", 0)


def test_an_engine_that_nobody_waits_for_any_more_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while it is being started."""
    started: list[subprocess.Popen[bytes]] = []
    interrupted = threading.Event()

    class Slow(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
            super().__init__(*args, **kwargs)
            started.append(self)
            signal.pthread_kill(main, signal.SIGINT)
            assert interrupted.wait(5)

    main = threading.get_ident()
    monkeypatch.setattr(subprocess, "Popen", Slow)
    with pytest.raises(KeyboardInterrupt):
        GtpProcess(script("time.sleep(60)"))
    interrupted.set()
    assert is_gone(started[0].pid)


def test_somebody_is_told_while_we_wait_and_may_object() -> None:
    ticks: list[float] = []

    def tick() -> None:
        ticks.append(time.monotonic())
        if len(ticks) == 4:
            raise RuntimeError("enough")

    with GtpProcess(script("time.sleep(60)")) as process:
        started = time.monotonic()
        with pytest.raises(RuntimeError, match="enough"):
            process.ask("x", tick=tick)
        assert 0.15 < time.monotonic() - started < 2
        assert not is_alive(process.pid)
        with pytest.raises(EngineError, match="it was interrupted while it was asked 'x'"):
            process.ask("x")


# -- starting


def test_commands_are_split_like_a_shell_does() -> None:
    assert split_command("gnugo  --mode gtp -x 'a b' \"c d\"") == ["gnugo", "--mode", "gtp", "-x", "a b", "c d"]
    for text in ("gnugo 'x", "", "  ", "''"):
        with pytest.raises(ParseError, match="this is no command"):
            split_command(text)
    with pytest.raises(ParseError, match=r"gnugo 'x.*No closing quotation"):
        GtpProcess("gnugo 'x")
    with pytest.raises(ParseError, match="this is no command"):
        GtpProcess([])


def test_programs_are_found_or_said_to_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    program = tmp_path / "engine"
    program.write_text("#!/bin/sh\n")
    for name in ("engine", str(program), "~/engine"):
        assert find_program(name) is None
    with pytest.raises(EngineError, match=r"there is no program '~/engine': no such file, or it cannot be executed"):
        need_program("~/engine")
    program.chmod(0o755)
    for name in ("engine", str(program), "~/engine"):
        assert need_program(name) == str(program)
    with pytest.raises(EngineError, match=r"^there is no program 'katachi-no-such': is it on PATH\?$"):
        GtpProcess("katachi-no-such --mode gtp")
    monkeypatch.setattr("katachi.players.external._GAMES", (str(tmp_path / "games"),))
    message = "^there is no program 'gnugo': install Debian package gnugo, or give its path$"
    with pytest.raises(EngineError, match=message):
        GtpProcess("gnugo --mode gtp")
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "gnugo").symlink_to(program)
    assert need_program("gnugo") == str(tmp_path / "games" / "gnugo")


def test_what_cannot_be_started(tmp_path: Path) -> None:
    program = tmp_path / "engine"
    program.write_bytes(b"\x00\x01")
    program.chmod(0o755)
    for command in ([str(program)], [sys.executable, "\x00"]):
        with pytest.raises(EngineError, match="cannot be started"):
            GtpProcess(command)
    for timeout in (0, -1, float("nan")):
        with pytest.raises(InvalidArgumentError, match="time-out must be positive"):
            GtpProcess(script(""), timeout=timeout)


# -- the player

# An engine that writes down what it is asked, and answers genmove with the words of its command line, one by one.
ENGINE = '''
import os, sys, time
from pathlib import Path

class Refuse(Exception):
    """An error answer."""

here = Path(__file__).parent
moves = list(sys.argv[1:])
known = set()

def answer(command, words):
    if command == "genmove":
        return moves.pop(0) if moves else "pass"
    if command == "known_command":
        return "true" if words[0] in known else "false"
    return {"name": "Fake", "version": "1.0"}.get(command, "")

# body

with open(here / "pids", "a") as pids:
    print(os.getpid(), file=pids)
for line in sys.stdin:
    number, command, *words = line.split()
    with open(here / "log", "a") as log:
        print(command, *words, file=log)
    try:
        text = f"={number} {answer(command, words)}"
    except Refuse as error:
        text = f"?{number} {error}"
    print(text, end="\\n\\n", flush=True)
    if command == "quit":
        break
'''

MakeEngine = Callable[..., "FakeEngine"]


class FakeEngine:
    """An engine of this test, and what it was asked."""

    def __init__(self, folder: Path, body: str, moves: Sequence[str]) -> None:
        self.folder = folder
        (folder / "engine.py").write_text(ENGINE.replace("# body", dedent(body)))
        self.command = shlex.join([sys.executable, "-S", str(folder / "engine.py"), *moves])

    def log(self) -> list[str]:
        """What it was asked since the last look, names aside."""
        path = self.folder / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return [line for line in lines if line not in ("name", "version") and not line.startswith("known_command")]

    def pids(self) -> list[int]:
        """Of all processes that were started."""
        path = self.folder / "pids"
        return [int(line) for line in path.read_text().split()] if path.exists() else []


@pytest.fixture
def engine(tmp_path: Path) -> MakeEngine:
    return lambda body="", *moves: FakeEngine(tmp_path, body, moves)


GAME = GoGame(5)
START = GAME.initial_state()
NEW_GAME = ["boardsize 5", "clear_board", "komi 7.5"]


def choose(player: GtpPlayer, position: Position, seed: int = 1) -> str | None:
    """The chosen vertex; None to resign."""
    game = GoGame((position.width, position.height), position.rules)
    action = player.choose(game, position, Rng(seed)).action
    return None if action is None else position.vertex(action)


def test_it_is_started_by_its_first_move(engine: MakeEngine) -> None:
    fake = engine("", "C3")
    player = make_player(f"gtp:{fake.command}")
    assert isinstance(player, GtpPlayer)
    assert player.name == f"gtp:{fake.command}"
    assert player.describe() == {}
    assert "gtp" not in player_names()
    assert fake.pids() == []
    with player:
        assert choose(player, START) == "C3"
        assert player.describe() == {"name": "Fake", "version": "1.0"}
        assert fake.log() == [*NEW_GAME, "genmove black"]
        (pid,) = fake.pids()
        assert is_alive(pid)
    assert not is_alive(pid)
    assert fake.log() == ["quit"]
    player.close()


def test_only_what_is_new_is_sent(engine: MakeEngine) -> None:
    fake = engine("", "C3", "D3", "pass", "A1", "B1")
    with GtpPlayer(fake.command) as player:
        choose(player, START)
        position = START.play("C3").play("C2")
        fake.log()
        assert choose(player, position) == "D3"
        assert fake.log() == ["play white C2", "genmove black"]
        position = position.play("D3").play("pass")
        assert choose(player, position) == "pass"
        assert fake.log() == ["play white pass", "genmove black"]
        # Our own move was taken back: the engine still has it on its board.
        assert choose(player, position) == "A1"
        replay = ["play black C3", "play white C2", "play black D3", "play white pass"]
        assert fake.log() == [*NEW_GAME, *replay, "genmove black"]
        # Another move was played instead, and the colours do not alternate.
        assert choose(player, position.play("E5").play("E4", Player.BLACK)) == "B1"
        assert fake.log() == [*NEW_GAME, *replay, "play black E5", "play black E4", "genmove white"]
        # Asked for the other colour: who played the last move does not change.
        position = position.play("E5").play("E4", Player.BLACK).play("B1").turned_to(Player.WHITE)
        assert choose(player, position) == "pass"
        assert fake.log() == ["genmove white"]
        assert len(fake.pids()) == 1
        assert player.restarts == 0


def test_a_new_game_is_set_up_whatever_its_moves(engine: MakeEngine) -> None:
    fake = engine("", "C3", "D3")
    with GtpPlayer(fake.command) as player:
        choose(player, START)
        fake.log()
        player.new_game()
        assert choose(player, START.play("C3").play("C2")) == "D3"
        assert fake.log() == [*NEW_GAME, "play black C3", "play white C2", "genmove black"]
        assert len(fake.pids()) == 1


def test_both_seats(engine: MakeEngine) -> None:
    fake = engine("", "C3", "C2", "C4")
    with GtpPlayer(fake.command) as player:
        position = START
        for _ in range(3):
            position = position.play(choose(player, position) or "")
    assert fake.log() == [*NEW_GAME, "genmove black", "genmove white", "genmove black", "quit"]


def test_another_komi_is_another_game(engine: MakeEngine) -> None:
    fake = engine()
    with GtpPlayer(fake.command) as player:
        choose(player, START)
        fake.log()
        choose(player, Position(5, rules=Rules(komi=-3)))
        assert fake.log() == ["boardsize 5", "clear_board", "komi -3.0", "genmove black"]


def test_resigning_ends_the_game(engine: MakeEngine) -> None:
    fake = engine("", "Resign", "C3")
    with GtpPlayer(fake.command) as player:
        assert choose(player, START) is None
        fake.log()
        assert choose(player, START) == "C3"
        assert fake.log() == [*NEW_GAME, "genmove black"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("C3", r"answered 'C3', which is illegal \(.*occupied"),
        ("Z9", "answered 'Z9', which is no move: 'Z9' is not a vertex"),
        ("C7", "answered 'C7', which is no move: 'C7' is not on a board of 5x5"),
        ("", "answered '', which is no move"),
        ("\N{SNOWMAN}", "which is no move"),
    ],
)
def test_an_illegal_answer_is_shown_with_its_position(engine: MakeEngine, answer: str, message: str) -> None:
    fake = engine("", answer, "D3")
    with GtpPlayer(fake.command) as player:
        position = START.play("C3")
        with pytest.raises(EngineError, match=message) as caught:
            choose(player, position)
        assert str(position) in str(caught.value)
        assert choose(player, position) == "D3"
        assert fake.log()[-4:] == [*NEW_GAME[1:], "play black C3", "genmove white"], (
            "its board is not trusted after that"
        )
        assert player.restarts == 0


def test_sizes(engine: MakeEngine) -> None:
    refusing = """
    def answer(command, words, usual=answer):
        if command.endswith("boardsize"):
            raise Refuse("unacceptable size")
        return usual(command, words)
    """
    with GtpPlayer(engine(refusing).command) as player:
        for _ in range(2):
            with pytest.raises(EngineError, match=r"does not play on a board of 5x5: .* refused 'boardsize 5'"):
                choose(player, START)
        assert player.restarts == 0
    with (
        GtpPlayer(engine().command) as player,
        pytest.raises(EngineError, match=r"a board of 5x4: .* does not know rectangular_boardsize"),
    ):
        choose(player, Position(5, 4))
    fake = engine("known = {'rectangular_boardsize'}")
    fake.log()
    with GtpPlayer(fake.command) as player:
        choose(player, Position(5, 4))
        assert fake.log() == ["rectangular_boardsize 5 4", *NEW_GAME[1:], "genmove black"]


def test_a_refused_move_is_an_error_with_the_position(engine: MakeEngine) -> None:
    body = """
    def answer(command, words, usual=answer):
        if command == "play":
            raise Refuse("illegal move")
        return usual(command, words)
    """
    with GtpPlayer(engine(body).command) as player:
        position = START.play("C3")
        with pytest.raises(
            EngineRefusedError, match="refused 'play black C3': illegal move\nin the position\n"
        ) as caught:
            choose(player, position)
        assert str(position) in str(caught.value)
        assert player.restarts == 0


def test_rules_are_sent_to_those_who_understand_them(engine: MakeEngine) -> None:
    fake = engine("known = {'kata-set-rules'}")
    with GtpPlayer(fake.command) as player:
        choose(player, Position(5, rules="aga"))
    rules = (
        '{"ko":"SITUATIONAL","scoring":"AREA","tax":"NONE","suicide":false,"hasButton":false,'
        '"whiteHandicapBonus":"N-1","friendlyPassOk":false}'
    )
    assert fake.log() == ["boardsize 5", "clear_board", f"kata-set-rules {rules}", "komi 7.5", "genmove black", "quit"]


STONES = Position.from_diagram(
    """
    X X O . .
    O . O . .
    . . . . .
    . . . X .
    . . . . .
    """
)


@pytest.mark.parametrize("command", ["set_position", "gogui-setup"])
def test_set_up_with_one_command(engine: MakeEngine, command: str) -> None:
    fake = engine(f"known = {{'set_free_handicap', {command!r}}}")
    with GtpPlayer(fake.command) as player:
        choose(player, STONES.play("C3"))
        stones = "black A5 white C5 black B5 white A4 black D2 white C4"
        assert fake.log() == [*NEW_GAME, f"{command} {stones}", "play black C3", "genmove white"]


def test_set_up_stone_by_stone(engine: MakeEngine) -> None:
    fake = engine("known = {'set_free_handicap'}")
    with GtpPlayer(fake.command) as player:
        choose(player, STONES)
        stones = ["black A5", "white C5", "black B5", "white A4", "black D2", "white C4"]
        assert fake.log() == [*NEW_GAME, *(f"play {stone}" for stone in stones), "genmove black"]


def test_handicap(engine: MakeEngine) -> None:
    fake = engine("known = {'set_free_handicap'}")
    with GtpPlayer(fake.command) as player:
        choose(player, Position.set_up(5, 5, black=["B2", "D4"], to_play=Player.WHITE, handicap=2))
        assert fake.log() == [*NEW_GAME, "set_free_handicap D4 B2", "genmove white"]
        choose(player, Position.set_up(5, 5, black=["B2", "D4"], to_play=Player.WHITE))
        assert fake.log() == [*NEW_GAME, "play black D4", "play black B2", "genmove white"]


def test_stones_of_a_set_up_capture_nothing_in_any_order() -> None:
    """Why the player may place them one by one: no chain ever lacks a liberty."""
    rng = Rng(1)
    captures = 0
    for game in range(30):
        moves = Position(4, 4).playout_moves(rng.split("game", game))
        position = Position(4, 4)
        for move in moves[: rng.below(len(moves))]:
            position = position.play(move)
            captures += len(position.last_removed)
        stones = [(p, Player.BLACK if c == "X" else Player.WHITE) for p, c in enumerate(position.stones()) if c != "."]
        rebuilt = Position(4, 4)
        while stones:
            point, player = stones.pop(rng.below(len(stones)))
            rebuilt = rebuilt.play(point, player)
            assert rebuilt.last_removed == []
        assert rebuilt.stones() == position.stones()
    assert captures > 50


# -- seeds

SEEDED = """
def answer(command, words, usual=answer):
    with open(here / "seeds", "a") as seeds:
        print(moves[0], file=seeds) if command == "name" else None
    return "pass" if command == "genmove" else usual(command, words)
"""


def seeds_of(fake: FakeEngine) -> list[int]:
    path = fake.folder / "seeds"
    seeds = [int(word) for word in path.read_text().split()]
    path.unlink()
    return seeds


def test_every_game_has_its_seed_and_matches_repeat_them(engine: MakeEngine) -> None:
    fake = engine(SEEDED, "{seed}")
    spec = f"gtp:{fake.command}"
    seeds = []
    for match in (1, 1, 2):
        play_match(GAME, spec, spec, games=3, seed=match)
        seeds.append(seeds_of(fake))
    assert seeds[0] == seeds[1] != seeds[2]
    assert len(set(seeds[0])) == 6, "three games, two engines"
    assert all(1 <= seed < 2**31 for seed in seeds[0])
    assert not any(is_alive(pid) for pid in fake.pids()), "a match closes the players that it has made"


def test_a_given_seed_serves_all_games(engine: MakeEngine) -> None:
    fake = engine(SEEDED, "{seed}")
    with GtpPlayer(fake.command, 7) as player:
        for game in range(3):
            choose(player, START, seed=game)
        assert player.settings.seed == 7
    assert seeds_of(fake) == [7]
    for seed in (-1, 2**31, 1.5):
        with pytest.raises(SettingsError, match="seed"):
            GtpPlayer(fake.command, seed)  # type: ignore[arg-type]


def test_a_restarted_engine_gets_the_seed_of_its_game_again(engine: MakeEngine) -> None:
    fake = engine(SEEDED, "{seed}")
    with GtpPlayer(fake.command) as player:
        choose(player, START, seed=1)
        os.kill(fake.pids()[-1], signal.SIGKILL)
        choose(player, START.play("pass").play("C3"), seed=2)
        assert player.restarts == 1
        choose(player, START, seed=3)
        assert player.restarts == 1
    first, again, next_game = seeds_of(fake)
    assert first == again != next_game


# -- engines that fail


def test_an_engine_that_dies_once_is_restarted(engine: MakeEngine) -> None:
    body = """
    def answer(command, words, usual=answer):
        if command == "genmove" and not (here / "died").exists():
            (here / "died").touch()
            os._exit(3)
        return usual(command, words)
    """
    fake = engine(body, "C3", "B3")
    with GtpPlayer(fake.command) as player:
        position = START.play("D4")
        assert choose(player, position) == "C3"
        assert fake.log() == [*NEW_GAME, "play black D4", "genmove white"] * 2
        assert player.restarts == 1
        assert choose(player, position.play("C3").play("D3")) == "B3"
        assert player.restarts == 1
        assert len(fake.pids()) == 2


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("time.sleep(60)", r"did not answer 'genmove black' within 0\.5 s"),
        ("print('out of memory', file=sys.stderr); sys.exit(3)", r"\(status 3\)[^$]*out of memory"),
        ("print('junk', flush=True)", "not a GTP answer: 'junk'"),
    ],
)
def test_an_engine_that_fails_twice_is_an_error(engine: MakeEngine, how: str, message: str) -> None:
    body = f"""
    def answer(command, words, usual=answer):
        if command == "genmove":
            {how}
        return usual(command, words)
    """
    fake = engine(body)
    with GtpPlayer(fake.command, timeout=SHORT) as player:
        with pytest.raises(EngineError, match=message):
            choose(player, START)
        assert player.restarts == 1
        assert len(fake.pids()) == 2
        assert not any(is_alive(pid) for pid in fake.pids())


def test_an_engine_that_is_missing_is_not_restarted() -> None:
    with GtpPlayer("katachi-no-such") as player:
        with pytest.raises(EngineError, match="there is no program 'katachi-no-such'"):
            choose(player, START)
        assert player.restarts == 0


def test_progress_is_told_that_nobody_knows(engine: MakeEngine) -> None:
    body = """
    def answer(command, words, usual=answer):
        time.sleep(0.3 if command == "genmove" else 0)
        return usual(command, words)
    """
    told: list[float] = []

    def refuse(share: float) -> bool:
        told.append(share)
        return False

    def interrupt(share: float) -> None:
        raise KeyboardInterrupt

    fake = engine(body, "C3")
    with GtpPlayer(fake.command) as player:
        assert player.choose(GAME, START, Rng(1), refuse).action == START.action("C3"), "GTP cannot be interrupted"
        assert set(told) == {-1.0}
        assert 2 <= len(told) <= 7
        with pytest.raises(KeyboardInterrupt):
            player.choose(GAME, START, Rng(1), interrupt)
        assert not is_alive(fake.pids()[-1])
        assert choose(player, START) == "C3"
        assert player.restarts == 0


def test_it_plays_go_only(engine: MakeEngine) -> None:
    fake = engine()
    player = GtpPlayer(fake.command)
    game = make_game("tic-tac-toe")
    with pytest.raises(InvalidArgumentError, match="plays go only, not tic-tac-toe"):
        player.choose(game, game.initial_state(), Rng(1))
    with pytest.raises(InvalidArgumentError, match="no Go position: 3"):
        player.choose(GAME, 3, Rng(1))
    assert fake.pids() == []


def test_settings_can_be_changed_and_the_command_cannot(engine: MakeEngine) -> None:
    player = change_settings(GtpPlayer("gnugo --mode gtp"), {"timeout": 5})
    assert isinstance(player, GtpPlayer)
    assert (player.name, player.settings.timeout) == ("gtp[timeout=5]:gnugo --mode gtp", 5)
    with pytest.raises(KatachiError, match="has no setting 'command'"):
        change_settings(player, {"command": "rm"})
    with pytest.raises(ParseError, match="No closing quotation"):
        make_player("gtp:gnugo 'x")
    with pytest.raises(SettingsError, match="timeout"):
        GtpPlayer("gnugo", timeout=0)


def test_the_program_can_be_looked_for_without_starting_it(engine: MakeEngine) -> None:
    fake = engine()
    check_player(make_player(f"gtp:{fake.command}"), GoGame(5))
    check_player(make_player("random"), GoGame(5))
    assert fake.pids() == []
    with pytest.raises(EngineError, match="there is no program 'katachi-no-such'"):
        check_player(make_player("gtp:katachi-no-such --mode gtp"), GoGame(5))


def test_a_name_for_every_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def lasting(command: str) -> str:
        return lasting_name(make_player(f"gtp[timeout=9]:{command}"))

    here = os.path.realpath(tmp_path)
    assert lasting("./a/../engine --seed {seed} -x 'a b'") == (
        f"gtp[timeout=9]:{shlex.join([f'{here}/engine', '--seed', '{seed}', '-x', 'a b'])}"
    )
    for command in ("gnugo --mode  gtp", "/usr/games/gnugo --mode  gtp", "~/engine  x"):
        assert lasting(command) == f"gtp[timeout=9]:{command}"
    assert lasting_name(make_player("random")) == "random"
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert lasting("./engine") == "gtp[timeout=9]:./engine"


def test_a_match_closes_what_it_made_and_nothing_else(engine: MakeEngine) -> None:
    fake = engine()
    with GtpPlayer(fake.command) as mine:
        play_match(GAME, mine, f"gtp:{fake.command}", games=2, seed=1)
        by_match, kept = sorted(fake.pids(), key=is_alive)
        assert not is_alive(by_match)
        assert is_alive(kept)
    assert not is_alive(kept)


def test_a_match_that_fails_closes_its_players(engine: MakeEngine) -> None:
    fake = engine("", "A9")
    result = play_match(GAME, f"gtp:{fake.command}", "random", games=1, seed=1)
    assert result.losses == 1
    assert (result.outcomes[0].reason, result.outcomes[0].loser) == ("illegal move", "black")
    assert "A9" in result.outcomes[0].detail
    assert not any(is_alive(pid) for pid in fake.pids())


def test_an_engine_is_told_the_time(engine: MakeEngine) -> None:
    fake = engine("", "C3", "D3", "C4", "C5")
    clock = Clock(TimeSettings(system="absolute", main=9.5))
    with GtpPlayer(fake.command) as player:
        player.clock = clock
        assert choose(player, START) == "C3"
        assert fake.log() == [
            *NEW_GAME, "time_settings 10 0 0", "time_left black 9 0", "time_left white 9 0", "genmove black"
        ]  # fmt: skip
        clock.spend(Player.BLACK, 9.25)
        assert choose(player, START.play("C3").play("C2")) == "D3"
        assert fake.log() == ["play white C2", "time_left black 0 0", "time_left white 9 0", "genmove black"]
        # A new game is told again; overtime has stones.
        clock.set(TimeSettings(system="canadian", main=0.0, period=30.0, count=10))
        assert choose(player, START) == "C4"
        assert fake.log() == [
            *NEW_GAME, "time_settings 0 30 10", "time_left black 30 10", "time_left white 30 10", "genmove black"
        ]  # fmt: skip
        clock.set(TimeSettings())
        assert choose(player, START.play("C4").play("C2")) == "C5"
        assert fake.log() == ["play white C2", "genmove black"], "there is no limit any more"


@pytest.mark.parametrize("system", ["fischer 10 0.5", "byoyomi 10 5 3", "fischer-capped 10 1 20 5"])
def test_an_engine_is_told_what_it_understands_of_the_time(engine: MakeEngine, system: str) -> None:
    clock = Clock(parse_time_settings(system))
    command = "kgs-time_settings" if system.startswith("byoyomi") else "kata-time_settings"
    fake = engine(f"known = {{'{command}'}}")
    with GtpPlayer(fake.command) as player:
        player.clock = clock
        choose(player, START)
        assert fake.log()[3:] == [
            f"{command} {system}",
            "time_left black 10 0",
            "time_left white 10 0",
            "genmove black",
        ]
    fake.log()
    ignorant = engine("""
        def answer(command, words, usual=answer):
            if command == "time_left":
                raise Refuse("unknown command")
            return usual(command, words)
    """)
    with GtpPlayer(ignorant.command) as player:
        player.clock = clock
        assert choose(player, START) == "pass"
        assert ignorant.log()[3:] == ["time_left black 10 0", "genmove black"]


def test_an_engine_that_is_late_is_not_waited_for(engine: MakeEngine) -> None:
    fake = engine("""
        def answer(command, words, usual=answer):
            if command == "genmove":
                time.sleep(60)
            return usual(command, words)
    """)
    with GtpPlayer(fake.command) as player:
        player.may_restart = False
        player.clock = Clock(TimeSettings(system="absolute", main=0.5))
        started = time.monotonic()
        with pytest.raises(EngineTimeoutError):
            choose(player, START)
        assert time.monotonic() - started < 10


def test_an_engine_that_is_prepared_has_the_board(engine: MakeEngine) -> None:
    fake = engine("", "C3")
    with GtpPlayer(fake.command) as player:
        player.prepare(GAME, START.play("A1"), Rng(1))
        assert fake.log() == [*NEW_GAME, "play black A1"]
        assert choose(player, START.play("A1")) == "C3"
        assert fake.log() == ["genmove white"]
        assert len(fake.pids()) == 1
    seeded = engine("", "C3", "--seed={seed}")
    with GtpPlayer(seeded.command) as player:
        player.prepare(GAME, START, Rng(1))
        choose(player, START)
        assert len(seeded.pids()) == 2, "one more, and not a second one for the move"
