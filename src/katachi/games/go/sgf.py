"""SGF (FF[4]): text to tree and back. The grammar is sgfmill's; charsets, limits and errors are ours.

A tree is an `SgfNode` with children. Values are kept as they stand between the brackets, escapes and all, so that what
is not understood is saved as it was loaded; `SgfNode.text` and `set_text` translate. Nothing here recurses, so trees
may be as deep as memory allows.

The bytes of a file become text by its charset before anything is parsed, because the second byte of a character of
Shift JIS, Big5 or GBK may be a backslash or a bracket. Some programs, sgfmill among them, escape such bytes instead of
characters. Where that makes a difference the reading with more values in it is tried first, because a wrong one takes
the end of a value for text; if none has more, the one by characters.

A charset that is often named where a larger one is meant is read as that one, as browsers do: GB2312 and GBK as
GB18030, Shift JIS as Windows-31J (cp932), EUC-KR as cp949, ASCII as UTF-8, else Windows-1252.

What reading does not keep: the order of properties in a node, lower-case letters in their names (`AddBlack` is `AB`),
text outside of games, and the charset. Saving writes UTF-8 and says so: it sets CA[UTF-8], and FF[4] if there is no FF.

What the properties mean to a game of Go: katachi.games.go.record.
"""

import codecs
import errno
import gc
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from sys import intern
from typing import Any

from sgfmill import sgf_grammar

from katachi.core.errors import InvalidArgumentError, ParseError
from katachi.core.files import write_whole
from katachi.core.settings import did_you_mean

__all__ = [
    "CHARSETS",
    "MAX_BYTES",
    "MAX_TOKENS",
    "SgfError",
    "SgfNode",
    "format_sgf",
    "load_sgf",
    "node_error",
    "parse_sgf",
    "parse_sgf_collection",
    "save_sgf",
]

MAX_BYTES = 16 * 2**20
"""The largest file that is read; dictionaries of joseki take a few megabytes.

Text of other charsets grows in UTF-8: what was read from a file near this size may be too large once it is saved."""

MAX_TOKENS = 800_000
"""Parentheses, semicolons, property names, values and escapes in a file that is read: some 260,000 moves.

sgfmill lists all tokens before it looks at the first; a token of one byte may take 400 bytes by the time the tree is
built, an escape 72 bytes while its value is matched. This keeps a hostile file below 512 MB and two seconds."""

# As `codecs.lookup` names them: those that write ASCII as ASCII, and no transformations such as bz2.
_EUROPEAN = [f"iso8859-{n}" for n in (1, 2, 3, 4, 5, 7, 9, 10, 13, 14, 15, 16)] + [f"cp{n}" for n in range(1250, 1259)]
_OLDER = ["cp437", "cp850", "cp852", "cp866", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic"]
_OTHERS = ["iso8859-6", "iso8859-8", "iso8859-11", "cp874", "tis-620"]
_JAPANESE = ["shift_jis", "cp932", "euc_jp", "iso2022_jp"]
_CHINESE = ["gb2312", "gbk", "gb18030", "big5", "big5hkscs", "cp950"]
_KOREAN = ["euc_kr", "cp949", "johab"]
CHARSETS = frozenset(["ascii", "utf-8", *_EUROPEAN, *_OLDER, *_OTHERS, *_JAPANESE, *_CHINESE, *_KOREAN])
"""Charsets that the CA property may name."""

_ALIASES = {"x-sjis": "shift_jis", "windows-31j": "cp932", "windows-949": "cp949", "windows-936": "gbk", "x-gbk": "gbk"}
# What such a charset is read as: the first that fits the bytes.
_READ_AS = {
    "gb2312": ("gb18030",),
    "gbk": ("gb18030",),
    "shift_jis": ("cp932", "shift_jis"),
    "euc_kr": ("cp949",),
    "ascii": ("utf-8", "cp1252"),
}
# Those with characters that contain the byte of a backslash or a closing bracket.
_ENTANGLED = frozenset(["cp932", "shift_jis", "iso2022_jp", "gb18030", "big5", "big5hkscs", "cp950", "johab"])
_PERHAPS_ESCAPED_BYTE = re.compile(rb"[\x80-\xff]\\|\x1b[^\x1b\\]*\\")

_WIDE_CHARSETS = frozenset(["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
# Longer ones first: the mark of UTF-32 begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHARSET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+ -]{0,39}")
_CHARSET_SOMEWHERE = re.compile(rb"CA\s*\[([^\]\\\[]{1,60})\]")
_HEAD = 2**16  # a charset that cannot be found properly is looked for in so many bytes

# The same tokens as sgfmill's, and the same beginning of a game.
_TOKEN = re.compile(rb"\s*(?:\[([^\\\]]*(?:\\.[^\\\]]*)*)\]|([A-Za-z]{1,64})|([;()]))", re.DOTALL)
_VALUE, _NAME, _DELIMITER = 1, 2, 3
_GAME_START = re.compile(rb"\(\s*;")
# Also one that is never closed: to look for it again behind every bracket would take forever.
_ANY_VALUE = re.compile(rb"\[([^\\\]]*(?:\\.[^\\\]]*)*)(\]|\\?\Z)", re.DOTALL)
_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
_LOWER_CASE = bytes(range(ord("a"), ord("z") + 1))


class SgfError(ParseError):
    """A file that is no SGF, or a record that makes no sense; names the byte, or the node and the property."""


def node_error(where: str, name: str, value: str | None, reason: str) -> SgfError:
    """An error at a property of a node; `where` is "root node" or "node 17 of the main line"."""
    shown = "" if value is None else f" {_show(value)}"
    return SgfError(f"SGF, {where}, property {name}{shown}: {reason}")


def _show(value: str, most: int = 40) -> str:
    return repr(value if len(value) <= most else f"{value[:most]}…")


# -- the tree


class SgfNode:
    """A node: `properties` maps names to raw values, `children` are the nodes that follow, the main line first."""

    __slots__ = ("children", "properties")

    def __init__(self, properties: dict[str, list[str]] | None = None) -> None:
        self.properties: dict[str, list[str]] = {} if properties is None else properties
        self.children: list[SgfNode] = []

    def __contains__(self, name: str) -> bool:
        return name in self.properties

    def text(self, name: str) -> str | None:
        """A property as text with line breaks, or None; several values are joined by line breaks."""
        return self._unescaped(name, sgf_grammar.text_value, "\n")

    def simple_text(self, name: str) -> str | None:
        """A property as one line of text without spaces around it, or None; several values are joined by spaces."""
        value = self._unescaped(name, sgf_grammar.simpletext_value, " ")
        return None if value is None else value.strip(" ")

    def set_text(self, name: str, text: str | None) -> None:
        """Sets a property to one text, or removes it.

        Reading gives the normal form of FF[4]: every kind of line break as "\\n", other white space as " ".
        """
        if not sgf_grammar.is_valid_property_identifier(name):
            raise InvalidArgumentError(f"{name!r} is no SGF property: expected 1 to 64 capital letters")
        if text is None:
            self.properties.pop(name, None)
            return
        try:
            raw = text.encode()
        except UnicodeEncodeError as error:
            raise InvalidArgumentError(f"text for {name} that is no Unicode: {_show(text)}") from error
        self.properties[name] = [sgf_grammar.escape_text(raw).decode()]

    @property
    def comment(self) -> str:
        """The comment (C), or an empty text."""
        return self.text("C") or ""

    @comment.setter
    def comment(self, text: str) -> None:
        self.set_text("C", text or None)

    def add_child(self, properties: dict[str, list[str]] | None = None) -> "SgfNode":
        """A new node, the last child of this one."""
        child = SgfNode(properties)
        self.children.append(child)
        return child

    def main_line(self) -> Iterator["SgfNode"]:
        """This node, its first child, the first child of that, and so on."""
        node: SgfNode | None = self
        while node is not None:
            yield node
            node = node.children[0] if node.children else None

    def walk(self) -> Iterator["SgfNode"]:
        """This node and all below it, parents before children, the main line first."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def copy(self) -> "SgfNode":
        """An independent copy of the whole tree."""
        return _rebuild([({name: [*raw] for name, raw in props.items()}, count) for props, count in self._flat()])

    def _unescaped(self, name: str, unescape: Any, separator: str) -> str | None:  # noqa: ANN401
        values = self.properties.get(name)
        return None if values is None else separator.join(unescape(v.encode()).decode() for v in values)

    def _flat(self) -> list[tuple[dict[str, list[str]], int]]:
        return [(node.properties, len(node.children)) for node in self.walk()]

    def __copy__(self) -> "SgfNode":
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> "SgfNode":
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self._flat(),)

    def __eq__(self, other: object) -> bool:
        """The same properties with the same raw values, in trees of the same shape."""
        if not isinstance(other, SgfNode):
            return NotImplemented
        stack = [(self, other)]
        while stack:
            one, two = stack.pop()
            if one.properties != two.properties or len(one.children) != len(two.children):
                return False
            stack.extend(zip(one.children, two.children, strict=True))
        return True

    __hash__ = None  # type: ignore[assignment]  # it can change

    def __repr__(self) -> str:
        names = " ".join(self.properties) or "no properties"
        return f"<SgfNode {names}, {len(self.children)} children>"


def _rebuild(flat: list[tuple[dict[str, list[str]], int]]) -> SgfNode:
    """A tree from its nodes in the order of `walk`, each with its number of children."""
    root: SgfNode | None = None
    open_nodes: list[tuple[SgfNode, int]] = []
    for properties, count in flat:
        node = SgfNode(properties)
        if root is None:
            root = node
        else:
            while len(open_nodes[-1][0].children) == open_nodes[-1][1]:
                open_nodes.pop()
            open_nodes[-1][0].children.append(node)
        open_nodes.append((node, count))
    assert root is not None
    return root


# -- reading


def parse_sgf(data: bytes | str, *, encoding: str | None = None) -> SgfNode:
    """The first game of a file; what stands before and after it is not looked at.

    The charset is that of a byte order mark, else `encoding`, else the CA property, else UTF-8 if the bytes allow it,
    else ISO-8859-1.
    """
    return _parse_games(data, encoding, first_only=True)[0]


def parse_sgf_collection(data: bytes | str, *, encoding: str | None = None) -> list[SgfNode]:
    """All games of a file, at least one."""
    return _parse_games(data, encoding, first_only=False)


def load_sgf(path: str | os.PathLike[str], *, encoding: str | None = None) -> SgfNode:
    """The first game of a file on disk; errors name the file. A pipe or a device, which may not end, is an OSError."""
    if not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
        raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))
    with open(path, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    try:
        return parse_sgf(data, encoding=encoding)
    except SgfError as error:
        raise SgfError(f"{os.fspath(path)}: {error}") from None


def _parse_games(data: bytes | str, encoding: str | None, *, first_only: bool) -> list[SgfNode]:
    if isinstance(data, str):
        return _games(_from_text(data, encoding), first_only=first_only)
    charset, mark = _charset_of(data, encoding)
    guess = _unescaped_by_bytes(charset, data)
    try:
        source = _decoded_by(charset, data, mark)
        if guess is not None:
            # All but the values: where that is the same, so is the grammar.
            outline, other = (_ANY_VALUE.sub(b"[]", reading.utf8) for reading in (source, guess))
            if other == outline:
                guess = None
            elif other.count(b"[") > outline.count(b"["):
                with suppress(SgfError):
                    return _games(guess, first_only=first_only)
                guess = None
        return _games(source, first_only=first_only)
    except SgfError:
        if guess is not None:
            with suppress(SgfError):
                return _games(guess, first_only=first_only)
        raise


def _games(source: "_Source", *, first_only: bool) -> list[SgfNode]:
    with _without_collection():
        games = [_parse_game(source, start, end) for start, end in _extents(source, first_only=first_only)]
    if not games:
        raise SgfError(
            f"SGF, byte {source.offset(0)}: no game found in {len(source.original)} bytes read as {source.charset}: "
            "a game begins with '(;'"
        )
    return games


def _parse_game(source: "_Source", start: int, end: int) -> SgfNode:
    try:
        root = _build(sgf_grammar.parse_sgf_game(source.utf8[start:end]))
    except ValueError as error:
        if source.is_guess:
            raise SgfError(f"SGF: {error}") from None
        offset, reason = _locate(source.utf8, start) or (start, str(error))
        raise SgfError(f"SGF, byte {source.offset(offset)}: {reason}") from None
    return root


def _extents(source: "_Source", *, first_only: bool) -> Iterator[tuple[int, int]]:
    """Where games begin and end, or what is no SGF begins; refuses a file with too many tokens."""
    text = source.utf8
    escapes = text.count(b"\\")
    start = _GAME_START.search(text)
    if first_only and start is not None and escapes <= MAX_TOKENS:
        # Every token leaves at least one byte of this.
        remains = _ANY_VALUE.sub(b"[", text[start.start() :]).translate(None, b" \t\r\n\v\f")
        if len(remains) + escapes <= MAX_TOKENS:
            yield start.start(), len(text)
            return
    budget = MAX_TOKENS - escapes
    while start is not None:
        position, depth = start.start(), 0
        while budget >= 0 and (token := _TOKEN.match(text, position)) is not None:
            position = token.end()
            budget -= 1
            if token.lastindex == _DELIMITER:
                delimiter = token[_DELIMITER]
                depth += (delimiter == b"(") - (delimiter == b")")
                if depth == 0:
                    break
        if budget < 0:
            raise SgfError(
                f"SGF, byte {source.offset(position)}: too large: more than {MAX_TOKENS:,} parentheses, semicolons, "
                "names, values and escapes"
            )
        yield start.start(), position
        start = None if first_only else _GAME_START.search(text, position)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Without the collector of cycles, which would look at a growing tree again and again: half of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _build(tree: Any) -> SgfNode:  # noqa: ANN401
    """The nodes of an `sgf_grammar.Coarse_game_tree`, which is used up."""
    root = SgfNode()
    stack = [(tree, root)]
    while stack:
        branch, parent = stack.pop()
        for properties in branch.sequence:
            if properties:
                if "" in properties:
                    raise ValueError("a property name without capital letters")
                properties = {intern(name): [raw.decode() for raw in raws] for name, raws in properties.items()}
            node = SgfNode(properties)
            parent.children.append(node)
            parent = node
        branch.sequence = ()  # makes room
        for child in reversed(branch.children):
            stack.append((child, parent))
    return root.children[0]


def _locate(text: bytes, start: int) -> tuple[int, str] | None:
    """The first token that is out of place, and why: run after a failure, because sgfmill does not tell where."""
    depth, place = 0, "outside"
    name: tuple[int, str] | None = None  # the last property name, while it waits for a value
    may_have_value = False
    position = start
    while (token := _TOKEN.match(text, position)) is not None:
        kind = token.lastindex
        assert kind is not None
        at = token.start(kind)
        position = token.end()
        if kind == _VALUE:
            if not may_have_value:
                return at - 1, f"the value {_show(token[_VALUE].decode())} follows no property name"
            name = None
            continue
        if name is not None:
            return name[0], f"property {name[1]!r} has no value"
        may_have_value = kind == _NAME
        if kind == _NAME:
            name = (at, token[_NAME].decode())
            if text[position : position + 1].isalpha():
                return at, f"the property name {_show(name[1])} has more than 64 letters"
            if place != "node":
                return at, f"property {name[1]!r} stands outside of a node"
            if not token[_NAME].translate(None, _LOWER_CASE):
                return at, f"property name {name[1]!r} has no capital letter"
        elif token[_DELIMITER] == b";":
            if place == "after variations":
                return at, "a node follows the variations of the one before"
            place = "node"
        else:
            if place == "variation":
                return at, "a variation begins without a node"
            opens = token[_DELIMITER] == b"("
            place = "variation" if opens else "after variations"
            depth += 1 if opens else -1
            if depth == 0:
                return None
    rest = re.compile(rb"\s*").match(text, position)
    at = position if rest is None else rest.end()
    if at < len(text) and text[at : at + 1] != b"[":
        shown = text[at : at + 32].decode(errors="ignore")[:1]
        return at, f"{shown!r} stands where a property, a node or a parenthesis should"
    if at < len(text):
        return at, "the value that begins here is never closed"
    if name is not None:
        return name[0], f"property {name[1]!r} has no value: the file ends"
    return at, f"the file ends before the game does: {depth} parentheses are open"


# -- charsets


@dataclass(frozen=True)
class _Source:
    """A file: its bytes, and the same as UTF-8, which is what gets parsed."""

    original: bytes
    mark: int  # length of the byte order mark
    charset: str
    utf8: bytes
    is_guess: bool = False  # its errors are shown to nobody

    def offset(self, at: int) -> int:
        """The byte of the original file that stands at a byte of the UTF-8."""
        if self.charset in ("utf-8", "ascii"):
            return self.mark + at
        characters = len(self.utf8[:at].decode())
        decoder = codecs.getincrementaldecoder(self.charset)()
        position, step = self.mark, 2**16
        # By large steps, then by single bytes, to where so many characters are complete.
        while characters > 0 and position < len(self.original):
            state = decoder.getstate()
            decoded = len(decoder.decode(self.original[position : position + step]))
            if decoded >= characters and step > 1:
                decoder.setstate(state)
                step = 1
                continue
            characters -= decoded
            position += step
        return position


def _charset_of(data: bytes, encoding: str | None) -> tuple[str, int]:
    """The charset of a file, and the length of its byte order mark."""
    if len(data) > MAX_BYTES:
        raise SgfError(f"SGF, byte {MAX_BYTES}: too large: more than {MAX_BYTES:,} bytes")
    chosen = None if encoding is None else _charset(encoding)
    if encoding is not None and chosen not in CHARSETS | _WIDE_CHARSETS:
        raise InvalidArgumentError(f"encoding {encoding!r} is not supported: {did_you_mean(encoding, CHARSETS)}")
    for mark, charset in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return charset, len(mark)
    return chosen or _find_charset(data), 0


def _from_text(text: str, encoding: str | None) -> _Source:
    if encoding is not None:
        raise InvalidArgumentError(f"encoding {encoding!r} for text that is already decoded: give bytes")
    try:
        utf8 = text.encode()
    except UnicodeEncodeError as error:
        at = len(text[: error.start].encode())
        raise SgfError(f"SGF, byte {at}: {text[error.start]!r} is half of a surrogate pair") from None
    if len(utf8) > MAX_BYTES:
        raise SgfError(f"SGF, byte {MAX_BYTES}: too large: more than {MAX_BYTES:,} bytes")
    return _Source(utf8, 0, "utf-8", utf8)


def _decoded_by(charset: str, data: bytes, mark: int = 0) -> _Source:
    content = data[mark:]
    refusal: UnicodeError | None = None
    for codec in _READ_AS.get(charset, (charset,)):
        try:
            return _Source(data, mark, codec, content.decode(codec).encode())
        except UnicodeError as error:
            refusal = refusal or error
    if isinstance(refusal, UnicodeDecodeError):
        wrong = content[refusal.start : refusal.end]
        raise SgfError(
            f"SGF, byte {mark + refusal.start}: {wrong[:8]!r} is no {charset}; if the file has another charset, "
            "name it with encoding= (--encoding)"
        )
    assert isinstance(refusal, UnicodeEncodeError)  # some decoders let halves of surrogate pairs through
    raise SgfError(f"SGF: {charset} text with {refusal.object[refusal.start]!r}, half of a surrogate pair")


def _unescaped_by_bytes(charset: str, data: bytes) -> _Source | None:
    """The file read as if its bytes were escaped, not its characters, or None if it does not look like that."""
    codec = _READ_AS.get(charset, (charset,))[0]
    start = _GAME_START.search(data)
    if codec not in _ENTANGLED or start is None or _PERHAPS_ESCAPED_BYTE.search(data) is None:
        return None
    if data.count(b"\\") > MAX_TOKENS:
        return None

    def value(found: re.Match[bytes]) -> bytes:
        raw: bytes = found[1]
        if raw.isascii() and b"\x1b" not in raw:
            return found[0]
        return b"[" + _escaped_by_characters(raw, codec) + found[2]

    try:
        utf8 = _ANY_VALUE.sub(value, data[start.start() :])
        utf8 = utf8.decode(errors="replace").encode()
        return _Source(utf8, 0, "utf-8", utf8, is_guess=True)
    except UnicodeError:
        return None


def _escaped_by_characters(raw: bytes, codec: str) -> bytes:
    """A value with escaped bytes as UTF-8 with escaped characters; escapes of colons and line breaks are kept."""
    pieces, plain = [], bytearray()
    for number, part in enumerate(_ESCAPE.split(raw)):
        if number % 2 == 1 and part in b":\r\n":
            pieces += [sgf_grammar.escape_text(plain.decode(codec).encode()), b"\\" + part]
            plain.clear()
        else:
            plain += part
    return b"".join([*pieces, sgf_grammar.escape_text(plain.decode(codec).encode())])


def _charset(name: str) -> str | None:
    """The name that `codecs` has for a charset, or None."""
    name = name.strip()
    if _CHARSET_NAME.fullmatch(name) is None:
        return None
    try:
        return codecs.lookup(_ALIASES.get(name.lower(), name)).name
    except LookupError:
        return None


def _find_charset(data: bytes) -> str:
    start = _GAME_START.search(data)
    if start is not None:
        if data.count(b"\\") > MAX_TOKENS:
            raise SgfError(f"SGF, byte 0: too large: more than {MAX_TOKENS:,} escapes")
        stated = _stated_charset(data, start.end())
        if stated is not None:
            return stated
        # Text before the CA property may hide it: a charset is believed if the file, read by it, names it.
        head = data[start.start() : start.start() + _HEAD]
        named = [_charset(raw.decode("latin-1")) for raw in _CHARSET_SOMEWHERE.findall(head)[:4]]
        for charset in dict.fromkeys(named):
            if charset in CHARSETS and _confirms(data, charset):
                return charset
    try:
        data.decode()
        return "utf-8"
    except UnicodeDecodeError:
        return "iso8859-1"  # the default of FF[4]


def _stated_charset(data: bytes, position: int) -> str | None:
    """What the CA property of the first node says, read as ASCII; `position` is where the node begins."""
    name = b""
    for _ in range(MAX_TOKENS):
        token = _TOKEN.match(data, position)
        if token is None or token.lastindex == _DELIMITER:
            break
        position = token.end()
        if token.lastindex == _NAME:
            name = token[_NAME].translate(None, _LOWER_CASE)
        elif name == b"CA":
            value = sgf_grammar.simpletext_value(token[_VALUE]).decode("latin-1").strip()
            if not value:
                return None
            charset = _charset(value)
            if charset not in CHARSETS:
                reason = "the file is not written in that" if charset in _WIDE_CHARSETS else "no charset that is read"
                raise node_error(
                    "root node",
                    "CA",
                    value,
                    f"{reason}; name it with encoding= (--encoding), {did_you_mean(value, CHARSETS)}",
                )
            return charset
    return None


def _confirms(data: bytes, charset: str) -> bool:
    try:
        utf8 = _decoded_by(charset, data).utf8
        start = _GAME_START.search(utf8)
        return start is not None and _stated_charset(utf8, start.end()) == charset
    except SgfError:
        return False


# -- writing


def format_sgf(root: SgfNode) -> bytes:
    """A tree as a file: UTF-8, and the first node says so; FF is first, and 4 unless the tree has another."""

    def raw_properties(node: SgfNode) -> dict[str, list[bytes]]:
        properties = node.properties
        if node is root:
            properties = {"FF": ["4"], **properties, "CA": ["UTF-8"]}
        try:
            return {name: _raw_values(name, values) for name, values in properties.items()}
        except InvalidArgumentError as error:
            raise SgfError(f"SGF, {_place(root, node)}, {error}") from None

    tree = sgf_grammar.make_coarse_game_tree(root, lambda node: node.children, raw_properties)
    data: bytes = sgf_grammar.serialise_game_tree(tree)
    return data.rstrip(b"\n") + b"\n"  # sgfmill may leave an empty line at the end


def save_sgf(root: SgfNode, path: str | os.PathLike[str]) -> None:
    """Writes a tree to a file, which is replaced only when all is written and keeps its permissions."""
    write_whole(path, format_sgf(root))


def _raw_values(name: str, values: list[str]) -> list[bytes]:
    if not sgf_grammar.is_valid_property_identifier(name):
        raise InvalidArgumentError(f"property {_show(name)}: expected 1 to 64 capital letters")
    if not values:
        raise InvalidArgumentError(f"property {name}: no value")
    raws = []
    for value in values:
        try:
            raw = value.encode()
        except UnicodeEncodeError:
            raise InvalidArgumentError(f"property {name} {_show(value)}: no Unicode") from None
        if not sgf_grammar.is_valid_property_value(raw):
            raise InvalidArgumentError(f"property {name} {_show(value)}: ] and \\ need a \\ before them")
        raws.append(raw)
    return raws


def _place(root: SgfNode, wanted: SgfNode) -> str:
    """How errors name a node: by its distance from the root, and whether it is in the main line."""
    stack = [(root, 0, True)]
    while stack:
        node, number, main = stack.pop()
        if node is wanted:
            return "root node" if number == 0 else f"node {number} of {'the main line' if main else 'a variation'}"
        stack.extend((child, number + 1, main and i == 0) for i, child in enumerate(node.children))
    raise AssertionError("a node of another tree")
