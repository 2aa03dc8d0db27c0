"""The iterated cycle: what a round is made of, that it goes on wherever it was stopped, and what is refused."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from katachi._core import Rng
from katachi.arena.executor import InProcess, Json
from katachi.core.errors import InvalidArgumentError, KatachiError, SettingsError, StoreError
from katachi.policies.playout_policies import PlayoutPolicy
from katachi.policies.policy_weights import load_policy_weights, policy_representation, save_policy_weights
from katachi.training.accuracy import playout_accuracy
from katachi.training.data_set import DataSet
from katachi.training.labels import LabelSettings, label_here
from katachi.training.policy_cycle import PolicyCycleSettings, learn_in_cycle
from katachi.training.policy_learning import PolicyLearningSettings, policy_learning, snapshot_path

LABELS = LabelSettings(
    width=3,
    height=3,
    komi=0.5,
    games=6,
    trees=6,
    seed=5,
    player="uct:sims=50",
    leaf_player="policy:name={policy},sims=4",
)
LEARNING = PolicyLearningSettings(learner="two-step", size=3, komi=0.5, alpha=4.0, seed=2)
FEW = PolicyCycleSettings(labels=LABELS, learning=LEARNING, steps=20, alpha_factor=0.5)


class Stops:
    """Gives up after so many pieces of work."""

    def __init__(self, pieces: int) -> None:
        self.left = pieces

    def run(self, function: str, arguments: Iterable[Json]) -> Iterator[tuple[int, Json]]:
        for result in InProcess().run(function, arguments):
            if self.left == 0:
                raise KeyboardInterrupt
            self.left -= 1
            yield result


@pytest.fixture
def test_set() -> DataSet:
    return label_here(LABELS.replace(games=8, trees=0, leaf_player=None, seed=77), InProcess())


def files_of(folder: Path) -> dict[str, bytes]:
    """What a cycle comes to: policies, labels, settings; metrics without speeds."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".safetensors", ".parquet", ".json") and path.parent.name != "tensorboard":
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def test_a_round_is_labels_by_the_policy_so_far_and_a_run_that_starts_with_it(tmp_path: Path) -> None:
    result = learn_in_cycle(FEW, rounds=3, folder=tmp_path, executor=InProcess())
    assert (result.rounds, result.steps, result.made) == (3, 60, 3)
    theta, policy = np.zeros(policy_representation(3).weights), "uniform"
    seeds = set()
    for number in (1, 2, 3):
        labels, learning = FEW.labels_of(number, policy), FEW.learning_of(number)
        assert learning.alpha == pytest.approx(8 * 0.5**number)
        assert labels.leaf_player == f"policy:name={policy},sims=4"
        seeds |= {labels.seed, learning.seed}
        data = label_here(labels, InProcess())
        assert DataSet.load(tmp_path / "rounds" / f"{number:04}" / "labels.parquet").positions == data.positions
        job = policy_learning(learning, data.positions)
        job.weights = theta
        job.run(20)
        theta = np.array(job.weights)
        file = snapshot_path(tmp_path, 20 * number)
        kept = load_policy_weights(file)
        assert kept.theta.tobytes() == theta.tobytes()
        assert (kept.header.games, kept.header.configuration["round"]) == (20 * number, number)
        policy = f"softmax-shapes({file})"
    assert len(seeds) == 6  # no two rounds have the same games, or the same order
    assert load_policy_weights(tmp_path / "checkpoint.safetensors").theta.tobytes() == theta.tobytes()
    assert result.weights_file == tmp_path / "checkpoint.safetensors"
    assert np.abs(theta).max() > 0.05


def test_errors_are_measured_before_and_after_each_round(tmp_path: Path, test_set: DataSet) -> None:
    told = list[tuple[int, str]]()
    result = learn_in_cycle(
        FEW, rounds=2, folder=tmp_path, executor=InProcess(), test=test_set, on_progress=lambda *now: told.append(now)
    )
    rows = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert result.rows == rows
    assert [(row["round"], row["steps"]) for row in rows] == [(0, 0), (1, 20), (2, 40)]
    last = playout_accuracy(
        test_set,
        PlayoutPolicy(f"softmax-shapes({result.weights_file})").native(test_set.game),
        Rng(FEW.learning_of(2).seed).split("accuracy", 20),
        positions=1000,
        simulations=100,
    )
    assert rows[-1]["mse"] == pytest.approx(last.mse, rel=1e-12)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (2, f"round 2: MSE {last.mse:.4f}")
    assert any("round 2: labels" in text for _, text in told)
    assert result.to_json()["metrics"] == rows


def test_a_cycle_that_was_stopped_goes_on_to_the_same_end(tmp_path: Path, test_set: DataSet) -> None:
    # The same folder, since the name of a policy's file stands in the labels that it has made.
    folder, kept = tmp_path / "run", tmp_path / "whole"
    whole = learn_in_cycle(FEW, rounds=3, folder=folder, executor=InProcess(), test=test_set)
    folder.rename(kept)
    stops = 0
    rounds = list[int]()
    for pieces in (0, 3, 11, 17, 11, 17, 11, 17, 1000):
        try:
            rounds.append(learn_in_cycle(FEW, rounds=3, folder=folder, executor=Stops(pieces), test=test_set).made)
        except KeyboardInterrupt:
            stops += 1
    result = learn_in_cycle(FEW, rounds=3, folder=folder, executor=InProcess(), test=test_set)
    assert stops >= 4
    assert rounds[0] in (1, 2)  # the others were over in calls that were stopped later
    assert files_of(folder) == files_of(kept)
    assert [row["mse"] for row in result.rows] == [row["mse"] for row in whole.rows]
    assert learn_in_cycle(FEW, rounds=3, folder=folder, executor=Stops(0), test=test_set).made == 0


@pytest.mark.parametrize("lost", ["checkpoint.safetensors", "snapshots/steps_0000000040.safetensors"])
def test_a_round_whose_end_was_not_written_ends_again(lost: str, tmp_path: Path, test_set: DataSet) -> None:
    """A kill between the files of a round's end: rows, snapshot, checkpoint."""
    learn_in_cycle(FEW, rounds=1, folder=tmp_path, executor=InProcess(), test=test_set)
    one = (tmp_path / "checkpoint.safetensors").read_bytes()
    learn_in_cycle(FEW, rounds=2, folder=tmp_path, executor=InProcess(), test=test_set)
    before = files_of(tmp_path)
    (tmp_path / lost).unlink()
    (tmp_path / "checkpoint.safetensors").write_bytes(one)
    result = learn_in_cycle(FEW, rounds=2, folder=tmp_path, executor=Stops(0), test=test_set)  # labels are there
    assert files_of(tmp_path) == before
    assert [row["round"] for row in result.rows] == [0, 1, 2]


def test_more_rounds_make_it_longer(tmp_path: Path) -> None:
    folder, kept = tmp_path / "run", tmp_path / "whole"
    learn_in_cycle(FEW, rounds=2, folder=folder, executor=InProcess())
    folder.rename(kept)
    learn_in_cycle(FEW, rounds=1, folder=folder, executor=InProcess())
    result = learn_in_cycle(FEW, rounds=2, folder=folder, executor=InProcess())
    assert (result.rounds, result.made) == (2, 1)
    assert files_of(folder) == files_of(kept)


def test_the_first_labels_are_by_the_policy_that_it_starts_with(tmp_path: Path) -> None:
    start = tmp_path / "start.safetensors"
    theta = np.random.default_rng(1).normal(0, 0.5, policy_representation(3).weights)
    save_policy_weights(start, 3, theta)
    learn_in_cycle(FEW, rounds=1, folder=tmp_path / "run", executor=InProcess(), start=start)
    labels = FEW.labels_of(1, f"softmax-shapes({start})")
    data = DataSet.load(tmp_path / "run" / "rounds" / "0001" / "labels.parquet")
    assert data.positions == label_here(labels, InProcess()).positions
    job = policy_learning(FEW.learning_of(1), data.positions)
    job.weights = theta
    job.run(20)
    assert load_policy_weights(tmp_path / "run" / "checkpoint.safetensors").theta.tobytes() == job.weights.tobytes()
    with pytest.raises(InvalidArgumentError, match=r"other settings or data.*\n  start: "):
        learn_in_cycle(FEW, rounds=1, folder=tmp_path / "run", executor=InProcess())


def test_the_policy_may_play_in_the_search_of_any_learner(tmp_path: Path) -> None:
    labels = LABELS.replace(trees=0, leaf_player=None, player="mc-rave:sims=20,playout_policy={policy}")
    for learner in ("regression", "balancing"):
        settings = FEW.replace(labels=labels, learning=LEARNING.replace(learner=learner, bias_simulations=5))
        result = learn_in_cycle(settings, rounds=2, folder=tmp_path / learner, executor=InProcess())
        data = DataSet.load(tmp_path / learner / "rounds" / "0002" / "labels.parquet")
        assert "playout_policy=softmax-shapes(" in data.settings["player"]
        assert np.abs(load_policy_weights(result.weights_file).theta).max() > 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"labels": LABELS.replace(leaf_player="uct:sims=5")},
            "neither player=uct:sims=50 nor leaf_player=uct:sims=5 has",
        ),
        ({"labels": LABELS.replace(trees=0)}, "learns from trees: trees=0"),
        (
            {"labels": LABELS.replace(komi=7.5)},
            "labels of 3x3 with komi 7.5 are none for a policy of 3x3 with komi 0.5",
        ),
        ({"labels": LABELS.replace(width=4)}, "labels of 4x3 with komi 0.5"),
        ({"learning": LEARNING.replace(learner="reinforcement")}, "reinforcement learns without labels"),
        ({"steps": 0}, "steps"),
        ({"alpha_factor": 1.5}, "alpha_factor"),
    ],
)
def test_settings_are_checked(changes: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        FEW.replace(**changes)


def test_other_settings_are_refused_with_the_difference(tmp_path: Path, test_set: DataSet) -> None:
    learn_in_cycle(FEW, rounds=1, folder=tmp_path, executor=InProcess())
    other = FEW.replace(learning=LEARNING.replace(alpha=2.0), alpha_factor=1.0)
    with pytest.raises(
        InvalidArgumentError, match=r"alpha_factor: 0.5 there, 1.0 now\n  learning.alpha: 4.0 there, 2.0 now"
    ):
        learn_in_cycle(other, rounds=2, folder=tmp_path, executor=InProcess())
    with pytest.raises(InvalidArgumentError, match="  test: None there"):
        learn_in_cycle(FEW, rounds=2, folder=tmp_path, executor=InProcess(), test=test_set)


def test_a_start_that_fails_claims_nothing(tmp_path: Path) -> None:
    wrong = FEW.replace(labels=LABELS.replace(player="random"))
    with pytest.raises(KatachiError, match="random"):
        learn_in_cycle(wrong, rounds=1, folder=tmp_path, executor=InProcess())
    assert learn_in_cycle(FEW, rounds=1, folder=tmp_path, executor=InProcess()).made == 1


@pytest.mark.parametrize("content", ["[1, 2]", "{", "\udcff"])
def test_settings_that_make_no_sense(content: str, tmp_path: Path) -> None:
    (tmp_path / "cycle.json").write_text(content, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(StoreError, match=r"cycle\.json"):
        learn_in_cycle(FEW, rounds=1, folder=tmp_path, executor=InProcess())


def test_the_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    save_policy_weights(tmp_path / "checkpoint.safetensors", 3, np.zeros(policy_representation(3).weights))
    with pytest.raises(StoreError, match="holds a run that is no cycle"):
        learn_in_cycle(FEW, rounds=1, folder=tmp_path, executor=InProcess())
