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
from katachi.search.alpha_beta import AlphaBeta, AlphaBetaSettings
from katachi.search.searches import Progress
from katachi.values.weights_reader import SHIPPED, WeightsReader, lasting_weights

if TYPE_CHECKING:
    from katachi.values.shipped import Evaluation

__all__ = ["AlphaBetaPlayer", "AlphaBetaPlayerSettings", "ShapesPlayer", "ShapesSettings"]

_NOTHING = "none"


class ShapesSettings(Settings):
    """Whose weights, and how much is left to chance."""

    weights: str = Field(
        default=SHIPPED, min_length=1, description="A file of weights (katachi train), or those of the package."
    )
    epsilon: float = Field(default=0.0, ge=0, le=1, description="How often a move is random (5.7.5: 0 in matches).")


class ShapesPlayer:
    """`shapes:weights=FILE`: the move to the best afterstate, any of them if there are several."""

    def __init__(self, settings: ShapesSettings) -> None:
        self.settings = settings
        self.name = _name("shapes", settings, settings.weights)
        self.lasting_name = _name("shapes", settings, _lasting(settings.weights))
        self._reader = WeightsReader(settings.weights)

    def check(self, game: Game[Any]) -> None:
        """An error if there are no weights for this game."""
        self._reader.evaluation(game)

    def fingerprint(self, game: Game[Any]) -> str:
        """Of the weights."""
        return self._reader.evaluation(game).fingerprint

    def choose(self, game: Game[Any], state: Any, rng: Rng, progress: Progress | None = None) -> Decision:  # noqa: ANN401
        """One ply, greedily."""
        evaluation = self._reader.evaluation(game)
        candidates = native_state(game, state).candidates()
        sums = dict(evaluation.evaluator.afterstates(state.native))
        if self.settings.epsilon and rng.uniform() < self.settings.epsilon:
            action = rng.choice(candidates)
        else:
            sign = 1 if state.to_play == Player.BLACK else -1
            best = max(sign * sums[action] for action in candidates)
            action = rng.choice([action for action in candidates if sign * sums[action] == best])
        return Decision(Action(action), evaluation.chance(sums[action]))


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


class AlphaBetaPlayer:
    """`alpha-beta:weights=FILE,depth=D`: a best action by a search of D plies, any of them if there are several.

    It refuses games of chance.
    """

    def __init__(self, settings: AlphaBetaPlayerSettings) -> None:
        self.settings = settings
        self.name = _name("alpha-beta", settings, settings.weights)
        self.lasting_name = _name("alpha-beta", settings, _lasting(settings.weights))
        self._reader = WeightsReader(settings.weights)

    def check(self, game: Game[Any]) -> None:
        """An error if the search does not take this game, or there are no weights for it."""
        self.settings.check_game(game.facts, game.name)
        self._evaluation(game)

    def fingerprint(self, game: Game[Any]) -> str | None:
        """Of the weights."""
        evaluation = self._evaluation(game)
        return None if evaluation is None else evaluation.fingerprint

    def choose(self, game: Game[Any], state: Any, rng: Rng, progress: Progress | None = None) -> Decision:  # noqa: ANN401
        """The best action of the deepest search that the budget and `progress` leave time for."""
        search = self._search(game, state, rng, self.settings)
        search.run(self.settings.limit, progress)
        nodes = search.nodes
        if search.depth == 0:  # stopped before its full depth, which was the first
            search = self._search(game, state, rng, self.settings.replace(depth=1))
            search.run()
        evaluation = self._evaluation(game)
        return Decision(
            search.best_action, search.value if evaluation is None else evaluation.chance(search.value), nodes
        )

    def _search(self, game: Game[Any], state: Any, rng: Rng, settings: AlphaBetaPlayerSettings) -> AlphaBeta:  # noqa: ANN401
        evaluation = self._evaluation(game)
        return AlphaBeta(
            game, state, settings=settings, evaluate=None if evaluation is None else evaluation.evaluator, rng=rng
        )

    def _evaluation(self, game: Game[Any]) -> "Evaluation | None":
        if self.settings.weights == _NOTHING or (self.settings.weights == SHIPPED and not isinstance(game, GoGame)):
            return None
        return self._reader.evaluation(game)


def _lasting(weights: str) -> str:
    """The same file in whatever folder one is."""
    return weights if weights == _NOTHING else lasting_weights(weights)


def _name(kind: str, settings: Settings, weights: str) -> str:
    options = settings.model_dump(exclude_defaults=True)
    if options.pop("weights", None) is not None:
        options = {"weights": weights, **options}
    return format_spec(PlayerSpec(kind, options))
