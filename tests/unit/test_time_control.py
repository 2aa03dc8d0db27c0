"""Time for a move under every system: never more than there is, more when there is more, and published numbers."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi.core.clock import Clock
from katachi.core.errors import ParseError, SettingsError
from katachi.core.time_control import (
    LEAST,
    QUICK,
    RESERVE,
    TimeLeft,
    TimeSettings,
    after_move,
    at_start,
    format_time_settings,
    is_late,
    longest_move,
    parse_time_settings,
    reserve_of,
    seconds_for_move,
)
from katachi.core.types import Player

SECONDS = st.floats(0, 10_000)
SYSTEMS = st.one_of(
    st.builds(TimeSettings, system=st.just("absolute"), main=SECONDS),
    st.builds(
        TimeSettings,
        system=st.sampled_from(["canadian", "byoyomi"]),
        main=SECONDS,
        period=st.floats(0.01, 600),
        count=st.integers(1, 30),
    ),
    st.builds(TimeSettings, system=st.just("fischer"), main=SECONDS, increment=st.floats(0, 60)),
    st.builds(
        TimeSettings,
        system=st.just("fischer-capped"),
        main=SECONDS,
        increment=st.floats(0, 60),
        cap=SECONDS,
        most_per_move=st.floats(0, 600),
    ),
)
MOVES = st.floats(0, 800)


@st.composite
def situations(draw: st.DrawFn) -> tuple[TimeSettings, TimeLeft]:
    settings = draw(SYSTEMS)
    count = draw(st.integers(0, settings.count)) if settings.system in ("canadian", "byoyomi") else 0
    return settings, TimeLeft(draw(st.floats(0, settings.period if count else 10_000)), count)


@given(situations(), MOVES)
def test_never_more_than_is_left_less_the_reserve(situation: tuple[TimeSettings, TimeLeft], moves: float) -> None:
    settings, left = situation
    seconds = seconds_for_move(settings, left, moves)
    assert seconds is not None
    assert 0 <= seconds <= max(0.0, longest_move(settings, left) - reserve_of(settings)) + 1e-9
    assert not is_late(settings, left, seconds)


@given(situations(), MOVES, st.floats(0, 100))
def test_more_time_left_is_no_less_for_a_move(
    situation: tuple[TimeSettings, TimeLeft], moves: float, more: float
) -> None:
    settings, left = situation
    less = seconds_for_move(settings, left, moves)
    assert less is not None
    richer = seconds_for_move(settings, TimeLeft(left.seconds + more, left.count), moves)
    assert richer is not None
    assert richer >= less - 1e-9


@given(SYSTEMS, st.floats(2, 800), st.integers(1, 400), st.floats(0, 0.1))
def test_a_whole_game_is_not_lost_on_time(settings: TimeSettings, moves: float, length: int, share: float) -> None:
    """Whoever thinks for that long, with some lag at each move, is not late before only the reserve is left."""
    left, lag = at_start(settings), share * reserve_of(settings)
    for _ in range(length):
        seconds = seconds_for_move(settings, left, moves)
        assert seconds is not None
        if seconds == 0:
            return
        assert not is_late(settings, left, seconds + lag)
        left = after_move(settings, left, seconds + lag)


@given(situations(), st.floats(0, 20_000))
def test_late_is_what_leaves_less_than_nothing(situation: tuple[TimeSettings, TimeLeft], seconds: float) -> None:
    settings, left = situation
    if abs(seconds - longest_move(settings, left)) < 1e-6:
        return  # rounding
    too_long_for_one = settings.most_per_move is not None and seconds > settings.most_per_move
    assert is_late(settings, left, seconds) == (too_long_for_one or after_move(settings, left, seconds).seconds < 0)


def test_the_published_rule() -> None:
    """0.5 time_left / (0.5 moves) for each of two searches; at least 0.1 s; below 5 s the share alone."""
    absolute = TimeSettings(system="absolute", main=300.0)
    assert seconds_for_move(absolute, TimeLeft(300.0), 80) == 2 * (0.5 * 300 / (0.5 * 80))
    assert seconds_for_move(absolute, TimeLeft(6.0), 361) == LEAST
    assert seconds_for_move(absolute, TimeLeft(QUICK - 0.001), 361) == pytest.approx(QUICK / 180.5, rel=1e-3)
    assert seconds_for_move(absolute, TimeLeft(RESERVE), 81) == 0
    assert seconds_for_move(absolute, TimeLeft(-3.0), 81) == 0
    assert seconds_for_move(TimeSettings(), TimeLeft(0.0), 81) is None
    # Exponential decay: the same share each time.
    left, taken = TimeLeft(300.0), list[float]()
    for _ in range(20):
        taken.append(seconds_for_move(absolute, left, 80) or 0.0)
        left = after_move(absolute, left, taken[-1])
    assert all(b / a == pytest.approx(1 - 1 / 40) for a, b in pairwise(taken))


def test_overtime() -> None:
    canadian = TimeSettings(system="canadian", main=60.0, period=30.0, count=10)
    assert seconds_for_move(canadian, TimeLeft(20.5, 4), 81) == 5.0
    assert seconds_for_move(canadian, TimeLeft(40.5), 81) == pytest.approx(1.0 + 2.95)
    assert after_move(canadian, TimeLeft(5.0), 7.0) == TimeLeft(28.0, 9)
    assert after_move(canadian, TimeLeft(28.0, 9), 1.0) == TimeLeft(27.0, 8)
    assert after_move(canadian, TimeLeft(2.0, 1), 1.0) == TimeLeft(30.0, 10)
    assert is_late(canadian, TimeLeft(2.0, 3), 2.5)
    assert not is_late(canadian, TimeLeft(2.0), 31.5)

    byoyomi = TimeSettings(system="byoyomi", main=60.0, period=10.0, count=3)
    assert seconds_for_move(byoyomi, TimeLeft(10.0, 1), 81) == 9.5
    assert after_move(byoyomi, TimeLeft(10.0, 3), 9.0) == TimeLeft(10.0, 3)
    assert after_move(byoyomi, TimeLeft(10.0, 3), 25.0) == TimeLeft(10.0, 1)
    assert after_move(byoyomi, TimeLeft(5.0), 6.0) == TimeLeft(10.0, 3)
    assert is_late(byoyomi, TimeLeft(10.0, 1), 10.5)
    assert at_start(TimeSettings(system="byoyomi", period=10.0, count=3)) == TimeLeft(10.0, 3)


def test_short_periods_are_thought_in() -> None:
    """Half of them: a reserve that is longer than the period would leave nothing but moves at random."""
    for period in (0.05, 0.4):
        byoyomi = TimeSettings(system="byoyomi", period=period, count=1)
        assert seconds_for_move(byoyomi, at_start(byoyomi), 81) == pytest.approx(period / 2)
    canadian = TimeSettings(system="canadian", period=0.8, count=4)
    assert seconds_for_move(canadian, at_start(canadian), 81) == pytest.approx(0.1)
    assert seconds_for_move(canadian, TimeLeft(0.4, 2), 81) == 0
    capped = TimeSettings(system="fischer-capped", main=60.0, increment=5.0, cap=62.0, most_per_move=0.3)
    assert seconds_for_move(capped, TimeLeft(60.0), 81) == pytest.approx(0.15)
    assert reserve_of(TimeSettings(system="byoyomi", period=1.0, count=1)) == RESERVE
    assert reserve_of(TimeSettings(system="absolute", main=0.2)) == RESERVE
    assert reserve_of(TimeSettings(system="canadian")) == RESERVE, "only the time left was said"


def test_increments() -> None:
    fischer = TimeSettings(system="fischer", main=60.0, increment=5.0)
    assert after_move(fischer, TimeLeft(60.0), 8.0) == TimeLeft(57.0)
    assert after_move(fischer, TimeLeft(1.0), 8.0) == TimeLeft(-7.0)
    left = TimeLeft(60.0)
    for _ in range(200):
        seconds = seconds_for_move(fischer, left, 81)
        assert seconds is not None
        left = after_move(fischer, left, seconds)
    assert seconds == pytest.approx(5.0, abs=0.01), "in the end a move takes what it earns"
    capped = TimeSettings(system="fischer-capped", main=60.0, increment=5.0, cap=62.0, most_per_move=20.0)
    assert after_move(capped, TimeLeft(60.0), 1.0) == TimeLeft(62.0)
    assert seconds_for_move(capped, TimeLeft(62.0), 1000) == pytest.approx(5.124)
    assert seconds_for_move(capped, TimeLeft(62.0), 2) == pytest.approx(19.5)
    assert is_late(capped, TimeLeft(62.0), 20.5)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("10", "absolute 10"),
        ("absolute 0.5", "absolute 0.5"),
        ("fischer 60 2.25", "fischer 60 2.25"),
        ("byoyomi 0 10 3", "byoyomi 0 10 3"),
        ("canadian 300 30 10", "canadian 300 30 10"),
        ("canadian 300 0 10", "absolute 300"),
        ("canadian 300 30 0", "none"),
        ("fischer-capped 60 1 120 30", "fischer-capped 60 1 120 30"),
        ("canadian 0 0 0", "none"),
        ("absolute 0", "none"),
        ("none", "none"),
    ],
)
def test_times_as_text(text: str, same: str) -> None:
    settings = parse_time_settings(text)
    assert format_time_settings(settings) == same
    assert parse_time_settings(same) == settings


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", ParseError, "''"),
        ("10 20", ParseError, "'10 20'"),
        ("fisher 10 1", ParseError, "did you mean 'fischer'"),
        ("fischer 10 many", ParseError, "fischer 10 many"),
        ("absolute nan", ParseError, "absolute nan"),
        ("absolute inf", ParseError, "absolute inf"),
        ("fischer 10", SettingsError, "2 numbers"),
        ("absolute -1", SettingsError, "-1"),
        ("byoyomi 10 5 1.5", SettingsError, "1.5"),
        ("byoyomi 10 5 -1", SettingsError, "-1"),
    ],
)
def test_what_is_no_time(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        parse_time_settings(text)


def test_a_clock_counts_by_itself_until_it_is_told() -> None:
    clock = Clock()
    assert clock.seconds_for_move(Player.BLACK, 80) is None
    clock.spend(Player.BLACK, 5.0)
    assert clock.counted == {}
    clock.set(TimeSettings(system="absolute", main=40.0))
    assert clock.seconds_for_move(Player.BLACK, 80) == 1.0
    clock.spend(Player.BLACK, 20.0)
    assert clock.left_of(Player.BLACK) == TimeLeft(20.0)
    assert clock.left_of(Player.WHITE) == TimeLeft(40.0)
    assert clock.seconds_for_move(Player.BLACK, 80) == 0.5
    clock.say(Player.BLACK, TimeLeft(10.0))
    assert clock.seconds_for_move(Player.BLACK, 80) == 0.25
    assert str(clock) == "absolute, main 40, black 10/0"
    clock.restart()
    assert clock.left_of(Player.BLACK) == TimeLeft(40.0)


def test_a_clock_that_was_only_told_what_is_left() -> None:
    clock = Clock()
    clock.say(Player.WHITE, TimeLeft(40.0))
    assert clock.seconds_for_move(Player.WHITE, 80) == 1.0
    assert clock.seconds_for_move(Player.BLACK, 80) is None
    clock.say(Player.WHITE, TimeLeft(20.5, 10))
    assert clock.seconds_for_move(Player.WHITE, 80) == 2.0
