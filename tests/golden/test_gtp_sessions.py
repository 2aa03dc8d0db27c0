"""Recorded GTP sessions: a real `katachi gtp` answers every line to the letter.

A session is a text file. Its first line is the command; lines that begin with `>` are what the controller says, and
what follows each is the answer; lines that begin with `--` are remarks. `\\t`, `\\r`, `\\x07` and `\\\\` stand for
what they are in Python. A single backslash at the very end means that no newline follows, only the end of the input.
After a deliberate change: pytest tests/golden --regen, and read the difference.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from katachi.gtp.protocol import GtpError, parse_request

FOLDER = Path(__file__).parent / "gtp"
SESSIONS = sorted(FOLDER.glob("*.gtp"))
KATACHI = str(Path(sys.executable).with_name("katachi"))
EXCHANGES = 100  # at least so many are recorded


def unescape(text: str) -> bytes:
    """What a `>` line says, with its newline unless it ends with a single backslash."""
    ending = "\n"
    if text.endswith("\\") and not text.endswith("\\\\"):
        text, ending = text[:-1], ""
    codes = {"t": "\t", "r": "\r", "\\": "\\"}
    return (re.sub(r"\\(x[0-9a-f]{2}|.)", lambda m: codes.get(m[1]) or chr(int(m[1][1:], 16)), text) + ending).encode()


def is_answered(line: bytes) -> bool:
    try:
        return parse_request(line.decode()) is not None
    except GtpError:
        return True


def start(command: str) -> "subprocess.Popen[bytes]":
    program, *arguments = command.split()
    assert program == "katachi"
    return subprocess.Popen(
        [KATACHI, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=FOLDER
    )


def read_answer(engine: "subprocess.Popen[bytes]") -> str:
    assert engine.stdout is not None
    answer = b""
    while not answer.endswith(b"\n\n"):
        line = engine.stdout.readline()
        assert line, "the engine is gone"
        answer += line
    return answer.decode()


def converse(recorded: str) -> tuple[str, bytes, str]:
    """The session as it goes now, one line at a time; all that was said; and all answers."""
    first, *lines = recorded.splitlines()
    transcript, said, answers = [f"{first}\n"], b"", ""
    with start(first.removeprefix("$ ")) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        assert engine.stderr is not None
        for line in lines:
            if line.startswith("--"):
                transcript.append(f"{line}\n")
            elif line.startswith(">"):
                transcript.append(f"{line}\n")
                words = unescape(line[2:])
                said += words
                engine.stdin.write(words)
                engine.stdin.flush()
                if not words.endswith(b"\n"):
                    engine.stdin.close()
                if is_answered(words):
                    answers += (answer := read_answer(engine))
                    transcript.append(answer)
        engine.stdin.close()
        assert engine.stdout.read() == b""
        assert engine.stderr.read() == b""
        assert engine.wait(timeout=10) == 0
    return "".join(transcript), said, answers


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_session(path: Path, regen: bool) -> None:
    recorded = path.read_text(encoding="utf-8")
    transcript, said, answers = converse(recorded)
    if regen:
        path.write_text(transcript, encoding="utf-8")
    assert transcript == path.read_text(encoding="utf-8")
    # The same again for a controller that does not wait: everything at once, then the end of the input.
    with start(recorded.splitlines()[0].removeprefix("$ ")) as engine:
        out, err = engine.communicate(said, timeout=60)
    assert out.decode() == answers
    assert err == b""


def test_enough_is_recorded() -> None:
    lines = [line for path in SESSIONS for line in path.read_text(encoding="utf-8").splitlines()]
    assert sum(line.startswith(">") and is_answered(unescape(line[2:])) for line in lines) >= EXCHANGES
