"""GTP 2 as text (Farnebäck 2002): what a line asks and how an answer looks. Both ends of the wire stand on this.

    [id] command [arguments]          =[id] answer            ?[id] error

An answer ends with an empty line. Nothing here knows what a command means, or whose turn it is.
"""

import re
from dataclasses import dataclass

from katachi.core.errors import KatachiError
from katachi.core.types import Player

__all__ = [
    "MAX_ID",
    "GtpError",
    "Request",
    "Response",
    "format_color",
    "format_head",
    "format_line",
    "format_request",
    "format_response",
    "parse_color",
    "parse_request",
    "parse_response",
]

MAX_ID = 2**31 - 1

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_COLORS = {"b": Player.BLACK, "black": Player.BLACK, "w": Player.WHITE, "white": Player.WHITE}


class GtpError(KatachiError):
    """A command that fails: the message is what stands behind the question mark."""


@dataclass(frozen=True)
class Request:
    """One line of a controller."""

    command: str
    arguments: tuple[str, ...] = ()
    id: int | None = None


@dataclass(frozen=True)
class Response:
    """An engine's answer."""

    text: str
    is_error: bool = False
    id: int | None = None


def parse_request(line: str) -> Request | None:
    """Reads a line; None if it asks nothing (blank, or a comment only).

    Control characters are dropped, tabs are spaces, a number in front is an id; an id over MAX_ID is a GtpError. The
    command is empty when nothing follows the id.
    """
    words = _CONTROL.sub("", line).replace("\t", " ").replace("\n", " ").partition("#")[0].split(" ")
    words = [word for word in words if word]
    if not words:
        return None
    number = None
    if words[0].isascii() and words[0].isdigit():
        digits = words.pop(0)
        number = int(digits) if len(digits) <= 20 else MAX_ID + 1
        if number > MAX_ID:
            raise GtpError("syntax error")
    return Request(words[0] if words else "", tuple(words[1:]), number)


def format_request(request: Request) -> str:
    """The line of a request, newline included. A word that would break the line is a GtpError."""
    words = [request.command, *request.arguments]
    for word in words:
        if not word or re.search(r"[\s#\x00-\x1f\x7f]", word):
            raise GtpError(f"this cannot be a word of a GTP command: {word!r}")
    front = [] if request.id is None else [str(request.id)]
    return " ".join([*front, *words]) + "\n"


def format_response(response: Response) -> str:
    """The answer with the empty line that ends it. Empty lines inside the text become blank ones."""
    text = _CONTROL.sub("", response.text).replace("\t", " ").rstrip()
    first, *rest = (line.rstrip() for line in text.split("\n"))
    head = _head(response)
    return "\n".join([f"{head} {first}" if first else head, *(line or " " for line in rest)]) + "\n\n"


def format_line(text: str) -> str:
    """One line of an answer that comes line by line: `format_head` comes first, an empty line ends it."""
    return _CONTROL.sub("", text).replace("\t", " ").replace("\n", " ").rstrip() + "\n"


def format_head(response: Response) -> str:
    """The line that such an answer begins with."""
    return _head(response) + "\n"


def _head(response: Response) -> str:
    return ("?" if response.is_error else "=") + ("" if response.id is None else str(response.id))


def parse_response(text: str) -> Response:
    """Reads an answer, without or with the empty line that ends it; anything else is a GtpError that shows it."""
    clean = _CONTROL.sub("", text).replace("\t", " ").strip("\n")
    match = re.match(r"([=?])([0-9]{0,10})(?: |\n|$)", clean)
    if match is None:
        raise GtpError(f"this is not a GTP answer: {text[:200]!r}")
    number = int(match[2]) if match[2] else None
    body = "\n".join(line.rstrip() for line in clean[match.end() :].split("\n"))
    return Response(body.strip(), match[1] == "?", number)


def parse_color(word: str) -> Player:
    """`b`, `black`, `w` or `white`, in any case."""
    player = _COLORS.get(word.lower())
    if player is None:
        raise GtpError("syntax error")
    return player


def format_color(player: Player) -> str:
    """`black` or `white`."""
    return player.name.lower()
