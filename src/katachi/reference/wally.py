"""The slow twin of cpp/policies/wally.hpp: a weak player of Go in the manner of Wally (J. K. Millen, BYTE, April 1981).

It stands on the Position of real play: what a move leaves is found by playing it.
"""

from collections.abc import Iterator

from katachi.core.types import Action, Player
from katachi.games.go.position import Position

__all__ = ["wally_move"]

# Around an enemy stone: X is own, . is empty, ! is empty and where to play, ? is anything.
_SHAPES = ((".!?", "XO?", "???"), ("X!?", "XO?", "???"), ("X!?", ".O?", "???"), ("?!?", ".O.", "?X?"))


def wally_move(position: Position) -> int:
    """Its move in a position in which superko forbids nothing; a pass where it finds none."""
    return _Wally(position).choose()


class _Wally:
    def __init__(self, position: Position) -> None:
        self.position, self.width, self.height = position, position.width, position.height
        self.stones = position.stones()
        self.own, self.enemy = ("X", "O") if position.to_play is Player.BLACK else ("O", "X")
        self.best, self.fewest = position.width * position.height, float("inf")

    def choose(self) -> int:
        for liberties in self.chains(self.own):
            if len(liberties) <= 2:
                self.consider(self.inner(liberties), len(liberties))
        for liberties in self.chains(self.enemy):
            if len(liberties) == 1 and liberties[0] != self.position.ko:
                return liberties[0]
            self.consider(self.inner(liberties), len(liberties))
        for point, stone in enumerate(self.stones):
            if stone == self.enemy:
                found = next(self.shapes_around(point), None)
                if found is not None:
                    self.consider(found, 2)
                    break
        return self.best

    def consider(self, point: int, liberties: int) -> None:
        if liberties > self.fewest or not self.position.is_legal(Action(point)):
            return
        after = self.position.play(Action(point))
        own = _Wally(after)
        if len(own.liberties(set(after.chain(point)))) >= 2:
            self.best, self.fewest = point, liberties

    def around(self, point: int) -> Iterator[int]:
        row, col = divmod(point, self.width)
        for r, c in ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)):
            if 0 <= r < self.height and 0 <= c < self.width:
                yield r * self.width + c

    def liberties(self, chain: set[int]) -> list[int]:
        return sorted({q for p in chain for q in self.around(p) if self.stones[q] == "."})

    def chains(self, colour: str) -> Iterator[list[int]]:
        seen: set[int] = set()
        for point, stone in enumerate(self.stones):
            if stone == colour and point not in seen:
                chain: set[int] = set(self.position.chain(point))
                seen |= chain
                yield self.liberties(chain)

    def inner(self, liberties: list[int]) -> int:
        return next((p for p in liberties if len(list(self.around(p))) == 4), liberties[0])

    def shapes_around(self, point: int) -> Iterator[int]:
        row, col = divmod(point, self.width)
        for shape in _SHAPES:
            for turn in range(8):
                wanted = self.match(shape, row, col, turn)
                if wanted is not None:
                    yield wanted

    def match(self, shape: tuple[str, ...], row: int, col: int, turn: int) -> int | None:
        wanted = None
        for i in (-1, 0, 1):
            for j in (-1, 0, 1):
                sign = shape[i + 1][j + 1]
                down, right = (-i if turn & 1 else i), (-j if turn & 2 else j)
                if turn & 4:
                    down, right = right, down
                r, c = row + down, col + right
                is_there = 0 <= r < self.height and 0 <= c < self.width
                here = self.stones[r * self.width + c] if is_there else "#"
                if (sign in ".!" and here != ".") or (sign == "X" and here != self.own):
                    return None
                if sign == "!":
                    wanted = r * self.width + c
        return wanted
