"""Playout policies as text: how settings name them, and the small tree that a text stands for.

    uniform   mogo   fuego            a plain one
    greedy(0.1)                       over learnt values: epsilon-greedy, and gaussian(SD), softmax(TAU)
    softmax-shapes(FILE)              softmax over local shapes, with weights of its own (katachi balance), or shipped
    mix(0.4*uniform+0.6*fuego)        one of several, drawn at each move by shares that add up to 1
    switch(6;greedy(0.1);fuego)       the first for so many moves of a playout, then the second

Every policy may stand wherever one is asked for. There are no commas, so that a text is a bare value of a spec;
a shell wants it quoted. What policies do is told in docs/playout_policies.md.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isfinite
from typing import NoReturn, TypeAlias

from katachi.core.errors import ParseError
from katachi.core.settings import did_you_mean

__all__ = [
    "LEARNT_NAMES", "PLAIN_NAMES", "LearntPolicy", "MixedPolicy", "PlainPolicy", "PolicyPart", "PolicyTree",
    "ShapePolicy", "SwitchedPolicy", "canonical_policy", "format_policy", "map_parts", "parse_policy", "parts_of",
]  # fmt: skip

PLAIN_NAMES = ("uniform", "mogo", "fuego")
LEARNT_NAMES = ("greedy", "gaussian", "softmax")
_SHAPES = "softmax-shapes"
_FORMS = {
    **{name: name for name in PLAIN_NAMES},
    "greedy": "greedy(EPSILON)",
    "gaussian": "gaussian(SD)",
    "softmax": "softmax(TAU)",
    _SHAPES: f"{_SHAPES}(FILE)",
    "mix": "mix(SHARE*POLICY+…)",
    "switch": "switch(MOVES;POLICY;POLICY)",
}
_DEEPEST = 20  # policies inside of policies
_NAME = re.compile(r"[A-Za-z_-]+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_FILE = re.compile(r"""[^()'",;\n]+""")
_BLANKS = re.compile(r"\s*")


@dataclass(frozen=True)
class PlainPolicy:
    """`uniform`, `mogo` or `fuego`."""

    name: str


@dataclass(frozen=True)
class LearntPolicy:
    """Over learnt values: `greedy(epsilon)`, `gaussian(sd)` or `softmax(tau)`."""

    name: str
    number: float


@dataclass(frozen=True)
class ShapePolicy:
    """Softmax over local shapes: `softmax-shapes(FILE)`; `shipped` and `shipped-LEARNER` are those of the package."""

    weights: str


@dataclass(frozen=True)
class MixedPolicy:
    """One of the parts at each move, by their shares."""

    parts: tuple[tuple[float, "PolicyTree"], ...]


@dataclass(frozen=True)
class SwitchedPolicy:
    """`first` for so many moves of a playout, then `second`; a fraction is the chance of one move more."""

    moves: float
    first: "PolicyTree"
    second: "PolicyTree"


PolicyPart: TypeAlias = PlainPolicy | LearntPolicy | ShapePolicy
PolicyTree: TypeAlias = PolicyPart | MixedPolicy | SwitchedPolicy


def parse_policy(text: str) -> PolicyTree:
    """Reads a policy; a mistake is a ParseError that shows the part which is wrong, and what is possible."""
    return _Reader(text).whole()


def format_policy(policy: PolicyTree) -> str:
    """The inverse of `parse_policy`."""
    match policy:
        case PlainPolicy(name):
            return name
        case LearntPolicy(name, number):
            return f"{name}({_format_number(number)})"
        case ShapePolicy(weights):
            return f"{_SHAPES}({weights})"
        case MixedPolicy(parts):
            return f"mix({'+'.join(f'{_format_number(share)}*{format_policy(part)}' for share, part in parts)})"
        case SwitchedPolicy(moves, first, second):
            return f"switch({_format_number(moves)};{format_policy(first)};{format_policy(second)})"


def canonical_policy(text: str) -> str:
    """The same policy without blanks and with numbers as they are printed."""
    return format_policy(parse_policy(text))


def parts_of(policy: PolicyTree) -> Iterator[PolicyPart]:
    """The policies that it is put together from."""
    match policy:
        case MixedPolicy(parts):
            for _, part in parts:
                yield from parts_of(part)
        case SwitchedPolicy(_, first, second):
            yield from parts_of(first)
            yield from parts_of(second)
        case _:
            yield policy


def map_parts(policy: PolicyTree, change: Callable[[PolicyPart], PolicyPart]) -> PolicyTree:
    """The same policy put together from other parts."""
    match policy:
        case MixedPolicy(parts):
            return MixedPolicy(tuple((share, map_parts(part, change)) for share, part in parts))
        case SwitchedPolicy(moves, first, second):
            return SwitchedPolicy(moves, map_parts(first, change), map_parts(second, change))
        case _:
            return change(policy)


def _format_number(number: float) -> str:
    return repr(float(number)).removesuffix(".0")


class _Reader:
    """A text and the place in it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._depth = 0

    def whole(self) -> PolicyTree:
        policy = self._policy()
        if self._place < len(self._text):
            self._fail(f"expected the end after {self._text[: self._place].strip()!r}", self._place)
        return policy

    def _policy(self) -> PolicyTree:
        self._depth += 1
        if self._depth > _DEEPEST:
            self._fail(f"more than {_DEEPEST} policies inside each other", self._place)
        start = self._skip()
        name = _NAME.match(self._text, start)
        if name is None:
            self._fail(f"expected a policy: {', '.join(_FORMS.values())}", start)
        if name[0] not in _FORMS:
            self._fail(f"there is no policy {name[0]!r}: {did_you_mean(name[0], _FORMS)}", start)
        self._place = name.end()
        policy = self._rest(name[0], start)
        self._skip()
        self._depth -= 1
        return policy

    def _rest(self, name: str, start: int) -> PolicyTree:
        if name in PLAIN_NAMES:
            return PlainPolicy(name)
        self._expect("(", name)
        policy: PolicyTree
        if name == "mix":
            policy = self._mixed(name)
            total = sum(share for share, _ in policy.parts)
            if abs(total - 1) > 1e-6:
                self._fail(f"the shares of mix add up to {total:g} instead of 1", start)
        elif name == "switch":
            moves = self._number("the moves before a switch are a number from 0", lowest=0)
            self._expect(";", name)
            first = self._policy()
            self._expect(";", name)
            policy = SwitchedPolicy(moves, first, self._policy())
        elif name == _SHAPES:
            policy = ShapePolicy(self._file())
        elif name == "greedy":
            policy = LearntPolicy(name, self._number("epsilon of greedy is a number from 0 to 1", lowest=0, highest=1))
        else:
            policy = LearntPolicy(name, self._number(f"{_FORMS[name]} takes a number above 0", above=0))
        self._expect(")", name)
        return policy

    def _mixed(self, name: str) -> MixedPolicy:
        parts = []
        while True:
            share = self._number("a share of mix is a number above 0", above=0)
            self._expect("*", name)
            parts.append((share, self._policy()))
            if self._text[self._place : self._place + 1] != "+":
                return MixedPolicy(tuple(parts))
            self._place += 1

    def _file(self) -> str:
        start = self._skip()
        found = _FILE.match(self._text, start)
        if found is None or not found[0].strip():
            self._fail(f"{_FORMS[_SHAPES]} takes a file of weights, or shipped", start)
        self._place = found.end()
        return found[0].strip()

    def _number(
        self, what: str, *, lowest: float = 0.0, highest: float = float("inf"), above: float | None = None
    ) -> float:
        start = self._skip()
        found = _NUMBER.match(self._text, start)
        if found is None:
            self._fail(f"{what}", start)
        number = float(found[0])
        if not (isfinite(number) and lowest <= number <= highest and (above is None or number > above)):
            self._fail(f"{what}, not {found[0]}", start)
        self._place = found.end()
        self._skip()
        return number

    def _expect(self, sign: str, name: str) -> None:
        place = self._skip()
        if self._text[place : place + 1] != sign:
            self._fail(f"expected {sign!r} of {_FORMS[name]}", place)
        self._place += 1

    def _skip(self) -> int:
        blanks = _BLANKS.match(self._text, self._place)
        assert blanks is not None  # the pattern matches the empty text
        self._place = blanks.end()
        return self._place

    def _fail(self, what: str, place: int) -> NoReturn:
        rest = self._text[place:]
        where = f"at column {place + 1}: {rest!r}" if rest else "at the end"
        raise ParseError(f"playout policy {self._text!r}: {what}, {where}")
