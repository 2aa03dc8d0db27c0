"""Playout policies: `uniform` in every game; in Go handcrafted ones, learnt ones, and what is put together from them.

What lives here: a policy made ready for a game, what it may play in a state, and the 3x3 patterns. How policies are
written is katachi.policies.policy_text; they are native (cpp/policies), and their rules are told in
docs/playout_policies.md (Silver 2009, 4.6.3, 6.9 and 9.2).
"""

from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator

from katachi import _core
from katachi._core import Pattern
from katachi.core.errors import InvalidArgumentError, ParseError
from katachi.core.types import Action
from katachi.games.contract import Game, native_state
from katachi.policies.policy_text import (
    LearntPolicy,
    MixedPolicy,
    PlainPolicy,
    PolicyPart,
    PolicyTree,
    ShapePolicy,
    SwitchedPolicy,
    canonical_policy,
    format_policy,
    map_parts,
    parse_policy,
    parts_of,
)
from katachi.policies.policy_weights import PolicyWeightsReader, lasting_policy_weights
from katachi.values.weights_reader import SHIPPED, WeightsReader

__all__ = [
    "Pattern", "PlayoutPolicy", "PolicyMoves", "PolicyText", "check_policy", "check_weights_are_used",
    "lasting_policy", "playout_patterns", "policy_moves",
]  # fmt: skip

# A setting that names a policy.
PolicyText = Annotated[str, AfterValidator(canonical_policy)]


class PolicyMoves(NamedTuple):
    """What a policy may play in a state where a playout begins."""

    stage: str
    """The rule that decides: capture-last, escape, low-liberty, pattern, capture or uniform; greedy, gaussian, softmax;
    softmax-shapes; or mix."""
    moves: dict[Action, float]
    """Actions, ascending, with their probabilities."""


class PlayoutPolicy:
    """A policy by its text, and the weights that learnt ones need: `shipped` or a file, read once for each size.

    Those of `softmax-shapes(FILE)` are in its text.
    """

    def __init__(self, text: str, weights: str = SHIPPED) -> None:
        self.tree = parse_policy(text)
        self.text = format_policy(self.tree)
        self.reader = WeightsReader(weights)
        self._shape_readers = {
            part.weights: PolicyWeightsReader(part.weights)
            for part in parts_of(self.tree)
            if isinstance(part, ShapePolicy)
        }

    @property
    def needs_weights(self) -> bool:
        """Is a part of it over learnt values?"""
        return any(isinstance(part, LearntPolicy) for part in parts_of(self.tree))

    def native(self, game: Game[Any], state: Any = None) -> _core.Policy:  # noqa: ANN401
        """What native code takes; an error if the game does not have it. `state`: any one of the game."""
        of_go = [part for part in parts_of(self.tree) if part != PlainPolicy("uniform")]
        if of_go:
            some = native_state(game, game.initial_state() if state is None else state)
            if not some.has_policy("fuego"):
                raise InvalidArgumentError(
                    f"the playout policy {format_policy(of_go[0])} is for Go, not for {game.name}"
                )
        return self._native(self.tree, game)

    def fingerprint(self, game: Game[Any], *others: str | None) -> str | None:
        """Of all weights, and others that somebody has besides; None: there are none."""
        found = [*others, self.reader.evaluation(game).fingerprint if self.needs_weights else None]
        found += [reader.weights(game).fingerprint for reader in self._shape_readers.values()]
        return "+".join(dict.fromkeys(each for each in found if each is not None)) or None

    def _native(self, tree: PolicyTree, game: Game[Any]) -> _core.Policy:
        match tree:
            case PlainPolicy(name):
                return _core.Policy.named(name)
            case LearntPolicy(name, number):
                return _core.Policy.learnt(name, number, self.reader.evaluation(game).evaluator)
            case ShapePolicy(weights):
                return _core.Policy.softmax_shapes(self._shape_readers[weights].weights(game).frozen)
            case MixedPolicy(parts):
                return _core.Policy.mix([(share, self._native(part, game)) for share, part in parts])
            case SwitchedPolicy(moves, first, second):
                return _core.Policy.two_stages(moves, self._native(first, game), self._native(second, game))


def check_policy(game: Game[Any], policy: str | PlayoutPolicy, state: Any = None) -> None:  # noqa: ANN401
    """Raises if there is no such policy, or if the game does not have it."""
    _ready(policy).native(game, state)


def check_weights_are_used(policy: str, weights: str) -> None:
    """Raises if weights are given to a policy that has no use for them."""
    if weights != SHIPPED and not PlayoutPolicy(policy).needs_weights:
        raise ValueError(f"weights={weights} are for learnt policies, such as greedy(0.1), not for {policy}")


def lasting_policy(text: str) -> str:
    """The same policy in whatever folder one is; a text that is no policy stays what it is."""

    def lasting(part: PolicyPart) -> PolicyPart:
        return ShapePolicy(lasting_policy_weights(part.weights)) if isinstance(part, ShapePolicy) else part

    try:
        return format_policy(map_parts(parse_policy(text), lasting))
    except ParseError:
        return text


def policy_moves(game: Game[Any], state: Any, policy: str | PlayoutPolicy) -> PolicyMoves:  # noqa: ANN401
    """What a playout policy may play in a state of a game that is not over, where a playout begins."""
    stage, moves = native_state(game, state).policy_moves(_ready(policy).native(game, state))
    return PolicyMoves(stage, {Action(action): share for action, share in moves})


def playout_patterns() -> list[Pattern]:
    """The patterns by which `mogo` and `fuego` play: `print(pattern)` draws one."""
    return _core.playout_patterns()


def _ready(policy: str | PlayoutPolicy) -> PlayoutPolicy:
    return policy if isinstance(policy, PlayoutPolicy) else PlayoutPolicy(policy)
