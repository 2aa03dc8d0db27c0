"""A game at the other end of a GTP wire: the board, the player that thinks, the clock. No text is parsed here.

`Session` is what every board game has; `katachi.gtp.go_session` adds what only Go has. Mistakes raise the errors of
`katachi.core.errors`; the commands turn them into the words of the protocol.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from katachi._core import Rng
from katachi.core.clock import Clock
from katachi.core.errors import IllegalMoveError, InvalidArgumentError
from katachi.core.limit import Limit
from katachi.core.types import Action, Player
from katachi.games.contract import BoardGame, Game
from katachi.players.player import Decision, GamePlayer, close_player, inherit, set_clock, tell_end, tell_new_game
from katachi.players.registry import change_settings
from katachi.players.some_moves import Restriction, think_about
from katachi.players.thinking import (
    ENDLESS,
    Thinking,
    ThinkingPlayer,
    choose_within,
    expected_moves,
    limit_within,
    may_ponder,
    ponder,
)
from katachi.search.searches import Progress

__all__ = ["LONG", "BoardSession", "Session", "check_pondering"]

LONG = Limit(simulations=10**9)
"""For what goes on until somebody says something: as far as the counters of a tree are sure to reach."""
_LONGEST_PONDERING = 600.0  # seconds; somebody may have gone to bed


class Session(ABC):
    """One board, one player, one clock; many games, one after the other."""

    def __init__(self, player: GamePlayer, seed: int) -> None:
        self.player = player
        self.seed = seed
        self.clock = Clock()
        self.quits = False
        self.thinking_seconds = 0.0  # CPU time spent on choosing moves
        # Has the controller said something new? Whoever runs the session knows; commands that can be cancelled ask.
        self.is_interrupted: Callable[[], bool] = lambda: False
        # Does it wait for an answer to `stop`? Then a move is chosen by what is known.
        self.is_stopped: Callable[[], bool] = lambda: False
        # Is there nobody any more who could say anything? So it is where nobody runs it.
        self.is_left: Callable[[], bool] = lambda: True
        # A line of the answer under way, for commands that take long; an empty text only begins it.
        self.say: Callable[[str], object] = lambda _: None
        self._rng = Rng(seed)
        self._thoughts = 0
        self._ponders = False
        self._pondering: _Pondering | None = None
        tell_new_game(player)

    # -- the game

    @property
    @abstractmethod
    def game(self) -> BoardGame[Any]:
        """The rules."""

    @property
    @abstractmethod
    def state(self) -> Any:  # noqa: ANN401
        """Where the game stands."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """(width, height) of the board."""

    @abstractmethod
    def stones(self) -> str:
        """One character a point, `.`, `X` or `O`, row by row from the top."""

    @abstractmethod
    def resize(self, width: int, height: int) -> None:
        """An empty board of that size, for a new game."""

    def clear(self) -> None:
        """A new game. The clock keeps its settings, and forgets what was left."""
        self.resize(*self.shape)

    @abstractmethod
    def play(self, player: Player, action: Action) -> None:
        """A move of that player."""

    @abstractmethod
    def play_all(self, moves: Sequence[tuple[Player, Action]]) -> None:
        """Moves, all of them or none."""

    @abstractmethod
    def undo(self, moves: int = 1) -> None:
        """Takes moves back; all of them or, when there are not so many, none."""

    @abstractmethod
    def state_for(self, player: Player) -> Any:  # noqa: ANN401
        """The state with that player to move."""

    @abstractmethod
    def result(self) -> str:
        """Who has won, for people; empty while the game goes on."""

    @abstractmethod
    def set_komi(self, komi: float) -> None:
        """Points for White."""

    @property
    def to_play(self) -> Player:
        """Who moves next."""
        return self.game.to_play(self.state)

    @property
    def is_over(self) -> bool:
        """Is the game at its end?"""
        return self.game.is_terminal(self.state)

    def show(self) -> str:
        """The board, for people."""
        return self.game.format_state(self.state)

    def vertex(self, action: Action, state: Any = None) -> str:  # noqa: ANN401
        """An action as the protocol writes it, `E5` or `pass`; in another state than the present one, if given."""
        vertex = self.game.format_action(self.state if state is None else state, action)
        return vertex if vertex == "pass" else vertex.upper()

    def format_moves(self, state: Any, actions: Sequence[Action]) -> list[str]:  # noqa: ANN401
        """The vertices of moves that are played one after the other from a state."""
        vertices = list[str]()
        for action in actions:
            vertices.append(self.vertex(action, state))
            state, _ = self.game.play(state, action)
        return vertices

    def describe(self) -> dict[str, str]:
        """What is played, by what rules."""
        width, height = self.shape
        return {"game": f"{self.game.name} {width}x{height}"}

    def legal_moves(self) -> list[str]:
        """What the player to move may play; nothing when the game is over."""
        return [self.vertex(action) for action in self.game.legal_actions(self.state)]

    @abstractmethod
    def outcome(self) -> float | None:
        """The return of player 0; None while the game goes on."""

    def end_game(self) -> None:
        """The game is over as it stands, or broken off: a player that learns from games does so now."""
        tell_end(self.player, self.game, self.state, self.outcome)

    def _begin_game(self) -> None:
        """For the clock and the player."""
        self.clock.restart()
        tell_new_game(self.player)

    # -- the player

    def think(self, player: Player, progress: Progress | None = None, *, regular: bool = False) -> Decision:
        """What the player would do, without doing it; the clock is looked at, and `stop` is heeded.

        A `regular` thought is the same each time in the same state, whatever the clock says and was thought before.
        """
        state = self.state_for(player)
        if regular:
            return self._think_regularly(state, progress)
        set_clock(self.player, self.clock)
        seconds = self.clock.seconds_for_move(player, expected_moves(self.game))
        go_on = progress or (lambda _: not self.is_stopped())
        with self.counted():
            return choose_within(self.player, self.game, state, self._next_rng(), seconds, go_on)

    def begin(self, player: Player, restriction: Restriction | None = None) -> Thinking:
        """A search by the player from here, for whoever wants to look at it; of some actions, if they are given."""
        if not isinstance(self.player, ThinkingPlayer):
            raise InvalidArgumentError(f"{self.player.name} does not search: there is nothing to see")
        if restriction:
            return think_about(self.player, self.game, self.state_for(player), restriction, self._next_rng())
        return self.player.think(self.game, self.state_for(player), self._next_rng())

    def limit_for(self, player: Player, spent: float) -> Limit:
        """The budget of a move, the player's own and the clock's, of which some seconds may be spent already."""
        own = self.player.limit if isinstance(self.player, ThinkingPlayer) else None
        seconds = self.clock.seconds_for_move(player, expected_moves(self.game))
        return (own or ENDLESS) if seconds is None else limit_within(own, seconds - spent)

    def generate(self, player: Player, decide: Callable[[Player], Decision] | None = None) -> Decision:
        """The player's move, which is played; its clock runs meanwhile. `decide` finds it, otherwise `think`."""
        started = time.monotonic()
        decision = (decide or self.think)(player)
        if decision.action is not None:
            self.play(player, decision.action)
            if isinstance(self.player, ThinkingPlayer):
                self._pondering = _Pondering(self.player, self.state)
        self.clock.spend(player, time.monotonic() - started)
        return decision

    def change_settings(self, **changes: Any) -> None:  # noqa: ANN401
        """Another player of the same kind: settings that are not named stay."""
        changed = change_settings(self.player, changes)
        if self._ponders:
            check_pondering(changed)
        before, self.player = self.player, changed
        inherit(changed, before)
        close_player(before)

    def forget(self) -> None:
        """What the player keeps of earlier thoughts."""
        self.stop_pondering()
        if isinstance(self.player, ThinkingPlayer):  # others may have a program running
            close_player(self.player)

    @contextmanager
    def counted(self) -> Iterator[None]:
        """What happens inside is choosing a move: its CPU time is counted."""
        started = time.process_time()
        try:
            yield
        finally:
            self.thinking_seconds += time.process_time() - started

    def _next_rng(self) -> Rng:
        self.stop_pondering()  # one thought at a time
        self._thoughts += 1
        return self._rng.split("thought", self._thoughts - 1)

    def _think_regularly(self, state: Any, progress: Progress | None) -> Decision:  # noqa: ANN401
        rng = self._rng.split("regular")
        if not isinstance(self.player, ThinkingPlayer):
            with self.counted():
                return self.player.choose(self.game, state, rng, progress)
        other = change_settings(self.player, {})  # one that remembers nothing
        try:
            with self.counted():
                return other.choose(self.game, state, rng, progress)
        finally:
            close_player(other)

    # -- the opponent's time

    @property
    def ponders(self) -> bool:
        """Does the player think on after its own moves?"""
        return self._ponders

    @ponders.setter
    def ponders(self, ponders: bool) -> None:
        if ponders:
            check_pondering(self.player)
        self._ponders = ponders

    def ponder(self) -> None:
        """Thinks on after a move of ours that still stands, until the controller says anything, at most ten minutes.

        To be called again after commands that change nothing. What is learnt is kept by the player.
        """
        pondering = self._pondering
        if not self._ponders or pondering is None or self.is_needed():
            return
        if pondering.player is not self.player or pondering.state is not self.state or self.is_over:
            self._pondering = None
            return
        seconds = _LONGEST_PONDERING - pondering.seconds
        started = time.monotonic()
        if pondering.thinking is None:
            rng = self._rng.split("pondering", self._thoughts)
            pondering.thinking = pondering.player.think(self.game, self.state, rng)
        is_done = ponder(pondering.thinking, limit_within(LONG, seconds), lambda _: not self.is_needed())
        pondering.seconds += time.monotonic() - started
        if is_done:
            self._pondering = None

    def stop_pondering(self) -> None:
        """Until the next move of ours."""
        self._pondering = None

    def is_needed(self) -> bool:
        """Has the controller said something, or gone? What goes on for its own sake ends then."""
        return self.is_interrupted() or self.is_left()

    def status_rng(self) -> Rng:
        """For what is asked about a position: the same answer each time."""
        return self._rng.split("status")


@dataclass
class _Pondering:
    """After a move: who made it, and the state that it led to."""

    player: ThinkingPlayer
    state: Any
    thinking: Thinking | None = None
    seconds: float = 0.0


def check_pondering(player: GamePlayer) -> None:
    """An error if thinking in the opponent's time is of no use to a player."""
    if not may_ponder(player):
        raise InvalidArgumentError(f"{player.name} keeps nothing from one move to the next: it cannot ponder")


class BoardSession(Session):
    """Any game of stones on a grid (`BoardGame`), with the moves in turn."""

    def __init__(self, game: Game[Any], player: GamePlayer, seed: int) -> None:
        super().__init__(player, seed)
        if not isinstance(game, BoardGame) or game.facts.players != 2 or not game.facts.deterministic:
            raise InvalidArgumentError(f"{game.name} has no board to show: GTP is for games of stones on a grid")
        self._game: BoardGame[Any] = game
        self._history: list[tuple[Any, float]] = [(game.initial_state(), 0.0)]

    @property
    def game(self) -> BoardGame[Any]:
        """The rules."""
        return self._game

    @property
    def state(self) -> Any:  # noqa: ANN401
        """Where the game stands."""
        return self._history[-1][0]

    @property
    def shape(self) -> tuple[int, int]:
        """(width, height) of the board."""
        return self._game.board_shape

    def stones(self) -> str:
        """One character a point."""
        return self._game.stones(self.state)

    def resize(self, width: int, height: int) -> None:
        """Only the size that the game has."""
        if (width, height) != self.shape:
            raise InvalidArgumentError(f"{self.game.name} is played on a board of {self.shape}, not {(width, height)}")
        self.end_game()
        del self._history[1:]
        self._begin_game()

    def set_komi(self, komi: float) -> None:
        """The protocol requires that every engine takes it; these games have no use for it."""

    def play(self, player: Player, action: Action) -> None:
        """A move of the player to move."""
        state = self.state_for(player)
        if action not in self.game.legal_actions(state):
            raise IllegalMoveError(f"{self.vertex(action)} is not legal in\n{self.show()}")
        following, reward = self.game.play(state, action)
        self._history.append((following, self._history[-1][1] + reward))

    def play_all(self, moves: Sequence[tuple[Player, Action]]) -> None:
        """Moves in turn, all of them or none."""
        before = list(self._history)
        try:
            for player, action in moves:
                self.play(player, action)
        except IllegalMoveError:
            self._history = before
            raise

    def undo(self, moves: int = 1) -> None:
        """Takes moves back."""
        if not 1 <= moves < len(self._history):
            raise InvalidArgumentError(f"{moves} moves cannot be taken back: {len(self._history) - 1} have been played")
        del self._history[-moves:]

    def state_for(self, player: Player) -> Any:  # noqa: ANN401
        """The state, if it is that player's turn."""
        if self.is_over:
            raise IllegalMoveError("the game is over")
        if player is not self.to_play:
            raise IllegalMoveError(f"it is {self.to_play.name}'s turn, not {player.name}'s")
        return self.state

    def outcome(self) -> float | None:
        """The return of player 0; None while the game goes on."""
        return self._history[-1][1] if self.is_over else None

    def result(self) -> str:
        """`Black wins`, `White wins`, `Draw`; empty while the game goes on."""
        bounds = self.game.facts.return_bounds
        total = self.outcome()
        if total is None or bounds is None:
            return ""
        middle = (bounds[0] + bounds[1]) / 2
        return "Draw" if total == middle else "Black wins" if total > middle else "White wins"
