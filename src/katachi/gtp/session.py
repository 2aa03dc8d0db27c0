"""A game at the other end of a GTP wire: the board, the player that thinks, the clock. No text is parsed here.

`Session` is what every board game has; `katachi.gtp.go_session` adds what only Go has. Mistakes raise the errors of
`katachi.core.errors`; the commands turn them into the words of the protocol.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from katachi._core import Rng
from katachi.core.clock import Clock
from katachi.core.errors import IllegalMoveError, InvalidArgumentError
from katachi.core.types import Action, Player
from katachi.games.contract import BoardGame, Game
from katachi.players.player import Decision, GamePlayer, close_player
from katachi.players.registry import change_settings
from katachi.search.searches import Progress

__all__ = ["BoardSession", "Session"]


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
        self._rng = Rng(seed)
        self._thoughts = 0

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

    def vertex(self, action: Action) -> str:
        """An action as the protocol writes it: `E5` or `pass`."""
        vertex = self.game.format_action(self.state, action)
        return vertex if vertex == "pass" else vertex.upper()

    def describe(self) -> dict[str, str]:
        """What is played, by what rules."""
        width, height = self.shape
        return {"game": f"{self.game.name} {width}x{height}"}

    def legal_moves(self) -> list[str]:
        """What the player to move may play; nothing when the game is over."""
        return [self.vertex(action) for action in self.game.legal_actions(self.state)]

    # -- the player

    def think(self, player: Player, progress: Progress | None = None, *, regular: bool = False) -> Decision:
        """What the player would do, without doing it. A `regular` thought is the same each time in the same state."""
        state = self.state_for(player)
        rng = self._rng.split("regular") if regular else self._rng.split("thought", self._thoughts)
        if not regular:
            self._thoughts += 1
        started = time.process_time()
        try:
            return self.player.choose(self.game, state, rng, progress)
        finally:
            self.thinking_seconds += time.process_time() - started

    def change_settings(self, **changes: Any) -> None:  # noqa: ANN401
        """Another player of the same kind: settings that are not named stay."""
        before, self.player = self.player, change_settings(self.player, changes)
        close_player(before)

    def status_rng(self) -> Rng:
        """For what is asked about a position: the same answer each time."""
        return self._rng.split("status")


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
        del self._history[1:]
        self.clock.left.clear()

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

    def result(self) -> str:
        """`Black wins`, `White wins`, `Draw`; empty while the game goes on."""
        bounds = self.game.facts.return_bounds
        if not self.is_over or bounds is None:
            return ""
        total, middle = self._history[-1][1], (bounds[0] + bounds[1]) / 2
        return "Draw" if total == middle else "Black wins" if total > middle else "White wins"
