"""A gridworld: one player walks over a map to a goal, past walls and pits, and may slip.

The map is text, one character a cell: `.` free, `#` wall, `G` goal, `x` pit, `S` start. Every step earns `step_reward`,
entering the goal `goal_reward` more and a pit `pit_reward`; both end the game. A step slips to either side of its
direction with probability slip / 2 each; against a wall or the edge it leads nowhere.

The map "corner" with the default rewards is the 4x3 world of Russell and Norvig, whose values are known.

There is a way to the goal from wherever one can get to: maps without one are refused. So random play ends, sooner or
later; what else plays may walk round for ever, unless `max_length` ends the game after so many steps.
"""

from collections.abc import Sequence

from katachi._core import GameFacts, KeyKind, Player, Rng
from katachi.core.arguments import as_finite_number, as_text, as_whole_number
from katachi.core.errors import IllegalMoveError, InvalidArgumentError, ParseError
from katachi.core.settings import did_you_mean
from katachi.core.types import Action
from katachi.games.contract import BaseGame, Outcome, check_action

__all__ = ["MAPS", "Gridworld"]

MAPS = {
    "corner": "...G\n.#.x\nS...",
    "cliff": "............\n............\n............\nSxxxxxxxxxxG",
    "rooms": "S..#...\n...#...\n.......\n##.##.#\n...#...\n.......\n...#..G",
}

_DIRECTIONS = ("up", "right", "down", "left")
_STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))


class Gridworld(BaseGame[int]):
    """A state is a cell, `row * width + column` from the top left. Actions: 0 up, 1 right, 2 down, 3 left.

    With a `max_length` it is `steps * width * height + cell`, since what a cell is worth depends on the steps left. By
    default there is none: tables and learners know a cell by itself, as the textbooks have it.
    """

    name = "gridworld"

    def __init__(
        self,
        map: str = "corner",
        *,
        slip: float = 0.2,
        step_reward: float = -0.04,
        goal_reward: float = 1.0,
        pit_reward: float = -1.0,
        max_length: int | None = None,
    ) -> None:
        self._rows = _parse_map(as_text("gridworld: map", map))
        self.height, self.width = len(self._rows), len(self._rows[0])
        self.slip = as_finite_number("gridworld: slip", slip)
        if not 0 <= self.slip <= 1:
            raise InvalidArgumentError(f"slip is a probability, not {slip}")
        self.step_reward = as_finite_number("gridworld: step_reward", step_reward)
        self._entering = {
            "G": as_finite_number("gridworld: goal_reward", goal_reward),
            "x": as_finite_number("gridworld: pit_reward", pit_reward),
        }
        if max_length is not None:
            max_length = as_whole_number("gridworld: max_length", max_length)
        self.facts = GameFacts(
            players=1, action_space=4, max_length=max_length, deterministic=self.slip == 0, key=KeyKind.EXACT
        )

    def initial_state(self) -> int:
        """The cell S."""
        return "".join(self._rows).index("S")

    def legal_actions(self, state: int) -> Sequence[Action]:
        """All four, also against a wall."""
        return [] if self.is_terminal(state) else [Action(a) for a in range(4)]

    def is_terminal(self, state: int) -> bool:
        """A goal or a pit, or the last step of `max_length`."""
        cell, steps = self._cell_and_steps(state)
        return self._sign(cell) in self._entering or steps == self.facts.max_length

    def to_play(self, state: int) -> Player:
        """There is one player."""
        return Player.BLACK

    def key(self, state: int) -> int:
        """The state itself."""
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
        check_action(self, action)
        if self.is_terminal(state):
            raise IllegalMoveError(f"there is no step {_DIRECTIONS[action]} from here:\n{self.format_state(state)}")
        chances = ((action, 1 - self.slip), ((action + 1) % 4, self.slip / 2), ((action + 3) % 4, self.slip / 2))
        return [self._outcome(state, direction, chance) for direction, chance in chances if chance > 0]

    def format_state(self, state: int) -> str:
        """The map with an @ where the player is, and the steps if they are counted."""
        cell, steps = self._cell_and_steps(state)
        text = "".join(self._rows)
        text = text[:cell] + "@" + text[cell + 1 :]
        drawn = "".join(text[i : i + self.width] + "\n" for i in range(0, len(text), self.width))
        return drawn if self.facts.max_length is None else f"{drawn}step {steps} of {self.facts.max_length}\n"

    def format_action(self, state: int, action: Action) -> str:
        """`up`, `right`, `down` or `left`."""
        check_action(self, action)
        return _DIRECTIONS[action]

    def parse_action(self, state: int, text: str) -> Action:
        """The inverse of `format_action`."""
        if text.lower() not in _DIRECTIONS:
            raise ParseError(f"{text!r} is not a direction: expected one of {', '.join(_DIRECTIONS)}")
        return Action(_DIRECTIONS.index(text.lower()))

    def _cell_and_steps(self, state: int) -> tuple[int, int]:
        """Raises for what is no state."""
        steps, cell = divmod(state, self.width * self.height)
        if not 0 <= steps <= (self.facts.max_length or 0) or self._sign(cell) == "#":
            raise InvalidArgumentError(f"{state} is no state of this gridworld:\n" + "\n".join(self._rows))
        return cell, steps

    def _sign(self, cell: int) -> str:
        return self._rows[cell // self.width][cell % self.width]

    def _outcome(self, state: int, direction: int, probability: float) -> Outcome:
        cell, steps = self._cell_and_steps(state)
        following = _step(self._rows, cell, direction)
        reward = self.step_reward + self._entering.get(self._sign(following), 0.0)
        if self.facts.max_length is not None:
            following += (steps + 1) * self.width * self.height
        return Outcome(probability, following, reward)


def _step(rows: Sequence[str], cell: int, direction: int) -> int:
    """Where a step leads; against a wall or the edge, nowhere."""
    width, (down, right) = len(rows[0]), _STEPS[direction]
    row, column = cell // width + down, cell % width + right
    is_free = 0 <= row < len(rows) and 0 <= column < width and rows[row][column] != "#"
    return row * width + column if is_free else cell


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
    if not _reaches_goal(rows):
        raise InvalidArgumentError(f"there is no way from S to a G on this map:\n{text}")
    return rows


def _reaches_goal(rows: Sequence[str]) -> bool:
    """Slipping or not: to all sides, but not on from a pit. What was walked can be walked back."""
    signs = "".join(rows)
    front, met = [signs.index("S")], set[int]()
    while front:
        cell = front.pop()
        if signs[cell] == "G":
            return True
        if signs[cell] != "x" and cell not in met:
            met.add(cell)
            front += [_step(rows, cell, direction) for direction in range(4)]
    return False
