"""What the controller says about time. It is kept in the session's clock."""

from typing import TypeAlias

from katachi.core.clock import TimeLeft, TimeSettings, TimeSystem
from katachi.core.errors import SettingsError
from katachi.core.types import Player
from katachi.gtp.commands.basics import refuse_unless
from katachi.gtp.protocol import GtpError
from katachi.gtp.registry import command
from katachi.gtp.session import Session

# By system: the names of its numbers, in the order in which they are given. `count` is a whole number.
_Systems: TypeAlias = dict[TimeSystem, tuple[str, ...]]

_KGS: _Systems = {
    "none": (),
    "absolute": ("main",),
    "canadian": ("main", "period", "count"),
    "byoyomi": ("main", "period", "count"),
}
_KATA: _Systems = {
    **_KGS,
    "fischer": ("main", "increment"),
    "fischer-capped": ("main", "increment", "cap", "most_per_move"),
}


@command("time_settings", errors={SettingsError: "syntax error"})
def time_settings(session: Session, main: int, period: int, stones: int) -> None:
    """Canadian time: no period is absolute time, a period without stones no limit."""
    refuse_unless(min(main, period, stones) >= 0, "syntax error")
    if period > 0 and stones == 0:
        settings = TimeSettings()
    elif period == 0:
        settings = TimeSettings(system="absolute", main=float(main))
    else:
        settings = TimeSettings(system="canadian", main=float(main), period=float(period), count=stones)
    session.clock.set(settings)


@command("kgs-time_settings", errors={SettingsError: "syntax error"})
def kgs_time_settings(session: Session, system: str, numbers: tuple[float, ...]) -> None:
    """Any of the server's systems."""
    session.clock.set(_settings(_KGS, system, numbers))


@command("kata-time_settings", errors={SettingsError: "syntax error"})
def kata_time_settings(session: Session, system: str, numbers: tuple[float, ...]) -> None:
    """Any of KataGo's systems."""
    session.clock.set(_settings(_KATA, system, numbers))


@command("kata-list_time_settings")
def list_time_settings(session: Session) -> str:
    """The systems, one a line."""
    return "\n".join(_KATA)


@command("time_left")
def time_left(session: Session, player: Player, seconds: int, stones: int) -> None:
    """What a player has left; in byoyomi the second number is periods."""
    refuse_unless(seconds >= 0 and stones >= 0, "syntax error")
    session.clock.left[player] = TimeLeft(float(seconds), stones)


def _settings(systems: _Systems, name: str, numbers: tuple[float, ...]) -> TimeSettings:
    system = next((system for system in systems if system == name), None)
    if system is None or len(numbers) != len(systems[system]):
        raise GtpError("syntax error")
    values: dict[str, float] = dict(zip(systems[system], numbers, strict=True))
    count = values.pop("count", 0.0)
    refuse_unless(count.is_integer(), "syntax error")
    return TimeSettings(system=system, count=int(count), **values)
