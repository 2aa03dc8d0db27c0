"""Temporal-difference search with linear features, over any game (Silver 2009, 6.6, Algorithm 4).

A search is learning by simulated games that begin where the real one stands: Sarsa(λ), ε-greedy, with weights that stay
from one move to the next. With table-lookup features that grow state by state, λ = 1 and steps of 1/N it is greedy
Monte-Carlo tree search (6.7): `monte_carlo_tree`. On top of values that do not change (`memories.Correction`) it is the
search of Dyna-2 (dyna2.py), or tree search with a heuristic (8.11).

Plain Python, for features of your own. Manual: docs/td_search.md.
"""

from math import floor, inf
from time import monotonic
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from katachi._core import Rng
from katachi.core.errors import InvalidArgumentError
from katachi.core.limit import Limit
from katachi.core.settings import Settings
from katachi.core.types import Action
from katachi.games.contract import Game
from katachi.planning.control import action_values, epsilon_greedy, greedy, sarsa_episode, softmax_chooser
from katachi.planning.learning import Chooser, Episode, StepSize, candidates, uniform
from katachi.planning.memories import Correction, Memory, SparseMemory, TableLookup, VisitCount, name_of_pair

__all__ = ["LinearTdSearch", "LinearTdSettings", "monte_carlo_tree"]


class LinearTdSettings(Settings):
    """How simulated games are played, and what is learnt from them. Sections are of Silver (2009)."""

    model_config = ConfigDict(populate_by_name=True)

    alpha: float | Literal["visits"] = Field(
        description="Step size, tuned for each task; visits: 1/(C + N(s, a)), the mean return from λ = 1 (6.7)."
    )
    lambda_: float = Field(default=0.0, ge=0, le=1, alias="lambda", description="Decay of the traces (6.8: 0).")
    traces: Literal["accumulating", "replacing"] = Field(
        default="accumulating", description="What a weight that is met again adds to its trace (2.5.2)."
    )
    normalised: bool = Field(
        default=False, description="Steps are divided by ‖φ‖², of features of 0 and 1 their number (6.3)."
    )
    offline: bool = Field(default=False, description="Weights move at the end of a simulation, not at every step.")
    control: Literal["epsilon-greedy", "softmax"] = Field(
        default="epsilon-greedy", description="How actions are chosen by their values (6.6, 10.3.2)."
    )
    epsilon: float = Field(default=0.1, ge=0, le=1, description="Of epsilon-greedy (6.8: 0.1).")
    epsilon_decay: Literal["none", "linear", "exponential"] = Field(
        default="none",
        description="epsilon falls to 0 over the simulations of a run, or by epsilon_factor each (10.3.2).",
    )
    epsilon_factor: float = Field(default=1.0, gt=0, le=1, description="Of the exponential decay.")
    temperature: float = Field(default=1.0, gt=0, description="Of softmax (2.8).")
    switch: float | None = Field(
        default=None,
        ge=0,
        description="T: after so many plies the default policy plays (6.9.1); a part of one is a chance of one more.",
    )
    reset: bool = Field(default=False, description="Every search begins with weights of 0 (6.9.5).")
    horizon: int = Field(default=100_000, ge=1, description="Simulations stop after so many steps; ours.")
    tie_tolerance: float = Field(default=0.0, ge=0, description="Values so near to the best are ties; ours.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not isinstance(self.alpha, str) and self.alpha < 0:
            raise ValueError(f"alpha is 0 or more, or visits, not {self.alpha}")
        if self.epsilon_decay == "exponential" and self.epsilon_factor == 1:
            raise ValueError("epsilon_decay=exponential needs an epsilon_factor below 1")
        return self


class LinearTdSearch:
    """Simulated games from the current state, and the values that they leave in a memory of (state, action).

    `game` is the generative model. `default_policy` plays behind `switch`, uniformly at random if none is given. With
    `grows`, the features of `memory`, every simulation adds the first state that they do not represent, and the default
    policy plays in states without features. `confidence` is C of alpha=visits.
    """

    def __init__(
        self,
        game: Game[Any],
        memory: Memory,
        settings: LinearTdSettings,
        *,
        default_policy: Chooser | None = None,
        grows: TableLookup | None = None,
        confidence: StepSize = 0.0,
    ) -> None:
        self.game = game
        self.memory = memory
        self.settings = settings
        self.simulations = 0
        self.steps = 0
        self._default_policy = uniform(game) if default_policy is None else default_policy
        self._grows = grows
        self._counts = VisitCount(name_of_pair(game), confidence)

    def run(self, state: Any, limit: Limit, rng: Rng) -> None:  # noqa: ANN401
        """Searches from a state until the limit is reached, at least one simulation. Advances `rng`."""
        if self.game.is_terminal(state):
            raise InvalidArgumentError(f"there is nothing to search: this game of {self.game.name} is over")
        if self.settings.epsilon_decay == "linear" and limit.simulations is None:
            raise InvalidArgumentError(f"epsilon_decay=linear needs a limit in simulations, not {limit!r}")
        if self.settings.reset:
            self.reset()
        if self._grows is not None:
            self._grows.add(state)
        simulations = steps = 0
        begin = monotonic()
        while not (
            simulations >= (limit.simulations or inf)
            or steps >= (limit.steps or inf)
            or (simulations > 0 and monotonic() - begin >= (limit.seconds or inf))
        ):
            episode = self._simulate(state, self._epsilon(simulations, limit), rng)
            simulations += 1
            steps += len(episode.actions)
        self.simulations += simulations
        self.steps += steps

    def best(self, state: Any, rng: Rng) -> Action:  # noqa: ANN401
        """argmax_a Q(s, a) for the player to move, argmin for player 1; ties are broken uniformly at random."""
        options = greedy(self.game, self.memory, state, self.settings.tie_tolerance)
        return Action(options[0] if len(options) == 1 else rng.choice(options))

    def action_values(self, state: Any) -> dict[Action, float]:  # noqa: ANN401
        """Q(s, a) of every candidate, player 0's."""
        return action_values(self.game, self.memory, state)

    def visits(self, state: Any) -> dict[Action, int]:  # noqa: ANN401
        """N(s, a) of every candidate; counted for alpha=visits only."""
        counted = self._counts
        return {action: counted.visits.get(counted.name((state, action)), 0) for action in candidates(self.game, state)}

    def reset(self) -> None:
        """Forgets all that was learnt, as at the start of a game."""
        self.memory.reset()
        self._counts.visits.clear()
        if self._grows is not None:
            self._grows.clear()

    def _simulate(self, root: Any, epsilon: float, rng: Rng) -> Episode:  # noqa: ANN401
        settings = self.settings
        if settings.control == "softmax":
            control = softmax_chooser(self.game, self.memory, settings.temperature)
        else:
            control = epsilon_greedy(self.game, self.memory, epsilon, settings.tie_tolerance)
        learnt_plies = self._draw_switch(rng)
        t = 0

        def choose(state: Any, rng: Rng) -> Action:  # noqa: ANN401
            nonlocal t
            is_learnt = t < learnt_plies and (self._grows is None or state in self._grows)
            t += 1
            return control(state, rng) if is_learnt else self._default_policy(state, rng)

        episode = sarsa_episode(
            self.game,
            self.memory,
            choose,
            rng,
            start=root,
            alpha=self._visit if isinstance(settings.alpha, str) else settings.alpha,
            lambda_=settings.lambda_,
            traces=settings.traces,
            normalised=settings.normalised,
            offline=settings.offline,
            most_steps=settings.horizon,
        )
        if self._grows is not None:
            self._grow(episode)
        return episode

    def _visit(self, pair: tuple[Any, Action]) -> float:
        """1/(C + N(s, a)); what has no features is not visited."""
        return self._counts(pair) if self._grows is None or pair[0] in self._grows else 0.0

    def _grow(self, episode: Episode) -> None:
        """The first state without features gets some; a terminal one has no actions."""
        assert self._grows is not None
        for state in episode.states:
            if state not in self._grows:
                if not self.game.is_terminal(state):
                    self._grows.add(state)
                return

    def _draw_switch(self, rng: Rng) -> float:
        """T as a whole number of plies: t < T play what is learnt. The thesis prints t <= T, which is one more."""
        if self.settings.switch is None:
            return inf
        whole = floor(self.settings.switch)
        part = self.settings.switch - whole
        return whole + int(part > 0 and rng.uniform() < part)

    def _epsilon(self, done: int, limit: Limit) -> float:
        settings = self.settings
        if settings.epsilon_decay == "linear":
            whole = limit.simulations or 0
            return 0.0 if whole <= 1 else settings.epsilon * (1 - done / (whole - 1))
        return float(settings.epsilon * settings.epsilon_factor**done)


def monte_carlo_tree(
    game: Game[Any],
    *,
    heuristic: Memory | None = None,
    confidence: StepSize = 0.0,
    default_policy: Chooser | None = None,
) -> LinearTdSearch:
    """Greedy Monte-Carlo tree search as TD search (6.7): table lookup that grows, λ = 1, α = 1/N, ε = 0.

    With a `heuristic`, a memory that does not change, nodes begin at its values H(s, a), worth `confidence` simulations
    (8.11): heuristic tree search as Dyna-2.
    """
    lookup = TableLookup(game)
    memory = SparseMemory(lookup)
    return LinearTdSearch(
        game,
        memory if heuristic is None else Correction(heuristic, memory),
        LinearTdSettings(alpha="visits", lambda_=1.0, epsilon=0.0, tie_tolerance=1e-9),
        default_policy=default_policy,
        grows=lookup,
        confidence=confidence,
    )
