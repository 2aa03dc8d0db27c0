"""Handcrafted policies play better than a uniform one, by themselves and in a tree (Silver 2009, 4.6.3)."""

import pytest

from katachi import make_game, play_match


@pytest.mark.parametrize("policy", ["mogo", "fuego"])
def test_policies_beat_the_uniform_one(policy: str) -> None:
    result = play_match(make_game("go", size=9), f"policy:name={policy}", "random", games=60, seed=1)
    assert result.score.interval[0] > 0.7


@pytest.mark.slow
def test_a_tree_is_better_with_a_handcrafted_policy() -> None:
    game = make_game("go", size=9)
    result = play_match(game, "uct:sims=100,playout_policy=fuego", "uct:sims=100", games=100, seed=1)
    assert result.score.interval[0] > 0.5
