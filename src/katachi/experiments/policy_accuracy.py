"""Labelled positions that an experiment makes, and the errors of playout policies on them.

Labels are files beside the rows, made by katachi.training.labels from settings and the seed of the experiment; errors
are rows (`accuracy`), measured by katachi.training.accuracy in the workers of an executor.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.core.settings import Settings
from katachi.experiments.experiment import Row
from katachi.policies.playout_policies import PlayoutPolicy
from katachi.training.accuracy import playout_accuracy
from katachi.training.data_set import DataSet
from katachi.training.labels import LabelProgress, LabelSettings, label

__all__ = ["MEASURE", "LabelsOf", "accuracy_text", "accuracy_work", "make_labels", "measure"]

MEASURE = "katachi.experiments.policy_accuracy:measure"
"""What an executor calls for the error of a policy."""


class LabelsOf(Settings):
    """A data set."""

    name: str = Field(pattern=r"^[a-z0-9-]+$", description="labels/NAME.parquet.")
    size: int = Field(ge=2, le=19, description="Of the board.")
    komi: float = Field(default=7.5, description="Points for White.")
    games: int = Field(ge=1, description="Random games.")
    per_game: int | Literal["all"] = Field(default=1, description="Positions of each.")
    player: str = Field(default="tournament:sims=10000", description="The expert.")
    searches: int = Field(default=1, ge=1, description="Independent ones of each position: their mean counts.")
    trees: int = Field(default=0, ge=0, description="Of so many games a position has a tree.")
    leaf_sims: int = Field(default=2000, ge=1, description="Simulations for each leaf.")
    leaf_player: str | None = Field(default=None, description="Another expert for the leaves.")
    checked: int = Field(default=0, ge=0, description="So many late positions are solved and compared, at most.")

    def settings(self, seed: int) -> LabelSettings:
        """No two data sets have the same games."""
        own = Rng(seed).split("labels").split(self.name).next() % 2**63
        own_words = ("komi", "games", "per_game", "player", "searches", "trees", "leaf_sims", "leaf_player")
        told = {key: getattr(self, key) for key in own_words}
        return LabelSettings.from_mapping({**told, "width": self.size, "height": self.size, "seed": own})


def make_labels(
    told: LabelsOf, seed: int, path: Path, executor: Executor, tell: Callable[[str], object] = lambda _: None
) -> None:
    """The file, or what is missing of it."""
    path.parent.mkdir(parents=True, exist_ok=True)

    def progress(done: LabelProgress) -> None:
        tell(f"{told.name}: {done.done:,} of {done.total:,} {done.unit}")

    label(told.settings(seed), path=path, executor=executor, on_progress=progress)


def accuracy_work(name: str, policy: str, test: str, file: str | Path, simulations: int, seed: int) -> dict[str, Any]:
    """What `measure` is asked for: a policy by its text, with a name for people, on the labels of a file."""
    own = {"accuracy": name, "test": test, "simulations": simulations}
    return {**own, "policy": policy, "file": str(file), "seed": seed}


def measure(work: dict[str, Any]) -> Row:
    """The error of a policy on all positions of a file: a row."""
    data = DataSet.load(work["file"])
    found = playout_accuracy(
        data,
        PlayoutPolicy(work["policy"]).native(data.game),
        Rng(work["seed"]).split("accuracy").split(work["accuracy"]),
        positions=len(data.positions),
        simulations=work["simulations"],
    )
    told = {"mse": found.mse, "corrected_mse": found.corrected_mse, "bias": found.mean_bias, "error": found.mse_error}
    return {
        **{key: work[key] for key in ("accuracy", "test", "simulations")},
        "size": data.width,
        "positions": found.positions,
        **{key: round(value, 6) for key, value in told.items()},
    }


def accuracy_text(row: Row) -> str:
    """For those who wait."""
    return f"{row['accuracy']} on {row['test']}: MSE {row['mse']:.4f}"
