"""More playouts play better: the first rung of the ladder."""

import pytest

from katachi import make_game, make_player, play_match


def test_flat_monte_carlo_beats_random() -> None:
    result = play_match(
        make_game("go", size=5), make_player("flat-mc:sims=16"), make_player("random"), games=40, seed=3
    )
    assert result.score.interval[0] > 0.7
    assert result.wins + result.draws + result.losses == 40


def test_same_seed_same_games() -> None:
    game, players = make_game("go", size=5), (make_player("flat-mc:sims=4"), make_player("random"))
    one, two = (play_match(game, *players, games=4, seed=9) for _ in range(2))
    assert one == two
    assert play_match(game, *players, games=4, seed=10) != one


@pytest.mark.slow
def test_more_playouts_play_better() -> None:
    game = make_game("go", size=7)
    result = play_match(game, make_player("flat-mc:sims=64"), make_player("flat-mc:sims=8"), games=200, seed=5)
    assert result.score.interval[0] > 0.5
