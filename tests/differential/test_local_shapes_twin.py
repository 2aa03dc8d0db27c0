"""Native local shapes against the slow twin, which is written from the definitions alone."""

from collections import Counter

import pytest

from katachi._core import Rng
from katachi.features.local_shapes import LocalShapes, Shape, ShapeSettings
from katachi.games.go import EyeRule, Position
from katachi.reference import local_shapes as twin

SCHEMES = ["none", "ci", "nld", "nli", "ld", "li"]


def named(shape: Shape) -> twin.Shape:
    row, col = shape.corner or (0, 0)
    return row, col, shape.rows


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("side", "size"), [(5, "1x1"), (5, "2x2"), (4, "2x1"), (4, "3x2"), (3, "3x3")])
def test_weights_are_the_classes_of_the_twin(side: int, size: str, scheme: str) -> None:
    shapes = LocalShapes(side, ShapeSettings.from_mapping({"sizes": (size,), "sharing": scheme}))
    expected = twin.unique_shapes(side, int(size[0]), int(size[2]), scheme)
    assert [named(shapes.shape_of_weight(weight)) for weight in range(shapes.weights)] == expected


@pytest.mark.parametrize("side", [5, 9])
def test_features_have_the_numbers_of_the_twin(side: int) -> None:
    shapes = LocalShapes(side, ShapeSettings(sizes=("1x1", "2x1", "2x2")))
    expected = [shape for size in ((1, 1), (2, 1), (2, 2)) for shape in twin.all_shapes(side, *size)]
    assert [named(shapes.shape_of_feature(feature)) for feature in range(shapes.features)] == expected


def positions(side: int, games: int) -> list[Position]:
    rng = Rng(side)
    found = []
    for game in range(games):
        position = Position(side)
        for move in position.native.playout_moves(rng, EyeRule.SIMPLE)[: 4 + 9 * game % (2 * side * side)]:
            if position.native.illegality(move) is not None:
                break
            position = position.play(move)
        found.append(position)
    return found


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_is_on_in_a_position(scheme: str) -> None:
    for side, sizes in ((5, ("1x1", "2x1", "2x2", "3x2", "3x3")), (9, ("1x1", "2x2", "3x3"))):
        shapes = LocalShapes(side, ShapeSettings.from_mapping({"sizes": sizes, "sharing": scheme}))
        for position in positions(side, 6):
            found = Counter(
                (named(shapes.shape_of_weight(abs(entry) - 1)), 1 if entry > 0 else -1)
                for entry in shapes.active(position).tolist()
            )
            pairs = [(int(size[0]), int(size[2])) for size in sizes]
            assert found == twin.active(position.stones(), side, pairs, scheme)


def test_both_schemes_at_once_are_one_after_the_other() -> None:
    shapes = LocalShapes(5, ShapeSettings(sizes=("2x2",)))
    apart = [LocalShapes(5, ShapeSettings(sizes=("2x2",), sharing=scheme)) for scheme in ("li", "ld")]
    names = [each.weight_name(weight) for each in apart for weight in range(each.weights)]
    assert [shapes.weight_name(weight) for weight in range(shapes.weights)] == names


def test_the_player_to_move() -> None:
    """White to move sees Black's shapes with colours exchanged, and its weights with their signs turned."""
    shapes = LocalShapes(5, ShapeSettings(sizes=("1x1", "2x2"), sharing="ld", turns="each"))
    for position in positions(5, 8):
        stones, sign = position.stones(), 1
        if int(position.to_play) == 1:
            stones, sign = stones.translate(str.maketrans("XO", "OX")), -1
        expected = Counter(
            {
                (shape, own * sign): count
                for (shape, own), count in twin.active(stones, 5, [(1, 1), (2, 2)], "nld").items()
            }
        )
        found = Counter(
            (named(shapes.shape_of_weight(abs(entry) - 1)), 1 if entry > 0 else -1)
            for entry in shapes.active(position).tolist()
        )
        assert found == expected
