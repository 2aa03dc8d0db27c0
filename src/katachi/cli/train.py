"""`katachi train`: weights of local shapes, learnt by self-play."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from katachi.cli.console import games_lines, live_status, print_json, raise_on_hangup
from katachi.cli.options import AsJson, Seed, folder_option

if TYPE_CHECKING:
    from katachi.training.metrics import Metrics

__all__ = ["metrics_line", "square_side", "train"]


def train(
    games: Annotated[int, typer.Option(min=1, help="How many, with those that the folder has already.")],
    out: Annotated[Path, folder_option("A folder for the run; the same command goes on there.")],
    size: Annotated[str, typer.Option(help="Of the board: N, or NxN.")] = "9",
    seed: Seed = 1,
    alpha: Annotated[float, typer.Option(help="Step size, divided by the number of features.")] = 0.1,
    lambda_: Annotated[float, typer.Option("--lambda", help="Decay of the traces, 0 to 1.")] = 0.0,
    head: Annotated[str, typer.Option(help="logistic, non-linear or linear.")] = "logistic",
    target: Annotated[str, typer.Option(help="td or monte-carlo.")] = "td",
    plies: Annotated[int, typer.Option(help="1 or 2: from state to state, or to the same player's next.")] = 2,
    update_mode: Annotated[str, typer.Option(help="end-refresh, end-cached or online.")] = "end-refresh",
    traces: Annotated[str, typer.Option(help="accumulating or replacing.")] = "accumulating",
    trace_norm: Annotated[str, typer.Option(help="at-add or at-update.")] = "at-add",
    trace_parity: Annotated[str, typer.Option(help="per-colour or single.")] = "per-colour",
    trace_cutoff: Annotated[float, typer.Option(help="Traces that are no greater are dropped.")] = 0.0,
    normaliser: Annotated[str, typer.Option(help="state, or successor as printed.")] = "state",
    learns_last: Annotated[bool, typer.Option(help="Does the last state learn the outcome?")] = True,
    linear_offset: Annotated[float, typer.Option(help="Added to the sum, of head=linear.")] = 0.5,
    step_rule: Annotated[str, typer.Option(help="constant, counts, kalman or idbd.")] = "constant",
    count_scale: Annotated[float, typer.Option(help="Of counts: occurrences until a step has halved.")] = 1000.0,
    variance: Annotated[float, typer.Option(help="Of kalman: of a weight at the start.")] = 0.01,
    meta_step: Annotated[float, typer.Option(help="Of idbd: how fast the steps learn.")] = 0.01,
    epsilon: Annotated[float, typer.Option(help="How often a move is random, 0 to 1.")] = 0.1,
    komi: Annotated[float, typer.Option(help="Points for White.")] = 7.5,
    eye_rule: Annotated[str, typer.Option(help="What nobody fills: simple, surrounded or strict.")] = "simple",
    ties: Annotated[str, typer.Option(help="Among equally good moves: random or last.")] = "random",
    longest_game: Annotated[int, typer.Option(help="Moves; a longer game is a draw.")] = 1000,
    threads: Annotated[
        int, typer.Option(help="Threads that learn the same weights; with one thread, one seed gives one result.")
    ] = 1,
    count_occurrences: Annotated[
        bool, typer.Option(help="Keep in the checkpoint how often each weight was active.")
    ] = False,
    sizes: Annotated[str, typer.Option(help="Windows, with commas: 1x1, 2x1, 2x2, 3x2, 3x3.")] = "1x1,2x2,3x3",
    sharing: Annotated[str, typer.Option(help="none, ci, nld, nli, ld, li, ld+li or nld+nli.")] = "ld+li",
    turns: Annotated[str, typer.Option(help="Weights by player to move: both, each or each+both.")] = "both",
    stage_length: Annotated[int, typer.Option(help="Moves in a stage with weights of its own; 0: one stage.")] = 0,
    checkpoint_games: Annotated[int, typer.Option(help="A checkpoint at every so many games.")] = 10_000,
    checkpoint_seconds: Annotated[float, typer.Option(help="And after so many seconds.")] = 30.0,
    metrics_games: Annotated[int, typer.Option(help="A row of metrics at every so many games.")] = 1_000,
    tensorboard: Annotated[
        bool, typer.Option(help="Metrics for TensorBoard, too; needs katachi[tensorboard].")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Learn to value positions by self-play: temporal differences over local shapes (RLGO).

    The folder keeps a checkpoint from which a run that was stopped or killed goes on exactly, snapshots of the weights
    after 10, 12, 14, … games, and metrics as JSON lines. With one thread, one seed gives one result.

    \b
    Examples:
      katachi train --size 5 --games 1000 --out run5
      katachi train --size 9 --games 1000000 --seed 1 --out run9
      katachi train --games 100000 --lambda 0.4 --traces replacing --out traces
      katachi train --games 100000 --step-rule kalman --out kalman --json
    """
    from katachi.learning.td_settings import TdSettings
    from katachi.training.self_play import Schedule, SelfPlaySettings
    from katachi.training.self_play import train as run_training

    learning = {
        "head": head,
        "target": target,
        "plies": plies,
        "lambda_": lambda_,
        "traces": traces,
        "trace_norm": trace_norm,
        "trace_parity": trace_parity,
        "trace_cutoff": trace_cutoff,
        "update_mode": update_mode,
        "normaliser": normaliser,
        "learns_last": learns_last,
        "linear_offset": linear_offset,
        "step_rule": step_rule,
        "alpha": alpha,
        "count_scale": count_scale,
        "variance": variance,
        "meta_step": meta_step,
    }
    chosen = {
        "size": square_side(size),
        "seed": seed,
        "sizes": tuple(part.strip() for part in sizes.split(",")),
        "sharing": sharing,
        "turns": turns,
        "stage_length": stage_length,
        "komi": komi,
        "eye_rule": eye_rule,
        "epsilon": epsilon,
        "ties": ties,
        "longest_game": longest_game,
        "threads": threads,
        "count_occurrences": count_occurrences,
        "td": TdSettings.from_mapping(learning),
    }
    schedule = Schedule(
        checkpoint_games=checkpoint_games,
        checkpoint_seconds=checkpoint_seconds,
        metrics_games=metrics_games,
        tensorboard=tensorboard,
    )
    raise_on_hangup()
    with live_status(games, quiet=as_json) as tell:
        result = run_training(
            SelfPlaySettings.from_mapping(chosen),
            games=games,
            folder=out,
            schedule=schedule,
            on_games=lambda done, row: tell(done, "" if row is None else metrics_line(row)),
        )
    if as_json:
        print_json(result.to_json())
    else:
        print("\n".join(games_lines(result, metrics_line)))


def square_side(text: str) -> int:
    """Of `N` or `NxN`."""
    from katachi.core.errors import InvalidArgumentError

    width, by, height = text.partition("x")
    if not width.isdecimal() or (by and not height.isdecimal()):
        raise InvalidArgumentError(f"a size is N or NxN, not {text!r}")
    if by and int(width) != int(height):
        raise InvalidArgumentError(f"boards of learners are square, N or NxN, not {text}")
    return int(width)


def metrics_line(row: "Metrics") -> str:
    """A word for those who wait."""
    return (
        f"{row.games_per_cpu_second:,.0f} games/s, cross entropy {row.cross_entropy:.4f}, "
        f"Black wins {row.black_wins:.1%}, {row.moves_per_game:.0f} moves a game"
    )
