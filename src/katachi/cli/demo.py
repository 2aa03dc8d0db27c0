"""`katachi demo`: learns to value positions by self-play, searches with it, and ends in a table of ratings."""

from pathlib import Path
from typing import Annotated

import typer

from katachi.cli.console import live_status, print_json, raise_on_hangup
from katachi.cli.options import AsJson

__all__ = ["demo"]

_OPPONENTS = ("random", "flat-mc:sims=4", "flat-mc:sims=16", "flat-mc:sims=64")
_FEW = 100  # games: one player has learnt only so little
_SIMULATIONS = 200  # a move, of Dyna-2 and MC-RAVE


def demo(
    size: Annotated[str, typer.Option(help="Board size: N.")] = "7",
    training: Annotated[int, typer.Option(min=1, help="Games of self-play to learn from.")] = 20_000,
    games: Annotated[int, typer.Option(min=2, help="Games between every two players; an even number.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same games.")] = 1,
    out: Annotated[Path | None, typer.Option(help="A folder to keep weights and games in.")] = None,
    as_json: AsJson = False,
) -> None:
    """Learn local shapes by self-play, then play with them.

    By themselves, as the long-term memory of Dyna-2, and as what MC-RAVE takes new moves to be worth.

    Opponents are random and flat Monte-Carlo players.

    \b
    Examples:
      katachi demo
      katachi demo --size 5 --training 5000 --games 100 --seed 7
      katachi demo --size 9 --training 100000 --out demo9
    """
    from contextlib import nullcontext
    from tempfile import TemporaryDirectory

    from katachi.arena.tournament import TournamentSettings, run_tournament
    from katachi.cli.tournament import format_table, leader
    from katachi.cli.train import metrics_line, square_side
    from katachi.players.spec import PlayerSpec, format_spec
    from katachi.training.self_play import SelfPlaySettings, train

    side = square_side(size)
    raise_on_hangup()
    with TemporaryDirectory(prefix="katachi-demo-") if out is None else nullcontext(str(out)) as place:
        folders = {count: Path(place) / f"weights-{count}" for count in sorted({min(_FEW, training), training})}
        files = {count: str(folder / "checkpoint.safetensors") for count, folder in folders.items()}
        learners = {
            f"shapes, {count:,} games": format_spec(PlayerSpec("shapes", {"weights": path}))
            for count, path in files.items()
        }
        for name in ("dyna2", "heuristic-mc-rave"):
            searcher = PlayerSpec(name, {"sims": _SIMULATIONS, "weights": files[training]})
            learners[f"{name}, {training:,} games, {_SIMULATIONS} simulations"] = format_spec(searcher)
        settings = SelfPlaySettings(size=side, seed=seed)
        tournament = TournamentSettings(
            kind="round-robin",
            player={**learners, **{spec: spec for spec in _OPPONENTS}},
            seed=seed,
            size=side,
            games=games,
            openings=2,
            anchors={"random": 0.0},
        )
        for count, folder in folders.items():
            with live_status(count, quiet=as_json) as tell:
                train(
                    settings,
                    games=count,
                    folder=folder,
                    on_games=lambda done, row, tell=tell: tell(done, "" if row is None else metrics_line(row)),  # type: ignore[misc]
                )
        with live_status(tournament.total_games, quiet=as_json) as tell:
            result = run_tournament(
                tournament,
                folder=None if out is None else Path(place) / f"tournament-{training}",
                on_result=lambda some: tell(len(some.games), leader(some)),
            )
    if as_json:
        answer = result.to_json()
        if out is None:  # their files are gone
            answer["players"] = [
                {**line, "spec": None} if line["player"] in learners else line for line in answer["players"]
            ]
        print_json({"training": training, **answer})
    else:
        print(format_table(result))
