"""Duels in Go, findings and bars: what the experiments on chapters 6, 7, 8 and 10 of Silver (2009) share.

Settings are those of katachi.experiments.duels, and shorter: the game is Go under the rules of CGOS at komi 7.5, on 9x9
unless a duel has another `size`, and `gnugo:level=N` is that engine. Weights that players need are learnt first, by
self-play with the seed of the experiment:

    [[training]]
    name = "long"                 # weights=@long
    games = 100_000
    [[duel]]
    first = "dyna2:sims={sims},weights=@long"
    second = "gnugo:level=0"
    games = 100
    labels = { player = "both", sims = [200, 1000] }

What a source says of the games is a list of *findings*, each with a verdict of its own. Bars are data of the claim:

    bars = [{ row = "silver-h12", text = "both at 200", labels = { player = "both", sims = 200 }, at_least = 50 }]

A bar is reached if the win rate is there, over 200 games (or `games` of the bar) or with its whole interval; missed if
the interval is below. `by = "interval"`: if the end of the interval is there.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log10
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from katachi.arena.executor import Executor
from katachi.arena.ratings import PairCounts, Ratings, rate
from katachi.arena.statistics import Score
from katachi.core.errors import InvalidArgumentError
from katachi.core.settings import Settings
from katachi.experiments import duels as plain
from katachi.experiments.duels import (
    Duel,
    at_least,
    below,
    best_of,
    both,
    difference,
    duels_of,
    is_above,
    near_best,
    only,
    percent,
    scored,
)
from katachi.experiments.experiment import Answer, Claim, Progress, Row, Summary, Verdict, read_rows, summary_of
from katachi.experiments.gnugo import shown, spec_of
from katachi.training.self_play import Schedule, SelfPlaySettings, train

__all__ = [
    "Bar", "Finding", "all_of", "bars_of", "beats", "best_within", "count_rows", "does_not_win", "duel_settings", "elo",
    "headline", "is_alike", "is_even", "is_stronger", "may_reach", "mixed", "played", "rate_duels", "reaches", "rises",
    "run_duels", "shown", "stays_below", "summary",
]  # fmt: skip

_COLUMNS = ("player", "against", "board", "win rate", "games", "Elo", "bar")
_ENOUGH = 200  # games of a bar
_GO = {"komi": 7.5, "rules": "cgos"}
_OPPOSITE: dict[Verdict, Verdict] = {"reproduced": "not", "partly": "reproduced", "not": "reproduced"}
_MARKS: dict[Verdict, str] = {"reproduced": "", "partly": " [not certain]", "not": " [not so]"}


# ---- what is played --------------------------------------------------------------------------------------------------


class _Training(Settings):
    """Weights that are learnt before the games begin."""

    name: str = Field(pattern=r"^[a-z0-9-]+$", description="weights=@NAME.")
    games: int = Field(ge=1, description="Of self-play.")
    size: int = Field(default=9, description="Of the board.")
    sizes: list[str] = Field(default=["1x1", "2x2", "3x3"], description="Of the shapes.")


def _trainings(settings: Mapping[str, Any]) -> list[_Training]:
    return [_Training.from_mapping(told) for told in settings.get("training", [])]


def duel_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of plain duels."""
    return {"seed": settings["seed"], "duel": [_expanded_duel(told) for told in settings["duel"]]}


def _expanded_duel(told: Mapping[str, Any]) -> dict[str, Any]:
    duel = {"game": "go", "options": {"size": told.get("size", 9), **_GO}, **told}
    duel.pop("size", None)
    for side in ("first", "second"):
        spec = spec_of(duel[side])
        if spec != duel[side]:
            duel[side] = spec.replace("{", "{{").replace("}", "}}")  # no label
    return duel


def count_rows(settings: Mapping[str, Any]) -> int:
    """Chunks of games."""
    return plain.count_rows(duel_settings(settings))


def run_duels(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Learns what the players need, unless all games are there, and plays what is missing."""
    rows = read_rows(rows_path)
    if sum("chunk" in row for row in rows) >= count_rows(settings):
        return
    files = {}
    for told in _trainings(settings):
        folder = rows_path.parent / "training" / told.name

        def learning(games: int, _metrics: object, told: _Training = told) -> None:
            progress(len(rows), f"{told.name}: {games:,} of {told.games:,} training games")

        learner = SelfPlaySettings.from_mapping(
            {"size": told.size, "sizes": tuple(told.sizes), "seed": settings["seed"]}
        )
        train(learner, games=told.games, folder=folder, schedule=Schedule(snapshots=False), on_games=learning)
        files[told.name] = folder / "checkpoint.safetensors"
    plain.run_duels(duel_settings(settings), rows_path, executor, progress, files)


# ---- what the games say ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Finding:
    """One statement, and whether the games bear it out."""

    verdict: Verdict
    text: str


class Bar(Settings):
    """What a win rate must reach, in per cent."""

    row: str = Field(description="Of the ledger.")
    text: str = Field(description="Who plays whom.")
    labels: dict[str, Any] = Field(description="Of the duel.")
    at_least: float = Field(ge=0, le=100, description="The first player's win rate.")
    by: Literal["rate", "interval"] = Field(
        default="rate", description="What must be there: it, or its interval's end."
    )
    games: int = Field(default=_ENOUGH, ge=1, description="How many it takes, if the interval is not above.")

    def finding(self, duels: Sequence[Duel]) -> Finding:
        """Reached, missed or neither."""
        reach = may_reach if self.by == "interval" else reaches
        return reach(self.text, self.duel(duels), self.at_least, self.games)

    def duel(self, duels: Sequence[Duel]) -> Duel | None:
        """The one that it is about."""
        return only(duels, **self.labels)


def _bars(claim: Claim) -> list[Bar]:
    return [Bar.from_mapping(told) for told in claim.numbers.get("bars", [])]


def played(rows: Sequence[Row]) -> list[Duel]:
    """The duels of some rows, in an order for people; an error if there are none."""
    duels = duels_of(rows)
    if not duels:
        raise InvalidArgumentError("there are no games yet")
    return sorted(duels, key=lambda duel: (_natural(shown(duel.second)), duel.options["size"], _natural(duel.first)))


def _natural(text: str) -> list[tuple[float, str]]:
    """Numbers by size, words by the alphabet."""
    parts = re.split(r"(\d+(?:\.\d+)?)", text)
    return [(float(part), "") if number % 2 else (-1.0, part) for number, part in enumerate(parts)]


def elo(score: Score) -> str:
    """What a win rate is worth; none where everything was won or lost."""
    if score.points in (0, score.games):
        return "all won" if score.points else "all lost"
    return f"{400 * log10(score.win_rate / (1 - score.win_rate)):+.0f}"


def _missing(text: str) -> Finding:
    return Finding("partly", f"{text}: not played at this scale")


def reaches(text: str, duel: Duel | None, bar: float, enough: int = _ENOUGH) -> Finding:
    """Does the first player win so much? Few games are enough only if the whole interval is there."""
    if duel is None:
        return _missing(text)
    verdict = at_least(duel.score, bar)
    told = f"{text}: {scored(duel)}, bar {bar:g} %"
    if verdict == "reproduced" and duel.games < enough and not is_above(duel.score, bar):
        return Finding("partly", f"{told} over {enough} games")
    return Finding(verdict, told)


def may_reach(text: str, duel: Duel | None, bar: float, enough: int = _ENOUGH) -> Finding:
    """Is the upper end of the interval there? Few games are enough only if the whole interval is."""
    if duel is None:
        return _missing(text)
    low, high = duel.interval
    told = f"{text}: {scored(duel)}, bar {bar:g} % by the interval"
    if high < bar:
        return Finding("not", told)
    return (
        Finding("reproduced", told)
        if duel.games >= enough or low >= bar
        else Finding("partly", f"{told} over {enough} games")
    )


def beats(text: str, duel: Duel | None, *, loses: bool = False) -> Finding:
    """Does the first player win (or lose) more than half for certain?"""
    if duel is None:
        return _missing(text)
    low, high = duel.interval
    is_won, is_lost = low > 50, high < 50
    if loses:
        is_won, is_lost = is_lost, is_won
    return Finding("reproduced" if is_won else "not" if is_lost else "partly", f"{text}: {scored(duel)}")


def does_not_win(text: str, duel: Duel | None) -> Finding:
    """Does the first player not win more than half for certain?"""
    found = beats(text, duel)
    return found if duel is None else Finding(_OPPOSITE[found.verdict], found.text)


def stays_below(text: str, duel: Duel | None, bar: float) -> Finding:
    """Does the first player win no more than that?"""
    if duel is None:
        return _missing(text)
    return Finding(below(duel.score, bar), f"{text}: {scored(duel)}, at most {bar:g} %")


def is_even(text: str, duel: Duel | None) -> Finding:
    """Is there no certain difference?"""
    if duel is None:
        return _missing(text)
    low, high = duel.interval
    return Finding("reproduced" if low <= 50 <= high else "not", f"{text}: {scored(duel)}")


def _gap(text: str, one: Duel, other: Duel) -> tuple[str, float, float, float]:
    gap, low, high = difference(one.score, other.score)
    return (
        f"{text}: {one.rate:.1f} and {other.rate:.1f} %, {gap:+.1f} points ({low:+.1f} to {high:+.1f})",
        gap,
        low,
        high,
    )


def is_stronger(text: str, one: Duel | None, other: Duel | None, by: float = 0.0) -> Finding:
    """Does one win so many points more than the other against the same opponent, for certain if it is any more?"""
    if one is None or other is None:
        return _missing(text)
    told, gap, low, high = _gap(text, one, other)
    is_so = low > 0 if by == 0 else gap >= by
    return Finding("reproduced" if is_so else "not" if high < by else "partly", told)


def is_alike(text: str, one: Duel | None, other: Duel | None) -> Finding:
    """Is there no certain difference between two that play the same opponent?"""
    if one is None or other is None:
        return _missing(text)
    told, _, low, high = _gap(text, one, other)
    return Finding("reproduced" if low <= 0 <= high else "not", told)


def rises(text: str, duels: Sequence[Duel], label: str) -> Finding:
    """Does the win rate rise at every step? It does not if one step is down for certain."""
    if len(duels) < 2:
        return _missing(text)
    steps = [difference(after.score, before.score) for before, after in pairwise(duels)]
    verdict: Verdict = "partly"
    if all(gap > 0 for gap, _, _ in steps):
        verdict = "reproduced"
    elif any(high < 0 for _, _, high in steps):
        verdict = "not"
    return Finding(verdict, f"{text}: " + ", ".join(f"{percent(duel.score)} at {duel[label]}" for duel in duels))


def best_within(text: str, duels: Sequence[Duel], label: str, low: float, high: float, name: str = "") -> Finding:
    """Is the best value of a label between these? It may be if one of those is not worse for certain."""
    name = name or label
    if len(duels) < 2:
        return _missing(f"{text}, best {name}")
    best = best_of(duels)
    inside = [duel for duel in near_best(duels) if low <= duel[label] <= high]
    verdict: Verdict = "reproduced" if best in inside else "partly" if inside else "not"
    rates = ", ".join(f"{name} = {duel[label]:g}: {duel.rate:.1f} %" for duel in duels)
    return Finding(verdict, f"{text}, best {name} = {best[label]:g} ({rates})")


def all_of(findings: Sequence[Finding]) -> Answer:
    """A claim that holds if every part of it does."""
    return Answer(both(*(finding.verdict for finding in findings)), _told(findings))


def mixed(findings: Sequence[Finding]) -> Answer:
    """A claim of several statements: some of them are something."""
    verdicts = {finding.verdict for finding in findings}
    return Answer(verdicts.pop() if len(verdicts) == 1 else "partly", _told(findings))


def _told(findings: Sequence[Finding]) -> str:
    return "; ".join(finding.text + _MARKS[finding.verdict] for finding in findings)


def headline(duels: Sequence[Duel], claim: Claim, row: str, *more: Finding) -> Answer:
    """All bars of a row of the ledger, and what else it asks for."""
    return all_of([*bars_of(duels, claim, row), *more])


def bars_of(duels: Sequence[Duel], claim: Claim, row: str) -> list[Finding]:
    """What became of the bars of a row of the ledger."""
    return [bar.finding(duels) for bar in _bars(claim) if bar.row == row]


def summary(
    duels: Sequence[Duel], claim: Claim, answers: Mapping[str, Answer], more: Sequence[list[str]] = ()
) -> Summary:
    """A line for each duel, and an answer for each row of the ledger."""
    return summary_of(_COLUMNS, [*(_line(duel, duels, claim) for duel in duels), *more], answers)


def _line(duel: Duel, duels: Sequence[Duel], claim: Claim) -> list[str]:
    bars = "; ".join(
        f"at least {bar.at_least:g} %: {bar.finding(duels).verdict}" for bar in _bars(claim) if bar.duel(duels) is duel
    )
    size = duel.options["size"]
    told = [percent(duel.score), f"{duel.games:,}", elo(duel.score), bars]
    return [shown(duel.first), shown(duel.second), f"{size}x{size}", *told]


def rate_duels(duels: Sequence[Duel], anchors: Mapping[str, float]) -> Ratings:
    """All players on one scale."""
    pairs = []
    for duel in duels:
        first, second = shown(duel.first), shown(duel.second)
        wins, draws, losses = duel.white  # the second player was Black
        pairs += [PairCounts(first, second, *duel.black), PairCounts(second, first, losses, draws, wins)]
    return rate([pair for pair in pairs if pair.games], dict(anchors))
