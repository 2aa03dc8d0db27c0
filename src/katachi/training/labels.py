"""Labels: positions of random games, valued by deep searches (Silver and Tesauro 2009, section 6), as a data set.

    label(LabelSettings(width=5, height=5, games=1000), path=Path("labels.parquet"), executor=LocalWorkers(2))

Everything that is labelled follows from the settings: each random game and each search has a generator of its own, a
named split of the seed, so that no label depends on which worker made it, or when. A piece of work is one search of a
position, or the searches behind one first move of a tree. What is done stands in `FILE.part`, as JSON lines; a run that
was killed goes on there, and the data set is written when nothing is missing.

What data sets look like is katachi.training.data_set; what they say, and whether it is true, .label_report.
"""

import fcntl
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.core.errors import IllegalMoveError, InvalidArgumentError, StoreError
from katachi.core.json_lines import append_row, read_rows
from katachi.core.settings import Settings, differences
from katachi.games.go.game import GoGame, outcome
from katachi.games.go.position import Position
from katachi.players.basic import PolicyPlayer
from katachi.players.gtp_player import GtpPlayer
from katachi.players.player import (
    Decision,
    GamePlayer,
    check_player,
    close_player,
    fingerprint,
    lasting_name,
    tell_new_game,
)
from katachi.players.registry import change_settings, make_player
from katachi.players.thinking import ENDLESS, ThinkingPlayer, simulated_value
from katachi.training.data_set import DataSet, LabelledPosition, LabelledTree, replay, require_libraries

__all__ = ["LabelProgress", "LabelSettings", "OtherLabelsError", "check_expert", "label", "label_here", "random_game"]

Json: TypeAlias = dict[str, Any]

_WORK = "katachi.training.labels:work"
_LONGEST = 8  # times the area: random games of more moves are broken off (200 on 5x5)


class OtherLabelsError(InvalidArgumentError):
    """A file, or part of one, whose labels were made with other settings."""


class LabelSettings(Settings):
    """All that labels depend on."""

    width: int = Field(default=5, ge=1, le=19, description="Columns (section 6: 5 and 6).")
    height: int = Field(default=5, ge=1, le=19, description="Rows.")
    komi: float = Field(default=7.5, ge=-1000, le=1000, description="Points for White (Silver 2009, 5.6: 7.5 on 9x9).")
    rules: str = Field(default="cgos", description="A rule set by name.")
    games: int = Field(default=1000, ge=1, description="Uniformly random games (section 6).")
    per_game: int | Literal["all"] = Field(
        default=1,
        description="Positions of each, drawn uniformly from those where it is not over; or all (not said there).",
    )
    player: str = Field(
        default="tournament:sims=10000",
        description="The expert: a player that searches, policy:name=...,sims=N, or gtp:COMMAND "
        "(section 6: Fuego with 10,000 simulations).",
    )
    searches: int = Field(
        default=1,
        ge=1,
        description="Independent searches of each position: its value is the mean of theirs (section 6: one).",
    )
    trees: int = Field(
        default=0,
        ge=0,
        description="Of so many games, the first ones, a position has a tree (section 5.2).",
    )
    leaf_sims: int = Field(default=2000, ge=1, description="Simulations of the expert for each leaf (section 6).")
    leaf_player: str | None = Field(default=None, description="Another expert for the leaves, whatever leaf_sims says.")
    seed: int = Field(default=1, ge=0, lt=2**63, description="Same seed, same positions, same labels.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.per_game != "all" and self.per_game < 1:
            raise ValueError(f"positions of a game are all, or at least 1, not {self.per_game}")
        if self.trees > self.games:
            raise ValueError(f"one tree for each game at most: {self.trees} trees, {self.games} games")
        return self

    @property
    def game(self) -> GoGame:
        """Go on this board under these rules."""
        return GoGame((self.width, self.height), self.rules, self.komi)

    @property
    def leaf_expert(self) -> str:
        """The spec of the player that values leaves."""
        if self.leaf_player is not None:
            return self.leaf_player
        player = make_player(self.player)
        if "sims" not in type(player.settings).model_fields:
            raise InvalidArgumentError(
                f"{player.name} cannot be told a number of simulations for leaves: give leaf_player (--leaf-player)"
            )
        others: Json = {name: None for name in ("steps", "seconds") if name in type(player.settings).model_fields}
        return lasting_name(change_settings(player, {**others, "sims": self.leaf_sims}))

    def to_header(self) -> Json:
        """What a file keeps: the settings, with players by names that last and what else these depend on."""
        told: Json = self.model_dump(mode="json")
        if self.searches == 1:  # files from before there were several
            del told["searches"]
        player = make_player(self.player)
        told |= {"player": lasting_name(player), "player_fingerprint": fingerprint(player, self.game)}
        if self.trees:
            leaf_player = make_player(self.leaf_expert)
            told |= {
                "leaf_player": lasting_name(leaf_player),
                "leaf_player_fingerprint": fingerprint(leaf_player, self.game),
            }
        return told


# -- the expert


def check_expert(player: GamePlayer, game: GoGame) -> None:
    """Refuses a player that cannot tell what a position is worth. An external engine is started and asked."""
    check_player(player, game)
    if isinstance(player, GtpPlayer | PolicyPlayer):
        player.check_values()
    elif not isinstance(player, ThinkingPlayer):
        raise InvalidArgumentError(
            f"{player.name} does not tell what a position is worth: labels need a search, or playouts (policy)"
        )


def judge(player: GamePlayer, game: GoGame, state: Position, rng: Rng) -> Decision:
    """What an expert would play, and Black's value of the position itself: the mean of all simulations, where known."""
    tell_new_game(player)
    if isinstance(player, GtpPlayer | PolicyPlayer):
        return player.evaluate(game, state, rng)
    assert isinstance(player, ThinkingPlayer)  # check_expert
    thinking = player.think(game, state, rng)
    thinking.run(player.limit or ENDLESS)
    decision, candidates = thinking.decision(), thinking.candidates()
    value = simulated_value(candidates)
    if value is None:
        raise InvalidArgumentError(f"{player.name} has no opinion of\n{state}")
    action = candidates[0].action if decision.action is None else decision.action
    return Decision(action, min(1.0, max(0.0, value)), decision.simulations)


# -- positions


def random_game(game: GoGame, rng: Rng) -> list[int]:
    """The moves of a uniformly random game: every candidate that the rules allow is equally likely.

    Playouts know no superko; where one breaks it, another one goes on from there with what is allowed.
    """
    position, longest = game.initial_state(), _LONGEST * game.width * game.height
    while not position.is_over and len(position.moves) < longest:
        position = _played(position, position.playout_moves(rng, game.eye_rule)[: longest - len(position.moves)])
    return [int(move) for move in position.moves]


def _played(position: Position, moves: Sequence[int]) -> Position:
    """As many of the moves as are legal."""
    players = (position.to_play, position.to_play.opponent)
    try:
        return position.play_all((players[i % 2], move) for i, move in enumerate(moves))
    except IllegalMoveError:
        for move in moves:
            if not position.is_legal(move):
                break
            position = position.play(move)
        return position


@dataclass(frozen=True)
class _Planned:
    """A position to be labelled."""

    game: int
    moves: tuple[int, ...]
    first: tuple[int, ...] = ()  # the first moves of its tree, if it has one
    leaves: int = 0


def _plan(settings: LabelSettings) -> list[_Planned]:
    game, planned = settings.game, list[_Planned]()
    for number in range(settings.games):
        rng = _rng(settings.seed, number)
        moves = random_game(game, rng.split("moves"))
        plies = _chosen(len(moves), settings.per_game, rng.split("plies"))
        tree = rng.split("tree").choice(plies) if number < settings.trees else None
        for ply in plies:
            position = _Planned(number, tuple(moves[:ply]))
            planned.append(_with_tree(position, game) if ply == tree else position)
    return planned


def _chosen(count: int, wanted: int | Literal["all"], rng: Rng) -> list[int]:
    plies = list(range(count))
    if wanted == "all" or wanted >= count:
        return plies
    for i in range(wanted):
        j = i + rng.below(count - i)
        plies[i], plies[j] = plies[j], plies[i]
    return sorted(plies[:wanted])


def _with_tree(planned: _Planned, game: GoGame) -> _Planned:
    state = replay(game, planned.moves)
    first = tuple(int(move) for move in game.candidates(state))
    leaves = sum(len(game.candidates(state.play(move))) for move in first)
    return _Planned(planned.game, planned.moves, first, leaves)


def _rng(seed: int, number: int) -> Rng:
    return Rng(seed).split("label", number)


# -- work


@lru_cache(maxsize=4)
def _expert(spec: str) -> GamePlayer:
    """A worker keeps its players: an external engine goes on running."""
    return make_player(spec)


@lru_cache(maxsize=4)
def _board(width: int, height: int, rules: str, komi: float) -> GoGame:
    return GoGame((width, height), rules, komi)


def work(asked: Json) -> Json:
    """One piece of work: the value of a position, or, with `first`, those of the leaves behind a move."""
    game, player = _board(*asked["board"]), _expert(asked["player"])
    state = replay(game, asked["moves"])
    rng = _rng(asked["seed"], asked["game"]).split("ply", len(asked["moves"]))
    key = {"game": asked["game"], "ply": len(asked["moves"])}
    if "first" not in asked:
        return {**key, **_mean(player, game, state, rng, asked["searches"])}
    after = state.play(asked["first"])
    rng = rng.split("first", asked["first"])
    second = [int(move) for move in game.candidates(after)]
    values, simulations = list[float | None](), 0
    for move in second:
        leaf = after.play(move)
        if leaf.is_over:
            values.append(outcome(leaf))
            continue
        found = judge(player, game, leaf, rng.split("second", move))
        values.append(found.value)
        simulations += found.simulations
    if after.is_over:
        values.append(outcome(after))
    return {**key, "first": asked["first"], "second": second, "values": values, "simulations": simulations}


def _mean(player: GamePlayer, game: GoGame, state: Position, rng: Rng, searches: int) -> Json:
    """The mean value of several searches, and the move that most of them would play; of equals the first."""
    found = [judge(player, game, state, rng.split("search", i) if i else rng.split("search")) for i in range(searches)]
    moves = [int(one.action) for one in found if one.action is not None]
    values = [one.value for one in found if one.value is not None]
    assert len(moves) == len(values) == searches  # judge
    return {
        "value": fmean(values),
        "best": max(moves, key=moves.count),
        "simulations": sum(one.simulations for one in found),
    }


@dataclass(frozen=True)
class LabelProgress:
    """How far a run is, in simulations where the experts count them, otherwise in searches."""

    done: int
    total: int
    unit: Literal["simulations", "searches"]
    values: int  # positions so far
    below: int  # of them, those that Black is more likely to lose
    simulations: int  # by this call


OnProgress: TypeAlias = Callable[[LabelProgress], object]


class _Run:
    """The work of some settings, and what has been done of it."""

    def __init__(self, settings: LabelSettings) -> None:
        self.settings = settings
        specs = (settings.player, settings.leaf_expert if settings.trees else settings.player)
        self._specs = tuple(lasting_name(make_player(spec)) for spec in specs)
        for spec in dict.fromkeys(self._specs):
            player = make_player(spec)
            try:
                check_expert(player, settings.game)
            finally:
                close_player(player)
        self.planned = _plan(settings)
        self.values: dict[tuple[int, int], Json] = {}
        self.leaves: dict[tuple[int, int, int], Json] = {}
        self._below = 0

    def take(self, row: Json) -> None:
        """A row of the part file, or of a worker."""
        if "first" in row:
            self.leaves[row["game"], row["ply"], row["first"]] = row
        else:
            self.values[row["game"], row["ply"]] = row
            self._below += row["value"] < 0.5

    def go(self, executor: Executor, keep: Callable[[Json], object], on_progress: OnProgress) -> None:
        """Does what is missing."""
        missing = list(self._missing())
        if not missing:
            return
        made, results = 0, executor.run(_WORK, (asked for asked, _ in missing))
        costs = self._costs()
        total = self._total(costs)
        done = total - sum(searches * costs["first" in asked] for asked, searches in missing)
        try:
            with closing(results):  # type: ignore[type-var]
                for number, row in results:
                    keep(row)
                    self.take(row)
                    asked, searches = missing[number]
                    done += searches * costs["first" in asked]
                    made += row["simulations"]
                    on_progress(self._progress(done, total, made, costs))
        finally:  # those of this process, if the work was done here
            for spec in self._specs:
                close_player(_expert(spec))
            _expert.cache_clear()

    def _missing(self) -> Iterator[tuple[Json, int]]:
        """What is to be asked for, with its number of searches: all values first, then the trees."""
        settings = self.settings
        board = [settings.width, settings.height, settings.rules, settings.komi]
        common: Json = {"board": board, "seed": settings.seed}
        for planned in self.planned:
            if (planned.game, len(planned.moves)) not in self.values:
                asked = {"player": self._specs[0], "game": planned.game, "moves": list(planned.moves)}
                yield {**common, **asked, "searches": settings.searches}, settings.searches
        for planned in self.planned:
            for first in planned.first:
                if (planned.game, len(planned.moves), first) not in self.leaves:
                    asked = {"player": self._specs[1], "game": planned.game, "moves": list(planned.moves)}
                    yield {**common, **asked, "first": first}, max(1, planned.leaves // len(planned.first))

    def _costs(self) -> tuple[int, int]:
        """Of a search of a position and of a leaf."""
        limits = [getattr(make_player(spec), "limit", None) for spec in self._specs]
        counts = [None if limit is None else limit.simulations for limit in limits]
        value, leaf = counts
        return (1, 1) if value is None or leaf is None else (value, leaf)

    def _total(self, costs: tuple[int, int]) -> int:
        leaves = sum(len(each.first) * max(1, each.leaves // len(each.first)) for each in self.planned if each.first)
        return len(self.planned) * self.settings.searches * costs[0] + leaves * costs[1]

    def _progress(self, done: int, total: int, made: int, costs: tuple[int, int]) -> LabelProgress:
        unit: Literal["simulations", "searches"] = "searches" if costs == (1, 1) else "simulations"
        return LabelProgress(done, total, unit, len(self.values), self._below, made)

    def data_set(self, header: Json) -> DataSet:
        """When nothing is missing."""
        settings = self.settings
        positions = [self._labelled(planned) for planned in self.planned]
        return DataSet(settings.width, settings.height, settings.komi, settings.rules, positions, header)

    def _labelled(self, planned: _Planned) -> LabelledPosition:
        place = (planned.game, len(planned.moves))
        row, tree = self.values[place], None
        if planned.first:
            rows = [self.leaves[*place, first] for first in planned.first]
            second, values = ([tuple(each[name]) for each in rows] for name in ("second", "values"))
            tree = LabelledTree(planned.first, tuple(second), tuple(values))
        return LabelledPosition(planned.moves, row["value"], row["best"], row["simulations"], planned.game, tree)


def label_here(settings: LabelSettings, executor: Executor, on_progress: OnProgress = lambda _: None) -> DataSet:
    """Labels without a file."""
    run = _Run(settings)
    run.go(executor, lambda _: None, on_progress)
    return run.data_set(settings.to_header())


def label(
    settings: LabelSettings, *, path: Path, executor: Executor, on_progress: OnProgress = lambda _: None
) -> DataSet:
    """Labels into a file, or what is missing of them. A file, or part of one, with other settings is refused."""
    require_libraries()  # rather than when everything is labelled
    header = settings.to_header()
    if os.path.lexists(path):
        return _finished(path, header)
    run = _Run(settings)
    with _part_file(_part_path(path), header) as (rows, keep):
        if os.path.lexists(path):  # another run has come to its end while this one was planning
            _part_path(path).unlink(missing_ok=True)
            return _finished(path, header)
        for row in rows:
            run.take(row)
        run.go(executor, keep, on_progress)
        data = run.data_set(header)
        data.save(path)
        _part_path(path).unlink(missing_ok=True)
    return data


def _finished(path: Path, header: Json) -> DataSet:
    data = DataSet.load(path)
    _refuse_others(path, data.settings, header)
    _part_path(path).unlink(missing_ok=True)
    return data


def _part_path(path: Path) -> Path:
    return path.with_name(path.name + ".part")


def _refuse_others(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    changed = differences(before, now)
    if changed:
        raise OtherLabelsError(f"{path} holds labels with other settings: choose another file\n" + "\n".join(changed))


@contextmanager
def _part_file(path: Path, header: Json) -> Iterator[tuple[list[Json], Callable[[Json], None]]]:
    """(the rows that are there, what appends one). Only one process at a time has it."""
    try:
        lock = open(path, "ab")  # noqa: SIM115  (it is closed below)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_same = os.path.samestat(os.fstat(lock.fileno()), os.stat(path))
        except (BlockingIOError, FileNotFoundError):
            is_same = False
        if not is_same:  # another run holds it, or has just finished
            raise StoreError(f"{path} is in use by another run")
        rows = read_rows(path)
        if rows:
            _refuse_others(path, _settings_of(rows[0], path), header)
        else:
            append_row(path, {"settings": header})
        for number, row in enumerate(rows[1:], 2):
            if not _is_label(row):
                raise StoreError(f"{path}, line {number} is no label: {str(row)[:200]}")
        yield rows[1:], lambda row: append_row(path, row)


_NUMBERS = {"game": int, "ply": int, "best": int, "first": int, "simulations": int, "value": int | float}
_LISTS = {"second": int, "values": int | float}


def _is_label(row: Json) -> bool:
    """A row of a position or of the leaves behind a move, with what such rows hold."""
    wanted = {"value", "best"} if "first" not in row else {"first", "second", "values"}
    return (
        row.keys() >= {"game", "ply", "simulations"} | wanted
        and all(isinstance(row[name], kind) for name, kind in _NUMBERS.items() if name in row)
        and all(
            isinstance(row[name], list) and all(isinstance(one, kind) for one in row[name])
            for name, kind in _LISTS.items()
            if name in row
        )
    )


def _settings_of(row: Json, path: Path) -> Mapping[str, Any]:
    settings = row.get("settings")
    if not isinstance(settings, dict):
        raise StoreError(f"{path} does not begin with the settings of labels: {str(row)[:200]}")
    return settings
