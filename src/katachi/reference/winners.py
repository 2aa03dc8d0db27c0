"""Who has won a game of stones on a grid, found by looking at the whole board. Twin of connect four, Gomoku and Hex.

Stones are one character a place, `.`, `X` or `O`, row by row from the top.
"""

__all__ = ["hex_winner", "line_winner"]


def line_winner(stones: str, width: int, line: int) -> str | None:
    """Whose stones fill `line` places in a row, a column or a diagonal; None if nobody's do."""
    height = len(stones) // width
    for row in range(height):
        for col in range(width):
            for down, across in ((0, 1), (1, 0), (1, 1), (1, -1)):
                places = [(row + i * down, col + i * across) for i in range(line)]
                if all(0 <= r < height and 0 <= c < width for r, c in places):
                    found = {stones[r * width + c] for r, c in places}
                    if len(found) == 1 and found != {"."}:
                        return found.pop()
    return None


def hex_winner(stones: str, size: int) -> str | None:
    """`X` if it connects the first row with the last, `O` if it connects the first column with the last, or None."""
    for stone, axis in (("X", 0), ("O", 1)):
        waiting = [(0, i) if axis == 0 else (i, 0) for i in range(size)]
        seen = set()
        while waiting:
            r, c = waiting.pop()
            if not (0 <= r < size and 0 <= c < size) or (r, c) in seen or stones[r * size + c] != stone:
                continue
            if (r, c)[axis] == size - 1:
                return stone
            seen.add((r, c))
            waiting += [(r - 1, c), (r - 1, c + 1), (r, c - 1), (r, c + 1), (r + 1, c - 1), (r + 1, c)]
    return None
