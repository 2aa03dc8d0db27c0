"""Alpha-beta: full width to a depth, over any game without chance. The native half is cpp/search/alpha_beta.hpp.

    search = AlphaBeta(game, state, settings=AlphaBetaSettings(depth=9))
    search.run()
    search.best_action, search.value, search.line

Manual: docs/alpha_beta.md. An evaluator is a number, a function of a state, weights of local shapes that were learnt
(`katachi.values.shape_value.ShapeValue.frozen`), or a network (`katachi.values.network`).
"""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from pydantic import Field

from katachi import _core
from katachi._core import AlphaBetaOptions, GameFacts, KeyKind, NetworkValue, Rng, RootAction, ShapeEvaluator
from katachi.core.errors import InvalidArgumentError
from katachi.core.limit import Limit
from katachi.core.settings import Settings
from katachi.core.types import Action
from katachi.games.contract import Game, native_state
from katachi.search.searches import Progress

__all__ = ["WON", "AlphaBeta", "AlphaBetaSettings", "Evaluator", "neutral_value"]

# What player 0 may expect from a state on that is not terminal: always the same, or a function of the state. By local
# shapes of Go, a sum before the logistic function; then a game that is over is worth +-WON instead of 1 or 0. By a
# network, what that says in its own unit, also of games of Go that are over.
Evaluator: TypeAlias = float | Callable[[Any], float] | ShapeEvaluator | NetworkValue
WON = 1e9


class AlphaBetaSettings(Settings):
    """How deep, over which moves, in which order, with how much memory."""

    depth: int = Field(
        ge=1, le=10_000, description="Plies to look ahead (Silver 5.7.9: 1 to 6). Chosen per task there: no default."
    )
    moves: Literal["candidates", "legal"] = Field(
        default="candidates",
        description="What is tried: what all searches consider (Silver's filtered moves), or all that is legal.",
    )
    iterative: bool = Field(default=True, description="Deepen ply by ply (Silver 7.5); false: the full depth at once.")
    table: Literal["exact", "approximate", "off"] = Field(
        default="exact",
        description="The transposition table: only for games whose key is exact, also for approximate keys, or none.",
    )
    table_megabytes: int = Field(default=64, ge=1, le=2**20, description="The most that the table may take.")
    root_values: Literal["best", "all"] = Field(
        default="best", description="Exact values for the best root action only, or, with more work, for all."
    )

    killers: bool = Field(
        default=True, description="Try moves early that were enough elsewhere at this depth (Silver 7.5)."
    )
    history: bool = Field(default=True, description="Try moves early that have often been enough.")
    outlook: bool = Field(
        default=True, description="Try moves in the order of what the evaluator thinks of them, if it knows (shapes)."
    )
    null_move: int = Field(
        default=0,
        ge=0,
        le=10,
        description="Leave out what follows when a pass would be good enough with so many plies less (Silver 7.5; 2 is "
        "usual). 0: never. With it, values may differ from those of a full search.",
    )

    def check_game(self, facts: GameFacts, name: str) -> None:
        """Raises if a game cannot be searched so."""
        if not facts.deterministic:
            raise InvalidArgumentError(f"alpha-beta needs a game without chance, and {name} is a game of chance")

    def to_native(self, facts: GameFacts) -> AlphaBetaOptions:
        """What native code takes, for a game."""
        options = AlphaBetaOptions()
        options.depth = self.depth
        options.is_iterative = self.iterative
        options.legal_moves = self.moves == "legal"
        options.all_root_values = self.root_values == "all"
        options.table_bytes = self.table_bytes(facts)
        options.killers, options.history, options.outlook = self.killers, self.history, self.outlook
        options.null_reduction = self.null_move
        return options

    def table_bytes(self, facts: GameFacts) -> int:
        """What the table may take in a game; 0: there is none."""
        kinds = {"exact": (KeyKind.EXACT,), "approximate": (KeyKind.EXACT, KeyKind.APPROXIMATE), "off": ()}
        return self.table_megabytes * 2**20 if facts.key in kinds[self.table] else 0


def neutral_value(facts: GameFacts) -> float:
    """What a leaf is worth when nothing is known: the middle of the bounds if only the end of a game earns, else 0."""
    if facts.final_reward and facts.return_bounds is not None:
        return sum(facts.return_bounds) / 2
    return 0.0


class AlphaBeta:
    """Alpha-beta from one state. It can be stopped (Ctrl-C, a limit, `progress`) and run again to go on.

    `evaluate` is what player 0 may expect from a leaf on: a number, by default `neutral_value`, a function of a state
    as the game has it (of a native game, its `katachi._core.State`), or, in Go, weights of local shapes. With a table
    it must be the same for equal keys.

    Answers are those of the last depth that was finished. The best action is the first best one in the order of the
    game, or, with an `rng`, any best one; with or without a table. Behind it, equally good lines may differ.
    """

    def __init__(
        self,
        game: Game[Any],
        state: Any,  # noqa: ANN401
        *,
        settings: AlphaBetaSettings,
        evaluate: Evaluator | None = None,
        rng: Rng | None = None,
    ) -> None:
        if game.is_terminal(state):
            raise InvalidArgumentError(f"there is nothing to search: this game of {game.name} is over")
        settings.check_game(game.facts, game.name)
        self.settings = settings
        self._root = native_state(game, state)
        facts = self._root.facts
        actions: list[int] = list(game.legal_actions(state) if settings.moves == "legal" else self._root.candidates())
        if rng is not None:
            for last in range(len(actions) - 1, 0, -1):
                other = rng.below(last + 1)
                actions[last], actions[other] = actions[other], actions[last]
        self._native = _core.alpha_beta(
            self._root,
            actions,
            settings.to_native(facts),
            neutral_value(facts) if evaluate is None else evaluate,
        )

    def run(self, limit: Limit | None = None, progress: Progress | None = None) -> bool:
        """Searches until the depth or the limit is reached (True) or `progress` returns False.

        A node is one step, and one simulation: `Limit(steps=10_000)` are that many nodes. When it deepens, the first
        run finishes depth 1 whatever its limit.
        """
        if limit is None:
            return self._native.run(progress=progress)
        if not isinstance(limit, Limit):
            raise InvalidArgumentError(f"a search runs under a Limit, such as Limit(seconds=1), not {limit!r}")
        return self._native.run(
            simulations=limit.simulations, steps=limit.steps, seconds=limit.seconds, progress=progress
        )

    @property
    def depth(self) -> int:
        """The depth that was finished last; 0 before the first."""
        return self._native.depth

    @property
    def nodes(self) -> int:
        """Actions played so far, over all depths."""
        return self._native.steps

    @property
    def value(self) -> float:
        """Player 0's return with best play up to the depth; by local shapes, the sum of the leaf, or +-WON."""
        return self._finished().value

    @property
    def line(self) -> list[Action]:
        """The principal variation: the best actions of both sides, down to the leaf that the value comes from."""
        return [Action(action) for action in self._finished().line]

    @property
    def best_action(self) -> Action:
        """The first action of the line."""
        return self.line[0]

    @property
    def leaf(self) -> Any:  # noqa: ANN401
        """The state at the line's end, as the evaluator got it: its value and what the line earns make the value."""
        state = self._root
        for action in self.line:
            state, _ = state.play(action)
        python = _core.python_object(state)
        return state if python is None else python

    @property
    def is_exact(self) -> bool:
        """Is the game solved from here? No evaluated leaf had a part in the value, which is of the moves considered."""
        return self._native.is_exact

    def root_actions(self) -> list[RootAction]:
        """Nodes below every root action in the last depth, and its value; that of all but the best is only a bound.

        They are no better than that. With root_values="all" every value is exact.
        """
        return self._finished().root_actions()

    def _finished(self) -> _core.AlphaBetaSearch:
        if self._native.depth == 0:
            raise InvalidArgumentError("no depth has been finished yet: call run, or give it a larger limit")
        return self._native
