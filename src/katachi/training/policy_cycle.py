"""The iterated cycle (Silver and Tesauro 2009, section 7): a policy is learnt from labels, and makes the next ones.

    labels = LabelSettings(width=6, height=6, games=400, trees=400, leaf_player="policy:name={policy},sims=15")
    learning = PolicyLearningSettings(learner="two-step", size=6, alpha=1.0)
    settings = PolicyCycleSettings(labels=labels, learning=learning, steps=800, alpha_factor=0.95)
    learn_in_cycle(settings, rounds=50, folder=Path("cycle6"), executor=LocalWorkers(2))

A round labels positions of new random games and goes on learning from them. Where a player of the labels has {policy},
the policy learnt so far stands: as an expert by itself, or as the playout policy of a search.

The folder is like that of a single run (.policy_learning): `checkpoint.safetensors` is the policy now, `snapshots/` and
`metrics.jsonl` have the end of each round by steps of all rounds. `cycle.json` has the settings, `rounds/0001/` the
labels and the run of a round. What was stopped or killed goes on in the middle of a round, and comes to the same, as
long as the folder stays where it is: labels name the file of the policy that made them.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import Field, model_validator

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.core.errors import InvalidArgumentError, ParseError, StoreError
from katachi.core.files import write_whole
from katachi.core.json_lines import read_rows
from katachi.core.settings import Settings
from katachi.players.spec import parse_spec
from katachi.policies.playout_policies import PlayoutPolicy
from katachi.policies.policy_weights import load_policy_weights, save_policy_weights
from katachi.training.data_set import DataSet
from katachi.training.labels import LabelSettings, OtherLabelsError, label
from katachi.training.policy_learning import (
    PolicyLearningSettings,
    PolicyMetrics,
    PolicySchedule,
    check_board,
    learn_policy,
    snapshot_path,
)
from katachi.training.run_folder import CHECKPOINT, check_settings, has_checkpoint, open_run_folder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ALPHAS", "POLICY_SO_FAR", "PolicyCycleResult", "PolicyCycleSettings", "learn_in_cycle"]

POLICY_SO_FAR = "{policy}"
"""In the spec of a player: the policy that has been learnt in the rounds before."""

# Step sizes of the first round to start from (ours): those of our balanced policies, and that of `katachi balance`.
ALPHAS = {"regression": 0.03, "balancing": 1.0, "two-step": 1.0}
_SETTINGS = "cycle.json"
_ROUND = "round"


class PolicyCycleSettings(Settings):
    """All that the policies of all rounds depend on, but for where the first one starts."""

    labels: LabelSettings = Field(description="Of each round; its seed is that of the rounds' own seeds.")
    learning: PolicyLearningSettings = Field(description="The same for its seed; its step size is that of round one.")
    steps: int = Field(ge=1, description="Of each round (ours).")
    alpha_factor: float = Field(
        default=1.0, gt=0, le=1, description="The step size of a round in that of the round before (ours)."
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        labels, learning = self.labels, self.learning
        if learning.learner == "reinforcement":
            raise ValueError("reinforcement learns without labels: there is no cycle for it")
        if learning.learner == "two-step" and not labels.trees:
            raise ValueError("two-step balancing learns from trees: trees=0 gives it none")
        if learning.learner != "two-step" and (labels.trees or labels.leaf_player is not None):
            raise ValueError(
                f"{learning.learner} does not learn from trees: trees={labels.trees} and "
                f"leaf_player={labels.leaf_player} are for two-step"
            )
        if (labels.width, labels.height, labels.komi) != (learning.size, learning.size, learning.komi):
            raise ValueError(
                f"labels of {labels.width}x{labels.height} with komi {labels.komi:g} are none for a policy of "
                f"{learning.size}x{learning.size} with komi {learning.komi:g}"
            )
        if learning.eye_rule != "simple":
            raise ValueError(f"playouts that make labels have the eye rule simple, not {learning.eye_rule}")
        if not any(POLICY_SO_FAR in (spec or "") for spec in (labels.player, labels.leaf_player)):
            raise ValueError(
                f"player={labels.player} (leaf_player={labels.leaf_player}) has no {POLICY_SO_FAR}, where the policy "
                f"learnt so far would stand, as in mc-rave:sims=2000,playout_policy={POLICY_SO_FAR}"
            )
        return self

    def labels_of(self, number: int, policy: str) -> LabelSettings:
        """Those of a round, the first of which is 1, made with this policy."""
        found = self.labels
        return found.replace(
            seed=_own_seed(found.seed, number),
            player=found.player.replace(POLICY_SO_FAR, policy),
            leaf_player=found.leaf_player and found.leaf_player.replace(POLICY_SO_FAR, policy),
        )

    def learning_of(self, number: int) -> PolicyLearningSettings:
        """How the policy is learnt in a round, the first of which is 1."""
        found = self.learning
        return found.replace(seed=_own_seed(found.seed, number), alpha=found.alpha * self.alpha_factor ** (number - 1))


def _own_seed(seed: int, number: int) -> int:
    """No two rounds have the same games."""
    return Rng(seed).split(_ROUND, number).next() % 2**63


@dataclass(frozen=True)
class PolicyCycleResult:
    """What a cycle has come to."""

    folder: Path
    weights_file: Path
    rounds: int
    steps: int  # of all rounds
    made: int  # rounds that this call has ended
    rows: list[dict[str, Any]]  # of metrics: at first, and after each round

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        paths = {"folder": str(self.folder), "weights_file": str(self.weights_file)}
        return {**paths, "rounds": self.rounds, "steps": self.steps, "made": self.made, "metrics": self.rows}


def learn_in_cycle(
    settings: PolicyCycleSettings,
    *,
    rounds: int,
    folder: Path,
    executor: Executor,
    test: DataSet | None = None,
    start: Path | str | None = None,
    schedule: PolicySchedule | None = None,
    on_progress: Callable[[int, str], object] = lambda _done, _text: None,
) -> PolicyCycleResult:
    """Goes on until there have been so many rounds in this folder, in this call and in those before.

    The first labels are made with the policy of the file `start`, or with `uniform`. Errors are measured on `test`, if
    it is there, before the first round and after each. `on_progress` is told how many rounds are over and what goes on.
    """
    folder = folder.absolute()
    _check_name(folder, settings)
    with open_run_folder(folder):
        cycle = _Cycle(settings, folder, test, start, schedule or PolicySchedule())
        first = cycle.done
        on_progress(first, "")
        while cycle.done < rounds:
            text = cycle.make_round(executor, lambda text: on_progress(cycle.done, text))
            on_progress(cycle.done, text)
        steps, made = cycle.done * settings.steps, cycle.done - first
        return PolicyCycleResult(folder, folder / CHECKPOINT, cycle.done, steps, made, cycle.rows)


def _check_name(folder: Path, settings: PolicyCycleSettings) -> None:
    """The policies of a cycle stand in the specs of players by the names of their files."""
    for spec in (settings.labels.player, settings.labels.leaf_player):
        if spec is not None and POLICY_SO_FAR in spec:
            try:
                parse_spec(spec.replace(POLICY_SO_FAR, _policy_of(folder / CHECKPOINT)))
                PlayoutPolicy(_policy_of(folder / CHECKPOINT))
            except ParseError as error:
                raise InvalidArgumentError(
                    f"{str(folder)!r} cannot stand in the spec of a player: choose a folder whose name has no commas, "
                    f"semicolons, quotes and parentheses ({error})"
                ) from error


def _policy_of(path: Path) -> str:
    return f"softmax-shapes({path})"


class _Cycle:
    def __init__(
        self,
        settings: PolicyCycleSettings,
        folder: Path,
        test: DataSet | None,
        start: Path | str | None,
        schedule: PolicySchedule,
    ) -> None:
        check_board(test, settings.learning)
        self._settings, self._folder, self._test = settings, folder, test
        self._start = None if start is None else Path(start).absolute()
        # A round is measured at its ends; what it keeps on the way is a checkpoint to go on from.
        self._schedule = schedule.replace(metrics_steps=settings.steps, snapshot_steps=0, tensorboard=False)
        beginning = None if start is None else load_policy_weights(start, board_size=settings.learning.size)
        self._configuration: dict[str, Any] = {
            **json.loads(settings.model_dump_json()),
            "test": None if test is None else test.fingerprint(),
            "start": None if beginning is None else beginning.fingerprint,
        }
        self._claim = {**self._configuration, "experts": _experts(settings)}
        self._check_folder()
        self.done = self._rounds_there()
        self.rows = [row for number in range(1, self.done + 1) for row in self._rows_of(number)]
        if self.done:
            self._write_rows(self.rows)

    def _check_folder(self) -> None:
        """Whether it holds nothing yet, or these settings."""
        path = self._folder / _SETTINGS
        if not path.exists():
            if has_checkpoint(self._folder):
                raise StoreError(f"{self._folder} holds a policy and no {_SETTINGS}: choose another folder")
            return
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise StoreError(f"{path}: {error}") from error
        if not isinstance(before, dict):
            raise StoreError(f"{path} does not hold the settings of a cycle: {str(before)[:200]}")
        check_settings(self._folder, before, self._claim, {}, "settings or data")

    def _claim_folder(self) -> None:
        """From here on it is for these settings and no others; what fails before has claimed nothing."""
        path = self._folder / _SETTINGS
        if path.exists():
            return
        try:
            write_whole(path, json.dumps(self._claim, indent=1).encode())
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror or error}") from error

    def _rounds_there(self) -> int:
        """Rounds whose end is a checkpoint. A snapshot of it that is lost is written again."""
        path, settings = self._folder / CHECKPOINT, self._settings
        if not path.exists():
            return 0
        found = load_policy_weights(path, board_size=settings.learning.size)
        told = {name: value for name, value in found.header.configuration.items() if name != "policy"}
        number, steps = told.pop(_ROUND, None), found.header.games
        if told != self._configuration or number != steps // settings.steps or steps % settings.steps:
            raise StoreError(f"{path} is not of this cycle: choose another folder")
        if not snapshot_path(self._folder, steps).exists():
            self._write_policy(snapshot_path(self._folder, steps), number, found.theta)
        return int(number)

    def make_round(self, executor: Executor, tell: Callable[[str], object]) -> str:
        """Labels and learns what is missing of the next round; what it has come to."""
        settings, number = self._settings, self.done + 1
        learning, place = settings.learning_of(number), self._place(number)
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{place}: {error.strerror or error}") from error
        before = self._policy_before(number)
        data = self._labels(number, before, executor, tell)
        self._claim_folder()
        result = learn_policy(
            learning,
            data,
            steps=settings.steps,
            folder=place,
            test=self._test,
            start=before,
            schedule=self._schedule,
            on_steps=lambda done, _: tell(f"round {number}: {done:,} of {settings.steps:,} steps"),
        )
        self._end_round(number, result.weights_file)
        mse = None if result.last is None else result.last.mse
        return f"round {number}" + ("" if mse is None else f": MSE {mse:.4f}")

    def _place(self, number: int) -> Path:
        return self._folder / "rounds" / f"{number:04}"

    def _policy_before(self, number: int) -> Path | None:
        if number == 1:
            return self._start
        return snapshot_path(self._folder, (number - 1) * self._settings.steps)

    def _labels(self, number: int, before: Path | None, executor: Executor, tell: Callable[[str], object]) -> DataSet:
        try:
            return label(
                self._settings.labels_of(number, "uniform" if before is None else _policy_of(before)),
                path=self._place(number) / "labels.parquet",
                executor=executor,
                on_progress=lambda far: tell(f"round {number}: labels, {far.done:,} of {far.total:,} {far.unit}"),
            )
        except OtherLabelsError as error:
            raise InvalidArgumentError(
                f"{self._folder}: round {number} was begun with other settings, or in a folder that has been moved "
                f"since: choose another folder, or move it back\n{error}"
            ) from error

    def _end_round(self, number: int, weights_file: Path) -> None:
        """A snapshot, then the checkpoint, with which the round is over, then the rows: those can be made again."""
        theta = load_policy_weights(weights_file, board_size=self._settings.learning.size).theta
        for path in (snapshot_path(self._folder, number * self._settings.steps), self._folder / CHECKPOINT):
            self._write_policy(path, number, theta)
        self.done = number
        self.rows += self._rows_of(number)
        self._write_rows(self.rows)

    def _write_policy(self, path: Path, number: int, theta: "NDArray[np.float64]") -> None:
        settings = self._settings
        save_policy_weights(
            path,
            settings.learning.size,
            theta,
            steps=number * settings.steps,
            seed=settings.learning.seed,
            configuration={**self._configuration, _ROUND: number},
        )

    def _rows_of(self, number: int) -> list[dict[str, Any]]:
        """Of the end of a round, and before the first one of the start, from what the run of the round says."""
        path, steps = self._place(number) / "metrics.jsonl", self._settings.steps
        found = {row["steps"]: row for row in read_rows(path) if isinstance(row.get("steps"), int)}
        wanted = {0: 0, steps: 1} if number == 1 else {steps: number}
        return [self._row(place, found[after], path) for after, place in wanted.items() if after in found]

    def _row(self, number: int, row: Mapping[str, Any], path: Path) -> dict[str, Any]:
        try:
            told = asdict(PolicyMetrics(**row))
        except TypeError as error:
            raise StoreError(f"{path}: a row of metrics that is none of a policy: {row}") from error
        if any(not isinstance(told[name], float | int | None) for name in ("mse", "corrected_mse")):
            raise StoreError(f"{path}: a row of metrics whose errors are no numbers: {row}")
        return {_ROUND: number, **told, "steps": number * self._settings.steps}

    def _write_rows(self, rows: Sequence[Mapping[str, Any]]) -> None:
        path = self._folder / "metrics.jsonl"
        try:
            write_whole(path, "".join(json.dumps(row) + "\n" for row in rows).encode())
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror or error}") from error


def _experts(settings: PolicyCycleSettings) -> dict[str, Any]:
    """What the players of the labels depend on besides their specs, such as files of weights."""
    header = settings.labels_of(1, "uniform").to_header()
    return {name: header.get(f"{name}_fingerprint") for name in ("player", "leaf_player")}
