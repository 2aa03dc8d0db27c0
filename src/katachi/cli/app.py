"""The commands in one table. Heavy imports happen inside the commands, so that `katachi --help` is quick."""

import typer

import katachi
from katachi.cli import (
    analyze,
    balance,
    bench,
    cycle,
    demo,
    gtp,
    info,
    label,
    learn,
    match,
    perft,
    play,
    reproduce,
    review,
    tournament,
    train,
    tune,
    weights,
)

__all__ = ["app"]

app = typer.Typer(
    help="Reinforcement learning and simulation-based search for Go and other games.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def _root(version: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
    if version:
        typer.echo(katachi.__version__)
        raise typer.Exit


app.command("play")(play.play)
app.command("gtp")(gtp.gtp)
app.command("analyze")(analyze.analyze)
app.command("review")(review.review)
app.command("match")(match.match)
app.command("tournament")(tournament.tournament)
app.command("tune")(tune.tune)
app.command("train")(train.train)
app.command("learn")(learn.learn)
app.command("balance")(balance.balance)
app.command("cycle")(cycle.cycle)
app.add_typer(label.label, name="label")
app.command("reproduce")(reproduce.reproduce)
app.add_typer(weights.weights, name="weights")
app.command("perft")(perft.perft)
app.command("bench")(bench.bench)
app.command("demo")(demo.demo)
app.command("info")(info.info)
