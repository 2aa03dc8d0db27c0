"""Options that several commands share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from katachi.arena.executor import Executor

__all__ = [
    "AsJson",
    "ExecutorName",
    "GameName",
    "Komi",
    "MaxMoves",
    "Openings",
    "RulesName",
    "Scoring",
    "Seed",
    "Size",
    "Workers",
    "chosen_executor",
    "folder_option",
]

GameName = Annotated[str, typer.Option(help="Any game for two of the registry; see katachi info.")]
Size = Annotated[str | None, typer.Option(help="Of the board: N or WIDTHxHEIGHT; 9 in Go.")]
Komi = Annotated[float | None, typer.Option(help="Points for White, in Go; 7.5 if not given.")]
RulesName = Annotated[
    str | None,
    typer.Option(help="Of Go: cgos (if not given), tromp-taylor, chinese, chinese-ogs, aga, new-zealand."),
]
Seed = Annotated[int, typer.Option(min=0, help="Same seed, same games.")]
Workers = Annotated[int, typer.Option(min=0, help="Worker processes; 0 plays in this one.")]
ExecutorName = Annotated[str | None, typer.Option(help="local, local:N, ray or ray:ADDRESS, instead of --workers.")]
Openings = Annotated[int, typer.Option(min=0, help="Random plies at the start, the same for both colours.")]
MaxMoves = Annotated[int, typer.Option(min=1, help="Longer games are draws.")]
Scoring = Annotated[
    str, typer.Option(help="area (all stones alive), agreement (dead ones by playouts) or gtp:COMMAND.")
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")]


def _named_folder(text: str) -> Path:
    """A folder. An empty name would be the one that one is in, and is probably a variable that is not set."""
    if not text:
        raise typer.BadParameter("the name of the folder is empty; write . for the present one")
    return Path(text)


def folder_option(help: str) -> Any:  # noqa: ANN401  (Typer's own type is not public)
    """An option that names a folder."""
    return typer.Option(parser=_named_folder, metavar="FOLDER", help=help)


def chosen_executor(executor: str | None, workers: int) -> "Executor":
    """Where the games are played: `--executor`, or that many `--workers`."""
    from katachi.arena.executor import make_executor

    return make_executor(executor or (f"local:{workers}" if workers else "local"))
