"""Players that learn while they think: temporal-difference search, Dyna-2 and hybrid search (Silver 2009, 6 and 7).

They are one player. `td-search` knows nothing before a game; `dyna2` has a long-term memory, weights that were learnt
by self-play; `hybrid` looks ahead by alpha-beta with what the search has learnt. Only Go is played.
"""

import time
from collections import deque
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from katachi._core import Rng, ShapeEvaluator
from katachi.core.errors import InvalidArgumentError, WeightsError
from katachi.core.limit import Limit
from katachi.core.types import Action
from katachi.games.contract import Game
from katachi.games.go.position import Position
from katachi.players.player import Decision, GamePlayer
from katachi.players.spec import preset_spec
from katachi.players.thinking import Candidate, Thinker
from katachi.policies.playout_policies import PlayoutPolicy, lasting_policy
from katachi.search.alpha_beta import AlphaBeta, AlphaBetaSettings
from katachi.search.searches import Progress
from katachi.search.td_search import TdMemory, TdSearch, TdSearchSettings, check_long_term
from katachi.values.weights_reader import NO_WEIGHTS, SHIPPED, WeightsReader, board_side, lasting_weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from katachi.values.shape_value import ShapeValue

__all__ = ["TD_PRESETS", "TdPlayer", "TdPlayerSettings"]

_LINE = 6  # moves that an analysis shows
_PREPARATION = 0.1  # seconds, before it has been measured

# What the three players are, as settings of one.
TD_PRESETS: dict[str, dict[str, Any]] = {
    "td-search": {},
    "dyna2": {"weights": "shipped", "switch_after": 10.0},
    "hybrid": {"weights": "shipped", "switch_after": 10.0, "depth": 5},
}


class TdPlayerSettings(TdSearchSettings):
    """A search, what it knows before, what looks ahead behind it, and its budget for each move."""

    weights: str = Field(
        default=NO_WEIGHTS,
        min_length=1,
        description="The long-term memory: a file of weights (katachi train), those of the package (shipped), or none.",
    )
    learn_long: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="alpha of the long-term memory, which learns from the games that are played (Algorithm 6); 0: it "
        "stays as it is (7.4).",
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
        if self.head != "logistic" and self.weights != NO_WEIGHTS:
            raise ValueError(f"head={self.head} has no sum with a long-term memory: its weights are of a logistic one")
        if self.learn_long and self.weights == NO_WEIGHTS:
            raise ValueError(
                f"learn_long={self.learn_long} is for a long-term memory, and weights={NO_WEIGHTS} is none"
            )
        if self.stale and self.depth > 1:
            raise ValueError("stale values are for depth=1")
        if self.stale and self.between_moves == "reset":
            raise ValueError("stale values are for between_moves=keep: nothing old is left after a reset")
        if self.grown_kinds and (self.depth > 1 or self.stale):
            raise ValueError(
                f"grown features ({self.grown}) are for depth=1 and stale=0: only shapes look ahead or back"
            )
        return self

    @property
    def limit(self) -> Limit:
        """The budget."""
        return Limit(simulations=self.sims, seconds=self.seconds)


class _Snapshot(NamedTuple):
    moves: int  # of the game, when the search for the next one had ended
    weights: "NDArray[np.float32]"


class _LongTerm:
    """Long-term weights that learn from game to game."""

    def __init__(self, value: "ShapeValue") -> None:
        from katachi.values.shape_value import ShapeValue

        self.value = ShapeValue(value.shapes, value.weights)
        self.games = 0
        self._evaluator: ShapeEvaluator | None = None

    def learn(self, end: Position, outcome: float | None, alpha: float) -> None:
        from katachi.learning.real_games import learn_from_game

        learn_from_game(self.value, end, outcome, alpha)
        self.games += 1
        self._evaluator = None

    @property
    def evaluator(self) -> ShapeEvaluator:
        if self._evaluator is None:
            self._evaluator = self.value.frozen()
        return self._evaluator


class TdPlayer(Thinker):
    """`td-search`, `dyna2`, `hybrid`: simulations, then the best value or alpha-beta.

    What it learns in a game it keeps to its end: until `new_game`, or a position that does not follow from the last one
    (a move taken back, a set-up). With `learn_long`, games that it is told the end of (`end_game`) also teach the
    long-term memory: the next game begins with it. That stays as long as the player does, or in a file
    (`save_long_term`).
    """

    def __init__(self, kind: str, settings: TdPlayerSettings) -> None:
        usual = TdPlayerSettings(**{**TD_PRESETS[kind], "sims": 1})
        self.settings = settings
        self.name = preset_spec(kind, settings, usual)
        lasting = {"weights": lasting_weights(settings.weights), "policy": lasting_policy(settings.policy)}
        self.lasting_name = preset_spec(kind, settings, usual, **lasting)
        self._reader = WeightsReader(settings.weights)
        self._policy = PlayoutPolicy(settings.policy, SHIPPED if settings.weights == NO_WEIGHTS else settings.weights)
        self._memory: TdMemory | None = None
        self._state: Position | None = None
        self._snapshots: deque[_Snapshot] = deque()
        self._learnt: dict[int, _LongTerm] = {}  # by the side of the board
        self.preparation = _PREPARATION  # seconds that alpha-beta needs before its second ply: as last time

    @property
    def limit(self) -> Limit:
        """Its budget for a move."""
        return self.settings.limit

    @property
    def ponders(self) -> bool:
        """Is anything kept between moves?"""
        return self.settings.between_moves == "keep"

    def check(self, game: Game[Any]) -> None:
        """An error if the game is not Go on a square board, or there are no weights for it."""
        self.memory(game)
        self._policy.native(game)

    def fingerprint(self, game: Game[Any]) -> str | None:
        """Of the weights."""
        if self.settings.weights == NO_WEIGHTS:
            return self._policy.fingerprint(game)
        return self._policy.fingerprint(game, self._reader.evaluation(game).fingerprint)

    def memory(self, game: Game[Any]) -> TdMemory:
        """What it knows of the game that goes on, or before the first move of one."""
        size = board_side(game)
        if self._memory is None or self._memory.size != size:
            is_separate = self.settings.memories == "separate"
            self._memory = TdMemory(size, self.settings, long_term=self._long_term(game), separate=is_separate)
            self._state = None
        return self._memory

    def _long_term(self, game: Game[Any]) -> ShapeEvaluator | None:
        if self.settings.weights == NO_WEIGHTS:
            return None
        if board_side(game) in self._learnt:
            return self._learnt[board_side(game)].evaluator
        evaluator = self._reader.evaluation(game).evaluator
        try:
            check_long_term(evaluator)
        except InvalidArgumentError as error:
            raise WeightsError(f"{self.settings.weights}: {error}") from error
        return evaluator

    def think(self, game: Game[Any], state: Any, rng: Rng) -> "_TdThinking":  # noqa: ANN401
        """A search from here, with what the game has taught so far."""
        memory = self.memory(game)
        if self._state is None or self.settings.between_moves == "reset" or not _follows(self._state, state):
            memory.clear()
            self._snapshots.clear()
        self._state = state
        search = TdSearch(game, state, memory=memory, rng=rng.split("search"), policy=self._policy)
        return _TdThinking(self, search, game, state, rng.split("ties"))

    def why(self, game: Game[Any], state: Any, action: Action, most: int = 10) -> str:  # noqa: ANN401
        """What the memories say of a move, shape by shape, for people."""
        from katachi.search.td_why import why

        return why(self.memory(game), state, action).text(most)

    def choose_old(self, state: Position, search: TdSearch, rng: Rng) -> Action:
        """By the weights that a search had ended with so many moves ago, or the oldest that there are."""
        memory = search.memory
        now = len(state.moves)
        if self._snapshots and self._snapshots[-1].moves == now:
            self._snapshots.pop()  # it has searched on since
        self._snapshots.append(_Snapshot(now, memory.weights))
        while len(self._snapshots) > 1 and self._snapshots[1].moves <= now - self.settings.stale:
            self._snapshots.popleft()
        memory.assign(self._snapshots[0].weights)
        try:
            return search.best(rng)
        finally:
            memory.assign(self._snapshots[-1].weights)

    def end_game(self, game: Game[Any], state: Any, outcome: float | None) -> None:  # noqa: ANN401
        """A game that it has thought in is over, or broken off (None). With `learn_long` it is learnt from."""
        if self._state is None or not self.settings.learn_long:
            return
        side = board_side(game)
        if side not in self._learnt:
            self._learnt[side] = _LongTerm(self._reader.evaluation(game).value)
        self._learnt[side].learn(state, outcome, self.settings.learn_long)
        self._memory = None
        self.memory(game)  # tables are made now, while no clock runs

    def save_long_term(self, game: Game[Any], path: Path | str) -> int:
        """Writes the long-term memory as it is now to a file of weights; how many games played here are in it."""
        from katachi.values.weights_file import save_weights

        if self.settings.weights == NO_WEIGHTS:
            raise InvalidArgumentError(f"{self.name} has no long-term memory")
        known = self._reader.evaluation(game)
        learnt = self._learnt.get(board_side(game))
        games = 0 if learnt is None else learnt.games
        played = {"from": known.fingerprint, "games": games, "alpha": self.settings.learn_long}
        earlier = known.header.configuration.get("real_games", [])
        header = replace(
            known.header,
            games=known.header.games + games,
            configuration={**known.header.configuration, "real_games": [*earlier, played]},
            state={},
        )
        save_weights(path, known.value if learnt is None else learnt.value, header)
        return games

    def inherit(self, before: GamePlayer) -> None:
        """Goes on with the long-term memory of a player with other settings, if it had the same to begin with."""
        if isinstance(before, TdPlayer) and before.settings.weights == self.settings.weights != NO_WEIGHTS:
            self._learnt = before._learnt

    def new_game(self) -> None:
        """Forgets what the last game has taught, even if the next one begins with its moves."""
        self._state = None

    def close(self) -> None:
        """Frees the memory of the search; the long-term one keeps what it has learnt."""
        self._memory = self._state = None
        self._snapshots.clear()


class _TdThinking:
    """Simulations, and then alpha-beta on what they have taught, if the player looks ahead and there is time."""

    def __init__(self, player: TdPlayer, search: TdSearch, game: Game[Any], state: Position, ties: Rng) -> None:
        self._player, self._search, self._game, self._state, self._ties = player, search, game, state, ties
        self._ahead: AlphaBeta | None = None  # of the last run, if it has looked ahead
        self._evaluator: ShapeEvaluator | None = None  # what values its leaves

    def run(self, limit: Limit, progress: Progress | None = None) -> bool:
        player = self._player
        self._ahead = None
        if player.settings.depth == 1:
            return self._search.run(limit, progress)
        if limit.seconds is None:
            return self._search.run(limit, progress) and self._look_ahead(None, progress)
        end = time.monotonic() + limit.seconds
        spare = limit.seconds - player.preparation
        if spare <= 0:  # no time to look ahead
            return self._search.run(limit, progress)
        if not self._search.run(limit.replace(seconds=spare * player.settings.share), progress):
            return False
        return self._look_ahead(end, progress) if end - time.monotonic() > player.preparation else True

    def ponder(self, limit: Limit, progress: Progress | None = None) -> bool:
        """Simulations alone: what they teach is kept, and nothing is to be decided."""
        self._ahead = None
        return self._search.run(limit, progress)

    def _look_ahead(self, end: float | None, progress: Progress | None) -> bool:
        """Alpha-beta until a time, or to its depth."""
        chosen = self._player.settings
        settings = AlphaBetaSettings(depth=chosen.depth, table="approximate", null_move=chosen.null_move)
        started = time.monotonic()
        self._evaluator = self._search.memory.evaluator()
        ahead = AlphaBeta(self._game, self._state, settings=settings, evaluate=self._evaluator, rng=self._ties)
        ahead.run(Limit(steps=1))  # one ply
        self._player.preparation = 1.5 * (time.monotonic() - started)
        self._ahead = ahead
        if end is None:
            return ahead.run(None, progress)
        left = end - time.monotonic()
        return ahead.run(Limit(seconds=left), progress) if left > 0 else True

    def decision(self) -> Decision:
        simulations = self._search.simulations
        if self._ahead is not None:
            return Decision(self._ahead.best_action, self._chance(self._ahead), simulations)
        if self._player.settings.stale:
            action = self._player.choose_old(self._state, self._search, copy(self._ties))
        else:
            action = self._search.best(copy(self._ties))
        value = next(root.value for root in self._search.root_actions() if root.action == action)
        return Decision(action, value, simulations)

    def candidates(self) -> list[Candidate]:
        if self._search.simulations == 0:
            return []
        best = self._ahead.best_action if self._ahead is not None else None
        roots = sorted(
            self._search.root_actions(),
            key=lambda root: (root.action == best, self._search.value_to_play(root)),
            reverse=True,
        )
        found = []
        for root in roots:
            action = Action(root.action)
            if self._ahead is not None and action == best:
                found.append(Candidate(action, root.visits, self._chance(self._ahead), tuple(self._ahead.line)))
            else:
                found.append(Candidate(action, root.visits, root.value, tuple(self._search.line(action, _LINE))))
        return found

    def _chance(self, ahead: AlphaBeta) -> float:
        assert self._evaluator is not None
        return self._evaluator.chance(ahead.value)


def _follows(before: Position, now: Position) -> bool:
    """Is it the same position again, or one that moves lead to? A game that has no moves yet has just begun."""
    known = before.moves
    if now is before:
        return len(known) > 0
    return (
        len(now.moves) > len(known)
        and now.moves[: len(known)] == known
        and now.start() == before.start()
        and now.rules == before.rules
    )
