"""The commands of Go: komi, handicap, set-ups, scores, records."""

from pathlib import Path
from typing import Literal

from katachi.core.errors import InvalidArgumentError, KatachiError
from katachi.core.types import Action, Player, Point
from katachi.games.go.record import format_komi
from katachi.gtp.commands.basics import format_decision, refuse_unless
from katachi.gtp.go_session import GoSession
from katachi.gtp.protocol import GtpError
from katachi.gtp.registry import Move, command


@command("get_komi")
def get_komi(session: GoSession) -> str:
    """Points for White."""
    return format_komi(session.rules.komi)


@command("fixed_handicap", errors={InvalidArgumentError: "invalid number of stones"})
def fixed_handicap(session: GoSession, stones: int) -> str:
    """Handicap stones on their points."""
    refuse_unless(session.is_empty, "board not empty")
    return _points(session, session.fixed_handicap(stones))


@command("place_free_handicap", errors={InvalidArgumentError: "invalid number of stones"})
def place_free_handicap(session: GoSession, stones: int) -> str:
    """Handicap stones where the engine likes them."""
    refuse_unless(session.is_empty, "board not empty")
    return _points(session, session.free_handicap(stones))


@command("set_free_handicap", bad_arguments="bad vertex list", errors={InvalidArgumentError: "bad vertex list"})
def set_free_handicap(session: GoSession, points: tuple[Action, ...]) -> None:
    """Handicap stones where the controller says."""
    refuse_unless(session.is_empty, "board not empty")
    refuse_unless(len(points) >= 2 and len(set(points)) == len(points), "bad vertex list")
    refuse_unless(session.position.pass_action not in points, "bad vertex list")
    session.place_handicap([Point(action) for action in points])


@command("set_position", errors={InvalidArgumentError: "illegal position"})
def set_position(session: GoSession, stones: tuple[Move, ...]) -> None:
    """These stones and no history."""
    session.set_up(_stones(session, stones))


@command("gogui-setup", errors={InvalidArgumentError: "illegal position"})
def setup(session: GoSession, stones: tuple[Move, ...]) -> None:
    """These stones on the empty board."""
    refuse_unless(session.is_empty, "board not empty")
    session.set_up(_stones(session, stones))


@command("gogui-setup_player")
def setup_player(session: GoSession, player: Player) -> None:
    """Who moves next."""
    session.give_turn(player)


@command("final_score")
def final_score(session: GoSession) -> str:
    """`B+3.5`, `W+12` or `0`."""
    return session.final_score()


@command("final_status_list")
def final_status_list(session: GoSession, status: Literal["alive", "dead", "seki"]) -> str:
    """The chains with that status, one a line."""
    return "\n".join(_points(session, chain) for chain in session.chains_by_status()[status])


@command("kgs-genmove_cleanup")
def genmove_cleanup(session: GoSession, player: Player) -> str:
    """The engine's move, which does not pass while dead stones of the opponent remain."""
    return format_decision(session, session.generate(player, session.clean_up))


@command("loadsgf")
def loadsgf(session: GoSession, path: Path, move: int | None = None) -> None:
    """The end of a record's main line, or its board before a move."""
    try:
        session.load(path, move)
    except (KatachiError, OSError, UnicodeError) as error:
        raise GtpError("cannot load file") from error


@command("printsgf")
def printsgf(session: GoSession, path: Path | None = None) -> str:
    """The game as a record: into a file, or as the answer."""
    record = session.record()
    if path is None or str(path) == "-":
        return record.format().decode()
    try:
        record.save(path)
    except (OSError, UnicodeError) as error:
        raise GtpError(f"cannot save file {str(path)!r}: {getattr(error, 'strerror', error)}") from error
    return ""


def _points(session: GoSession, points: list[Point]) -> str:
    return " ".join(session.vertex(Action(point)) for point in points)


def _stones(session: GoSession, stones: tuple[Move, ...]) -> list[tuple[Player, Action]]:
    refuse_unless(all(action != session.position.pass_action for _, action in stones), "syntax error")
    return [(player, action) for player, action in stones]
