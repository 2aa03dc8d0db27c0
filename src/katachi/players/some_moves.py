"""Thinking about some actions of a state only, for analyses: those that somebody asks about, or all but a few.

A tree search is told what it may try at its root (`TreePlayer.think_about`). Other players choose what they try
themselves, and may never come to what somebody asks about: there the state after each action is searched instead, one
after the other, each with the same share of the budget, and the action is worth what that state is (`position_value`).
"""

from collections.abc import Collection, Sequence
from typing import Any, Protocol, runtime_checkable

from katachi._core import Rng
from katachi.core.limit import Limit
from katachi.core.types import Action
from katachi.games.contract import Game, native_state
from katachi.players.player import Decision, tell_new_game
from katachi.players.thinking import Candidate, Thinking, ThinkingPlayer, analyse, position_value
from katachi.search.searches import Progress

__all__ = ["SomeMoves", "restricted_actions", "think_about"]


def restricted_actions(
    game: Game[Any],
    state: Any,  # noqa: ANN401
    avoided: Collection[Action],
    allowed: Collection[Action] | None,
) -> list[Action] | None:
    """What may be tried of a state; None: nothing is asked for. Empty: no legal action is left.

    Actions that searches do not try (own eyes, say) are among them if they are named, or if nothing else is left.
    """
    if allowed is None and not avoided:
        return None
    legal = [a for a in game.legal_actions(state) if a not in avoided and (allowed is None or a in allowed)]
    if allowed is not None:
        return legal
    candidates = set(native_state(game, state).candidates())
    return [action for action in legal if action in candidates] or legal


@runtime_checkable
class _ThinksAbout(Protocol):
    """A player whose searches can be told what to try."""

    def think_about(self, game: Game[Any], state: Any, actions: Sequence[Action], rng: Rng) -> Thinking:  # noqa: ANN401
        """As `think`, about these actions only."""


def think_about(
    player: ThinkingPlayer,
    game: Game[Any],
    state: Any,  # noqa: ANN401
    actions: Sequence[Action],
    rng: Rng,
) -> Thinking:
    """Some legal actions of a state, at least one. What the player knew before is forgotten."""
    tell_new_game(player)
    if isinstance(player, _ThinksAbout):
        return player.think_about(game, state, actions, rng)
    return SomeMoves(player, game, state, actions, rng)


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
