"""`katachi balance`: playout policies, learnt by simulation balancing and its rivals."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from katachi.cli.console import live_status, print_json, raise_on_hangup
from katachi.cli.options import AsJson, Seed, folder_option
from katachi.cli.train import square_side

if TYPE_CHECKING:
    from katachi.training.policy_learning import PolicyLearningResult, PolicyMetrics

__all__ = [
    "Baseline", "BiasSimulations", "CriticAlpha", "GradientSimulations", "LargestBias", "LengthNormalise", "Start",
    "TestPositions", "TestSimulations", "Threads", "WeightDecay", "balance",
]  # fmt: skip

Start = Annotated[Path | None, typer.Option(help="Weights of a policy to begin with, instead of zeros.")]
BiasSimulations = Annotated[int, typer.Option(help="M, of balancing: for the bias of a position.")]
GradientSimulations = Annotated[int, typer.Option(help="N, of balancing: for its gradient.")]
LengthNormalise = Annotated[bool, typer.Option(help="Divide a simulation's gradient by its length?")]
Baseline = Annotated[str, typer.Option(help="Subtracted from outcomes: none, mean or critic.")]
CriticAlpha = Annotated[float, typer.Option(help="Step size of the critic.")]
WeightDecay = Annotated[
    float, typer.Option(help="λ: each step takes α λ θ from the weights θ, against learning data by heart.")
]
LargestBias = Annotated[float, typer.Option(help="A bias of balancing or two-step beyond it counts as so much.")]
Threads = Annotated[int, typer.Option(help="Of simulations; results do not depend on it.")]
TestPositions = Annotated[int, typer.Option(help="Positions for each row of metrics.")]
TestSimulations = Annotated[int, typer.Option(help="Playouts from each of them.")]


def balance(
    learner: Annotated[str, typer.Option(help="regression, reinforcement, balancing or two-step.")],
    out: Annotated[Path, folder_option("A folder for the run; the same command goes on there.")],
    data: Annotated[
        Path | None, typer.Option(help="Labelled positions (katachi label); reinforcement needs none.")
    ] = None,
    test: Annotated[
        Path | None, typer.Option(help="Labelled positions to measure on, instead of games held out of the data.")
    ] = None,
    held_out: Annotated[
        float, typer.Option(min=0, max=1, help="The share of games that are held out; 0 measures nothing.")
    ] = 0.1,
    steps: Annotated[int, typer.Option(min=1, help="How many, with those that the folder has already.")] = 100_000,
    size: Annotated[str | None, typer.Option(help="Of the board: N, or NxN; that of the data if not given.")] = None,
    start: Start = None,
    seed: Seed = 1,
    alpha: Annotated[
        float | None,
        typer.Option(help="Step size; if not given 0.03, 0.3, 3 and 3 for the four learners, to start from."),
    ] = None,
    bias_simulations: BiasSimulations = 100,
    gradient_simulations: GradientSimulations = 100,
    length_normalise: LengthNormalise = True,
    baseline: Baseline = "none",
    critic_alpha: CriticAlpha = 0.1,
    weight_decay: WeightDecay = 0.0,
    largest_bias: LargestBias = 1.0,
    rl_reward: Annotated[str, typer.Option(help="Of reinforcement: mover_pm1, or literal as printed.")] = "mover_pm1",
    komi: Annotated[float | None, typer.Option(help="Points for White; that of the data, or 7.5.")] = None,
    eye_rule: Annotated[str, typer.Option(help="What nobody fills: simple, surrounded, strict or none.")] = "simple",
    longest_simulation: Annotated[int, typer.Option(help="Moves; a longer one is a draw.")] = 200,
    threads: Threads = 1,
    metrics_steps: Annotated[int, typer.Option(help="A row of metrics at every so many steps.")] = 1000,
    checkpoint_steps: Annotated[int, typer.Option(help="A checkpoint at every so many steps.")] = 1000,
    snapshot_steps: Annotated[int, typer.Option(help="Keep weights at every so many steps; 0: never.")] = 1000,
    test_positions: TestPositions = 1000,
    test_simulations: TestSimulations = 100,
    tensorboard: Annotated[
        bool, typer.Option(help="Metrics for TensorBoard, too; needs katachi[tensorboard].")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Learn a playout policy: softmax over local shapes, by one of four learners (Silver and Tesauro 2009).

    regression imitates the expert's moves, reinforcement wins games against itself, balancing and two-step make
    playouts say what the labels say. The folder keeps a checkpoint from which a run that was stopped or killed goes on
    exactly, snapshots, and metrics as JSON lines. Its weights are the playout policy softmax-shapes(FILE) of every
    search.

    \b
    Examples:
      katachi balance --learner balancing --data labels5.parquet --out pgsb5
      katachi balance --learner two-step --data trees6.parquet --test labels6.parquet --out twostep6
      katachi balance --learner reinforcement --size 5 --steps 20000 --out rl5
      katachi balance --learner balancing --data labels5.parquet --start sr5/checkpoint.safetensors --out both5
      katachi match 'flat-mc:sims=100,policy=softmax-shapes(pgsb5/checkpoint.safetensors)' flat-mc:sims=100 --size 5
    """
    from katachi._core import Rng
    from katachi.core.errors import InvalidArgumentError
    from katachi.training.data_set import DataSet
    from katachi.training.policy_learning import (
        ALPHAS,
        PolicyLearningSettings,
        PolicySchedule,
        learn_policy,
    )

    labels = None if data is None else DataSet.load(data)
    tests = None if test is None else DataSet.load(test)
    known = labels or tests
    if labels is None and learner != "reinforcement":
        raise InvalidArgumentError(f"the learner {learner} learns from labelled positions: give --data FILE")
    if size is None and known is None:
        raise InvalidArgumentError("the size of the board is not known: give --size, or --data")
    if size is not None:
        side = square_side(size)
    else:
        assert known is not None
        side = square_side(f"{known.width}x{known.height}")
    settings = PolicyLearningSettings.from_mapping(
        {
            "learner": learner,
            "size": side,
            "seed": seed,
            "alpha": ALPHAS.get(learner, 1.0) if alpha is None else alpha,
            "rl_reward": rl_reward,
            "bias_simulations": bias_simulations,
            "gradient_simulations": gradient_simulations,
            "length_normalise": length_normalise,
            "baseline": baseline,
            "critic_alpha": critic_alpha,
            "weight_decay": weight_decay,
            "largest_bias": largest_bias,
            "komi": komi if komi is not None else known.komi if known is not None else 7.5,
            "eye_rule": eye_rule,
            "longest_simulation": longest_simulation,
        }
    )
    schedule = PolicySchedule(
        metrics_steps=metrics_steps,
        checkpoint_steps=checkpoint_steps,
        snapshot_steps=snapshot_steps,
        test_positions=test_positions,
        test_simulations=test_simulations,
        threads=threads,
        tensorboard=tensorboard,
    )
    if labels is not None and tests is None and held_out > 0:
        labels, tests = labels.split(held_out, Rng(seed).split("held-out"))
    raise_on_hangup()
    with live_status(steps, quiet=as_json, unit="steps") as tell:
        result = learn_policy(
            settings,
            labels,
            steps=steps,
            folder=out,
            test=tests,
            start=start,
            schedule=schedule,
            on_steps=lambda done, row: tell(done, "" if row is None else _line(row)),
        )
    if as_json:
        print_json(result.to_json())
    else:
        print("\n".join(_lines(result)))


def _line(row: "PolicyMetrics") -> str:
    """A word for those who wait."""
    words = [f"{row.steps_per_cpu_second:,.0f} steps/s"]
    if row.mse is not None and row.corrected_mse is not None:
        words.append(f"MSE {row.mse:.4f} ({row.corrected_mse:.4f} without noise)")
    if row.log_likelihood is not None:
        words.append(f"log likelihood {row.log_likelihood:.3f}")
    if row.squared_bias is not None:
        words.append(f"squared bias {row.squared_bias:.4f}")
    return ", ".join(words)


def _lines(result: "PolicyLearningResult") -> list[str]:
    lines = [f"{result.steps:,} steps in {result.folder}, {result.weights} weights"]
    if result.learnt:
        rate = result.learnt / max(result.cpu_seconds, 1e-9)
        lines.append(f"  {result.learnt:,} of them now: {result.cpu_seconds:.1f} CPU seconds, {rate:,.0f} a CPU second")
    if result.first is not None and result.first.mse is not None:
        lines.append(f"  at first: {_line(result.first)}")
    if result.last is not None:
        lines.append(f"  last: {_line(result.last)}")
    lines.append(f"  the policy: softmax-shapes({result.weights_file})")
    return lines
