"""A player that looks ahead by alpha-beta and knows nothing: every leaf is worth the same.

So it plays what it can see to the end (endings of tic-tac-toe, say) perfectly, and before that the first of its
candidates. A learnt evaluation of leaves is not built yet.
"""

from typing import Any

from katachi._core import Rng
from katachi.games.contract import Game
from katachi.players.player import Decision
from katachi.players.spec import PlayerSpec, format_spec
from katachi.search.alpha_beta import AlphaBeta, AlphaBetaSettings
from katachi.search.searches import Progress

__all__ = ["AlphaBetaPlayer"]


class AlphaBetaPlayer:
    """`alpha-beta:depth=D`: the first best action by a search of D plies. It refuses games of chance."""

    def __init__(self, settings: AlphaBetaSettings) -> None:
        self.settings = settings
        self.name = format_spec(PlayerSpec("alpha-beta", settings.model_dump(exclude_defaults=True)))

    def check(self, game: Game[Any]) -> None:
        """An error if the search does not take this game."""
        self.settings.check_game(game.facts, game.name)

    def choose(self, game: Game[Any], state: Any, rng: Rng, progress: Progress | None = None) -> Decision:  # noqa: ANN401
        """The best action of the deepest search that `progress` leaves time for."""
        search = AlphaBeta(game, state, settings=self.settings)
        search.run(progress=progress)
        if search.depth == 0:  # stopped too early to know anything
            return Decision(next(iter(getattr(game, "candidates", game.legal_actions)(state))), None, search.nodes)
        return Decision(search.best_action, search.value, search.nodes)
