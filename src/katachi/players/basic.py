"""The players without memory: uniformly random, a playout policy by itself, and flat Monte-Carlo."""

from copy import copy
from typing import Any

from pydantic import Field

from katachi._core import Rng
from katachi.core.limit import Limit
from katachi.core.settings import Settings
from katachi.core.types import Action
from katachi.games.contract import Game, native_state
from katachi.players.player import Decision
from katachi.players.thinking import Candidate, Thinker
from katachi.policies.playout_policies import PolicyName, check_policy
from katachi.search.searches import FlatMonteCarlo, Progress

__all__ = ["FlatMcPlayer", "FlatMcSettings", "PolicyPlayer", "PolicySettings", "RandomPlayer", "RandomSettings"]


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

    name: PolicyName = Field(description="uniform, or in Go mogo or fuego (katachi.policies).")


class PolicyPlayer:
    """Plays as a playout does."""

    def __init__(self, settings: PolicySettings) -> None:
        self.settings = settings
        self.name = f"policy:name={settings.name}"

    def check(self, game: Game[Any]) -> None:
        """An error if the game does not have the policy."""
        check_policy(game, self.settings.name)

    def choose(self, game: Game[Any], state: Any, rng: Rng, progress: Progress | None = None) -> Decision:  # noqa: ANN401
        """A move of the policy; where superko forbids it, a uniformly random candidate."""
        check_policy(game, self.settings.name, state)
        root = native_state(game, state)
        action = Action(root.policy_action(self.settings.name, rng.split("policy")))
        if action not in game.legal_actions(state):
            action = Action(rng.choice(root.candidates()))
        return Decision(action)


class FlatMcSettings(Settings):
    """How much to simulate."""

    sims: int = Field(
        ge=1, description="Playouts for each legal move (Silver 4.6.2). Chosen per task there: no default."
    )
    policy: PolicyName = Field(default="uniform", description="Of the playouts; mogo and fuego are for Go.")


class FlatMcPlayer(Thinker):
    """The candidate with the best mean over `sims` playouts each; ties are broken at random."""

    limit = None  # a search ends after `sims` playouts for each move
    ponders = False

    def __init__(self, settings: FlatMcSettings) -> None:
        self.settings = settings
        self.name = f"flat-mc:sims={settings.sims}"
        if settings.policy != "uniform":
            self.name += f",policy={settings.policy}"

    def check(self, game: Game[Any]) -> None:
        """An error if the game does not have the policy."""
        check_policy(game, self.settings.policy)

    def think(self, game: Game[Any], state: Any, rng: Rng) -> "_FlatThinking":  # noqa: ANN401
        """Starts a search of all candidates."""
        search = FlatMonteCarlo(game, state, rng=rng.split("search"), policy=self.settings.policy)
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
        return [Candidate(Action(root.action), root.visits, root.value, (Action(root.action),)) for root in tried]
