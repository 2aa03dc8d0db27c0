"""`katachi tune`: settings of a player that win more often."""

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
    from katachi.arena.tune import Trial, TuneResult

__all__ = ["tune"]

_MOST_LINES = 5


def tune(
    player: Annotated[str, typer.Argument(help="The player's spec; settings that are tuned may be left out.")],
    opponent: Annotated[str, typer.Argument(help="A player spec, or gtp:COMMAND.")],
    param: Annotated[
        list[str], typer.Option(help="NAME=LOW:HIGH, NAME=LOW:HIGH:log or NAME=A|B|C; may be given several times.")
    ],
    out: Annotated[
        Path,
        folder_option("A folder for trials and games; the same command goes on there."),
    ],
    trials: Annotated[int, typer.Option(min=1, help="How many settings are tried.")] = 50,
    games: Annotated[int, typer.Option(min=2, help="Of each trial, an even number.")] = 100,
    game: GameName = "go",
    size: Size = None,
    komi: Komi = None,
    rules: RulesName = None,
    seed: Seed = 1,
    workers: Workers = 0,
    executor: ExecutorName = None,
    openings: Openings = 0,
    max_moves: MaxMoves = 1000,
    scoring: Scoring = "area",
    as_json: AsJson = False,
) -> None:
    """Tune a player's settings with Optuna: each trial is a match, its win rate is what counts.

    Everything is kept in the folder: a run that was killed goes on where it stopped, and a larger --trials adds some.
    Needs pip install "katachi[tune]".

    \b
    Examples:
      katachi tune flat-mc random --param sims=1:50:log --size 5 --trials 10 --games 20 --out tuned
      katachi tune flat-mc flat-mc:sims=20 --param "sims=10|20|40" --size 5 --openings 2 --workers 2 --out tuned
    """
    from katachi.arena.tune import TuneSettings, run_tune
    from katachi.games.registry import full_options

    settings = TuneSettings(
        player=player,
        opponent=opponent,
        params=param,
        trials=trials,
        games=games,
        seed=seed,
        game=game,
        options=full_options(game, size=size, rules=rules, komi=komi),
        opening_plies=openings,
        max_moves=max_moves,
        scoring=scoring,
    )
    place = chosen_executor(executor, workers)
    raise_on_hangup()
    with live_status(trials * games, quiet=as_json) as tell:

        def on_result(done: tuple["Trial", ...], match: "MatchResult") -> None:
            best = max((trial.score.win_rate for trial in done), default=None)
            known = "" if best is None else f", best so far {best:.1%}"
            tell(
                len(done) * games + len(match.outcomes),
                f"trial {len(done) + 1} of {trials}, {match.first}: {match.score.win_rate:.1%}{known}",
            )

        result = run_tune(settings, out, executor=place, on_result=on_result)
    if as_json:
        print_json(result.to_json())
    else:
        _print(result)


def _print(result: "TuneResult") -> None:
    print(f"{len(result.trials)} trials of {result.settings.games} games against {result.settings.opponent}")
    best_first = sorted(result.trials, key=lambda trial: (-trial.score.win_rate, trial.number))
    for trial in best_first[:_MOST_LINES]:
        low, high = trial.score.interval
        print(f"  {trial.score.win_rate:6.1%} ({low:.1%} to {high:.1%})  {trial.spec}  (trial {trial.number})")
    if len(best_first) > _MOST_LINES:
        print(f"  and {len(best_first) - _MOST_LINES} more")
    print(f"best: {result.best.spec}")
    if len(result.trials) > 1:
        print("the best of many looks better than it is: check it with katachi match and another --seed")
