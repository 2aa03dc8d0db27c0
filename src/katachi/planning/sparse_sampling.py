"""Sparse sampling (Kearns, Mansour and Ng 2002; Silver 3.3): look ahead by a few samples of every action."""

from collections.abc import Callable
from typing import Any

from katachi._core import Player, Rng
from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Action
from katachi.games.contract import Game
from katachi.planning.control import ucb1
from katachi.planning.learning import step

__all__ = ["sparse_sampling", "ucb_sampling"]

Evaluate = Callable[[Any], float]


def sparse_sampling(
    game: Game[Any],
    state: Any,  # noqa: ANN401
    rng: Rng,
    *,
    samples: int,
    depth: int,
    evaluate: Evaluate | None = None,
) -> float:
    """V(s) = max_a (1/C) Σ_i (r_i + V(s'_i)) with C = `samples` of every action, to `depth` plies. Advances `rng`.

    At the depth `evaluate` is asked (0 without one). The minimum where player 1 moves.
    """
    check_budget(samples, depth)
    if game.is_terminal(state):
        return 0.0
    if depth == 0:
        return evaluate(state) if evaluate is not None else 0.0
    means = []
    for action in game.legal_actions(state):
        total = 0.0
        for _ in range(samples):
            following, reward = step(game, state, action, rng)
            total += reward + sparse_sampling(game, following, rng, samples=samples, depth=depth - 1, evaluate=evaluate)
        means.append(total / samples)
    return min(means) if game.to_play(state) == Player.WHITE else max(means)


def ucb_sampling(
    game: Game[Any],
    state: Any,  # noqa: ANN401
    rng: Rng,
    *,
    samples: int,
    depth: int,
    exploration: float = 1.0,
    evaluate: Evaluate | None = None,
) -> float:
    """The same with as many samples in all, `samples` times the number of actions, given out by UCB1. Advances `rng`.

    The value is the best mean. `exploration` is c, of the scale of the returns (Chang et al. 2005).
    """
    check_budget(samples, depth)
    if game.is_terminal(state):
        return 0.0
    if depth == 0:
        return evaluate(state) if evaluate is not None else 0.0
    actions: list[Action] = list(game.legal_actions(state))
    player = game.to_play(state)
    means = dict.fromkeys(actions, 0.0)
    visits = dict.fromkeys(actions, 0)
    for _ in range(samples * len(actions)):
        seen = {action: game.facts.value_for(player, mean) for action, mean in means.items()}
        action = ucb1(seen, visits, exploration)
        following, reward = step(game, state, action, rng)
        value = reward + ucb_sampling(
            game, following, rng, samples=samples, depth=depth - 1, exploration=exploration, evaluate=evaluate
        )
        visits[action] += 1
        means[action] += (value - means[action]) / visits[action]
    return min(means.values()) if player == Player.WHITE else max(means.values())


def check_budget(samples: int, depth: int) -> None:
    """At least one sample, and no negative depth."""
    if samples < 1 or depth < 0:
        raise InvalidArgumentError(f"sparse sampling needs samples >= 1 and depth >= 0, not {samples} and {depth}")
