"""`katachi play` in a real terminal: a pseudo-terminal (pexpect), tmux, and pipes in place of one."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pexpect
import pytest

from katachi.games.go.record import Record
from tests.programs import require_program

KATACHI = str(Path(sys.executable).with_name("katachi"))
PROMPT = "your move> "
SIZE = (60, 160)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    # The size of the window is the pseudo-terminal's, not what the runner of the tests says; and output is buffered.
    unwanted = ("COLUMNS", "LINES", "PYTHONUNBUFFERED")
    inherited = {name: value for name, value in os.environ.items() if name not in unwanted}
    return {**inherited, "XDG_STATE_HOME": str(tmp_path), "TERM": "xterm", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}


@contextmanager
def playing(environment: dict[str, str], *arguments: str, size: tuple[int, int] = SIZE) -> Iterator[Any]:
    """A person at a terminal."""
    child = pexpect.spawn(KATACHI, ["play", *arguments], env=environment, encoding="utf-8", timeout=20, dimensions=size)
    try:
        yield child
    finally:
        child.close(force=True)


def say(child: Any, line: str, answer: str) -> str:  # noqa: ANN401
    """Types a line at the prompt; returns what is shown up to and with the answer."""
    child.sendline(line)
    child.expect_exact(answer)
    return plain(child.before + answer)


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r", "")


def status_of(child: Any) -> int:  # noqa: ANN401
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus is not None, f"ended by signal {child.signalstatus}"
    assert "Traceback" not in child.before
    return int(child.exitstatus)


def board_rows(text: str) -> list[str]:
    """The rows of all boards in a text, without brackets and what stands beside them."""
    rows = re.findall(r"^ ?\d+ [ (\[][^\d\n]*\d+", text, re.MULTILINE)
    return [re.sub(r"[\[\]()]", " ", row) for row in rows]


def run(
    environment: dict[str, str], lines: bytes | str, *arguments: str, status: int = 0
) -> subprocess.CompletedProcess[str]:
    data = lines.encode() if isinstance(lines, str) else lines
    result = subprocess.run(
        [KATACHI, "play", *arguments], input=data, capture_output=True, env=environment, timeout=60, check=False
    )
    done = subprocess.CompletedProcess(result.args, result.returncode, result.stdout.decode(), result.stderr.decode())
    assert "Traceback" not in done.stderr + done.stdout
    assert done.returncode == status, done.stderr + done.stdout
    return done


# -- a terminal


def test_a_whole_game(environment: dict[str, str], tmp_path: Path) -> None:
    with playing(environment, "flat-mc:sims=3", "--size", "5", "--save", str(tmp_path / "mine.sgf")) as child:
        child.expect_exact(PROMPT)
        assert "● Black: you, 0 captured" in child.before
        shown = say(child, "c3", PROMPT)
        assert "[●]" in shown
        assert "[○]" in shown
        assert "move 2: White" in shown
        for _ in range(200):
            child.sendline("pass")
            if child.expect_exact([PROMPT, "[Y/n]", "The record is in"]) > 0:
                break
        if child.after == "[Y/n]":
            say(child, "y", "The record is in")
        assert re.search(r"wins? by [\d.]+ points: [BW]\+[\d.]+", child.before)
        assert status_of(child) == 0
    record = Record.load(tmp_path / "mine.sgf")
    assert re.fullmatch(r"[BW]\+[\d.]+", record.result)
    assert record.players[1] == "flat-mc:sims=3"
    assert record.position().is_over
    assert "no game to resume" in run(environment, "", "--resume", status=2).stderr


def test_mistakes_hint_score_undo_save_and_load(environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "kept.sgf"
    with playing(environment, "flat-mc:sims=20", "--size", "5", "--ascii") as child:
        child.expect_exact(PROMPT)
        first = say(child, "c3", PROMPT)
        assert "(X)" in first
        assert "C3 is not possible: point is occupied." in say(child, "C3", PROMPT)
        assert "'J1' is not on a board of 5x5." in say(child, "J1", PROMPT)
        assert "'frobnicate' is no point and no command" in say(child, "frobnicate", PROMPT)
        assert re.search(r"Hint: [A-E][1-5] \(\d+% for Black\)", say(child, "hint", PROMPT))
        assert "As it stands: " in say(child, "score", PROMPT)
        assert "resign " in say(child, "?", PROMPT)
        assert f"Saved to {file}." in say(child, f"save {file}", PROMPT)
        before = board_rows(say(child, "board", PROMPT))
        assert len(before) == 5
        say(child, "pass", PROMPT)
        undone = say(child, "u", PROMPT)
        assert board_rows(undone) == before
        say(child, "undo", PROMPT)
        assert "nothing to take back" in say(child, "undo", PROMPT)
        assert board_rows(say(child, f"load {file}", PROMPT)) == before
        assert "cannot be read: No such file" in say(child, "load nowhere.sgf", PROMPT)
        say(child, "resign", "flat-mc:sims=20 wins by resignation: W+R")
        assert status_of(child) == 0
    assert len(Record.load(file).moves()) == 2


def test_ctrl_c_at_the_prompt_and_resume(environment: dict[str, str]) -> None:
    with playing(environment, "flat-mc:sims=5", "--size", "7", "--seed", "3", "--color", "white") as child:
        child.expect_exact(PROMPT)
        shown = say(child, "c3", PROMPT)
        child.sendintr()
        child.expect_exact("Go on with: katachi play --resume")
        assert status_of(child) == signal.SIGINT + 128
    with playing(environment, "--resume") as child:
        child.expect_exact(PROMPT)
        resumed = plain(child.before)
        assert board_rows(resumed) == board_rows(shown)[-7:]
        assert "○ White: you" in resumed
        after = board_rows(say(child, "e4", PROMPT))
        child.sendeof()
        child.expect_exact("Go on with: katachi play --resume")
        assert status_of(child) == 0
    straight = run(environment, "c3\ne4\n", "flat-mc:sims=5", "--size", "7", "--seed", "3", "--color", "white")
    assert board_rows(straight.stdout)[-7:] == after[-7:]


def test_ctrl_c_while_the_player_thinks(environment: dict[str, str]) -> None:
    with playing(environment, "flat-mc:sims=10000000", "--size", "9") as child:
        child.expect_exact(PROMPT)
        say(child, "e5", "White to play")
        child.expect_exact("White thinks")  # the progress bar, after two seconds
        for again in (False, True):
            if again:
                child.sendline("")
                time.sleep(0.5)
            started = time.monotonic()
            child.sendintr()
            child.expect_exact("still White's turn")
            child.expect_exact("waits (go)> ")
            assert time.monotonic() - started < 2
        assert "It is not your turn" in say(child, "d4", "waits (go)> ")
        assert "Black to play (you)" in say(child, "undo", PROMPT)
        say(child, "hint", "hint")
        time.sleep(0.5)
        child.sendintr()
        child.expect_exact("Stopped.")
        child.expect_exact(PROMPT)
        child.sendline("quit")
        assert status_of(child) == 0


def test_the_window_and_the_line(environment: dict[str, str]) -> None:
    """40 columns, keys that are no letters, a line as long as a terminal takes."""
    with playing(environment, "random", "--size", "19", size=(30, 40)) as child:
        child.expect_exact(PROMPT)
        assert max(map(len, plain(child.before).splitlines())) <= 40
        child.send("\x1b[A\x1b[B\x01\x02")  # arrows, and what moves the cursor
        say(child, "x" * 1000, "...' is no point and no command")
        child.expect_exact(PROMPT)
        say(child, "d4", PROMPT)
        child.sendeof()
        assert status_of(child) == 0


def test_colours_are_on_in_a_terminal_and_can_be_turned_off(environment: dict[str, str]) -> None:
    del environment["NO_COLOR"]
    for arguments, coloured in (((), True), (("--no-color",), False)):
        with playing({**environment, "TERM": "xterm-256color"}, "random", "--size", "5", *arguments) as child:
            child.expect_exact(PROMPT)
            assert bool(re.search(r"\x1b\[[0-9;]*48;5;", child.before)) is coloured
            child.sendline("quit")
            assert status_of(child) == 0


@pytest.fixture
def tmux(environment: dict[str, str]) -> Iterator[list[str]]:
    command = [require_program("tmux", "tmux"), "-L", f"katachi-{uuid.uuid4().hex[:12]}", "-f", os.devnull]
    yield command
    subprocess.run([*command, "kill-server"], capture_output=True, check=False)


def test_in_tmux(tmux: list[str], environment: dict[str, str]) -> None:
    def ask(*arguments: str) -> str:
        done = subprocess.run([*tmux, *arguments], capture_output=True, env=environment, timeout=20, check=True)
        return done.stdout.decode()

    def wait_for(pattern: str) -> str:
        deadline = time.monotonic() + 20
        while re.search(pattern, screen := ask("capture-pane", "-p")) is None:
            assert time.monotonic() < deadline, screen
            time.sleep(0.05)
        return screen

    ask("-u", "new-session", "-d", "-x", "80", "-y", "24", f"'{KATACHI}' play flat-mc:sims=5; echo status $?; cat")
    wait_for("your move>")
    ask("send-keys", "e5", "Enter")
    screen = wait_for(r"move 2: White[^$]*your move>")
    assert "chinese rules, komi 7.5" in screen
    assert len(board_rows(screen)[-9:]) == 9
    ask("send-keys", "C-c")
    assert "katachi play --resume" in wait_for("status 130")


# -- pipes


def test_a_pipe(environment: dict[str, str], tmp_path: Path) -> None:
    done = run(environment, "c3\nhint\nnonsense\n", "random", "--size", "5")
    assert done.stdout.count(PROMPT) == 4
    assert "your move> nonsense\n'nonsense' is no point" in done.stdout
    assert "Hint: " in done.stdout
    assert "\x1b" not in done.stdout
    assert str(tmp_path / "katachi" / "game.sgf") in done.stdout
    assert done.stderr == ""
    assert "move 2: White" in run(environment, "", "--resume").stdout


@pytest.mark.parametrize(
    "junk",
    [
        b"\xff\xfe\xc3\n\x00\x01\x1b[2J\n\r\n\t\n",
        b"x" * 3_000_000 + b"\nc3\n",
        "ｅ５\n٣\n●\n\u202e\n𝕖5\n".encode(),
        b"save \xff/\xff\nload \xff\nload x 99999999999999999999\nsave /\n",
        b"undo\nresign now\nnew game\npass pass\n",
    ],
)
def test_junk(environment: dict[str, str], junk: bytes) -> None:
    done = run(environment, junk, "random", "--size", "5")
    assert "\x1b" not in done.stdout
    assert done.stdout.count(PROMPT) >= 2


def test_a_terminal_that_knows_ascii_only(environment: dict[str, str]) -> None:
    poor = {**environment, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = run(poor, "c3\nä\n", "random", "--size", "5")
    assert "(X)" in done.stdout
    assert done.stdout.isascii()
    assert run(poor, "c3\n", "random", "--size", "5", "--unicode").stdout.isascii()  # question marks, no traceback


def test_closed_streams(environment: dict[str, str]) -> None:
    for closed in (
        "<&-",
        "<&- >&-",
        "<&- >&- 2>&-",
        "2>&- </dev/null",
        "</dev/null >/dev/full",
        "</dev/null >/dev/full 2>&1",
    ):
        shell = ["sh", "-c", f"'{KATACHI}' play random --size 5 --color white {closed}"]
        done = subprocess.run(shell, capture_output=True, env=environment, timeout=20, check=False)
        assert b"Traceback" not in done.stderr, closed
        assert done.returncode == (1 if "full" in closed else 0), (closed, done.stderr)


def test_damage_and_contradictions_are_one_message(environment: dict[str, str], tmp_path: Path) -> None:
    assert "there is no game to resume" in run(environment, "", "--resume", status=2).stderr
    kept = tmp_path / "katachi" / "game.sgf"
    kept.parent.mkdir()
    kept.write_text("(;damaged")
    assert str(kept) in run(environment, "", "--resume", status=2).stderr
    assert kept.read_text() == "(;damaged"
    for arguments, message in (
        (("--resume", "--size", "9"), "leave out --size (9)"),
        (("--load", "nowhere.sgf"), "--load nowhere.sgf cannot be read: No such file"),
        (("--load", str(kept), "--handicap", "2"), "leave out --handicap (2)"),
        (("--load", str(kept)), "property"),
        (("--move", "3"), "--move 3 needs --load FILE"),
        (("--save", "/nowhere/at/all.sgf"), "there is no folder /nowhere/at"),
        (("rndom",), "did you mean 'random'"),
        (("--size", "20"), "not 20x20"),
        (("--handicap", "1"), "not 1"),
        (("--rules", "japanese"), "territory scoring"),
        (("--komi", "nan"), "komi"),
        (("--color", "red"), "red"),
        (("--encoding", "ebcdic"), "encoding 'ebcdic' is not supported"),
        (("--save", "/dev/null"), "--save /dev/null: it is there, and it is no regular file"),
        (("--save", str(tmp_path)), "it is no regular file"),
        (("gtp[timeout=0]:sh",), "timeout"),
    ):
        done = run(environment, "", *arguments, status=2)
        assert message in done.stderr
        assert done.stdout == ""


def test_handicap_rules_and_colour(environment: dict[str, str], tmp_path: Path) -> None:
    done = run(environment, "", "random", "--handicap", "3", "--komi", "0.5", "--rules", "aga")
    assert "aga rules, komi 0.5, handicap 3" in done.stdout
    assert "move 1: White" in done.stdout
    record = Record.load(tmp_path / "katachi" / "game.sgf")
    assert (record.handicap, record.komi) == (3, 0.5)
    colours = {
        re.findall(r"(Black|White): you", run(environment, "", "random", "--color", "random", "--seed", seed).stdout)[0]
        for seed in "123456"
    }
    assert colours == {"Black", "White"}


def test_load_from_the_command_line(environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "a.sgf"
    file.write_text("(;SZ[5]KM[0.5]RU[NZ];B[cc];W[dd];B[bb])")
    done = run(environment, "", "random", "--load", str(file))
    assert "White: you" in done.stdout
    assert "new-zealand rules, komi 0.5" in done.stdout
    assert "move 3: Black B4" in done.stdout
    done = run(environment, "", "random", "--load", str(file), "--move", "3", "--rules", "cgos", "--komi", "2")
    assert "Black: you" in done.stdout
    assert "cgos rules, komi 2" in done.stdout
    file.write_bytes("(;SZ[9]KM[375]CA[nonsense]PB[古力];B[cc];W[dd])".encode("gb18030"))
    run(environment, "", "random", "--load", str(file), "--komi", "2", status=2)
    done = run(environment, f"load {file}\n", "random", "--load", str(file), "--komi", "2", "--encoding", "gb18030")
    assert "chinese rules, komi 2" in done.stdout
    assert re.search(r"KM.*375", done.stdout), "load has got as far as that"


def test_a_missing_engine(environment: dict[str, str], tmp_path: Path) -> None:
    """It is refused before anything is replaced."""
    run(environment, "c3\n", "random", "--size", "5")
    before = {path: path.read_bytes() for path in (tmp_path / "katachi").iterdir()}
    done = run(environment, "c3\ngo\n", "gtp:no-such-engine --mode gtp", "--size", "5", status=2)
    assert done.stderr == "katachi: there is no program 'no-such-engine': is it on PATH?\n"
    assert {path: path.read_bytes() for path in (tmp_path / "katachi").iterdir()} == before


# An engine that thinks for ever once it is asked for a move, whatever becomes of its input.
THINKER = """\
import os, sys, time
print(os.getpid(), file=open(sys.argv[1], "w"), flush=True)
for line in sys.stdin:
    number, command, *words = line.split()
    while command == "genmove":
        print("thinking", file=open(sys.argv[1] + ".busy", "w"), flush=True)
        time.sleep(60)
    print(f"={number}\\n", flush=True)
"""


def wait_until(true: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("how", ["SIGHUP", "SIGTERM", "SIGTERM, SIGHUP", "closed"])
@pytest.mark.parametrize("thinking", [False, True])
def test_a_signal_keeps_the_game_and_ends_the_engine(
    environment: dict[str, str], tmp_path: Path, how: str, thinking: bool
) -> None:
    (tmp_path / "thinker.py").write_text(THINKER)
    pid_file, mine, kept = tmp_path / "pid", tmp_path / "mine.sgf", tmp_path / "katachi" / "game.sgf"
    engine = shlex.join([sys.executable, "-S", str(tmp_path / "thinker.py"), str(pid_file)])
    player = f"gtp:{engine}" if thinking else "shapes"  # whose numpy has threads that may take a signal
    with playing(environment, player, "--size", "5", "--save", str(mine)) as child:
        child.expect_exact(PROMPT)
        child.sendline("c3")
        if thinking:
            wait_until((tmp_path / "pid.busy").exists)
            if how == "closed":
                time.sleep(2.2)  # until there is a progress bar
        else:
            child.expect_exact(PROMPT)
        if how == "closed":
            child.ptyproc.fileobj.close()
            assert child.ptyproc.wait() == 128 + signal.SIGHUP
        else:
            for name in how.split(", "):
                child.kill(getattr(signal, name))
            child.expect_exact("Go on with: katachi play --resume")
            first = getattr(signal, how.split(", ")[0])
            expected = {128 + first} if "," not in how else {128 + signal.SIGTERM, 128 + signal.SIGHUP}
            assert status_of(child) in expected
    if thinking:
        wait_until(lambda: not is_running(int(pid_file.read_text())), 2)
    assert len(Record.load(mine).moves()) == len(Record.load(kept).moves()) == (1 if thinking else 2)


def test_two_sessions_at_once(environment: dict[str, str], tmp_path: Path) -> None:
    kept = tmp_path / "katachi"
    with playing(environment, "random", "--size", "5") as child:
        child.expect_exact(PROMPT)
        say(child, "c3", PROMPT)
        assert f"{kept}/game.sgf is being played" in run(environment, "", "--resume", status=2).stderr
        other = run(environment, "d4\n", "random", "--size", "7")
        told = f"{kept}/game.sgf is being played by another katachi play: this game is {kept}/game-2.sgf."
        assert told in other.stdout
        assert f"The game is kept in {kept}/game-2.sgf." in other.stdout
        resumed = run(environment, "", "--resume").stdout
        assert f"The game is kept in {kept}/game-2.sgf." in resumed
        say(child, "pass", PROMPT)
        child.sendline("quit")
        child.expect_exact(f"The game is kept in {kept}/game.sgf.")
        assert status_of(child) == 0
    assert Record.load(kept / "game.sgf").size == (5, 5)
    assert Record.load(kept / "game-2.sgf").size == (7, 7)
    assert f"The game is kept in {kept}/game.sgf." in run(environment, "", "--resume").stdout


def test_a_user_whose_name_is_no_text(environment: dict[str, str], tmp_path: Path) -> None:
    done = run({**environment, "LOGNAME": "a\udcffb"}, "c3\n", "random", "--size", "5")
    assert done.stderr == ""
    assert Record.load(tmp_path / "katachi" / "game.sgf").players == ("a?b", "random")


def test_gnu_go(environment: dict[str, str]) -> None:
    program = require_program("gnugo", "gnugo")
    done = run(environment, "e5\nhint\nundo\nd4\npass\n", f"gtp:{program} --mode gtp --level 1")
    assert done.stdout.count("White: gtp:") > 3
    assert re.search(r"Hint: \w+", done.stdout)
    assert done.stderr == ""
