"""What the controller says about time. It is kept in the session's clock."""

from typing import Literal

from katachi.core.clock import TimeLeft, TimeSettings, TimeSystem
from katachi.core.errors import SettingsError
from katachi.core.types import Player
from katachi.gtp.commands.basics import refuse_unless
from katachi.gtp.registry import command
from katachi.gtp.session import Session

# By system: the names of its numbers, in the order in which they are given. `count` is a whole number.
_NUMBERS: dict[TimeSystem, tuple[str, ...]] = {
    "none": (),
    "absolute": ("main",),
    "canadian": ("main", "period", "count"),
    "byoyomi": ("main", "period", "count"),
    "fischer": ("main", "increment"),
    "fischer-capped": ("main", "increment", "cap", "most_per_move"),
}


@command("time_settings", errors={SettingsError: "syntax error"})
def time_settings(session: Session, main: int, period: int, stones: int) -> None:
    """Canadian time: no period is absolute time, a period without stones no limit."""
    session.clock.set(_settings("canadian", (float(main), float(period), float(stones))))


@command("kgs-time_settings", errors={SettingsError: "syntax error"})
def kgs_time_settings(
    session: Session, system: Literal["none", "absolute", "canadian", "byoyomi"], numbers: tuple[float, ...]
) -> None:
    """Any of the server's systems."""
    session.clock.set(_settings(system, numbers))


@command("kata-time_settings", errors={SettingsError: "syntax error"})
def kata_time_settings(session: Session, system: TimeSystem, numbers: tuple[float, ...]) -> None:
    """Any of KataGo's systems."""
    session.clock.set(_settings(system, numbers))


@command("kata-list_time_settings")
def list_time_settings(session: Session) -> str:
    """The systems, one a line."""
    return "\n".join(_NUMBERS)


@command("time_left")
def time_left(session: Session, player: Player, seconds: int, stones: int) -> None:
    """What a player has left; in byoyomi the second number is periods."""
    refuse_unless(seconds >= 0 and stones >= 0, "syntax error")
    session.clock.left[player] = TimeLeft(float(seconds), stones)


def _settings(system: TimeSystem, numbers: tuple[float, ...]) -> TimeSettings:
    """What the numbers say. Overtime without length is absolute time, Canadian overtime without stones no limit."""
    refuse_unless(len(numbers) == len(_NUMBERS[system]) and min(numbers, default=0) >= 0, "syntax error")
    values: dict[str, float] = dict(zip(_NUMBERS[system], numbers, strict=True))
    count = values.pop("count", 0.0)
    refuse_unless(count.is_integer(), "syntax error")
    if system == "canadian" and values["period"] > 0 and count == 0:
        return TimeSettings()
    if system in ("canadian", "byoyomi") and (values["period"] == 0 or count == 0):
        return TimeSettings(system="absolute", main=values["main"])
    return TimeSettings(system=system, count=int(count), **values)
