"""Learning curves in Elo: the machinery of the experiments on learning by self-play (Silver 2009, 5.7).

Settings are TOML. Each `[[run]]` is a training run, or one for each combination of what it varies and each seed; runs
are rated after some numbers of games, and each of those *snapshots* plays a pool that connects all: a few snapshots of
one run, the reference, and the players outside of it.

    games = 50_000
    rated = [100, 1000, 10_000, 50_000]     # the last is the end of the run
    reference = "alpha 0.1"
    anchors = [100, 1000, 50_000]           # snapshots of the reference that all others meet
    pairing_games = 100
    [[run]]
    label = "alpha {alpha}"
    vary = { "td.alpha" = [0.01, 0.1, 1.0] }
    [[opponent]]
    player = "random"
    games = 20
    [[duel]]                                # more games for one pairing
    first = "alpha 1"
    second = "random"
    games = 200

A row is a training run (what it changed, its errors, whether it diverged) or a chunk of the games of a pairing. Rows
call a snapshot `LABEL@GAMES`; its weights are kept in `training/` beside the rows, where a run that was stopped goes on
(katachi.experiments.learning_curve_training). The seed of a training run follows from the experiment's and its own
number alone, so that runs with equal settings are equal in all experiments. What rows say is in
katachi.experiments.learning_curve_results.
"""

import re
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import product
from math import ceil
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.core.errors import SettingsError, StoreError
from katachi.core.settings import Settings, did_you_mean
from katachi.experiments.duels import play_chunk
from katachi.experiments.experiment import Progress, Row, append_row, read_rows
from katachi.experiments.gnugo import spec_of
from katachi.experiments.learning_curve_training import snapshot_path
from katachi.games.registry import make_game
from katachi.learning.td_settings import TdSettings
from katachi.players.player import check_player
from katachi.players.registry import make_player
from katachi.players.spec import PlayerSpec, format_spec
from katachi.training.self_play import SelfPlaySettings

__all__ = [
    "CurvesSettings", "DuelSettings", "OpponentSettings", "Pairing", "RunSettings", "TrainingRun", "count_rows",
    "play_pairing", "run_curves", "snapshot_name",
]  # fmt: skip

_RULES = "cgos"  # what GNU Go plays by, too
_TRAIN = "katachi.experiments.learning_curve_training:train_run"
_PLAY = "katachi.experiments.learning_curves:play_pairing"


_NO_GAMES: Row = {
    "games": 0, "wins": 0, "draws": 0, "losses": 0, "black": [0, 0, 0], "white": [0, 0, 0], "moves": 0, "seconds": 0.0,
}  # fmt: skip


# ---- settings -------------------------------------------------------------------------------------------------------


class RunSettings(Settings):
    """Training runs that differ in a few settings of SelfPlaySettings, which are named with dots (`td.alpha`)."""

    label: str = Field(min_length=1, description="{name} is the value of a setting that varies, by its last name.")
    changes: dict[str, Any] = Field(default_factory=dict, description="Settings by name, for all of these runs.")
    vary: dict[str, list[Any]] = Field(default_factory=dict, description="Lists of values: a run for each.")
    seeds: list[int] = Field(default=[1], min_length=1, description="Numbers: a run for each.")


class OpponentSettings(Settings):
    """A player that does not learn."""

    player: str = Field(description="A spec; gnugo:level=N is GNU Go with the rules of the games.")
    games: int = Field(ge=2, multiple_of=2, description="Against each snapshot that it meets.")
    chunk: int = Field(default=100, ge=2, multiple_of=2, description="Games of one row.")
    against: Literal["all", "reference"] = Field(
        default="all", description="All snapshots, or only the last one of the reference."
    )


class DuelSettings(Settings):
    """More games of one pairing than the pool has."""

    first: str = Field(description="LABEL@GAMES, LABEL (its last snapshot) or a player's spec.")
    second: str = Field(description="The same.")
    games: int = Field(ge=2, multiple_of=2, description="In all.")


@dataclass(frozen=True)
class TrainingRun:
    """One run: its name, and what it trains with."""

    number: int
    label: str
    changes: Mapping[str, Any]  # by dotted name
    settings: SelfPlaySettings

    @property
    def folder(self) -> str:
        """Where it is kept."""
        return re.sub(r"[^a-z0-9.+]+", "-", self.label.lower()).strip("-")


@dataclass(frozen=True)
class Pairing:
    """Two players and how often they meet."""

    first: str
    second: str
    games: int
    chunk: int
    seed: int

    @property
    def chunks(self) -> int:
        """How many rows it has."""
        return ceil(self.games / self.chunk)


class CurvesSettings(Settings):
    """All that the rows depend on."""

    seed: int = Field(ge=0, lt=2**63, description="Same seed, same rows.")
    games: int = Field(ge=1, description="Of every training run.")
    rated: list[int] = Field(min_length=1, description="After how many games a run is rated.")
    train: dict[str, Any] = Field(default_factory=dict, description="Settings of all runs, by name.")
    run: list[RunSettings] = Field(min_length=1, description="What is trained.")
    reference: str = Field(description="The label of the run that all others meet.")
    anchors: list[int] = Field(min_length=1, description="Which of its snapshots they meet.")
    pairing_games: int = Field(ge=2, multiple_of=2, description="Of a snapshot against each anchor.")
    chunk: int = Field(default=100, ge=2, multiple_of=2, description="Games of one row.")
    openings: int = Field(ge=0, description="Random plies, the same for both games of a pair.")
    opponent: list[OpponentSettings] = Field(min_length=1, description="Players outside of the runs.")
    duel: list[DuelSettings] = Field(default=[], description="Pairings with more games.")

    def __init__(self, **values: Any) -> None:  # noqa: ANN401
        for name, kind in (("run", RunSettings), ("opponent", OpponentSettings), ("duel", DuelSettings)):
            values[name] = [v if isinstance(v, kind) else kind.from_mapping(v) for v in values.get(name, [])]
        super().__init__(**values)
        runs = self.runs()
        labels = [run.label for run in runs]
        rated = self.rated
        for is_wrong, text in (
            (rated != sorted(set(rated)) or rated[0] < 1, f"rated ascends from 1 on, unlike {rated}"),
            (rated[-1] != self.games, f"a run is rated at its end: the last of {rated} is not {self.games}"),
            (not set(self.anchors) <= set(rated), f"anchors are rated: {self.anchors} is not among {rated}"),
            (
                len({run.folder for run in runs}) < len(runs),
                f"a run has a label of its own, unlike {', '.join(labels)}",
            ),
            (len({(run.settings.size, run.settings.komi) for run in runs}) > 1, "all runs have one board and one komi"),
        ):
            if is_wrong:
                raise SettingsError(text)
        if self.reference not in labels:
            raise SettingsError(f"there is no run {self.reference!r}: {did_you_mean(self.reference, labels)}")
        self.pairings()

    def runs(self) -> list[TrainingRun]:
        """In the order of the tables, the last setting changing first."""
        found: list[TrainingRun] = []
        for table in self.run:
            choices = [[(name, value) for value in values] for name, values in table.vary.items()]
            for chosen in product(*choices):
                label = _label(table.label, dict(chosen))
                changes = {**self.train, **table.changes, **dict(chosen)}
                for seed in table.seeds:
                    name = f"{label} #{seed}" if len(table.seeds) > 1 else label
                    own = Rng(self.seed).split("training", seed).next() % 2**63
                    found.append(TrainingRun(len(found), name, changes, _training_settings(name, changes, own)))
        return found

    def pairings(self) -> list[Pairing]:
        """Each once: the pool of all snapshots, and the duels."""
        found: dict[frozenset[str], Pairing] = {}

        def add(first: str, second: str, games: int, chunk: int) -> None:
            key = frozenset((first, second))
            if len(key) == 2:
                before = found.get(key)
                first, second = (first, second) if before is None else (before.first, before.second)
                seed = Rng(self.seed).split("pairing").split(first).split(second).next() % 2**63
                games = games if before is None else max(games, before.games)
                found[key] = Pairing(first, second, games, chunk if before is None else before.chunk, seed)

        last = snapshot_name(self.reference, self.games)
        for opponent in self.opponent:
            if opponent.against == "reference":
                add(last, opponent.player, opponent.games, opponent.chunk)
        for run in self.runs():
            for games in self.rated:
                name = snapshot_name(run.label, games)
                for anchor in self.anchors:
                    add(name, snapshot_name(self.reference, anchor), self.pairing_games, self.chunk)
                for opponent in self.opponent:
                    if opponent.against == "all":
                        add(name, opponent.player, opponent.games, opponent.chunk)
        for duel in self.duel:
            add(self._player(duel.first), self._player(duel.second), duel.games, self.chunk)
        return list(found.values())

    def _player(self, name: str) -> str:
        """What a duel calls a player, in full."""
        snapshots = {snapshot_name(run.label, games) for run in self.runs() for games in self.rated}
        outside = {opponent.player for opponent in self.opponent}
        for known in (name, snapshot_name(name, self.games)):
            if known in snapshots | outside:
                return known
        labels = [*(run.label for run in self.runs()), *outside]
        raise SettingsError(
            f"a duel names {name!r}, which is no snapshot and no opponent: {did_you_mean(name, labels)}"
        )


def snapshot_name(label: str, games: int) -> str:
    """What rows call it."""
    return f"{label}@{games}"


def _label(template: str, chosen: Mapping[str, Any]) -> str:
    values = {name.rpartition(".")[2]: _shown(value) for name, value in chosen.items()}
    try:
        return template.format_map(values)
    except (KeyError, ValueError) as error:
        raise SettingsError(f"the label {template!r} needs {error}; what varies is {', '.join(values)}") from None


def _shown(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, list):
        return "+".join(_shown(each) for each in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _training_settings(label: str, changes: Mapping[str, Any], seed: int) -> SelfPlaySettings:
    own: dict[str, Any] = {"seed": seed}
    td: dict[str, Any] = {}
    for name, value in changes.items():
        if name.startswith("td."):
            td[name.removeprefix("td.")] = value
        else:
            own[name] = tuple(value) if isinstance(value, list) else value
    if "seed" in changes:
        raise SettingsError(f"run {label!r}: its seed is the experiment's")
    try:
        return SelfPlaySettings(**own, td=TdSettings(**td))
    except SettingsError as error:
        raise SettingsError(f"run {label!r}: {error}") from None


# ---- playing --------------------------------------------------------------------------------------------------------


def play_pairing(work: dict[str, Any]) -> Row:
    """Some games of a pairing: a row. All but `seconds` follows from the settings."""
    first, second = work["players"]
    asked = {**work, "game": "go", "first": first, "second": second, "labels": {}}
    played = play_chunk(asked)
    told = {key: work[key] for key in ("first", "second", "seed", "chunk")}
    counted = ("games", "wins", "draws", "losses", "black", "white", "moves", "seconds")
    return {**told, **{key: played[key] for key in counted}}


def _spec(player: str, folders: Mapping[str, Path]) -> str:
    """What the registry of players understands."""
    if player in folders:
        return format_spec(PlayerSpec("shapes", {"weights": str(folders[player])}))
    return spec_of(player)


# ---- running --------------------------------------------------------------------------------------------------------


def count_rows(settings: Mapping[str, Any]) -> int:
    """How many rows there will be: one for each training run, and the chunks of all pairings."""
    curves = CurvesSettings.from_mapping(settings)
    return len(curves.runs()) + sum(pairing.chunks for pairing in curves.pairings())


def run_curves(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Trains and plays what is missing."""
    curves = CurvesSettings.from_mapping(settings)
    _Run(curves, rows_path, executor, progress).go()


class _Run:
    def __init__(self, curves: CurvesSettings, rows_path: Path, executor: Executor, progress: Progress) -> None:
        self._curves, self._path, self._executor, self._progress = curves, rows_path, executor, progress
        self._runs = curves.runs()
        self._home = rows_path.parent.resolve() / "training"
        self._trained: dict[str, Row] = {}
        self._there: set[tuple[str, str, int]] = set()
        for number, row in enumerate(read_rows(rows_path), 1):
            self._take(row, number)
        self._missing = [
            (pairing, chunk)
            for chunk in range(max(pairing.chunks for pairing in curves.pairings()))
            for pairing in curves.pairings()
            if chunk < pairing.chunks and (pairing.first, pairing.second, chunk) not in self._there
        ]
        self._snapshots = {
            snapshot_name(run.label, games): snapshot_path(self._home / run.folder, games)
            for run in self._runs
            for games in curves.rated
        }

    def _take(self, row: Row, number: int) -> None:
        if row.keys() >= {"run", "diverged"}:
            self._trained[row["run"]] = row
        elif row.keys() >= {"first", "second", "chunk", "games"}:
            self._there.add((row["first"], row["second"], row["chunk"]))
        else:
            raise StoreError(f"{self._path}, line {number} is no row of a learning curve: {str(row)[:200]}")

    @property
    def _done(self) -> int:
        return len(self._trained) + len(self._there)

    def go(self) -> None:
        self._check_opponents()
        self._train()
        self._play()

    def _check_opponents(self) -> None:
        """An engine that is missing is an error now, not after hours of training."""
        one = self._runs[0].settings
        game = make_game("go", **self._options(one))
        met = {player for pairing, _ in self._missing for player in (pairing.first, pairing.second)}
        for player in sorted(met - self._snapshots.keys()):
            check_player(make_player(_spec(player, {})), game)

    @staticmethod
    def _options(settings: SelfPlaySettings) -> dict[str, Any]:
        return {"size": settings.size, "komi": settings.komi, "rules": _RULES}

    def _train(self) -> None:
        """Runs without a row, and those whose weights are needed but are not here (a copy has the rows alone)."""
        needed = {player for pairing, _ in self._missing for player in (pairing.first, pairing.second)}
        works = []
        for run in self._runs:
            row = self._trained.get(run.label)
            lost = row is not None and any(
                snapshot_name(run.label, games) in needed
                and not self._is_gone(snapshot_name(run.label, games))
                and not self._snapshots[snapshot_name(run.label, games)].exists()
                for games in self._curves.rated
            )
            if row is None or lost:
                works.append({
                    "run": run.label,
                    "number": run.number,
                    "reference": run.label == self._curves.reference,
                    "changes": dict(run.changes),
                    "games": self._curves.games,
                    "rated": self._curves.rated,
                    "settings": run.settings.to_json(),
                    "folder": str(self._home / run.folder),
                })  # fmt: skip
        results = self._executor.run(_TRAIN, works)
        with closing(results):  # type: ignore[type-var]
            for _, row in results:
                if row["run"] not in self._trained:
                    append_row(self._path, row)
                    self._trained[row["run"]] = row
                state = "is trained" if row["diverged"] is None else f"has diverged by game {row['diverged']:,}"
                self._progress(self._done, f"{row['run']} {state}")

    def _is_gone(self, player: str) -> bool:
        """Is it a snapshot of a run that had diverged by then?"""
        label, _, games = player.rpartition("@")
        row = self._trained.get(label)
        return row is not None and row["diverged"] is not None and int(games) >= row["diverged"]

    def _play(self) -> None:
        works = []
        for pairing, chunk in self._missing:
            if self._is_gone(pairing.first) or self._is_gone(pairing.second):
                told = {"first": pairing.first, "second": pairing.second, "seed": pairing.seed, "chunk": chunk}
                self._keep({**told, **_NO_GAMES})
                continue
            begin = chunk * pairing.chunk
            works.append({
                "first": pairing.first,
                "second": pairing.second,
                "players": [_spec(player, self._snapshots) for player in (pairing.first, pairing.second)],
                "seed": pairing.seed,
                "options": self._options(self._runs[0].settings),
                "openings": self._curves.openings,
                "chunk": chunk,
                "begin": begin,
                "end": min(begin + pairing.chunk, pairing.games),
            })  # fmt: skip
        results = self._executor.run(_PLAY, works)
        with closing(results):  # type: ignore[type-var]
            for _, row in results:
                self._keep(row)
                points = row["wins"] + row["draws"] / 2
                self._progress(self._done, f"{row['first']} v {row['second']}: {points:g} of {row['games']}")

    def _keep(self, row: Row) -> None:
        append_row(self._path, row)
        self._there.add((row["first"], row["second"], row["chunk"]))
