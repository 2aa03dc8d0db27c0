"""The slow twin of cpp/features/board_inputs.hpp: a Go board as numbers (Ekker, 5.2), read off its text."""

from collections.abc import Iterator, Sequence

from katachi.core.types import Player

__all__ = ["board_inputs"]

_MOST_LIBERTIES = 5


def board_inputs(
    stones: str,
    width: int,
    height: int,
    viewpoint: Player,
    groups: Sequence[str],
    *,
    scaled: bool = False,
    has_ko: bool = False,
) -> list[float]:
    """All numbers of the groups. `stones` has a character for each point: `.`, `X` or `O`."""
    own, enemy = ("X", "O") if viewpoint is Player.BLACK else ("O", "X")
    board = _Board(stones, width, height)
    chains = [(stones[min(chain)], chain, board.liberties(chain)) for chain in board.chains()]
    edge = [p for p in range(width * height) if len(list(board.around(p))) < 4]

    def of_points() -> Iterator[float]:
        for p in range(width * height):
            found = [(colour, liberties) for colour, chain, liberties in chains if p in chain]
            yield sum(min(_MOST_LIBERTIES, len(lib)) * (1 if colour == own else -1) for colour, lib in found)

    values: dict[str, list[float]] = {
        "points": list(of_points()),
        "liberties": [sum(len(lib) for colour, _, lib in chains if colour == side) for side in (own, enemy)],
        "difference": [stones.count(own) - stones.count(enemy)],
        "edge": [sum(stones[p] == side for p in edge) for side in (own, enemy)],
        "atari": [any(colour == side and len(lib) == 1 for colour, _, lib in chains) for side in (own, enemy)],
        "ko": [has_ko],
    }
    divisors = {"points": _MOST_LIBERTIES, "liberties": width * height, "difference": width * height, "edge": len(edge)}
    return [float(v) / (divisors.get(group, 1) if scaled else 1) for group in groups for v in values[group]]


class _Board:
    def __init__(self, stones: str, width: int, height: int) -> None:
        self.stones, self.width, self.height = stones, width, height

    def around(self, p: int) -> Iterator[int]:
        row, col = divmod(p, self.width)
        for r, c in ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)):
            if 0 <= r < self.height and 0 <= c < self.width:
                yield r * self.width + c

    def chains(self) -> list[set[int]]:
        found: list[set[int]] = []
        for p, stone in enumerate(self.stones):
            if stone != "." and not any(p in chain for chain in found):
                chain, todo = {p}, [p]
                while todo:
                    for q in self.around(todo.pop()):
                        if self.stones[q] == stone and q not in chain:
                            chain.add(q)
                            todo.append(q)
                found.append(chain)
        return found

    def liberties(self, chain: set[int]) -> set[int]:
        return {q for p in chain for q in self.around(p) if self.stones[q] == "."}
