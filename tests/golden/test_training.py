"""Recorded results of training: a run's weights never change by a bit, and a file of them keeps its meaning.

Whoever changes these numbers makes all runs that exist irreproducible, and all their files with them.
"""

import hashlib
import shutil
from pathlib import Path
from typing import Any

import pytest

from katachi.learning.td_settings import TdSettings
from katachi.training.checkpoint import load_checkpoint
from katachi.training.self_play import SelfPlaySettings, self_play, train
from katachi.values.weights_file import load_weights

CHECKPOINT = Path(__file__).parent / "training" / "4x4_counts_40_games.safetensors"
CHECKPOINT_RUN = SelfPlaySettings(size=4, sizes=("1x1", "2x2"), seed=3, td=TdSettings(step_rule="counts"))


@pytest.mark.parametrize(
    ("settings", "checksum"),
    [
        ({}, "5324f28b6caff66a"),
        ({"td": TdSettings(lambda_=0.7, traces="replacing")}, "79d928bab7158535"),
        ({"td": TdSettings(update_mode="online")}, "42763692e0f8b088"),
        ({"td": TdSettings(step_rule="counts")}, "62ac9165c2f13133"),
        ({"td": TdSettings(step_rule="kalman")}, "eaff70c6df4d90cf"),
        ({"td": TdSettings(step_rule="idbd")}, "3d27f74205b4cd1b"),
        ({"turns": "each+both", "stage_length": 10}, "045b0e60012b60f1"),
        ({"sharing": "nld+nli", "turns": "each"}, "4a758df8aa24011c"),
        ({"size": 9}, "0505819cd73c38bb"),
        ({"size": 10, "sizes": ("1x1", "2x1")}, "b73f8e9a9ffa3bff"),
    ],
)
def test_weights_after_60_games(settings: dict[str, Any], checksum: str) -> None:
    play = self_play(SelfPlaySettings(size=5, seed=7).replace(**settings))
    play.run(60)
    assert hashlib.sha256(play.weights.tobytes()).hexdigest().startswith(checksum)


def test_a_checkpoint_means_what_it_meant() -> None:
    value, _ = load_weights(CHECKPOINT)
    recorded = {
        "1x1 X": 0.13641133904457092,
        "A4 1x1 X": 0.05069733411073685,
        "B3 1x1 X": 0.07246673107147217,
        "2x2 .X/X.": 0.12214411795139313,
        "A4 2x2 ../.X": 0.01627518981695175,
        "B4 2x2 .X/X.": 0.06549453735351562,
        "B3 2x2 OX/XX": 0.010863151401281357,
    }
    for name, weight in recorded.items():
        index, sign = value.shapes.parse_weight(name)
        assert (value.weights[index], sign) == (weight, 1), name


def test_a_checkpoint_goes_on(tmp_path: Path) -> None:
    """Though it is older than some settings."""
    shutil.copy(CHECKPOINT, tmp_path / "checkpoint.safetensors")
    assert train(CHECKPOINT_RUN, games=60, folder=tmp_path).played == 20
    whole = self_play(CHECKPOINT_RUN)
    whole.run(60)
    kept = load_checkpoint(tmp_path / "checkpoint.safetensors")
    assert kept.weights.tobytes() == whole.weights.tobytes()
    assert kept.step_memories[0].tobytes() == whole.step_memories[0].tobytes()
