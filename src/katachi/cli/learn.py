"""`katachi learn`: networks that learn by temporal differences, with search inside."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from katachi.cli.console import games_lines, live_status, print_json, raise_on_hangup
from katachi.cli.options import AsJson, Seed, folder_option
from katachi.cli.train import square_side

if TYPE_CHECKING:
    from katachi.training.network_learning import LearningMetrics

__all__ = ["learn"]


def learn(
    games: Annotated[int, typer.Option(min=1, help="How many, with those that the folder has already.")],
    out: Annotated[Path, folder_option("A folder for the run; the same command goes on there.")],
    rule: Annotated[str, typer.Option(help="td-0, td-lambda, td-directed, td-leaf, td-mu or td-leaf-mu.")] = "td-mu",
    trainer: Annotated[
        str,
        typer.Option(
            help="backpropagation, rprop, direct, residual-gradient, residual, residual-lambda or residual-rprop."
        ),
    ] = "rprop",
    opponent: Annotated[
        list[str] | None,
        typer.Option(
            help="wally (if not given), random, self, population, gnugo, or a player's spec; several times: any of "
            "them, game by game."
        ),
    ] = None,
    game: Annotated[str, typer.Option(help="go, or another game for two without chance.")] = "go",
    size: Annotated[str, typer.Option(help="Of the board, in Go: N, or NxN.")] = "5",
    seed: Seed = 1,
    lambda_: Annotated[
        float | None, typer.Option("--lambda", help="Of the rule; 0.5, or 0 with residual and td-0.")
    ] = None,
    inputs: Annotated[str, typer.Option(help="full, board, groups joined by + (full+ko), table or shapes.")] = "full",
    scale_inputs: Annotated[bool, typer.Option(help="Divide inputs by about what they can be at most.")] = False,
    hidden: Annotated[
        str | None, typer.Option(help="Units of the hidden layers, with commas; 75 if not given.")
    ] = None,
    activation: Annotated[str, typer.Option(help="Of hidden units: logistic or tanh.")] = "logistic",
    bias: Annotated[bool | None, typer.Option(help="Units have biases; yes, but for table and shapes.")] = None,
    initial_range: Annotated[float, typer.Option(help="First weights are between this and minus this.")] = 0.1,
    table_size: Annotated[int, typer.Option(help="Of inputs=table: states that it can know.")] = 10_000,
    unit: Annotated[
        str | None, typer.Option(help="Of values: stones (in Go), or output, from 0 to 1 (in other games).")
    ] = None,
    score_scale: Annotated[float, typer.Option(help="Stones for one unit of the network's sum.")] = 1.0,
    eta: Annotated[float, typer.Option(help="Learning rate of plain steps.")] = 0.2,
    batch_games: Annotated[int, typer.Option(help="Games before the weights move.")] = 10,
    mix: Annotated[
        float | None,
        typer.Option(help="Share of the residual gradient, 0 to 1; if not given, the trainer's, which may adapt."),
    ] = None,
    phi_rule: Annotated[str, typer.Option(help="Of a mix that adapts: safe or literal.")] = "safe",
    phi_per: Annotated[str, typer.Option(help="A mix for each batch or step.")] = "batch",
    phi_margin: Annotated[float, typer.Option(help="Added to a mix that adapts.")] = 0.01,
    residual_pair: Annotated[str, typer.Option(help="Whose gradient is taken off: next or previous.")] = "next",
    gradient_of: Annotated[str, typer.Option(help="output, or sum before it.")] = "output",
    rprop_first: Annotated[float, typer.Option(help="RPROP's first step.")] = 0.1,
    rprop_smallest: Annotated[float, typer.Option(help="RPROP's smallest step.")] = 0.001,
    rprop_largest: Annotated[float, typer.Option(help="RPROP's largest step.")] = 50.0,
    rprop_growth: Annotated[float, typer.Option(help="Steps grow by this where signs agree.")] = 1.2,
    rprop_shrinkage: Annotated[float, typer.Option(help="Steps shrink by this where they do not.")] = 0.5,
    mu_delta_includes_reward: Annotated[bool, typer.Option(help="Of mu: judge moves with what they earn.")] = False,
    updates: Annotated[str, typer.Option(help="Which states of a rule learn: all, or the learner's.")] = "all",
    depth: Annotated[int, typer.Option(help="Plies of the searches.")] = 2,
    epsilon: Annotated[float, typer.Option(help="How often a move of the learner is random, 0 to 1.")] = 0.1,
    explored_leaf: Annotated[
        str, typer.Option(help="Of leaves, where a move is random: the best move's learns, or the played one's.")
    ] = "best",
    search_adds_path_rewards: Annotated[
        bool, typer.Option(help="Captures on the way count for a leaf, in stones.")
    ] = True,
    ends: Annotated[str, typer.Option(help="Who values final positions in searches: network or referee.")] = "network",
    opening_plies: Annotated[int, typer.Option(help="Random plies at the start.")] = 2,
    opening_varies: Annotated[bool, typer.Option(help="Any number of them up to that.")] = False,
    colour: Annotated[str, typer.Option(help="Of the learner: alternate, black or white.")] = "alternate",
    random_start: Annotated[float, typer.Option(help="How often moves of the opponent are random at first.")] = 0.5,
    random_hold: Annotated[float, typer.Option(help="Share of the schedule until that becomes less.")] = 0.1,
    random_end: Annotated[float, typer.Option(help="Share of the schedule after which none is.")] = 0.5,
    schedule_games: Annotated[
        int,
        typer.Option(
            help="Games of the schedule: a run of fewer than half of them (--random-end) never meets an opponent "
            "without random moves."
        ),
    ] = 20_000,
    population_size: Annotated[int, typer.Option(help="Networks of the past that are opponents.")] = 10,
    population_games: Annotated[int, typer.Option(help="Games until the next one joins them.")] = 500,
    komi: Annotated[float, typer.Option(help="Points for White.")] = 0.0,
    ko: Annotated[str, typer.Option(help="simple, positional or situational.")] = "positional",
    eye_rule: Annotated[str, typer.Option(help="What is not filled: simple, surrounded, strict or none.")] = "simple",
    longest_game: Annotated[int, typer.Option(help="Plies; then the board is scored as it is.")] = 150,
    reward: Annotated[str, typer.Option(help="margin, or win: 1 and 0, with --unit output.")] = "margin",
    capture_rewards: Annotated[
        bool | None, typer.Option(help="Stones that are taken count at once; yes, if values are stones.")
    ] = None,
    referee: Annotated[str, typer.Option(help="ownership (playouts), gnugo, or gtp:COMMAND.")] = "ownership",
    referee_playouts: Annotated[int, typer.Option(help="Of ownership.")] = 200,
    dead_share: Annotated[
        float, typer.Option(help="Of ownership: stones are dead that the other side holds so often, 0.5 to 1.")
    ] = 0.6,
    checkpoint_games: Annotated[int, typer.Option(help="A checkpoint at every so many games.")] = 500,
    snapshot_games: Annotated[int, typer.Option(help="Keep the network at every so many; 0: never.")] = 500,
    metrics_games: Annotated[int, typer.Option(help="A row of metrics at every so many games.")] = 1_000,
    tensorboard: Annotated[
        bool, typer.Option(help="Metrics for TensorBoard, too; needs katachi[tensorboard].")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Learn to value positions by temporal differences: a network, a rule, a trainer and an opponent (Ekker).

    The folder keeps a checkpoint from which a run that was stopped or killed goes on exactly, snapshots of the network,
    metrics as JSON lines and their curves. One seed gives one result.

    \b
    Examples:
      katachi learn --games 20000 --out run
      katachi learn --rule td-leaf --trainer residual-lambda --games 20000 --out leaf
      katachi learn --opponent gnugo --referee gnugo --games 1000 --out gnugo
      katachi learn --game tic-tac-toe --inputs table --rule td-leaf --trainer direct --lambda 0 --eta 1
        --batch-games 1 --gradient-of sum --depth 1 --epsilon 1 --explored-leaf played --random-start 0
        --opening-plies 8 --opening-varies --snapshot-games 0 --games 200000 --out xo
    """
    from katachi.training.network_learning import LearningSchedule, learner
    from katachi.training.network_learning import learn as run_learning
    from katachi.values.network import NetworkSettings

    chosen_unit = unit or ("stones" if game == "go" else "output")
    network = {
        "inputs": inputs,
        "scale_inputs": scale_inputs,
        "table_size": table_size,
        "hidden": _layers(hidden),
        "activation": activation,
        "bias": bias,
        "initial_range": initial_range,
        "unit": chosen_unit,
        "score_scale": score_scale,
    }
    training = {
        "eta": eta,
        "batch_games": batch_games,
        "phi_rule": phi_rule,
        "phi_per": phi_per,
        "phi_margin": phi_margin,
        "residual_pair": residual_pair,
        "gradient_of": gradient_of,
        "rprop_first": rprop_first,
        "rprop_smallest": rprop_smallest,
        "rprop_largest": rprop_largest,
        "rprop_growth": rprop_growth,
        "rprop_shrinkage": rprop_shrinkage,
        **({} if mix is None else {"mix": mix}),
    }
    _check_names(rule, trainer)
    settings = learner(
        rule,  # type: ignore[arg-type]
        trainer,  # type: ignore[arg-type]
        lambda_=lambda_,
        training=training,
        game=game,
        size=square_side(size),
        seed=seed,
        network=NetworkSettings.from_mapping(network),
        mu_delta_includes_reward=mu_delta_includes_reward,
        updates=updates,
        depth=depth,
        epsilon=epsilon,
        explored_leaf=explored_leaf,
        search_adds_path_rewards=search_adds_path_rewards,
        ends=ends,
        opening_plies=opening_plies,
        opening_varies=opening_varies,
        colour=colour,
        opponents=tuple(opponent or ["wally" if game == "go" else "self"]),
        random_start=random_start,
        random_hold=random_hold,
        random_end=random_end,
        schedule_games=schedule_games,
        population_size=population_size,
        population_games=population_games,
        komi=komi,
        ko=ko,
        eye_rule=eye_rule,
        longest_game=longest_game,
        reward=reward,
        capture_rewards=chosen_unit == "stones" if capture_rewards is None else capture_rewards,
        referee=referee,
        referee_playouts=referee_playouts,
        dead_share=dead_share,
    )
    schedule = LearningSchedule(
        checkpoint_games=checkpoint_games,
        snapshot_games=snapshot_games,
        metrics_games=metrics_games,
        tensorboard=tensorboard,
    )
    raise_on_hangup()
    with live_status(games, quiet=as_json) as tell:
        result = run_learning(
            settings,
            games=games,
            folder=out,
            schedule=schedule,
            on_games=lambda done, row: tell(done, "" if row is None else _metrics_line(row)),
        )
    if as_json:
        print_json(result.to_json())
    else:
        print("\n".join(games_lines(result, _metrics_line)))


def _check_names(rule: str, trainer: str) -> None:
    from katachi.core.errors import UnknownNameError
    from katachi.core.settings import did_you_mean
    from katachi.learning.episode_rules import RULES
    from katachi.learning.network_trainers import TRAINERS

    if rule not in RULES:
        raise UnknownNameError(f"there is no rule called {rule!r}: {did_you_mean(rule, RULES)}")
    if trainer not in TRAINERS:
        raise UnknownNameError(f"there is no trainer called {trainer!r}: {did_you_mean(trainer, TRAINERS)}")


def _layers(text: str | None) -> tuple[int, ...] | None:
    from katachi.core.errors import InvalidArgumentError

    if text is None:
        return None
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isdecimal() for part in parts):
        raise InvalidArgumentError(f"hidden layers are numbers with commas, not {text!r}")
    return tuple(int(part) for part in parts)


def _metrics_line(row: "LearningMetrics") -> str:
    return (
        f"{row.games_per_cpu_second:,.0f} games/s, won {row.wins:.1%}, score {row.score:+.2f}, "
        f"opponent random {row.random_share:.0%}, error {row.rms_error:.3f}"
    )
