"""`katachi weights`: what is in a file of weights."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from katachi.cli.console import print_json
from katachi.cli.options import AsJson

if TYPE_CHECKING:
    from katachi.values.weights_summary import FamilySummary, RankedWeight

__all__ = ["weights"]

weights = typer.Typer(
    help="Look at files of weights: what they are of, their largest shapes, the difference of two.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

WeightsFile = Annotated[Path, typer.Argument(metavar="FILE", help="A file of weights, as katachi train writes it.")]
Count = Annotated[int, typer.Option(min=1, max=1000, help="Shapes of each family.")]
FamilyName = Annotated[str | None, typer.Option(help="Only families with these words: 3x3, li, or '3x3 li'.")]


@weights.command("show")
def show(file: WeightsFile, as_json: AsJson = False) -> None:
    """Show what the weights are of, where they come from, and their sizes by family.

    \b
    Examples:
      katachi weights show 9x9.safetensors
      katachi weights show 9x9.safetensors --json
    """
    from katachi.values.weights_file import load_weights
    from katachi.values.weights_summary import summaries

    value, header = load_weights(file)
    rows = summaries(value)
    kept = {key: part for key, part in header.to_json().items() if key not in ("format", "state")}
    facts = {**kept, "weights": value.shapes.weights, "max_active": value.shapes.max_active}
    if as_json:
        print_json({**facts, "families": [row.to_json() for row in rows]})
        return
    for key, shown in facts.items():
        if isinstance(shown, dict):
            for name, part in shown.items():
                print(f"{key + '.' + name:28} {_plain(part)}")
        else:
            print(f"{key:28} {_plain(shown)}")
    _print_summaries(rows)


@weights.command("copy")
def copy(
    file: WeightsFile,
    to: Annotated[Path, typer.Argument(metavar="TO", help="The file to be written; one of that name is replaced.")],
) -> None:
    """Copy the weights of a checkpoint without what only the run itself needs, as they are shipped.

    \b
    Examples:
      katachi weights copy run9/checkpoint.safetensors 9x9.safetensors
    """
    from dataclasses import replace

    from katachi.core.errors import InvalidArgumentError
    from katachi.values.weights_file import load_weights, save_weights

    value, header = load_weights(file)
    if to.exists() and to.samefile(file):
        raise InvalidArgumentError(f"{to} is the file itself: a run could not go on from it any more")
    save_weights(to, value, replace(header, state={}))
    print(f"{to}: {value.shapes.weights:,} weights for {header.board_size}x{header.board_size}, {header.games:,} games")


@weights.command("top")
def top(
    file: WeightsFile,
    count: Count = 10,
    family: FamilyName = None,
    png: Annotated[Path | None, typer.Option(help="Also draw them into this file.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Also draw them into this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show the shapes whose weights are farthest from zero, family by family. Weights are Black's (X).

    \b
    Examples:
      katachi weights top 9x9.safetensors
      katachi weights top 9x9.safetensors --count 24 --family "3x3 li" --png shapes.png
      katachi weights top 9x9.safetensors --family 2x2 --svg shapes.svg --json
    """
    from katachi.values.weights_file import load_weights
    from katachi.values.weights_summary import chosen_families, largest_weights

    value, _header = load_weights(file)
    ranked = {each.name: largest_weights(value, each, count) for each in chosen_families(value, family)}
    _draw(ranked, value.shapes.side, png, svg)
    if as_json:
        print_json({name: [row.to_json() for row in rows] for name, rows in ranked.items()})
    else:
        _print_ranked(ranked)


@weights.command("diff")
def diff(
    first: WeightsFile,
    second: Annotated[Path, typer.Argument(metavar="OTHER", help="Another file, of the same shapes.")],
    count: Count = 10,
    family: FamilyName = None,
    as_json: AsJson = False,
) -> None:
    """Show what changed from one file to another: the other's weights less the first's.

    \b
    Examples:
      katachi weights diff early.safetensors late.safetensors
      katachi weights diff early.safetensors late.safetensors --family "2x2 li" --json
    """
    from katachi.values.weights_file import load_weights
    from katachi.values.weights_summary import chosen_families, differences, largest_weights, summaries

    (old, old_header), (new, new_header) = load_weights(first), load_weights(second)
    change = differences(old, new)
    families = chosen_families(change, family)
    names = {each.name for each in families}
    rows = [row for row in summaries(change) if row.family in names]
    ranked = {each.name: largest_weights(change, each, count) for each in families}
    if as_json:
        largest = {name: [row.to_json() for row in found] for name, found in ranked.items()}
        games = [old_header.games, new_header.games]
        print_json({"games": games, "families": [row.to_json() for row in rows], "largest": largest})
        return
    print(f"{first} ({old_header.games} games) to {second} ({new_header.games} games): {second.name} less {first.name}")
    _print_summaries(rows)
    _print_ranked(ranked)


def _plain(value: Any) -> str:  # noqa: ANN401
    return " ".join(str(part) for part in value) if isinstance(value, list | tuple) else str(value)


def _print_summaries(rows: list["FamilySummary"]) -> None:
    print(f"\n{'family':16} {'weights':>8} {'not zero':>8} {'mean':>9} {'rms':>9} {'smallest':>9} {'largest':>9}")
    for row in rows:
        print(
            f"{row.family:16} {row.weights:8} {row.used:8} {row.mean:+9.4f} {row.rms:9.4f} {row.smallest:+9.4f} "
            f"{row.largest:+9.4f}"
        )


def _print_ranked(ranked: dict[str, list["RankedWeight"]]) -> None:
    for name, rows in ranked.items():
        print(f"\n{name}")
        for row in rows:
            print(f"  {row.value:+9.4f}  {row.name}")


def _draw(ranked: dict[str, list["RankedWeight"]], side: int, png: Path | None, svg: Path | None) -> None:
    if png is None and svg is None:
        return
    from katachi.values.shape_pictures import draw_shapes, save_picture

    figure = draw_shapes([(name, [(row.shape, row.value) for row in rows]) for name, rows in ranked.items()], side)
    if png is not None:
        save_picture(figure, png, "png")
    if svg is not None:
        save_picture(figure, svg, "svg")
