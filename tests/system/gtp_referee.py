"""A plain GTP referee: asks each engine in turn for a move and tells it to the other. It knows no rules of Go."""

from dataclasses import dataclass

from katachi.players.gtp_process import GtpProcess

__all__ = ["Refereed", "play_game"]


@dataclass(frozen=True)
class Refereed:
    """A game as the referee saw it."""

    moves: tuple[str, ...]  # Black first
    resigned: bool


def play_game(black: GtpProcess, white: GtpProcess, size: int, komi: float, most_moves: int) -> Refereed:
    """A whole game: until two passes in turn or a resignation. A refusal of either engine is an error of `ask`."""
    for engine in (black, white):
        engine.ask("boardsize", str(size))
        engine.ask("clear_board")
        engine.ask("komi", str(komi))
    moves: list[str] = []
    while [move.lower() for move in moves[-2:]] != ["pass", "pass"]:
        assert len(moves) < most_moves, f"{len(moves)} moves and no end: {' '.join(moves[-20:])}"
        mover, other, color = (black, white, "black") if len(moves) % 2 == 0 else (white, black, "white")
        move = mover.ask("genmove", color)
        if move.lower() == "resign":
            return Refereed(tuple(moves), resigned=True)
        other.ask("play", color, move)
        moves.append(move)
    return Refereed(tuple(moves), resigned=False)
