"""Table 1 and Figure 18: trained networks with 3 plies against GNU Go, and end positions that they call won or lost.

The source shows the best snapshot of each combination, which is chosen by the games that it is judged by. Here some
games choose the best snapshot of each run (`stage` choice), and others judge it (`stage` judged). All of those choose
the one that stands for headline 9, which new games judge (`stage` headline). GNU Go plays, and it scores the final
positions.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from katachi.arena.executor import Executor
from katachi.core.errors import InvalidArgumentError
from katachi.core.settings import Settings
from katachi.experiments.duel_plots import new_figure, plot_published, save_figure
from katachi.experiments.duels import percent
from katachi.experiments.experiment import Claim, Progress, Row, Summary, read_rows, summary_of
from katachi.experiments.go_duels import all_of, mixed
from katachi.experiments.network_players.ends import FILE
from katachi.experiments.network_players.findings import (
    called,
    end_findings,
    factor,
    headline_games,
    table_findings,
    widths,
)
from katachi.experiments.network_players.games import (
    RULES,
    TRAINERS,
    Cell,
    best_candidate,
    best_of_all,
    calls_of,
    judged_runs,
    matches,
    named,
    shown_of_cell,
)
from katachi.experiments.network_results import Mean
from katachi.experiments.network_runs import (
    Match,
    NetworkRuns,
    keep,
    row_key,
    snapshot_path,
    train_networks,
)
from katachi.players.external import need_program

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PlayersSettings", "draw", "run", "summarise", "total"]

_MATCH = "katachi.experiments.network_runs:play_match"
_ENDS = "katachi.experiments.network_players.ends"
_COLUMNS = ("trainer", "rule", "runs", "mean of runs", "best snapshot", "chosen by", "won by it", "printed",
            "lost games as 0", "printed score", "mean score", "end positions called right")  # fmt: skip
_CHOICE, _JUDGED, _HEADLINE = 10_000_000, 20_000_000, 30_000_000  # seeds of the games


class _Ends(Settings):
    """Of Figure 18."""

    positions: int = Field(ge=1, description="How many (6.2.1: 1,000).")
    after: list[int] = Field(min_length=1, description="Snapshots that call them.")


class PlayersSettings(Settings):
    """All that the rows depend on."""

    runs: NetworkRuns = Field(description="What is trained.")
    candidates: list[int] = Field(min_length=1, description="Snapshots of a run of which the best is chosen.")
    choice: Match = Field(description="The games that choose, of each candidate.")
    judged: Match = Field(description="The games that judge, of the best of each run.")
    headline: Match = Field(description="The games that judge the best of all.")
    ends: _Ends = Field(description="End positions.")

    @classmethod
    def read(cls, settings: Mapping[str, Any]) -> "PlayersSettings":
        """From the settings of a scale, with the seed."""
        own = {name: settings[name] for name in ("candidates", "choice", "judged", "headline", "ends")}
        rest = {name: value for name, value in settings.items() if name not in own}
        return cls(
            runs=NetworkRuns.from_mapping(rest),
            candidates=own["candidates"],
            choice=Match.from_mapping(own["choice"]),
            judged=Match.from_mapping(own["judged"]),
            headline=Match.from_mapping(own["headline"]),
            ends=_Ends.from_mapping(own["ends"]),
        )

    @property
    def points(self) -> list[int]:
        """Snapshots that must be kept."""
        return sorted({*self.candidates, *self.ends.after})


def total(settings: Mapping[str, Any]) -> int:
    """Runs, games that choose and that judge, end positions and the calls of all runs."""
    told = PlayersSettings.read(settings)
    runs = len(told.runs.runs())
    games = len(told.candidates) * told.choice.chunks + told.judged.chunks
    return runs + runs * games + told.headline.chunks + 1 + runs


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Trains, chooses, judges, calls: what is missing."""
    if len(read_rows(rows_path)) >= total(settings):
        return
    need_program("gnugo")  # now, not when all networks have been trained
    told = PlayersSettings.read(settings)
    runs = {_run_key(one.key): one for one in told.runs.runs()}
    folders = train_networks(told.runs, rows_path, executor, progress, dict.fromkeys(runs, told.points))
    seeds = told.runs.seed + 1

    def play(works: list[dict[str, Any]]) -> list[Row]:
        there = {row_key(row) for row in read_rows(rows_path)}
        keep(_MATCH, [work for work in works if row_key(work) not in there], rows_path, executor, progress)
        return read_rows(rows_path)

    # Runs of one number have the same games, whatever trains them.
    rows = play([
        work
        for key, one in runs.items()
        for after in told.candidates
        for work in told.choice.works(one.key, folders[key], after, "choice", _CHOICE * seeds + 1000 * one.number)
    ])  # fmt: skip
    rows = play([
        work
        for key, one in runs.items()
        for after in [best_candidate(rows, one.trainer, one.rule, one.number)[-1]]
        for work in told.judged.works(one.key, folders[key], after, "judged", _JUDGED * seeds + 1000 * one.number)
    ])  # fmt: skip
    best = named(best_of_all(rows))
    key = _run_key(best)
    play(told.headline.works(runs[key].key, folders[key], best["after"], "headline", _HEADLINE * seeds))
    _call(told, rows_path, folders, executor, progress)


def _call(
    told: PlayersSettings,
    rows_path: Path,
    folders: Mapping[tuple[Any, ...], Path],
    executor: Executor,
    progress: Progress,
) -> None:
    """End positions of the best player of all, and what every run makes of them."""
    rows = read_rows(rows_path)
    there = {row_key(row) for row in rows}
    file = rows_path.parent.resolve() / FILE
    calls = [
        {
            **one.key,
            "kind": "ends",
            "points": told.ends.after,
            "folder": str(folders[_run_key(one.key)]),
            "file": str(file),
        }
        for one in told.runs.runs()
    ]
    best = named(best_of_all(rows))
    made = {
        **best,
        "kind": "positions",
        "positions": told.ends.positions,
        "seed": _JUDGED * (told.runs.seed + 1),
        "network": str(snapshot_path(folders[_run_key(best)], best["after"])),
        "file": str(file),
    }
    missing = [call for call in calls if row_key(call) not in there]
    if row_key(made) not in there or (missing and not file.exists()):
        keep(f"{_ENDS}:make_ends", [made], rows_path, executor, progress)
    keep(f"{_ENDS}:call_ends", missing, rows_path, executor, progress)


def _run_key(run: Mapping[str, Any]) -> tuple[Any, ...]:
    return row_key({**{name: run[name] for name in ("name", "trainer", "rule", "number")}, "kind": "run"})


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Cell by cell."""
    runs, calls = judged_runs(rows), calls_of(rows)
    if not runs:
        raise InvalidArgumentError("no network has been judged yet")
    numbers = claim.numbers
    answers = {
        "ekker-table-1": mixed(table_findings(rows, numbers["table"])),
        "ekker-x16": mixed([
            *(factor(rows, place, numbers["p"], numbers["table"]) for place in (0, 1)),
            widths(rows, numbers["intervals"]),
        ]),
        "ekker-fig-18": mixed(end_findings(calls, numbers["h10"])),
        "ekker-h9": all_of([headline_games(rows, numbers["h9"])]),
        "ekker-h10": all_of([called("TD(mu)", calls, (trainer, "td-mu"), numbers["h10"]) for trainer in TRAINERS[1:]]),
    }  # fmt: skip
    lines = [_line(rows, cell, calls.get(cell, {}), numbers["table"]) for cell in runs]
    return summary_of(_COLUMNS, lines, answers)


def _line(
    rows: Sequence[Row],
    cell: Cell,
    calls: Mapping[int, Mean],
    table: Mapping[str, Mapping[str, Sequence[float]]],
) -> list[str]:
    """The best of each run, then the best of all of them by the games that choose, as in Table 1."""
    own, best = judged_runs(rows)[cell], shown_of_cell(rows, cell)
    games, chosen = matches(rows, "judged")[best], matches(rows, "choice")[best]
    share, score = table.get(cell[0], {}).get(cell[1], ("", ""))
    return [
        *cell,
        ", ".join(f"{one.share:.1f}" for one in own.values()),
        str(Mean(tuple(one.share for one in own.values()))),
        f"{best[-1]:,} games, run {best[-2]}",
        percent(chosen.score),
        f"{percent(games.score)} of {games.score.games}",
        f"{share}",
        f"{games.positive:.1f}",
        f"{score}",
        f"{games.mean:+.1f}",
        str(list(calls.values())[-1]) if calls else "",
    ]


# ---- the figure ------------------------------------------------------------------------------------------------------


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Wins against GNU Go by combination; right calls of end positions over training by trainer, and their errors."""
    figure, (games, errors, *ends) = new_figure(3, rows=2, width=5.4, height=4.2)
    _draw_games(games, rows, claim.numbers["table"])
    calls = calls_of(rows)
    trainers = list(dict.fromkeys(cell[0] for cell in calls))
    for (trainer, rule), own in calls_of(rows, "mse").items():
        style, colour = ("-", "--", ":")[RULES.index(rule)], f"C{trainers.index(trainer)}"
        errors.plot(list(own), [mean.value for mean in own.values()], style, color=colour, label=f"{trainer} {rule}")
    errors.set_ylabel("mean squared error at end positions")
    for place, axes in enumerate(ends):
        axes.set_visible(place < len(trainers))
    for trainer, axes in zip(trainers, ends, strict=False):
        for number, rule in enumerate(RULES):
            if (trainer, rule) in calls:
                own = calls[trainer, rule]
                _plot_means(axes, list(own), list(own.values()), rule, f"C{number}", "o-")
        axes.set_title(trainer, fontsize="medium")
        axes.set_ylabel("end positions called right in %")
        axes.set_ylim(top=101)
    for axes in (errors, *ends):
        axes.set_xlabel("games of training")
        axes.grid(alpha=0.3)
        if axes.lines or axes.containers:
            axes.legend(fontsize="xx-small")
    save_figure(figure, path)


def _draw_games(axes: "Axes", rows: Sequence[Row], table: Mapping[str, Mapping[str, Sequence[float]]]) -> None:
    runs = judged_runs(rows)
    means = [Mean(tuple(games.share for games in own.values())) for own in runs.values()]
    for place, mean in enumerate(means):
        axes.plot([place] * len(mean.values), mean.values, "o", color="C0", alpha=0.5, markersize=3.5)
    _plot_means(axes, list(range(len(means))), means, "mean of runs", "C0", "_")
    printed = {place: table.get(cell[0], {}).get(cell[1]) for place, cell in enumerate(runs)}
    known = {place: row[0] for place, row in printed.items() if row is not None}
    plot_published(axes, list(known), list(known.values()))
    axes.set_xticks(range(len(runs)), [" ".join(cell) for cell in runs], rotation=40, ha="right", fontsize="x-small")
    axes.set_ylabel("won in % against GNU Go, 95 % intervals of runs", fontsize="small")
    axes.set_ylim(-3, 103)
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)


def _plot_means(axes: "Axes", x: Sequence[float], means: Sequence[Mean], label: str, colour: str, style: str) -> None:
    """With 95 % intervals, as far as shares go; without them where there is one run."""
    values = [mean.value for mean in means]
    low = [min(value, value - mean.interval[0]) for value, mean in zip(values, means, strict=True)]
    high = [min(100 - value, mean.interval[1] - value) for value, mean in zip(values, means, strict=True)]
    bars = [low, high] if all(len(mean.values) > 1 for mean in means) else None
    axes.errorbar(x, values, yerr=bars, fmt=style, markersize=3.5, capsize=2, color=colour, label=label)
