"""Players that search a tree before each move: every preset of katachi.search.tree_settings is one."""

import time
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

from pydantic import Field, model_validator

from katachi._core import Rng
from katachi.core.limit import Limit
from katachi.core.types import Action
from katachi.games.contract import Game, is_same_state
from katachi.games.go.position import Position
from katachi.players.go_endings import passing_wins
from katachi.players.player import Decision
from katachi.players.some_moves import Restriction
from katachi.players.spec import preset_spec
from katachi.players.thinking import Candidate, Thinker, Thinking
from katachi.policies.playout_policies import lasting_policy
from katachi.search.searches import Progress, TreeSearch
from katachi.search.tree_priors import prior_fingerprint, prior_shapes
from katachi.search.tree_settings import PRESETS, TreeSearchSettings
from katachi.values.weights_reader import lasting_weights

__all__ = ["TreePlayer", "TreePlayerSettings", "TreeThinking"]

_LEAST_SHARE = 0.2  # of the time of a move is taken whatever the visits say
_FEWEST_VISITS = 50  # of the root, before a player may give up: a few lost playouts say nothing


class TreePlayerSettings(TreeSearchSettings):
    """A tree search and its budget for each move: at least one of sims, steps and seconds."""

    sims: int | None = Field(default=None, ge=1, le=2**63, description="Simulations per move.")
    steps: int | None = Field(default=None, ge=1, le=2**63, description="Simulated steps per move (Vodopivec 7.1).")
    seconds: float | None = Field(default=None, gt=0, description="Seconds per move.")
    early_stop: bool = Field(
        default=True,
        description="Under a limit of seconds: decide as soon as no other action can have more visits any more than "
        "the one that would be played.",
    )
    resign: float = Field(
        default=0.0,
        ge=0,
        lt=0.5,
        description="Gives up when its best action is worth less than this between the worst and the best; 0: never.",
    )

    @model_validator(mode="after")
    def _has_a_budget(self) -> Self:
        if self.sims is None and self.steps is None and self.seconds is None:
            raise ValueError("give at least one of sims, steps, seconds: the budget of a move")
        if self.needs_value or "heuristic" in (self.playout_policy, self.prior):
            raise ValueError("a player named by a spec has no heuristic: give one to katachi.TreeSearch in Python")
        return self

    @property
    def limit(self) -> Limit:
        """The budget."""
        return Limit(simulations=self.sims, steps=self.steps, seconds=self.seconds)


class TreePlayer(Thinker):
    """Searches, and keeps what it has learnt of the game that goes on (setting between_moves).

    It keeps its memory if the new state is the old one after its own move and one of the opponent's. When it has
    thought without deciding (an analysis, the opponent's time): if it is the old one, or that after any move. A game
    with chance is searched anew before each move.
    """

    def __init__(self, kind: str, settings: TreePlayerSettings, usual: TreePlayerSettings | None = None) -> None:
        """`usual`: what its name need not tell, if that is no preset of the tree search."""
        self.settings = settings
        if usual is None:
            usual = TreePlayerSettings(**{**PRESETS[kind], "sims": 1})
        self.name = preset_spec(kind, settings, usual)
        self.lasting_name = preset_spec(
            kind,
            settings,
            usual,
            weights=lasting_weights(settings.weights),
            playout_policy=lasting_policy(settings.playout_policy),
        )
        self._policy = settings.default_policy
        self._search: TreeSearch | None = None
        self._game: Game[Any] | None = None
        self._state: Any = None
        self._played: Action | None = None  # in that state; None: nothing was decided

    @property
    def limit(self) -> Limit:
        """Its budget for a move."""
        return self.settings.limit

    @property
    def ponders(self) -> bool:
        """Is anything kept between moves?"""
        return self.settings.between_moves != "discard"

    def check(self, game: Game[Any]) -> None:
        """An error if the search does not take this game."""
        self.settings.check_game(game.facts, game.name)
        self._policy.native(game)
        prior_shapes(self.settings.prior, self._policy.reader, game)

    def fingerprint(self, game: Game[Any]) -> str | None:
        """Of the weights."""
        return self._policy.fingerprint(game, prior_fingerprint(self.settings.prior, self._policy.reader, game))

    def think(self, game: Game[Any], state: Any, rng: Rng) -> Thinking:  # noqa: ANN401
        """Goes on with what is kept, or starts."""
        search = self._go_on(game, state, rng.split("search"))
        return TreeThinking(self, search, game, state, rng.split("ties"))

    def think_about(self, game: Game[Any], state: Any, restriction: Restriction, rng: Rng) -> Thinking:  # noqa: ANN401
        """Starts anew, about these actions only; nothing of it is kept."""
        actions = restriction.actions(game, state)
        search = TreeSearch(
            game, state, rng=rng.split("search"), settings=self.settings, policy=self._policy, actions=actions
        )
        return TreeThinking(self, search, game, state, rng.split("ties"), restriction)

    def keep(self, search: TreeSearch, game: Game[Any], state: Any, played: Action | None) -> None:  # noqa: ANN401
        """The next search may begin with this one."""
        self._search, self._game, self._state, self._played = search, game, state, played

    def new_game(self) -> None:
        """Forgets the last one."""
        self.close()

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
        """What has been played since; None if the state does not follow so."""
        if not game.facts.deterministic:
            return None
        path, reached = list[Action](), self._state
        if self._played is not None:
            if self._played not in game.legal_actions(reached):
                return None
            path.append(self._played)
            reached, _ = game.play(reached, self._played)
        if not game.is_terminal(reached) and is_same_state(game, reached, state):
            return path
        for answer in game.legal_actions(reached):
            if is_same_state(game, game.play(reached, answer)[0], state):
                return [*path, answer]
        return None


class _LeadWatch:
    """Can another action than the one that would be played now still have the most visits when the time is over?"""

    def __init__(self, search: TreeSearch, seconds: float) -> None:
        self._search, self._seconds, self._started = search, seconds, time.monotonic()
        self._before = search.simulations
        self.is_decided = False

    def goes_on(self) -> bool:
        spent = max(1e-9, time.monotonic() - self._started)
        most, *others = sorted(self._search.root_actions(), key=lambda action: action.visits, reverse=True)
        lead = most.visits - (others[0].visits if others else 0)
        to_come = (self._search.simulations - self._before) / spent * (self._seconds - spent)
        is_ahead = spent > _LEAST_SHARE * self._seconds and lead > to_come
        self.is_decided = is_ahead and self._search.ranked()[0].action == most.action
        return not self.is_decided


class TreeThinking:
    """A `Thinking` by a tree search, for its player; about all actions, or about some."""

    def __init__(
        self,
        player: TreePlayer,
        search: TreeSearch,
        game: Game[Any],
        state: Any,  # noqa: ANN401
        ties: Rng,
        restriction: Restriction | None = None,
    ) -> None:
        self._player, self._search, self._ties = player, search, ties
        self._game, self._state, self._restriction = game, state, restriction
        self._priors: dict[Action, float] | None = None  # of the actions at the root, once somebody has asked

    def run(self, limit: Limit, progress: Progress | None = None) -> bool:
        """Goes on, until nothing can change any more (`early_stop`)."""
        if limit.seconds is None or not self._player.settings.early_stop:
            return self.ponder(limit, progress)
        watch = _LeadWatch(self._search, limit.seconds)
        is_done = self.ponder(
            limit, lambda share: watch.goes_on() and (progress is None or progress(share) is not False)
        )
        return is_done or watch.is_decided

    def ponder(self, limit: Limit, progress: Progress | None = None) -> bool:
        """Goes on to the limit."""
        is_done = self._search.run(limit, progress)
        self._keep(None)
        return is_done

    def _keep(self, played: Action | None) -> None:
        if self._restriction is None:
            self._player.keep(self._search, self._game, self._state, played)

    def analyse(self, limit: Limit, progress: Progress | None = None) -> bool:
        """Goes on to the limit."""
        return self.ponder(limit, progress)

    def keep_ownership(self) -> None:
        """Counts from now on who holds which point of a Go board."""
        self._search.keep_ownership()

    def ownership(self) -> list[float]:
        """By point, how much more often Black than White held it."""
        return self._search.ownership()

    def decision(self) -> Decision:
        """The best action, a pass where that wins, or None to give up."""
        action = self._search.best(copy(self._ties))
        roots = self._search.root_actions()
        value = next(root.value for root in roots if root.action == action)
        if self._winning_pass is not None:
            action, value = self._winning_pass, self._won
        elif sum(root.visits for root in roots) >= _FEWEST_VISITS and self._is_lost(value):
            return Decision(None, value, self._search.simulations)
        self._keep(action)
        return Decision(action, value, self._search.simulations)

    @cached_property
    def _winning_pass(self) -> Action | None:
        """In Go, if a pass may be played and wins."""
        if not isinstance(self._state, Position):
            return None
        may_pass = self._restriction is None or self._restriction.allows(self._state.pass_action)
        wins = may_pass and passing_wins(self._state, self._ties.split("passing"))
        return self._state.pass_action if wins else None

    @property
    def _won(self) -> float:
        """What a game of Go is worth to player 0 that the player to move has won."""
        return self._game.facts.value_for(self._game.to_play(self._state), 1.0)

    def _is_lost(self, value: float) -> bool:
        facts, threshold = self._game.facts, self._player.settings.resign
        if threshold == 0 or facts.players != 2 or facts.return_bounds is None:
            return False
        low, high = facts.return_bounds
        return (facts.value_for(self._game.to_play(self._state), value) - low) / (high - low) < threshold

    def candidates(self) -> list[Candidate]:
        """What would be played, and the actions that were tried at the root, the best first."""
        is_certain = self._game.facts.deterministic
        if self._priors is None:
            self._priors = self._search.root_priors()
        found = []
        for node in self._search.ranked():
            line = [node, *(node.principal_variation() if is_certain else [])]
            found.append(
                Candidate(
                    node.action,
                    node.visits,
                    node.combined,
                    tuple(step.action for step in line),
                    tuple(step.visits for step in line),
                    node.value,
                    node.rave,
                    self._priors.get(node.action),
                )
            )
        return found if self._winning_pass is None else self._with_pass_first(found, self._winning_pass)

    def _with_pass_first(self, found: list[Candidate], passing: Action) -> list[Candidate]:
        """A pass that wins is what would be played, whatever the search has found out about it."""
        tried = next((each for each in found if each.action == passing), Candidate(passing, 0, None, (passing,), (0,)))
        first = replace(tried, value=self._won, line=(passing,), line_visits=(tried.visits,), decides=True)
        return [first, *(each for each in found if each.action != passing)]
