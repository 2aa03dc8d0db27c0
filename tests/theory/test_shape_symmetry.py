"""Local shapes: their counts by formula (Silver 2009, 5.3 and 5.4), and what symmetries of the board may not change."""

from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from katachi._core import LookupKind, Rng, ShapeWeights, audit_shapes
from katachi.features.local_shapes import LocalShapes, ShapeSettings
from katachi.games.go import EyeRule, Position, Symmetry
from katachi.values.shape_value import ShapeValue, logistic

# The sizes of boards, with the unique weights LD of 1x1, 2x2 and 3x3, all of LI + LD, and those of 1x1 and 2x2 alone.
TABLE = {
    5: (6, 92, 11_610, 13_135, 107),
    6: (6, 140, 20_033, 21_606, 155),
    7: (10, 198, 31_643, 33_278, 217),
    9: (15, 344, 61_517, 63_303, 368),
    11: (21, 530, 101_232, 103_210, 560),
    13: (28, 756, 150_788, 152_999, 793),
    15: (36, 1022, 210_185, 212_670, 1067),
    19: (55, 1674, 358_502, 361_658, 1738),
}
SIZES = ("1x1", "2x1", "2x2", "3x2", "3x3")


@pytest.mark.parametrize("side", TABLE)
def test_counts_are_those_of_the_source(side: int) -> None:
    shapes = LocalShapes(side)
    *by_size, total, small = TABLE[side]
    counts = {family.name: family for family in shapes.families}
    for m, expected in zip((1, 2, 3), by_size, strict=True):
        assert counts[f"{m}x{m} ld"].weights == expected
        assert counts[f"{m}x{m} ld"].features == (side - m + 1) ** 2 * 3 ** (m * m)
    assert [counts[f"{m}x{m} li"].weights for m in (1, 2, 3)] == [1, 8, 1418]
    assert shapes.weights == total
    assert LocalShapes(side, ShapeSettings(sizes=("1x1", "2x2"))).weights == small


def test_nine_by_nine() -> None:
    shapes = LocalShapes(9)
    assert shapes.features == 969_894
    assert shapes.max_active == 388
    unshared = LocalShapes(9, ShapeSettings(sharing="none"))
    assert (unshared.weights, unshared.max_active) == (969_700, 194)


def cells(width: int, height: int) -> list[tuple[int, int]]:
    return list(product(range(height), range(width)))


def cycles(places: list[tuple[int, int]], image: dict[tuple[int, int], tuple[int, int]]) -> Iterator[int]:
    """The lengths of the cycles of a permutation."""
    left = set(places)
    while left:
        start = place = left.pop()
        length = 1
        while (place := image[place]) != start:
            left.discard(place)
            length += 1
        yield length


def burnside(side: int, size: str, scheme: str) -> int:
    """Classes with a weight: fixed contents, counted over the group, less those that an exchange of colours fixes, too.

    Empty contents are one class of each window, or of all, that has no weight: fixed by everything, they cancel where
    colours are exchanged, and are taken off elsewhere.
    """
    turns, inverts = scheme in ("nld", "nli", "ld", "li"), scheme in ("ci", "ld", "li")
    moves = scheme in ("nli", "li")
    width, height = int(size[0]), int(size[2])
    shapes = {(width, height), (height, width)}
    # Where windows may be anywhere, one window for each orientation; turned about its own centre.
    windows = [(w, h, r, c) for w, h in shapes for r, c in product(range(side - h + 1), range(side - w + 1))]
    total, empty, order = 0, 0, 0
    for symmetry in Symmetry.all() if turns else [Symmetry()]:
        order += 1
        for w, h, row, col in windows:
            if moves and (row, col) != (0, 0):
                continue
            frame = (w, h) if moves else (side, side)
            start = (0, 0) if moves else (row, col)
            if moves and symmetry.size(*frame) != frame:
                continue
            places = [(start[0] + r, start[1] + c) for r, c in cells(w, h)]
            image = {p: divmod(symmetry.image(p[0] * frame[0] + p[1], *frame), frame[0]) for p in places}
            if set(image.values()) != set(places):
                continue
            lengths = list(cycles(places, image))
            total += 3 ** len(lengths)
            empty += 1
            if inverts:
                total -= 3 ** sum(length % 2 == 0 for length in lengths)
    if inverts:
        return total // (2 * order)
    return (total - empty) // order


@pytest.mark.parametrize("side", [3, 5, 6, 9])
@pytest.mark.parametrize("scheme", ["none", "ci", "nld", "nli", "ld", "li"])
def test_counts_are_those_of_burnside(side: int, scheme: str) -> None:
    shapes = LocalShapes(side, ShapeSettings.from_mapping({"sizes": SIZES, "sharing": scheme}))
    for family in shapes.families:
        assert family.weights == burnside(side, family.size, scheme), family.name


@pytest.mark.parametrize("side", range(5, 20))
def test_counts_of_all_boards(side: int) -> None:
    shapes = LocalShapes(side)
    for family in shapes.families:
        assert family.weights == burnside(side, family.size, family.scheme), family.name
    assert shapes.weights == sum(family.weights for family in shapes.families)


def random_positions(side: int, count: int, seed: int = 3) -> list[Position]:
    rng = Rng(seed)
    found = []
    for i in range(count):
        position = Position(side)
        moves = position.native.playout_moves(rng, EyeRule.SIMPLE)
        for move in moves[: 5 + 7 * i % (2 * side * side)]:
            if position.native.illegality(move) is None:
                position = position.play(move)
        found.append(position)
    return found


def image(position: Position, symmetry: Symmetry, *, inverted: bool) -> Position:
    """The position with its board turned, and colours and player to move exchanged if asked."""
    side = position.width
    stones = [""] * (side * side)
    for point, stone in enumerate(position.stones()):
        stones[symmetry.image(point, side, side)] = stone
    text = "".join(stones)
    if inverted:
        text = text.translate(str.maketrans("XO", "OX"))
    black, white = ([i for i, c in enumerate(text) if c == stone] for stone in "XO")
    to_play = type(position.to_play)(1 - int(position.to_play)) if inverted else position.to_play
    return Position.set_up(side, side, black=black, white=white, to_play=to_play)


@pytest.mark.parametrize("turns", ["both", "each", "each+both"])
@pytest.mark.parametrize("sizes", [("1x1", "2x2", "3x3"), ("2x1", "3x2")])
def test_symmetries_keep_the_multiset_of_weights(turns: str, sizes: tuple[str, ...]) -> None:
    for side in (5, 9):
        shapes = LocalShapes(side, ShapeSettings.from_mapping({"sizes": sizes, "turns": turns}))
        for position in random_positions(side, 12):
            here = Counter(shapes.active(image(position, Symmetry(), inverted=False)).tolist())
            opposite = Counter({-entry: count for entry, count in here.items()})
            for symmetry in Symmetry.all():
                assert Counter(shapes.active(image(position, symmetry, inverted=False)).tolist()) == here
                assert Counter(shapes.active(image(position, symmetry, inverted=True)).tolist()) == opposite


def weights_of(shapes: LocalShapes, seed: int, *, grid: bool) -> np.ndarray:
    values = np.random.default_rng(seed).normal(0.0, 0.1, shapes.weights)
    return (np.round(values * 1024) / 1024 if grid else values).astype(np.float32)


@pytest.mark.parametrize("turns", ["both", "each", "each+both"])
@pytest.mark.parametrize("grid", [True, False])
def test_values_of_inverted_positions_add_up_to_one(turns: str, grid: bool) -> None:
    for side in (5, 9):
        shapes = LocalShapes(side, ShapeSettings.from_mapping({"turns": turns}))
        value = ShapeValue(shapes, weights_of(shapes, side, grid=grid))
        for position in random_positions(side, 40):
            for symmetry in Symmetry.all():
                pair = [value.value(image(position, symmetry, inverted=inverted)) for inverted in (False, True)]
                if grid:
                    assert sum(pair) == 1.0
                    assert pair[0] == value.value(image(position, Symmetry(), inverted=False))
                else:
                    assert sum(pair) == pytest.approx(1.0, abs=1e-6)


def test_logistic_is_symmetric() -> None:
    for x in (*np.linspace(0, 40, 1001), 800.0, 1e300):
        assert logistic(float(x)) + logistic(-float(x)) == 1.0


@pytest.mark.parametrize("kind", [LookupKind.SHARED, LookupKind.FROZEN, LookupKind.FUSED])
@pytest.mark.parametrize("side", [5, 9])
def test_kept_sums_are_recomputed_ones(side: int, kind: LookupKind) -> None:
    shapes = LocalShapes(side)
    value = ShapeValue(shapes, weights_of(shapes, 7, grid=False))
    positions = 100_000 if kind is LookupKind.SHARED else 20_000
    tally = audit_shapes(shapes.native, value.native, Rng(1), positions, kind)
    assert tally.positions >= positions
    assert tally.captures > positions / 50
    assert tally.taking > tally.captures
    assert tally.sum_error < 1e-5
    assert tally.afterstate_error < 1e-5


@pytest.mark.parametrize(
    "settings",
    [
        ShapeSettings(turns="each"),
        ShapeSettings(turns="each+both", sharing="li"),
        ShapeSettings(stage_length=10),
        ShapeSettings(sizes=("1x1", "2x1", "2x2", "3x2", "3x3"), sharing="nld+nli", turns="each", stage_length=25),
        ShapeSettings(sizes=("1x1",), sharing="none"),
        ShapeSettings(sizes=("3x2",), sharing="ci"),
    ],
)
@pytest.mark.parametrize("kind", [LookupKind.SHARED, LookupKind.FROZEN, LookupKind.FUSED])
def test_all_afterstates_of_other_representations(settings: ShapeSettings, kind: LookupKind) -> None:
    shapes = LocalShapes(5, settings)
    value = ShapeValue(shapes, weights_of(shapes, 11, grid=False))
    tally = audit_shapes(shapes.native, value.native, Rng(2), 2_000, kind, all=True)
    assert tally.captures > 20
    assert tally.afterstates > 10 * tally.captures
    assert tally.sum_error < 1e-5
    assert tally.afterstate_error < 1e-5


def test_a_large_board() -> None:
    shapes = LocalShapes(13)
    value = ShapeValue(shapes, weights_of(shapes, 5, grid=False))
    tally = audit_shapes(shapes.native, value.native, Rng(5), 2_000)
    assert tally.captures > 10
    assert max(tally.sum_error, tally.afterstate_error) < 1e-5


def test_the_audit_sees_a_difference() -> None:
    """Weights so large that float32 cannot hold their sums."""
    shapes = LocalShapes(5)
    weights = ShapeWeights(shapes.weights)
    weights.assign((weights_of(shapes, 1, grid=False) * 1e6).astype(np.float32))
    assert audit_shapes(shapes.native, weights, Rng(1), 1_000).afterstate_error > 1e-5
