"""Thinking about some moves only (`allowMoves`): one after the other, each with the same share of the budget.

A search chooses its moves itself, and may never try the one that somebody asks about. So the position after each move
is searched instead; the move is worth what that position is (`position_value`).
"""

from collections.abc import Sequence

from katachi._core import Rng
from katachi.core.limit import Limit
from katachi.core.types import Action
from katachi.games.go.game import GoGame
from katachi.games.go.position import Position
from katachi.players.player import Decision, tell_new_game
from katachi.players.thinking import Candidate, Thinking, ThinkingPlayer, analyse, position_value
from katachi.search.searches import Progress

__all__ = ["SomeMoves"]


class SomeMoves:
    """A `Thinking` that is run once, over at least one legal action."""

    def __init__(
        self, player: ThinkingPlayer, game: GoGame, position: Position, actions: Sequence[Action], rng: Rng
    ) -> None:
        self._player, self._game, self._position, self._actions, self._rng = player, game, position, actions, rng
        self._done: list[Candidate] = []
        self._running: tuple[Action, Thinking] | None = None

    def run(self, limit: Limit, progress: Progress | None = None) -> bool:
        """All moves; False when `progress` stopped it."""
        share = _share(limit, len(self._actions))
        for action in self._actions:
            after, outcome = self._game.play(self._position, action)
            if after.is_over:  # by a second pass
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
        mover, facts = self._position.to_play, self._game.facts
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
