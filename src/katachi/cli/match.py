"""`katachi match`: games between two players, kept in a folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from katachi.cli.console import live_status, print_json, raise_on_hangup
from katachi.cli.options import (
    AsJson,
    ExecutorName,
    GameName,
    Komi,
    MaxMoves,
    Openings,
    RulesName,
    Scoring,
    Seed,
    Size,
    Workers,
    chosen_executor,
    folder_option,
)

if TYPE_CHECKING:
    from katachi.arena.match import MatchResult

__all__ = ["match"]


def match(
    first: Annotated[str, typer.Argument(help="A player spec, or gtp:COMMAND.")],
    second: Annotated[str, typer.Argument(help="Another one.")],
    games: Annotated[int, typer.Option(min=1, help="How many, with alternating colours.")] = 100,
    game: GameName = "go",
    size: Size = None,
    komi: Komi = None,
    rules: RulesName = None,
    seed: Seed = 1,
    workers: Workers = 0,
    executor: ExecutorName = None,
    out: Annotated[
        Path | None,
        folder_option("A folder for the games; the same command goes on there."),
    ] = None,
    openings: Openings = 0,
    max_moves: MaxMoves = 1000,
    scoring: Scoring = "area",
    resign: Annotated[
        bool, typer.Option("--resign", help="Let players resign; otherwise that is a foul, too.")
    ] = False,
    clock: Annotated[
        str | None,
        typer.Option(
            help="Seconds of each player, or a system with its numbers: '10', 'fischer 60 2', 'byoyomi 60 5 3'."
        ),
    ] = None,
    sprt: Annotated[str | None, typer.Option(help="ELO0,ELO1: stop as soon as a sequential test decides.")] = None,
    as_json: AsJson = False,
) -> None:
    """Play a match and say what it tells about the two players.

    Illegal moves, crashes and time-outs lose the game, and are counted. With --out every game is kept as it ends, in an
    SQLite file and as SGF: a match that was killed goes on where it stopped.

    \b
    Examples:
      katachi match flat-mc:sims=64 random --size 5 --games 20
      katachi match flat-mc:sims=100 "gtp:gnugo --mode gtp --level 0 --chinese-rules --positional-superko
        --capture-all-dead --never-resign --seed {seed}" --games 40 --workers 2 --out run
      katachi match flat-mc:sims=20 flat-mc:sims=10 --size 7 --games 1000 --sprt 0,35 --workers 2
      katachi match uct:seconds=5 "gtp:katachi gtp uct:seconds=5" --games 2 --clock 10
      katachi match flat-mc:sims=50 random --game tic-tac-toe --json
    """
    from katachi.arena.match import MatchSettings, run_match
    from katachi.games.registry import full_options

    settings = MatchSettings(
        first=first,
        second=second,
        games=games,
        seed=seed,
        game=game,
        options=full_options(game, size=size, rules=rules, komi=komi),
        opening_plies=openings,
        max_moves=max_moves,
        scoring=scoring,
        resignation=resign,
        clock=clock,
        sprt=sprt,
    )
    place = chosen_executor(executor, workers)
    raise_on_hangup()
    with live_status(games, quiet=as_json) as tell:
        result = run_match(
            settings,
            folder=out,
            executor=place,
            on_result=lambda r: tell(len(r.outcomes), _line(r), lambda: "\n".join(_lines(r))),
        )
    if as_json:
        print_json(result.to_json())
    else:
        print("\n".join(_lines(result)))


def _line(result: "MatchResult") -> str:
    low, high = result.score.interval
    return f"+{result.wins} ={result.draws} -{result.losses}, {result.score.win_rate:.1%} ({low:.1%} to {high:.1%})"


def _lines(result: "MatchResult") -> list[str]:
    """What is known so far, for people."""
    told = result.to_json()
    low, high = told["elo_interval"]
    low, high = "-infinite" if low is None else f"{low:+.0f}", "infinite" if high is None else f"{high:+.0f}"
    lost_all = "-infinite" if result.score.points == 0 else "infinite"
    elo = lost_all if told["elo"] is None else f"{told['elo']:+.0f}"
    superiority = told["likelihood_of_superiority"]
    lines = [
        f"{result.first} against {result.second}: {told['games']} games",
        f"  {_line(result)}",
        f"  Elo difference {elo} ({low} to {high}), likelihood of superiority {superiority:.1%}",
        f"  {told['average_length'] or 0:.1f} moves a game" + (f", {told['cut']} games cut" if told["cut"] else ""),
    ]
    for name, seconds, longest, rate in zip(
        (result.first, result.second),
        told["seconds_per_move"],
        told["longest_move_seconds"],
        told["simulations_per_second"],
        strict=True,
    ):
        speed = f", {rate:,.0f} simulations a second" if rate else ""
        lines.append(f"  {name}: {seconds or 0:.4f} s a move, {longest or 0:.3f} s at most{speed}")
    for name, fouls in told["fouls"].items():
        for reason, count in fouls.items():
            detail = result.first_foul(name, reason).partition("\n")[0]
            lines.append(f"  {name} lost {count} by {reason}: {detail[:200]}")
    if told["repeated_games"]:
        lines.append(f"  {told['repeated_games']} games repeat an earlier one: use --openings")
    if result.verdict is not None:
        lines.append(f"  sequential test: {result.verdict if result.verdict != 'continue' else 'not decided'}")
    return lines
