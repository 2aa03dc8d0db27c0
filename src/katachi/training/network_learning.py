"""Networks that learn games by temporal differences, with search inside (Ekker, 4.3 and 6.1), kept in a folder.

    learn(learner("td-mu", "rprop", opponents=("wally",)), games=20_000, folder=Path("run"))

The folder has `checkpoint.safetensors` (the run goes on from it bit for bit), `snapshots/` (networks after every 500
games), `metrics.jsonl`, `curves.svg` and the lock of the run. Checkpoint and snapshots are networks for players,
`net:weights=FILE`. The native half is cpp/training/network_learning.hpp, what is asked of programs outside is
katachi.training.outside; the manual is docs/td_networks.md.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, model_validator

from katachi import _core
from katachi._core import NetworkValue, Rng
from katachi.core.errors import InvalidArgumentError, SettingsError, StoreError, WeightsError
from katachi.core.settings import Settings
from katachi.games.contract import Game, native_state
from katachi.games.go.game import GoGame
from katachi.games.go.rules import Rules
from katachi.games.registry import make_game
from katachi.learning.episode_rules import EpisodeRuleSettings, RuleName
from katachi.learning.network_trainers import NetworkTrainerSettings, TrainerName, has_lambda, trainer_settings
from katachi.training.metrics import RowsFile
from katachi.training.outside import INSIDE, OnScore, Outside
from katachi.training.run_folder import CHECKPOINT, GamesResult, check_settings, has_checkpoint, open_run_folder
from katachi.values.network import NetworkSettings, make_network
from katachi.values.network_file import KEYS, NetworkFile, NetworkHeader, read_network, save_network

__all__ = [
    "LearningMetrics", "LearningResult", "LearningSchedule", "NetworkLearningSettings", "PlayedTest", "learn",
    "learner", "network_learning", "play_test",
]  # fmt: skip

_MEMORY = "trainer_"
_POPULATION = "population"
_SUMS = tuple(name for name in vars(_core.NetworkLearningTally) if not name.startswith("_"))


class NetworkLearningSettings(Settings):
    """A run: which network learns which game by which rule, against whom; cpp/training/network_learning.hpp."""

    model_config = ConfigDict(populate_by_name=True)

    game: str = Field(default="go", min_length=1, description="By name; any game for two without chance.")
    size: int = Field(default=5, ge=1, le=19, description="Side of the board, in Go (4.1: 5).")
    seed: int = Field(default=1, ge=0, description="Same seed, same games, same weights.")
    network: NetworkSettings = Field(default=NetworkSettings(), description="What learns (5.1, 5.2).")

    rule: RuleName = Field(default="td-mu", description="What errors are (3.1 to 3.2): katachi.learning.episode_rules.")
    lambda_: float = Field(default=0.5, ge=0, le=1, alias="lambda", description="Of the rule (6.1: 0.5; residual: 0).")
    mu_delta_includes_reward: bool = Field(default=False, description="Of mu: are moves judged with what they earn?")
    updates: Literal["all", "learner"] = Field(default="all", description="Which of a rule's states learn.")
    trainer: NetworkTrainerSettings = Field(
        default=trainer_settings("rprop"), description="How weights follow errors (3.3)."
    )

    depth: int = Field(default=2, ge=1, le=20, description="Plies of the searches, 2 in training (4.3).")
    epsilon: float = Field(default=0.1, ge=0, le=1, description="How often the learner's move is random (4.3).")
    explored_leaf: Literal["best", "played"] = Field(
        default="best",
        description="Of leaves, where a move is random: that of the best move learns, or that of the move that is "
        "played; states before learn from the best one anyhow (not said; played: ours, for tables).",
    )
    search_adds_path_rewards: bool = Field(
        default=True,
        description="What a line earns counts for its leaf, where values are stones (not said; without it captures are "
        "not seen).",
    )
    ends: Literal["network", "referee"] = Field(
        default="network", description="Who values final positions inside searches of Go (not said)."
    )
    opening_plies: int = Field(default=2, ge=0, le=1000, description="Random plies at the start (5.3: 2).")
    opening_varies: bool = Field(default=False, description="Any number of them up to opening_plies (ours).")
    colour: Literal["alternate", "black", "white"] = Field(
        default="alternate", description="Of the learner, game by game (not said)."
    )

    opponents: tuple[str, ...] = Field(
        default=("wally",),
        min_length=1,
        description="Any of them, game by game: random, wally (4.1), self (4.1), population (its own past; 7.4), gnugo "
        "(at its lowest level), or a player's spec.",
    )
    random_start: float = Field(default=0.5, ge=0, le=1, description="How often an opponent's moves are random (4.3) …")
    random_hold: float = Field(default=0.1, ge=0, le=1, description="… for this share of the schedule …")
    random_end: float = Field(default=0.5, ge=0, le=1, description="… then less and less until never, from here on.")
    schedule_games: int = Field(default=20_000, ge=1, description="Games of the schedule (6.2: 20,000).")
    population_size: int = Field(default=10, ge=1, le=1000, description="Networks of the past that are kept (ours).")
    population_games: int = Field(default=500, ge=1, description="Games until the next one joins them (ours).")

    ko: Literal["simple", "positional", "situational"] = Field(default="positional", description="Of Go (not said).")
    komi: float = Field(default=0.0, ge=-1000, le=1000, description="Points for White (not said).")
    eye_rule: Literal["simple", "surrounded", "strict", "none"] = Field(
        default="simple", description="What searches do not fill (4.3: single-point eyes)."
    )
    longest_game: int = Field(default=150, ge=1, le=1_000_000, description="Plies; then the board is scored as it is.")
    reward: Literal["margin", "win"] = Field(default="margin", description="Points, or 1 and 0 (4.2).")
    capture_rewards: bool = Field(default=True, description="Stones that are taken count at once (4.3).")
    referee: str = Field(
        default="ownership",
        min_length=1,
        description="Who scores final positions: playouts, gnugo (4.2), or gtp:COMMAND of an engine with final_score.",
    )
    referee_playouts: int = Field(default=200, ge=1, le=100_000, description="Of ownership (ours).")
    dead_share: float = Field(
        default=0.6, gt=0.5, le=1, description="Of ownership: dead is what the other side holds so often (ours)."
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        is_go, is_stones = self.game == "go", self.network.unit == "stones"
        for is_wrong, text in (
            (not is_go and is_stones, f"stones are for Go: {self.game} needs network.unit=output"),
            (not is_stones and self.capture_rewards, "capture_rewards are stones: they need network.unit=stones"),
            (self.reward == "win" and is_stones, "reward=win is 1 or 0: it needs network.unit=output"),
            (not is_stones and self.ends == "referee", "ends=referee is for network.unit=stones"),
            (
                self.ends == "referee" and self.referee != "ownership",
                f"ends=referee asks ownership inside searches: it cannot be with referee={self.referee}",
            ),
            (not is_go and "wally" in self.opponents, f"wally plays Go, not {self.game}"),
            (not is_go and self.referee != "ownership", f"referees are for Go, not for {self.game}"),
            (
                self.random_hold > self.random_end,
                f"random_hold={self.random_hold:g} is later than random_end={self.random_end:g}",
            ),
        ):
            if is_wrong:
                raise ValueError(text)
        _ = self.rule_settings
        return self

    @property
    def rule_settings(self) -> EpisodeRuleSettings:
        """The rule, in the unit of the network."""
        return EpisodeRuleSettings(
            rule=self.rule,
            lambda_=self.lambda_,
            squash="logistic" if self.network.unit == "stones" else "none",
            score_scale=self.network.score_scale,
            mu_delta_includes_reward=self.mu_delta_includes_reward,
            updates=self.updates,
        )

    def make_game(self) -> Game[Any]:
        """The game as players have it."""
        if self.game != "go":
            return make_game(self.game)
        return GoGame(self.size, Rules.named("cgos").replace(ko=self.ko, komi=self.komi), eye_rule=self.eye_rule)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """From what `to_json` gave."""
        return cls.from_mapping(
            {
                **values,
                "opponents": tuple(values["opponents"]),
                "network": NetworkSettings.from_json(values["network"]),
                "trainer": NetworkTrainerSettings.from_json(values["trainer"]),
            }
        )

    def to_json(self) -> dict[str, Any]:
        """As it stands in the header of a file."""
        values: dict[str, Any] = json.loads(self.model_dump_json())
        return values

    def to_native(self, *, learns: bool = True) -> _core.NetworkLearningOptions:
        """What native code takes."""
        options = _core.NetworkLearningOptions()
        options.rule, options.trainer, options.learns = self.rule_settings.to_native(), self.trainer.to_native(), learns
        apart = {"game", "size", "seed", "network", "rule", "lambda_", "mu_delta_includes_reward", "updates", "trainer"}
        for name in type(self).model_fields.keys() - apart - {"opponents", "referee"}:
            setattr(options, name, getattr(self, name))
        options.opponents = [name if name in INSIDE else "external" for name in self.opponents]
        options.referee = "ownership" if self.referee == "ownership" else "external"
        return options


def learner(
    rule: RuleName = "td-mu",
    trainer: TrainerName = "rprop",
    *,
    lambda_: float | None = None,
    training: dict[str, Any] | None = None,
    **settings: Any,  # noqa: ANN401
) -> NetworkLearningSettings:
    """A rule and a trainer of the source by their names; `training` are changes of the trainer's settings.

    Errors of residual and residual-gradient, and of td-0, have lambda = 0.
    """
    is_without = not has_lambda(trainer) or rule == "td-0"
    if lambda_ and is_without:
        raise InvalidArgumentError(
            f"{rule} with {trainer} has lambda=0, not {lambda_:g}"
            + (": with more it is residual-lambda" if trainer == "residual" else "")
        )
    chosen = lambda_ if lambda_ is not None else 0.0 if is_without else 0.5
    return NetworkLearningSettings(
        rule=rule, lambda_=chosen, trainer=trainer_settings(trainer, **(training or {})), **settings
    )


def network_learning(
    settings: NetworkLearningSettings,
    *,
    starts: Sequence[Any] = (),
    value: NetworkValue | None = None,
    learns: bool = True,
) -> _core.NetworkLearning:
    """The native loop before its first game.

    Games begin in any of the `starts`, by default in the first state of the game; in Go always on the empty board.
    """
    game, rng = settings.make_game(), Rng(settings.seed)
    states = [native_state(game, state) for state in starts or (game.initial_state(),)]
    network = make_network(settings.network, game, rng.split("weights")) if value is None else value
    return _core.network_learning(states, network, settings.to_native(learns=learns), rng.split("learning"))


class LearningSchedule(Settings):
    """When a run writes what. None of it changes the weights."""

    checkpoint_games: int = Field(default=500, ge=1, description="A checkpoint at every so many games.")
    checkpoint_seconds: float = Field(default=30.0, ge=0, description="Also one after so many seconds, with a row.")
    snapshot_games: int = Field(default=500, ge=0, description="Keep the network at every so many; 0: never (6.2.1).")
    metrics_games: int = Field(default=1000, ge=1, description="A row of metrics at every so many games (6.2: 1000).")
    tensorboard: bool = Field(default=False, description="Write the metrics for TensorBoard, too.")
    curves: bool = Field(default=True, description="Draw curves.svg at the end, or when it is interrupted.")


@dataclass(frozen=True)
class LearningMetrics:
    """Means over the games since the row before."""

    games: int
    wins: float  # share of the learner
    score: float  # the learner's mean
    positive_score: float  # the same, lost games counting 0: what Table 1 probably shows
    random_share: float  # of the opponent's moves in the last game
    moves_per_game: float
    cut_games: int
    rms_error: float
    nodes_per_game: float
    games_per_cpu_second: float

    @classmethod
    def from_tally(cls, games: int, tally: _core.NetworkLearningTally, random_share: float, cpu_seconds: float) -> Self:
        """`games` have been played in all, those of the tally in so many CPU seconds."""
        count = max(1, tally.games)
        return cls(
            games=games,
            wins=tally.wins / count,
            score=tally.scores / count,
            positive_score=tally.positive_scores / count,
            random_share=random_share,
            moves_per_game=tally.moves / count,
            cut_games=tally.cut,
            rms_error=(tally.squared_errors / max(1, tally.states)) ** 0.5,
            nodes_per_game=tally.nodes / count,
            games_per_cpu_second=round(tally.games / max(cpu_seconds, 1e-9), 1),
        )


class LearningResult(GamesResult[LearningMetrics]):
    """What a run has come to."""


def learn(
    settings: NetworkLearningSettings,
    *,
    games: int,
    folder: Path,
    schedule: LearningSchedule | None = None,
    on_games: Callable[[int, LearningMetrics | None], object] = lambda _games, _metrics: None,
) -> LearningResult:
    """Plays until there have been so many games in this folder, in this call and in those before.

    A run that is interrupted writes a checkpoint; one that is killed goes on from the last one, and loses nothing but
    time: weights and rows of metrics are those of a run that was never stopped.
    """
    with open_run_folder(folder), ExitStack() as stack:
        run = _Run(settings, folder, schedule or LearningSchedule())
        stack.callback(run.rows.close)
        stack.callback(run.outside.close)
        return run.go(games, on_games)


class _Run:
    def __init__(self, settings: NetworkLearningSettings, folder: Path, schedule: LearningSchedule) -> None:
        self._settings, self._folder, self._schedule = settings, folder, schedule
        self._path = folder / CHECKPOINT
        self._play = network_learning(settings)
        self.outside = Outside(settings.make_game(), settings.opponents, settings.referee, Rng(settings.seed))
        self._cpu = time.process_time()  # when the row of metrics began that comes next
        # A run that ended before its first game, as by an engine that did not start, has nothing to go on from.
        if has_checkpoint(folder) and (file := read_network(self._path)).header.games > 0:
            self._take_up(file)
        self.rows = RowsFile(folder, self._play.games, count="games", tensorboard=schedule.tensorboard)
        self._save()

    def _take_up(self, file: NetworkFile) -> None:
        defaults = NetworkLearningSettings().to_json()
        check_settings(self._folder, file.header.configuration, self._settings.to_json(), defaults)
        if "games_in_batch" not in file.header.state:
            raise StoreError(f"{self._path}: this is a snapshot, which no run can go on from")
        play, arrays = self._play, file.arrays
        try:
            play.keys = arrays.get(KEYS, np.zeros(0, dtype=np.uint64))
            play.weights = file.weights
            play.trainer_memories = [arrays[f"{_MEMORY}{i}"] for i in range(len(play.trainer_memories))]
            play.games_in_batch = file.header.state["games_in_batch"]
            play.population = list(arrays.get(_POPULATION, ()))
            # Older files have no sums: their next row is of the games since.
            play.tally = _tally_of(file.header.state.get("tally", {}))
            self._cpu -= float(file.header.state.get("cpu_seconds", 0.0))
        except (InvalidArgumentError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise StoreError(f"{self._path}: {error}") from error
        play.games = file.header.games

    def go(self, games: int, on_games: Callable[[int, LearningMetrics | None], object]) -> LearningResult:
        play, first, cpu = self._play, self._play.games, time.process_time()
        last: LearningMetrics | None = None

        def progress(_share: float) -> None:
            if play.games < games:
                on_games(play.games, last)

        try:
            if play.tally.games > 0 and first % self._schedule.metrics_games == 0:
                last = self._at(first, games)  # it was interrupted just there
            for stop in self._stops(first, games):
                self.outside.run(play, stop, progress)
                last = self._at(stop, games)
        except (KeyboardInterrupt, SystemExit):
            play.abandon()
            self._save()
            self._draw(first)
            raise
        on_games(play.games, last)
        self._draw(first)
        seconds = time.process_time() - cpu
        return LearningResult(self._folder, play.games, len(play.weights), play.games - first, seconds, last)

    def _stops(self, first: int, games: int) -> Iterator[int]:
        """Where something is to be written: rows of metrics, checkpoints, snapshots, the end."""
        every = [self._schedule.metrics_games, self._schedule.checkpoint_games, self._schedule.snapshot_games]
        now = first
        while now < games:
            now = min([(now // count + 1) * count for count in every if count] + [games])
            yield now

    def _at(self, stop: int, games: int) -> LearningMetrics | None:
        row = self._row() if stop % self._schedule.metrics_games == 0 or stop == games else None
        if self._schedule.snapshot_games and stop % self._schedule.snapshot_games == 0:
            self._write(self._folder / "snapshots" / f"games_{stop:010}.safetensors", {}, {})
        is_time = row is not None and time.monotonic() - self._saved >= self._schedule.checkpoint_seconds
        if is_time or stop == games or stop % self._schedule.checkpoint_games == 0:
            self._save()
        return row

    def _row(self) -> LearningMetrics | None:
        tally, now = self._play.tally, time.process_time()
        if tally.games == 0:
            return None
        share = _core.random_share(self._settings.to_native(), self._play.games - 1)
        row = LearningMetrics.from_tally(self._play.games, tally, share, now - self._cpu)
        self._cpu = now
        self.rows.write(asdict(row))
        self._play.take_tally()
        return row

    def _save(self) -> None:
        play = self._play
        arrays: dict[str, NDArray[Any]] = {f"{_MEMORY}{i}": row for i, row in enumerate(play.trainer_memories)}
        if play.population:
            arrays[_POPULATION] = np.array(play.population)
        state = {
            "games_in_batch": play.games_in_batch,
            "tally": {name: getattr(play.tally, name) for name in _SUMS},
            "cpu_seconds": time.process_time() - self._cpu,
        }
        self._write(self._path, state, arrays)
        self._saved = time.monotonic()

    def _write(self, path: Path, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        settings, play = self._settings, self._play
        header = NetworkHeader.of(
            settings.make_game(),
            settings.network,
            games=play.games,
            seed=settings.seed,
            configuration=settings.to_json(),
            state=state,
        )
        if settings.network.inputs == "table":
            arrays = {**arrays, KEYS: play.keys}
        save_network(path, header, play.weights, arrays)

    def _draw(self, first: int) -> None:
        if not self._schedule.curves or self._play.games == first or not (rows := self.rows.rows()):
            return
        from katachi.training.learning_curves import draw_curves

        draw_curves(rows, self._folder / "curves.svg")


def _tally_of(sums: Mapping[str, Any]) -> _core.NetworkLearningTally:
    tally = _core.NetworkLearningTally()
    for name, value in sums.items():
        setattr(tally, name, value)
    return tally


@dataclass(frozen=True)
class PlayedTest:
    """Games of a network that does not learn from them."""

    games: int
    wins: int
    mean_score: float
    mean_positive_score: float
    cut_games: int

    @property
    def share(self) -> float:
        """Of games that were won."""
        return self.wins / max(1, self.games)


def play_test(
    path: Path | str,
    *,
    opponent: str,
    games: int,
    depth: int = 2,
    seed: int = 1,
    referee: str | None = None,
    opening_plies: int = 2,
    epsilon: float = 0.0,
    on_score: OnScore | None = None,
    progress: Callable[[float], object] | None = None,
) -> PlayedTest:
    """Games as those of the network's run, but without exploration and without random moves of the opponent (6.2.1).

    `on_score` is told the final positions, and what a referee says of them who is not `ownership`.
    """
    file = read_network(path)
    try:
        trained = NetworkLearningSettings.from_json(file.header.configuration)
    except (KeyError, TypeError, SettingsError) as error:
        raise WeightsError(f"{path}: its configuration cannot be read: {error}") from None
    settings = trained.replace(
        opponents=(opponent,), depth=depth, seed=seed, epsilon=epsilon, random_start=0.0, opening_plies=opening_plies,
        opening_varies=False, referee=trained.referee if referee is None else referee,
    )  # fmt: skip
    game = settings.make_game()
    play = network_learning(settings, value=file.value(game), learns=False)
    outside = Outside(game, settings.opponents, settings.referee, Rng(seed), on_score)
    try:
        outside.run(play, games, progress)
    finally:
        outside.close()
    tally = play.take_tally()
    count = max(1, tally.games)
    return PlayedTest(tally.games, tally.wins, tally.scores / count, tally.positive_scores / count, tally.cut)
