"""`katachi match`: games between two players, kept in a folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from katachi.cli.console import live_status, print_json, raise_on_hangup

if TYPE_CHECKING:
    from katachi.arena.match import MatchResult

__all__ = ["match"]


def match(
    first: Annotated[str, typer.Argument(help="A player spec, or gtp:COMMAND.")],
    second: Annotated[str, typer.Argument(help="Another one.")],
    games: Annotated[int, typer.Option(min=1, help="How many, with alternating colours.")] = 100,
    game: Annotated[str, typer.Option(help="Any game for two of the registry; see katachi info.")] = "go",
    size: Annotated[str, typer.Option(help="Of a Go board: N or WIDTHxHEIGHT.")] = "9",
    komi: Annotated[float, typer.Option(help="Points for White, in Go.")] = 7.5,
    rules: Annotated[
        str, typer.Option(help="Of Go: cgos, tromp-taylor, chinese, chinese-ogs, aga, new-zealand.")
    ] = "cgos",
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same games.")] = 1,
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; 0 plays in this one.")] = 0,
    executor: Annotated[
        str | None, typer.Option(help="local, local:N, ray or ray:ADDRESS, instead of --workers.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="A folder for the games; the same command goes on there.")] = None,
    openings: Annotated[int, typer.Option(min=0, help="Random plies at the start, the same for both colours.")] = 0,
    max_moves: Annotated[int, typer.Option(min=1, help="Longer games are draws.")] = 1000,
    scoring: Annotated[
        str, typer.Option(help="area (all stones alive), agreement (dead ones by playouts) or gtp:COMMAND.")
    ] = "area",
    resign: Annotated[
        bool, typer.Option("--resign", help="Let players resign; otherwise that is a loss, too.")
    ] = False,
    sprt: Annotated[str | None, typer.Option(help="ELO0,ELO1: stop as soon as a sequential test decides.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")] = False,
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
      katachi match flat-mc:sims=50 random --game tic-tac-toe --json
    """
    from katachi.arena.executor import make_executor
    from katachi.arena.match import MatchSettings, run_match

    options: dict[str, Any] = {"size": size, "rules": rules, "komi": komi} if game == "go" else {}
    settings = MatchSettings(
        first=first,
        second=second,
        games=games,
        seed=seed,
        game=game,
        options=options,
        opening_plies=openings,
        max_moves=max_moves,
        scoring=scoring,
        resignation=resign,
        sprt=sprt,
    )
    place = make_executor(executor or (f"local:{workers}" if workers else "local"))
    raise_on_hangup()
    with live_status(games, quiet=as_json) as tell:
        result = run_match(settings, folder=out, executor=place, on_result=lambda r: tell(len(r.outcomes), _line(r)))
    if as_json:
        print_json(result.to_json())
    else:
        _print(result)


def _line(result: "MatchResult") -> str:
    low, high = result.score.interval
    return f"+{result.wins} ={result.draws} -{result.losses}, {result.score.win_rate:.1%} ({low:.1%} to {high:.1%})"


def _print(result: "MatchResult") -> None:
    told = result.to_json()
    print(f"{result.first} against {result.second}: {told['games']} games")
    print(f"  {_line(result)}")
    low, high = told["elo_interval"]
    low, high = "-infinite" if low is None else f"{low:+.0f}", "infinite" if high is None else f"{high:+.0f}"
    lost_all = "-infinite" if result.score.points == 0 else "infinite"
    elo = lost_all if told["elo"] is None else f"{told['elo']:+.0f}"
    print(
        f"  Elo difference {elo} ({low} to {high}), likelihood of superiority {told['likelihood_of_superiority']:.1%}"
    )
    print(f"  {told['average_length']:.1f} moves a game" + (f", {told['cut']} games cut" if told["cut"] else ""))
    for name, seconds, rate in zip(
        (result.first, result.second), told["seconds_per_move"], told["simulations_per_second"], strict=True
    ):
        speed = f", {rate:,.0f} simulations a second" if rate else ""
        print(f"  {name}: {0 if seconds is None else seconds:.4f} s a move{speed}")
    for name, fouls in told["fouls"].items():
        for reason, count in fouls.items():
            print(f"  {name} lost {count} by {reason}")
    if told["repeated_games"]:
        print(f"  {told['repeated_games']} games repeat an earlier one: use --openings")
    if result.verdict is not None:
        print(f"  sequential test: {result.verdict if result.verdict != 'continue' else 'not decided'}")
