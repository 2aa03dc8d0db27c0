"""The commands that GTP 2 requires, and what every board game can do."""

import time
from typing import Any

import katachi
from katachi.core.errors import IllegalMoveError, InvalidArgumentError
from katachi.core.types import Action, Player
from katachi.gtp.protocol import GtpError
from katachi.gtp.registry import Move, command, commands_for, find_command
from katachi.gtp.session import Session
from katachi.players.player import Decision


@command("protocol_version")
def protocol_version(session: Session) -> str:
    """The version of GTP."""
    return "2"


@command("name")
def name(session: Session) -> str:
    """The program."""
    return "Katachi"


@command("version")
def version(session: Session) -> str:
    """Version and player, which is what a match table should tell apart."""
    return f"{katachi.__version__} {session.player.name}"


@command("known_command")
def known_command(session: Session, name: str) -> str:
    """Is there such a command?"""
    return "true" if find_command(session, name) is not None else "false"


@command("list_commands")
def list_commands(session: Session) -> str:
    """All of them, one a line."""
    return "\n".join(commands_for(session))


@command("quit")
def leave(session: Session) -> None:
    """The last command; it is answered first."""
    session.quits = True


@command("boardsize", errors={InvalidArgumentError: "unacceptable size"})
def boardsize(session: Session, size: int, height: int | None = None) -> None:
    """An empty board; a second number makes it a rectangle."""
    session.resize(size, size if height is None else height)


@command("rectangular_boardsize", errors={InvalidArgumentError: "unacceptable size"})
def rectangular_boardsize(session: Session, width: int, height: int) -> None:
    """An empty board of any shape."""
    session.resize(width, height)


@command("komi")
def komi(session: Session, komi: float) -> None:
    """Points for White."""
    session.set_komi(komi)


@command("clear_board")
def clear_board(session: Session) -> None:
    """A new game."""
    session.clear()


@command("play", errors={IllegalMoveError: "illegal move"})
def play(session: Session, player: Player, action: Action) -> None:
    """A move."""
    session.play(player, action)


@command("gogui-play_sequence", errors={IllegalMoveError: "illegal move"})
def play_sequence(session: Session, moves: tuple[Move, ...]) -> None:
    """Moves, all of them or none."""
    session.play_all(moves)


@command("genmove")
def genmove(session: Session, player: Player) -> str:
    """The engine's move, which it plays."""
    before = session.state  # where a stone comes to rest is told before it lies there
    return format_decision(session, session.generate(player), before)


@command("reg_genmove")
def reg_genmove(session: Session, player: Player) -> str:
    """What the engine would play; the same each time in the same position."""
    return format_decision(session, session.think(player, regular=True))


@command("kata-search")
def search(session: Session, player: Player | None = None) -> str:
    """What the engine would play."""
    return format_decision(session, session.think(session.to_play if player is None else player))


@command("kata-search_cancellable")
def search_cancellable(session: Session, player: Player | None = None) -> str:
    """The same, and `cancelled` if the controller says anything meanwhile."""
    cancelled = False

    def go_on(_: float) -> bool:
        nonlocal cancelled
        cancelled = cancelled or session.is_interrupted()
        return not cancelled

    decision = session.think(session.to_play if player is None else player, go_on)
    return "cancelled" if cancelled else format_decision(session, decision)


@command("stop")
def stop(session: Session) -> None:
    """Ends pondering until the next move. Its arrival ends thinking about one, and an analysis."""
    session.stop_pondering()


@command("undo", errors={InvalidArgumentError: "cannot undo"})
def undo(session: Session) -> None:
    """Takes the last move back."""
    session.undo()


@command("gg-undo", errors={InvalidArgumentError: "cannot undo"})
def undo_many(session: Session, moves: int = 1) -> None:
    """Takes several moves back."""
    session.undo(moves)


@command("showboard")
def showboard(session: Session) -> str:
    """The board, for people."""
    return "\n" + session.show()


@command("clear_cache")
def clear_cache(session: Session) -> None:
    """Forgets what was searched."""
    session.forget()


@command("cputime")
def cputime(session: Session) -> str:
    """CPU seconds of this process."""
    return f"{time.process_time():.3f}"


@command("gomill-cpu_time")
def thinking_time(session: Session) -> str:
    """CPU seconds spent on choosing moves."""
    return f"{session.thinking_seconds:.3f}"


def format_decision(session: Session, decision: Decision, state: Any = None) -> str:  # noqa: ANN401
    """A vertex, `pass` or `resign`; of another state than the present one, if given."""
    return "resign" if decision.action is None else session.vertex(decision.action, state)


def refuse_unless(condition: bool, text: str) -> None:
    """A GtpError with the protocol's words."""
    if not condition:
        raise GtpError(text)
