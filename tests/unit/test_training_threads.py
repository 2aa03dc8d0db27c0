"""Several threads that learn the same weights: what they share, what each has of its own, and how they end."""

from pathlib import Path

import numpy
import pytest

from katachi import InvalidArgumentError
from katachi.core.errors import DivergenceError, SettingsError
from katachi.learning.td_settings import TdSettings
from katachi.training.checkpoint import load_checkpoint
from katachi.training.metrics import Metrics
from katachi.training.self_play import SelfPlaySettings, self_play, train

SMALL = SelfPlaySettings(size=4, sizes=("1x1", "2x2"), seed=3, threads=3, count_occurrences=True)
LEARNING = [
    TdSettings(),
    TdSettings(lambda_=0.7),
    TdSettings(update_mode="online"),
    TdSettings(step_rule="counts"),
    TdSettings(step_rule="kalman"),
    TdSettings(step_rule="idbd"),
]


def test_a_game_does_not_depend_on_the_thread_that_plays_it() -> None:
    """Weights that do not learn: then games are known by their number, and what is counted is exact."""
    frozen = SMALL.replace(td=TdSettings(alpha=0.0))
    plays = [self_play(frozen.replace(threads=threads)) for threads in (2, 3, 8)]
    weights = numpy.linspace(-1, 1, len(plays[0].weights), dtype=numpy.float32)
    tallies = []
    for play, stops in zip(plays, [(500,), (1, 3, 500), (100, 500)], strict=True):
        play.weights = weights
        for stop in stops:
            assert play.run(stop)
        tally = play.take_tally()
        tallies.append((tally.games, tally.moves, tally.values, tally.cut, tally.black_wins))
        assert numpy.array_equal(play.weights, weights)
        assert numpy.array_equal(play.occurrences, plays[0].occurrences)
    assert tallies[0] == tallies[1] == tallies[2]
    assert tallies[0][0] == 500
    other = self_play(frozen.replace(seed=4))
    other.weights = weights
    other.run(500)
    assert not numpy.array_equal(other.occurrences, plays[0].occurrences)


@pytest.mark.parametrize("td", LEARNING)
def test_all_threads_learn_the_same_weights(td: TdSettings) -> None:
    """They become as like to those of one thread as those of two seeds are: in the signs of what matters."""
    settings = SMALL.replace(size=5, td=td)
    one, three = self_play(settings.replace(threads=1)), self_play(settings)
    one.run(1500)
    three.run(1500)
    assert three.games == three.take_tally().games == 1500
    assert min(one.weights[0], three.weights[0]) > 0.02  # a stone is good
    assert numpy.corrcoef(one.weights, three.weights)[0, 1] > 0
    for ours, theirs in zip(three.step_memories, one.step_memories, strict=True):
        assert numpy.isfinite(ours).all()
        if td.step_rule == "kalman":
            assert 0 < ours.min() < ours.max() <= theirs.max()
    if td.step_rule == "counts":
        assert 0.5 < three.step_memories[0].sum() / three.occurrences.sum() <= 1


def test_a_run_goes_on_with_everything(tmp_path: Path) -> None:
    chosen = SMALL.replace(td=TdSettings(step_rule="counts"))
    train(chosen, games=20, folder=tmp_path)
    before = load_checkpoint(tmp_path / "checkpoint.safetensors")
    assert train(chosen, games=20, folder=tmp_path).played == 0
    still = load_checkpoint(tmp_path / "checkpoint.safetensors")
    assert still.weights.tobytes() == before.weights.tobytes()
    assert train(chosen, games=50, folder=tmp_path).played == 30
    after = load_checkpoint(tmp_path / "checkpoint.safetensors")
    assert (after.games, after.rng) == (50, before.rng)  # games are split from it by their numbers
    assert before.occurrences is not None
    assert after.occurrences is not None
    assert (after.occurrences >= before.occurrences).all()
    assert (after.step_memories[0] >= before.step_memories[0]).all()
    with pytest.raises(InvalidArgumentError, match="threads: 3 there, 1 now"):
        train(chosen.replace(threads=1), games=60, folder=tmp_path)


def test_games_after_a_resume_are_new_ones() -> None:
    frozen = SMALL.replace(td=TdSettings(alpha=0.0))
    whole, first, second = (self_play(frozen) for _ in range(3))
    whole.run(200)
    first.run(80)
    second.rng, second.games, second.occurrences = first.rng, first.games, first.occurrences
    second.run(200)
    assert numpy.array_equal(second.occurrences, whole.occurrences)


def test_an_error_in_one_thread_ends_all(tmp_path: Path) -> None:
    wild = SMALL.replace(td=TdSettings(head="linear", alpha=1000.0))
    with pytest.raises(DivergenceError, match=r"in game \d+: a smaller alpha, or variance, may help"):
        train(wild, games=10_000, folder=tmp_path)
    assert load_checkpoint(tmp_path / "checkpoint.safetensors").games == 0
    play = self_play(wild)
    with pytest.raises(DivergenceError):
        play.run(10_000)
    assert play.games == play.take_tally().games < 10_000


def test_threads_are_interrupted_and_stopped(tmp_path: Path) -> None:
    def interrupt(games: int, _row: Metrics | None) -> None:
        if games > 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(SMALL, games=10**9, folder=tmp_path, on_games=interrupt)
    assert load_checkpoint(tmp_path / "checkpoint.safetensors").games > 30
    play = self_play(SMALL)
    shares: list[float] = []

    def stop(share: float) -> bool:
        shares.append(share)
        return len(shares) < 3

    assert not play.run(10**9, stop)
    assert shares == sorted(shares)
    assert play.games == play.take_tally().games > 0


def test_how_many_threads_there_can_be() -> None:
    with pytest.raises(SettingsError, match="threads"):
        SelfPlaySettings(threads=0)
    with pytest.raises(InvalidArgumentError, match="from 1 to 256 threads, not 300"):
        self_play(SMALL.model_copy(update={"threads": 300}))
