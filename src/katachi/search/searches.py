"""The Python face of the native searches: make one for a root state, run it under a limit, read what it found.

A search can be stopped (Ctrl-C, or `progress` returning False) and run again to go on; one seed gives one result. It
takes a copy of its generator: split one by name for each search.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from pydantic import Field

from katachi import _core
from katachi._core import GameFacts, Player, RootAction
from katachi.core.errors import InvalidArgumentError
from katachi.core.limit import Limit
from katachi.core.settings import Settings
from katachi.core.types import Action
from katachi.games.contract import Game, native_state

__all__ = ["FlatMonteCarlo", "Progress", "TreeSearch", "TreeSearchSettings"]

# Told the share of work done (0 to 1) every 50 ms; returning False stops.
Progress: TypeAlias = Callable[[float], object]


class _RootSearch:
    """What the searches share: a native search, and reading off its root."""

    _native: _core.Search
    _facts: GameFacts
    _to_play: Player

    def _hold(self, game: Game[Any], state: Any) -> _core.State:  # noqa: ANN401
        if game.is_terminal(state):
            raise InvalidArgumentError(f"there is nothing to search: this game of {game.name} is over")
        self._facts = game.facts
        self._to_play = game.to_play(state)
        return native_state(game, state)

    @property
    def simulations(self) -> int:
        """Simulations so far."""
        return self._native.simulations

    @property
    def steps(self) -> int:
        """Simulated steps so far."""
        return self._native.steps

    def run(self, limit: Limit, progress: Progress | None = None) -> bool:
        """Searches until the limit is reached (True) or `progress` returns False. The first run does at least one."""
        if not isinstance(limit, Limit):
            raise InvalidArgumentError(f"a search runs under a Limit, such as Limit(simulations=100), not {limit!r}")
        return self._native.run(
            simulations=limit.simulations, steps=limit.steps, seconds=limit.seconds, progress=progress
        )

    def root_actions(self) -> list[RootAction]:
        """Visits and value (player 0's mean return) of every action at the root."""
        return self._native.root_actions()

    def value_to_play(self, root_action: RootAction) -> float:
        """Its value as the player to move sees it."""
        return self._facts.value_for(self._to_play, root_action.value)

    def best_by_value(self, rng: _core.Rng) -> Action:
        """The visited action with the highest value for the player to move; ties are broken uniformly at random."""
        return self._best(lambda root: self.value_to_play(root) if root.visits else float("-inf"), rng)

    def best_by_visits(self, rng: _core.Rng) -> Action:
        """The action with the most visits; ties are broken uniformly at random."""
        return self._best(lambda root: float(root.visits), rng)

    def _best(self, score: Callable[[RootAction], float], rng: _core.Rng) -> Action:
        if self.simulations == 0:
            raise InvalidArgumentError("nothing has been searched yet: call run first")
        scored = [(score(root), root.action) for root in self.root_actions()]
        highest = max(value for value, _ in scored)
        ties = [action for value, action in scored if value == highest]
        return Action(rng.choice(ties))


class FlatMonteCarlo(_RootSearch):
    """Flat Monte-Carlo (Silver 3.3.4, 4.6.2): uniform playouts after each action in turn."""

    def __init__(self, game: Game[Any], state: Any, *, rng: _core.Rng) -> None:  # noqa: ANN401
        self._native = _core.flat_monte_carlo(self._hold(game, state), rng)


class TreeSearchSettings(Settings):
    """The one choice of the plain UCT."""

    exploration: float = Field(
        default=1.0, ge=0, description="c in Q + c * sqrt(ln N / n), for returns scaled to [0, 1]."
    )


class TreeSearch(_RootSearch):
    """A plain UCT over any game: uniform playouts, open-loop where the game has chance."""

    def __init__(
        self,
        game: Game[Any],
        state: Any,  # noqa: ANN401
        *,
        rng: _core.Rng,
        settings: TreeSearchSettings | None = None,
    ) -> None:
        self.settings = settings or TreeSearchSettings()
        self._native = _core.tree_search(self._hold(game, state), self.settings.exploration, rng)
