"""`katachi gtp`: the engine that a GUI loads."""

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from katachi.cli.console import protocol_streams, raise_on_hangup

if TYPE_CHECKING:
    from katachi.players.player import GamePlayer

__all__ = ["gtp"]

_LARGEST_SIDE = 19
_USUAL = "tournament:sims=10000"
_USUAL_ELSEWHERE = "uct:sims=1000"


def gtp(
    player: Annotated[
        str | None,
        typer.Argument(help=f"Who plays: a player spec; otherwise {_USUAL} in Go, {_USUAL_ELSEWHERE} elsewhere."),
    ] = None,
    game: Annotated[str, typer.Option(help="The game: go, or another one on a board, such as tic-tac-toe.")] = "go",
    size: Annotated[
        str | None,
        typer.Option(help="Board size at the start: N or WIDTHxHEIGHT; otherwise 19, or the largest that it plays."),
    ] = None,
    rules: Annotated[
        str, typer.Option(help="Rule set: cgos, tromp-taylor, chinese, chinese-ogs, aga, new-zealand.")
    ] = "chinese",
    komi: Annotated[
        float | None, typer.Option(help="Points for White at the start; otherwise those of the rules.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Same seed and same commands, same moves.")] = 1,
    ponder: Annotated[
        bool, typer.Option("--ponder", help="Think on in the opponent's time, for players that keep memory.")
    ] = False,
    log: Annotated[Path | None, typer.Option(help="A file for the log; otherwise stderr.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log why commands fail.")] = False,
) -> None:
    """Speak GTP 2 on stdin and stdout: the engine for Sabaki, GoGui, Lizzie and for matches.

    Nothing but GTP is written to stdout; logs go to stderr or into a file. Players that search obey the controller's
    clock, with their own budget as the most they take, and show what they think (lz-analyze, kata-analyze).

    \b
    Examples:
      katachi gtp
      katachi gtp tournament:seconds=10,threads=2,resign=0.05 --ponder
      katachi gtp flat-mc:sims=500 --rules tromp-taylor --seed 7
      katachi gtp alpha-beta:depth=5
      katachi gtp uct:seconds=10 --size 9 --ponder
      katachi gtp shapes:weights=run9/checkpoint.safetensors --size 9
      katachi gtp random --size 9 --log katachi.log -v
      katachi gtp --game tic-tac-toe
      printf 'boardsize 9\\ngenmove b\\nshowboard\\n' | katachi gtp flat-mc:sims=20
    """
    from katachi.core.errors import InvalidArgumentError
    from katachi.games.go.rules import Rules
    from katachi.games.registry import make_game
    from katachi.gtp.go_session import GoSession
    from katachi.gtp.server import serve
    from katachi.gtp.session import BoardSession, Session
    from katachi.players.player import check_player, close_player
    from katachi.players.registry import make_player

    try:
        handler = logging.StreamHandler(sys.stderr) if log is None else logging.FileHandler(log)
    except OSError as error:
        raise InvalidArgumentError(f"the log {str(log)!r} cannot be written: {error.strerror}") from error
    level = logging.INFO if verbose else logging.WARNING
    logging.basicConfig(handlers=[handler], level=level, format="%(asctime)s %(levelname)s %(message)s")
    chosen = make_player(player or (_USUAL if game == "go" else _USUAL_ELSEWHERE))
    session: Session
    if game == "go":
        session = GoSession(chosen, seed, size=_first_size(chosen, size), rules=Rules.named(rules, komi))
    else:
        board = make_game(game)
        check_player(chosen, board)
        session = BoardSession(board, chosen, seed)
    session.ponders = ponder
    raise_on_hangup()
    with protocol_streams() as (commands, answers):
        try:
            serve(session, commands, answers)
        finally:
            close_player(session.player)


def _first_size(player: "GamePlayer", asked: str | None) -> tuple[int, int]:
    """What was asked for, or the largest usual board that a player plays on."""
    from katachi.core.errors import KatachiError, WeightsError
    from katachi.games.go.game import GoGame
    from katachi.games.go.vertex import parse_size
    from katachi.players.player import check_player

    if asked is not None:
        check_player(player, GoGame(asked))
        return parse_size(asked)
    first: KatachiError | None = None
    for side in range(_LARGEST_SIDE, 0, -1):
        try:
            check_player(player, GoGame(side))
        except KatachiError as error:
            first = first or error
            continue
        return side, side
    if isinstance(first, WeightsError):
        raise first
    return _LARGEST_SIDE, _LARGEST_SIDE  # an engine that is missing, say: that is told when it shall play
