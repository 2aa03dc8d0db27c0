"""What a simulated game teaches in Go: the slow twin by hand, and against what it must be equal to."""

import random
from itertools import pairwise
from math import exp
from typing import Any

import pytest

from katachi import InvalidArgumentError
from katachi.core.errors import SettingsError
from katachi.features.local_shapes import LocalShapes, ShapeSettings
from katachi.games.go import Position
from katachi.learning.td_settings import TdSettings
from katachi.reference.go_rules import TwinPosition, TwinRules
from katachi.reference.shape_learning import ShapeLearningTwin
from katachi.reference.td_search import TdSearchTwin, Weights
from katachi.values.shape_value import ShapeValue

SIDE = 3
RULES = TwinRules("simple", suicide=False)
CHOICES: dict[str, tuple[Any, ...]] = {
    "target": ("td", "td", "monte-carlo"),
    "plies": (1, 2),
    "learns_last": (True, False),
    "lambda_": (0.0, 0.3, 0.9, 1.0),
    "traces": ("accumulating", "replacing"),
    "trace_norm": ("at-add", "at-update"),
    "trace_parity": ("per-colour", "single"),
    "update_mode": ("end-refresh", "end-cached", "online"),
    "alpha": (0.05, 0.4),
}


def random_moves(root: TwinPosition, rng: random.Random, most: int = 12) -> list[int]:
    moves: list[int] = []
    position = root
    while not position.is_over() and len(moves) < most:
        moves.append(rng.choice(position.candidates("simple")))
        position = position.play(moves[-1])
    return moves


def random_root(rng: random.Random, side: int = SIDE) -> TwinPosition:
    position = TwinPosition.empty(side, side, RULES)
    for move in random_moves(position, rng, rng.randrange(4)):
        position = position.play(move)
    return position


def random_settings(rng: random.Random) -> TdSettings:
    while True:
        try:
            return TdSettings(**{name: rng.choice(values) for name, values in CHOICES.items()})
        except SettingsError:
            continue


def sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x))


def test_features_have_the_numbers_of_local_shapes() -> None:
    for side in (3, 5):
        shapes = LocalShapes(side, ShapeSettings(sharing="none"))
        twin = TdSearchTwin(side)
        rng = random.Random(side)
        position = random_root(rng, side)
        for number, (row, col, rows) in twin.active(position.stones()).items():
            shape = shapes.shape_of_feature(number)
            assert (shape.corner, shape.rows) == ((row, col), rows)
    assert twin.active("." * 25) == {}
    assert len(twin.active("." * 24 + "X")) == 3  # windows without a stone are none


def test_one_simulation_by_hand() -> None:
    """On 1x1 shapes of a 2x2 board: Black a2, White b2; then Black a1, a pass, a pass. All weights begin at 0."""
    twin = TdSearchTwin(2, TdSettings(alpha=0.1, update_mode="end-cached"), sizes=((1, 1),))
    root = TwinPosition.from_stones(2, 2, RULES, "XO..")
    black_0, white_1, black_2 = 1, 3 + 2, 6 + 1
    after, states = twin.learn(root, [2, 4, 4], 1.0, {})
    assert states == ["XO..", "XOX.", "XOX."]  # the root learns V(s_2), which is its own value: 1/2
    share = 0.1 * 0.5 / 3
    assert after == pytest.approx({black_0: 2 * share, white_1: 2 * share, black_2: 2 * share})
    again, _ = twin.learn(root, [2, 4, 4], 0.0, after)
    here, later = sigmoid(4 * share), sigmoid(6 * share)
    root_step = 0.1 / 2 * (later - here)
    last_steps = 0.1 / 3 * 2 * (0 - later)
    assert again[black_0] - after[black_0] == pytest.approx(root_step + last_steps)
    assert again[black_2] - after[black_2] == pytest.approx(last_steps)
    values = twin.root_values(root, after, "simple")
    assert values == pytest.approx({2: later, 3: sigmoid(2 * share)})  # the second one captures


def test_captured_stones_are_gone() -> None:
    twin = TdSearchTwin(3)
    root = TwinPosition.from_stones(3, 3, RULES, "OX.......")
    assert twin.boards(root, [3, 8, 4]) == ["OX.......", ".X.X.....", ".X.X....O"]


@pytest.mark.parametrize("seed", range(12))
def test_without_long_term_memory_it_is_learning_from_a_game(seed: int) -> None:
    """The twin of self-play learning, over entries feature + 1: another way to write traces down."""
    rng = random.Random(seed)
    for _ in range(4):
        settings = random_settings(rng)
        limit = rng.choice((None, 1, 2, 5))
        ours = TdSearchTwin(SIDE, settings, limit)
        theirs = ShapeLearningTwin(settings, LocalShapes(SIDE, ShapeSettings(sharing="none")).features)
        short: Weights = {}
        for _ in range(2):
            root = random_root(rng)
            moves, outcome = random_moves(root, rng), rng.choice((0.0, 0.5, 1.0))
            short, states = ours.learn(root, moves, outcome, short)
            assert len(states) == min(len(moves), limit or len(moves))
            theirs.learn_game([[f + 1 for f in ours.active(stones)] for stones in states], outcome)
        assert all(theirs.theta[f] == pytest.approx(weight, abs=1e-9) for f, weight in short.items()), settings
        assert sum(map(abs, theirs.theta)) == pytest.approx(sum(map(abs, short.values())), abs=1e-9)


def shared_weights(side: int, rng: random.Random) -> tuple[ShapeValue, dict[str, dict[Any, float]]]:
    """Random weights, as the package has them and as the twin takes them."""
    shapes = LocalShapes(side)
    weights = [rng.gauss(0, 0.3) for _ in range(shapes.weights)]
    long: dict[str, dict[Any, float]] = {"li": {}, "ld": {}}
    for number, weight in enumerate(weights):
        shape = shapes.shape_of_weight(number)
        long[shapes.family_of(number).scheme][(*(shape.corner or (0, 0)), shape.rows)] = weight
    return ShapeValue(shapes, weights), long


def test_long_term_values_are_those_of_shared_weights() -> None:
    rng = random.Random(1)
    value, long = shared_weights(SIDE, rng)
    twin = TdSearchTwin(SIDE, long=long)
    for _ in range(10):
        stones = random_root(rng).stones()
        rows = "\n".join(stones[i : i + SIDE] for i in range(0, SIDE * SIDE, SIDE))
        assert twin.value(stones, {}) == pytest.approx(value.value(Position.from_diagram(rows)), abs=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_two_memories_are_one_that_begins_with_the_long_term_weights(seed: int) -> None:
    """7.4: the same features, so θ̄ may start at the unshared θ; it moves by the same amounts."""
    rng = random.Random(seed)
    _, long = shared_weights(SIDE, rng)
    settings = random_settings(rng)
    two, one = TdSearchTwin(SIDE, settings, long=long), TdSearchTwin(SIDE, settings)
    short: Weights = {}
    for _ in range(3):
        root = random_root(rng)
        moves, outcome = random_moves(root, rng), rng.choice((0.0, 1.0))
        boards = two.boards(root, moves)
        start = {f: w + short.get(f, 0.0) for f, w in two.unshared(boards).items()}
        learnt, _ = one.learn(root, moves, outcome, start)
        after, _ = two.learn(root, moves, outcome, short)
        for f in start:
            assert after.get(f, 0.0) - short.get(f, 0.0) == pytest.approx(learnt[f] - start[f], abs=1e-12)
        short = after
    assert short


@pytest.mark.parametrize("traces", ["accumulating", "replacing"])
def test_lambda_0_is_td_0_and_lambda_1_by_colour_is_monte_carlo(traces: str) -> None:
    rng = random.Random(3)
    root = random_root(rng)
    moves = random_moves(root, rng)
    plain = TdSearchTwin(SIDE)
    start = {f: rng.gauss(0, 0.5) for stones in plain.boards(root, moves) for f in plain.active(stones)}

    def learnt(**options: Any) -> Weights:  # noqa: ANN401
        return TdSearchTwin(SIDE, TdSettings(update_mode="end-cached", **options)).learn(root, moves, 1.0, start)[0]

    assert learnt(lambda_=1e-30, traces=traces) == pytest.approx(learnt(), abs=1e-12)
    if traces == "accumulating":
        assert learnt(lambda_=1.0) == pytest.approx(learnt(target="monte-carlo"), abs=1e-12)


def test_one_step_moves_the_sum_by_alpha_delta() -> None:
    """Without sharing no weight stands twice in a state: the step is α in all (7.2, item 5)."""
    twin = TdSearchTwin(SIDE, TdSettings(alpha=0.1))
    root = TwinPosition.from_stones(SIDE, SIDE, RULES, "X...O...X")
    short, _ = twin.learn(root, [9], 1.0, {})
    assert sum(short.values()) == pytest.approx(0.1 * 0.5)


def test_records_end_at_the_limit() -> None:
    root = TwinPosition.empty(SIDE, SIDE, RULES)
    moves = [4, 0, 8, 2]
    full, cut = TdSearchTwin(SIDE), TdSearchTwin(SIDE, record_limit=3)
    boards = full.boards(root, moves)
    assert [sum(a != b for a, b in zip(x, y, strict=True)) for x, y in pairwise(boards)] == [1, 1, 1]
    assert cut.learn(root, moves, 1.0, {})[1] == boards[:3]
    learnt = cut.learn(root, moves, 1.0, {})[0]
    assert learnt.keys() == cut.active(boards[1]).keys() | cut.active(boards[2]).keys()  # both learn z; s_0 is empty
    assert not full.learn(root, moves, 1.0, {})[0].keys() <= learnt.keys()


def test_root_values_obey_superko_at_the_root() -> None:
    """Random games until superko forbids what simple ko allows; a simulation may go there all the same."""
    rng, met = random.Random(5), 0
    for _ in range(200):
        position = TwinPosition.empty(2, 2, TwinRules("positional", suicide=False))
        while not position.is_over() and met < 3:
            legal = position.legal_actions()
            barred = [action for action in position.candidates("simple") if action not in legal]
            if barred:
                values = TdSearchTwin(2, sizes=((1, 1),)).root_values(position, {}, "simple")
                assert not set(barred) & values.keys()
                assert values
                assert len(TdSearchTwin(2).boards(position, [barred[0]])) == 1
                met += 1
            position = position.play(rng.choice(legal))
    assert met == 3


def test_what_the_twin_refuses() -> None:
    with pytest.raises(InvalidArgumentError, match="head=logistic, not linear"):
        TdSearchTwin(3, TdSettings(head="linear"))
    with pytest.raises(InvalidArgumentError, match="step_rule=constant, not kalman"):
        TdSearchTwin(3, TdSettings(step_rule="kalman"))
    with pytest.raises(InvalidArgumentError, match="at least one state is recorded, not 0"):
        TdSearchTwin(3, record_limit=0)
