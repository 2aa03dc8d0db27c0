"""Inputs of networks: native numbers are those of the slow twin, in random games on boards of several shapes."""

import random

import pytest

from katachi._core import Player
from katachi.features.board_inputs import FULL, BoardInputs, BoardInputSettings, InputGroup
from katachi.games.go import Position, Rules
from katachi.reference.board_inputs import board_inputs


@pytest.mark.parametrize(("width", "height"), [(5, 5), (1, 1), (3, 2), (9, 9), (13, 4), (19, 19)])
@pytest.mark.parametrize("scaled", [False, True])
def test_random_games(width: int, height: int, scaled: bool) -> None:
    rng = random.Random(width * 100 + height)
    groups: tuple[InputGroup, ...] = (
        (*FULL, "ko") if scaled else ("atari", *(group for group in FULL if group != "atari"))
    )
    inputs = BoardInputs(width, height, BoardInputSettings(groups=groups, scale_inputs=scaled))
    position, ataris = Position(width, height, Rules.named("tromp-taylor")), 0
    for _ in range(60):
        if position.is_over:
            break
        position = position.play(rng.choice(position.legal_actions()))
        for viewpoint in (Player.BLACK, Player.WHITE):
            expected = board_inputs(
                position.stones(), width, height, viewpoint, groups, scaled=scaled, has_ko=position.ko is not None
            )
            assert inputs.read(position, viewpoint).tolist() == pytest.approx(expected)
            ataris += bool(expected[0]) and not scaled
    assert ataris or scaled or (width, height) == (1, 1) or width > 9
