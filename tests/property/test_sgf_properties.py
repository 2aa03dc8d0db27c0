"""Properties of SGF: trees and games survive writing and reading; broken files raise nothing but our errors."""

import random
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi.core.errors import InvalidArgumentError, KatachiError
from katachi.core.types import Player
from katachi.games.go import Position, Rules
from katachi.games.go.record import Record, format_result, parse_result
from katachi.games.go.sgf import SgfNode, format_sgf, parse_sgf
from tests.fuzz.sgf_mutations import (
    HOSTILE_UNITS,
    MOST_SECONDS,
    MOST_SECONDS_PER_MEGABYTE,
    corpus,
    mutate,
    read_and_write,
    run,
    seconds_per_megabyte,
)
from tests.property.test_go_properties import positions

# Text in the normal form of FF[4]: no lone surrogates, and "\n" and " " as the only white space of ASCII.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\v\f"), max_size=30)
names = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=1, max_size=8).filter(lambda name: name not in ("FF", "CA"))


@st.composite
def trees(draw: st.DrawFn) -> SgfNode:
    """A tree of up to 20 nodes with any text in any property."""
    root = SgfNode({"FF": ["4"], "CA": ["UTF-8"]})
    nodes = [root]
    for parent in draw(st.lists(st.integers(0, 1_000_000), max_size=19)):
        nodes.append(nodes[parent % len(nodes)].add_child())
    for node in nodes:
        for name, text in draw(st.dictionaries(names, texts, max_size=3)).items():
            node.set_text(name, text)
            node.properties[name] *= draw(st.integers(1, 2))
    return root


@given(trees())
def test_trees_survive(tree: SgfNode) -> None:
    data = format_sgf(tree)
    again = parse_sgf(data)
    assert again == tree
    assert format_sgf(again) == data
    assert tree.copy() == tree


@given(texts, st.sampled_from(["utf-8", "utf-16", "utf-32", "gb18030"]))
def test_texts_survive_every_charset_that_has_them(text: str, charset: str) -> None:
    node = SgfNode()
    node.set_text("C", text)
    assert node.comment == text
    assert parse_sgf(f"(;C[{node.properties['C'][0]}])".encode(charset), encoding=charset).comment == text


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_other_texts_take_the_normal_form(text: str) -> None:
    node = SgfNode()
    node.set_text("C", text)
    normal = node.comment
    node.set_text("C", normal)
    assert node.comment == normal
    assert not set(normal) & set("\t\r\v\f")
    assert node.simple_text("C") == normal.replace("\n", " ").strip(" ")


@given(positions())
def test_games_survive(position: Position) -> None:
    record = Record.parse(Record.from_position(position).format())
    assert record.position() == position
    assert record.moves() == list(zip(position.movers, position.moves, strict=True))
    for number in range(1, len(position.moves) + 1, 7):
        before = record.position(number)
        assert before.moves == position.moves[: number - 1]
    assert parse_result(format_result(position.score())).margin == abs(position.score())


@given(positions(max_moves=20), st.data())
def test_set_ups_and_turns_survive(position: Position, data: st.DataObject) -> None:
    black, white = ([p for p, stone in enumerate(position.stones()) if stone == colour] for colour in "XO")
    players = st.sampled_from([Player.BLACK, Player.WHITE])
    start = Position.set_up(
        position.width,
        position.height,
        rules=Rules.named("chinese", komi=data.draw(st.floats(-1000, 1000))),
        black=black,
        white=white,
        to_play=data.draw(players),
        handicap=data.draw(st.integers(0, 9)) if black else 0,
    )
    for _ in range(data.draw(st.integers(0, 6))):
        player = data.draw(players)
        if data.draw(st.booleans()):
            start = start.turned_to(player)
            continue
        options = start.turned_to(player).legal_actions()
        start = start.play(data.draw(st.sampled_from(options)), player)
    assert Record.parse(Record.from_position(start).format()).position() == start


@given(st.integers(0, 2**32), st.integers(0, 200))
def test_a_broken_file_raises_our_errors_only(seed: int, size: int) -> None:
    data = mutate(random.Random(seed), [*corpus(), b"(;" + random.Random(seed).randbytes(size) + b")"])
    with suppress(KatachiError):  # of reading; `read_and_write` turns later ones into an AssertionError
        read_and_write(data)


@given(st.binary(max_size=100))
def test_any_bytes_raise_our_errors_only(data: bytes) -> None:
    for content in (data, b"(;C[" + data + b"])", b"(;" + data + b")"):
        with suppress(KatachiError):
            read_and_write(content)


def test_a_sample_of_the_mutations() -> None:
    tally = run(2000, seed=1)
    assert tally.slowest < MOST_SECONDS
    assert tally.accepted > 200
    assert len(tally.refused) > 30, tally.refused


@pytest.mark.parametrize("name", ["from_position", "format"])
def test_a_refusal_after_reading_is_no_refusal_of_the_file(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise InvalidArgumentError("cannot be written")

    read_and_write(b"(;SZ[9];B[aa])")
    monkeypatch.setattr(Record, name, refuse)
    with pytest.raises(AssertionError, match="refused after it had been read: cannot be written"):
        read_and_write(b"(;SZ[9];B[aa])")


@pytest.mark.parametrize("name", HOSTILE_UNITS)
def test_hostile_files_are_read_soon(name: str) -> None:
    """Within twice the time that an idle machine may take."""
    most = 2 * MOST_SECONDS_PER_MEGABYTE
    assert seconds_per_megabyte(name, 300_000, attempts=2, enough=most)[0] < most
