"""Players that learn while they think: temporal-difference search, Dyna-2 and hybrid search (Silver 2009, 6 and 7).

They are one player. `td-search` knows nothing before a game; `dyna2` has a long-term memory, weights that were learnt
by self-play; `hybrid` looks ahead by alpha-beta with what the search has learnt. Only Go is played.
"""

from collections import deque
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from katachi._core import Rng
from katachi.core.limit import Limit
from katachi.core.types import Action
from katachi.games.contract import Game
from katachi.games.go.position import Position
from katachi.players.player import Decision
from katachi.players.shapes import WeightsReader, board_side, lasting_weights
from katachi.players.spec import PlayerSpec, format_spec
from katachi.search.alpha_beta import AlphaBeta, AlphaBetaSettings
from katachi.search.searches import Progress
from katachi.search.td_search import TdMemory, TdSearch, TdSearchSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["TD_PRESETS", "TdPlayer", "TdPlayerSettings"]

_NOTHING = "none"

# What the three players are, as settings of one.
TD_PRESETS: dict[str, dict[str, Any]] = {
    "td-search": {},
    "dyna2": {"weights": "shipped", "switch_after": 10.0},
    "hybrid": {"weights": "shipped", "switch_after": 10.0, "depth": 5},
}


class TdPlayerSettings(TdSearchSettings):
    """A search, what it knows before, what looks ahead behind it, and its budget for each move."""

    weights: str = Field(
        default=_NOTHING,
        min_length=1,
        description="The long-term memory: a file of weights (katachi train), those of the package (shipped), or none.",
    )
    memories: Literal["one-table", "separate"] = Field(
        default="one-table",
        description="Long-term and short-term weights in one table (7.4), or each in its own (7.2).",
    )
    between_moves: Literal["keep", "reset"] = Field(
        default="keep",
        description="What is learnt in a game is kept to its end (6.8), or forgotten at each move (6.9.5).",
    )
    stale: int = Field(
        default=0, ge=0, le=1000, description="Choose by what was known so many moves ago (6.9.5): for studies."
    )
    depth: int = Field(
        default=1, ge=1, le=100, description="Plies of alpha-beta on what was learnt (7.5); 1: the best value (6.8)."
    )
    null_move: int = Field(default=0, ge=0, le=10, description="As of alpha-beta.")
    share: float = Field(
        default=0.5, gt=0, lt=1, description="Of a move's time, that of the simulations; alpha-beta has the rest (7.5)."
    )
    sims: int | None = Field(default=None, ge=1, le=2**63, description="Simulations per move.")
    seconds: float | None = Field(default=None, gt=0, description="Seconds per move.")

    @model_validator(mode="after")
    def _has_a_budget(self) -> Self:
        if self.sims is None and self.seconds is None:
            raise ValueError("give at least one of sims, seconds: the budget of a move")
        if self.head != "logistic" and self.weights != _NOTHING:
            raise ValueError(f"head={self.head} has no sum with a long-term memory: its weights are of a logistic one")
        if self.stale and self.depth > 1:
            raise ValueError("stale values are for depth=1")
        return self

    @property
    def limit(self) -> Limit:
        """The budget."""
        return Limit(simulations=self.sims, seconds=self.seconds)


class _Snapshot(NamedTuple):
    moves: int  # of the game, when the search for the next one had ended
    weights: "NDArray[np.float32]"


class TdPlayer:
    """`td-search`, `dyna2`, `hybrid`: simulations, then the best value or alpha-beta.

    What it learns in a game it keeps while the game goes on: while every position follows from the one before.
    """

    def __init__(self, kind: str, settings: TdPlayerSettings) -> None:
        self.settings = settings
        self.name = _name(kind, settings, settings.weights)
        self.lasting_name = _name(kind, settings, lasting_weights(settings.weights))
        self._reader = WeightsReader(settings.weights)
        self._memory: TdMemory | None = None
        self._state: Position | None = None
        self._snapshots: deque[_Snapshot] = deque()

    def check(self, game: Game[Any]) -> None:
        """An error if the game is not Go on a square board, or there are no weights for it."""
        self._memory_for(game)

    def fingerprint(self, game: Game[Any]) -> str | None:
        """Of the weights."""
        return None if self.settings.weights == _NOTHING else self._reader.evaluation(game).fingerprint

    def choose(self, game: Game[Any], state: Any, rng: Rng, progress: Progress | None = None) -> Decision:  # noqa: ANN401
        """The best move by what the simulations have taught, and by what follows from it."""
        memory = self._go_on(game, state)
        search = TdSearch(game, state, memory=memory, rng=rng.split("search"))
        budget = self.settings.limit
        looks_ahead = self.settings.depth > 1
        part = (
            budget.replace(seconds=budget.seconds * self.settings.share) if looks_ahead and budget.seconds else budget
        )
        goes_on = search.run(part, progress)
        if looks_ahead:
            rest = Limit(seconds=budget.seconds * (1 - self.settings.share)) if budget.seconds else None
            return self._look_ahead(game, state, search, rng, rest, progress if goes_on else lambda _: False)
        ties = rng.split("ties")
        action = self._best_of_old(state, search, ties) if self.settings.stale else search.best(ties)
        value = next(root.value for root in search.root_actions() if root.action == action)
        return Decision(action, value, search.simulations)

    def close(self) -> None:
        """Frees the memory."""
        self._memory = self._state = None
        self._snapshots.clear()

    def _go_on(self, game: Game[Any], state: Position) -> TdMemory:
        memory = self._memory_for(game)
        if self._state is None or self.settings.between_moves == "reset" or not _follows(self._state, state):
            memory.clear()
            self._snapshots.clear()
        self._state = state
        return memory

    def _memory_for(self, game: Game[Any]) -> TdMemory:
        size = board_side(game)
        if self._memory is None or self._memory.size != size:
            long_term = None if self.settings.weights == _NOTHING else self._reader.evaluation(game).evaluator
            is_separate = self.settings.memories == "separate"
            self._memory = TdMemory(size, self.settings, long_term=long_term, separate=is_separate)
            self._state = None
        return self._memory

    def _look_ahead(
        self,
        game: Game[Any],
        state: Position,
        search: TdSearch,
        rng: Rng,
        limit: Limit | None,
        progress: Progress | None,
    ) -> Decision:
        settings = AlphaBetaSettings(depth=self.settings.depth, table="approximate", null_move=self.settings.null_move)
        ahead = AlphaBeta(game, state, settings=settings, evaluate=search.memory.evaluator(), rng=rng.split("ties"))
        ahead.run(limit, progress)
        return Decision(ahead.best_action, _chance(ahead.value), search.simulations)

    def _best_of_old(self, state: Position, search: TdSearch, rng: Rng) -> Action:
        """By the weights that a search had ended with so many moves ago, or the oldest that there are."""
        memory = search.memory
        now = len(state.moves)
        self._snapshots.append(_Snapshot(now, memory.weights))
        while len(self._snapshots) > 1 and self._snapshots[1].moves <= now - self.settings.stale:
            self._snapshots.popleft()
        memory.assign(self._snapshots[0].weights)
        try:
            return search.best(rng)
        finally:
            memory.assign(self._snapshots[-1].weights)


def _follows(before: Position, now: Position) -> bool:
    """Is it the same position again, or one that moves lead to? An equal one of another game may be: nobody knows."""
    if now is before:
        return True
    known = before.moves
    return (
        len(now.moves) > len(known)
        and now.moves[: len(known)] == known
        and now.start() == before.start()
        and now.rules == before.rules
    )


def _chance(total: float) -> float:
    from katachi.values.shape_value import logistic

    return logistic(total)


def _name(kind: str, settings: TdPlayerSettings, weights: str) -> str:
    """The spec: what differs from the preset."""
    usual = TdPlayerSettings(**{**TD_PRESETS[kind], "sims": 1})
    fields = TdPlayerSettings.model_fields
    budget = ("sims", "seconds")
    options = {name: getattr(settings, name) for name in budget if getattr(settings, name) is not None}
    for name, field in fields.items():
        if name not in budget and getattr(settings, name) != getattr(usual, name):
            options[field.alias or name] = weights if name == "weights" else getattr(settings, name)
    return format_spec(PlayerSpec(kind, options))
