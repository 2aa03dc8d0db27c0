"""A gridworld: one player walks over a map to a goal, past walls and pits, and may slip.

The map is text, one character a cell: `.` free, `#` wall, `G` goal, `x` pit, `S` start. Every step earns `step_reward`,
entering the goal `goal_reward` more and a pit `pit_reward`; both end the game. A step slips to either side of its
direction with probability slip / 2 each; against a wall or the edge it leads nowhere.

The map "corner" with the default rewards is the 4x3 world of Russell and Norvig, whose values are known.
"""

from collections.abc import Sequence
from math import isfinite

from katachi._core import GameFacts, KeyKind, Player, Rng
from katachi.core.errors import InvalidArgumentError, ParseError
from katachi.core.settings import did_you_mean
from katachi.core.types import Action
from katachi.games.contract import BaseGame, Outcome

__all__ = ["MAPS", "Gridworld"]

MAPS = {
    "corner": "...G\n.#.x\nS...",
    "cliff": "............\n............\n............\nSxxxxxxxxxxG",
    "rooms": "S..#...\n...#...\n.......\n##.##.#\n...#...\n.......\n...#..G",
}

_DIRECTIONS = ("up", "right", "down", "left")
_STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))


class Gridworld(BaseGame[int]):
    """A state is a cell, `row * width + column` from the top left. Actions: 0 up, 1 right, 2 down, 3 left."""

    name = "gridworld"

    def __init__(
        self,
        map: str = "corner",
        *,
        slip: float = 0.2,
        step_reward: float = -0.04,
        goal_reward: float = 1.0,
        pit_reward: float = -1.0,
    ) -> None:
        self._rows = _parse_map(map)
        self.height, self.width = len(self._rows), len(self._rows[0])
        if not 0 <= slip <= 1:
            raise InvalidArgumentError(f"slip is a probability, not {slip}")
        for reward in (step_reward, goal_reward, pit_reward):
            if not isfinite(reward):
                raise InvalidArgumentError(f"a reward is a finite number, not {reward}")
        self.slip, self.step_reward = slip, step_reward
        self._entering = {"G": goal_reward, "x": pit_reward}
        self.facts = GameFacts(players=1, action_space=4, deterministic=slip == 0, key=KeyKind.EXACT)

    def initial_state(self) -> int:
        """The cell S."""
        return "".join(self._rows).index("S")

    def legal_actions(self, state: int) -> Sequence[Action]:
        """All four, also against a wall."""
        return [] if self.is_terminal(state) else [Action(a) for a in range(4)]

    def is_terminal(self, state: int) -> bool:
        """A goal or a pit."""
        return self._cell(state) in self._entering

    def to_play(self, state: int) -> Player:
        """There is one player."""
        return Player.BLACK

    def key(self, state: int) -> int:
        """The cell itself."""
        return state

    def play(self, state: int, action: Action, rng: Rng | None = None) -> tuple[int, float]:
        """One step; with `slip` above 0 the generator decides where it leads."""
        outcomes = self.outcomes(state, action)
        if len(outcomes) > 1:
            if rng is None:
                raise InvalidArgumentError("play needs a generator in a gridworld where one may slip")
            draw = rng.uniform()
            for outcome in outcomes[:-1]:
                draw -= outcome.probability
                if draw < 0:
                    return outcome.state, outcome.reward
        return outcomes[-1].state, outcomes[-1].reward

    def outcomes(self, state: int, action: Action) -> Sequence[Outcome]:
        """Straight on, or to a side."""
        if self.is_terminal(state) or not 0 <= action < 4:
            raise InvalidArgumentError(f"{action} is no step from here:\n{self.format_state(state)}")
        chances = ((action, 1 - self.slip), ((action + 1) % 4, self.slip / 2), ((action + 3) % 4, self.slip / 2))
        return [self._outcome(state, direction, chance) for direction, chance in chances if chance > 0]

    def format_state(self, state: int) -> str:
        """The map with an @ where the player is."""
        text = "".join(self._rows)
        text = text[:state] + "@" + text[state + 1 :]
        return "".join(text[i : i + self.width] + "\n" for i in range(0, len(text), self.width))

    def format_action(self, state: int, action: Action) -> str:
        """`up`, `right`, `down` or `left`."""
        return _DIRECTIONS[action]

    def parse_action(self, state: int, text: str) -> Action:
        """The inverse of `format_action`."""
        if text.lower() not in _DIRECTIONS:
            raise ParseError(f"{text!r} is not a direction: expected one of {', '.join(_DIRECTIONS)}")
        return Action(_DIRECTIONS.index(text.lower()))

    def _cell(self, state: int) -> str:
        return self._rows[state // self.width][state % self.width]

    def _outcome(self, state: int, direction: int, probability: float) -> Outcome:
        down, right = _STEPS[direction]
        row, column = state // self.width + down, state % self.width + right
        inside = 0 <= row < self.height and 0 <= column < self.width
        following = row * self.width + column if inside and self._rows[row][column] != "#" else state
        return Outcome(probability, following, self.step_reward + self._entering.get(self._cell(following), 0.0))


def _parse_map(text: str) -> list[str]:
    """The rows of a map, or of one of MAPS by name."""
    if text.isalpha() and text.islower() and "x" not in text:
        if text not in MAPS:
            raise InvalidArgumentError(f"there is no map called {text!r}: {did_you_mean(text, MAPS)}")
        text = MAPS[text]
    rows = text.split()
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise InvalidArgumentError(f"the rows of a map are equally long:\n{text}")
    strange = sorted(set("".join(rows)) - set(".#GxS"))
    if strange:
        raise InvalidArgumentError(f"a map is made of . # G x S, not {' '.join(strange)}:\n{text}")
    if text.count("S") != 1 or "G" not in text:
        raise InvalidArgumentError(f"a map has one S and at least one G:\n{text}")
    return rows
