"""The engine under any lines: one well-formed answer each, and a board that follows the rules."""

import io
import logging
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from katachi import IllegalMoveError, Player
from katachi.games.go import Position, Record, Rules
from katachi.games.go.record import MAX_MOVES
from katachi.gtp.go_session import GoSession
from katachi.gtp.protocol import format_color, parse_response
from katachi.gtp.registry import commands_for, find_command
from katachi.gtp.server import LONGEST_LINE, Engine, serve
from katachi.players.registry import make_player
from tests.fuzz import gtp_lines

MOVES = st.lists(st.tuples(st.sampled_from(Player), st.integers(0, 16)), max_size=60)


@pytest.fixture(autouse=True)
def _quiet() -> None:
    logging.getLogger("katachi.gtp").setLevel(logging.CRITICAL)


def engine(size: int = 4, rules: str = "tromp-taylor") -> tuple[Engine, GoSession]:
    session = GoSession(make_player("random"), 1, size=(size, size), rules=Rules.named(rules))
    return Engine(session), session


@given(st.text(max_size=200))
@settings(max_examples=500)
def test_any_line(line: str) -> None:
    gtp_lines.check_answer(line, engine()[0].answer(line))


@given(st.lists(st.sampled_from(commands_for(engine()[1])), min_size=1, max_size=5), st.data())
@settings(max_examples=300)
def test_any_words_after_a_command(names: list[str], data: st.DataObject) -> None:
    """Files are left out: what is in them is tested with the records."""
    asked, _ = engine()
    words = st.lists(st.text(max_size=8) | st.sampled_from(["b", "A1", "pass", "3", "1.5", "{}", "dead"]), max_size=4)
    for name in names:
        if name not in ("loadsgf", "printsgf"):
            line = " ".join([name, *data.draw(words)])
            gtp_lines.check_answer(line, asked.answer(line))


def test_a_sample_of_the_fuzzing_run() -> None:
    """All of it: python -m tests.fuzz.gtp_lines --lines 1000000."""
    result = gtp_lines.run(10_000, seed=20261116)
    assert result["success"] > 2000
    assert result["error"] > 2000


@given(MOVES, st.sampled_from(["chinese", "tromp-taylor", "aga"]))
@settings(max_examples=150)
def test_the_board_follows_the_rules(moves: list[tuple[Player, int]], rules: str) -> None:
    """Whatever anybody plays, the engine refuses exactly what a Position refuses; undo goes all the way back."""
    asked, session = engine(4, rules)
    positions = [Position(4, 4, rules)]
    for player, move in moves:
        vertex = positions[-1].vertex(move)
        answer = asked.answer(f"play {format_color(player)} {vertex}")
        try:
            positions.append(positions[-1].play(move, player))
            assert answer == b"=\n\n"
        except IllegalMoveError:
            assert answer == b"? illegal move\n\n"
        assert session.position == positions[-1]
    while len(positions) > 1:
        positions.pop()
        assert asked.answer("undo") == b"=\n\n"
        assert session.position == positions[-1]
    assert asked.answer("undo") == b"? cannot undo\n\n"


@given(MOVES)
@settings(max_examples=50)
def test_status_is_a_partition(moves: list[tuple[Player, int]]) -> None:
    asked, session = engine(4, "chinese")
    for player, move in moves:
        asked.answer(f"play {format_color(player)} {session.position.vertex(move)}")
    found: list[str] = []
    for status in ("alive", "dead", "seki"):
        answer = asked.answer(f"final_status_list {status}")
        assert answer is not None
        found += parse_response(answer.decode()).text.split()
    stones = [session.position.vertex(p) for p, stone in enumerate(session.stones()) if stone != "."]
    assert sorted(found) == sorted(stones)


def test_every_command_is_described() -> None:
    _, session = engine()
    for name in commands_for(session):
        found = find_command(session, name)
        assert found is not None
        assert found.function.__doc__, name


class Pieces(io.RawIOBase):
    """A stream that gives its bytes a few at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self._data, self._size = io.BytesIO(data), size

    def read(self, size: int = -1) -> bytes:
        return self._data.read(self._size)


@pytest.mark.parametrize("size", [1, 3, 1 << 16])
def test_streams(size: int) -> None:
    out = io.BytesIO()
    _, session = engine()
    serve(session, Pieces(b"1 name\r\n\n# comment\n2 play b a1\n3 quit\n4 name\n", size), out)
    assert out.getvalue() == b"=1 Katachi\n\n=2\n\n=3\n\n"


def test_a_line_without_end() -> None:
    out = io.BytesIO()
    _, session = engine()
    long = b" play" * LONGEST_LINE + b"\n"
    serve(session, Pieces(b"name\n9" + long + b"# comment" + long + b"name", 1 << 16), out)
    assert out.getvalue() == b"= Katachi\n\n?9 syntax error: more than 1048576 bytes\n\n= Katachi\n\n"


@pytest.mark.parametrize(
    "line",
    [
        "komi " + "1" * 100_000 + "x",
        "komi " + "1" * 100_000 + ".",
        "play b " + "A1" * 100_000,
        "kata-set-rules " + "[" * 100_000,
        "1" * 100_000 + " name",
        "gogui-play_sequence " + "b pass w pass " * 20_000,
        "gogui-play_sequence " + "b pass w pass " * 2_000,
        "set_position " + "b A1 " * 50_000,
        "set_free_handicap " + "A1 " * 50_000,
    ],
)
def test_long_lines_take_no_time(line: str) -> None:
    asked, _ = engine(4, "tromp-taylor")
    started = time.process_time()
    gtp_lines.check_answer(line, asked.answer(line))
    assert time.process_time() - started < 2, "linear in the line: about a tenth of a second"


def test_a_game_is_as_long_as_a_record() -> None:
    asked, session = engine(3, "chinese")
    for _ in range(MAX_MOVES // 1000):
        assert asked.answer("gogui-play_sequence " + "b pass w pass " * 500) == b"=\n\n"
    assert asked.answer("play b A1") == b"? illegal move\n\n"
    assert Record.parse(session.record().format()).position() == session.position


def test_the_reader_waits_for_the_engine() -> None:
    """A controller that says much while we think does not fill the memory."""
    taken = 0

    class Endless(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            nonlocal taken
            taken += 1
            return b"name\n" * 10_000 if taken < 10_000 else b""

    class Slow(io.BytesIO):
        def write(self, data: Any) -> int:  # noqa: ANN401
            time.sleep(0.2)
            session.quits = True
            return len(data)

    _, session = engine()
    serve(session, Endless(), Slow())
    assert taken < 200, "50 kB a piece"


def test_bytes_that_are_no_text() -> None:
    out = io.BytesIO()
    _, session = engine()
    serve(session, Pieces(b"\xff\xfe name\nkgs-chat game \xe9 \xff\n", 1 << 16), out)
    first, second, _ = out.getvalue().split(b"\n\n")
    assert first == b"? unknown command"
    assert second.startswith(b"= I am Katachi")
