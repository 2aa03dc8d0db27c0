"""Dyna-2 (Silver 2009, chapter 7, Algorithm 6): learning and search in one value, with two memories.

The long-term memory (θ) learns from real episodes and keeps what is true in general. The short-term memory (θ̄) learns
from simulations that begin in the current state, and corrects the first one for what is true here and now. The search
is td_search.py on a `memories.Correction`; the model is the game itself, or what has been seen of it (`SeenModel`).
Manual: docs/dyna2.md.
"""

from collections.abc import Hashable
from typing import Any, Literal

from pydantic import ConfigDict, Field

from katachi._core import GameFacts, Player, Rng
from katachi.core.errors import InvalidArgumentError
from katachi.core.limit import Limit
from katachi.core.settings import Settings
from katachi.core.types import Action
from katachi.games.contract import BaseGame, Game
from katachi.planning.control import DynaModel, epsilon_greedy, sarsa_episode
from katachi.planning.learning import Chooser, Episode, candidates
from katachi.planning.mdp import state_name
from katachi.planning.memories import Correction, Memory, TableLookup
from katachi.planning.td_search import LinearTdSearch, LinearTdSettings

__all__ = ["Dyna2", "Dyna2Settings", "SeenModel"]


class Dyna2Settings(Settings):
    """How real episodes are played and learnt from; `search` is the same for simulated ones. Sections are of Silver."""

    model_config = ConfigDict(populate_by_name=True)

    alpha: float = Field(ge=0, description="Step size of the long-term memory, tuned for each task; 0: it is fixed.")
    lambda_: float = Field(default=0.0, ge=0, le=1, alias="lambda", description="Decay of its traces (7.3).")
    traces: Literal["accumulating", "replacing"] = Field(
        default="accumulating", description="What a weight that is met again adds to its trace (2.5.2)."
    )
    normalised: bool = Field(default=False, description="Its steps are divided by ‖φ‖² (5.3).")
    epsilon: float = Field(default=0.1, ge=0, le=1, description="Exploration of real actions (7.3).")
    simulations: int = Field(ge=0, description="Simulations before each real action.")
    search: LinearTdSettings = Field(description="Of the short-term memory: bar letters of the source (7.3).")


class SeenModel(BaseGame[Any]):
    """A game as far as it has been seen: `observe` real steps, and play draws one of those that were made before.

    What may be played, and by whom, is known. An action that was never tried ends the game and earns `untried`.
    """

    def __init__(self, game: Game[Any], untried: float = 0.0) -> None:
        self.name = f"what was seen of {game.name}"
        self.facts = GameFacts(
            players=game.facts.players,
            action_space=game.facts.action_space,
            max_length=game.facts.max_length,
            deterministic=False,
            key=game.facts.key,
        )
        self._game = game
        self._untried = untried
        self._seen = DynaModel()

    def observe(self, state: Any, action: Action, reward: float, following: Any) -> None:  # noqa: ANN401
        """(s, a) -> (r, s')."""
        self._seen.remember(self._name(state, action), (state, action), following, reward)

    def initial_state(self) -> Any:  # noqa: ANN401
        """The game's."""
        return self._game.initial_state()

    def legal_actions(self, state: Any) -> list[Action]:  # noqa: ANN401
        """The game's, tried or not."""
        return [] if state is None else list(self._game.legal_actions(state))

    def candidates(self, state: Any) -> list[Action]:  # noqa: ANN401
        """The game's."""
        return [] if state is None else list(candidates(self._game, state))

    def is_terminal(self, state: Any) -> bool:  # noqa: ANN401
        """The end of the game, or of what is known of it (None)."""
        return state is None or self._game.is_terminal(state)

    def to_play(self, state: Any) -> Player:  # noqa: ANN401
        """The game's."""
        return Player.BLACK if state is None else self._game.to_play(state)

    def key(self, state: Any) -> int:  # noqa: ANN401
        """The game's, of states that it knows."""
        return int(self._game.key(state))  # type: ignore[attr-defined]

    def play(self, state: Any, action: Action, rng: Rng) -> tuple[Any, float]:  # noqa: ANN401
        """One of the outcomes that were seen, each as likely as it was often."""
        seen = self._seen.outcomes.get(self._name(state, action))
        if seen is None:
            return None, self._untried
        return seen[0] if len(seen) == 1 else seen[rng.below(len(seen))]

    def _name(self, state: Any, action: Action) -> Hashable:  # noqa: ANN401
        return state_name(self._game, state), action


class Dyna2:
    """An agent that learns from real episodes and searches before every real action.

    `long` and `short` are memories of (state, action), with features of their own; Q̄ is their sum. `model` is what is
    simulated: the game itself unless another one is given, which is told of every real step if it is a `SeenModel`.
    `default_policy` and `grows` are those of the search.
    """

    def __init__(
        self,
        game: Game[Any],
        long: Memory,
        short: Memory,
        settings: Dyna2Settings,
        *,
        model: Game[Any] | None = None,
        default_policy: Chooser | None = None,
        grows: TableLookup | None = None,
    ) -> None:
        self.game = game
        self.long = long
        self.short = short
        self.settings = settings
        self.model = game if model is None else model
        self.search = LinearTdSearch(
            self.model, Correction(long, short), settings.search, default_policy=default_policy, grows=grows
        )

    def play_episode(self, rng: Rng, *, most_steps: int = 100_000) -> Episode:
        """A real episode (Algorithm 6): θ̄ = 0; search, act, learn θ, and again. Advances `rng`.

        δ = r + Q(s', a') - Q(s, a) with long-term values only; actions are ε-greedy by Q̄. Each search has a generator
        of its own, split from `rng`, so that the real episode draws the same with any number of simulations.
        """
        settings = self.settings
        act = epsilon_greedy(self.game, self.search.memory, settings.epsilon, settings.search.tie_tolerance)
        t = 0

        def choose(state: Any, rng: Rng) -> Action:  # noqa: ANN401
            nonlocal t
            if settings.simulations:
                self.search.run(state, Limit(simulations=settings.simulations), rng.split("search", t))
            t += 1
            return act(state, rng)

        self.search.reset()
        episode = sarsa_episode(
            self.game,
            self.long,
            choose,
            rng,
            alpha=settings.alpha,
            lambda_=settings.lambda_,
            traces=settings.traces,
            normalised=settings.normalised,
            most_steps=most_steps,
            observe=self.model.observe if isinstance(self.model, SeenModel) else None,
        )
        if not self.game.is_terminal(episode.states[-1]):
            raise InvalidArgumentError(f"an episode of {self.game.name} did not end within {most_steps} steps")
        return episode
