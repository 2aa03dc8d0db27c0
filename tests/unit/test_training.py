"""Runs of self-play in folders: what they write, that they go on exactly, and what they refuse."""

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy
import pytest

from katachi import InvalidArgumentError
from katachi.core.errors import DivergenceError, StoreError
from katachi.learning.td_settings import TdSettings
from katachi.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from katachi.training.metrics import Metrics
from katachi.training.self_play import Schedule, SelfPlaySettings, self_play, snapshot_counts, train

SMALL = SelfPlaySettings(size=4, sizes=("1x1", "2x2"), seed=3)
STEPS = [TdSettings(), TdSettings(step_rule="counts"), TdSettings(step_rule="kalman"), TdSettings(step_rule="idbd")]
REPRESENTATIONS: list[dict[str, Any]] = [
    {"turns": "each"},
    {"turns": "each+both", "sharing": "ld"},
    {"stage_length": 5},
    {"sizes": ("2x1", "3x2"), "sharing": "none"},
    {"td": TdSettings(update_mode="online")},
    {"td": TdSettings(lambda_=0.7)},
    {"ties": "last", "epsilon": 0.0, "eye_rule": "strict"},
]


def test_one_seed_gives_one_result_in_any_slices() -> None:
    one, other, third = self_play(SMALL), self_play(SMALL), self_play(SMALL.replace(seed=4))
    one.run(60)
    third.run(60)
    for until in (1, 2, 17, 60):
        other.run(until)
    assert numpy.array_equal(one.weights, other.weights)
    assert not numpy.array_equal(one.weights, third.weights)
    assert one.games == other.games == 60


@pytest.mark.parametrize("settings", [{"td": td} for td in STEPS] + REPRESENTATIONS)
def test_a_run_goes_on_exactly(settings: dict[str, Any], tmp_path: Path) -> None:
    chosen = SMALL.replace(**settings)
    whole = self_play(chosen)
    whole.run(50)
    for games in (20, 50):
        train(chosen, games=games, folder=tmp_path)
    kept = load_checkpoint(tmp_path / "checkpoint.safetensors")
    assert kept.games == 50
    assert kept.weights.tobytes() == whole.weights.tobytes()
    assert any(kept.weights)
    assert kept.rng == whole.rng
    for ours, theirs in zip(kept.step_memories, whole.step_memories, strict=True):
        assert ours.tobytes() == theirs.tobytes()


def test_an_interrupted_run_keeps_what_it_has(tmp_path: Path) -> None:
    def interrupt(games: int, _row: Metrics | None) -> None:
        if games > 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(SMALL, games=10**9, folder=tmp_path, on_games=interrupt)
    kept = load_checkpoint(tmp_path / "checkpoint.safetensors")
    whole = self_play(SMALL)
    whole.run(kept.games)
    assert kept.weights.tobytes() == whole.weights.tobytes()
    assert kept.games > 30


def test_what_a_folder_has(tmp_path: Path) -> None:
    schedule = Schedule(metrics_games=25, checkpoint_games=40)
    result = train(SMALL, games=60, folder=tmp_path, schedule=schedule)
    snapshots = sorted(path.name for path in (tmp_path / "snapshots").iterdir())
    assert snapshots == [f"games_{n:010}.safetensors" for n in (10, 12, 14, 17, 21, 25, 30, 36, 43, 52)]
    kept = load_checkpoint(tmp_path / "snapshots" / snapshots[3])
    whole = self_play(SMALL)
    whole.run(17)
    assert (kept.games, kept.rng) == (17, None)
    assert kept.weights.tobytes() == whole.weights.tobytes()
    rows = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [row["games"] for row in rows] == [10, 12, 14, 17, 21, 25, 30, 36, 40, 43, 50, 52, 60]
    assert result.to_json()["metrics"] == rows[-1]
    for row in rows:
        assert 0 <= row["black_wins"] <= 1
        assert 2 <= row["moves_per_game"] <= 1000
        assert row["cross_entropy"] > 0
        assert row["rms_error"] >= abs(row["mean_error"])
        assert min(row["games_per_cpu_second"], row["values_per_cpu_second"], row["rms_to_outcome"]) > 0
    assert train(SMALL, games=60, folder=tmp_path).played == 0


def test_snapshots_may_be_left_out(tmp_path: Path) -> None:
    for name, schedule in (("with", Schedule()), ("without", Schedule(snapshots=False))):
        train(SMALL, games=30, folder=tmp_path / name, schedule=schedule)
    assert not list((tmp_path / "without" / "snapshots").iterdir())
    one, other = (load_checkpoint(tmp_path / name / "checkpoint.safetensors") for name in ("with", "without"))
    assert one.weights.tobytes() == other.weights.tobytes()


def test_rows_of_games_that_were_lost_are_dropped(tmp_path: Path) -> None:
    train(SMALL, games=20, folder=tmp_path)
    metrics = tmp_path / "metrics.jsonl"
    kept = metrics.read_text()
    metrics.write_text(kept + '{"games": 21}\n{"games": 3')
    train(SMALL, games=20, folder=tmp_path)
    assert metrics.read_text() == kept


def test_snapshot_counts_grow() -> None:
    assert list(islice(snapshot_counts(), 8)) == [10, 12, 14, 17, 21, 25, 30, 36]
    counts = list(islice(snapshot_counts(), 100))
    assert counts == sorted(set(counts))


def test_other_settings_are_refused_by_name(tmp_path: Path) -> None:
    train(SMALL, games=5, folder=tmp_path)
    other = SMALL.replace(seed=9, td=TdSettings(lambda_=0.5))
    with pytest.raises(InvalidArgumentError, match=r"(?s)seed: 3 there, 9 now.*td.lambda_: 0.0 there, 0.5 now"):
        train(other, games=5, folder=tmp_path)


def test_damaged_files_are_named(tmp_path: Path) -> None:
    train(SMALL, games=5, folder=tmp_path)
    path = tmp_path / "checkpoint.safetensors"
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[-2] ^= 1
    other_format = whole.replace(b'\\"format\\":1', b'\\"format\\":9')
    assert other_format != whole
    for content in (b"", b"rubbish" * 9, whole[:-4], whole[: len(whole) // 2], bytes(flipped), other_format):
        path.write_bytes(content)
        with pytest.raises(StoreError, match=r"checkpoint\.safetensors"):
            train(SMALL, games=6, folder=tmp_path)
    with pytest.raises(StoreError, match="no such file"):
        load_checkpoint(tmp_path / "nothing")
    play = self_play(SMALL)
    kept = Checkpoint(SMALL.to_json(), 5, play.weights[:-1], (), play.rng)
    save_checkpoint(path, kept)
    with pytest.raises(StoreError, match="numbers are needed"):
        train(SMALL, games=6, folder=tmp_path)
    save_checkpoint(path, Checkpoint(SMALL.to_json(), 5, play.weights))
    with pytest.raises(StoreError, match="snapshot"):
        train(SMALL, games=6, folder=tmp_path)
    save_checkpoint(path, Checkpoint(SMALL.to_json(), 5, play.weights * numpy.float32(numpy.nan)))
    with pytest.raises(StoreError, match="finite"):
        train(SMALL, games=6, folder=tmp_path)


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"):
        train(SMALL, games=5, folder=tmp_path / "file")


def test_weights_without_bounds_are_an_error(tmp_path: Path) -> None:
    wild = SMALL.replace(td=TdSettings(head="linear", alpha=1000.0))
    with pytest.raises(DivergenceError, match="a smaller alpha, or variance, may help"):
        train(wild, games=10_000, folder=tmp_path)
    assert load_checkpoint(tmp_path / "checkpoint.safetensors").games == 0


def test_frozen_weights_stay(tmp_path: Path) -> None:
    play = self_play(SMALL.replace(td=TdSettings(alpha=0.0), epsilon=0.0))
    weights = numpy.linspace(-1, 1, len(play.weights), dtype=numpy.float32)
    play.weights = weights
    play.run(10)
    assert numpy.array_equal(play.weights, weights)
    tally = play.take_tally()
    assert (tally.games, tally.cut) == (10, 0)
    assert tally.values > tally.moves
    assert play.take_tally().games == 0


def test_the_last_state_is_not_learnt_about() -> None:
    """The states after 0, 1 and 2 moves have as many stones, each with a weight; the end has an outcome instead."""
    points = SMALL.replace(size=3, sizes=("1x1",), sharing="none", longest_game=3, td=TdSettings(step_rule="counts"))
    play = self_play(points)
    play.run(20)
    assert play.step_memories[0].sum() == 20 * (0 + 1 + 2)


def test_afterstates_are_of_their_own_stage() -> None:
    """Stages of one move: the first stone goes where the weights of the second stage want it."""
    counting = TdSettings(step_rule="counts", alpha=0.0)
    play = self_play(
        SMALL.replace(size=3, sizes=("1x1",), sharing="none", stage_length=1, epsilon=0.0, longest_game=2, td=counting)
    )
    weights, black_at_5 = numpy.zeros(len(play.weights), dtype=numpy.float32), 18 + 5 * 2
    weights[black_at_5] = 1
    play.weights = weights
    play.run(20)
    assert play.step_memories[0][black_at_5] == 20


def test_frozen_weights_have_the_same_errors() -> None:
    """They are not recomputed; a step that is too small for float32 recomputes them."""
    frozen, still = (self_play(SMALL.replace(td=TdSettings(alpha=alpha))) for alpha in (0.0, 1e-30))
    weights = numpy.linspace(-1, 1, len(frozen.weights), dtype=numpy.float32)
    weights[weights == 0] = 1
    frozen.weights = still.weights = weights
    frozen.run(20)
    still.run(20)
    assert numpy.array_equal(still.weights, weights)
    ours, theirs = frozen.take_tally().errors, still.take_tally().errors
    for name in ("cross_entropy", "mean", "rms", "rms_to_outcome"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=1e-5)
    assert frozen.rng == still.rng


def test_occurrences_are_counted_by_hand() -> None:
    """After 0, 1 and 2 moves there are as many stones; without sharing a stone's weight is of its point and colour."""
    points = SMALL.replace(size=3, sizes=("1x1",), sharing="none", longest_game=3, count_occurrences=True)
    play = self_play(points)
    play.run(20)
    assert play.occurrences.dtype == numpy.uint64
    assert play.occurrences.sum() == 20 * (0 + 1 + 2)
    by_colour = play.occurrences.reshape(-1, 2).sum(axis=0)  # each point: Black's weight, White's
    assert by_colour.tolist() == [20 * (1 + 1), 20 * 1]


@pytest.mark.parametrize("settings", [{}, {"turns": "each+both"}, {"stage_length": 5}, {"sharing": "li"}])
def test_occurrences_are_those_of_the_steps(settings: dict[str, Any]) -> None:
    """The step rule `counts` counts the same entries, for its own purpose; frozen weights learn nothing."""
    counting = SMALL.replace(**settings, count_occurrences=True, td=TdSettings(step_rule="counts"))
    play = self_play(counting)
    play.run(30)
    assert play.step_memories[0].sum() > 0
    assert numpy.array_equal(play.occurrences, play.step_memories[0])
    still, moving = (self_play(counting.replace(td=TdSettings(alpha=alpha))) for alpha in (0.0, 1e-30))
    for each in (still, moving):
        each.weights = play.weights
        each.run(30)
    assert still.rng == moving.rng
    assert numpy.array_equal(still.occurrences, moving.occurrences)


def test_counting_occurrences_changes_nothing_else(tmp_path: Path) -> None:
    counting, plain = self_play(SMALL.replace(count_occurrences=True)), self_play(SMALL)
    counting.run(50)
    plain.run(50)
    assert counting.weights.tobytes() == plain.weights.tobytes()
    with pytest.raises(InvalidArgumentError, match="count_occurrences"):
        _ = plain.occurrences
    with pytest.raises(InvalidArgumentError, match="occurrences: 66 numbers are needed, not 2"):
        counting.occurrences = numpy.zeros(2, dtype=numpy.uint64)


def test_occurrences_go_on_with_the_run(tmp_path: Path) -> None:
    chosen = SMALL.replace(count_occurrences=True)
    whole = self_play(chosen)
    whole.run(50)
    for games in (20, 50):
        train(chosen, games=games, folder=tmp_path)
    path = tmp_path / "checkpoint.safetensors"
    kept = load_checkpoint(path)
    assert kept.occurrences is not None
    assert numpy.array_equal(kept.occurrences, whole.occurrences)
    with pytest.raises(InvalidArgumentError, match="count_occurrences: True there, False now"):
        train(SMALL, games=60, folder=tmp_path)
    wrong: list[Any] = [kept.occurrences[:-1], kept.occurrences.astype(numpy.float32)]
    for damaged in wrong:
        save_checkpoint(path, replace(kept, occurrences=damaged))
        with pytest.raises(StoreError, match="its occurrences are"):
            train(chosen, games=60, folder=tmp_path)
    save_checkpoint(path, replace(kept, occurrences=None))
    with pytest.raises(StoreError, match="counts occurrences, but there are none"):
        train(chosen, games=60, folder=tmp_path)


def test_games_that_are_too_long_are_draws() -> None:
    play = self_play(SMALL.replace(longest_game=3))
    play.run(7)
    tally = play.take_tally()
    assert (tally.games, tally.cut, tally.moves, tally.black_wins) == (7, 7, 21, 3.5)


def test_tensorboard(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX")
    train(SMALL, games=12, folder=tmp_path, schedule=Schedule(tensorboard=True))
    assert list((tmp_path / "tensorboard").iterdir())


def test_tensorboard_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "tensorboardX", None)
    with pytest.raises(InvalidArgumentError, match=r"katachi\[tensorboard\]"):
        train(SMALL, games=12, folder=tmp_path, schedule=Schedule(tensorboard=True))
