"""Inputs of networks in Go: the vectors of the specification, and what is refused (Ekker, 5.2)."""

import numpy
import pytest

from katachi import InvalidArgumentError
from katachi._core import Player
from katachi.core.errors import SettingsError
from katachi.features.board_inputs import BOARD, FULL, BoardInputs, BoardInputSettings
from katachi.games.go import Position, Rules

RULES = Rules.named("tromp-taylor")


def position(moves: str, size: int = 5) -> Position:
    """Vertices in turn, Black first."""
    found = Position(size, size, RULES)
    for vertex in moves.split():
        found = found.play(found.action(vertex))
    return found


def by_name(moves: str, viewpoint: Player = Player.BLACK) -> dict[str, float]:
    inputs = BoardInputs(5, 5)
    return dict(zip(inputs.names, inputs.read(position(moves), viewpoint).tolist(), strict=True))


def test_an_empty_board_is_nothing() -> None:
    for viewpoint in (Player.BLACK, Player.WHITE):
        assert not BoardInputs(5, 5).read(position(""), viewpoint).any()


def test_sizes() -> None:
    assert BoardInputs(5, 5).size == 32
    assert BoardInputs(5, 5, BoardInputSettings(groups=BOARD)).size == 25
    assert BoardInputs(9, 9).size == 81 + 7
    assert BoardInputs(5, 5, BoardInputSettings(groups=(*FULL, "ko"))).size == 33


def test_a_lone_stone_in_the_centre() -> None:
    found = by_name("C3")
    assert {name: value for name, value in found.items() if value} == {
        "point 12": 4,
        "own liberties": 4,
        "stone difference": 1,
    }


def test_a_lone_stone_in_a_corner() -> None:
    found = by_name("A1")
    assert {name: value for name, value in found.items() if value} == {
        "point 20": 2,
        "own liberties": 2,
        "stone difference": 1,
        "own edge stones": 1,
    }


def test_liberties_are_capped_for_points_and_not_for_sums() -> None:
    found = by_name("C3 A1 C2 A2 D3 pass")  # three black stones with seven liberties
    assert found["point 12"] == found["point 13"] == found["point 17"] == 5
    assert found["own liberties"] == 7
    assert found["enemy liberties"] == 3
    assert found["point 20"] == found["point 15"] == -3
    assert found["stone difference"] == 1
    assert found["enemy edge stones"] == 2
    assert (found["own atari"], found["enemy atari"]) == (0, 0)


def test_a_shared_liberty_counts_for_each_chain_and_atari_is_seen() -> None:
    found = by_name("A2 A1 C1 pass")
    assert found["point 20"] == -1
    assert (found["own atari"], found["enemy atari"]) == (0, 1)
    assert found["own liberties"] == 2 + 3  # B1 is a liberty of C1, and of White's A1
    assert found["enemy liberties"] == 1


def test_the_other_side_sees_it_the_other_way_round() -> None:
    moves = "A2 A1 C1 D3 D4 C4 B3"
    black, white = by_name(moves), by_name(moves, Player.WHITE)
    for name, value in black.items():
        if name.startswith("own"):
            assert white[name.replace("own", "enemy")] == value
        elif name.startswith("enemy"):
            assert white[name.replace("enemy", "own")] == value
        else:
            assert white[name] == -value
    assert any(black.values())


def test_scaled_inputs() -> None:
    raw = BoardInputs(5, 5).read(position("A1 C3 B3 E5"), Player.BLACK)
    scaled = BoardInputs(5, 5, BoardInputSettings(scale_inputs=True)).read(position("A1 C3 B3 E5"), Player.BLACK)
    divisors = numpy.array([5.0] * 25 + [25.0] * 3 + [16.0] * 2 + [1.0] * 2)
    assert scaled == pytest.approx(raw / divisors)


def test_a_ko_is_seen() -> None:
    inputs = BoardInputs(5, 5, BoardInputSettings(groups=("ko",)))
    ko = position("B5 C5 A4 D4 B3 C3 C4 B4")  # White takes C4 back-to-back with Black's B4 mouth
    assert ko.ko is not None
    assert inputs.read(ko, Player.BLACK).tolist() == [1.0]
    assert inputs.read(ko.play(ko.action("E1")), Player.BLACK).tolist() == [0.0]


def test_what_is_refused() -> None:
    with pytest.raises(SettingsError, match="a group is named twice: points, points"):
        BoardInputSettings(groups=("points", "points"))
    with pytest.raises(InvalidArgumentError, match="for boards of 5x5, not of 9x9"):
        BoardInputs(5, 5).read(position("", 9), Player.BLACK)
    with pytest.raises(InvalidArgumentError, match="0x5"):
        BoardInputs(0, 5)
