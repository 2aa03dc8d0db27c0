"""Players of learnt networks: `net`, alpha-beta on the network of a file (Ekker, 4.3), and the weak player `wally`."""

import os
from math import exp
from typing import TYPE_CHECKING, Any

from pydantic import Field

from katachi import _core
from katachi._core import Rng
from katachi.core.errors import InvalidArgumentError
from katachi.core.limit import Limit
from katachi.core.settings import Settings
from katachi.core.types import Action
from katachi.games.contract import Game
from katachi.games.go.game import GoGame
from katachi.players.player import Decision
from katachi.players.spec import PlayerSpec, format_spec
from katachi.players.thinking import Candidate, Thinker
from katachi.search.alpha_beta import AlphaBeta, AlphaBetaSettings
from katachi.search.searches import Progress
from katachi.values.weights_reader import SHIPPED, lasting_weights

if TYPE_CHECKING:
    from katachi.values.network_file import LoadedNetwork

__all__ = ["NetPlayer", "NetSettings", "WallyPlayer", "WallySettings"]


class NetSettings(AlphaBetaSettings):
    """A network and a search on it."""

    weights: str = Field(
        default=SHIPPED, min_length=1, description="A file of a network (katachi learn), or that of the package."
    )
    depth: int = Field(default=2, ge=1, le=100, description="Plies (4.3: 2 in training; 6.2.1: 3 against GNU Go).")
    iterative: bool = Field(default=False, description="Deepen ply by ply; false: the full depth at once.")


class NetPlayer(Thinker):
    """`net:weights=FILE,depth=D`: a best action by a search of D plies, any of them if there are several."""

    ponders = False
    limit = None  # the depth alone

    def __init__(self, settings: NetSettings) -> None:
        self.settings = settings
        options = settings.model_dump(exclude_defaults=True)
        self.name = format_spec(PlayerSpec("net", options))
        if "weights" in options:
            options = {**options, "weights": lasting_weights(settings.weights)}
        self.lasting_name = format_spec(PlayerSpec("net", options))
        self._loaded: dict[str, LoadedNetwork] = {}

    def check(self, game: Game[Any]) -> None:
        """An error if the search does not take this game, or the network is not for it."""
        self.settings.check_game(game.facts, game.name)
        self._network(game)

    def fingerprint(self, game: Game[Any]) -> str:
        """Of the file."""
        return self._network(game).fingerprint

    def think(self, game: Game[Any], state: Any, rng: Rng) -> "_NetThinking":  # noqa: ANN401
        """Starts a search."""
        return _NetThinking(game, state, rng, self.settings, self._network(game))

    def _network(self, game: Game[Any]) -> "LoadedNetwork":
        """Read once for each game: it stays what it is, whatever becomes of the file."""
        # Here, since it needs numpy, which is long to load and starts threads.
        from katachi.values.network_file import load_network, shipped_network

        key = repr(game)
        if key not in self._loaded:
            is_shipped = self.settings.weights == SHIPPED
            path = shipped_network(game) if is_shipped else os.path.expanduser(self.settings.weights)
            self._loaded[key] = load_network(path, game)
        return self._loaded[key]


class _NetThinking:
    def __init__(
        self,
        game: Game[Any],
        state: Any,  # noqa: ANN401
        rng: Rng,
        settings: NetSettings,
        network: "LoadedNetwork",
    ) -> None:
        self._network = network
        self._search = AlphaBeta(game, state, settings=settings, evaluate=network.value, rng=rng)
        self._one_ply = AlphaBeta(
            game, state, settings=settings.replace(depth=1), evaluate=network.value, rng=rng
        )  # for one who cannot wait

    def run(self, limit: Limit, progress: Progress | None = None) -> bool:
        return self._search.run(limit, progress)

    def decision(self) -> Decision:
        search = self._search
        if search.depth == 0:
            search = self._one_ply
            search.run()
        return Decision(search.best_action, self._chance(search.value), self._search.nodes)

    def candidates(self) -> list[Candidate]:
        search = self._search
        if search.depth == 0:
            return []
        best, value = search.best_action, self._chance(search.value)
        others = [root for root in search.root_actions() if root.action != best]
        visits = sum(root.visits for root in search.root_actions() if root.action == best)
        return [
            Candidate(best, visits, value, tuple(search.line)),
            *(Candidate(Action(root.action), root.visits, None, (Action(root.action),)) for root in others),
        ]

    def _chance(self, value: float) -> float:
        """Of player 0, 0 to 1; in stones, by the function that squashed returns when it learnt."""
        if self._network.value.unit == "output":
            return min(1.0, max(0.0, value))
        return 1 / (1 + exp(-max(-700.0, min(700.0, value / self._network.value.score_scale))))


class WallySettings(Settings):
    """How much is left to chance."""

    random: float = Field(default=0.0, ge=0, le=1, description="How often a move is any legal one (4.3: 0.5 to 0).")


class WallyPlayer:
    """`wally:random=P`: a weak player of Go in the manner of Wally (4.1): cpp/policies/wally.hpp."""

    def __init__(self, settings: WallySettings) -> None:
        self.settings = settings
        self.name = format_spec(PlayerSpec("wally", settings.model_dump(exclude_defaults=True)))

    def check(self, game: Game[Any]) -> None:
        """An error if it is not Go."""
        if not isinstance(game, GoGame):
            raise InvalidArgumentError(f"wally plays Go, not {game.name}")

    def choose(self, game: Game[Any], state: Any, rng: Rng, progress: Progress | None = None) -> Decision:  # noqa: ANN401
        """The same board, the same move, but for random ones."""
        self.check(game)
        if self.settings.random and rng.uniform() < self.settings.random:
            return Decision(Action(rng.choice(list(game.legal_actions(state)))))
        return Decision(Action(_core.wally_move(state.native)))
