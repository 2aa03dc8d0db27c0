"""Time systems: what a game gives, how much of it a player takes for a move, what is left afterwards.

Nothing here measures time: a clock (katachi.core.clock) keeps what is left, whoever plays looks at the world's.

The rule for a move is exponential decay (Silver 2009, 7.5, with the numbers of his program): each move takes the same
share of what is left, 1 / (half of the moves that a game is expected to have), at least 0.1 s; below 5 s left, in quick
mode, the share alone. What a system gives for every move (an increment, a part of a period) comes on top.

Ours: a reserve of half a second that no thought touches, because the controller also counts what a line takes from one
process to the other, and a machine may be busy. With no more than that left, moves are answered at once. Where a move
has less than a second to itself (a short period, a cap on its length), half of that is the reserve.
"""

from dataclasses import dataclass
from math import inf, isfinite
from typing import Literal, TypeAlias

from pydantic import Field

from katachi.core.errors import ParseError, SettingsError
from katachi.core.settings import Settings, did_you_mean

__all__ = [
    "LEAST",
    "QUICK",
    "RESERVE",
    "SYSTEM_NUMBERS",
    "TimeLeft",
    "TimeSettings",
    "TimeSystem",
    "after_move",
    "at_start",
    "format_time_settings",
    "is_late",
    "longest_move",
    "parse_time_settings",
    "reserve_of",
    "seconds_for_move",
    "time_settings_of",
]

RESERVE = 0.5
"""Seconds that are never planned with; see `reserve_of`."""
LEAST = 0.1
"""Seconds that a move is worth, unless time is short."""
QUICK = 5.0
"""Seconds left below which time is short."""

_OF_SAVINGS = 0.5  # the share that one move may take where moves earn time: some stays for a long game

TimeSystem: TypeAlias = Literal["none", "absolute", "canadian", "byoyomi", "fischer", "fischer-capped"]

SYSTEM_NUMBERS: dict[TimeSystem, tuple[str, ...]] = {
    "none": (),
    "absolute": ("main",),
    "canadian": ("main", "period", "count"),
    "byoyomi": ("main", "period", "count"),
    "fischer": ("main", "increment"),
    "fischer-capped": ("main", "increment", "cap", "most_per_move"),
}
"""The numbers of each system, in the order in which they are written. `count` is a whole number."""


class TimeSettings(Settings):
    """How much time a game has. All times are in seconds."""

    system: TimeSystem = Field(default="none", description="What happens when the main time is over.")
    main: float = Field(default=0.0, ge=0, description="Main time.")
    period: float = Field(default=0.0, ge=0, description="Length of an overtime period (canadian, byoyomi).")
    count: int = Field(default=0, ge=0, description="Stones a period (canadian), or number of periods (byoyomi).")
    increment: float = Field(default=0.0, ge=0, description="What a move adds (fischer).")
    cap: float | None = Field(default=None, ge=0, description="The most that can be saved up (fischer-capped).")
    most_per_move: float | None = Field(default=None, ge=0, description="The most for one move (fischer-capped).")


@dataclass(frozen=True)
class TimeLeft:
    """What one player has left: in the main time `count` is 0, later it is stones or, in byoyomi, periods."""

    seconds: float
    count: int = 0


def time_settings_of(system: TimeSystem, numbers: tuple[float, ...]) -> TimeSettings:
    """What the numbers of a system say.

    Overtime without length is absolute time, Canadian overtime without stones no limit, and so is absolute time of 0 s:
    whoever says that has no clock.
    """
    names = SYSTEM_NUMBERS[system]
    if len(numbers) != len(names):
        raise SettingsError(f"{system} time has {len(names)} numbers ({', '.join(names)}), not {len(numbers)}")
    values: dict[str, float] = dict(zip(names, numbers, strict=True))
    count = values.pop("count", 0.0)
    if not count.is_integer():
        raise SettingsError(f"the count of {system} time is a whole number, not {count}")
    settings = TimeSettings(system=system, count=int(count), **values)
    if system == "canadian" and settings.period > 0 and settings.count == 0:
        return TimeSettings()
    if system in ("canadian", "byoyomi") and (settings.period == 0 or settings.count == 0):
        settings = TimeSettings(system="absolute", main=settings.main)
    return TimeSettings() if settings.system == "absolute" and settings.main == 0 else settings


def parse_time_settings(text: str) -> TimeSettings:
    """Reads `10`, which is `absolute 10`; `fischer 60 2`, `byoyomi 60 10 3`, `canadian 60 30 10`, `none`."""
    words = text.split()
    if words and words[0] not in SYSTEM_NUMBERS:
        if len(words) != 1 or not _is_number(words[0]):
            raise ParseError(f"{text!r} is no time: {did_you_mean(words[0], SYSTEM_NUMBERS)}")
        words = ["absolute", *words]
    if not words or not all(_is_number(word) for word in words[1:]):
        raise ParseError(f"{text!r} is no time: give a system and its numbers in seconds, such as 'fischer 60 2'")
    system = next(known for known in SYSTEM_NUMBERS if known == words[0])
    return time_settings_of(system, tuple(float(word) for word in words[1:]))


def format_time_settings(settings: TimeSettings) -> str:
    """As `parse_time_settings` reads it."""
    numbers = [getattr(settings, name) for name in SYSTEM_NUMBERS[settings.system]]
    return " ".join([settings.system, *(str(int(n)) if n == int(n) else repr(n) for n in numbers)])


def reserve_of(settings: TimeSettings) -> float:
    """The seconds that are never planned with: half a second, but at most half of a period, or of the longest move."""
    own = settings.period if settings.system in ("canadian", "byoyomi") else settings.most_per_move
    return min(RESERVE, own / 2) if own else RESERVE


def at_start(settings: TimeSettings) -> TimeLeft:
    """What each player begins with."""
    if settings.main == 0 and settings.system in ("canadian", "byoyomi"):
        return _overtime(settings)
    return TimeLeft(settings.main)


def seconds_for_move(settings: TimeSettings, left: TimeLeft, moves: float) -> float | None:
    """For the next move of a game that has about so many moves of both players; None: as long as one likes.

    0 is to answer at once. It is never more than what could be spent without losing on time, less the reserve.
    """
    if settings.system == "none":
        return None
    there = max(0.0, left.seconds)  # a clock may have run out without anybody minding
    reserve = reserve_of(settings)
    free = max(0.0, there - reserve)
    has_periods = settings.system in ("canadian", "byoyomi")
    stones = settings.count if settings.system == "canadian" else 1  # a period of byoyomi is for one move
    if has_periods and left.count > 0:
        return free / (left.count if settings.system == "canadian" else stones)
    share = there / max(1.0, moves / 2)
    if there >= QUICK:
        share = max(share, LEAST)
    if has_periods:
        overtime = max(0.0, settings.period - reserve) / max(1, stones)
        return min(share + overtime, max(0.0, there + settings.period - reserve))
    if settings.system == "absolute":
        return min(share, free)
    return _with_increment(settings, there, share, free)


def after_move(settings: TimeSettings, left: TimeLeft, seconds: float) -> TimeLeft:
    """What is left after a move that took so long; less than nothing if that was too long."""
    rest = left.seconds - seconds
    if settings.system in ("canadian", "byoyomi"):
        if left.count == 0 and rest > 0:
            return TimeLeft(rest)
        if left.count == 0:  # the overtime has begun
            left, rest = _overtime(settings), rest + settings.period
        after = _after_stone if settings.system == "canadian" else _after_period
        return after(settings, left.count, rest)
    if rest >= 0 and settings.system in ("fischer", "fischer-capped"):
        rest += settings.increment
        rest = rest if settings.cap is None else min(rest, settings.cap)
    return TimeLeft(rest)


def longest_move(settings: TimeSettings, left: TimeLeft) -> float:
    """How long the next move may take without losing the game."""
    if settings.system == "none":
        return inf
    longest = left.seconds
    if settings.system == "canadian" and left.count == 0:
        longest += settings.period
    elif settings.system == "byoyomi":
        longest += settings.period * (left.count - 1 if left.count else settings.count)
    return longest if settings.most_per_move is None else min(longest, settings.most_per_move)


def is_late(settings: TimeSettings, left: TimeLeft, seconds: float) -> bool:
    """Is the game lost by a move that takes so long?"""
    return seconds > longest_move(settings, left)


def _with_increment(settings: TimeSettings, there: float, share: float, free: float) -> float:
    """A share and what the move earns, at most half of the savings; but all that the cap would take away."""
    seconds = min(share + settings.increment, _OF_SAVINGS * free)
    if settings.cap is not None:
        seconds = max(seconds, min(there + settings.increment - settings.cap, free))
    if settings.most_per_move is not None:
        seconds = min(seconds, max(0.0, settings.most_per_move - reserve_of(settings)))
    return seconds


def _after_stone(settings: TimeSettings, stones: int, rest: float) -> TimeLeft:
    if rest < 0:
        return TimeLeft(rest, stones)
    return TimeLeft(rest, stones - 1) if stones > 1 else _overtime(settings)


def _after_period(settings: TimeSettings, periods: int, rest: float) -> TimeLeft:
    while rest < 0 and periods > 1:
        rest, periods = rest + settings.period, periods - 1
    return TimeLeft(rest if rest < 0 else settings.period, periods)


def _overtime(settings: TimeSettings) -> TimeLeft:
    return TimeLeft(settings.period, settings.count)


def _is_number(word: str) -> bool:
    try:
        return isfinite(float(word))
    except ValueError:
        return False
