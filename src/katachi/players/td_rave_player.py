"""MC-RAVE whose prior a temporal-difference search of the same position has learnt (Silver 2009, 10.2).

`td-mc-rave` divides the budget of a move in two. First TD search, on top of learnt weights (Dyna-2); then the tree,
whose actions begin with what both memories say of the afterstates, as if it had been counted M times (8.6). What TD
search has learnt is kept to the end of the game; the tree is made anew at each move: its prior is of that moment.

The source found no gain: the short-term memory knows about six plies, and MC-RAVE looks ten and more ahead.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, Self

from pydantic import Field, model_validator

from katachi._core import Rng
from katachi.core.limit import Limit
from katachi.core.types import Action
from katachi.games.contract import Game
from katachi.games.go.position import Position
from katachi.players.player import Decision
from katachi.players.some_moves import Restricted, Restriction
from katachi.players.td_player import TdPlayer, TdPlayerSettings
from katachi.players.thinking import Candidate, Thinking
from katachi.players.tree_player import TreePlayer, TreePlayerSettings, TreeThinking
from katachi.search.searches import Progress, TreeSearch
from katachi.search.td_search import TdSearchSettings
from katachi.search.tree_settings import PRESETS

__all__ = ["TD_RAVE", "TdRavePlayer", "TdRaveSettings"]

TD_RAVE = "td-mc-rave"
_PRESET: dict[str, Any] = {**PRESETS["heuristic-mc-rave"], "prior": "shapes"}


class TdRaveSettings(TreePlayerSettings):
    """A tree search, and the search that makes its prior. `weights` are the long-term memory of that, or `none`."""

    td: TdSearchSettings = Field(
        default=TdSearchSettings(switch_after=10.0), description="Of the temporal-difference search (7.5: T = 10)."
    )
    td_share: float = Field(
        default=0.5,
        gt=0,
        lt=1,
        description="Of the budget of a move, that of temporal-difference search. Ours: the source does not tell.",
    )

    @model_validator(mode="after")
    def _fits_td(self) -> Self:
        if self.prior != "shapes":
            raise ValueError(f"the prior of {TD_RAVE} is what local shapes have learnt: prior=shapes, not {self.prior}")
        if self.steps is not None:
            raise ValueError(f"{TD_RAVE} counts simulations, not steps")
        if self.between_moves == "forget":
            raise ValueError(f"{TD_RAVE} keeps what it has learnt, or discards it: it cannot forget a share of it")
        if self.td.grown_kinds:
            raise ValueError(f"grown features ({self.td.grown}) are no prior: only shapes are")
        return self

    @classmethod
    def usual(cls, **changes: Any) -> Self:  # noqa: ANN401
        """The preset."""
        return cls.from_mapping({**_PRESET, **changes})

    @property
    def td_player(self) -> TdPlayerSettings:
        """The first search as a player, whose budget is of no account."""
        between_moves = "keep" if self.between_moves == "keep" else "reset"
        told = {**self.td.model_dump(by_alias=True), "weights": self.weights, "between_moves": between_moves, "sims": 1}
        return TdPlayerSettings.from_mapping(told)


class TdRavePlayer(TreePlayer):
    """Plays Go on square boards; without `weights=none` on those that there are weights for."""

    settings: TdRaveSettings

    def __init__(self, settings: TdRaveSettings) -> None:
        super().__init__(TD_RAVE, settings, TdRaveSettings.usual(sims=1))
        self._td = TdPlayer("dyna2", settings.td_player)

    def check(self, game: Game[Any]) -> None:
        """An error if one of the searches does not take this game."""
        self._td.check(game)
        self.settings.check_game(game.facts, game.name)
        self._policy.native(game)

    def fingerprint(self, game: Game[Any]) -> str | None:
        """Of the weights."""
        return self._td.fingerprint(game)

    def think(self, game: Game[Any], state: Any, rng: Rng) -> Thinking:  # noqa: ANN401
        """A search that learns, and a tree on what it has learnt."""
        self.check(game)
        return _TdRaveThinking(self, self._td.think(game, state, rng.split("td")), game, state, rng)

    def think_about(self, game: Game[Any], state: Any, restriction: Restriction, rng: Rng) -> Thinking:  # noqa: ANN401
        """The same, but for the tree, which tries these actions only."""
        self.check(game)
        td = self._td.think(game, state, rng.split("td"))
        told = Restricted(td, restriction, restriction.actions(game, state))
        return _TdRaveThinking(self, told, game, state, rng, restriction)

    def plant(self, game: Game[Any], state: Position, rng: Rng, actions: Sequence[Action] | None = None) -> TreeSearch:
        """A tree whose prior is what is known now."""
        return TreeSearch(
            game,
            state,
            rng=rng,
            settings=self.settings,
            policy=self._policy,
            shapes=self._td.memory(game).evaluator(),
            actions=actions,
        )

    def keep(self, search: TreeSearch, game: Game[Any], state: Any, played: Action | None) -> None:  # noqa: ANN401
        """Trees are not kept."""

    def new_game(self) -> None:
        """Forgets the last one."""
        self._td.new_game()

    def close(self) -> None:
        """Frees the memory."""
        self._td.close()


class _TdRaveThinking:
    def __init__(
        self,
        player: TdRavePlayer,
        td: Thinking,
        game: Game[Any],
        state: Position,
        rng: Rng,
        restriction: Restriction | None = None,
    ) -> None:
        self._player, self._td, self._game, self._state, self._rng = player, td, game, state, rng
        self._restriction = restriction
        self._learnt = 0  # simulations of the first search
        self._keeps_ownership = False
        self._tree: TreeThinking | None = None

    def run(self, limit: Limit, progress: Progress | None = None) -> bool:
        return self._run(limit, progress, TreeThinking.run)

    def analyse(self, limit: Limit, progress: Progress | None = None) -> bool:
        """The same, to the limit."""
        return self._run(limit, progress, TreeThinking.analyse)

    def _run(
        self,
        limit: Limit,
        progress: Progress | None,
        search_tree: Callable[[TreeThinking, Limit, Progress | None], bool],
    ) -> bool:
        started = time.monotonic()
        learning = self._learning(limit)
        is_done = self._td.run(learning, progress)
        before, self._learnt = self._learnt, self._td.decision().simulations
        player, game, state, restriction = self._player, self._game, self._state, self._restriction
        actions = None if restriction is None else restriction.actions(game, state)
        search = player.plant(game, state, self._rng.split("search"), actions)
        self._tree = TreeThinking(player, search, game, state, self._rng.split("ties"), restriction)
        if self._keeps_ownership:
            self._tree.keep_ownership()
        if not is_done:
            self._tree.ponder(Limit(simulations=1))  # there is something to decide by
            return False
        left = _left(limit, self._learnt - before, time.monotonic() - started)
        return search_tree(self._tree, left, progress)

    def ponder(self, limit: Limit, progress: Progress | None = None) -> bool:
        """What is learnt is kept, trees are not."""
        is_done = self._td.run(limit, progress)
        self._learnt = self._td.decision().simulations
        return is_done

    def _learning(self, limit: Limit) -> Limit:
        """The share of the first search: of the limit, but of no more than the player's own, which may be endless."""
        own, share = self._player.limit, self._player.settings.td_share
        simulations = [count for count in (limit.simulations, own.simulations) if count is not None]
        seconds = [count for count in (limit.seconds, own.seconds) if count is not None]
        return Limit(
            simulations=max(1, round(share * min(simulations))) if simulations else None,
            seconds=share * min(seconds) if seconds else None,
        )

    def keep_ownership(self) -> None:
        self._keeps_ownership = True
        if self._tree is not None:
            self._tree.keep_ownership()

    def ownership(self) -> list[float]:
        return [] if self._tree is None else self._tree.ownership()

    def decision(self) -> Decision:
        if self._tree is None:
            return self._td.decision()
        found = self._tree.decision()
        return Decision(found.action, found.value, found.simulations + self._learnt)

    def candidates(self) -> list[Candidate]:
        return self._td.candidates() if self._tree is None else self._tree.candidates()


def _left(limit: Limit, simulations: int, seconds: float) -> Limit:
    """What the tree may have: at least one simulation."""
    return Limit(
        simulations=None if limit.simulations is None else max(1, limit.simulations - simulations),
        seconds=None if limit.seconds is None else max(1e-3, limit.seconds - seconds),
    )
