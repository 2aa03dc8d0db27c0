"""`katachi perft`: exhaustive counts that a correct Go board reproduces."""

import time
from enum import StrEnum
from typing import Annotated, Any

import typer

from katachi.cli.console import print_json, progress_bar

__all__ = ["perft"]


class Count(StrEnum):
    """What to count."""

    SEQUENCES = "sequences"
    POSITIONS = "positions"
    GAMES = "games"


def perft(
    size: Annotated[str, typer.Option(help="Board size: N or WIDTHxHEIGHT.")] = "3",
    rules: Annotated[
        str, typer.Option(help="Rule set: cgos, tromp-taylor, chinese, chinese-ogs, aga, new-zealand.")
    ] = "tromp-taylor",
    depth: Annotated[int, typer.Option(help="Plies, at least 1, for move sequences.")] = 5,
    count: Annotated[
        Count, typer.Option(help="Move sequences by depth, legal positions, or whole games.")
    ] = Count.SEQUENCES,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")] = False,
) -> None:
    """Count move sequences (perft), legal positions or whole games.

    Sequences are of exactly d plies from the empty board, passes included, none after two passes in a row. Whole games
    end with two passes.

    \b
    Examples:
      katachi perft --size 3 --rules tromp-taylor --depth 7
      katachi perft --size 2x2 --rules aga --depth 12 --json
      katachi perft --size 4 --count positions
      katachi perft --size 1x3 --count games
    """
    from katachi.games.go import Position, Rules
    from katachi.games.go.count import count_games, count_positions, count_sequences
    from katachi.games.go.vertex import parse_size

    width, height = parse_size(size)
    rule_set = Rules.named(rules)
    position = Position(width, height, rule_set)
    start = time.perf_counter()
    answer: dict[str, Any] = {"size": f"{width}x{height}", "rules": rule_set.name}
    with progress_bar(f"{count.value} on {width}x{height}") as progress:
        if count is Count.SEQUENCES:
            answer["counts"] = count_sequences(position, depth, progress)
        elif count is Count.POSITIONS:
            answer["positions"] = count_positions(width, height, progress)
        else:
            answer["games"] = count_games(position, progress)
    answer["seconds"] = round(time.perf_counter() - start, 3)
    if as_json:
        print_json(answer)
    elif count is Count.SEQUENCES:
        for ply, number in enumerate(answer["counts"], start=1):
            print(f"{ply:3}  {number}")
    else:
        print(answer[count.value])
