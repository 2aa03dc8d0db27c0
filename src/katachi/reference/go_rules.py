"""The rules of Go, written from the rules: the slow twin that the native core is compared with.

What lives here: legality (suicide, simple ko, positional and situational superko), the effect of a move, the end of the
game, area scoring, the eye definitions and the move filter of simulations (Silver 2009, section 5.6), and perft.

What does not: komi and winners, clocks, vertices and protocols, random play, and everything that makes a board fast.
Nothing is carried from one position to the next but what the rules themselves remember: the stones, the player to
move, the passes, the board before the last move, and, under superko, the earlier boards. Chains and liberties are found
afresh in every position by flood fill, and boards are compared with boards, never with hash codes. That is why it is
slow, and why it has no mechanism in common with an incremental board, nor the mistakes that come with one.

Conventions. A point is `row * width + col`, row 0 on top; the action `width * height` is the pass. Black is 0, White
is 1. A set of points is an int whose bit p stands for point p, so that one shift moves a whole set by one point.

Pinned by tests/unit/test_reference_go_rules.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, NamedTuple, TypeAlias

Ko: TypeAlias = Literal["simple", "positional", "situational"]
EyeRule: TypeAlias = Literal["simple", "surrounded", "strict", "none"]

BLACK: Final = 0
WHITE: Final = 1


@dataclass(frozen=True)
class TwinRules:
    """`ko`: which repetitions are forbidden. `suicide`: whether a move may remove its own chain."""

    ko: Ko
    suicide: bool


class Chain(NamedTuple):
    """A maximal connected set of stones of one colour, and the empty points next to it."""

    stones: int
    liberties: int


class Placement(NamedTuple):
    """The board after a stone was placed, whatever the ko and suicide rules say of it."""

    black: int
    white: int
    captured: int
    suicided: int


class Grid:
    """The points of an empty board and who is next to whom."""

    __slots__ = (
        "all_points",
        "diagonals",
        "height",
        "interior",
        "neighbours",
        "not_first_col",
        "not_last_col",
        "width",
    )

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.all_points = (1 << width * height) - 1
        first_col = sum(1 << row * width for row in range(height))
        self.not_first_col = self.all_points & ~first_col
        self.not_last_col = self.all_points & ~(first_col << width - 1)
        inner_rows = range(1, height - 1)
        inner_cols = range(1, width - 1)
        self.interior = sum(1 << row * width + col for row in inner_rows for col in inner_cols)
        points = range(width * height)
        self.neighbours = tuple(self.next_to(1 << point) for point in points)
        self.diagonals = tuple(self._beside(self._above_and_below(1 << point)) for point in points)

    def _beside(self, points: int) -> int:
        """The left and right neighbours; the masks keep a shift from running over the edge into the next row."""
        return (points & self.not_last_col) << 1 | (points & self.not_first_col) >> 1

    def _above_and_below(self, points: int) -> int:
        return (points << self.width | points >> self.width) & self.all_points

    def next_to(self, points: int) -> int:
        """Every point orthogonally adjacent to some point of the set (members of the set among them)."""
        return self._beside(points) | self._above_and_below(points)

    def flood(self, seed: int, within: int) -> int:
        """Every point of `within` that is connected to `seed` through `within`; `seed` is part of `within`.

        The two neighbour steps are written out: this is the inner loop. Stepping sideways and then up and down visits
        nothing that `next_to` would not reach, in fewer rounds.
        """
        width, not_first_col, not_last_col = self.width, self.not_first_col, self.not_last_col
        while True:
            wide = seed | ((seed & not_last_col) << 1 | (seed & not_first_col) >> 1) & within
            grown = wide | (wide << width | wide >> width) & within
            if grown == seed:
                return seed
            seed = grown

    def chains(self, stones: int, empty: int) -> list[Chain]:
        """The chains of one colour's stones."""
        found = []
        while stones:
            chain = self.flood(stones & -stones, stones)
            found.append(Chain(chain, self.next_to(chain) & empty))
            stones &= ~chain
        return found


@cache
def _grid(width: int, height: int) -> Grid:
    if width < 1 or height < 1:
        raise ValueError(f"a board has at least one row and one column, not {width}x{height}")
    return Grid(width, height)


def _members(points: int) -> Iterator[int]:
    """The points of a set, ascending."""
    while points:
        lowest = points & -points
        yield lowest.bit_length() - 1
        points ^= lowest


class TwinPosition:
    """A position in a game of Go, with as much of its past as the ko rule asks about. Not to be modified."""

    __slots__ = (
        "_before_last",
        "_chains",
        "_grid",
        "_seen",
        "black",
        "height",
        "last_captures",
        "passes",
        "rules",
        "to_play",
        "white",
        "width",
    )

    def __init__(
        self,
        grid: Grid,
        rules: TwinRules,
        *,
        black: int,
        white: int,
        to_play: int,
        passes: int,
        last_captures: tuple[int, ...],
        before_last: tuple[int, int] | None,
        seen: frozenset[tuple[int, ...]],
    ) -> None:
        """Use `empty`, `from_stones` or `play`.

        `before_last` is the board before the last move if that move was a stone. `seen` holds the earlier positions as
        the superko rule tells them apart; this one is added here.
        """
        self.width = grid.width
        self.height = grid.height
        self.rules = rules
        self.black = black
        self.white = white
        self.to_play = to_play
        self.passes = passes
        self.last_captures = last_captures
        self._grid = grid
        self._before_last = before_last
        # Simple ko looks back one move only, and its games may be long: nothing to remember there.
        self._seen = seen if rules.ko == "simple" else seen | {self._repetition_key(black, white, to_play)}
        self._chains: tuple[list[Chain], list[Chain]] | None = None

    @classmethod
    def empty(cls, width: int, height: int, rules: TwinRules) -> TwinPosition:
        """The start of a game."""
        return cls.from_stones(width, height, rules, "." * (width * height))

    @classmethod
    def from_stones(cls, width: int, height: int, rules: TwinRules, stones: str, to_play: int = BLACK) -> TwinPosition:
        """A game that starts from the given board, written as `stones()` writes it."""
        grid = _grid(width, height)
        if len(stones) != width * height or set(stones) - set(".XO"):
            raise ValueError(f"not a {width}x{height} board of '.', 'X' and 'O': {stones!r}")
        if to_play not in (BLACK, WHITE):
            raise ValueError(f"the player to move is 0 (Black) or 1 (White), not {to_play}")
        black = sum(1 << point for point, char in enumerate(stones) if char == "X")
        white = sum(1 << point for point, char in enumerate(stones) if char == "O")
        start = cls(
            grid,
            rules,
            black=black,
            white=white,
            to_play=to_play,
            passes=0,
            last_captures=(),
            before_last=None,
            seen=frozenset(),
        )
        if not all(chain.liberties for chains in start._both_chains() for chain in chains):
            raise ValueError(f"a chain has no liberty\n{start}")
        return start

    # The game.

    def is_over(self) -> bool:
        """Two passes in a row end the game."""
        return self.passes >= 2

    def legal_actions(self) -> list[int]:
        """Points ascending, then the pass, which is always allowed; empty when the game is over."""
        if self.is_over():
            return []
        actions = [point for point in _members(self._empty()) if self._is_legal(self._place(point))]
        actions.append(self._pass())
        return actions

    def play(self, action: int) -> TwinPosition:
        """The position after an action of the player to move; ValueError if it is illegal."""
        if self.is_over():
            raise self._illegal(action, "the game is over")
        if action == self._pass():
            return TwinPosition(
                self._grid,
                self.rules,
                black=self.black,
                white=self.white,
                to_play=1 - self.to_play,
                passes=self.passes + 1,
                last_captures=(),
                before_last=None,
                seen=self._seen,
            )
        if not 0 <= action < self._pass():
            raise self._illegal(action, "no such point")
        if not self._empty() >> action & 1:
            raise self._illegal(action, "the point is occupied")
        placement = self._place(action)
        if not self._is_legal(placement):
            is_suicide = placement.suicided and not self.rules.suicide
            raise self._illegal(action, "suicide" if is_suicide else f"{self.rules.ko} ko")
        return TwinPosition(
            self._grid,
            self.rules,
            black=placement.black,
            white=placement.white,
            to_play=1 - self.to_play,
            passes=0,
            last_captures=tuple(_members(placement.captured | placement.suicided)),
            before_last=(self.black, self.white),
            seen=self._seen,
        )

    def is_simple_ko_ban(self, point: int) -> bool:
        """Whether simple ko forbids the player to move to place a stone there."""
        self._check_point(point)
        return bool(self._empty() >> point & 1) and self._retakes_ko(self._place(point))

    def area(self) -> tuple[int, int]:
        """Area score of Black and of White: stones, and empty regions that border one colour only. All stones live."""
        black, white = self.black, self.white
        for region, border in self._grid.chains(self._empty(), self.black | self.white):
            # An empty region's "liberties" among the stones are its border; the empty board has none and is nobody's.
            if border and not border & self.white:
                black |= region
            elif border and not border & self.black:
                white |= region
        return black.bit_count(), white.bit_count()

    # The move filter of simulations.

    def is_eye(self, point: int, colour: int, rule: EyeRule) -> bool:
        """Whether a point is a one-point eye: empty, every orthogonal neighbour on the board of that colour, and

        - `simple`: the opponent on at most one diagonal of an interior point, on none at the edge and corner (RLGO);
        - `surrounded`: no adjacent chain in atari (Fuego);
        - `strict`: nothing else;
        - `none`: no point is an eye.

        A point without neighbours (1x1) is an eye of both.
        """
        self._check_point(point)
        bit = 1 << point
        own, other = (self.black, self.white) if colour == BLACK else (self.white, self.black)
        if not self._empty() & bit or self._grid.neighbours[point] & ~own:
            return False
        if rule == "none":
            return False
        if rule == "simple":
            tolerated = 1 if self._grid.interior & bit else 0
            return (self._grid.diagonals[point] & other).bit_count() <= tolerated
        if rule == "surrounded":
            # The eye point is itself a liberty of every adjacent chain: one in atari has no other.
            return all(chain.liberties != bit for chain in self._both_chains()[colour])
        return True

    def candidates(self, rule: EyeRule) -> list[int]:
        """What a simulation may play: legal under simple ko whatever `rules.ko` says, no suicide, no own eye.

        The pass alone when nothing is left, with rule `none` always; and nothing when the game is over (Silver 2009,
        section 5.6).
        """
        if self.is_over():
            return []
        points = []
        for point in _members(self._empty()):
            placement = self._place(point)
            if placement.suicided or self._retakes_ko(placement) or self.is_eye(point, self.to_play, rule):
                continue
            points.append(point)
        return [*points, self._pass()] if rule == "none" or not points else points

    # The board.

    def stones(self) -> str:
        """One of '.', 'X' (Black) and 'O' (White) for every point, row by row from the top left."""
        return "".join(
            "X" if self.black >> point & 1 else "O" if self.white >> point & 1 else "." for point in range(self._pass())
        )

    def __str__(self) -> str:
        stones = self.stones()
        rows = [" ".join(stones[start : start + self.width]) for start in range(0, len(stones), self.width)]
        return "\n".join([*rows, f"{'White' if self.to_play else 'Black'} to play"])

    # The rules, one function each.

    def _place(self, point: int) -> Placement:
        """Put a stone on an empty point; remove the opponent's chains without liberty, then its own if without."""
        bit = 1 << point
        own, other = (self.black, self.white) if self.to_play == BLACK else (self.white, self.black)
        neighbours = self._grid.neighbours[point]
        captured = suicided = 0
        if neighbours & other:
            for stones, liberties in self._both_chains()[1 - self.to_play]:
                if liberties == bit:  # its last liberty has just been taken
                    captured |= stones
        own |= bit
        other &= ~captured
        if not neighbours & ~(own | other):  # the stone has no liberty of its own: what of its chain?
            chain = self._grid.flood(bit, own)
            if not self._grid.next_to(chain) & ~(own | other):
                suicided = chain
                own &= ~chain
        black, white = (own, other) if self.to_play == BLACK else (other, own)
        return Placement(black, white, captured, suicided)

    def _is_legal(self, placement: Placement) -> bool:
        if placement.suicided and not self.rules.suicide:
            return False
        if self.rules.ko == "simple":
            return not self._retakes_ko(placement)
        return self._repetition_key(placement.black, placement.white, 1 - self.to_play) not in self._seen

    def _retakes_ko(self, placement: Placement) -> bool:
        """Simple ko: a capture may not restore the board that the opponent's last move, a stone, was played on.

        This is the customary "a lone stone that has just captured a lone stone may not be retaken at once". Let the
        opponent have played p. To restore the board, p has to go, hence be captured; the stone placed has to have stood
        there, hence is one that p captured; it is the only one p captured, because no other comes back; and nothing
        else than p is captured, because nothing else may be missing. Conversely, retaking a lone p on the point of the
        lone stone it captured captures nothing else: another chain in need of that last liberty would have had none
        before p was played.

        "A capture" matters only where suicide is legal. After the suicide of a lone stone, which leaves the board as it
        was, the suicide of a lone stone by the other side restores it too; nothing is retaken, and the customary
        rule has no objection. A pass lifts the ban: the last move is then no stone.

        Perft sees the ban first on 3x3 at depth 6 (179712 sequences without suicide; 179744 if there were no ban). The
        2x2 board has no simple ko: a stone that captures one corner there captures the opposite one with it.
        """
        return placement.captured != 0 and (placement.black, placement.white) == self._before_last

    def _repetition_key(self, black: int, white: int, to_play_next: int) -> tuple[int, ...]:
        """What superko forbids to occur twice: the colouring, or the colouring with the player to move next.

        A situation counts however it came about, by a stone or by a pass; only a stone may not repeat it.
        """
        return (black, white) if self.rules.ko == "positional" else (black, white, to_play_next)

    # Small things.

    def _empty(self) -> int:
        return self._grid.all_points & ~(self.black | self.white)

    def _pass(self) -> int:
        return self.width * self.height

    def _both_chains(self) -> tuple[list[Chain], list[Chain]]:
        """Black's chains and White's, found once per position, when first asked for."""
        if self._chains is None:
            empty = self._empty()
            self._chains = (self._grid.chains(self.black, empty), self._grid.chains(self.white, empty))
        return self._chains

    def _check_point(self, point: int) -> None:
        if not 0 <= point < self._pass():
            raise ValueError(f"no point {point} on a {self.width}x{self.height} board")

    def _illegal(self, action: int, reason: str) -> ValueError:
        return ValueError(f"illegal action {action}: {reason}\n{self}")


def perft(position: TwinPosition, depth: int) -> int:
    """The number of action sequences of exactly `depth` plies, passes included, none continuing a finished game."""
    if depth == 0:
        return 1
    actions = position.legal_actions()
    if depth == 1:
        return len(actions)
    return sum(perft(position.play(action), depth - 1) for action in actions)
