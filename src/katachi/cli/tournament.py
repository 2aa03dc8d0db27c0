"""`katachi tournament`: many players, one table of ratings."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from katachi.cli.console import live_status, print_json, raise_on_hangup
from katachi.cli.options import AsJson, ExecutorName, Workers, chosen_executor, folder_option

if TYPE_CHECKING:
    from katachi.arena.tournament import TournamentResult

__all__ = ["format_table", "leader", "tournament"]

_MOST_PLAYERS_OF_A_CROSS_TABLE = 8


def tournament(
    file: Annotated[Path, typer.Argument(help="A TOML file with the players and who meets whom.")],
    out: Annotated[
        Path | None,
        folder_option("A folder for the games; the same command goes on there."),
    ] = None,
    workers: Workers = 0,
    executor: ExecutorName = None,
    as_json: AsJson = False,
) -> None:
    """Play a tournament (round robin, Swiss or gauntlet) and rate its players.

    With --out every game is kept as it ends, in an SQLite file and as SGF: a tournament that was killed goes on where
    it stopped, and one whose file has more `games` or `rounds` now goes on from there. Anchors may change, too.

    \b
    The file:
      kind = "round-robin"        # or "swiss" with rounds = N, or "gauntlet" with hero = ["LABEL"]
      game = "go"
      size = 5
      komi = 7.5
      seed = 1
      games = 20                  # of each pair
      openings = 2                # random plies, the same for both colours
      [anchors]
      random = 0
      [[player]]
      spec = "random"
      [[player]]
      label = "ten playouts"
      player = "flat-mc"
      sims = 10

    \b
    Examples:
      katachi tournament examples/ladder.toml --out ladder --workers 2
      katachi tournament examples/ladder.toml --json
    """
    from katachi.arena.tournament import load_tournament, run_tournament

    settings = load_tournament(file)
    place = chosen_executor(executor, workers)
    raise_on_hangup()
    with live_status(settings.total_games, quiet=as_json) as tell:
        result = run_tournament(
            settings,
            folder=out,
            executor=place,
            on_result=lambda some: tell(len(some.games), leader(some), lambda: "\n".join(_standings(some))),
        )
    if as_json:
        print_json(result.to_json())
    else:
        print(format_table(result))


def leader(result: "TournamentResult") -> str:
    """A word for those who wait."""
    played = {label: score for label, score in result.scores.items() if score.games}
    label = max(played, key=lambda name: played[name].win_rate)
    low, high = played[label].interval
    return f"{label} leads with {played[label].win_rate:.1%} ({low:.1%} to {high:.1%})"


def _standings(result: "TournamentResult") -> list[str]:
    rows = [["", "player", "Elo", "95 %", "games", "points", "win rate", "better than next"]]
    for place, line in enumerate(result.lines, 1):
        rows.append([
            str(place),
            line.player,
            "-" if line.elo is None else f"{line.elo:.0f}",
            "-" if line.elo_interval is None else f"{line.elo_interval[0]:.0f} to {line.elo_interval[1]:.0f}",
            str(line.score.games),
            f"{line.score.points:g}",
            f"{line.score.win_rate:.1%}" if line.score.games else "-",
            "" if line.superiority is None else f"{line.superiority:.1%}",
        ])  # fmt: skip
    return _aligned(rows)


def format_table(result: "TournamentResult") -> str:
    """The table for people, with a cross table if there are few players."""
    settings = result.settings
    players = len(settings.player)
    board = f" on {settings.options['size']}" if "size" in settings.options else ""
    parts = [f"{settings.kind} of {players} players, {len(result.games)} games of {settings.game}{board}"]
    parts += _standings(result)
    if players <= _MOST_PLAYERS_OF_A_CROSS_TABLE:
        parts += ["", "points of the player on the left", *_aligned(_cross_table(result))]
    parts += ["", *_notes(result)] if _notes(result) else []
    return "\n".join(parts)


def _cross_table(result: "TournamentResult") -> list[list[str]]:
    order = [line.player for line in result.lines]
    rows = [["", "", *(str(place) for place in range(1, len(order) + 1))]]
    for place, player in enumerate(order, 1):
        scores = [result.against(player, other) for other in order]
        cells = [f"{score.points:g}/{score.games}" if score.games else "." for score in scores]
        rows.append([str(place), player, *cells])
    return rows


def _notes(result: "TournamentResult") -> list[str]:
    notes = []
    if result.ratings is None:
        notes.append(f"no ratings: {result.unrated}")
    else:
        notes.append(f"the first move is worth {result.ratings.advantage:+.0f} Elo")
    for player, fouls in result.fouls.items():
        notes += [f"{player} lost {count} by {reason}" for reason, count in fouls.items()]
    cut = sum(outcome.reason == "cap" for _, outcome in result.games)
    if cut:
        notes.append(f"{cut} games cut")
    if result.repeated:
        notes.append(f"{result.repeated} games repeat an earlier one: use openings")
    return notes


def _aligned(rows: list[list[str]]) -> list[str]:
    """Columns: the names to the left, everything else to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if column == 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
