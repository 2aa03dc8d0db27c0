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
    one, two, other = (play_match(game, *players, games=4, seed=seed).outcomes for seed in (9, 9, 10))
    assert [o.untimed() for o in one] == [o.untimed() for o in two]
    assert [o.moves for o in one] != [o.moves for o in other]


@pytest.mark.slow
def test_more_playouts_play_better() -> None:
    game = make_game("go", size=7)
    result = play_match(game, make_player("flat-mc:sims=64"), make_player("flat-mc:sims=8"), games=200, seed=5)
    assert result.score.interval[0] > 0.5
