"""Table 1 and Figure 18: trained networks with 3 plies against GNU Go, and end positions that they call won or lost.

The source shows the best snapshot of each combination, which is chosen by the games that it is judged by. Here some
games choose it (`stage` choice), and others judge it (`stage` judged). GNU Go plays, and it scores the final positions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import Field

from katachi.arena.executor import Executor
from katachi.arena.statistics import Score
from katachi.core.errors import InvalidArgumentError
from katachi.core.settings import Settings
from katachi.experiments.duel_plots import new_figure, plot_published, plot_scores, save_figure
from katachi.experiments.duels import at_least, difference, percent
from katachi.experiments.experiment import Claim, Progress, Row, Summary, Verdict, read_rows, summary_of
from katachi.experiments.go_duels import Finding, all_of, mixed
from katachi.experiments.network_players.ends import FILE
from katachi.experiments.network_results import chi_square, not_run
from katachi.experiments.network_runs import (
    Match,
    NetworkRuns,
    TrainingRun,
    keep,
    row_key,
    snapshot_path,
    train_networks,
)

__all__ = ["PlayersSettings", "best_candidate", "draw", "run", "summarise", "total"]

Cell: TypeAlias = tuple[str, str]  # trainer and rule

_MATCH = "katachi.experiments.network_runs:play_match"
_ENDS = "katachi.experiments.network_players.ends"
_TRAINERS = ("residual", "residual-lambda", "rprop")
_RULES = ("td-directed", "td-leaf", "td-mu")
_COLUMNS = ("trainer", "rule", "best snapshot", "chosen by", "won against GNU Go", "printed", "lost games as 0",
            "printed score", "mean score", "end positions called right")  # fmt: skip
_CHOICE, _JUDGED = 10_000_000, 20_000_000  # seeds of the games
_ENOUGH = 200  # games for a headline


class _Ends(Settings):
    """Of Figure 18."""

    positions: int = Field(ge=1, description="How many (6.2.1: 1,000).")
    after: list[int] = Field(min_length=1, description="Snapshots that call them.")


class PlayersSettings(Settings):
    """All that the rows depend on."""

    runs: NetworkRuns = Field(description="What is trained.")
    candidates: list[int] = Field(min_length=1, description="Snapshots of which the best is chosen.")
    choice: Match = Field(description="The games that choose.")
    judged: Match = Field(description="The games that judge.")
    ends: _Ends = Field(description="End positions.")

    @classmethod
    def read(cls, settings: Mapping[str, Any]) -> "PlayersSettings":
        """From the settings of a scale, with the seed."""
        own = {name: settings[name] for name in ("candidates", "choice", "judged", "ends")}
        rest = {name: value for name, value in settings.items() if name not in own}
        return cls(
            runs=NetworkRuns.from_mapping(rest),
            candidates=own["candidates"],
            choice=Match.from_mapping(own["choice"]),
            judged=Match.from_mapping(own["judged"]),
            ends=_Ends.from_mapping(own["ends"]),
        )

    def cells(self) -> dict[Cell, list[TrainingRun]]:
        """Runs by trainer and rule."""
        found: dict[Cell, list[TrainingRun]] = {}
        for told in self.runs.runs():
            found.setdefault((told.trainer, told.rule), []).append(told)
        return found

    @property
    def points(self) -> list[int]:
        """Snapshots that must be kept."""
        return sorted({*self.candidates, *self.ends.after})


def total(settings: Mapping[str, Any]) -> int:
    """Runs, games that choose and that judge, end positions and the calls of all runs."""
    told = PlayersSettings.read(settings)
    runs, cells = len(told.runs.runs()), len(told.cells())
    choices = runs * len(told.candidates) * told.choice.chunks
    return runs + choices + cells * told.judged.chunks + 1 + runs


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Trains, chooses, judges, calls: what is missing."""
    if len(read_rows(rows_path)) >= total(settings):
        return
    told = PlayersSettings.read(settings)
    runs = {_run_key(one.key): one for one in told.runs.runs()}
    folders = train_networks(told.runs, rows_path, executor, progress, dict.fromkeys(runs, told.points))
    seed = told.runs.seed

    def play(works: list[dict[str, Any]]) -> None:
        there = {row_key(row) for row in read_rows(rows_path)}
        keep(_MATCH, [work for work in works if row_key(work) not in there], rows_path, executor, progress)

    play([
        work
        for key, one in runs.items()
        for after in told.candidates
        for work in told.choice.works(one.key, folders[key], after, "choice", _CHOICE * (seed + 1) + 1000 * one.number)
    ])  # fmt: skip
    rows = read_rows(rows_path)
    judged = []
    for cell in told.cells():
        best = best_candidate(rows, cell)
        key = _run_key(best)
        judged += told.judged.works(runs[key].key, folders[key], best["after"], "judged", _JUDGED * (seed + 1))
    play(judged)
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
    best = best_candidate(rows)
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


# ---- what the games say ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Games:
    """Games of some rows, added up."""

    score: Score
    mean: float  # score
    positive: float  # the same, lost games counting 0

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "_Games":
        games = sum(row["games"] for row in rows)
        means = [sum(row["games"] * row[name] for row in rows) / games for name in ("score", "positive_score")]
        return cls(Score(sum(row["wins"] for row in rows), games), *means)


def _matches(rows: Sequence[Row], stage: str, cell: Cell | None = None) -> dict[tuple[Any, ...], _Games]:
    """By trainer, rule, number and snapshot."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in sorted(rows, key=lambda row: str(row_key(row))):
        is_of = cell is None or (row["trainer"], row["rule"]) == cell
        if row["kind"] == "match" and row["stage"] == stage and is_of:
            found.setdefault((row["trainer"], row["rule"], row["number"], row["after"]), []).append(row)
    return {key: _Games.of(own) for key, own in found.items()}


def best_candidate(rows: Sequence[Row], cell: Cell | None = None) -> dict[str, Any]:
    """The snapshot of a cell, or of all, that has won most of the games that choose; of equals, by score."""
    found = _matches(rows, "choice", cell)
    if not found:
        raise InvalidArgumentError("no games have chosen a network yet")
    best = max(found, key=lambda key: (found[key].score.win_rate, found[key].mean, key))
    return {"name": "", **dict(zip(("trainer", "rule", "number", "after"), best, strict=True))}


def _judged(rows: Sequence[Row]) -> dict[Cell, _Games]:
    return {key[:2]: games for key, games in _matches(rows, "judged").items()}


def _calls(rows: Sequence[Row]) -> dict[Cell, dict[int, Score]]:
    """Right calls of end positions by snapshot. A position is shown twice, and counts once."""
    found: dict[Cell, dict[int, Score]] = {}
    for row in rows:
        for call in row["calls"] if row["kind"] == "ends" else ():
            own = found.setdefault((row["trainer"], row["rule"]), {})
            own[call["after"]] = own.get(call["after"], Score(0, 0)) + Score(call["right"] / 2, call["of"] // 2)
    return {cell: dict(sorted(own.items())) for cell, own in found.items()}


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Cell by cell."""
    judged, calls = _judged(rows), _calls(rows)
    if not judged:
        raise InvalidArgumentError("no network has been judged yet")
    numbers = claim.numbers
    answers = {
        "ekker-table-1": mixed(_table_findings(judged, numbers["table"])),
        "ekker-x16": all_of([_factor(judged, place, numbers["p"]) for place in (0, 1)]),
        "ekker-fig-18": mixed(_end_findings(calls, numbers["h10"])),
        "ekker-h9": all_of([_best(rows, judged, numbers["h9"])]),
        "ekker-h10": all_of(
            [_called("TD(mu)", calls, (trainer, "td-mu"), numbers["h10"]) for trainer in _TRAINERS[1:]]
        ),
    }
    lines = [_line(rows, cell, judged, calls, numbers["table"]) for cell in _ordered(judged)]
    return summary_of(_COLUMNS, lines, answers)


def _ordered(judged: Mapping[Cell, object]) -> list[Cell]:
    known = [(trainer, rule) for trainer in (*_TRAINERS, "backpropagation") for rule in _RULES]
    return [cell for cell in known if cell in judged]


def _line(
    rows: Sequence[Row],
    cell: Cell,
    judged: Mapping[Cell, _Games],
    calls: Mapping[Cell, Mapping[int, Score]],
    table: Mapping[str, Mapping[str, Sequence[float]]],
) -> list[str]:
    games, best = judged[cell], best_candidate(rows, cell)
    chosen = _matches(rows, "choice", cell)[cell[0], cell[1], best["number"], best["after"]]
    share, score = table.get(cell[0], {}).get(cell[1], ("", ""))
    last = list(calls.get(cell, {}).values())[-1:]
    return [
        *cell,
        f"{best['after']:,} games, run {best['number']}",
        percent(chosen.score),
        f"{percent(games.score)} of {games.score.games}",
        f"{share}",
        f"{games.positive:.1f}",
        f"{score}",
        f"{games.mean:+.1f}",
        *(percent(called) for called in last or [Score(0, 0)]),
    ]


def _pooled(judged: Mapping[Cell, _Games], place: int) -> dict[str, Score]:
    """By trainer (0) or rule (1)."""
    found: dict[str, Score] = {}
    for cell, games in judged.items():
        if cell[0] in _TRAINERS:
            found[cell[place]] = found.get(cell[place], Score(0, 0)) + games.score
    return found


def _table_findings(judged: Mapping[Cell, _Games], table: Mapping[str, Mapping[str, Sequence[float]]]) -> list[Finding]:
    """Residual is far below the two others, and the numbers are about those that are printed."""
    pooled, findings = _pooled(judged, 0), []
    for trainer in ("residual-lambda", "rprop"):
        text = f"{trainer} above residual"
        if not {trainer, "residual"} <= pooled.keys():
            findings.append(not_run(text))
            continue
        gap, low, high = difference(pooled[trainer], pooled["residual"])
        told = f"{text}: {percent(pooled[trainer])} and {percent(pooled['residual'])}, "
        told += f"{gap:+.1f} points ({low:+.1f} to {high:+.1f})"
        findings.append(Finding("reproduced" if low > 0 else "not" if high < 0 else "partly", told))
    printed = {(trainer, rule): row[0] for trainer, own in table.items() for rule, row in own.items()}
    played = [cell for cell in printed if cell in judged]
    inside = [cell for cell in played if _holds(judged[cell].score, printed[cell])]
    verdict: Verdict = "partly" if inside else "not"
    if len(inside) == len(printed):
        verdict = "reproduced"
    findings.append(Finding(verdict, f"{len(inside)} of {len(printed)} printed win rates are within our intervals"))
    return findings


def _holds(score: Score, share: float) -> bool:
    low, high = score.interval
    return 100 * low <= share <= 100 * high


def _factor(judged: Mapping[Cell, _Games], place: int, p: Mapping[str, float]) -> Finding:
    """6.3: does it matter which trainer, which rule?"""
    name = ("trainer", "rule")[place]
    pooled = _pooled(judged, place)
    if len(pooled) < len(_RULES):
        return not_run(f"chi-square of the {name}")
    statistic, degrees, found = chi_square(list(pooled.values()))
    told = ", ".join(f"{key} {percent(score)}" for key, score in sorted(pooled.items()))
    text = f"chi-square of the {name}: {statistic:.1f} with {degrees} degrees of freedom, p = {found:.4f} "
    text += f"(printed {p[name]:.4f}); {told}"
    return Finding("reproduced" if found < p["sure"] else "not", text)


def _best(rows: Sequence[Row], judged: Mapping[Cell, _Games], bar: float) -> Finding:
    """Of all snapshots the one that was chosen, by games that did not choose it."""
    best = best_candidate(rows)
    cell = best["trainer"], best["rule"]
    text = f"{cell[0]} {cell[1]} after {best['after']:,} games, 3 plies against GNU Go at its lowest level"
    if cell not in judged:
        return not_run(text)
    score = judged[cell].score
    told = f"{text}: {percent(score)} of {score.games} games, bar {bar:g} %"
    verdict = at_least(score, bar)
    if verdict == "reproduced" and score.games < _ENOUGH:
        return Finding("partly", f"{told} over {_ENOUGH} games")
    return Finding(verdict, told)


def _called(text: str, calls: Mapping[Cell, Mapping[int, Score]], cell: Cell, bar: float) -> Finding:
    """Are so many end positions called rightly by the last network?"""
    if cell not in calls:
        return not_run(f"{text} with {cell[0]}")
    after, score = list(calls[cell].items())[-1]
    told = f"{text} with {cell[0]} calls {percent(score)} of {score.games:,} end positions after {after:,} games"
    told += f", bar {bar:g} %"
    return Finding(at_least(score, bar), told)


def _end_findings(calls: Mapping[Cell, Mapping[int, Score]], bar: float) -> list[Finding]:
    """Figure 18."""
    findings = []
    last = {cell: list(own.values())[-1] for cell, own in calls.items()}
    for trainer in ("rprop", "residual-lambda"):
        text = f"TD(mu) calls most with {trainer}"
        own = {rule: last[trainer, rule] for rule in _RULES if (trainer, rule) in last}
        if len(own) < len(_RULES):
            findings.append(not_run(text))
            continue
        told = ", ".join(f"{rule} {percent(score)}" for rule, score in own.items())
        gaps = [difference(own["td-mu"], own[rule]) for rule in _RULES[:2]]
        verdict: Verdict = "partly"
        if all(gap > 0 for gap, _, _ in gaps):
            verdict = "reproduced"
        elif any(high < 0 for _, _, high in gaps):
            verdict = "not"
        findings.append(Finding(verdict, f"{text}: {told}"))
    for rule in _RULES:
        cell = ("residual-lambda", rule)
        if cell not in calls:
            findings.append(not_run(f"{rule} rises with residual-lambda"))
            continue
        first, final = next(iter(calls[cell].values())), last[cell]
        _, low, high = difference(final, first)
        told = f"{rule} rises with residual-lambda: {percent(first)}, then {percent(final)}"
        rises: Verdict = "reproduced" if low > 0 else "not" if high < 0 else "partly"
        findings += [Finding(rises, told), _called(rule, calls, cell, bar)]
    return findings


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Wins against GNU Go by combination, and right calls of end positions over training."""
    judged, calls = _judged(rows), _calls(rows)
    figure, (games, ends) = new_figure(2, width=6)
    cells = _ordered(judged)
    plot_scores(games, list(range(len(cells))), [judged[cell].score for cell in cells], "judged")
    printed = {place: claim.numbers["table"].get(cell[0], {}).get(cell[1]) for place, cell in enumerate(cells)}
    known = {place: row[0] for place, row in printed.items() if row is not None}
    plot_published(games, list(known), list(known.values()))
    games.set_xticks(range(len(cells)), [" ".join(cell) for cell in cells], rotation=40, ha="right", fontsize="x-small")
    games.set_ylabel("won in % against GNU Go, 95 % intervals")
    games.set_ylim(-3, 103)
    games.legend(fontsize="small")
    for number, cell in enumerate(_ordered(calls)):
        own = calls[cell]
        plot_scores(ends, list(own), list(own.values()), " ".join(cell), colour=f"C{number}")
    ends.set_xlabel("games of training")
    ends.set_ylabel("end positions called right in %")
    ends.legend(fontsize="x-small")
    for axes in (games, ends):
        axes.grid(alpha=0.3)
    save_figure(figure, path)
