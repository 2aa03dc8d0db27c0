"""The slow twins of cpp/learning/episode_rules.hpp: the equations as the source writes them (Ekker, 3.1 and 3.2).

Values are V(s_0) to V(s_{T-1}), the learner's; V(s_T) = 0. Rewards are r_1 to r_T, of the steps that lead to s_1 to
s_T. Every function gives the errors of s_0 to s_{T-1}. Which states those are, positions or leaves of searches, is for
the caller to say; and, by `learns`, which of them have a value of the network: others have no weights, and no error.
"""

from collections.abc import Callable, Sequence
from math import exp

__all__ = ["lambda_returns", "logistic", "squashed_errors", "td_lambda_errors", "td_mu_costs", "td_mu_errors"]


def logistic(x: float) -> float:
    """sigma(x)."""
    return 1 / (1 + exp(-x))


def _mixed(lambda_: float, t: int, end: int, target: Callable[[int], float]) -> float:
    """(1 - lambda) sum over k = t+1 .. T-1 of lambda^(k-t-1) target(k), and lambda^(T-t-1) target(T)."""
    middle = sum((1 - lambda_) * lambda_ ** (k - t - 1) * target(k) for k in range(t + 1, end))
    return middle + lambda_ ** (end - t - 1) * target(end)


def lambda_returns(values: Sequence[float], rewards: Sequence[float], lambda_: float) -> list[float]:
    """R_t^lambda (eq. 5 to 7)."""
    end = len(values)
    after = [*values, 0.0]
    return [
        _mixed(lambda_, t, end, lambda k, t=t: after[k] + sum(rewards[t:k]))  # type: ignore[misc]
        for t in range(end)
    ]


def td_lambda_errors(values: Sequence[float], rewards: Sequence[float], lambda_: float) -> list[float]:
    """R_t^lambda - V(s_t) (eq. 8); with lambda = 0 those of TD(0) (eq. 4)."""
    returns = lambda_returns(values, rewards, lambda_)
    return [target - value for target, value in zip(returns, values, strict=True)]


def squashed_errors(
    values: Sequence[float],
    rewards: Sequence[float],
    lambda_: float,
    scale: float = 1.0,
    learns: Sequence[bool] | None = None,
) -> list[float]:
    """The same with every return squashed before it is mixed: eq. 14 where no move is bad."""
    end = len(values)
    after = [*values, 0.0]
    errors = [
        _mixed(lambda_, t, end, lambda k, t=t: logistic((after[k] + sum(rewards[t:k])) / scale))  # type: ignore[misc]
        - logistic(values[t] / scale)
        for t in range(end)
    ]
    return [error if learns is None or learns[t] else 0.0 for t, error in enumerate(errors)]


def td_mu_costs(
    values: Sequence[float],
    by_learner: Sequence[bool],
    rewards: Sequence[float] | None = None,
) -> list[float]:
    """e_1 to e_T (eq. 9, 10): what bad moves cost; of the last step, in which nobody moves, 0.

    `by_learner` says who made plies 1 to T-1. With `rewards` a move is judged with what it earns.
    """
    found = []
    for i in range(1, len(values)):
        delta = values[i] - values[i - 1] + (0.0 if rewards is None else rewards[i - 1])
        found.append(min(delta, 0.0) if by_learner[i - 1] else max(delta, 0.0))
    return [*found, 0.0]


def td_mu_errors(
    values: Sequence[float],
    rewards: Sequence[float],
    by_learner: Sequence[bool],
    lambda_: float,
    *,
    scale: float = 1.0,
    delta_includes_reward: bool = False,
    learns: Sequence[bool] | None = None,
) -> list[float]:
    """TD(mu) (eq. 11 to 14)."""
    costs = td_mu_costs(values, by_learner, rewards if delta_includes_reward else None)
    return squashed_errors(values, [r - e for r, e in zip(rewards, costs, strict=True)], lambda_, scale, learns)
