"""Playout policies by name: `uniform` in every game, `mogo` and `fuego` in Go (Silver 2009, 4.6.3 and 6.9).

What lives here: which games have which, what a policy may play in a state, and the 3x3 patterns. The policies are
native (cpp/policies/go_policies.hpp); their rules are told in docs/playout_policies.md.
"""

from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from katachi import _core
from katachi._core import Pattern
from katachi.core.errors import InvalidArgumentError, UnknownNameError
from katachi.core.settings import did_you_mean
from katachi.core.types import Action
from katachi.games.contract import Game, native_state

__all__ = ["POLICY_NAMES", "Pattern", "PolicyMoves", "PolicyName", "check_policy", "playout_patterns", "policy_moves"]

PolicyName: TypeAlias = Literal["uniform", "mogo", "fuego"]
POLICY_NAMES: tuple[PolicyName, ...] = get_args(PolicyName)


class PolicyMoves(NamedTuple):
    """What a policy may play in a state."""

    stage: str
    """The rule that decides: capture-last, escape, low-liberty, pattern, capture or uniform."""
    moves: dict[Action, float]
    """Actions, ascending, with their probabilities."""


def check_policy(game: Game[Any], policy: str, state: Any = None) -> None:  # noqa: ANN401
    """Raises if there is no such policy, or if the game does not have it."""
    if policy not in POLICY_NAMES:
        raise UnknownNameError(f"there is no playout policy called {policy!r}: {did_you_mean(policy, POLICY_NAMES)}")
    if policy == "uniform":
        return
    if not native_state(game, game.initial_state() if state is None else state).has_policy(policy):
        raise InvalidArgumentError(f"the playout policy {policy} is for Go, not for {game.name}")


def policy_moves(game: Game[Any], state: Any, policy: PolicyName) -> PolicyMoves:  # noqa: ANN401
    """What a playout policy may play in a state of a game that is not over."""
    check_policy(game, policy, state)
    stage, moves = native_state(game, state).policy_moves(policy)
    return PolicyMoves(stage, {Action(action): share for action, share in moves})


def playout_patterns() -> list[Pattern]:
    """The patterns by which `mogo` and `fuego` play: `print(pattern)` draws one."""
    return _core.playout_patterns()
