"""Small games in Python for the twin of the tree search: loops, rewards on the way, chance, changing actions."""

from collections.abc import Sequence

from katachi import Action, BaseGame, GameFacts, KeyKind, Player, Rng


class Walk(BaseGame[int]):
    """States in a row, both ends terminal; left, right, and from even ones a jump home. It may go round for ever."""

    def __init__(self, length: int = 7, rewards: tuple[float, float, float] = (-1.0, 0.5, 3.0)) -> None:
        self.name = f"walk-{length}"
        self.length, (self.step, self.bonus, self.goal) = length, rewards
        self.facts = GameFacts(players=1, action_space=3, key=KeyKind.EXACT)

    def initial_state(self) -> int:
        return self.length // 2

    def is_terminal(self, state: int) -> bool:
        return state in (0, self.length - 1)

    def legal_actions(self, state: int) -> Sequence[Action]:
        if self.is_terminal(state):
            return []
        return [Action(a) for a in ((0, 1) if state % 2 else (0, 1, 2))]

    def to_play(self, state: int) -> Player:
        return Player.BLACK

    def play(self, state: int, action: Action) -> tuple[int, float]:
        following = self.initial_state() if action == 2 else state + (1 if action == 1 else -1)
        reward = self.goal if following == self.length - 1 else self.step
        return following, reward + (self.bonus if following == 2 else 0.0)

    def key(self, state: int) -> int:
        return state


class Ring(BaseGame[tuple[int, int]]):
    """Two players push a token round a ring of six; whoever moves earns, and one place ends the game. With loops."""

    name = "ring"
    facts = GameFacts(players=2, action_space=3, key=KeyKind.EXACT)

    def initial_state(self) -> tuple[int, int]:
        return 1, 0

    def is_terminal(self, state: tuple[int, int]) -> bool:
        return state[0] == 0

    def legal_actions(self, state: tuple[int, int]) -> Sequence[Action]:
        return [] if self.is_terminal(state) else [Action(a) for a in range(3)]

    def to_play(self, state: tuple[int, int]) -> Player:
        return Player(state[1])

    def play(self, state: tuple[int, int], action: Action) -> tuple[tuple[int, int], float]:
        place = (state[0] + action + 1) % 6
        earned = (0.0, 1.0, -0.5, 0.25, 0.0, 2.0)[place]
        return (place, 1 - state[1]), earned if state[1] == 0 else -earned

    def key(self, state: tuple[int, int]) -> int:
        return state[0] * 2 + state[1]


class Dice(BaseGame[tuple[int, int, int]]):
    """Two players take or leave dice for six turns; what may be done depends on the last roll. Rewards on the way."""

    name = "dice"
    facts = GameFacts(
        players=2, action_space=4, return_bounds=(-18.0, 18.0), max_length=6, deterministic=False, key=KeyKind.EXACT
    )

    def initial_state(self) -> tuple[int, int, int]:
        return 0, 0, 0

    def is_terminal(self, state: tuple[int, int, int]) -> bool:
        return state[0] >= 6

    def legal_actions(self, state: tuple[int, int, int]) -> Sequence[Action]:
        if self.is_terminal(state):
            return []
        return [Action(a) for a in ((0, 1), (3, 1, 2), (2,))[state[1]]]

    def to_play(self, state: tuple[int, int, int]) -> Player:
        return Player(state[2])

    def play(self, state: tuple[int, int, int], action: Action, rng: Rng) -> tuple[tuple[int, int, int], float]:
        turn, _, player = state
        roll = rng.below(3)
        earned = float(roll * action) / 2
        following = (6 if action == 3 and roll == 0 else turn + 1, roll, 1 - player)
        return following, earned if player == 0 else -earned

    def key(self, state: tuple[int, int, int]) -> int:
        return (state[0] * 3 + state[1]) * 2 + state[2]
