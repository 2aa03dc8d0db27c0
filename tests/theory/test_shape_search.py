"""Alpha-beta on local shapes against plain minimax over positions, and the evaluation that both stand on."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from katachi import Limit, Player, Rng
from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Action
from katachi.features.local_shapes import LocalShapes, ShapeSettings
from katachi.games.go import GoGame, Position, Rules, Symmetry
from katachi.games.go.game import outcome
from katachi.games.native import TicTacToe
from katachi.players.registry import make_player
from katachi.search.alpha_beta import WON, AlphaBeta, AlphaBetaSettings
from katachi.values.shape_value import ShapeValue
from tests.theory.test_shape_symmetry import image, random_positions

RULES = Rules(ko="simple", suicide=False, komi=0.5)
REPRESENTATIONS = {
    "plain": ShapeSettings(),
    "one size": ShapeSettings(sizes=("2x2",), sharing="none"),
    "turns": ShapeSettings(sizes=("1x1", "2x2"), turns="each+both"),
    "stages": ShapeSettings(sizes=("1x1", "2x2"), stage_length=3),
}


def value_of(side: int, settings: ShapeSettings, seed: int = 1, scale: float = 0.1) -> ShapeValue:
    shapes = LocalShapes(side, settings)
    return ShapeValue(shapes, np.random.default_rng(seed).normal(0, scale, shapes.weights).astype(np.float32))


def positions_of(side: int, count: int, seed: int) -> list[Position]:
    """Of random games, half of them at any time and half shortly before the end."""
    game, rng = GoGame(side, RULES), Rng(seed)
    found: list[Position] = []
    while len(found) < count:
        line = [game.initial_state()]
        while not line[-1].is_over and len(line) < 3 * side * side:
            line.append(line[-1].play(Action(rng.choice(game.candidates(line[-1])))))
        last = len(line) - 2
        found.append(line[rng.below(last + 1) if len(found) % 2 == 0 else max(0, last - rng.below(3))])
    return found


def minimax(game: GoGame, evaluator: Any, state: Position, depth: int) -> float:  # noqa: ANN401
    """The slow twin: positions by the rules, sums by counting."""
    if state.is_over:
        return (2 * outcome(state) - 1) * WON
    if depth == 0:
        return float(evaluator.sum(state.native))
    best = max if state.to_play == Player.BLACK else min
    return best(minimax(game, evaluator, state.play(action), depth - 1) for action in game.candidates(state))


@pytest.mark.parametrize("name", REPRESENTATIONS)
@pytest.mark.parametrize("scale", [1e-3, 0.1, 50.0])
def test_the_evaluator_rounds_a_little_and_then_is_exact(name: str, scale: float) -> None:
    value = value_of(6, REPRESENTATIONS[name], scale=scale)
    evaluator = value.frozen()
    largest = float(np.abs(value.weights).max())
    assert evaluator.unit <= largest * 2**-17
    for position in positions_of(6, 40, seed=2):
        assert evaluator.sum(position.native) == pytest.approx(
            value.sum(position), abs=evaluator.unit * value.shapes.max_active
        )
        assert evaluator.sum(position.native) % evaluator.unit == 0
        for action, total in evaluator.afterstates(position.native):
            assert total == evaluator.sum(position.play(Action(action)).native)


def test_symmetric_positions_are_worth_exactly_the_same() -> None:
    evaluator = value_of(7, ShapeSettings()).frozen()
    for position in random_positions(7, 20):
        total = evaluator.sum(position.native)
        for symmetry in Symmetry.all():
            assert evaluator.sum(image(position, symmetry, inverted=False).native) == total
            assert evaluator.sum(image(position, symmetry, inverted=True).native) == -total


@pytest.mark.parametrize("name", REPRESENTATIONS)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_values_are_those_of_minimax(name: str, depth: int) -> None:
    game, evaluator = GoGame(4, RULES), value_of(4, REPRESENTATIONS[name]).frozen()
    ends = 0
    for position in positions_of(4, 12 if depth == 3 else 30, seed=depth):
        expected = minimax(game, evaluator, position, depth)
        ends += abs(expected) == WON
        for table in ("off", "approximate"):
            settings = AlphaBetaSettings(depth=depth, table=table)
            search = AlphaBeta(game, position, settings=settings, evaluate=evaluator)
            assert search.run()
            assert search.value == expected
            after = position.play(search.best_action)
            assert minimax(game, evaluator, after, depth - 1) == expected
    assert ends > 0, "some games end within the depth"


def test_no_order_of_moves_changes_a_value() -> None:
    game, evaluator = GoGame(7, RULES), value_of(7, ShapeSettings()).frozen()
    nodes: dict[tuple[bool, ...], int] = {}
    for position in positions_of(7, 6, seed=7):
        values = set()
        for switches in product((False, True), repeat=3):
            order: dict[str, Any] = dict(zip(("killers", "history", "outlook"), switches, strict=True))
            search = AlphaBeta(
                game, position, settings=AlphaBetaSettings(depth=4, table="approximate", **order), evaluate=evaluator
            )
            search.run()
            values.add((search.value, search.best_action))
            nodes[switches] = nodes.get(switches, 0) + search.nodes
        assert len(values) == 1
    assert nodes[True, True, True] < 0.7 * nodes[False, False, False]
    assert all(nodes[switches] < nodes[False, False, False] for switches in nodes if any(switches))


def test_null_moves_leave_out_work() -> None:
    game, evaluator = GoGame(6, RULES), value_of(6, ShapeSettings(), scale=0.3).frozen()
    nodes = {0: 0, 1: 0, 2: 0}
    for position in positions_of(6, 10, seed=5)[::2]:
        for reduction in nodes:
            settings = AlphaBetaSettings(depth=5, null_move=reduction)
            search = AlphaBeta(game, position, settings=settings, evaluate=evaluator)
            search.run()
            nodes[reduction] += search.nodes
            assert search.best_action in game.candidates(position)
        shallow, full = (
            AlphaBeta(game, position, settings=AlphaBetaSettings(depth=4, null_move=reduction), evaluate=evaluator)
            for reduction in (2, 0)
        )
        shallow.run()
        full.run()
        assert (shallow.value, shallow.nodes) == (full.value, full.nodes), "too shallow for a null move"
    assert nodes[2] < nodes[0]
    assert nodes[1] < nodes[0]


def test_stages_have_no_table() -> None:
    """Keys do not know the number of moves."""
    game, evaluator = GoGame(4, RULES), value_of(4, ShapeSettings(sizes=("1x1", "2x2"), stage_length=1)).frozen()
    for position in positions_of(4, 4, seed=11):
        off, on = (
            AlphaBeta(game, position, settings=AlphaBetaSettings(depth=4, table=table), evaluate=evaluator)
            for table in ("off", "approximate")
        )
        off.run()
        on.run()
        assert (on.value, on.nodes) == (off.value, off.nodes)


def test_searches_can_be_left_and_taken_up() -> None:
    game, evaluator = GoGame(7, RULES), value_of(7, ShapeSettings()).frozen()
    position = positions_of(7, 1, seed=9)[0]
    whole, parts = (
        AlphaBeta(game, position, settings=AlphaBetaSettings(depth=3, null_move=1), evaluate=evaluator) for _ in "ab"
    )
    whole.run()
    while not parts.run(Limit(steps=7)) or parts.depth < 3:
        pass
    assert (parts.value, parts.line, parts.nodes) == (whole.value, whole.line, whole.nodes)


def test_other_games_and_boards_have_no_shapes() -> None:
    evaluator = value_of(5, ShapeSettings()).frozen()
    settings = AlphaBetaSettings(depth=1)
    for game in (TicTacToe(), GoGame(7), GoGame((5, 7))):
        with pytest.raises(InvalidArgumentError, match=r"local shapes are for|of 5x5"):
            AlphaBeta(game, game.initial_state(), settings=settings, evaluate=evaluator)
    with pytest.raises(InvalidArgumentError, match="5x5"):
        evaluator.afterstates(Position(7).native)


def test_depth_one_is_the_one_ply_player() -> None:
    game = GoGame(5, RULES)
    greedy, search = make_player("shapes"), make_player("alpha-beta:depth=1")
    for number, position in enumerate(positions_of(5, 60, seed=4)):
        one, two = (player.choose(game, position, Rng(number)) for player in (greedy, search))
        assert one.action is not None
        if position.play(one.action).is_over:
            continue  # the search knows who has won
        assert one.value == two.value
