"""A sample of the games of `twin_games`; the rare things must have occurred."""

import pytest

from tests.differential.twin_games import RARE, play_chunk


@pytest.mark.parametrize(
    ("width", "height", "games"),
    [
        (5, 5, 1500),
        (9, 9, 80),
        (2, 2, 300),
        (1, 7, 300),
        (3, 4, 400),
        (7, 2, 300),
        (13, 6, 30),
        (10, 9, 30),
        (19, 19, 3),
    ],
)
def test_core_and_twin_agree(width: int, height: int, games: int) -> None:
    events = play_chunk(width, height, range(games))
    assert events["games"] == games
    if (width, height) in ((5, 5), (9, 9), (3, 4)):
        missing = [event for event in RARE if events[event] == 0]
        assert not missing, f"never saw {missing} in {dict(events)}"


@pytest.mark.slow
@pytest.mark.parametrize(("side", "first"), [(5, 0), (5, 20_000), (9, 0), (9, 1_000)])
def test_core_and_twin_agree_in_many_games(side: int, first: int) -> None:
    games = 20_000 if side == 5 else 1_000
    events = play_chunk(side, side, range(1_000_000 + first, 1_000_000 + first + games))
    assert all(events[event] > 0 for event in RARE)
