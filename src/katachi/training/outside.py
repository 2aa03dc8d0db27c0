"""What a network that learns asks of programs outside: moves of opponents, scores of final positions (Ekker, 4.2).

The native loop rests where it needs one (`waiting`); here it is answered, and goes on.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from katachi import _core
from katachi._core import Rng
from katachi.core.errors import EngineError, InvalidArgumentError, UnknownNameError
from katachi.core.settings import did_you_mean
from katachi.games.contract import Game
from katachi.games.go.game import GoGame
from katachi.games.go.position import Position
from katachi.games.go.vertex import format_vertex
from katachi.players.external import need_program
from katachi.players.gtp_process import GtpProcess, split_command
from katachi.players.player import GamePlayer, check_player, close_player, tell_new_game
from katachi.players.registry import make_player, player_names

__all__ = ["GNUGO", "GNUGO_REFEREE", "INSIDE", "GtpReferee", "OnScore", "Outside"]

OnScore: TypeAlias = Callable[[Position, float], object]  # a final position, and Black's margin on the board

INSIDE = ("random", "wally", "self", "population")
"""Opponents that the native loop plays itself."""

GNUGO = "gtp:gnugo --mode gtp --level 0 --never-resign --positional-superko --seed {seed}"
"""The opponent `gnugo`: its lowest level (4.1)."""

GNUGO_REFEREE = "gnugo --mode gtp --japanese-rules --seed 1"
"""The referee `gnugo`."""

_MOST_KNOWN = 200_000  # scores


class GtpReferee:
    """An engine's `final_score` of positions, each asked once: territory and dead stones, by its own judgement."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._process: GtpProcess | None = None
        self._known: dict[str, float] = {}

    def check(self) -> None:
        """An error if the program is not there, before a game is played for it. Starts nothing."""
        need_program(split_command(self._command)[0])

    def margin(self, position: Position, tick: Callable[[], object] | None = None) -> float:
        """Black's margin by what is on the board, without prisoners that were taken before and without komi."""
        stones = position.stones()
        if stones not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[stones] = self._ask(position, stones, tick)
        return self._known[stones]

    def close(self) -> None:
        """Ends the engine."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _ask(self, position: Position, stones: str, tick: Callable[[], object] | None) -> float:
        if position.width != position.height:
            raise InvalidArgumentError(f"GTP has square boards only, not {position.width}x{position.height}")
        if self._process is None:
            self._process = GtpProcess(self._command)
        process = self._process
        process.ask("boardsize", str(position.width), tick=tick)
        process.ask("clear_board", tick=tick)
        process.ask("komi", "0", tick=tick)
        # Every chain has a liberty in the end, and has more of them before: nothing is captured on the way.
        for point, stone in enumerate(stones):
            if stone != ".":
                vertex = format_vertex(point, position.width, position.height)
                process.ask("play", "black" if stone == "X" else "white", vertex, tick=tick)
        return _margin(process.ask("final_score", tick=tick), process.name)


def _margin(text: str, name: str) -> float:
    """Of `B+3.5`, `W+2` or `0`."""
    side, plus, points = text.strip().partition("+")
    try:
        if text.strip() in ("0", "0.0", "Jigo"):
            return 0.0
        if plus and side.upper() in ("B", "W"):
            return float(points) if side.upper() == "B" else -float(points)
    except ValueError:
        pass
    raise EngineError(f"{name} answered final_score with {text!r}")


def _opponent(name: str) -> GamePlayer | None:
    """None if the native loop plays it."""
    if name in INSIDE:
        return None
    known = {*INSIDE, "gnugo", *player_names()}
    if re.fullmatch(r"[a-z0-9-]+", name) and name not in known:
        raise UnknownNameError(f"there is no opponent called {name!r}: {did_you_mean(name, known)}")
    return make_player(GNUGO if name == "gnugo" else name)


class Outside:
    """Opponents and the referee of a run that are not in native code."""

    def __init__(
        self, game: Game[Any], opponents: Sequence[str], referee: str, rng: Rng, on_score: OnScore | None = None
    ) -> None:
        """`on_score` is told what a referee outside says of final positions."""
        self._game, self._rng, self._on_score = game, rng.split("outside"), on_score
        self._players = [_opponent(name) for name in opponents]
        for player in self._players:
            if player is not None:
                check_player(player, game)
        self._referee: GtpReferee | None = None
        if referee == "gnugo":
            self._referee = GtpReferee(GNUGO_REFEREE)
        elif referee.startswith("gtp:"):
            self._referee = GtpReferee(referee.removeprefix("gtp:"))
        elif referee != "ownership":
            raise InvalidArgumentError(f"a referee is ownership, gnugo or gtp:COMMAND, not {referee!r}")
        if self._referee is not None:
            self._referee.check()
        self._moves: list[int] = []  # of the game that is being played
        self._state: Any = None
        self._number = -1  # of that game

    def run(self, play: _core.NetworkLearning, until: int, progress: Callable[[float], object] | None = None) -> None:
        """Plays until there have been so many games. Whatever raises leaves the run between two games or waiting."""
        while play.games < until:
            play.run(until, progress)
            if play.waiting == "move":
                play.answer_move(self._move(play, progress))
            elif play.waiting == "score":
                assert self._referee is not None
                position = self._follow(play)
                margin = self._referee.margin(position, _ticking(progress))
                if self._on_score is not None:
                    self._on_score(position, margin)
                play.answer_score(margin)

    def close(self) -> None:
        """Ends what was started."""
        for player in self._players:
            if player is not None:
                close_player(player)
        if self._referee is not None:
            self._referee.close()

    def _follow(self, play: _core.NetworkLearning) -> Any:  # noqa: ANN401
        """The state of the game that is being played."""
        moves = list(play.moves)
        if play.games != self._number or moves[: len(self._moves)] != self._moves:
            self._number, self._moves, self._state = play.games, [], self._game.initial_state()
            for player in self._players:
                if player is not None:
                    tell_new_game(player)
        for action in moves[len(self._moves) :]:
            self._state, _ = self._game.play(self._state, action)
        self._moves = moves
        return self._state

    def _move(self, play: _core.NetworkLearning, progress: Callable[[float], object] | None) -> int:
        player = self._players[play.opponent]
        assert player is not None
        state = self._follow(play)
        rng = self._rng.split("game", play.games).split("move", len(self._moves))
        decision = player.choose(self._game, state, rng, progress)
        if decision.action is not None:
            return decision.action
        if isinstance(self._game, GoGame):
            return self._game.width * self._game.height  # games are played to the end: it passes
        raise InvalidArgumentError(f"{player.name} has resigned, and games of {self._game.name} are played to the end")


def _ticking(progress: Callable[[float], object] | None) -> Callable[[], object] | None:
    return None if progress is None else lambda: progress(-1.0)
