"""The players without memory: uniformly random, a playout policy by itself, and flat Monte-Carlo."""

from copy import copy
from typing import Any, Self

from pydantic import Field, model_validator

from katachi._core import Rng
from katachi.core.errors import InvalidArgumentError
from katachi.core.limit import Limit
from katachi.core.settings import Settings
from katachi.core.types import Action
from katachi.games.contract import Game, native_state
from katachi.players.player import Decision
from katachi.players.spec import PlayerSpec, format_spec
from katachi.players.thinking import Candidate, Thinker
from katachi.policies.playout_policies import PlayoutPolicy, PolicyText, check_weights_are_used, lasting_policy
from katachi.search.searches import FlatMonteCarlo, Progress
from katachi.values.weights_reader import SHIPPED, lasting_weights

__all__ = ["FlatMcPlayer", "FlatMcSettings", "PolicyPlayer", "PolicySettings", "RandomPlayer", "RandomSettings"]


_WEIGHTS = "Of learnt policies: a file (katachi train), or shipped: those of the package."


class RandomSettings(Settings):
    """Nothing to set."""


class RandomPlayer:
    """Any candidate, each equally likely."""

    def __init__(self, settings: RandomSettings) -> None:
        self.settings = settings
        self.name = "random"

    def choose(self, game: Game[Any], state: Any, rng: Rng, progress: Progress | None = None) -> Decision:  # noqa: ANN401
        """A uniformly random candidate."""
        candidates = native_state(game, state).candidates()
        return Decision(Action(rng.choice(candidates)))


class PolicySettings(Settings):
    """Which policy."""

    name: PolicyText = Field(
        description="uniform; in Go mogo, fuego, greedy(EPSILON) and others (docs/playout_policies.md)."
    )
    weights: str = Field(default=SHIPPED, min_length=1, description=_WEIGHTS)
    sims: int = Field(
        default=0,
        ge=0,
        description="Playouts by which it says what a position is worth (katachi label); it plays without them.",
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        check_weights_are_used(self.name, self.weights)
        return self


class PolicyPlayer:
    """Plays as a playout does."""

    def __init__(self, settings: PolicySettings) -> None:
        self.settings = settings
        self.name = _name("policy", settings)
        self.lasting_name = _name(
            "policy",
            settings.replace(name=lasting_policy(settings.name), weights=lasting_weights(settings.weights)),
        )
        self._policy = PlayoutPolicy(settings.name, settings.weights)

    def check(self, game: Game[Any]) -> None:
        """An error if the game does not have the policy."""
        self._policy.native(game)

    def fingerprint(self, game: Game[Any]) -> str | None:
        """Of the weights."""
        return self._policy.fingerprint(game)

    def choose(self, game: Game[Any], state: Any, rng: Rng, progress: Progress | None = None) -> Decision:  # noqa: ANN401
        """A move of the policy; where superko forbids it, a uniformly random candidate."""
        policy = self._policy.native(game, state)
        root = native_state(game, state)
        action = Action(root.policy_action(policy, rng.split("policy")))
        if action not in game.legal_actions(state):
            action = Action(rng.choice(root.candidates()))
        return Decision(action)

    def check_values(self) -> None:
        """An error if it does not say what positions are worth."""
        if self.settings.sims == 0:
            raise InvalidArgumentError(
                f"{self.name} says what a position is worth by playouts, and has none: give it some (sims=100)"
            )

    def evaluate(self, game: Game[Any], state: Any, rng: Rng) -> Decision:  # noqa: ANN401
        """A move of the policy, and the mean outcome if it plays both sides from here on, E[z | s]."""
        self.check_values()
        batch = native_state(game, state).playouts(
            self.settings.sims, rng.split("playouts"), self._policy.native(game, state)
        )
        batch.run()
        sims = self.settings.sims
        return Decision(self.choose(game, state, rng.split("move")).action, batch.total / sims, sims)


class FlatMcSettings(Settings):
    """How much to simulate."""

    sims: int = Field(
        ge=1, description="Playouts for each legal move (Silver 4.6.2). Chosen per task there: no default."
    )
    policy: PolicyText = Field(default="uniform", description="Of the playouts; uniform, and others of Go.")
    weights: str = Field(default=SHIPPED, min_length=1, description=_WEIGHTS)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        check_weights_are_used(self.policy, self.weights)
        return self


class FlatMcPlayer(Thinker):
    """The candidate with the best mean over `sims` playouts each; ties are broken at random."""

    limit = None  # a search ends after `sims` playouts for each move
    ponders = False

    def __init__(self, settings: FlatMcSettings) -> None:
        self.settings = settings
        self.name = _name("flat-mc", settings)
        self.lasting_name = _name(
            "flat-mc",
            settings.replace(policy=lasting_policy(settings.policy), weights=lasting_weights(settings.weights)),
        )
        self._policy = PlayoutPolicy(settings.policy, settings.weights)

    def check(self, game: Game[Any]) -> None:
        """An error if the game does not have the policy."""
        self._policy.native(game)

    def fingerprint(self, game: Game[Any]) -> str | None:
        """Of the weights."""
        return self._policy.fingerprint(game)

    def think(self, game: Game[Any], state: Any, rng: Rng) -> "_FlatThinking":  # noqa: ANN401
        """Starts a search of all candidates."""
        search = FlatMonteCarlo(game, state, rng=rng.split("search"), policy=self._policy)
        return _FlatThinking(search, self.settings.sims, rng.split("ties"))


class _FlatThinking:
    def __init__(self, search: FlatMonteCarlo, sims: int, ties: Rng) -> None:
        self._search, self._ties = search, ties
        self._simulations = sims * len(search.root_actions())

    def run(self, limit: Limit, progress: Progress | None = None) -> bool:
        left = self._simulations - self._search.simulations
        if left <= 0:
            return True
        return self._search.run(limit.replace(simulations=min(left, limit.simulations or left)), progress)

    def decision(self) -> Decision:
        action = self._search.best_by_value(copy(self._ties))
        value = next(root.value for root in self._search.root_actions() if root.action == action)
        return Decision(action, value, self._search.simulations)

    def candidates(self) -> list[Candidate]:
        tried = [root for root in self._search.root_actions() if root.visits]
        tried.sort(key=self._search.value_to_play, reverse=True)
        return [
            Candidate(Action(root.action), root.visits, root.value, (Action(root.action),), mean=root.value)
            for root in tried
        ]


def _name(kind: str, settings: Settings) -> str:
    return format_spec(PlayerSpec(kind, settings.model_dump(exclude_defaults=True)))
