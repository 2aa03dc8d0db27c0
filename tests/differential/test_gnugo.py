"""A sample of the comparison with GNU Go (tests/differential/gnugo_oracle.py has the method, and the full size)."""

import os
from collections.abc import Iterator

import pytest

from katachi.players.external import find_program
from katachi.reference.go_rules import Ko
from tests.differential.gnugo_oracle import (
    KOS,
    GnuGo,
    GnuGoError,
    check_counts,
    compare_chunk,
    parse_margin,
    start_all,
)


@pytest.fixture(scope="module")
def program() -> str:
    found = find_program("gnugo")
    if found is None:
        reason = "GNU Go is not installed (Debian package gnugo)"
        if os.environ.get("KATACHI_REQUIRE_ALL") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@pytest.fixture(scope="module")
def gnugos(program: str) -> Iterator[dict[Ko, GnuGo]]:
    with start_all(program) as started:
        yield started


def test_positions_and_ends_agree(gnugos: dict[Ko, GnuGo]) -> None:
    events = compare_chunk(gnugos, first=0, positions=2000, ends=100)
    assert events["positions"] == 2000
    check_counts(events)


@pytest.mark.parametrize(("theirs", "ours"), [("simple", "situational"), ("situational", "positional")])
def test_a_different_ko_rule_is_noticed(program: str, theirs: Ko, ours: Ko) -> None:
    """Neighbouring rules differ in rare positions only: a comparison that misses those would pass the test above."""
    with GnuGo(program, theirs) as gnugo:
        gnugo.ko = ours
        with pytest.raises(AssertionError, match=r"legal in Katachi only: none; in GNU Go only: [A-T]"):
            compare_chunk(dict.fromkeys(KOS, gnugo), first=0, positions=2000, ends=0)


def test_a_refusal_is_an_error_and_leaves_the_next_answer_in_place(gnugos: dict[Ko, GnuGo]) -> None:
    gnugo = gnugos["simple"]
    with pytest.raises(GnuGoError, match=r"refused 'play black A1'.*illegal move"):
        gnugo.ask(["boardsize 5", "clear_board", "play white A1", "play black A1", "list_stones white"])
    assert gnugo.ask(["query_boardsize", "list_stones white"]) == ["5", "A1"]


def test_a_process_that_ended_is_an_error(program: str) -> None:
    with GnuGo(program, "simple") as gnugo:
        gnugo.ask(["quit"])
        with pytest.raises(GnuGoError, match=r"ended \(status 0"):
            gnugo.ask(["name"])


def test_a_process_that_does_not_answer_is_ended(program: str) -> None:
    with (
        GnuGo(program, "simple", patience=0.2) as gnugo,
        pytest.raises(GnuGoError, match=r"ended \(status -9, patience 0\.2 s"),
    ):
        gnugo.ask(["boardsize 19", *["genmove black", "genmove white"] * 100])


@pytest.mark.parametrize(("text", "margin"), [("B+3.5", 3.5), ("W+12.0", -12.0), ("0", 0.0)])
def test_margins(text: str, margin: float) -> None:
    assert parse_margin(text) == margin
