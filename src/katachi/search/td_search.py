"""Temporal-difference search on local shapes of Go (Silver 2009, chapter 6), and Dyna-2 (chapter 7).

    memory = TdMemory(9, settings, long_term=evaluation.evaluator)
    search = TdSearch(game, state, memory=memory, rng=Rng(1))
    search.run(Limit(simulations=1000))
    search.best(Rng(2)), search.value

The memory is what is learnt: it outlives the search, from move to move of a game. Manual: docs/td_search.md and
docs/dyna2.md; the native half is cpp/search/td_search.hpp, the general form for any game katachi.planning.
"""

from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, get_args

from pydantic import Field, model_validator

from katachi import _core
from katachi._core import GameErrors, Rng, ShapeEvaluator, ShapeRepresentation, SimulatedGame, TdSearchOptions
from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Action
from katachi.games.contract import Game
from katachi.games.go.game import GoGame
from katachi.learning.td_settings import TdSettings
from katachi.policies.playout_policies import PlayoutPolicy, PolicyText
from katachi.search.grown import NONE, GrownFeature, GrownSettings
from katachi.search.searches import RootSearch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["TdMemory", "TdSearch", "TdSearchSettings", "check_long_term"]

_ENDLESS = 1e9  # moves: no simulation is longer
SizeName: TypeAlias = Literal["1x1", "2x1", "2x2", "3x2", "3x3"]
_SIZES: tuple[SizeName, ...] = get_args(SizeName)


class TdSearchSettings(TdSettings, GrownSettings):
    """What a search learns, how its simulations go, and how they are learnt from. Sections are of Silver (2009)."""

    sizes: str = Field(
        default="1x1+2x2+3x3",
        description="Sizes of the local shapes, with + between them (6.8): 1x1 to 3x3; or none, if others are grown.",
    )
    sharing: Literal["none", "ci", "nld", "nli", "ld", "li", "ld+li", "nld+nli"] = Field(
        default="none", description="Shapes with one weight: none, since no root is symmetric (6.8)."
    )
    update_mode: Literal["end-refresh", "end-cached", "online"] = Field(
        default="end-cached", description="As of learning; by default with the values of when a state was met."
    )

    exploration: Literal["epsilon-greedy", "softmax"] = Field(
        default="epsilon-greedy", description="How moves are chosen before the switch (6.8; 10.3.2)."
    )
    epsilon: float = Field(default=0.1, ge=0, le=1, description="How often such a move is random (6.8).")
    epsilon_policy: float = Field(
        default=0.0, ge=0, le=1, description="How often it is the default policy's (10.3.2; 0.18 in tournaments)."
    )
    epsilon_half: float = Field(
        default=0.0,
        ge=0,
        description="Simulations of a search after which both epsilons have halved; 0: they stay (10.3.2; ours).",
    )
    temperature: float = Field(default=0.1, gt=0, description="Of softmax, over values (10.3.2; ours).")

    switch_after: float | Literal["never"] = Field(
        default=6.0,
        description="T: moves of a simulation before the default policy takes over (6.9.1); a fraction is the chance "
        "of one more.",
    )
    policy: PolicyText = Field(
        default="fuego",
        description="The default policy (6.9); in tournaments it was mix(0.4*uniform+0.6*fuego) (7.5).",
    )
    record_limit: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description="States of a simulation that are learnt from; 0: all (published program; 32 in tournaments).",
    )
    mercy: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description="A simulation ends when one side has so many stones more, as a share of the board; 0: never.",
    )
    threads: int = Field(
        default=1, ge=1, le=256, description="Threads that learn together (7.5). Only one gives the same each time."
    )

    @model_validator(mode="after")
    def _can_be_searched(self) -> Self:
        sizes = [] if self.sizes == NONE else self.sizes.split("+")
        for is_wrong, text in (
            (
                len(set(sizes)) != len(sizes) or not set(sizes) <= set(_SIZES),
                f"sizes are some of {', '.join(_SIZES)}, each once, with + between them, not {self.sizes!r}",
            ),
            (self.epsilon + self.epsilon_policy > 1, "epsilon and epsilon_policy are more than 1 together"),
            (
                self.switched_after < 0,
                f"switch_after is 0 or more, or never, not {self.switch_after}",
            ),
            (not sizes and not self.grown_kinds, "sizes=none leaves nothing to learn: it needs grown features"),
            (
                len(self.grown_kinds) > 0 and self.threads > 1,
                f"grown features ({self.grown}) are for threads=1, not {self.threads}",
            ),
        ):
            if is_wrong:
                raise ValueError(text)
        return self

    def to_options(self, policy: _core.Policy) -> TdSearchOptions:
        """What native code takes, of the simulations; with the default policy, made ready for a game."""
        options = TdSearchOptions()
        for name in (
            "exploration",
            "epsilon",
            "epsilon_policy",
            "epsilon_half",
            "temperature",
            "record_limit",
            "mercy",
            "threads",
        ):
            setattr(options, name, getattr(self, name))
        options.switch_after = self.switched_after
        options.policy = policy
        return options

    @property
    def switched_after(self) -> float:
        """T in moves, more than a simulation can have if it never switches."""
        return _ENDLESS if self.switch_after == "never" else self.switch_after

    @property
    def size_names(self) -> tuple[SizeName, ...]:
        """The sizes, one by one."""
        return tuple(size for name in self.sizes.split("+") for size in _SIZES if size == name)

    def to_representation(self, size: int) -> ShapeRepresentation:
        """The local shapes of a board."""
        if self.sizes == NONE:
            return ShapeRepresentation.none(size)
        return _representation(size, self.size_names, self.sharing)


def _representation(size: int, sizes: tuple[str, ...], sharing: str) -> ShapeRepresentation:
    # Here, since it needs numpy, which is long to load.
    from katachi.features.local_shapes import ShapeSettings

    return ShapeSettings.from_mapping({"sizes": sizes, "sharing": sharing}).to_native(size)


def check_long_term(weights: ShapeEvaluator) -> None:
    """An error if a search cannot learn on top of these weights."""
    if weights.linear_offset is not None:
        raise InvalidArgumentError(
            "these weights were learnt with head=linear, and a long-term memory has weights of head=logistic: learn "
            "some (katachi train --head logistic), or play by these with shapes or alpha-beta"
        )


class TdMemory:
    """What is known of a game while it is played: the short-term memory, above a long-term one if there is any.

    The two are added (Dyna-2, 7.2). By default they are kept in one table, which begins with the long-term weights,
    shape by shape (7.4); with `separate` each stays by itself, which is slower and the same but for rounding.

    Searches on one memory run one after the other. While another thread is at it, a second search and every change are
    refused, and readers wait for the end of a slice.
    """

    def __init__(
        self,
        size: int,
        settings: TdSearchSettings | None = None,
        *,
        long_term: ShapeEvaluator | None = None,
        separate: bool = False,
    ) -> None:
        self.size = size
        self.settings = TdSearchSettings() if settings is None else settings
        self.separate = separate
        self._representation = self.settings.to_representation(size)
        self._native = _core.ShortTermMemory(
            self._representation, self.settings.to_native(), self.settings.to_grown_options()
        )
        self._long_term = long_term
        if long_term is not None:
            self._check_heads(long_term)
            if not separate:
                self._check_one_table(long_term)
        self.clear()

    def _check_heads(self, long_term: ShapeEvaluator) -> None:
        """Sums of both are what a logistic function is taken of."""
        check_long_term(long_term)
        if self.settings.head == "linear":
            raise InvalidArgumentError(
                "a memory of head=linear has no sum with a long-term one, whose weights are of head=logistic"
            )

    def _check_one_table(self, long_term: ShapeEvaluator) -> None:
        """Both memories fit into one table if every shape of the lower one has a weight of its own there."""
        if self.settings.sharing != "none":
            raise InvalidArgumentError(
                f"shapes that share weights (sharing={self.settings.sharing}) have no table for both memories: keep "
                "them separate"
            )
        named = [f"{width}x{height}" for width, height in long_term.sizes]
        missing = [size for size in named if size not in self.settings.size_names]
        if missing:
            raise InvalidArgumentError(
                f"the long-term memory has shapes of {', '.join(missing)}, and a table of sizes={self.settings.sizes} "
                "has no place for them: keep the memories separate"
            )

    @property
    def native(self) -> _core.ShortTermMemory:
        """What native code takes."""
        return self._native

    @property
    def representation(self) -> ShapeRepresentation:
        """The local shapes of the short-term memory."""
        return self._representation

    @property
    def long_term(self) -> ShapeEvaluator | None:
        """The long-term memory, whether or not it has a table of its own."""
        return self._long_term

    @property
    def below(self) -> ShapeEvaluator | None:
        """The long-term memory, if it has a table of its own."""
        return self._long_term if self.separate else None

    @property
    def weights(self) -> "NDArray[np.float32]":
        """θ' of the short-term memory, of the shapes, a copy; in one table, with θ."""
        return self._native.weights[: self._representation.weights]

    @property
    def grown(self) -> list[GrownFeature]:
        """The features that were added, in this order."""
        return [GrownFeature(*told) for told in self._native.grown()]

    def assign(self, weights: "ArrayLike") -> None:
        """Sets all of them, of the shapes."""
        import numpy as np

        told = np.ascontiguousarray(weights, dtype=np.float32)
        others = self._native.weights[self._representation.weights :]  # of grown features
        self._native.weights = np.concatenate([told, others]) if len(others) else told

    def clear(self) -> None:
        """A new game: only the long-term memory is left."""
        self._native.clear()
        if self._long_term is not None and not self.separate:
            self._native.add(self._long_term)

    def set_long_term(self, long_term: ShapeEvaluator) -> None:
        """Another long-term memory below what the search has learnt; only where they are separate."""
        if not self.separate:
            raise InvalidArgumentError("the memories are in one table: keep them separate to change the lower one")
        self._check_heads(long_term)
        self._long_term = long_term

    def evaluator(self) -> ShapeEvaluator:
        """Both memories as they are now, for full-width search: rounded a little, so that sums are exact."""
        if self.settings.grown_kinds:
            raise InvalidArgumentError(
                f"an evaluator is of local shapes alone, and this memory has grown features ({self.settings.grown})"
            )
        offset = self.settings.linear_offset if self.settings.head == "linear" else None
        short = self._native.evaluator(offset)
        if self.below is None:
            return short
        sizes = {(width, height) for part in (self.below.sizes, self._representation.sizes) for width, height in part}
        both = _representation(self.size, tuple(f"{width}x{height}" for width, height in sorted(sizes)), "none")
        weights = _core.ShapeWeights(both.weights, is_signed=False)
        for part in (self.below, short):
            _core.add_shapes(part, both, weights)
        return ShapeEvaluator(both, weights, offset)


class TdSearch(RootSearch):
    """One search from one root, by simulations that the memory learns from. It can be run again to go on.

    A root action's value is Black's chance to win after it, by the memories of now; visits are simulations that began
    with it.
    """

    _native: _core.TdSearch

    def __init__(
        self,
        game: Game[Any],
        state: Any,  # noqa: ANN401
        *,
        memory: TdMemory,
        rng: Rng,
        policy: PlayoutPolicy | None = None,
    ) -> None:
        """`policy`: the default policy of the settings, where it needs other weights than those of the package."""
        if not isinstance(game, GoGame):
            raise InvalidArgumentError(f"local shapes are for Go, not for {game.name}: see katachi.planning for others")
        self.memory = memory
        root = self._hold(game, state)
        ready = PlayoutPolicy(memory.settings.policy) if policy is None else policy
        options = memory.settings.to_options(ready.native(game, state))
        self._native = _core.td_search(root, memory.native, options, rng, memory.below)

    @property
    def value(self) -> float:
        """Black's chance to win in the root."""
        return self._native.value

    @property
    def last_game(self) -> SimulatedGame:
        """The last simulation; with several threads, one of the last."""
        return self._native.last_game

    @property
    def errors(self) -> GameErrors:
        """What was wrong with the values of simulated states: means over the simulations."""
        return self._native.errors

    def line(self, action: Action, length: int = 10) -> list[Action]:
        """An action of the root and what both would answer by values."""
        return [Action(move) for move in self._native.line(action, length)]

    def best(self, rng: Rng) -> Action:
        """The action with the best value for the player to move, any of them if there are several (6.8)."""
        return self._best(self.value_to_play, rng)
