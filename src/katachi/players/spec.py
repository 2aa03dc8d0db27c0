"""The short language in which players are named.

    flat-mc:sims=100                         a player and its options
    mc-rave:sims=3000,prior="even"           values may be quoted; nested keys, where there are any, are dotted
    gtp:gnugo --mode gtp --level 10          an external engine: everything after gtp: is its command
    gtp[timeout=120]:gnugo --mode gtp        its options (`katachi.players.gtp_player.GtpSettings`) stand before that

Bare values are read as numbers or true/false where they look like it, otherwise as text.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from katachi.core.errors import ParseError
from katachi.core.settings import Settings

__all__ = ["PlayerSpec", "format_spec", "parse_spec", "preset_spec"]

_NAME = re.compile(r"[a-z][a-z0-9-]*")
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
_BARE = {"": re.compile(r"[^,\"']*"), "]": re.compile(r"[^,\"'\]]*")}  # by what comes after the options
_ESCAPES = {"n": "\n", "t": "\t"}


@dataclass(frozen=True)
class PlayerSpec:
    """A parsed spec: a name with options, and the external command of `gtp`."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    command: str | None = None

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> "PlayerSpec":
        """From a TOML table: `player = "flat-mc"` and its options, or `player = "gtp"`, `command` and its options."""
        options = dict(table)
        name = options.pop("player", None)
        if not isinstance(name, str) or _NAME.fullmatch(name) is None:
            raise ParseError(f'a player\'s table needs player = "NAME", not {name!r}')
        if name == "gtp":
            command = options.pop("command", None)
            if not isinstance(command, str) or not command.strip():
                raise ParseError(f'a gtp player\'s table needs command = "…": {dict(table)!r}')
            return cls(name, options, command)
        return cls(name, options)


def parse_spec(text: str) -> PlayerSpec:
    """Reads a spec; a mistake is a ParseError with its place."""
    if text.startswith("gtp["):
        options, place = _parse_options(text, len("gtp["), "]")
        if text[place : place + 2] != "]:":
            raise ParseError(f"player spec {text!r}: expected ]:COMMAND at column {place + 1}: {text[place:]!r}")
        return PlayerSpec("gtp", options, _command(text, place + 2))
    name, colon, rest = text.partition(":")
    if _NAME.fullmatch(name) is None:
        raise ParseError(
            f"player spec {text!r}: {name!r} is not a player's name (lower-case letters, digits and dashes)"
        )
    if name == "gtp":
        return PlayerSpec(name, {}, _command(text, len("gtp:")))
    if not colon:
        return PlayerSpec(name)
    if not rest:
        raise ParseError(f"player spec {text!r}: expected key=value after the colon")
    options, _ = _parse_options(text, len(name) + 1, "")
    return PlayerSpec(name, options)


def format_spec(spec: PlayerSpec) -> str:
    """The inverse of `parse_spec`."""
    options = ",".join(f"{key}={_format_value(value)}" for key, value in _flat(spec.options))
    if spec.command is not None:
        return f"{spec.name}[{options}]:{spec.command}" if options else f"{spec.name}:{spec.command}"
    return f"{spec.name}:{options}" if options else spec.name


def _command(text: str, place: int) -> str:
    command = text[place:].strip()
    if not command:
        raise ParseError(f"player spec {text!r}: gtp: needs the engine's command after the colon, column {place}")
    return command


def _parse_options(text: str, place: int, end: str) -> tuple[dict[str, Any], int]:
    """What begins at a place, up to `end` (empty: the end of the text), and the place of that."""
    options: dict[str, Any] = {}
    while True:
        key = _KEY.match(text, place)
        if key is None or text[key.end() : key.end() + 1] != "=":
            raise ParseError(f"player spec {text!r}: expected key=value at column {place + 1}: {text[place:]!r}")
        value, place = _parse_value(text, key.end() + 1, end)
        _insert(options, key[0], value, text)
        if text[place : place + 1] == end:
            return options, place
        if text[place : place + 1] != "," or place + 1 == len(text):
            expected = f",key=value or {end}" if end else ",key=value"
            raise ParseError(f"player spec {text!r}: expected {expected} at column {place + 1}: {text[place:]!r}")
        place += 1


def _parse_value(text: str, place: int, end: str) -> tuple[Any, int]:
    quote = text[place : place + 1]
    if quote and quote in "\"'":
        letters = []
        i = place + 1
        while i < len(text) and text[i] != quote:
            if text[i] == "\\" and i + 1 < len(text):
                i += 1
                letters.append(_ESCAPES.get(text[i], text[i]))
            else:
                letters.append(text[i])
            i += 1
        if i >= len(text):
            raise ParseError(f"player spec {text!r}: the quote at column {place + 1} is not closed")
        return "".join(letters), i + 1
    bare = _BARE[end].match(text, place)
    assert bare is not None  # the pattern matches the empty text
    if not bare[0].strip():
        raise ParseError(f"player spec {text!r}: a value is missing at column {place + 1}")
    return _scalar(bare[0].strip()), bare.end()


def _scalar(word: str) -> Any:  # noqa: ANN401
    if word in ("true", "false"):
        return word == "true"
    for kind, pattern in ((int, r"[+-]?\d+"), (float, r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")):
        if len(word) <= 40 and re.fullmatch(pattern, word):
            return kind(word)
    return word


def _format_value(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)) and isfinite(value):
        return repr(value)
    if not isinstance(value, str):
        raise ParseError(f"a player spec cannot say {value!r}: use a TOML table")
    word = value
    if re.fullmatch(r"[^,\"'\\\s=\]]+", word) and isinstance(_scalar(word), str):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def _insert(options: dict[str, Any], dotted: str, value: Any, text: str) -> None:  # noqa: ANN401
    *parents, last = dotted.split(".")
    for parent in parents:
        options = options.setdefault(parent, {})
        if not isinstance(options, dict):
            raise ParseError(f"player spec {text!r}: {parent!r} is both a value and a table")
    if last in options:
        raise ParseError(f"player spec {text!r}: {dotted!r} is given twice")
    options[last] = value


def _flat(options: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    flat: list[tuple[str, Any]] = []
    for key, value in options.items():
        flat += _flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) else [(prefix + key, value)]
    return flat


def preset_spec(kind: str, settings: Settings, usual: Settings, **shown: object) -> str:
    """The spec of a player with a preset: its budget, and what else differs from the usual. `shown`: other words."""
    budget = {name: getattr(settings, name, None) for name in ("sims", "steps", "seconds")}
    rest = _differences(settings, usual)
    options = {**{name: value for name, value in budget.items() if value is not None}, **rest}
    return format_spec(PlayerSpec(kind, {name: shown.get(name, value) for name, value in options.items()}))


def _differences(settings: Settings, usual: Settings) -> dict[str, Any]:
    """Settings that are not as usual, by the names that specs have for them; those inside of settings nested."""
    found = dict[str, Any]()
    for name, field_info in type(settings).model_fields.items():
        value, other = getattr(settings, name), getattr(usual, name)
        if value is not None and value != other:
            nested = isinstance(value, Settings) and isinstance(other, Settings)
            found[field_info.alias or name] = _differences(value, other) if nested else value
    return found
