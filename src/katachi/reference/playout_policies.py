"""MoGo's and Fuego's playout policies, written from their rules: the slow twin of cpp/policies.

What lives here: the 3x3 patterns as predicates (Silver 2009, 4.6.3, refers to the MoGo report of 2006; Fuego's
documentation has the conditions), and both policies as lists of stages with the probability of every move. Chains are
found by flood fill, and what a move does is found by playing it. Nothing is drawn at random, and nothing is fast.

A neighbourhood is nine characters row by row, X (Black), O (White), '.' and '#' beyond the edge; the middle is the
point to be played. Pinned by tests/differential/test_playout_policies.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from katachi.reference.go_rules import EyeRule, TwinPosition

Vector: TypeAlias = tuple[int, int]
At: TypeAlias = Callable[[Vector], str]

DIRECTIONS: tuple[Vector, ...] = ((-1, 0), (0, 1), (1, 0), (0, -1))
NEIGHBOURS: tuple[Vector, ...] = tuple((r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0))


def _plus(*vectors: Vector) -> Vector:
    return sum(v[0] for v in vectors), sum(v[1] for v in vectors)


def _minus(vector: Vector) -> Vector:
    return -vector[0], -vector[1]


# The patterns. `d` and `e` are perpendicular; at the edge `u` points to the centre and `s` along the edge. X and O are
# the colours `x` and `o`; `mover` is the colour to play.


def _hane_a(at: At, d: Vector, e: Vector, x: str, o: str, mover: str) -> bool:
    return (at(d), at(_plus(d, e)), at(_plus(d, _minus(e))), at(e), at(_minus(e))) == (o, x, x, ".", ".")


def _hane_b(at: At, d: Vector, e: Vector, x: str, o: str, mover: str) -> bool:
    empty = (_plus(d, _minus(e)), e, _minus(e), _minus(d))
    return at(d) == o and at(_plus(d, e)) == x and all(at(v) == "." for v in empty)


def _hane_c(at: At, d: Vector, e: Vector, x: str, o: str, mover: str) -> bool:
    return at(d) == o and at(_plus(d, e)) == x and at(e) == x and at(_minus(e)) == "." and at(_minus(d)) == "."


def _hane_d(at: At, d: Vector, e: Vector, x: str, o: str, mover: str) -> bool:
    stones = at(d) == o and at(_plus(d, e)) == x and at(_plus(d, _minus(e))) == o
    return mover == x and stones and all(at(v) == "." for v in (e, _minus(e), _minus(d)))


def _cut_1(at: At, d: Vector, e: Vector, x: str, o: str, mover: str) -> bool:
    if not (at(d) == o and at(e) == o and at(_plus(d, e)) == x):
        return False
    return sorted((at(_minus(d)), at(_minus(e)))) != sorted((o, "."))


def _cut_2(at: At, d: Vector, e: Vector, x: str, o: str, mover: str) -> bool:
    behind = (_minus(d), _plus(_minus(d), e), _plus(_minus(d), _minus(e)))
    return at(d) == x and at(e) == o and at(_minus(e)) == o and all(at(v) != o for v in behind)


def _edge_1(at: At, u: Vector, s: Vector, x: str, o: str, mover: str) -> bool:
    return at(u) == "." and at(s) == o and at(_plus(s, u)) == x


def _edge_2(at: At, u: Vector, s: Vector, x: str, o: str, mover: str) -> bool:
    return at(u) == x and at(s) == o and at(_minus(s)) in (o, ".")


def _edge_3(at: At, u: Vector, s: Vector, x: str, o: str, mover: str) -> bool:
    return at(u) == x and at(_plus(u, s)) == o and mover == x


def _edge_4(at: At, u: Vector, s: Vector, x: str, o: str, mover: str) -> bool:
    return at(u) == x and at(_plus(u, s)) == o and at(s) in (o, ".") and mover == o


def _edge_5(at: At, u: Vector, s: Vector, x: str, o: str, mover: str) -> bool:
    return at(u) == x and at(_plus(u, s)) == o and at(s) == x and at(_minus(s)) == o and mover == o


Predicate: TypeAlias = Callable[[At, Vector, Vector, str, str, str], bool]
INNER: dict[str, Predicate] = {
    "hane-A": _hane_a, "hane-B": _hane_b, "hane-C": _hane_c, "hane-D": _hane_d, "cut-1": _cut_1, "cut-2": _cut_2,
}  # fmt: skip
EDGE: dict[str, Predicate] = {
    "edge-1": _edge_1, "edge-2": _edge_2, "edge-3": _edge_3, "edge-4": _edge_4, "edge-5": _edge_5,
}  # fmt: skip


def matching_patterns(neighbourhood: str, mover: str) -> set[str]:
    """The names of the patterns that match; `mover` is X or O.

    Hanes and cuts are for points off the first line, edge patterns for points on it that are no corner and have the
    board on their other side.
    """

    def at(vector: Vector) -> str:
        return neighbourhood[(vector[0] + 1) * 3 + vector[1] + 1]

    walls = [v for v in DIRECTIONS if at(v) == "#"]
    if len(walls) > 1:
        return set()
    if walls:
        up = _minus(walls[0])
        frames = [(up, (up[1], up[0])), (up, _minus((up[1], up[0])))]
    else:
        frames = [(d, e) for d in DIRECTIONS for e in DIRECTIONS if d[0] * e[0] + d[1] * e[1] == 0]
    return {
        name
        for name, predicate in (EDGE if walls else INNER).items()
        for d, e in frames
        for x, o in (("X", "O"), ("O", "X"))
        if predicate(at, d, e, x, o, mover)
    }


class Moves(NamedTuple):
    """What a policy may play: the deciding stage and the probability of each action."""

    stage: str
    shares: dict[int, Fraction]


class Situation:
    """A position, its last two moves, and questions that policies ask. The position's rules: simple ko, no suicide."""

    def __init__(self, position: TwinPosition, last: int | None, before: int | None, eye_rule: EyeRule) -> None:
        self.position = position
        self.stones = position.stones()
        self.width, self.height = position.width, position.height
        self.own, self.enemy = ("O", "X") if position.to_play else ("X", "O")
        self.candidates = [a for a in position.candidates(eye_rule) if a != self.width * self.height]
        self.legal = set(position.legal_actions())
        # The opponent's last move, if it was a stone that is still there.
        self.last = last if last is not None and self.stones[last] == self.enemy else None
        self.before = before

    def moved(self, point: int, vectors: Iterable[Vector]) -> list[int]:
        """The points at these vectors from a point, as far as they are on the board."""
        row, col = divmod(point, self.width)
        places = [(row + v[0], col + v[1]) for v in vectors]
        return [r * self.width + c for r, c in places if 0 <= r < self.height and 0 <= c < self.width]

    def next_to(self, point: int) -> list[int]:
        """The orthogonal neighbours."""
        return self.moved(point, DIRECTIONS)

    def around(self, point: int | None) -> list[int]:
        """The up to eight points around a point; none around no point."""
        return [] if point is None else self.moved(point, NEIGHBOURS)

    def neighbourhood(self, point: int) -> str:
        """As patterns take it."""
        row, col = divmod(point, self.width)
        inside = [
            (r, c) if 0 <= r < self.height and 0 <= c < self.width else None
            for r in range(row - 1, row + 2)
            for c in range(col - 1, col + 2)
        ]
        return "".join("#" if place is None else self.stones[place[0] * self.width + place[1]] for place in inside)

    def chain(self, point: int, stones: str | None = None) -> tuple[frozenset[int], frozenset[int]]:
        """The stones and the liberties of the chain at a point."""
        stones = self.stones if stones is None else stones
        found, open_points, liberties = {point}, [point], set()
        while open_points:
            for q in self.next_to(open_points.pop()):
                if stones[q] == ".":
                    liberties.add(q)
                elif stones[q] == stones[point] and q not in found:
                    found.add(q)
                    open_points.append(q)
        return frozenset(found), frozenset(liberties)

    def chains_next_to(self, points: Iterable[int], colour: str) -> set[tuple[frozenset[int], frozenset[int]]]:
        """The chains of a colour that touch one of the points."""
        return {self.chain(q) for point in points for q in self.next_to(point) if self.stones[q] == colour}

    def is_self_atari(self, point: int) -> bool:
        """Has the chain of a stone played there one liberty? The move is legal."""
        return len(self.liberties_after(point)) == 1

    def liberties_after(self, point: int) -> frozenset[int]:
        """The liberties of the chain of a stone that is played there."""
        return self.chain(point, self.position.play(point).stones())[1]

    def matches(self, point: int) -> bool:
        """Is the point empty, and is there a pattern around it?"""
        return self.stones[point] == "." and bool(matching_patterns(self.neighbourhood(point), self.own))


def _escapes(s: Situation) -> Iterator[int]:
    """Saves chains in atari next to the last move: by their last liberty, or by captures next to them."""
    if s.last is None:
        return
    for stones, liberties in s.chains_next_to([s.last], s.own):
        if len(liberties) == 1:
            yield from (p for p in liberties if p in s.legal and not s.is_self_atari(p))
            for _, last_liberties in s.chains_next_to(stones, s.enemy):
                if len(last_liberties) == 1:
                    yield from last_liberties


def _captures(s: Situation) -> Iterator[int]:
    for point, stone in enumerate(s.stones):
        if stone == s.enemy:
            liberties = s.chain(point)[1]
            if len(liberties) == 1:
                yield from liberties


def _mogo_patterns(s: Situation) -> Iterator[int]:
    yield from (p for p in s.around(s.last) if s.matches(p))


def _capture_last(s: Situation) -> Iterator[int]:
    if s.last is not None and len(s.chain(s.last)[1]) == 1:
        yield from s.chain(s.last)[1]


def _low_liberties(s: Situation) -> Iterator[int]:
    """Of the last move's chain and of own chains next to it, with two liberties: where the chain would gain two."""
    if s.last is None:
        return
    for stones, liberties in {s.chain(s.last), *s.chains_next_to([s.last], s.own)}:
        if len(liberties) == 2:
            for point in liberties:
                colour = s.stones[next(iter(stones))]
                grown = s.chain(point, s.stones[:point] + colour + s.stones[point + 1 :])[1]
                if len(grown - liberties) >= 2 and point in s.legal and not s.is_self_atari(point):
                    yield point


def _fuego_patterns(s: Situation) -> Iterator[int]:
    if s.last is None:
        return
    nearby = s.around(s.last)
    for point in nearby + [p for p in s.around(s.before) if p not in nearby]:
        if s.matches(point) and point in s.legal and not s.is_self_atari(point):
            yield point


Rule: TypeAlias = tuple[str, Callable[[Situation], Iterator[int]]]
_MOGO: tuple[Rule, ...] = (("escape", _escapes), ("pattern", _mogo_patterns), ("capture", _captures))
_FUEGO: tuple[Rule, ...] = (
    ("capture-last", _capture_last),
    ("escape", _escapes),
    ("low-liberty", _low_liberties),
    ("pattern", _fuego_patterns),
    ("capture", _captures),
)


def _first_stage(s: Situation, rules: tuple[Rule, ...]) -> Moves:
    """The first rule that knows a candidate decides; all its moves are equally likely."""
    for stage, rule in rules:
        moves = sorted(set(rule(s)) & set(s.candidates))
        if moves:
            return Moves(stage, dict.fromkeys(moves, Fraction(1, len(moves))))
    if not s.candidates:
        return Moves("uniform", {s.width * s.height: Fraction(1)})
    return Moves("uniform", dict.fromkeys(s.candidates, Fraction(1, len(s.candidates))))


def mogo_moves(position: TwinPosition, last: int | None, before: int | None) -> Moves:
    """What MoGo's policy may play. `last` and `before` are the last two moves; None for passes."""
    return _first_stage(Situation(position, last, before, "simple"), _MOGO)


def fuego_moves(position: TwinPosition, last: int | None, before: int | None) -> Moves:
    """What Fuego's policy may play, self-ataris replaced."""
    s = Situation(position, last, before, "surrounded")
    found = _first_stage(s, _FUEGO)
    shares: dict[int, Fraction] = {}
    for action, share in found.shares.items():
        corrected = _corrected(s, action)
        shares[corrected] = shares.get(corrected, Fraction(0)) + share
    return Moves(found.stage, dict(sorted(shares.items())))


def handcrafted_prior(
    policy: str, position: TwinPosition, last: int | None, before: int | None, actions: Sequence[int]
) -> list[float]:
    """H for the player to move (Silver 2009, 8.6): 1 by a rule of the policy, 0 for what it never plays, else 1/2."""
    is_fuego = policy == "fuego"
    moves = (fuego_moves if is_fuego else mogo_moves)(position, last, before)
    s = Situation(position, last, before, "surrounded" if is_fuego else "simple")
    values = []
    for action in actions:
        if action == s.width * s.height:
            values.append(0.5 if len(actions) == 1 else 0.0)
        elif moves.stage != "uniform" and action in moves.shares:
            values.append(1.0)
        elif action not in s.candidates or (is_fuego and _corrected(s, action) != action):
            values.append(0.0)
        else:
            values.append(0.5)
    return values


def _corrected(s: Situation, action: int) -> int:
    """For a self-atari the only liberty that its chain would have, if a stone there is legal and no self-atari."""
    if action == s.width * s.height or not s.is_self_atari(action):
        return action
    (other,) = s.liberties_after(action)
    return other if other in s.legal and not s.is_self_atari(other) else action
