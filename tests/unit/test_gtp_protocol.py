"""GTP as text: requests, answers, and that what one side writes the other reads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi import Player
from katachi.gtp.protocol import (
    MAX_ID,
    GtpError,
    Request,
    Response,
    format_request,
    format_response,
    parse_color,
    parse_request,
    parse_response,
)

WORD = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"], exclude_characters="#"), min_size=1
)


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("play b D4", Request("play", ("b", "D4"))),
        ("12 play b D4\r\n", Request("play", ("b", "D4"), 12)),
        ("  \t7\tgenmove\tw\t", Request("genmove", ("w",), 7)),
        ("name#comment", Request("name")),
        ("name # 12 play", Request("name")),
        ("\x01na\x7fme\x00", Request("name")),
        ("3", Request("", (), 3)),
        ("0 quit", Request("quit", (), 0)),
        ("-3 quit", Request("-3", ("quit",))),
        ("² quit", Request("²", ("quit",))),
        ("", None),
        (" \t\r\n", None),
        ("# comment", None),
    ],
)
def test_requests(line: str, request_: Request | None) -> None:
    assert parse_request(line) == request_


@pytest.mark.parametrize("number", [MAX_ID + 1, 10**30])
def test_an_id_that_is_too_large(number: int) -> None:
    assert parse_request(f"{MAX_ID} name") == Request("name", (), MAX_ID)
    with pytest.raises(GtpError, match=r"^syntax error$"):
        parse_request(f"{number} name")


@pytest.mark.parametrize(
    ("response", "text"),
    [
        (Response(""), "=\n\n"),
        (Response("", id=3), "=3\n\n"),
        (Response("D4", id=3), "=3 D4\n\n"),
        (Response("syntax error", is_error=True), "? syntax error\n\n"),
        (Response("illegal move", is_error=True, id=0), "?0 illegal move\n\n"),
        (Response("a\nb"), "= a\nb\n\n"),
        (Response("\n A B\n1 . ."), "=\n A B\n1 . .\n\n"),
        (Response("a\n\nb\n\n\n"), "= a\n \nb\n\n"),
        (Response("a\tb\r\x07  "), "= a b\n\n"),
    ],
)
def test_responses(response: Response, text: str) -> None:
    assert format_response(response) == text


@given(st.lists(WORD, min_size=1), st.none() | st.integers(0, MAX_ID))
def test_what_is_asked_is_read(words: list[str], number: int | None) -> None:
    command, *arguments = words
    if number is None and command.isdigit() and command.isascii():
        command = f"x{command}"
    request = Request(command, tuple(arguments), number)
    assert parse_request(format_request(request)) == request


@given(st.text(), st.booleans(), st.none() | st.integers(0, MAX_ID))
def test_an_answer_is_one_block(text: str, is_error: bool, number: int | None) -> None:
    answer = format_response(Response(text, is_error, number))
    assert answer.endswith("\n\n")
    assert "\n\n" not in answer[:-1], "an empty line inside would end the answer"
    read = parse_response(answer)
    assert (read.is_error, read.id) == (is_error, number)


@pytest.mark.parametrize("word", ["", "a b", "a\n", "#", "a\tb", "a\x00"])
def test_words_that_would_break_the_line(word: str) -> None:
    with pytest.raises(GtpError, match="cannot be a word"):
        format_request(Request("play", (word,)))


@pytest.mark.parametrize("text", ["", "hello", "==", "=x y", "= 1"[1:], "=123456789012 x"])
def test_junk_is_no_answer(text: str) -> None:
    with pytest.raises(GtpError, match="not a GTP answer"):
        parse_response(text)


@pytest.mark.parametrize("word", ["b", "B", "black", "BLACK", "w", "White"])
def test_colours(word: str) -> None:
    assert parse_color(word) is (Player.BLACK if word[0] in "bB" else Player.WHITE)


@pytest.mark.parametrize("word", ["", "x", "bl", "blacks", "1"])
def test_no_colours(word: str) -> None:
    with pytest.raises(GtpError, match="syntax error"):
        parse_color(word)
