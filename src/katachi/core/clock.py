"""Clocks: what a controller says about time. Searches with a time budget read it; nothing here measures time."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pydantic import Field

from katachi.core.settings import Settings
from katachi.core.types import Player

__all__ = ["Clock", "TimeLeft", "TimeSettings", "TimeSystem"]

TimeSystem: TypeAlias = Literal["none", "absolute", "canadian", "byoyomi", "fischer", "fischer-capped"]


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


@dataclass
class Clock:
    """The settings, and what each player has left as far as anybody said so."""

    settings: TimeSettings = field(default_factory=TimeSettings)
    left: dict[Player, TimeLeft] = field(default_factory=dict)

    def set(self, settings: TimeSettings) -> None:
        """New settings: a new game of time."""
        self.settings = settings
        self.left = {}

    def __str__(self) -> str:
        given = {name: value for name, value in self.settings.model_dump().items() if name != "system" and value}
        parts = [self.settings.system, *(f"{name} {value:g}" for name, value in given.items())]
        parts += [f"{player.name.lower()} {left.seconds:g}/{left.count}" for player, left in sorted(self.left.items())]
        return ", ".join(parts)
