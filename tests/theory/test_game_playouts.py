"""Fast playouts of the small games have the distribution of slow ones, and the walks their closed forms."""

from collections import Counter
from functools import cache
from math import sqrt
from typing import Any

import pytest
from scipy.stats import chisquare

from katachi import Action, Rng, make_game
from katachi._core import State
from katachi.games.grid import ConnectFour, Gomoku, Hex
from katachi.games.native import NativeGame, TicTacToe
from katachi.games.walks import RandomWalk, ShortestWalk, WalkGame


def after(game: NativeGame, moves: list[int]) -> State:
    state = game.initial_state()
    for move in moves:
        state, _ = game.play(state, Action(move))
    return state


def playout_by_steps(state: State, rng: Rng, most_steps: int) -> tuple[float, int, bool]:
    """The slow twin."""
    total, length = 0.0, 0
    while not state.is_terminal and length < most_steps:
        candidates = state.candidates()
        state, reward = state.play(candidates[rng.below(len(candidates))])
        total, length = total + reward, length + 1
    return total, length, not state.is_terminal


SAME_DRAWS = {
    "tic-tac-toe": after(TicTacToe(), []),
    "tic-tac-toe, two moves": after(TicTacToe(), [4, 0]),
    "tic-tac-toe, over": after(TicTacToe(), [0, 3, 1, 4, 2]),
    "connect four": after(ConnectFour(), []),
    "connect four, a full column": after(ConnectFour(), [3] * 6 + [0, 0]),
    "connect four, over": after(ConnectFour(), [0, 1, 0, 1, 0, 1, 0]),
    "random walk": after(RandomWalk(7), []),
    "random walk, capped": after(RandomWalk(9, cap=6), [0, 1]),
    "random walk, over": after(RandomWalk(3), [0]),
    "shortest walk": after(ShortestWalk(7), []),
    "shortest walk, capped": after(ShortestWalk(9, cap=6), [1]),
    "shortest walk, timed out": after(ShortestWalk(9, cap=4), [0, 1, 0, 1]),
}


@pytest.mark.parametrize("name", SAME_DRAWS)
@pytest.mark.parametrize("most_steps", [0, 1, 3, 5, 100_000])
def test_some_playouts_draw_exactly_as_step_by_step(name: str, most_steps: int) -> None:
    state = SAME_DRAWS[name]
    fast, slow = Rng(9), Rng(9)
    for _ in range(200):
        assert state.uniform_playout(fast, most_steps) == playout_by_steps(state, slow, most_steps)
        assert fast == slow


@cache
def distribution(state: State, most_steps: int) -> dict[tuple[float, int, bool], float]:
    """Chances of (return, length, cut), by looking at all continuations."""
    table: dict[int, dict[tuple[float, int, bool], float]] = {}

    def of(here: State, left: int) -> dict[tuple[float, int, bool], float]:
        if here.is_terminal or left == 0:
            return {(0.0, 0, not here.is_terminal): 1.0}
        if here.key not in table:
            chances: dict[tuple[float, int, bool], float] = {}
            candidates = here.candidates()
            for action in candidates:
                following, reward = here.play(action)
                for (total, length, cut), chance in of(following, left - 1).items():
                    outcome = (reward + total, length + 1, cut)
                    chances[outcome] = chances.get(outcome, 0.0) + chance / len(candidates)
            table[here.key] = chances
        return table[here.key]

    return of(state, most_steps)


ENUMERATED = {
    "tic-tac-toe": after(TicTacToe(), []),
    "connect four, nearly full": after(ConnectFour(), [int(c) for c in "0454401225554403546632512336"]),
    "gomoku 3x3": after(Gomoku(3, 3), []),
    "gomoku 4x4": after(Gomoku(4, 3), [0, 15, 3, 12, 6, 9, 11]),
    "gomoku, draws only": after(Gomoku(3), [4]),
    "hex 2x2": after(Hex(2), []),
    "hex 3x3": after(Hex(3), []),
    "hex 4x4": after(Hex(4), [0, 15, 5, 3, 12, 6, 9]),
}


@pytest.mark.parametrize("most_steps", [4, 100])
@pytest.mark.parametrize("name", ENUMERATED)
def test_playouts_have_the_distribution_of_all_continuations(name: str, most_steps: int) -> None:
    state = ENUMERATED[name]
    chances = distribution(state, most_steps)
    assert sum(chances.values()) == pytest.approx(1)
    draws = 20_000
    rng = Rng(31)
    counts = Counter(state.uniform_playout(rng, most_steps) for _ in range(draws))
    assert set(counts) <= set(chances)
    if len(chances) > 1:
        outcomes = list(chances)
        assert chisquare([counts[o] for o in outcomes], [draws * chances[o] for o in outcomes]).pvalue > 1e-4


@pytest.mark.parametrize(("name", "options"), [("gomoku", {"size": 9}), ("hex", {"size": 7})])
def test_fast_and_slow_playouts_agree_on_larger_boards(name: str, options: dict[str, Any]) -> None:
    state: State = make_game(name, **options).initial_state()
    rng, slow_rng = Rng(5), Rng(6)
    slow = [playout_by_steps(state, slow_rng, 1000) for _ in range(300)]
    fast = [state.uniform_playout(rng) for _ in range(30_000)]
    for part in (0, 1):
        mean = sum(p[part] for p in fast) / len(fast)
        variance = sum((p[part] - mean) ** 2 for p in fast) / len(fast)
        slow_mean = sum(p[part] for p in slow) / len(slow)
        assert abs(slow_mean - mean) < 4 * sqrt(variance / len(slow))


@pytest.mark.parametrize("size", [5, 11])
@pytest.mark.parametrize("kind", [RandomWalk, ShortestWalk])
def test_walks_have_their_closed_forms(kind: type[RandomWalk] | type[ShortestWalk], size: int) -> None:
    game: WalkGame = kind(size)
    count = 100_000
    for place in range(1, size - 1):
        way = place - (size - 1) // 2
        state = after(game, [int(way > 0)] * abs(way))
        assert game.place(state) == place
        batch = state.playouts(count, Rng(place))
        batch.run()
        steps = place * (size - 1 - place)
        assert batch.steps / count == pytest.approx(steps, rel=0.02)
        value = place / (size - 1) - (steps if kind is ShortestWalk else 0)
        spread = size * size if kind is ShortestWalk else 0.5
        assert batch.total / count == pytest.approx(value, abs=4 * spread / sqrt(count))
