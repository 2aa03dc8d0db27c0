"""Thinking about some actions of a state only, for analyses: those that somebody asks about, or all but a few.

A tree search is told what it may try at its root (`TreePlayer.think_about`); of other players only what they say of
these actions is told (`think_about`). A search may never come to a few actions that somebody asks about: `SomeMoves`
searches the state after each of them instead, one after the other, each with the same share of the budget.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from katachi._core import Rng
from katachi.core.limit import Limit
from katachi.core.types import Action
from katachi.games.contract import Game, native_state
from katachi.players.player import Decision, tell_new_game
from katachi.players.thinking import (
    Candidate,
    Thinking,
    ThinkingPlayer,
    analyse,
    keep_ownership,
    ownership,
    position_value,
)
from katachi.search.searches import Progress

__all__ = ["Restricted", "Restriction", "SomeMoves", "think_about"]


@dataclass(frozen=True)
class Restriction:
    """Which actions of a state may be looked at."""

    avoided: frozenset[Action] = frozenset()
    allowed: frozenset[Action] | None = None  # None: all others

    def allows(self, action: Action) -> bool:
        """May it be told, and played?"""
        return action not in self.avoided and (self.allowed is None or action in self.allowed)

    def __bool__(self) -> bool:
        """Is anything forbidden?"""
        return bool(self.avoided) or self.allowed is not None

    def actions(self, game: Game[Any], state: Any) -> list[Action]:  # noqa: ANN401
        """What is to be searched; empty: no legal action is left.

        What searches do not try (own eyes, say) is among them if it is named, or if nothing else is left.
        """
        legal = [action for action in game.legal_actions(state) if self.allows(action)]
        if self.allowed is not None:
            return legal
        candidates = set(native_state(game, state).candidates())
        return [action for action in legal if action in candidates] or legal


@runtime_checkable
class _ThinksAbout(Protocol):
    """A player whose searches can be told what to try."""

    def think_about(self, game: Game[Any], state: Any, restriction: Restriction, rng: Rng) -> Thinking:  # noqa: ANN401
        """As `think`, about these actions only."""


def think_about(
    player: ThinkingPlayer,
    game: Game[Any],
    state: Any,  # noqa: ANN401
    restriction: Restriction,
    rng: Rng,
) -> Thinking:
    """As `think`, about some of the actions, at least one. What the player knew before is forgotten."""
    tell_new_game(player)
    if isinstance(player, _ThinksAbout):
        return player.think_about(game, state, restriction, rng)
    return Restricted(player.think(game, state, rng), restriction, restriction.actions(game, state))


class Restricted:
    """A `Thinking` about all actions of which only some are told."""

    def __init__(self, thinking: Thinking, restriction: Restriction, actions: Sequence[Action]) -> None:
        self._thinking, self._restriction, self._actions = thinking, restriction, actions

    def run(self, limit: Limit, progress: Progress | None = None) -> bool:
        """Goes on."""
        return self._thinking.run(limit, progress)

    def analyse(self, limit: Limit, progress: Progress | None = None) -> bool:
        """Goes on to the limit."""
        return analyse(self._thinking, limit, progress)

    def keep_ownership(self) -> None:
        """Counts from now on who holds which point of a Go board."""
        keep_ownership(self._thinking)

    def ownership(self) -> list[float]:
        """By point, how much more often Black than White held it."""
        return ownership(self._thinking)

    def decision(self) -> Decision:
        """What it would play, if that is allowed, or else the best of what is; any, if it knows nothing of those."""
        decision = self._thinking.decision()
        if decision.action is None or self._restriction.allows(decision.action):
            return decision
        found = self.candidates()
        if found:
            return Decision(found[0].action, found[0].value, decision.simulations)
        return Decision(self._actions[0], None, decision.simulations)

    def candidates(self) -> list[Candidate]:
        """Those that are allowed."""
        return [each for each in self._thinking.candidates() if self._restriction.allows(each.action)]


class SomeMoves:
    """A `Thinking` that is run once, over at least one legal action."""

    def __init__(
        self,
        player: ThinkingPlayer,
        game: Game[Any],
        state: Any,  # noqa: ANN401
        actions: Sequence[Action],
        rng: Rng,
    ) -> None:
        self._player, self._game, self._state, self._actions, self._rng = player, game, state, actions, rng
        self._done: list[Candidate] = []
        self._running: tuple[Action, Thinking] | None = None

    def run(self, limit: Limit, progress: Progress | None = None) -> bool:
        """All moves; False when `progress` stopped it."""
        share = _share(limit, len(self._actions))
        for action in self._actions:
            after, outcome = self._game.play(self._state, action)
            if self._game.is_terminal(after):
                self._done.append(Candidate(action, 1, outcome, (action,), (1,)))
                continue
            tell_new_game(self._player)
            self._running = action, self._player.think(self._game, after, self._rng.split("after", action))
            is_done = analyse(self._running[1], share, progress)
            self._done += self._under_way()
            self._running = None
            if not is_done:
                return False
        return True

    def decision(self) -> Decision:
        """The best so far, and all simulations."""
        found = self.candidates()
        return Decision(found[0].action, found[0].value, sum(candidate.visits for candidate in found))

    def candidates(self) -> list[Candidate]:
        """What is known, the best for the player to move first."""
        mover, facts = self._game.to_play(self._state), self._game.facts
        found = [(facts.value_for(mover, c.value), c) for c in (*self._done, *self._under_way()) if c.value is not None]
        return [candidate for _, candidate in sorted(found, key=lambda pair: -pair[0])]

    def _under_way(self) -> list[Candidate]:
        if self._running is None:
            return []
        action, thinking = self._running
        answers = thinking.candidates()
        value = position_value(answers)
        if value is None:
            return []
        visits = thinking.decision().simulations or sum(answer.visits for answer in answers)
        best = answers[0]
        behind = (visits, *best.line_visits) if best.line_visits else ()
        return [Candidate(action, visits, value, (action, *best.line), behind)]


def _share(limit: Limit, parts: int) -> Limit:
    return Limit(
        simulations=None if limit.simulations is None else max(1, limit.simulations // parts),
        steps=None if limit.steps is None else max(1, limit.steps // parts),
        seconds=None if limit.seconds is None else limit.seconds / parts,
    )
