"""One training run with the default settings, watched (Silver 2009, 5.7.3, 5.7.4 and 5.8), and played with at one ply.

Rows: one for each snapshot of the weights (errors since the one before, chosen weights, sizes of families), one for the
largest weights and one for the occurrences of each family at the end, and chunks of games of the one-ply player. The
run is in `training` beside the rows; stopped, it goes on. How weights are compared with the published ones is
katachi.experiments.published_weights; how rows are made, rows.py; how they are drawn, figures.py.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from katachi.arena.executor import Executor
from katachi.core.errors import InvalidArgumentError
from katachi.core.settings import Settings
from katachi.experiments.curves import judge as judge_conditions
from katachi.experiments.duels import Duel, at_least, both, count_rows, duels_of, only, run_duels, scored
from katachi.experiments.experiment import Answer, Claim, Progress, Row, Summary, append_row, read_rows, summary_of
from katachi.experiments.published_weights import FAMILIES as PUBLISHED_FAMILIES
from katachi.experiments.published_weights import Finding, judge
from katachi.experiments.shape_weights.figures import draw_shapes_of, draw_watched
from katachi.experiments.shape_weights.rows import FAMILIES, rows_of_run, snapshots_until
from katachi.training.self_play import SelfPlaySettings, train

__all__ = ["draw", "run", "summarise", "total"]

_COLUMNS = ("what", "which", "result", "published")
_ENOUGH, _MILLION = 100_000, 1_000_000  # games of the headline's bar, and of the source
_FOLDER, _LEARNT = "training", "checkpoint.safetensors"
_SOON = 5_000  # games
_LATE = 2_000  # games: "several thousand"
_LEAVES = 0.1  # of the published size: a family has left zero
_ALIKE = 3.0  # between the totals of families: about equal
_FLAT = 0.5  # of the fall before


class _Training(Settings):
    """What is learnt."""

    games: int = Field(ge=100, description="Of the run.")
    seed: int = Field(ge=0, lt=2**63, description="Same seed, same weights.")


def _training(settings: Mapping[str, Any]) -> _Training:
    return _Training.from_mapping({name: settings[name] for name in ("games", "seed")})


def total(settings: Mapping[str, Any]) -> int:
    """Snapshots, two rows for each family, chunks of games."""
    return len(snapshots_until(_training(settings).games)) + 2 * len(FAMILIES) + count_rows(settings)


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Trains, tells, plays; what is there is not made again."""
    told = _training(settings)
    there = read_rows(rows_path)
    if len(there) >= total(settings):
        return  # the run itself is not needed any more

    def learning(games: int, _metrics: object) -> None:
        progress(len(there), f"{games:,} of {told.games:,} training games")

    folder = rows_path.parent / _FOLDER
    watched = SelfPlaySettings(seed=told.seed, count_occurrences=True)
    train(watched, games=told.games, folder=folder, on_games=learning)
    known = {_key(row) for row in there}
    for row in rows_of_run(folder, told.games):
        if _key(row) not in known:
            append_row(rows_path, row)
            there.append(row)
            progress(len(there), f"{told.games:,} training games")
    run_duels(settings, rows_path, executor, progress, files={"learnt": folder / _LEARNT})


def _key(row: Row) -> tuple[str, Any]:
    """What a row is about; chunks of games have their own."""
    return next(((name, row[name]) for name in ("snapshot", "top", "occurrences") if name in row), ("", None))


def _snapshots(rows: Sequence[Row]) -> list[Row]:
    return sorted((row for row in rows if "snapshot" in row), key=lambda row: row["snapshot"])


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Weights, errors, occurrences, games."""
    snapshots = _snapshots(rows)
    if not snapshots:
        raise InvalidArgumentError("there are no weights yet")
    last = snapshots[-1]
    findings = {finding.name: finding for finding in judge(last)}
    occurrences = {row["occurrences"]: row for row in rows if "occurrences" in row}
    top = {row["top"]: row for row in rows if "top" in row}
    duels = duels_of(rows)
    answers = {
        "silver-fig-5-5": _occurring(occurrences, claim),
        "silver-fig-5-9": _evolution(snapshots),
        "silver-fig-5-10": _errors(snapshots),
        "silver-fig-5-17": _largest(last["snapshot"], top, findings),
        "silver-h2": _headline(last["snapshot"], findings, duels, claim),
    }
    return summary_of(_COLUMNS, _table(last, findings, occurrences, top, duels, claim), answers)


def _table(
    last: Row,
    findings: Mapping[str, Finding],
    occurrences: Mapping[str, Row],
    top: Mapping[str, Row],
    duels: Sequence[Duel],
    claim: Claim,
) -> list[list[str]]:
    table = [
        ["weights", f"{last['snapshot']:,} games", f"{one.text}: {'yes' if one.holds else 'no'}", ""]
        for one in findings.values()
    ]
    for family, sizes in last["families"].items():
        known = PUBLISHED_FAMILIES.get(family)
        printed = "" if known is None else f"rms {known['rms']:g}, largest {known['largest']:g}"
        told = f"rms {sizes['rms']:.3g}, largest {sizes['largest']:.3g}, {sizes['weights'] - sizes['used']:,} are zero"
        table.append(["sizes", family, told, printed])
    for family in FAMILIES:
        if family in occurrences:
            row = occurrences[family]
            told = f"{row['total']:,} times, {row['never']:,} of {row['classes']:,} weights never"
            table.append(
                ["occurrences", family, told, "about 2,000 never in a million games" if family == "3x3 ld" else ""]
            )
    for family in FAMILIES:
        if family in top:
            table.append(
                ["largest", family, ", ".join(f"{name} {weight:+.3f}" for name, weight in top[family]["weights"]), ""]
            )
    bars = {
        "random": f"bar: {claim.numbers['random']:g} %",
        "gnugo": "bar: {:g} to {:g} %".format(*claim.numbers["gnugo"]),
    }
    for opponent, bar in bars.items():
        duel = only(duels, opponent=opponent)
        if duel is not None:
            table.append(["one ply", f"against {opponent}", scored(duel), bar])
    return table


def _errors(snapshots: Sequence[Row]) -> Answer:
    """Means over the first hundredth, up to a tenth and over the second half of the games, as they were played."""
    games = snapshots[-1]["snapshot"]
    spans = ((0, games // 100), (games // 20, games // 10), (games // 2, games))
    conditions, told = {}, []
    for name, word in (("cross_entropy", "cross entropy"), ("rms_to_outcome", "error to the outcome")):
        early, middle, late = (_mean(snapshots, name, *span) for span in spans)
        conditions[f"the {word} falls"] = late < early
        conditions[f"the {word} flattens"] = abs(middle - late) < _FLAT * (early - middle)
        told.append(f"{word} {early:.3f}, {middle:.3f}, {late:.3f}")
    where = f"in the first {spans[0][1]:,} games, before {spans[1][1]:,}, and before {games:,}"
    return judge_conditions(conditions, f"{'; '.join(told)} ({where})")


def _mean(snapshots: Sequence[Row], name: str, after: int, until: int) -> float:
    """Over the games of all spans between snapshots that end there; the nearest span if none does."""
    before = [0, *(row["snapshot"] for row in snapshots)]
    spans = [(row["snapshot"] - start, row) for start, row in zip(before, snapshots, strict=False)]
    own = [(count, row) for count, row in spans if after < row["snapshot"] <= until]
    own = own or [min(spans, key=lambda span: abs(span[1]["snapshot"] - until))]
    return float(sum(count * row[name] for count, row in own) / sum(count for count, _ in own))


def _evolution(snapshots: Sequence[Row]) -> Answer:
    """From when on the two best and the worst 2x2 stay so, where stones are worth most, when 3x3 leave zero."""
    settled = _settled(snapshots)
    last = snapshots[-1]
    places = last["places"]
    edge = sum(places[vertex] for vertex in ("A1", "B1", "C1", "D1", "E1")) / 5
    inner = sum(places[vertex] for vertex in ("C3", "D3", "E3", "D4", "E4", "E5")) / 6
    left = {family: _left_zero(snapshots, family) for family in ("2x2 li", "3x3 li", "3x3 ld")}
    small, *large = left.values()
    is_late = max(_LATE, small + 1) <= min(large) <= max(large) < float("inf")
    conditions = {
        f"turn and hane are the best and the dumpling the worst after {_SOON:,} games": settled <= _SOON,
        "the centre is worth more than the edge": inner > edge,
        f"3x3 leave zero only after {_LATE:,} games, and later than 2x2": is_late,
    }
    squares = sorted(last["squares"], key=lambda name: -last["squares"][name])
    text = f"the best 2x2 are {squares[0]} and {squares[1]}, the worst is {squares[-1]}"
    text += f", from {settled:,} games on" if settled < float("inf") else ""
    text += f"; a stone by place is worth {inner:+.3f} inside and {edge:+.3f} at the edge; "
    reached = (f"{family} {'not yet' if games == float('inf') else f'{games:,}'}" for family, games in left.items())
    text += f"games until a tenth of the published size: {', '.join(reached)}"
    return judge_conditions(conditions, text)


def _settled(snapshots: Sequence[Row]) -> float:
    """After how many games the two best and the worst 2x2 are as published, and stay so."""
    since = float("inf")
    for row in snapshots:
        ranked = sorted(row["squares"], key=lambda name: -row["squares"][name])
        if {*ranked[:2]} != {"OX/XX", "OX/X."} or ranked[-1] != "XX/XX":
            since = float("inf")
        elif since == float("inf"):
            since = row["snapshot"]
    return since


def _left_zero(snapshots: Sequence[Row], family: str) -> float:
    """After how many games the weights of a family have a tenth of their published size."""
    size = PUBLISHED_FAMILIES[family]["rms"]
    reached = (row["snapshot"] for row in snapshots if row["families"][family]["rms"] >= _LEAVES * size)
    return next(reached, float("inf"))


def _occurring(occurrences: Mapping[str, Row], claim: Claim) -> Answer:
    if not occurrences.keys() >= set(FAMILIES):
        return Answer("partly", "occurrences are not counted yet")
    games = occurrences["1x1 li"]["games"]
    totals = {family: occurrences[family]["total"] for family in FAMILIES}
    ratio = max(totals.values()) / max(1, min(totals.values()))
    stones = totals["1x1 li"] * _MILLION / games
    by_place = occurrences["3x3 ld"]
    low, high = claim.numbers["never"]
    conditions = {
        f"families occur equally often within a factor of {_ALIKE:g}": ratio <= _ALIKE,
        "a stone anywhere would occur more than a billion times in a million games": stones >= 1e9,
        "tens of thousands of 3x3 ld would occur a few thousand times": by_place["thousands"] >= 10_000,
        f"after a million games, {low:,} to {high:,} of 3x3 ld have not occurred": games >= _MILLION
        and low <= by_place["never"] <= high,
    }
    text = f"in {games:,} games the totals of the families differ by a factor of {ratio:.2f}; a stone occurred "
    text += f"{totals['1x1 li']:,} times, {by_place['thousands']:,} weights of 3x3 ld 1 to 10 times in 1,000 games, "
    text += f"and {by_place['never']:,} of {by_place['classes']:,} never"
    return judge_conditions(conditions, text)


def _largest(games: int, top: Mapping[str, Row], findings: Mapping[str, Finding]) -> Answer:
    if not {"3x3 li", "3x3 ld"} <= top.keys():
        return Answer("partly", "the largest weights are not told yet")
    wanted = ("order", "signs", "sizes of small shapes", "sizes of families")
    share = top["3x3 li"]["split"] / len(top["3x3 li"]["weights"])
    eyes = top["3x3 ld"]["corner_eyes"]
    conditions = {
        **{f"{name} as published": findings[name].holds for name in wanted},
        "3x3 anywhere that split the other's stones are more frequent among the largest": share
        > top["3x3 li"]["split_of_all"],
        "two eyes in the corner are among the largest 3x3 ld": eyes > 0,
    }
    text = f"after {games:,} games: {findings['order'].text}; {share:.0%} of the largest 3x3 anywhere "
    text += f"({top['3x3 li']['split_of_all']:.0%} of all) split the other's stones; "
    text += f"{eyes} of the largest 3x3 ld are two eyes in the corner"
    text += "".join(f"; {findings[name].text}" for name in wanted[1:] if not findings[name].holds)
    return judge_conditions(conditions, text)


def _headline(games: int, findings: Mapping[str, Finding], duels: Sequence[Duel], claim: Claim) -> Answer:
    """More than the band against GNU Go is no miss: the claim is that the evaluation is of use."""
    random, gnugo = only(duels, opponent="random"), only(duels, opponent="gnugo")
    low, high = claim.numbers["gnugo"]
    order = findings["extremes"]
    text = f"after {games:,} games {order.text}"
    if random is None or gnugo is None:
        return Answer("partly" if order.holds else "not", f"{text}; no games are played yet")
    text += f"; one ply against random {scored(random)} (bar {claim.numbers['random']:g} %), "
    text += f"against GNU Go level 0 {scored(gnugo)} (bar {low:g} to {high:g} %)"
    verdict = both(at_least(random.score, claim.numbers["random"]), at_least(gnugo.score, low))
    if not order.holds:
        verdict = both(verdict, "partly")
        text += "; the order does not hold"
    if gnugo.rate > high:
        text += "; that is above the band"
    if games < _ENOUGH:
        verdict = both(verdict, "partly")
        text += f"; the bar is for {_ENOUGH:,} games"
    return Answer(verdict, text)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Panels over the games, and pictures of the largest weights."""
    draw_watched(_snapshots(rows), [row for row in rows if "occurrences" in row], duels_of(rows), claim, path)
    top = {row["top"]: row for row in rows if "top" in row}
    if top:
        draw_shapes_of([top[family] for family in FAMILIES if family in top], path.with_name(f"{path.name}-shapes"))
