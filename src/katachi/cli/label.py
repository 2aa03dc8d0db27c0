"""`katachi label`: positions with what deep searches think of them, for learning playout policies."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from katachi.cli.console import live_status, print_json, raise_on_hangup
from katachi.cli.options import AsJson, ExecutorName, Seed, Workers, chosen_executor

if TYPE_CHECKING:
    from katachi.cli.console import Tell
    from katachi.training.label_report import LabelCheck, LabelSummary
    from katachi.training.labels import LabelProgress, LabelSettings

__all__ = ["Games", "PerGame", "Rules", "Searches", "label", "label_settings"]

label = typer.Typer(
    help="Label positions of random games with the values of deep searches; look at such labels, check them.",
    rich_markup_mode=None,
)

_PLAYER = "tournament:sims=10000"
_WIDTH = 40  # of the longest bar
_ONE_SIDED = 0.25  # the smaller share below or above one half, before another komi is suggested

Size = Annotated[str, typer.Option(help="Of the board: N or WIDTHxHEIGHT.")]
Games = Annotated[int, typer.Option(min=1, help="Uniformly random games that positions are taken from.")]
PerGame = Annotated[str, typer.Option(help="Positions of each game: one, all or a number.")]
Expert = Annotated[str, typer.Option(help="A player that searches, or gtp:COMMAND of an engine that tells win rates.")]
Searches = Annotated[int, typer.Option(min=1, help="Of each position; its value is the mean of theirs.")]
Rules = Annotated[str, typer.Option(help="cgos, tromp-taylor, chinese, chinese-ogs, aga or new-zealand.")]
DataFile = Annotated[Path, typer.Argument(metavar="FILE", help="A data set, as katachi label writes it.")]


@label.callback(invoke_without_command=True)
def make(
    context: typer.Context,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="The data set; the same command goes on.")] = None,
    size: Size = "5",
    games: Games = 1000,
    per_game: PerGame = "one",
    player: Expert = _PLAYER,
    searches: Searches = 1,
    trees: Annotated[int, typer.Option(min=0, help="Of so many games a position gets a tree of depth two.")] = 0,
    leaf_sims: Annotated[int, typer.Option(min=1, help="Simulations for each leaf of a tree.")] = 2000,
    leaf_player: Annotated[str | None, typer.Option(help="Another player for the leaves.")] = None,
    komi: Annotated[float, typer.Option(help="Points for White.")] = 7.5,
    rules: Rules = "cgos",
    seed: Seed = 1,
    workers: Workers = 0,
    executor: ExecutorName = None,
    as_json: AsJson = False,
) -> None:
    """Label positions of random games with the values of deep searches, into a Parquet file.

    What is done is kept beside the file: a run that was stopped or killed goes on with the same command, and the labels
    are the same, whatever the workers. Needs katachi[data].

    \b
    Examples:
      katachi label --size 5 --games 1000 --workers 2 --out labels5.parquet
      katachi label --size 5 --games 1000 --per-game all --workers 2 --out all5.parquet
      katachi label --size 6 --games 1000 --trees 300 --executor ray --out trees6.parquet
      katachi label --size 9 --games 200 --player 'gtp:katago gtp -model M -config C' --out kata9.parquet
      katachi label show labels5.parquet
      katachi label check labels5.parquet
      katachi label komi --size 5 --games 100 --workers 2
    """
    if context.invoked_subcommand is not None:
        return
    if out is None or not out.name:
        raise typer.BadParameter("the file to be written is missing: --out FILE", context)
    from katachi._core import Rng
    from katachi.training.label_report import summarise
    from katachi.training.labels import label as make_labels

    settings = label_settings(
        size, games=games, per_game=per_game, player=player, searches=searches, trees=trees, leaf_sims=leaf_sims,
        leaf_player=leaf_player, komi=komi, rules=rules, seed=seed,
    )  # fmt: skip
    raise_on_hangup()
    with _Told(quiet=as_json) as tell:
        data = make_labels(settings, path=out, executor=chosen_executor(executor, workers), on_progress=tell)
    summary = summarise(data, Rng(seed).split("summary"))
    if as_json:
        made = {"simulations_now": tell.simulations, "seconds": round(tell.seconds, 3)}
        print_json({"file": str(out), **summary.to_json(), **made})
        return
    print(f"{out}: {_sentence(summary)}")
    if tell.simulations:
        rate = tell.simulations / max(tell.seconds, 1e-9)
        print(f"  {tell.simulations:,} simulations now, in {tell.seconds:.1f} s: {rate:,.0f} a second")
    _print_summary(summary)


@label.command("show")
def show(
    file: DataFile,
    playouts: Annotated[int, typer.Option(min=2, help="Uniform playouts of a position, for their error.")] = 100,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Show what is in a data set: how its values lie, and how far uniform playouts are from them.

    \b
    Examples:
      katachi label show labels5.parquet
      katachi label show labels5.parquet --json
    """
    from katachi._core import Rng
    from katachi.training.data_set import DataSet
    from katachi.training.label_report import summarise

    data = DataSet.load(file)
    summary = summarise(data, Rng(seed).split("summary"), playouts=playouts)
    if as_json:
        print_json({"file": str(file), "settings": dict(data.settings), **summary.to_json()})
        return
    print(f"{file}: {data.width}x{data.height}, {data.rules}, komi {data.komi:g}: {_sentence(summary)}")
    for key, value in data.settings.items():
        if value is not None:
            print(f"  {key:24} {value}")
    _print_summary(summary)


@label.command("check")
def check(
    file: DataFile,
    nodes: Annotated[int, typer.Option(min=1, help="Nodes of an attempt to solve a position.")] = 200_000,
    empty: Annotated[int, typer.Option(min=0, help="Positions with more empty points are not tried.")] = 12,
    most: Annotated[int | None, typer.Option(min=1, help="Try no more positions than that.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compare labels with the outcomes of endings that can be solved exactly; status 1 if they differ too much.

    A label passes if the mean of |label - outcome| is below 0.1. Boards of at most 49 points.

    \b
    Examples:
      katachi label check labels5.parquet
      katachi label check labels5.parquet --empty 8 --nodes 50000 --json
    """
    from katachi.training.data_set import DataSet
    from katachi.training.label_report import check_labels

    data = DataSet.load(file)
    with live_status(min(len(data.positions), most or len(data.positions)), quiet=as_json, unit="positions") as tell:
        found = check_labels(
            data,
            nodes=nodes,
            most_empty=empty,
            most=most,
            on_position=lambda tried, solved: tell(tried, f"{solved} solved"),
        )
    if as_json:
        print_json({"file": str(file), **found.to_json()})
    else:
        print("\n".join(_check_lines(found, empty)))
    if not found.is_passed:
        raise typer.Exit(1)


@label.command("komi")
def komi(
    size: Size = "5",
    games: Games = 100,
    per_game: PerGame = "one",
    player: Expert = _PLAYER,
    komis: Annotated[str, typer.Option(help="With commas.")] = "7.5,3.5,0.5",
    rules: Rules = "cgos",
    seed: Seed = 1,
    workers: Workers = 0,
    executor: ExecutorName = None,
    as_json: AsJson = False,
) -> None:
    """Label one sample of positions with several komis, and say whose labels straddle one half best.

    \b
    Examples:
      katachi label komi --size 5 --games 100 --workers 2
      katachi label komi --size 6 --komis 7.5,5.5,3.5,0.5 --player tournament:sims=2000 --json
    """
    from katachi.training.label_report import compare_komis, recommended_komi

    chosen = [_number(text) for text in komis.split(",")]
    settings = label_settings(size, games=games, per_game=per_game, player=player, rules=rules, seed=seed)
    raise_on_hangup()
    with _Told(quiet=as_json) as tell:
        summaries = compare_komis(settings, chosen, chosen_executor(executor, workers), tell)
    best = recommended_komi(summaries)
    if as_json:
        print_json({"komis": [summary.to_json() for summary in summaries], "recommended": best})
        return
    print("   komi   below ½   above ½    mean   uniform MSE")
    for summary in summaries:
        shares = f"{summary.below:8.1%}  {summary.above:8.1%}"
        print(f"{summary.komi:7g}  {shares}  {summary.mean:6.3f}  {summary.uniform_mse_corrected:12.4f}")
    print(f"recommended: --komi {best:g}, whose labels straddle one half best")


def label_settings(size: str, *, per_game: str, **values: Any) -> "LabelSettings":  # noqa: ANN401
    """From options: a board as text, and positions of a game as `one`, `all` or a number."""
    from katachi.core.errors import InvalidArgumentError
    from katachi.games.go.vertex import parse_size
    from katachi.training.labels import LabelSettings

    width, height = parse_size(size)
    if per_game not in ("one", "all") and not (per_game.isascii() and per_game.isdigit() and len(per_game) <= 9):
        raise InvalidArgumentError(f"positions of a game are one, all or a number, not {per_game!r}")
    count = {"one": 1, "all": "all"}.get(per_game) or int(per_game)
    return LabelSettings.from_mapping({"width": width, "height": height, "per_game": count, **values})


def _number(text: str) -> float:
    from katachi.core.errors import InvalidArgumentError

    try:
        return float(text)
    except ValueError:
        raise InvalidArgumentError(f"a komi is a number, not {text!r}") from None


class _Told:
    """A progress bar with the rate of simulations; it begins with the first label, when the total is known."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._bar: AbstractContextManager[Tell] | None = None
        self._tell: Callable[[int, str], None] = lambda _done, _line: None
        self._started = time.monotonic()
        self._before = self._earlier = 0
        self.simulations = 0  # of all that was labelled
        self.seconds = 0.0

    def __enter__(self) -> "_Told":
        return self

    def __exit__(self, *error: Any) -> None:  # noqa: ANN401
        self._close()

    def __call__(self, progress: "LabelProgress") -> None:
        if self._bar is None or progress.done < self._before:
            self._close()
            self._earlier = self.simulations  # of another komi
            self._bar = live_status(progress.total, quiet=self._quiet, unit=progress.unit)
            self._tell = self._bar.__enter__()
        self._before = progress.done
        self.seconds = time.monotonic() - self._started
        self.simulations = self._earlier + progress.simulations
        rate = self.simulations / max(self.seconds, 1e-9)
        shares = f"{progress.values:,} positions, {progress.below / max(1, progress.values):.0%} below one half"
        self._tell(progress.done, f"{rate:,.0f} simulations/s, {shares}")

    def _close(self) -> None:
        bar, self._bar = self._bar, None
        if bar is not None:
            bar.__exit__(None, None, None)


def _sentence(summary: "LabelSummary") -> str:
    trees = f", {summary.trees:,} trees with {summary.leaves:,} leaves" if summary.trees else ""
    return f"{summary.positions:,} positions of {summary.games:,} games{trees}"


def _print_summary(summary: "LabelSummary") -> None:
    most = max(summary.histogram)
    for place, count in enumerate(summary.histogram):
        low = place / len(summary.histogram)
        print(
            f"  {low:.1f} to {low + 1 / len(summary.histogram):.1f}  {count:7,}  {'#' * round(_WIDTH * count / most)}"
        )
    print(f"  mean {summary.mean:.3f}; below one half {summary.below:.1%}, above {summary.above:.1%}")
    error = f"{summary.uniform_mse:.4f}, {summary.uniform_mse_corrected:.4f} without the playouts' noise"
    print(f"  mean squared error of uniform playouts: {error}")
    if min(summary.below, summary.above) < _ONE_SIDED:
        print(f"  with komi {summary.komi:g} the labels are one-sided: katachi label komi compares others")


def _check_lines(found: "LabelCheck", empty: int) -> list[str]:
    lines = [
        f"{found.tried} positions with at most {empty} empty points: {found.solved} solved, "
        f"{found.nodes} need more nodes, {found.superko} might depend on superko"
    ]
    if found.mean_error is None:
        return [*lines, "nothing was solved: nothing is known of the labels"]
    return [
        *lines,
        f"mean |label - outcome| {found.mean_error:.4f}: {'passed' if found.is_passed else 'failed'} (below 0.1); "
        f"{found.wrong} on the wrong side of one half",
        f"largest difference {found.worst_error:.3f}, of position {found.worst}",
    ]
