"""A clock: the time settings of a game and what each player has left, by what was said or by what was counted."""

from dataclasses import dataclass, field

from katachi.core.time_control import TimeLeft, TimeSettings, after_move, at_start, seconds_for_move
from katachi.core.types import Player

__all__ = ["Clock"]


@dataclass
class Clock:
    """The settings, and what each player has left: what was said last, less the moves that were counted since."""

    settings: TimeSettings = field(default_factory=TimeSettings)
    said: dict[Player, TimeLeft] = field(default_factory=dict)
    counted: dict[Player, TimeLeft] = field(default_factory=dict)

    def set(self, settings: TimeSettings) -> None:
        """New settings: a new game of time."""
        self.settings = settings
        self.restart()

    def restart(self) -> None:
        """A new game with the same settings."""
        self.said, self.counted = {}, {}

    def say(self, player: Player, left: TimeLeft) -> None:
        """Whoever counts the time says what a player has left."""
        self.said[player] = left
        self.counted.pop(player, None)

    def spend(self, player: Player, seconds: float) -> None:
        """A move of that player took so long, by our own count."""
        if self.settings.system != "none":
            self.counted[player] = after_move(self.settings, self.left_of(player), seconds)

    def left_of(self, player: Player) -> TimeLeft:
        """What a player has left, as far as we know."""
        return self.counted.get(player) or self.said.get(player) or at_start(self.settings)

    def seconds_for_move(self, player: Player, moves: float) -> float | None:
        """For a player's next move in a game of about so many moves of both; None: there is no limit."""
        return seconds_for_move(self._settings_for(player), self.left_of(player), moves)

    def _settings_for(self, player: Player) -> TimeSettings:
        """Where only the time left was said: for so many stones, or for all moves."""
        if self.settings.system != "none" or player not in self.said:
            return self.settings
        return TimeSettings(system="canadian" if self.said[player].count else "absolute")

    def __str__(self) -> str:
        given = {name: value for name, value in self.settings.model_dump().items() if name != "system" and value}
        parts = [self.settings.system, *(f"{name} {value:g}" for name, value in given.items())]
        parts += [f"{player.name.lower()} {left.seconds:g}/{left.count}" for player, left in sorted(self.said.items())]
        return ", ".join(parts)
