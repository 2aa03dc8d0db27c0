"""Learning playout policies (Silver and Tesauro 2009; Silver 2009, chapter 9), kept in a folder.

    settings = PolicyLearningSettings(learner="balancing", size=5, alpha=3.0, seed=1)
    learn_policy(settings, DataSet.load("labels5.parquet"), steps=100_000, folder=Path("run"))

The folder has `checkpoint.safetensors` (the run goes on from it bit for bit), `snapshots/` (weights after every so many
steps), `metrics.jsonl` and the lock of the run. All files of weights are playout policies: `softmax-shapes(FILE)`. The
native half is cpp/training/policy_learning.hpp; the manual is docs/simulation_balancing.md.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from katachi import _core
from katachi._core import Rng
from katachi.core.errors import InvalidArgumentError, StoreError
from katachi.core.settings import Settings
from katachi.policies.policy_weights import (
    POLICY,
    load_policy_weights,
    policy_representation,
    save_policy_weights,
)
from katachi.training.accuracy import Accuracy, playout_accuracy
from katachi.training.data_set import DataSet, LabelledPosition
from katachi.training.metrics import RowsFile
from katachi.training.run_folder import CHECKPOINT, check_settings, has_checkpoint, open_run_folder

__all__ = [
    "ALPHAS", "PolicyLearningResult", "PolicyLearningSettings", "PolicyMetrics", "PolicySchedule", "check_board",
    "learn_policy", "policy_learning", "snapshot_path",
]  # fmt: skip

# Step sizes to start from (ours): the sources give none. Each learner's is from the grid 0.03, 0.1, 0.3, 1, 3.
ALPHAS = {"regression": 0.03, "reinforcement": 0.3, "balancing": 3.0, "two-step": 3.0}
_CRITIC = "critic"
_TALLY = "tally"
_SUMS = ("steps", "skipped", "simulations", "moves", "cut", "black_wins", "log_likelihood", "squared_bias")
_ONCE = {"weight_decay": 0.0, "largest_bias": 1.0}  # what files say that are older than these settings


class PolicyLearningSettings(Settings):
    """A run: how which policy is learnt; the native twin is in cpp/training/policy_learning.hpp."""

    learner: Literal["regression", "reinforcement", "balancing", "two-step"] = Field(
        description="Softmax regression (4.1, eq. 8), policy-gradient reinforcement learning (4.2, eq. 10), "
        "policy-gradient simulation balancing (5.1, Algorithm 1), two-step simulation balancing (5.2, Algorithm 2)."
    )
    size: int = Field(ge=2, le=19, description="Side of the board (6: 5 and 6).")
    seed: int = Field(default=1, ge=0, description="Same seed, same data, same weights.")
    alpha: float = Field(gt=0, description="Step size α. The source does not say it: no default.")
    rl_reward: Literal["mover_pm1", "literal"] = Field(
        default="mover_pm1",
        description="z of reinforcement: 1 or -1 for who moves, or Black's, as eq. 10 is printed: it makes Black win.",
    )
    bias_simulations: int = Field(default=100, ge=1, le=1_000_000, description="M (eq. 12; not said there: ours).")
    gradient_simulations: int = Field(default=100, ge=1, le=1_000_000, description="N (eq. 13; not said there: ours).")
    length_normalise: bool = Field(
        default=True, description="Divide the gradient of a simulation by its length T (eq. 10 and 13)."
    )
    baseline: Literal["none", "mean", "critic"] = Field(
        default="none",
        description="Subtracted from outcomes in gradients: nothing (as in the source), the mean of the M simulations, "
        "or the value of each state by a critic that learns with it (7: actor-critic).",
    )
    critic_alpha: float = Field(
        default=0.1, gt=0, description="Step size of the critic, divided by the number of features (ours)."
    )
    largest_weight: float = Field(
        default=10.0, gt=0, le=10, description="The size of each weight is held below it (ours)."
    )
    weight_decay: float = Field(
        default=0.0,
        ge=0,
        description="λ: each step takes α λ θ from the weights θ (ours), as for an objective with λ θ·θ added to the "
        "squared imbalance. 0: nothing, as in the source.",
    )
    largest_bias: float = Field(
        default=1.0,
        gt=0,
        le=1,
        description="A bias V* - V beyond it counts as so much (ours): Huber's loss instead of squares. 1: none is, as "
        "in the source.",
    )
    komi: float = Field(default=7.5, ge=-1000, le=1000, description="Points for White (Silver 5.6: 7.5).")
    eye_rule: Literal["simple", "surrounded", "strict", "none"] = Field(
        default="simple", description="What nobody fills in simulations (Silver 5.6)."
    )
    longest_simulation: int = Field(default=200, ge=1, le=10_000, description="Moves; a longer one is a draw (ours).")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.learner == "reinforcement" and self.baseline == "mean":
            raise ValueError(
                "baseline=mean is that of the M simulations of balancing: reinforcement takes none or critic"
            )
        if self.learner in ("regression", "two-step") and self.baseline != "none":
            raise ValueError(f"baseline={self.baseline} is for learners that simulate, not for {self.learner}")
        if self.alpha * self.weight_decay > 1:
            raise ValueError(
                f"a step takes at most all of a weight: alpha={self.alpha:g} times weight_decay={self.weight_decay:g} "
                "is above 1"
            )
        return self

    def to_json(self) -> dict[str, Any]:
        """As it stands in the header of a file."""
        values: dict[str, Any] = json.loads(self.model_dump_json())
        return values

    def to_native(self, threads: int = 1) -> _core.PolicyLearningOptions:
        """What native code takes."""
        options = _core.PolicyLearningOptions()
        for name in type(self).model_fields:
            if name not in ("size", "seed"):
                setattr(options, name, getattr(self, name))
        options.threads = threads
        return options


class PolicySchedule(Settings):
    """When a run writes and measures what, in how many threads. None of it changes the weights."""

    metrics_steps: int = Field(default=1000, ge=1, description="A row of metrics at every so many steps (6.2: 1,000).")
    checkpoint_steps: int = Field(default=1000, ge=1, description="A checkpoint at every so many steps.")
    checkpoint_seconds: float = Field(default=30.0, ge=0, description="Also one after so many seconds.")
    snapshot_steps: int = Field(default=1000, ge=0, description="Keep weights at every so many steps; 0: never (6.1).")
    test_positions: int = Field(default=1000, ge=1, description="Positions of the held-out set for each row (6.2).")
    test_simulations: int = Field(default=100, ge=2, description="Playouts from each of them (6.2).")
    threads: int = Field(default=1, ge=1, le=256, description="Of balancing; results do not depend on it.")
    tensorboard: bool = Field(default=False, description="Write the metrics for TensorBoard, too.")


@dataclass(frozen=True)
class PolicyMetrics:
    """Means over the steps since the row before, and the accuracy of playouts now."""

    steps: int
    mse: float | None  # on the held-out set
    corrected_mse: float | None  # without the noise of its playouts
    mean_bias: float | None
    squared_bias: float | None  # of the balancing learners' own estimates
    log_likelihood: float | None  # of the expert's moves
    skipped: int  # steps whose expert's move the policy never plays
    black_wins: float | None  # of the simulations
    moves_per_simulation: float | None
    cut_simulations: int
    largest_weight: float
    steps_per_cpu_second: float
    simulations_per_cpu_second: float

    @classmethod
    def from_tally(
        cls,
        steps: int,
        tally: _core.PolicyLearningTally,
        learner: str,
        accuracy: Accuracy | None,
        largest_weight: float,
        cpu_seconds: float,
        earlier: _core.PolicyLearningTally,
    ) -> Self:
        """`steps` have been made in all, those of the tally, less those before this call, in so many CPU seconds."""
        done, simulations, seconds = max(1, tally.steps), max(1, tally.simulations), max(cpu_seconds, 1e-9)
        learnt = tally.steps - tally.skipped
        return cls(
            steps=steps,
            mse=None if accuracy is None else accuracy.mse,
            corrected_mse=None if accuracy is None else accuracy.corrected_mse,
            mean_bias=None if accuracy is None else accuracy.mean_bias,
            squared_bias=tally.squared_bias / done if tally.steps and learner in ("balancing", "two-step") else None,
            log_likelihood=tally.log_likelihood / learnt if learner == "regression" and learnt else None,
            skipped=tally.skipped,
            black_wins=tally.black_wins / simulations if tally.simulations else None,
            moves_per_simulation=tally.moves / simulations if tally.simulations else None,
            cut_simulations=tally.cut,
            largest_weight=largest_weight,
            steps_per_cpu_second=round((tally.steps - earlier.steps) / seconds, 1),
            simulations_per_cpu_second=round((tally.simulations - earlier.simulations) / seconds, 1),
        )


@dataclass(frozen=True)
class PolicyLearningResult:
    """What a run has come to."""

    folder: Path
    weights_file: Path
    steps: int
    weights: int
    learnt: int  # steps of this call
    cpu_seconds: float
    first: PolicyMetrics | None  # of the run: the policy that it started with
    last: PolicyMetrics | None

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "folder": str(self.folder),
            "weights_file": str(self.weights_file),
            "steps": self.steps,
            "weights": self.weights,
            "learnt": self.learnt,
            "cpu_seconds": round(self.cpu_seconds, 3),
            "steps_per_cpu_second": round(self.learnt / max(self.cpu_seconds, 1e-9), 1),
            "first": None if self.first is None else asdict(self.first),
            "metrics": None if self.last is None else asdict(self.last),
        }


def snapshot_path(folder: Path, steps: int) -> Path:
    """The weights of a run after so many steps, in its folder."""
    return folder / "snapshots" / f"steps_{steps:010}.safetensors"


def policy_learning(
    settings: PolicyLearningSettings, positions: Sequence[LabelledPosition], *, threads: int = 1
) -> _core.PolicyLearning:
    """Weights of 0 and no step yet."""
    return _core.policy_learning(
        policy_representation(settings.size),
        [_native_position(position, settings.learner == "two-step") for position in positions],
        settings.to_native(threads),
        Rng(settings.seed).split("policy-learning"),
    )


def _native_position(position: LabelledPosition, with_tree: bool) -> _core.LabelledPosition:
    tree = position.tree if with_tree else None
    return _core.LabelledPosition(
        moves=list(position.moves),
        value=position.value,
        best=position.best,
        first=[] if tree is None else list(tree.first),
        second=[] if tree is None else [list(answers) for answers in tree.second],
        values=[] if tree is None else [list(values) for values in tree.values],
    )


def learn_policy(
    settings: PolicyLearningSettings,
    data: DataSet | None,
    *,
    steps: int,
    folder: Path,
    test: DataSet | None = None,
    start: Path | str | None = None,
    schedule: PolicySchedule | None = None,
    on_steps: Callable[[int, PolicyMetrics | None], object] = lambda _steps, _metrics: None,
) -> PolicyLearningResult:
    """Learns until there have been so many steps in this folder, in this call and in those before.

    `data` may be missing for reinforcement; two-step learns from those that have trees. `test` is what the accuracy is
    measured on, if it is; `start` is a file of weights to begin with instead of zeros. A run that is interrupted writes
    a checkpoint; one that is killed goes on from the last one, and loses nothing but time.
    """
    with open_run_folder(folder), ExitStack() as stack:
        run = _Run(settings, data, test, start, folder, schedule or PolicySchedule())
        stack.callback(run.metrics.close)
        return run.go(steps, on_steps)


class _Run:
    def __init__(
        self,
        settings: PolicyLearningSettings,
        data: DataSet | None,
        test: DataSet | None,
        start: Path | str | None,
        folder: Path,
        schedule: PolicySchedule,
    ) -> None:
        for each in (data, test):
            check_board(each, settings)
        self._settings, self._folder, self._schedule, self._test = settings, folder, schedule, test
        self.path = folder / CHECKPOINT
        data = _with_trees(data) if settings.learner == "two-step" else data
        self._job = policy_learning(settings, [] if data is None else data.positions, threads=schedule.threads)
        beginning = None if start is None else load_policy_weights(start, board_size=settings.size)
        self._configuration = {
            **settings.to_json(),
            "data": None if data is None else data.fingerprint(),
            "test": None if test is None else test.fingerprint(),
            "start": None if beginning is None else beginning.fingerprint,
        }
        if has_checkpoint(folder):
            self._take_up()
        elif beginning is not None:
            self._job.weights = beginning.theta
        self._earlier = self._job.tally  # of what another call has learnt since the last row
        self.metrics = RowsFile(folder, self._job.steps, count="steps", tensorboard=schedule.tensorboard)
        self._cpu = time.process_time()
        self._save()

    def _take_up(self) -> None:
        found = load_policy_weights(self.path, board_size=self._settings.size)
        before = {name: value for name, value in found.header.configuration.items() if name != "policy"}
        check_settings(self._folder, before, self._configuration, _ONCE, "settings or data")
        critic = found.arrays.get(_CRITIC)
        if critic is None:
            raise StoreError(f"{self.path}: this is a snapshot, which no run can go on from")
        try:
            self._job.weights = found.theta
            self._job.critic = critic
            self._job.tally = _tally_of(found.arrays.get(_TALLY, ()))
        except (InvalidArgumentError, TypeError, ValueError, OverflowError) as error:
            raise StoreError(f"{self.path}: {error}") from error
        self._job.steps = found.header.games

    def go(self, steps: int, on_steps: Callable[[int, PolicyMetrics | None], object]) -> PolicyLearningResult:
        job, first, cpu = self._job, self._job.steps, time.process_time()
        rows = self.metrics.rows()
        last = self._measure() if not rows else self._row(rows[-1])
        start = last if not rows else self._row(rows[0])
        self._measured = last.steps

        def progress(_share: float) -> None:
            if job.steps < steps:
                on_steps(job.steps, last)

        try:
            if first > 0:  # whoever was interrupted there may not have written everything
                last = self._at(first, steps) or last
            for stop in self._stops(first, steps):
                job.run(stop, progress)
                last = self._at(stop, steps) or last
        except (KeyboardInterrupt, SystemExit):
            self._save()
            raise
        on_steps(job.steps, last)
        seconds = time.process_time() - cpu
        return PolicyLearningResult(
            self._folder, self.path, job.steps, len(job.weights), job.steps - first, seconds, start, last
        )

    def _stops(self, first: int, steps: int) -> Iterator[int]:
        """Where something is to be written: rows of metrics, checkpoints, snapshots, the end."""
        schedule = self._schedule
        periods = [schedule.metrics_steps, schedule.checkpoint_steps]
        periods += [schedule.snapshot_steps] if schedule.snapshot_steps else []
        now = first
        while now < steps:
            now = min(steps, *((now // period + 1) * period for period in periods))
            yield now

    def _at(self, stop: int, steps: int) -> PolicyMetrics | None:
        schedule = self._schedule
        is_due = stop % schedule.metrics_steps == 0 or stop == steps
        row = self._measure() if is_due and stop != self._measured else None
        if schedule.snapshot_steps and stop % schedule.snapshot_steps == 0:
            self._write(snapshot_path(self._folder, stop), {})
        is_time = time.monotonic() - self._saved >= schedule.checkpoint_seconds
        if is_time or stop == steps or stop % schedule.checkpoint_steps == 0:
            self._save()
        return row

    def _measure(self) -> PolicyMetrics:
        """A row for the steps since the last one, whose sums are forgotten when it is written. What is spent on
        measuring is not counted."""
        tally, now, theta = self._job.tally, time.process_time(), self._job.weights
        accuracy = None
        if self._test is not None:
            placements = _core.Placements(policy_representation(self._settings.size))
            accuracy = playout_accuracy(
                self._test,
                _core.Policy.softmax_shapes(_core.FrozenPlacements(placements, theta)),
                Rng(self._settings.seed).split("accuracy", self._job.steps),
                positions=self._schedule.test_positions,
                simulations=self._schedule.test_simulations,
                longest_simulation=self._settings.longest_simulation,
                eye_rule=self._settings.eye_rule,
            )
        row = PolicyMetrics.from_tally(
            self._job.steps, tally, self._settings.learner, accuracy, float(abs(theta).max()), now - self._cpu,
            self._earlier,
        )  # fmt: skip
        self._cpu = time.process_time()
        self.metrics.write(asdict(row))
        self._job.tally = self._earlier = _core.PolicyLearningTally()
        self._measured = row.steps
        return row

    def _row(self, values: dict[str, Any]) -> PolicyMetrics:
        try:
            return PolicyMetrics(**values)
        except TypeError as error:
            raise StoreError(f"{self.metrics.path}: a row of metrics that is none of a policy: {values}") from error

    def _save(self) -> None:
        tally = self._job.tally
        sums = np.array([getattr(tally, name) for name in _SUMS], dtype=np.float64)
        self._write(self.path, {_CRITIC: self._job.critic, _TALLY: sums})
        self._saved = time.monotonic()

    def _write(self, path: Path, arrays: dict[str, Any]) -> None:
        save_policy_weights(
            path,
            self._settings.size,
            self._job.weights,
            steps=self._job.steps,
            seed=self._settings.seed,
            configuration=self._configuration,
            arrays=arrays,
        )


def _tally_of(sums: Iterable[float]) -> _core.PolicyLearningTally:
    """As it stands in a checkpoint; one of before there were any has none."""
    tally = _core.PolicyLearningTally()
    for name, value in zip(_SUMS, sums, strict=False):
        setattr(tally, name, type(getattr(tally, name))(value))
    return tally


def check_board(data: DataSet | None, settings: PolicyLearningSettings) -> None:
    """Refuses data of other boards, or with another komi."""
    if data is None:
        return
    if (data.width, data.height) != (settings.size, settings.size):
        raise InvalidArgumentError(
            f"the data are of boards of {data.width}x{data.height}, the policy ({POLICY}) is for "
            f"{settings.size}x{settings.size}"
        )
    if data.komi != settings.komi:
        raise InvalidArgumentError(f"the data are valued with komi {data.komi:g}, the run has komi {settings.komi:g}")


def _with_trees(data: DataSet | None) -> DataSet | None:
    """Those positions that two-step balancing can learn from: labels may have trees for some of the games only."""
    if data is None or not data.positions:
        return data
    found = [position for position in data.positions if position.tree is not None]
    if not found:
        raise InvalidArgumentError(
            f"two-step balancing learns from positions with trees, and none of {len(data.positions)} has one: "
            "katachi label --trees N makes some"
        )
    return replace(data, positions=found)
