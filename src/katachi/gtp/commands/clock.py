"""What the controller says about time. It is kept in the session's clock, which players look at."""

from typing import Literal

from katachi.core.errors import SettingsError
from katachi.core.time_control import SYSTEM_NUMBERS, TimeLeft, TimeSystem, time_settings_of
from katachi.core.types import Player
from katachi.gtp.commands.basics import refuse_unless
from katachi.gtp.registry import command
from katachi.gtp.session import Session


@command("time_settings", errors={SettingsError: "syntax error"})
def time_settings(session: Session, main: int, period: int, stones: int) -> None:
    """Canadian time: no period is absolute time, a period without stones no limit."""
    session.clock.set(time_settings_of("canadian", (float(main), float(period), float(stones))))


@command("kgs-time_settings", errors={SettingsError: "syntax error"})
def kgs_time_settings(
    session: Session, system: Literal["none", "absolute", "canadian", "byoyomi"], numbers: tuple[float, ...]
) -> None:
    """Any of the server's systems."""
    session.clock.set(time_settings_of(system, numbers))


@command("kata-time_settings", errors={SettingsError: "syntax error"})
def kata_time_settings(session: Session, system: TimeSystem, numbers: tuple[float, ...]) -> None:
    """Any of KataGo's systems."""
    session.clock.set(time_settings_of(system, numbers))


@command("kata-list_time_settings")
def list_time_settings(session: Session) -> str:
    """The systems, one a line."""
    return "\n".join(SYSTEM_NUMBERS)


@command("time_left")
def time_left(session: Session, player: Player, seconds: int, stones: int) -> None:
    """What a player has left; in byoyomi the second number is periods."""
    refuse_unless(seconds >= 0 and stones >= 0, "syntax error")
    session.clock.say(player, TimeLeft(float(seconds), stones))
