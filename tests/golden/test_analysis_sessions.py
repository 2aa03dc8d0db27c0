"""Recorded exchanges of KataGo's JSON protocol: a real `katachi analyze` answers every line to the letter.

A session is a text file. Its first line is the command; lines that begin with `>` are what is asked, and what follows
each are the answers; lines that begin with `--` are remarks. After a deliberate change: pytest tests/golden --regen,
and read the difference.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from katachi.analysis.query import PositionQuery, QueryError, parse_request

FOLDER = Path(__file__).parent / "analysis"
SESSIONS = sorted(FOLDER.glob("*.txt"))
KATACHI = str(Path(sys.executable).with_name("katachi"))
EXCHANGES = 60  # at least so many are recorded


def answers_to(line: bytes) -> int:
    """How many lines a line is answered with, if nothing is reported during a search."""
    if not line.strip():
        return 0
    try:
        request, warnings = parse_request(line)
    except QueryError:
        return 1
    return len(warnings) + (len(request.turns) if isinstance(request, PositionQuery) else 1)


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_session(path: Path, regen: bool) -> None:
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    program, *arguments = first.removeprefix("$ ").split()
    assert program == "katachi"
    transcript = [f"{first}\n"]
    with subprocess.Popen(
        [KATACHI, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=FOLDER
    ) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        assert engine.stderr is not None
        for line in lines:
            if line.startswith("--"):
                transcript.append(f"{line}\n")
            elif line.startswith(">"):
                transcript.append(f"{line}\n")
                asked = line[2:].encode()
                engine.stdin.write(asked + b"\n")
                engine.stdin.flush()
                transcript += [engine.stdout.readline().decode() for _ in range(answers_to(asked))]
        engine.stdin.close()
        assert engine.stdout.read() == b""
        assert engine.stderr.read() == b""
        assert engine.wait(timeout=10) == 0
    if regen:
        path.write_text("".join(transcript), encoding="utf-8")
    assert "".join(transcript) == path.read_text(encoding="utf-8")


def test_enough_is_recorded() -> None:
    lines = [line for path in SESSIONS for line in path.read_text(encoding="utf-8").splitlines()]
    assert sum(line.startswith(">") and answers_to(line[2:].encode()) > 0 for line in lines) >= EXCHANGES
