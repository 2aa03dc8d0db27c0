"""Prediction: what a policy is worth, learnt from its episodes. One function per equation of Silver, chapter 2.

With a `Table` they are the tabular algorithms, with a `LinearMemory` the linear ones. Values are player 0's returns.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal

from katachi._core import Rng
from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Action
from katachi.games.contract import Game
from katachi.planning.memories import Memory

__all__ = [
    "Chooser",
    "Episode",
    "StepSize",
    "Traces",
    "candidates",
    "monte_carlo",
    "play_episode",
    "step",
    "td_error",
    "td_lambda",
    "td_zero",
    "uniform",
]

Traces = Literal["accumulating", "replacing"]
StepSize = float | Callable[[Any], float]
Chooser = Callable[[Any, Rng], Action]


@dataclass(frozen=True)
class Episode:
    """s_0 a_0 r_1 s_1 … s_T, played to its end: one state more than actions and rewards."""

    states: Sequence[Any]
    actions: Sequence[Action]
    rewards: Sequence[float]

    def returns(self) -> list[float]:
        """R_t = r_{t+1} + … + r_T, for every t < T."""
        return list(accumulate(reversed(self.rewards)))[::-1]


def step(game: Game[Any], state: Any, action: Action, rng: Rng) -> tuple[Any, float]:  # noqa: ANN401
    """One step, with or without chance: (next state, reward)."""
    return game.play(state, action) if game.facts.deterministic else game.play(state, action, rng)


def candidates(game: Game[Any], state: Any) -> Sequence[Action]:  # noqa: ANN401
    """What learners and searches consider: the game's candidates if it names them, otherwise all that is legal."""
    found: Sequence[Action] = getattr(game, "candidates", game.legal_actions)(state)
    return found


def uniform(game: Game[Any]) -> Chooser:
    """Every candidate equally likely."""
    return lambda state, rng: Action(rng.choice(candidates(game, state)))


def play_episode(
    game: Game[Any],
    choose: Chooser,
    rng: Rng,
    *,
    start: Any = None,  # noqa: ANN401
    most_steps: int = 100_000,
) -> Episode:
    """A game by one policy for all players, from `start` or the initial state. Advances `rng`."""
    state = game.initial_state() if start is None else start
    states: list[Any] = [state]
    actions: list[Action] = []
    rewards: list[float] = []
    while not game.is_terminal(state):
        if len(actions) == most_steps:
            raise InvalidArgumentError(f"an episode of {game.name} did not end within {most_steps} steps")
        action = choose(state, rng)
        state, reward = step(game, state, action, rng)
        states.append(state)
        actions.append(action)
        rewards.append(reward)
    return Episode(states, actions, rewards)


def monte_carlo(memory: Memory, episode: Episode, alpha: StepSize, *, offline: bool = False) -> None:
    """V(s_t) <- V(s_t) + α (R_t - V(s_t)) at every visit; with α = 1/N(s_t) (`VisitCount`) the mean return.

    `offline`: all errors are taken with the values before the episode.
    """
    before = [memory.value(state) for state in episode.states] if offline else None
    for t, target in enumerate(episode.returns()):
        state = episode.states[t]
        value = before[t] if before is not None else memory.value(state)
        memory.add(state, (alpha(state) if callable(alpha) else alpha) * (target - value))


def td_zero(memory: Memory, episode: Episode, alpha: StepSize) -> None:
    """V(s_t) <- V(s_t) + α δ_t,  δ_t = r_{t+1} + V(s_{t+1}) - V(s_t)."""
    for t, state in enumerate(episode.states[:-1]):
        size = alpha(state) if callable(alpha) else alpha
        memory.add(state, size * td_error(memory, episode, t))


def td_lambda(
    memory: Memory,
    episode: Episode,
    alpha: float,
    lambda_: float,
    *,
    traces: Traces = "accumulating",
    offline: bool = False,
) -> None:
    """e <- λ e + φ(s_t);  θ <- θ + α δ_t e.

    `offline`: θ moves only when the episode is over. Then λ = 1 is `monte_carlo` with the same α, off-line, too.
    """
    before = [td_error(memory, episode, t) for t in range(len(episode.actions))] if offline else None
    trace = memory.trace()
    for t, state in enumerate(episode.states[:-1]):
        delta = before[t] if before is not None else td_error(memory, episode, t)
        trace.decay(lambda_)
        trace.mark(state, replacing=traces == "replacing")
        trace.apply(alpha * delta)


def td_error(memory: Memory, episode: Episode, t: int) -> float:
    """δ_t; the value behind the end is 0."""
    following = memory.value(episode.states[t + 1]) if t + 1 < len(episode.actions) else 0.0
    return episode.rewards[t] + following - memory.value(episode.states[t])
