"""A game written out as tables: every state that can be reached, every action, every outcome.

States are known by their *name*: the key where it is exact, otherwise the state itself, which must be hashable then.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from katachi._core import KeyKind, Player
from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Action
from katachi.games.contract import Game, outcomes_of

__all__ = ["Policy", "TabularMdp", "state_name", "tabulate"]

# The probability of each action in a state; those that are not named have none.
Policy = Callable[[Any], Mapping[Action, float]]


def state_name(game: Game[Any], state: Any) -> Hashable:  # noqa: ANN401
    """What a table knows a state by."""
    if game.facts.key is KeyKind.EXACT:
        return int(game.key(state))  # type: ignore[attr-defined]
    if not isinstance(state, Hashable):
        raise InvalidArgumentError(f"{game.name}: a state is known by an exact key or is hashable, not {state!r}")
    return state


@dataclass(frozen=True)
class TabularMdp:
    """The tables. A *pair* is an action in a state; pairs are in the order of their states, outcomes of their pairs."""

    game: Game[Any]
    states: Sequence[Any]
    index: Mapping[Hashable, int]  # by name
    minimises: NDArray[np.bool_]  # by state: player 1 is to move
    first_pair: NDArray[np.intp]  # by state, and one more for the end; a terminal state has no pair
    pair_state: NDArray[np.intp]
    pair_action: NDArray[np.intp]
    outcome_pair: NDArray[np.intp]
    probability: NDArray[np.float64]
    reward: NDArray[np.float64]
    following: NDArray[np.intp]  # the state that an outcome leads to

    def state_index(self, state: Any) -> int:  # noqa: ANN401
        """The number of a state."""
        return self.index[state_name(self.game, state)]

    def actions(self, state: int) -> list[Action]:
        """What is legal in a state, by its number."""
        return [Action(int(a)) for a in self.pair_action[self.first_pair[state] : self.first_pair[state + 1]]]

    def action_values(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Q(s, a) = Σ_s' P(s, a, s') (R(s, a, s') + V(s')), by pair."""
        weights = self.probability * (self.reward + values[self.following])
        return np.bincount(self.outcome_pair, weights, minlength=len(self.pair_state)).astype(np.float64)


def tabulate(game: Game[Any], *, most_states: int = 1_000_000) -> TabularMdp:
    """Every state that legal actions lead to, in the order of a breadth-first walk from the initial state."""
    states = [game.initial_state()]
    index = {state_name(game, states[0]): 0}
    first_pair: list[int] = [0]
    pair_state: list[int] = []
    pair_action: list[int] = []
    outcome_pair: list[int] = []
    probability: list[float] = []
    reward: list[float] = []
    following: list[int] = []
    number = 0
    while number < len(states):
        state = states[number]
        for action in game.legal_actions(state):
            for outcome in outcomes_of(game, state, action):
                name = state_name(game, outcome.state)
                if name not in index:
                    index[name] = len(states)
                    states.append(outcome.state)
                outcome_pair.append(len(pair_state))
                probability.append(outcome.probability)
                reward.append(outcome.reward)
                following.append(index[name])
            pair_state.append(number)
            pair_action.append(int(action))
        if len(states) > most_states:
            raise InvalidArgumentError(f"{game.name} has more than {most_states} states: it is too large for tables")
        first_pair.append(len(pair_state))
        number += 1
    minimises = [not game.is_terminal(state) and game.to_play(state) == Player.WHITE for state in states]
    return TabularMdp(
        game=game,
        states=states,
        index=index,
        minimises=np.array(minimises, dtype=np.bool_),
        first_pair=np.array(first_pair, dtype=np.intp),
        pair_state=np.array(pair_state, dtype=np.intp),
        pair_action=np.array(pair_action, dtype=np.intp),
        outcome_pair=np.array(outcome_pair, dtype=np.intp),
        probability=np.array(probability, dtype=np.float64),
        reward=np.array(reward, dtype=np.float64),
        following=np.array(following, dtype=np.intp),
    )
