"""Players that know local shapes of Go: the best afterstate (Silver 2009, 5.7.2), and alpha-beta on them (5.7.9).

Alpha-beta plays other games as well; there it knows nothing, and every leaf is worth the same. So it plays what it can
see to the end (endings of tic-tac-toe, say) perfectly, and before that the first of its candidates.
"""

from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, model_validator

from katachi._core import Player, Rng
from katachi.core.limit import Limit
from katachi.core.settings import Settings
from katachi.core.types import Action
from katachi.games.contract import Game, native_state
from katachi.games.go.game import GoGame
from katachi.players.player import Decision
from katachi.players.spec import PlayerSpec, format_spec
from katachi.players.thinking import Candidate, Thinker
from katachi.search.alpha_beta import AlphaBeta, AlphaBetaSettings
from katachi.search.searches import Progress
from katachi.values.weights_reader import NO_WEIGHTS, SHIPPED, WeightsReader, lasting_weights

if TYPE_CHECKING:
    from katachi.values.shipped import Evaluation

__all__ = ["AlphaBetaPlayer", "AlphaBetaPlayerSettings", "ShapesPlayer", "ShapesSettings"]


class ShapesSettings(Settings):
    """Whose weights, and how much is left to chance."""

    weights: str = Field(
        default=SHIPPED, min_length=1, description="A file of weights (katachi train), or those of the package."
    )
    epsilon: float = Field(default=0.0, ge=0, le=1, description="How often a move is random (5.7.5: 0 in matches).")


class ShapesPlayer(Thinker):
    """`shapes:weights=FILE`: the move to the best afterstate, any of them if there are several."""

    limit = None  # one ply, and nothing to wait for
    ponders = False

    def __init__(self, settings: ShapesSettings) -> None:
        self.settings = settings
        self.name = _name("shapes", settings, settings.weights)
        self.lasting_name = _name("shapes", settings, lasting_weights(settings.weights))
        self._reader = WeightsReader(settings.weights)

    def check(self, game: Game[Any]) -> None:
        """An error if there are no weights for this game."""
        self._reader.evaluation(game)

    def fingerprint(self, game: Game[Any]) -> str:
        """Of the weights."""
        return self._reader.evaluation(game).fingerprint

    def think(self, game: Game[Any], state: Any, rng: Rng) -> "_Afterstates":  # noqa: ANN401
        """Looks one ply ahead, greedily."""
        return _Afterstates(self._reader.evaluation(game), game, state, self.settings.epsilon, rng)


class _Afterstates:
    def __init__(self, evaluation: "Evaluation", game: Game[Any], state: Any, epsilon: float, rng: Rng) -> None:  # noqa: ANN401
        self._evaluation = evaluation
        sums = dict(evaluation.evaluator.afterstates(state.native))
        sign = 1 if state.to_play == Player.BLACK else -1
        candidates = native_state(game, state).candidates()
        if epsilon and rng.uniform() < epsilon:
            action = rng.choice(candidates)
        else:
            best = max(sign * sums[action] for action in candidates)
            action = rng.choice([action for action in candidates if sign * sums[action] == best])
        self._choice = Action(action)
        self._sums = {Action(a): sums[a] for a in sorted(candidates, key=lambda a: (a != action, -sign * sums[a]))}

    def run(self, limit: Limit, progress: Progress | None = None) -> bool:
        return True

    def decision(self) -> Decision:
        return Decision(self._choice, self._evaluation.chance(self._sums[self._choice]))

    def candidates(self) -> list[Candidate]:
        return [Candidate(a, 1, self._evaluation.chance(total), (a,)) for a, total in self._sums.items()]


class AlphaBetaPlayerSettings(AlphaBetaSettings):
    """A search, its evaluation and its budget for each move."""

    weights: str = Field(
        default=SHIPPED,
        min_length=1,
        description="In Go: a file of weights (katachi train), those of the package, or none: it knows nothing.",
    )
    depth: int = Field(default=4, ge=1, le=10_000, description="Plies to look ahead (Silver 5.7.9: 1 to 6).")
    table: Literal["exact", "approximate", "off"] = Field(
        default="approximate", description="As of any search; by default it is used in Go, too."
    )
    nodes: int | None = Field(default=None, ge=1, le=2**63, description="Nodes per move, the first ply apart.")
    seconds: float | None = Field(default=None, gt=0, description="Seconds per move, the first ply apart.")

    @model_validator(mode="after")
    def _has_an_answer(self) -> Self:
        if not self.iterative and (self.nodes is not None or self.seconds is not None):
            raise ValueError("iterative=false has no answer before the full depth: leave out nodes and seconds")
        return self

    @property
    def limit(self) -> Limit | None:
        """The budget; None: the depth alone."""
        if self.nodes is None and self.seconds is None:
            return None
        return Limit(steps=self.nodes, seconds=self.seconds)


class AlphaBetaPlayer(Thinker):
    """`alpha-beta:weights=FILE,depth=D`: a best action by a search of D plies, any of them if there are several.

    It refuses games of chance.
    """

    ponders = False

    def __init__(self, settings: AlphaBetaPlayerSettings) -> None:
        self.settings = settings
        self.name = _name("alpha-beta", settings, settings.weights)
        self.lasting_name = _name("alpha-beta", settings, lasting_weights(settings.weights))
        self._reader = WeightsReader(settings.weights)

    @property
    def limit(self) -> Limit | None:
        """Its budget for a move; None: the depth alone."""
        return self.settings.limit

    def check(self, game: Game[Any]) -> None:
        """An error if the search does not take this game, or there are no weights for it."""
        self.settings.check_game(game.facts, game.name)
        self._evaluation(game)

    def fingerprint(self, game: Game[Any]) -> str | None:
        """Of the weights."""
        evaluation = self._evaluation(game)
        return None if evaluation is None else evaluation.fingerprint

    def think(self, game: Game[Any], state: Any, rng: Rng) -> "_AlphaBetaThinking":  # noqa: ANN401
        """Starts at depth 1."""
        return _AlphaBetaThinking(game, state, rng, self.settings, self._evaluation(game))

    def _evaluation(self, game: Game[Any]) -> "Evaluation | None":
        if self.settings.weights == NO_WEIGHTS or (self.settings.weights == SHIPPED and not isinstance(game, GoGame)):
            return None
        return self._reader.evaluation(game)


class _AlphaBetaThinking:
    """The deepest search that has been finished."""

    def __init__(
        self,
        game: Game[Any],
        state: Any,  # noqa: ANN401
        rng: Rng,
        settings: AlphaBetaPlayerSettings,
        evaluation: "Evaluation | None",
    ) -> None:
        self._game, self._state, self._rng, self._settings, self._evaluation = game, state, rng, settings, evaluation
        self._search = self._searching(settings)
        self._one_ply: AlphaBeta | None = None

    def run(self, limit: Limit, progress: Progress | None = None) -> bool:
        return self._search.run(limit, progress)

    def decision(self) -> Decision:
        nodes, search = self._search.nodes, self._search
        if search.depth == 0:  # stopped before its full depth, which was the first
            if self._one_ply is None:
                self._one_ply = self._searching(self._settings.replace(depth=1))
                self._one_ply.run()
            search = self._one_ply
        return Decision(search.best_action, self._chance(search.value), nodes)

    def candidates(self) -> list[Candidate]:
        search = self._search
        if search.depth == 0:
            return []
        best, line = search.best_action, tuple(search.line)
        are_known = self._settings.root_values == "all"
        facts, mover = self._game.facts, self._game.to_play(self._state)
        roots = sorted(
            search.root_actions(),
            key=lambda root: (root.action == best, facts.value_for(mover, root.value)),
            reverse=True,
        )
        return [
            Candidate(
                Action(root.action),
                root.visits,
                self._chance(root.value) if are_known or root.action == best else None,
                line if root.action == best else (Action(root.action),),
            )
            for root in roots
        ]

    def _searching(self, settings: AlphaBetaPlayerSettings) -> AlphaBeta:
        evaluate = None if self._evaluation is None else self._evaluation.evaluator
        return AlphaBeta(self._game, self._state, settings=settings, evaluate=evaluate, rng=self._rng)

    def _chance(self, value: float) -> float:
        return value if self._evaluation is None else self._evaluation.chance(value)


def _name(kind: str, settings: Settings, weights: str) -> str:
    options = settings.model_dump(exclude_defaults=True)
    if options.pop("weights", None) is not None:
        options = {"weights": weights, **options}
    return format_spec(PlayerSpec(kind, options))
