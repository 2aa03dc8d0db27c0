"""`katachi reproduce`: the results of the sources, and ours, one command each."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from katachi.cli.console import live_status, print_json, raise_on_hangup
from katachi.cli.options import folder_option

if TYPE_CHECKING:
    from katachi.arena.executor import Executor
    from katachi.experiments.results import Result

__all__ = ["reproduce"]

_OUT = Path("experiments-out")
_WIDEST = 48  # characters of a cell in a list


def reproduce(
    what: Annotated[str, typer.Argument(help="list, report, or the id of an experiment.")],
    scale: Annotated[str, typer.Option(help="smoke (seconds), quick (minutes) or full (the source's size).")] = "quick",
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; 0 works in this one.")] = 0,
    executor: Annotated[
        str | None, typer.Option(help="local, local:N, ray or ray:ADDRESS, instead of --workers.")
    ] = None,
    out: Annotated[
        Path,
        folder_option("The folder of all results; a run is in OUT/ID/SCALE."),
    ] = _OUT,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same rows.")] = 1,
    source: Annotated[str | None, typer.Option(help="With list: one source only, such as 'Silver 2009'.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")] = False,
) -> None:
    """Run an experiment, list them all with the claims of the sources, or write the page of all results.

    A run that was killed goes on where it stopped. Its rows, table and figure are in OUT/ID/SCALE; the report has them
    all, and the results that are committed with the code where there is no run of that scale.

    \b
    Examples:
      katachi reproduce list --source "Silver 2009"
      katachi reproduce ladder --scale smoke
      katachi reproduce ladder --scale quick --workers 2
      katachi reproduce report --json
    """
    if source is not None and what != "list":
        raise typer.BadParameter(f"--source is for list, not for {what}")
    if what == "list":
        _list(out, source, as_json)
    elif what == "report":
        _report(out, as_json)
    else:
        place = executor or (f"local:{workers}" if workers else "local")
        _run(what, scale, seed, out, place, as_json)


def _list(out: Path, source: str | None, as_json: bool) -> None:
    from katachi.experiments.report import listing

    _tell_if_missing(out)
    entries = listing(out, source)
    _warn(entries)
    if as_json:
        print_json({"rows": entries})
        return
    rows = [["id", "source", "where", "status", "experiment"]]
    for entry in entries:
        status = f"{entry['status']}: {entry['reason']}" if entry["reason"] else entry["status"]
        status += " (damaged)" if entry["damaged"] else ""
        rows.append([entry["id"], entry["source"], entry["where"], status, entry["experiment"] or ""])
    # The last two columns are as long as they are: a reason is worth reading to its end.
    print("\n".join(_aligned(rows)))


def _report(out: Path, as_json: bool) -> None:
    from katachi.experiments.report import write_report

    _tell_if_missing(out)
    page, text, told = write_report(out)
    _warn(told["experiments"])
    if as_json:
        print_json(told)
        return
    for entry in told["experiments"]:
        if entry["status"] == "done":
            print(f"{entry['id']}: {entry['verdict']}: {entry['result']}")
    print(f"{page}\n{text}")


def _tell_if_missing(out: Path) -> None:
    """A folder that somebody names is thought to be there."""
    from katachi.experiments.results import check_out

    check_out(out)
    if out != _OUT and not out.exists():
        typer.echo(f"there is no folder {out} yet: these are the committed results only", err=True)


def _warn(entries: list[dict[str, Any]]) -> None:
    from katachi.experiments.report import damaged

    for message in damaged(entries):
        typer.echo(f"damaged, and left out: {message}", err=True)


def _run(id: str, scale: str, seed: int, out: Path, place: str, as_json: bool) -> None:
    from katachi.arena.executor import make_executor
    from katachi.experiments.registry import experiment
    from katachi.experiments.results import begin_run, check_out, estimate, result_folder

    found = experiment(id)
    total = found.runner.total(found.settings(scale, seed))
    check_out(out)
    folder = result_folder(out, id, scale)
    work = make_executor(place)
    raise_on_hangup()
    with begin_run(id, scale, seed, folder) as run:
        workers = _workers(work)
        duration = _duration(estimate(id, scale, seed, folder, workers or 1))
        at_work = f"with {workers} at work" if workers else "of one processor, shared by those of the cluster"
        typer.echo(f"{id}, {scale}: about {duration} {at_work}; results in {folder}", err=True)
        with live_status(total, quiet=as_json) as tell:
            result = run.finish(work, tell)
    if as_json:
        print_json({**result.to_json(), "folder": str(folder)})
    else:
        _print(result, found.claim.text)


def _workers(work: "Executor") -> int | None:
    """How many work at a time; None if only a cluster knows, which is not asked before the run."""
    if getattr(work, "address", None) is not None:
        return None
    if hasattr(work, "processors"):  # Ray on this machine: all of it, unless told otherwise
        return work.processors or os.cpu_count() or 1
    return getattr(work, "workers", 1)


def _print(result: "Result", claim: str) -> None:
    summary = result.summary
    print("\n".join(_aligned([list(summary.columns), *(list(line) for line in summary.table)])))
    print(f"\nclaim: {claim}\nresult: {summary.result}\nverdict: {summary.verdict}: {summary.reason}")
    print(f"{result.folder / 'figure.png'}")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def _aligned(rows: list[list[str]]) -> list[str]:
    """Columns, to the left; one very long cell does not push all others away."""
    columns: list[tuple[Any, ...]] = list(zip(*rows, strict=True))
    widths = [min(_WIDEST, max(len(cell) for cell in column)) for column in columns]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
