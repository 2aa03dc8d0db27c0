"""The two players that need no knowledge: uniformly random, and flat Monte-Carlo."""

from typing import Any

from pydantic import Field

from katachi._core import Rng
from katachi.core.limit import Limit
from katachi.core.settings import Settings
from katachi.core.types import Action
from katachi.games.contract import Game, native_state
from katachi.players.player import Decision
from katachi.search.searches import FlatMonteCarlo, Progress

__all__ = ["FlatMcPlayer", "FlatMcSettings", "RandomPlayer", "RandomSettings"]


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


class FlatMcSettings(Settings):
    """How much to simulate."""

    sims: int = Field(
        ge=1, description="Uniform playouts for each legal move (Silver 4.6.2). Chosen per task there: no default."
    )


class FlatMcPlayer:
    """The candidate with the best mean over `sims` uniform playouts each; ties are broken at random."""

    def __init__(self, settings: FlatMcSettings) -> None:
        self.settings = settings
        self.name = f"flat-mc:sims={settings.sims}"

    def choose(self, game: Game[Any], state: Any, rng: Rng, progress: Progress | None = None) -> Decision:  # noqa: ANN401
        """The best of all candidates."""
        search = FlatMonteCarlo(game, state, rng=rng.split("search"))
        search.run(Limit(simulations=self.settings.sims * len(search.root_actions())), progress)
        action = search.best_by_value(rng.split("ties"))
        value = next(root.value for root in search.root_actions() if root.action == action)
        return Decision(action, value, search.simulations)
