"""`katachi cycle`: a playout policy that is learnt in rounds, and makes its own next labels."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from katachi.cli.balance import (
    Baseline,
    BiasSimulations,
    CriticAlpha,
    GradientSimulations,
    LargestBias,
    LengthNormalise,
    Start,
    TestPositions,
    TestSimulations,
    Threads,
    WeightDecay,
)
from katachi.cli.console import live_status, print_json, raise_on_hangup
from katachi.cli.label import Games, PerGame, Rules, Searches, label_settings
from katachi.cli.options import AsJson, ExecutorName, Seed, Workers, chosen_executor, folder_option
from katachi.cli.train import square_side

if TYPE_CHECKING:
    from katachi.training.policy_cycle import PolicyCycleResult

__all__ = ["cycle"]

_LEAF_PLAYER = "policy:name={policy},sims=15"


def cycle(
    learner: Annotated[str, typer.Option(help="regression, balancing or two-step.")],
    out: Annotated[Path, folder_option("A folder for all rounds; the same command goes on there.")],
    player: Annotated[
        str, typer.Option(help="Values positions; {policy} in it is the policy so far.")
    ] = "tournament:sims=3000",
    leaf_player: Annotated[
        str | None, typer.Option(help=f"Values the leaves of trees, for two-step; {_LEAF_PLAYER} if not given.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="How many, with those that the folder has already.")] = 50,
    steps: Annotated[int, typer.Option(min=1, help="Of learning in each round.")] = 800,
    games: Games = 400,
    per_game: PerGame = "one",
    searches: Searches = 1,
    trees: Annotated[
        int | None,
        typer.Option(min=0, help="Of so many games of a round a position gets a tree, for two-step; all if not given."),
    ] = None,
    size: Annotated[str, typer.Option(help="Of the board: N, or NxN.")] = "5",
    komi: Annotated[float, typer.Option(help="Points for White.")] = 7.5,
    rules: Rules = "cgos",
    start: Start = None,
    test: Annotated[
        Path | None, typer.Option(help="Labelled positions to measure on; nothing is if not given.")
    ] = None,
    seed: Seed = 1,
    alpha: Annotated[
        float | None, typer.Option(help="Step size of the first round; if not given 0.03 for regression, 1 for others.")
    ] = None,
    alpha_factor: Annotated[
        float, typer.Option(help="The step size of a round in that of the round before; 1: always the same.")
    ] = 0.95,
    bias_simulations: BiasSimulations = 100,
    gradient_simulations: GradientSimulations = 100,
    length_normalise: LengthNormalise = True,
    baseline: Baseline = "none",
    critic_alpha: CriticAlpha = 0.1,
    weight_decay: WeightDecay = 0.0,
    largest_bias: LargestBias = 1.0,
    test_positions: TestPositions = 1000,
    test_simulations: TestSimulations = 100,
    threads: Threads = 1,
    workers: Workers = 0,
    executor: ExecutorName = None,
    as_json: AsJson = False,
) -> None:
    """Learn a playout policy in rounds: label positions, learn from them, and let the policy make the next labels.

    {policy} in --player or --leaf-player is the policy that has been learnt so far, at first uniform or that of
    --start. It values by itself (policy:name={policy},sims=15), or in a search
    (mc-rave:sims=1000,playout_policy={policy}). Each round has games of its own. The folder keeps labels and policies
    of all rounds; a run that was stopped or killed goes on with the same command, and more --rounds make it longer.
    Needs katachi[data].

    \b
    Examples:
      katachi cycle --learner two-step --size 6 --komi 3.5 --workers 2 --out cycle6
      katachi cycle --learner balancing --size 5 --player 'mc-rave:sims=2000,playout_policy={policy}' --out again5
      katachi match 'flat-mc:sims=100,policy=softmax-shapes(cycle6/checkpoint.safetensors)' flat-mc:sims=100 --size 6
    """
    from katachi.training.data_set import DataSet
    from katachi.training.policy_cycle import ALPHAS, PolicyCycleSettings, learn_in_cycle
    from katachi.training.policy_learning import PolicyLearningSettings, PolicySchedule

    side = square_side(size)
    wanted_trees = (games if learner == "two-step" else 0) if trees is None else trees
    labels = label_settings(
        size, games=games, per_game=per_game, player=player, searches=searches, trees=wanted_trees,
        leaf_player=leaf_player or (_LEAF_PLAYER if wanted_trees else None), komi=komi, rules=rules, seed=seed,
    )  # fmt: skip
    learning = PolicyLearningSettings.from_mapping(
        {
            "learner": learner,
            "size": side,
            "seed": seed,
            "alpha": ALPHAS.get(learner, 1.0) if alpha is None else alpha,
            "bias_simulations": bias_simulations,
            "gradient_simulations": gradient_simulations,
            "length_normalise": length_normalise,
            "baseline": baseline,
            "critic_alpha": critic_alpha,
            "weight_decay": weight_decay,
            "largest_bias": largest_bias,
            "komi": komi,
        }
    )
    settings = PolicyCycleSettings(labels=labels, learning=learning, steps=steps, alpha_factor=alpha_factor)
    schedule = PolicySchedule(test_positions=test_positions, test_simulations=test_simulations, threads=threads)
    raise_on_hangup()
    with live_status(rounds, quiet=as_json, unit="rounds") as tell:
        result = learn_in_cycle(
            settings,
            rounds=rounds,
            folder=out,
            executor=chosen_executor(executor, workers),
            test=None if test is None else DataSet.load(test),
            start=start,
            schedule=schedule,
            on_progress=tell,
        )
    if as_json:
        print_json(result.to_json())
    else:
        print("\n".join(_lines(result)))


def _lines(result: "PolicyCycleResult") -> list[str]:
    each = result.steps // max(1, result.rounds)
    rounds = "1 round" if result.rounds == 1 else f"{result.rounds} rounds"
    lines = [f"{rounds} of {each:,} steps in {result.folder}, {result.made} now"]
    if result.rows and result.rows[0]["mse"] is not None:
        lines.append("  round     MSE  without noise")
        lines += [f"  {row['round']:5}  {row['mse']:6.4f}  {row['corrected_mse']:13.4f}" for row in result.rows]
    lines.append(f"  the policy: softmax-shapes({result.weights_file})")
    return lines
