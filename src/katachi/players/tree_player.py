"""Players that search a tree before each move: every preset of katachi.search.tree_settings is one."""

from typing import Any, Self

from pydantic import Field, model_validator

from katachi._core import Rng
from katachi.core.limit import Limit
from katachi.core.types import Action
from katachi.games.contract import Game, is_same_state
from katachi.players.player import Decision
from katachi.players.spec import PlayerSpec, format_spec
from katachi.search.searches import Progress, TreeSearch
from katachi.search.tree_settings import PRESETS, TreeSearchSettings
from katachi.values.weights_reader import lasting_weights

__all__ = ["TreePlayer", "TreePlayerSettings"]


class TreePlayerSettings(TreeSearchSettings):
    """A tree search and its budget for each move: at least one of sims, steps and seconds."""

    sims: int | None = Field(default=None, ge=1, le=2**63, description="Simulations per move.")
    steps: int | None = Field(default=None, ge=1, le=2**63, description="Simulated steps per move (Vodopivec 7.1).")
    seconds: float | None = Field(default=None, gt=0, description="Seconds per move.")

    @model_validator(mode="after")
    def _has_a_budget(self) -> Self:
        if self.sims is None and self.steps is None and self.seconds is None:
            raise ValueError("give at least one of sims, steps, seconds: the budget of a move")
        if self.needs_value or self.playout_policy == "heuristic":
            raise ValueError("a player named by a spec has no heuristic: give one to katachi.TreeSearch in Python")
        return self

    @property
    def limit(self) -> Limit:
        """The budget."""
        return Limit(simulations=self.sims, steps=self.steps, seconds=self.seconds)


class TreePlayer:
    """Searches, and keeps what it has learnt of the game that goes on (setting between_moves).

    It keeps its memory if the new state is the old one after its own move and one of the opponent's. A game with
    chance is searched anew before each move.
    """

    def __init__(self, kind: str, settings: TreePlayerSettings) -> None:
        self.settings = settings
        self.name = _name(kind, settings)
        self.lasting_name = _name(kind, settings.replace(weights=lasting_weights(settings.weights)))
        self._policy = settings.default_policy
        self._search: TreeSearch | None = None
        self._game: Game[Any] | None = None
        self._state: Any = None
        self._played = Action(-1)

    def check(self, game: Game[Any]) -> None:
        """An error if the search does not take this game."""
        self.settings.check_game(game.facts, game.name)
        self._policy.native(game)

    def fingerprint(self, game: Game[Any]) -> str | None:
        """Of the weights."""
        return self._policy.fingerprint(game)

    def choose(self, game: Game[Any], state: Any, rng: Rng, progress: Progress | None = None) -> Decision:  # noqa: ANN401
        """The best action of a search under the budget."""
        search = self._go_on(game, state, rng.split("search"))
        search.run(self.settings.limit, progress)
        action = search.best(rng.split("ties"))
        self._search, self._game, self._state, self._played = search, game, state, action
        value = next(root.value for root in search.root_actions() if root.action == action)
        return Decision(action, value, search.simulations)

    def close(self) -> None:
        """Frees the memory."""
        self._search = self._game = self._state = None

    def _go_on(self, game: Game[Any], state: Any, rng: Rng) -> TreeSearch:  # noqa: ANN401
        search, self._search = self._search, None  # a search that fails is not gone on with
        if search is not None and self._game is game and self.settings.between_moves != "discard":
            path = self._path(game, state)
            if path is not None:
                search.move_to(state, path, rng)
                return search
        return TreeSearch(game, state, rng=rng, settings=self.settings, policy=self._policy)

    def _path(self, game: Game[Any], state: Any) -> list[Action] | None:  # noqa: ANN401
        """Our last action, and what the opponent has answered; None if the state does not follow so."""
        if not game.facts.deterministic or self._played not in game.legal_actions(self._state):
            return None
        after, _ = game.play(self._state, self._played)
        if not game.is_terminal(after) and is_same_state(game, after, state):
            return [self._played]
        for answer in game.legal_actions(after):
            if is_same_state(game, game.play(after, answer)[0], state):
                return [self._played, answer]
        return None


def _name(kind: str, settings: TreePlayerSettings) -> str:
    """The spec: what differs from the preset."""
    usual = TreePlayerSettings(**{**PRESETS[kind], "sims": 1})
    fields = type(settings).model_fields
    budget = ("sims", "steps", "seconds")
    options = {
        fields[name].alias or name: getattr(settings, name)
        for name in (*budget, *(name for name in fields if name not in budget))
        if (getattr(settings, name) is not None if name in budget else getattr(settings, name) != getattr(usual, name))
    }
    return format_spec(PlayerSpec(kind, options))
