"""The iterated cycle (Silver and Tesauro 2009, section 7): a policy is learnt from labels, and makes the next ones.

    labels = LabelSettings(width=6, height=6, games=400, trees=400, leaf_player="policy:name={policy},sims=15")
    learning = PolicyLearningSettings(learner="two-step", size=6, alpha=1.0)
    settings = PolicyCycleSettings(labels=labels, learning=learning, steps=800, alpha_factor=0.95)
    learn_in_cycle(settings, rounds=50, folder=Path("cycle6"), executor=LocalWorkers(2))

A round labels positions of new random games and goes on learning from them. Where a player of the labels has {policy},
the policy learnt so far stands: as an expert by itself, or as the playout policy of a search.

The folder is like that of a single run (.policy_learning): `checkpoint.safetensors` is the policy now, `snapshots/` and
`metrics.jsonl` have the end of each round by steps of all rounds. `cycle.json` has the settings, `rounds/0001/` the
labels and the run of a round. What was stopped or killed goes on in the middle of a round, and comes to the same.
"""

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import Field, model_validator

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.core.errors import StoreError
from katachi.core.files import write_whole
from katachi.core.settings import Settings
from katachi.policies.policy_weights import load_policy_weights, save_policy_weights
from katachi.training.data_set import DataSet
from katachi.training.labels import LabelSettings, label
from katachi.training.metrics import RowsFile
from katachi.training.policy_learning import PolicyLearningSettings, PolicySchedule, learn_policy, snapshot_path
from katachi.training.run_folder import CHECKPOINT, check_settings, has_checkpoint, open_run_folder

__all__ = ["POLICY_SO_FAR", "PolicyCycleResult", "PolicyCycleSettings", "learn_in_cycle"]

POLICY_SO_FAR = "{policy}"
"""In the spec of a player: the policy that has been learnt in the rounds before."""

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
        if (labels.width, labels.height, labels.komi) != (learning.size, learning.size, learning.komi):
            raise ValueError(
                f"labels of {labels.width}x{labels.height} with komi {labels.komi:g} are none for a policy of "
                f"{learning.size}x{learning.size} with komi {learning.komi:g}"
            )
        if not any(POLICY_SO_FAR in (spec or "") for spec in (labels.player, labels.leaf_player)):
            raise ValueError(
                f"neither player={labels.player} nor leaf_player={labels.leaf_player} has {POLICY_SO_FAR}, where the "
                "policy learnt so far would stand"
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
    with open_run_folder(folder):
        cycle = _Cycle(settings, folder, test, start, schedule or PolicySchedule())
        first = cycle.done
        with closing(cycle.metrics):
            on_progress(first, "")
            while cycle.done < rounds:
                cycle.make_round(executor, lambda text: on_progress(cycle.done, text))
                on_progress(cycle.done, cycle.text)
            return PolicyCycleResult(
                folder, folder / CHECKPOINT, cycle.done, cycle.done * settings.steps, cycle.done - first,
                cycle.metrics.rows(),
            )  # fmt: skip


class _Cycle:
    def __init__(
        self,
        settings: PolicyCycleSettings,
        folder: Path,
        test: DataSet | None,
        start: Path | str | None,
        schedule: PolicySchedule,
    ) -> None:
        self._settings, self._folder, self._test = settings, folder, test
        self._start = None if start is None else Path(start)
        # A round is measured at its ends; what it keeps on the way is a checkpoint to go on from.
        self._schedule = schedule.replace(metrics_steps=settings.steps, snapshot_steps=0, tensorboard=False)
        beginning = None if start is None else load_policy_weights(start, board_size=settings.learning.size)
        self._configuration: dict[str, Any] = {
            **json.loads(settings.model_dump_json()),
            "test": None if test is None else test.fingerprint(),
            "start": None if beginning is None else beginning.fingerprint,
        }
        self._check_folder()
        self.done = self._rounds_there()
        self.metrics = RowsFile(folder, self.done * settings.steps, count="steps", tensorboard=schedule.tensorboard)
        self.text = ""

    def _check_folder(self) -> None:
        """Whether it holds nothing yet, or these settings."""
        path = self._folder / _SETTINGS
        if not path.exists():
            if has_checkpoint(self._folder):
                raise StoreError(f"{self._folder} holds a run that is no cycle: choose another folder")
            return
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise StoreError(f"{path}: {error}") from error
        if not isinstance(before, dict):
            raise StoreError(f"{path} does not hold the settings of a cycle: {str(before)[:200]}")
        check_settings(self._folder, before, self._configuration, {}, "settings or data")

    def _claim_folder(self) -> None:
        """From here on it is for these settings and no others; what fails before has claimed nothing."""
        path = self._folder / _SETTINGS
        if path.exists():
            return
        try:
            write_whole(path, json.dumps(self._configuration, indent=1).encode())
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror or error}") from error

    def _rounds_there(self) -> int:
        """Rounds whose end is a checkpoint."""
        if not (self._folder / CHECKPOINT).exists():
            return 0
        header = load_policy_weights(self._folder / CHECKPOINT, board_size=self._settings.learning.size).header
        return int(header.games) // self._settings.steps

    def make_round(self, executor: Executor, tell: Callable[[str], object]) -> None:
        """Labels and learns what is missing of the next round."""
        settings, number = self._settings, self.done + 1
        place = self._folder / "rounds" / f"{number:04}"
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{place}: {error.strerror or error}") from error
        before = self._policy_before(number)
        labels = settings.labels_of(number, "uniform" if before is None else f"softmax-shapes({before})")
        data = label(
            labels,
            path=place / "labels.parquet",
            executor=executor,
            on_progress=lambda far: tell(f"round {number}: labels, {far.done:,} of {far.total:,} {far.unit}"),
        )
        self._claim_folder()
        result = learn_policy(
            settings.learning_of(number),
            data,
            steps=settings.steps,
            folder=place,
            test=self._test,
            start=before,
            schedule=self._schedule,
            on_steps=lambda done, _: tell(f"round {number}: {done:,} of {settings.steps:,} steps"),
        )
        assert result.first is not None  # every run has rows of its beginning and its end
        assert result.last is not None
        if not self.metrics.rows():
            self._write_row(0, asdict(result.first))
        self._write_row(number, asdict(result.last))
        self._end_round(number, result.weights_file)
        mse = result.last.mse
        self.text = f"round {number}" + ("" if mse is None else f": MSE {mse:.4f}")

    def _policy_before(self, number: int) -> Path | None:
        if number == 1:
            return self._start
        return snapshot_path(self._folder, (number - 1) * self._settings.steps)

    def _end_round(self, number: int, weights_file: Path) -> None:
        """A snapshot, then the checkpoint, with which the round is over: rows of rounds that are not are dropped."""
        settings = self._settings
        theta = load_policy_weights(weights_file, board_size=settings.learning.size).theta
        steps = number * settings.steps
        for path in (snapshot_path(self._folder, steps), self._folder / CHECKPOINT):
            save_policy_weights(
                path,
                settings.learning.size,
                theta,
                steps=steps,
                seed=settings.learning.seed,
                configuration={**self._configuration, _ROUND: number},
            )
        self.done = number

    def _write_row(self, number: int, row: dict[str, Any]) -> None:
        self.metrics.write({_ROUND: number, **row, "steps": number * self._settings.steps})
