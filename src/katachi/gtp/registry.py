"""Commands are functions with typed parameters; this module reads the words of a request into them.

    @command("play", errors={IllegalMoveError: "illegal move"})
    def play(session: Session, player: Player, action: Action) -> None: ...

The type of a parameter says how its word is read (`_READERS`; a Literal is one of its words), the type of the session
for which games the command is there. `tuple[T, ...]` takes the rest of the line, a default makes a parameter optional.
Words that do not fit are a `syntax error`, or what the command says instead; `errors` has the protocol's words for what
goes wrong later.
"""

import inspect
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

from katachi.core.errors import IllegalMoveError, KatachiError, ParseError
from katachi.core.types import Action, Player
from katachi.gtp.protocol import GtpError, parse_color
from katachi.gtp.session import Session
from katachi.players.thinking import ThinkingPlayer

__all__ = ["Command", "Json", "Move", "command", "commands_for", "find_command", "parse_vertex", "run_command"]

Move = NewType("Move", tuple[Player, Action])  # two words: colour and vertex
Json = NewType("Json", object)  # the rest of the line: JSON, or words that are meant as they stand

_LONGEST_MESSAGE = 500
_INTEGER = re.compile(r"[+-]?[0-9]{1,10}")
_FLOAT = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,3})?")
_VERTEX = re.compile(r"(?i:[a-hj-z](?:[1-9]|1[0-9]|2[0-5]))")


@dataclass(frozen=True)
class Command:
    """A command and how its words are read."""

    name: str
    function: Callable[..., str | None]
    session: type[Session]
    parameters: tuple["_Parameter", ...]
    errors: Mapping[type[KatachiError], str]
    bad_arguments: str
    thinks: bool  # only for players that do

    def is_for(self, session: Session) -> bool:
        """Does a session know it?"""
        return isinstance(session, self.session) and (not self.thinks or isinstance(session.player, ThinkingPlayer))


@dataclass(frozen=True)
class _Parameter:
    read: "_Reader"
    words: int  # how many words one value takes
    is_optional: bool = False
    is_rest: bool = False


_COMMANDS: dict[str, Command] = {}


def command(
    name: str,
    *,
    errors: Mapping[type[KatachiError], str] | None = None,
    bad_arguments: str = "syntax error",
    thinks: bool = False,
) -> Callable[[Callable[..., str | None]], Callable[..., str | None]]:
    """Registers a function under a name. One that `thinks` is known only where the player can be watched thinking."""

    def register(function: Callable[..., str | None]) -> Callable[..., str | None]:
        assert name not in _COMMANDS, name
        hints = get_type_hints(function)
        session, *rest = inspect.signature(function).parameters.values()
        parameters = tuple(_parameter(hints[p.name], p.default is not p.empty) for p in rest)
        _COMMANDS[name] = Command(name, function, hints[session.name], parameters, errors or {}, bad_arguments, thinks)
        return function

    return register


def commands_for(session: Session) -> list[str]:
    """The names of all commands that this session knows, sorted."""
    return sorted(name for name, known in _COMMANDS.items() if known.is_for(session))


def find_command(session: Session, name: str) -> Command | None:
    """A command by name, if this session knows it."""
    known = _COMMANDS.get(name)
    return known if known is not None and known.is_for(session) else None


def run_command(session: Session, name: str, words: Sequence[str]) -> str:
    """Reads the words, calls the command, returns its answer. What goes wrong is a GtpError with the answer's text."""
    found = find_command(session, name)
    if found is None:
        raise GtpError("unknown command" if name else "syntax error")
    try:
        return found.function(session, *_read_all(session, found, words)) or ""
    except GtpError:
        raise
    except KatachiError as error:
        for kind, text in found.errors.items():
            if isinstance(error, kind):
                raise GtpError(text) from error
        raise GtpError(str(error).split("\n")[0][:_LONGEST_MESSAGE]) from error


def parse_vertex(session: Session, word: str) -> Action:
    """An action of this session's board; what is none is a ParseError."""
    return _action(session, word)


def _read_all(session: Session, found: Command, words: Sequence[str]) -> list[Any]:
    values: list[Any] = []
    place = 0
    try:
        for parameter in found.parameters:
            step = parameter.words or len(words) - place
            if parameter.is_rest:
                chunks = range(place, len(words), step)
                values.append(tuple(_read(session, parameter, words, start, step) for start in chunks))
                place = len(words)
            elif place < len(words) or not parameter.is_optional:
                values.append(_read(session, parameter, words, place, step))
                place += step
        if place < len(words):
            raise ParseError(f"too many words: {words[place]!r}")
    except OffBoardError as error:
        # A vertex of the protocol that this board does not have: where a move could be illegal, this one is.
        raise GtpError(found.errors.get(IllegalMoveError, found.bad_arguments)) from error
    except (ParseError, GtpError) as error:
        raise GtpError(found.bad_arguments) from error
    return values


class OffBoardError(ParseError):
    """A vertex that is one, but not on this board."""


def _read(session: Session, parameter: _Parameter, words: Sequence[str], start: int, count: int) -> Any:  # noqa: ANN401
    chunk = words[start : start + count]
    if len(chunk) < max(count, 1):
        raise ParseError("too few words")
    return parameter.read(session, *chunk)


# -- how words of each type are read

_Reader = Callable[..., Any]


def _integer(_: Session, word: str) -> int:
    if _INTEGER.fullmatch(word) is None or abs(int(word)) >= 2**31:
        raise ParseError(f"{word!r} is not an integer")
    return int(word)


def _float(_: Session, word: str) -> float:
    if _FLOAT.fullmatch(word) is None or not math.isfinite(float(word)):
        raise ParseError(f"{word!r} is not a number")
    return float(word)


def _text(_: Session, word: str) -> str:
    return word


def _path(_: Session, word: str) -> Path:
    return Path(word)


def _color(_: Session, word: str) -> Player:
    return parse_color(word)


def _action(session: Session, word: str) -> Action:
    if word.lower() != "pass" and _VERTEX.fullmatch(word) is None:
        raise ParseError(f"{word!r} is not a vertex")
    try:
        return session.game.parse_action(session.state, word)
    except ParseError as error:
        raise OffBoardError(str(error)) from None


def _move(session: Session, color: str, vertex: str) -> Move:
    return Move((parse_color(color), _action(session, vertex)))


def _json(_: Session, *words: str) -> Json:
    text = " ".join(words)
    if text.lower() in ("true", "false"):
        return Json(text.lower() == "true")
    try:
        return Json(json.loads(text))
    except (ValueError, RecursionError):
        if text.startswith(("{", "[", '"')):
            raise ParseError(f"this is not JSON: {text[:100]!r}") from None
    return Json(text)


def _one_of(choices: tuple[str, ...]) -> _Reader:
    def read(_: Session, word: str) -> str:
        if word.lower() not in choices:
            raise ParseError(f"{word!r} is none of {', '.join(choices)}")
        return word.lower()

    read.__name__ = "_one_of"
    return read


# By type: the reader, and how many words a value takes (0: all that are left).
_READERS: dict[object, tuple[_Reader, int]] = {
    int: (_integer, 1),
    float: (_float, 1),
    str: (_text, 1),
    Path: (_path, 1),
    Player: (_color, 1),
    Action: (_action, 1),
    Move: (_move, 2),
    Json: (_json, 0),
}


def _parameter(hint: Any, has_default: bool) -> _Parameter:  # noqa: ANN401
    is_rest = get_origin(hint) is tuple
    if is_rest:
        hint = get_args(hint)[0]
    elif get_origin(hint) in (Union, UnionType):
        (hint,) = (part for part in get_args(hint) if part is not type(None))
    read, words = (_one_of(get_args(hint)), 1) if get_origin(hint) is Literal else _READERS[hint]
    return _Parameter(read, words, is_optional=has_default, is_rest=is_rest)
