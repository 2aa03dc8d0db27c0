"""The iterated cycle: what a round is made of, that it goes on wherever it was stopped, and what is refused."""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from katachi._core import Rng
from katachi.arena.executor import InProcess, Json
from katachi.core.errors import InvalidArgumentError, KatachiError, SettingsError, StoreError
from katachi.policies.playout_policies import PlayoutPolicy
from katachi.policies.policy_weights import load_policy_weights, policy_representation, save_policy_weights
from katachi.training import policy_cycle
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


def files_of(folder: Path) -> dict[str, object]:
    """What a cycle comes to: policies, labels, settings, and metrics without speeds."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".safetensors", ".parquet", ".json"):
            found[str(path.relative_to(folder))] = path.read_bytes()
        elif path.suffix == ".jsonl":
            rows = [json.loads(line) for line in path.read_text().splitlines()]
            found[str(path.relative_to(folder))] = [
                {name: value for name, value in row.items() if "cpu_second" not in name} for row in rows
            ]
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


class Dies:
    """Writes the last thing that a process writes, or dies just before it."""

    def __init__(self, write: Callable[..., None], after: int) -> None:
        self._write, self.left = write, after

    def __call__(self, *arguments: object, **options: object) -> None:
        if self.left <= 0:
            raise KeyboardInterrupt
        self.left -= 1
        self._write(*arguments, **options)


def test_a_kill_between_any_two_files_loses_nothing(
    tmp_path: Path, test_set: DataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings, snapshots, checkpoints and rows of the cycle itself."""
    folder, kept = tmp_path / "run", tmp_path / "whole"
    learn_in_cycle(FEW, rounds=2, folder=folder, executor=InProcess(), test=test_set)
    folder.rename(kept)
    deaths = 0
    for after in range(20):
        with monkeypatch.context() as patched:
            for name in ("save_policy_weights", "write_whole"):
                write = getattr(policy_cycle, name)
                patched.setattr(policy_cycle, name, Dies(write, after if name == "write_whole" else after // 2))
            try:
                learn_in_cycle(FEW, rounds=2, folder=folder, executor=InProcess(), test=test_set)
            except KeyboardInterrupt:
                deaths += 1
        result = learn_in_cycle(FEW, rounds=2, folder=folder, executor=InProcess(), test=test_set)
        assert [row["round"] for row in result.rows] == [0, 1, 2]
        assert files_of(folder) == files_of(kept), after
        shutil.rmtree(folder)
    assert deaths >= 5


def test_files_that_are_lost_are_written_again(tmp_path: Path, test_set: DataSet) -> None:
    learn_in_cycle(FEW, rounds=2, folder=tmp_path, executor=InProcess(), test=test_set)
    before = files_of(tmp_path)
    for lost in ("metrics.jsonl", "snapshots/steps_0000000040.safetensors"):
        (tmp_path / lost).unlink()
        result = learn_in_cycle(FEW, rounds=2, folder=tmp_path, executor=Stops(0), test=test_set)
        assert files_of(tmp_path) == before
        assert [row["round"] for row in result.rows] == [0, 1, 2]
    one = snapshot_path(tmp_path, 20).read_bytes()
    (tmp_path / "checkpoint.safetensors").write_bytes(one)  # as if killed at the end of round 2
    learn_in_cycle(FEW, rounds=2, folder=tmp_path, executor=Stops(0), test=test_set)  # its labels are there
    assert files_of(tmp_path) == before


def test_only_one_process_at_a_time(tmp_path: Path) -> None:
    class Nested(Stops):
        def run(self, function: str, arguments: Iterable[Json]) -> Iterator[tuple[int, Json]]:
            with pytest.raises(StoreError, match="is in use by another run"):
                learn_in_cycle(FEW, rounds=1, folder=tmp_path, executor=InProcess())
            self.left = -1
            return super().run(function, arguments)

    nested = Nested(0)
    assert learn_in_cycle(FEW, rounds=1, folder=tmp_path, executor=nested).made == 1
    assert nested.left < 0


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
            r"player=uct:sims=50 \(leaf_player=uct:sims=5\) has no \{policy\}",
        ),
        ({"labels": LABELS.replace(height=4)}, "labels of 3x4 with komi 0.5"),
        ({"learning": LEARNING.replace(learner="balancing")}, "balancing does not learn from trees: trees=6 and"),
        (
            {"learning": LEARNING.replace(learner="regression"), "labels": LABELS.replace(trees=0)},
            "regression does not learn from trees: trees=0 and leaf_player=policy",
        ),
        ({"learning": LEARNING.replace(eye_rule="none")}, "have the eye rule simple, not none"),
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


def test_a_start_that_fails_claims_nothing(tmp_path: Path, test_set: DataSet) -> None:
    wrong = FEW.replace(labels=LABELS.replace(player="random"))
    with pytest.raises(KatachiError, match="random"):
        learn_in_cycle(wrong, rounds=1, folder=tmp_path, executor=InProcess())
    for other, message in ((replace(test_set, komi=7.5), "komi 7.5"), (replace(test_set, width=4), "4x3")):
        with pytest.raises(InvalidArgumentError, match=message):
            learn_in_cycle(FEW, rounds=1, folder=tmp_path, executor=Stops(0), test=other)
    assert learn_in_cycle(FEW, rounds=1, folder=tmp_path, executor=InProcess()).made == 1


@pytest.mark.parametrize("content", ["[1, 2]", "{", "\udcff", 100_000 * "["])
def test_settings_that_make_no_sense(content: str, tmp_path: Path) -> None:
    (tmp_path / "cycle.json").write_text(content, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(StoreError, match=r"cycle\.json"):
        learn_in_cycle(FEW, rounds=1, folder=tmp_path, executor=InProcess())


def test_the_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    zeros = np.zeros(policy_representation(3).weights)
    save_policy_weights(tmp_path / "checkpoint.safetensors", 3, zeros)
    with pytest.raises(StoreError, match=r"holds a policy and no cycle\.json"):
        learn_in_cycle(FEW, rounds=1, folder=tmp_path, executor=InProcess())
    learn_in_cycle(FEW, rounds=1, folder=tmp_path / "own", executor=InProcess())
    save_policy_weights(tmp_path / "own" / "checkpoint.safetensors", 3, zeros, steps=40)
    with pytest.raises(StoreError, match=r"own/checkpoint\.safetensors is not of this cycle"):
        learn_in_cycle(FEW, rounds=2, folder=tmp_path / "own", executor=InProcess())


@pytest.mark.parametrize("row", ['{"steps": 20}', '{"steps": 20, "mse": "much"}'])
def test_rows_that_make_no_sense(row: str, tmp_path: Path) -> None:
    learn_in_cycle(FEW, rounds=1, folder=tmp_path, executor=InProcess())
    path = tmp_path / "rounds" / "0001" / "metrics.jsonl"
    whole = json.loads(path.read_text().splitlines()[-1])
    told = json.loads(row)
    path.write_text(json.dumps(told if len(told) == 1 else {**whole, **told}) + "\n")
    with pytest.raises(StoreError, match=r"rounds/0001/metrics\.jsonl: a row of metrics"):
        learn_in_cycle(FEW, rounds=1, folder=tmp_path, executor=InProcess())


@pytest.mark.parametrize("name", ["com,ma", "par(en)", "semi;colon", "quo'te", 'double"', "new\nline"])
def test_folders_whose_names_no_spec_can_have_are_refused_at_once(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="choose a folder whose name has no commas"):
        learn_in_cycle(FEW, rounds=1, folder=tmp_path / name, executor=Stops(0))
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["shipped-mine", "~odd", "two words", "{policy}", "a=b+c*d#e:f", "größe"])
def test_folders_with_odd_names(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = learn_in_cycle(FEW, rounds=2, folder=Path(name), executor=InProcess())
    start = Path(name) / "checkpoint.safetensors"
    again = learn_in_cycle(FEW, rounds=1, folder=Path("again"), executor=InProcess(), start=start)
    assert (result.rounds, again.rounds) == (2, 1)


def test_a_folder_that_was_moved_in_the_middle_of_a_round_says_so(tmp_path: Path) -> None:
    learn_in_cycle(FEW, rounds=1, folder=tmp_path / "here", executor=InProcess())
    with pytest.raises(KeyboardInterrupt):
        learn_in_cycle(FEW, rounds=2, folder=tmp_path / "here", executor=Stops(3))
    (tmp_path / "here").rename(tmp_path / "there")
    with pytest.raises(InvalidArgumentError, match=r"(?s)round 2 was begun .* move it back.*here/snapshots"):
        learn_in_cycle(FEW, rounds=2, folder=tmp_path / "there", executor=InProcess())
    (tmp_path / "there").rename(tmp_path / "here")
    assert learn_in_cycle(FEW, rounds=2, folder=tmp_path / "here", executor=InProcess()).made == 1


def test_files_of_experts_may_not_change_between_rounds(tmp_path: Path) -> None:
    weights = tmp_path / "weights.safetensors"
    save_policy_weights(weights, 3, np.zeros(policy_representation(3).weights))
    mixed = f"mix(0.5*{{policy}}+0.5*softmax-shapes({weights}))"
    settings = FEW.replace(labels=LABELS.replace(leaf_player=f"policy:name={mixed},sims=4"))
    learn_in_cycle(settings, rounds=1, folder=tmp_path / "run", executor=InProcess())
    save_policy_weights(weights, 3, np.ones(policy_representation(3).weights))
    with pytest.raises(InvalidArgumentError, match=r"experts\.leaf_player"):
        learn_in_cycle(settings, rounds=2, folder=tmp_path / "run", executor=InProcess())
