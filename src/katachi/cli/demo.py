"""`katachi demo`: a small tournament that ends in a table."""

from typing import Annotated

import typer

from katachi.cli.console import print_json, progress_bar

__all__ = ["demo"]

_PLAYERS = ("random", "flat-mc:sims=4", "flat-mc:sims=16", "flat-mc:sims=64")


def demo(
    size: Annotated[str, typer.Option(help="Board size: N or WIDTHxHEIGHT.")] = "7",
    games: Annotated[int, typer.Option(min=1, help="Games between every two players.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same games.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")] = False,
) -> None:
    """Play a round robin of random and flat Monte-Carlo players on a small board.

    \b
    Examples:
      katachi demo
      katachi demo --size 5 --games 100 --seed 7
    """
    from dataclasses import asdict

    from rich.console import Console
    from rich.table import Table

    from katachi.arena.match import play_round_robin, standings
    from katachi.games.go import GoGame
    from katachi.players.registry import make_player

    game = GoGame(size)
    players = [make_player(spec) for spec in _PLAYERS]
    total = games * len(players) * (len(players) - 1) // 2
    with progress_bar(f"{total} games on {game.width}x{game.height}") as progress:
        done = iter(range(1, total + 1))
        matches = play_round_robin(game, players, games, seed, on_game=lambda _: progress(next(done) / total))

    table = standings(matches)
    if as_json:
        rows = [{"player": s.player, **asdict(s.score), "interval": s.score.interval} for s in table]
        print_json({"game": "go", "size": f"{game.width}x{game.height}", "seed": seed, "table": rows})
        return
    title = f"Go {game.width}x{game.height}, {game.rules.name} rules, komi {game.rules.komi:g}, seed {seed}"
    drawing = Table(title=title)
    drawing.add_column("player")
    for heading in ("games", "points", "win rate", "95 % interval"):
        drawing.add_column(heading, justify="right")
    for s in table:
        low, high = s.score.interval
        played, points, rate = str(s.score.games), f"{s.score.points:g}", f"{s.score.win_rate:.0%}"
        drawing.add_row(s.player, played, points, rate, f"{low:.0%} to {high:.0%}")
    Console().print(drawing)
