"""Control: acting well while learning. Sarsa(λ), Monte-Carlo control, and Dyna-Q, which also learns from memory.

Each function plays one episode and learns Q(s, a) in a memory whose things are (state, action). Player 0 takes the
largest value, player 1 the smallest: self-play where there are two. What is considered are the game's candidates.
Searches made of such episodes: td_search.py, dyna2.py.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from math import exp, log, sqrt
from typing import Any, Protocol

from katachi._core import Player, Rng
from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Action
from katachi.games.contract import Game
from katachi.planning.learning import Chooser, Episode, StepSize, Traces, candidates, play_episode, step
from katachi.planning.mdp import Policy, state_name
from katachi.planning.memories import Memory

__all__ = [
    "DynaModel",
    "action_values",
    "dyna_q",
    "epsilon_greedy",
    "greedy",
    "greedy_policy",
    "monte_carlo_control",
    "sarsa",
    "sarsa_episode",
    "softmax",
    "softmax_chooser",
    "ucb1",
]


def action_values(game: Game[Any], memory: Memory, state: Any) -> dict[Action, float]:  # noqa: ANN401
    """Q(s, a) of every candidate."""
    return {action: memory.value((state, action)) for action in candidates(game, state)}


def greedy(game: Game[Any], memory: Memory, state: Any, tie_tolerance: float = 0.0) -> list[Action]:  # noqa: ANN401
    """All best actions for the player to move, and those whose values are as near to the best as `tie_tolerance`."""
    values = action_values(game, memory, state)
    best = min(values.values()) if game.to_play(state) == Player.WHITE else max(values.values())
    return [action for action, value in values.items() if abs(value - best) <= tie_tolerance]


def greedy_policy(game: Game[Any], memory: Memory) -> Policy:
    """The best actions, each equally likely: for `evaluate_policy`."""

    def policy(state: Any) -> dict[Action, float]:  # noqa: ANN401
        best = greedy(game, memory, state)
        return dict.fromkeys(best, 1 / len(best))

    return policy


def epsilon_greedy(game: Game[Any], memory: Memory, epsilon: float, tie_tolerance: float = 0.0) -> Chooser:
    """Any action with probability ε, otherwise a best one; ties are broken uniformly at random.

    Nothing is drawn where there is nothing to decide, as in the native searches.
    """

    def choose(state: Any, rng: Rng) -> Action:  # noqa: ANN401
        explores = epsilon > 0 and rng.uniform() < epsilon
        options = candidates(game, state) if explores else greedy(game, memory, state, tie_tolerance)
        return Action(options[0] if len(options) == 1 else rng.choice(options))

    return choose


def softmax_chooser(game: Game[Any], memory: Memory, temperature: float) -> Chooser:
    """Actions by `softmax` of their values as the player to move sees them."""

    def choose(state: Any, rng: Rng) -> Action:  # noqa: ANN401
        sign = -1.0 if game.to_play(state) == Player.WHITE else 1.0
        values = {action: sign * value for action, value in action_values(game, memory, state).items()}
        draw = rng.uniform()
        for action, probability in softmax(values, temperature).items():
            draw -= probability
            if draw < 0:
                return action
        return action

    return choose


def softmax(values: dict[Action, float], temperature: float) -> dict[Action, float]:
    """π(s, a) = exp(Q(s, a) / τ) / Σ_b exp(Q(s, b) / τ), of values as the player to move sees them."""
    highest = max(values.values())  # so that nothing overflows
    weights = {action: exp((value - highest) / temperature) for action, value in values.items()}
    total = sum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


def ucb1(values: dict[Action, float], visits: dict[Action, int], exploration: float = 1.0) -> Action:
    """argmax_a Q(s, a) + c √(2 ln N(s) / N(s, a)), the first where there are several; what is untried comes first.

    Values are in [0, 1] for c = 1, and as the player to move sees them.
    """
    untried = [action for action in values if visits[action] == 0]
    if untried:
        return untried[0]
    bonus = 2 * log(sum(visits.values()))
    return max(values, key=lambda action: values[action] + exploration * sqrt(bonus / visits[action]))


class Observer(Protocol):
    """Who is told of every step of an episode, before the next action is chosen."""

    def __call__(self, state: Any, action: Action, reward: float, following: Any) -> None:  # noqa: ANN401
        """s, a, r, s'."""


def sarsa_episode(
    game: Game[Any],
    memory: Memory,
    choose: Chooser,
    rng: Rng,
    *,
    alpha: StepSize,
    lambda_: float,
    start: Any = None,  # noqa: ANN401
    traces: Traces = "accumulating",
    normalised: bool = False,
    offline: bool = False,
    most_steps: int = 100_000,
    observe: Observer | None = None,
) -> Episode:
    """Sarsa(λ) along an episode of any policy, from `start` or the initial state. Advances `rng`.

    δ = r + Q(s', a') - Q(s, a);  e <- λ e + φ(s, a);  θ <- θ + α δ e, Q of a terminal state being 0. Steps that differ
    from pair to pair, and the division by ‖φ‖² of `normalised`, enter the trace with φ (Silver 5.4 to 5.6). `offline`:
    θ moves only when the episode is over. After `most_steps` it stops where it is.
    """
    trace = memory.trace()
    waiting: list[tuple[Any, float]] = []
    states: list[Any] = [game.initial_state() if start is None else start]
    actions: list[Action] = []
    rewards: list[float] = []

    def learn(pair: tuple[Any, Action], delta: float) -> None:
        trace.decay(lambda_)
        scale = alpha(pair) if callable(alpha) else 1.0
        if normalised:
            scale /= memory.squared_norm(pair) or 1.0
        trace.mark(pair, replacing=traces == "replacing", scale=scale)
        trace.apply(delta if callable(alpha) else alpha * delta)

    is_over = game.is_terminal(states[0])
    action = Action(-1) if is_over else choose(states[0], rng)
    while not is_over and len(actions) < most_steps:
        state = states[-1]
        following, reward = step(game, state, action, rng)
        if observe is not None:
            observe(state, action, reward, following)
        is_over = game.is_terminal(following)
        next_action = Action(-1) if is_over else choose(following, rng)
        target = reward + (0.0 if is_over else memory.value((following, next_action)))
        delta = target - memory.value((state, action))
        if offline:
            waiting.append(((state, action), delta))
        else:
            learn((state, action), delta)
        states.append(following)
        actions.append(action)
        rewards.append(reward)
        action = next_action
    for pair, error in waiting:
        learn(pair, error)
    return Episode(states, actions, rewards)


def sarsa(
    game: Game[Any],
    memory: Memory,
    rng: Rng,
    *,
    alpha: StepSize,
    lambda_: float,
    epsilon: float,
    traces: Traces = "accumulating",
    normalised: bool = False,
    offline: bool = False,
    most_steps: int = 100_000,
) -> float:
    """An episode of Sarsa(λ) with ε-greedy actions (Silver, Algorithm 1); returns what it earned. Advances `rng`.

    The equations are at `sarsa_episode`. Deviation: the thesis prints the trace behind the update; it comes before it.
    """
    episode = sarsa_episode(
        game,
        memory,
        epsilon_greedy(game, memory, epsilon),
        rng,
        alpha=alpha,
        lambda_=lambda_,
        traces=traces,
        normalised=normalised,
        offline=offline,
        most_steps=most_steps,
    )
    if not game.is_terminal(episode.states[-1]):
        raise InvalidArgumentError(f"an episode of {game.name} did not end within {most_steps} steps")
    return sum(episode.rewards)


def monte_carlo_control(
    game: Game[Any], memory: Memory, rng: Rng, *, alpha: StepSize, epsilon: float, most_steps: int = 100_000
) -> Episode:
    """An episode by ε-greedy actions, and then Q(s_t, a_t) <- Q(s_t, a_t) + α (R_t - Q(s_t, a_t)). Advances `rng`.

    With a constant α all errors are taken before any update, and this is Sarsa(1) off-line.
    """
    episode = play_episode(game, epsilon_greedy(game, memory, epsilon), rng, most_steps=most_steps)
    pairs = list(zip(episode.states, episode.actions, strict=False))
    before = [memory.value(pair) for pair in pairs]
    for pair, target, value in zip(pairs, episode.returns(), before, strict=True):
        if callable(alpha):
            memory.add(pair, alpha(pair) * (target - memory.value(pair)))
        else:
            memory.add(pair, alpha * (target - value))
    return episode


@dataclass
class DynaModel:
    """What Dyna-Q has seen: all outcomes of every (state, action), of which it replays one at random."""

    pairs: list[tuple[Any, Action]] = field(default_factory=list)
    outcomes: dict[Hashable, list[tuple[Any, float]]] = field(default_factory=dict)

    def remember(self, name: Hashable, pair: tuple[Any, Action], following: Any, reward: float) -> None:  # noqa: ANN401
        """(s, a) -> (r, s')."""
        if name not in self.outcomes:
            self.outcomes[name] = []
            self.pairs.append(pair)
        self.outcomes[name].append((following, reward))


def dyna_q(
    game: Game[Any],
    memory: Memory,
    model: DynaModel,
    rng: Rng,
    *,
    alpha: float,
    epsilon: float,
    planning_steps: int,
    most_steps: int = 100_000,
) -> float:
    """An episode of Dyna-Q (Silver 3.2); returns what it earned. Advances `rng`.

    Every real step is learnt from and remembered; then `planning_steps` remembered ones, drawn at random, are learnt
    from in the same way: Q(s, a) <- Q(s, a) + α (r + max_b Q(s', b) - Q(s, a)). Where chance has a part, the model
    keeps all outcomes that it saw; with `planning_steps` 0 this is Q-learning.
    """
    choose = epsilon_greedy(game, memory, epsilon)

    def learn(pair: tuple[Any, Action], following: Any, reward: float) -> None:  # noqa: ANN401
        value = 0.0
        if not game.is_terminal(following):
            value = memory.value((following, greedy(game, memory, following)[0]))
        memory.add(pair, alpha * (reward + value - memory.value(pair)))

    def name(pair: tuple[Any, Action]) -> Hashable:
        return state_name(game, pair[0]), pair[1]

    state, total = game.initial_state(), 0.0
    for _ in range(most_steps):
        if game.is_terminal(state):
            return total
        action = choose(state, rng)
        following, reward = step(game, state, action, rng)
        total += reward
        learn((state, action), following, reward)
        model.remember(name((state, action)), (state, action), following, reward)
        for _ in range(planning_steps):
            pair = rng.choice(model.pairs)
            learn(pair, *rng.choice(model.outcomes[name(pair)]))
        state = following
    raise InvalidArgumentError(f"an episode of {game.name} did not end within {most_steps} steps")
