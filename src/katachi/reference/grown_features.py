"""Features that grow as they are met, and what a simulated game teaches them (Silver 2009, 10.1): the slow twin.

A feature has a name that says all of it: the position, a block and what lies near it, a square of the board, or some
moves in a row. A region (one for all positions, one for all blocks, one for each length and for each square) adds the
first name in a simulation that is not known yet. Shapes and grown features are one vector: V(s) = σ(Σ w), learnt by the
twin of learning from games. Where the table is interpolated, its entries are mean outcomes with visits N instead, and
V = (C σ(Σ w) + N mean) / (C + N).

The fast twin is cpp/search/grown_features.hpp; tests/differential/test_grown_features_twin.py compares them.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from katachi.learning.td_settings import TdSettings
from katachi.reference.go_rules import TwinPosition
from katachi.reference.shape_learning import ShapeLearningTwin
from katachi.reference.td_search import TdSearchTwin

__all__ = ["GrownTwin", "Name", "Naming", "Visits", "blocks"]

Name = tuple[object, ...]
Move = tuple[int, int]  # who, and what


@dataclass
class Visits:
    """Of an entry of the table that is interpolated."""

    total: float = 0.0
    number: int = 0


def blocks(stones: str, side: int) -> list[frozenset[int]]:
    """Connected stones of one colour, by their first points."""
    found: list[frozenset[int]] = []
    for start, colour in enumerate(stones):
        if colour == "." or any(start in block for block in found):
            continue
        block, edge = {start}, [start]
        while edge:
            point = edge.pop()
            for other in range(side * side):
                if other not in block and stones[other] == colour and _distance(point, other, side) == 1:
                    block.add(other)
                    edge.append(other)
        found.append(frozenset(block))
    return found


def _distance(one: int, other: int, side: int) -> int:
    """Manhattan."""
    return abs(one // side - other // side) + abs(one % side - other % side)


@dataclass(frozen=True)
class Naming:
    """What can be on in a state: (region, name), in the order in which new ones are added."""

    side: int
    kinds: Collection[str]
    block_distance: int = 1
    sequence_length: int = 4
    squares: Sequence[int] = (4, 5)

    def of(self, position: TwinPosition, history: Sequence[Move]) -> Iterator[tuple[Name, Name]]:
        """Of the present board, and of the moves that lead to it."""
        if "table" in self.kinds:
            yield ("table",), self.table(position)
        if "blocks" in self.kinds:
            for block in blocks(position.stones(), self.side):
                yield ("block",), self.block(position.stones(), block)
        if "sequences" in self.kinds:
            for length in range(1, min(self.sequence_length, len(history)) + 1):
                yield ("sequence", length), ("sequence", *history[-length:])
        if "squares" in self.kinds:
            yield from self._squares(position.stones())

    def table(self, position: TwinPosition) -> Name:
        """Stones, who is to move, passes, and what ko forbids."""
        bans = tuple(point for point in range(self.side**2) if position.is_simple_ko_ban(point))
        return ("table", position.stones(), position.to_play, position.passes, bans)

    def block(self, stones: str, block: Collection[int]) -> Name:
        """Its stones, and all points that are near enough to one of them."""
        near = sorted(
            point
            for point in range(self.side**2)
            if min(_distance(point, stone, self.side) for stone in block) <= self.block_distance
        )
        return ("block", tuple(sorted(block)), tuple((point, stones[point]) for point in near))

    def _squares(self, stones: str) -> Iterator[tuple[Name, Name]]:
        for size in self.squares:
            for row in range(self.side - size + 1):
                for col in range(self.side - size + 1):
                    lines = [stones[start : start + self.side] for start in range(0, self.side**2, self.side)]
                    rows = tuple(line[col : col + size] for line in lines[row : row + size])
                    if set("".join(rows)) != {"."}:
                        yield ("square", size, row, col), ("square", row, col, rows)


@dataclass
class GrownTwin:
    """Shapes, grown features, and their weights: those of the shapes first, as katachi.reference.td_search counts."""

    shapes: TdSearchTwin
    naming: Naming
    settings: TdSettings
    limit: int = 1_000_000
    prior: float | None = None  # C: the table is interpolated
    known: dict[Name, int] = field(default_factory=dict)  # numbers, in order
    visits: dict[int, Visits] = field(default_factory=dict)

    def __post_init__(self) -> None:
        windows = self.shapes.windows()
        self.first = windows[-1][0] + 3 ** (windows[-1][3] * windows[-1][4]) if windows else 0
        self.learning = ShapeLearningTwin(self.settings, self.first + self.limit)

    def weight(self, name: Name) -> float:
        """Of a feature that is known."""
        return self.learning.theta[self.first + self.known[name]]

    def states(self, root: TwinPosition, moves: Sequence[int]) -> list[tuple[TwinPosition, list[Move]]]:
        """s_0, the root, and all after it, with the moves from the root on."""
        found: list[tuple[TwinPosition, list[Move]]] = [(root, [])]
        for move in moves:
            position, history = found[-1]
            found.append((position.play(move), [*history, (position.to_play, move)]))
        return found

    def active(self, position: TwinPosition, history: Sequence[Move]) -> list[int]:
        """The entries that count in a state."""
        entries = [feature + 1 for feature in self.shapes.active(position.stones())]
        met = {name for _region, name in self.naming.of(position, history)}
        if "sequences" in self.naming.kinds:
            for length in range(1, self.naming.sequence_length + 1):
                for end in range(length, len(history) + 1):
                    met.add(("sequence", *history[end - length : end]))
        numbers = sorted(
            number
            for name, number in self.known.items()
            if name in met and not (self.prior is not None and name[0] == "table")
        )
        return entries + [self.first + number + 1 for number in numbers]

    def value(self, position: TwinPosition, history: Sequence[Move]) -> float:
        """Black's chance to win."""
        value = self.learning.value(self.active(position, history))
        entry = self.known.get(self.naming.table(position))
        if self.prior is None or entry is None or self.prior + self.visits[entry].number == 0:
            return value
        visits = self.visits[entry]
        return (self.prior * value + visits.total) / (self.prior + visits.number)

    def learn(self, root: TwinPosition, moves: Sequence[int], outcome: float, record_limit: int | None = None) -> None:
        """A simulation with the outcome z: features grow as states are met, and then all learn."""
        met = self.states(root, moves)[:-1][:record_limit]
        grown_in: set[Name] = set()
        entries = []
        for position, history in met:
            for region, name in self.naming.of(position, history):
                if name not in self.known and region not in grown_in and len(self.known) < self.limit:
                    grown_in.add(region)
                    self.known[name] = len(self.known)
                    self.visits[self.known[name]] = Visits()
            entries.append(self.active(position, history))
        if self.prior is not None:
            for position, _history in met:
                number = self.known.get(self.naming.table(position))
                if number is not None:
                    self.visits[number].total += outcome
                    self.visits[number].number += 1
        self.learning.learn_game(entries, outcome)
