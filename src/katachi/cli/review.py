"""`katachi review`: what a player thinks of every move of a game."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from katachi.analysis import USUAL_PLAYER
from katachi.cli.console import print_json, progress_bar, raise_on_hangup
from katachi.cli.options import AsJson, ExecutorName, chosen_executor

if TYPE_CHECKING:
    from katachi.analysis.review import Review
    from katachi.games.go.record import Record
    from katachi.games.go.rules import Rules

__all__ = ["review"]


def review(
    game: Annotated[Path, typer.Argument(help="An SGF record; its main line is reviewed.")],
    player: Annotated[str, typer.Option(help="Who thinks: a player that searches.")] = USUAL_PLAYER,
    sims: Annotated[
        int | None, typer.Option(min=1, help="Simulations for each position, instead of the player's own budget.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The record with win rates and comments; otherwise GAME.review.sgf.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="A picture of the win rates: NAME.svg or NAME.png.")] = None,
    top: Annotated[int, typer.Option(min=0, help="How many of the largest swings are shown.")] = 10,
    komi: Annotated[float | None, typer.Option(help="Points for White, instead of the record's.")] = None,
    rules: Annotated[
        str | None, typer.Option(help="Instead of the record's; if it names none of Katachi's, chinese.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same review.")] = 1,
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; 0 searches in this one.")] = 2,
    executor: ExecutorName = None,
    as_json: AsJson = False,
) -> None:
    """Search every position of a game: win rates for Sabaki's graph, better moves, the largest swings.

    Everything in the record stays as it was; comments are added below those that are there. A review that is
    interrupted keeps what it has found beside its output, and the same command goes on there.

    \b
    Examples:
      katachi review game.sgf
      katachi review game.sgf --plot game.svg --top 5
      katachi review game.sgf --sims 5000 --out deep.sgf --workers 4
      katachi review game.sgf --player uct:sims=2000,playout_policy=mogo --json
    """
    from katachi.analysis.review import ReviewSettings, annotate, review_record
    from katachi.analysis.review_plot import check_plot_name, plot_review
    from katachi.core.errors import InvalidArgumentError
    from katachi.games.go.record import Record
    from katachi.games.go.rules import Rules
    from katachi.games.go.sgf import SgfError

    if not game.name or game.is_dir():
        raise InvalidArgumentError(f"{game} cannot be read: it is a folder")
    out = out or game.with_name(f"{game.stem}.review.sgf")
    if out.is_dir() or not out.parent.is_dir():
        raise InvalidArgumentError(f"{out} cannot be written: give the name of a file in a folder that exists")
    if out.resolve() == game.resolve():
        raise InvalidArgumentError(f"{out} is the record itself: give the review another name")
    if plot is not None:
        check_plot_name(plot)
    try:
        record = Record.load(game)
    except OSError as error:
        raise InvalidArgumentError(f"{game} cannot be read: {error.strerror or error}") from None
    try:
        chosen = record.rules_or(Rules.named("chinese"), komi)
        if rules is not None:
            chosen = Rules.named(rules, chosen.komi)
    except SgfError as error:
        raise SgfError(f"{game}: {error}") from None
    settings = ReviewSettings(player=player, sims=sims, seed=seed)
    place = chosen_executor(executor, workers)
    kept = out.with_name(f"{out.name}.part")
    raise_on_hangup()
    try:
        with progress_bar(f"{game.name} is reviewed", quiet=as_json) as progress:
            found = review_record(record, settings, rules=chosen, executor=place, kept=kept, progress=progress)
    except SgfError as error:
        raise SgfError(f"{game}: {error}") from None
    except (KeyboardInterrupt, SystemExit):
        if kept.exists():
            print(f"katachi: what was found is in {kept}; the same command goes on", file=sys.stderr)
        raise
    annotate(record, found)
    try:
        record.save(out)
    except OSError as error:
        raise InvalidArgumentError(f"{out} cannot be written: {error.strerror or error}") from None
    if plot is not None:
        plot_review(found, plot, title=_title(record))
    kept.unlink(missing_ok=True)
    if as_json:
        print_json(
            {
                "record": str(game),
                "player": found.player,
                "rules": chosen.name,
                "komi": chosen.komi,
                "out": str(out),
                "plot": None if plot is None else str(plot),
                "moves": [move.to_json() for move in found.moves],
                "swings": [move.number for move in found.swings(top)],
            }
        )
        return
    for line in _lines(record, chosen, found, top):
        print(line)
    print(f"\nwritten: {', '.join(str(path) for path in (out, plot) if path is not None)}")


def _title(record: "Record") -> str:
    black, white = record.players
    return f"{black or 'Black'} – {white or 'White'}"


def _lines(record: "Record", rules: "Rules", review: "Review", top: int) -> list[str]:
    """For people."""
    from katachi.games.go.record import format_komi

    width, height = record.size
    lines = [
        f"{_title(record)}, {width}x{height}, {rules.name}, komi {format_komi(rules.komi)}, {len(review.moves)} moves",
        f"reviewed by {review.player}",
    ]
    if record.rules_text and record.named_rules is None:
        lines.insert(1, f"rules {record.rules_text!r} are not played here; {rules.name} are")
    swings = review.swings(top)
    if not swings:
        return [*lines, "", "no move lost anything" if top else ""]
    lines += ["", "  move  colour  played  better    loss   win rate of Black"]
    for move in swings:
        assert move.loss is not None
        assert move.winrate_after is not None
        change = f"{move.winrate_before:6.1%} to {move.winrate_after:6.1%}"
        colour = move.player.name.lower()
        better = move.better or "-"
        lines.append(f"  {move.number:>4}  {colour:<6}  {move.move:<6}  {better:<6}  {move.loss:6.1%}   {change}")
    return lines
