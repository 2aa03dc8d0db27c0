"""`katachi info`: what is installed and what it knows."""

from typing import Annotated

import typer

from katachi.cli.console import print_json

__all__ = ["info"]


def info(as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")] = False) -> None:
    """Show version, compiler, games, rule sets, players and where GNU Go is.

    \b
    Examples:
      katachi info
      katachi info --json
    """
    import katachi
    from katachi.bench import machine
    from katachi.games.go import RULE_SETS
    from katachi.games.registry import game_names
    from katachi.players.external import find_program
    from katachi.players.registry import player_names

    answer = {
        "version": katachi.__version__,
        **machine(),
        "games": game_names(),
        "rules": list(RULE_SETS),
        "players": player_names(),
        "gnugo": find_program("gnugo"),
    }
    if as_json:
        print_json(answer)
        return
    for key, value in answer.items():
        shown = ", ".join(value) if isinstance(value, list) else value
        print(f"{key:10} {shown if shown is not None else 'not found (Debian package gnugo)'}")
