"""Uniform playouts: every move legal, every candidate equally likely, every game finished, one seed one game."""

from collections import Counter

import pytest
from scipy.stats import chisquare

from katachi import Player, Rng
from katachi.games.go import EyeRule, Position
from katachi.reference.go_rules import TwinPosition, TwinRules

RULE_NAMES = {
    EyeRule.SIMPLE: "simple",
    EyeRule.SURROUNDED: "surrounded",
    EyeRule.STRICT: "strict",
    EyeRule.NONE: "none",
}


@pytest.mark.parametrize("rule", list(EyeRule))
@pytest.mark.parametrize("size", [(5, 5), (9, 9), (4, 7), (1, 5), (11, 10)])
def test_every_move_is_a_candidate_of_the_twin(size: tuple[int, int], rule: EyeRule) -> None:
    games = 6 if size[0] * size[1] < 60 else 2
    for seed in range(games):
        twin = TwinPosition.empty(*size, TwinRules("simple", suicide=False))
        moves = Position(*size, "chinese").playout_moves(Rng(seed), rule)
        for move in moves:
            assert move in twin.candidates(RULE_NAMES[rule])  # type: ignore[arg-type]
            twin = twin.play(move)
        assert twin.is_over() or len(moves) == 3 * size[0] * size[1]


POSITIONS = {
    "empty": Position(3),
    "eyes and an enemy eye": Position.from_diagram(
        """
        . X . O .
        X X X O O
        . X . X O
        X X X . X
        . . . . .
        """
    ),
    "a ko": Position.from_diagram(". X O .\nX . X O\n. X O .\n. . . .", to_play=Player.WHITE).play("B3"),
    "a superko": Position.set_up(5, 1, white=["B1", "D1"], to_play=Player.WHITE).play("A1").play("C1"),
    "nothing but a pass": Position.from_diagram("O . O\nO O O\nX X ."),
    "nothing but a capture": Position.from_diagram("O . O\nO O O"),
}


@pytest.mark.parametrize("name", POSITIONS)
def test_first_moves_are_exactly_uniform(name: str) -> None:
    position = POSITIONS[name]
    rng = Rng(17)
    draws = 20_000
    counts = Counter(position.playout_moves(rng)[0] for _ in range(draws))
    candidates = position.candidates()
    assert set(counts) == set(candidates)
    batch = position.search_state().playouts(100, Rng(1))
    batch.run()
    again = Rng(1)
    assert batch.steps == sum(len(position.playout_moves(again)) for _ in range(100))
    if len(candidates) > 1:
        assert chisquare([counts[a] for a in candidates]).pvalue > 1e-4


def test_later_moves_are_exactly_uniform_given_the_first() -> None:
    # The list of empty points has been reordered by then, which must not show.
    rng = Rng(23)
    counts: Counter[tuple[int, int]] = Counter()
    for _ in range(60_000):
        first, second = Position(3, 2).playout_moves(rng)[:2]
        counts[first, second] += 1
    replies = {first: Position(3, 2).play(first).candidates() for first in range(6)}
    expected_pairs = [(first, second) for first in replies for second in replies[first]]
    assert set(counts) == set(expected_pairs)
    expected = [60_000 / 6 / len(replies[first]) for first, _ in expected_pairs]
    assert chisquare([counts[pair] for pair in expected_pairs], expected).pvalue > 1e-4


def test_batches_and_single_playouts_are_the_same_games() -> None:
    position = Position(9)
    batch = position.search_state().playouts(50, Rng(5))
    batch.run()
    rng = Rng(5)
    lengths = [len(position.playout_moves(rng)) for _ in range(50)]
    assert batch.steps == sum(lengths)


def test_a_batch_gives_the_score_of_the_played_out_board() -> None:
    start = Position(7, 7, "chinese")
    for seed in range(30):
        batch = start.search_state().playouts(1, Rng(seed))
        batch.run()
        position = start
        for move in start.playout_moves(Rng(seed)):
            position = position.play(move)
        assert position.is_over
        assert batch.total == float(position.score() > 0)


def test_games_on_9x9_end_by_two_passes() -> None:
    # Well under the cap in more than 99.9 % of games.
    batch = Position(9).search_state().playouts(20_000, Rng(1))
    batch.run()
    assert batch.cut / batch.done < 0.001
    assert 105 < batch.steps / batch.done < 117


def test_the_cap_makes_a_draw() -> None:
    batch = Position(9).search_state(max_plies=10).playouts(100, Rng(1))
    batch.run()
    assert (batch.cut, batch.steps, batch.total) == (100, 1000, 50.0)


def test_progress_can_stop_and_run_goes_on() -> None:
    parts = Position(9).search_state().playouts(10**9, Rng(8))
    assert not parts.run(lambda _: False)
    stopped = parts.done
    assert 0 < stopped < 10**9
    assert not parts.run(lambda _: False)
    whole = Position(9).search_state().playouts(parts.done, Rng(8))
    shares: list[float] = []
    assert whole.run(shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert (parts.steps, parts.total) == (whole.steps, whole.total)
