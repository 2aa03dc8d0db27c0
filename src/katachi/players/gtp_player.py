"""The player `gtp:COMMAND`: an external engine chooses our moves in Go.

What the engine is told, and when:

- It is started at its first move. A position that continues the game costs one `play` for each move that is missing,
  which is the opponent's; any other position (a new game, a move taken back) is set up anew from its start.
- Board size and komi always. The rules only if it knows `kata-set-rules`; any other engine plays by its own, so give
  them in its command. A match takes no dead stones off the board, so an engine that passes before it has captured them
  loses games it had won: GNU Go needs `gnugo --mode gtp --chinese-rules --positional-superko --capture-all-dead`.
- Stones of a set-up by `set_free_handicap`, `set_position` or `gogui-setup` if it knows them, otherwise one by one.
  What GTP cannot say is not said: whose turn it is before the first move, a ko that the set-up forbids.

- The time, if somebody keeps a `clock`: the settings with the board, what both have left before each move. What an
  engine cannot be told (Fischer time, where it does not know KataGo's commands) it is not; it must answer in time
  all the same.

A move that Katachi's rules forbid is an EngineError, never played: engine and match then follow different rules.

Seeds: in the command, `{seed}` stands for a number from 1 to 2³¹-1 (GNU Go takes 0 for the clock). Each game has its
own, drawn from the generator of the engine's first move in it, so a match with the same seed starts the engine with the
same seeds. Such an engine is ended after each game and started with the next number: earlier games do not matter.
Without `{seed}` one process plays all games. A game begins with `new_game`, wherever a position does not continue the
last one, after a resignation, and with `{seed}` wherever less than two moves have been played (the second game may
begin like the first one). An engine that is restarted in the middle of a game gets that game's number again, but it is
told the moves that it had found before, so it may go on differently.
"""

import json
import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, zip_longest
from math import ceil
from typing import Any, Self

from pydantic import Field

from katachi._core import Rng
from katachi.core.clock import Clock
from katachi.core.errors import EngineError, EngineMoveError, InvalidArgumentError, ParseError
from katachi.core.settings import Settings
from katachi.core.time_control import TimeSettings, format_time_settings, longest_move
from katachi.core.types import Action, Player
from katachi.games.contract import Game
from katachi.games.go.game import GoGame
from katachi.games.go.position import Position
from katachi.games.go.rules import Rules
from katachi.gtp.protocol import format_color
from katachi.players.external import need_program
from katachi.players.gtp_process import EngineRefusedError, GtpProcess, split_command
from katachi.players.player import Decision
from katachi.players.spec import PlayerSpec, format_spec
from katachi.search.searches import Progress

__all__ = ["GtpPlayer", "GtpSettings"]

_SEED = "{seed}"
_ANALYSES = ("kata-genmove_analyze", "lz-genmove_analyze")  # moves with win rates, within the engine's own budget
_INTERVAL = "100"  # centiseconds between two reports of them
_PATIENCE = 1.0  # seconds for an answer that is too late: then it need not be waited for
_MAX_SEED = 2**31 - 1  # what fits into a C int everywhere


@dataclass(frozen=True)
class _Line:
    """A game so far, as an engine sees it: the board it began with, and who played what."""

    start: tuple[int, int, Rules, int, str]
    moves: tuple[tuple[Player, Action], ...]

    @classmethod
    def of(cls, position: Position) -> "_Line":
        start = (position.width, position.height, position.rules, position.handicap, position.start().stones())
        return cls(start, tuple(zip(position.movers, position.moves, strict=True)))

    def continues(self, earlier: "_Line") -> bool:
        return self.start == earlier.start and self.moves[: len(earlier.moves)] == earlier.moves


class GtpSettings(Settings):
    """What can be changed while playing. Not the command: whoever controls us must not be able to start programs."""

    seed: int | None = Field(
        default=None,
        ge=0,
        le=_MAX_SEED,
        description="What {seed} in the command stands for; drawn for each game if none.",
    )
    timeout: float = Field(default=60.0, gt=0, description="Seconds for one command, the choice of a move included.")


class GtpPlayer:
    """An external GTP engine as a player of Go; GtpSettings explains `seed` and `timeout`.

    `close` it, or use it in a `with`; one that is forgotten is ended all the same, at the latest when the interpreter
    ends. `on_stderr` gets every line that the engine writes to stderr, in another thread.
    """

    def __init__(
        self,
        command: str,
        seed: int | None = None,
        *,
        timeout: float = 60.0,
        on_stderr: Callable[[str], object] | None = None,
    ) -> None:
        self.settings = GtpSettings(seed=seed, timeout=timeout)
        self.name = self._spec(command)
        self.restarts = 0  # of an engine that failed; new games do not count
        self.may_restart = True  # in a match a crash is a loss
        self.clock: Clock | None = None  # of whoever keeps the time
        self._words = split_command(command)
        self._command = command
        self._on_stderr = on_stderr
        self._process: GtpProcess | None = None
        self._known: dict[str, bool] = {}  # commands, by what the running engine says
        self._description: dict[str, str] = {}
        self._number: int | None = None  # what {seed} stands for in this game
        self._line: _Line | None = None  # this game so far
        self._in_step = False  # is that on the engine's board?
        self._told_time: TimeSettings | None = None
        self._analysis = ""  # the command that was asked for a value

    def prepare(self, game: Game[Any], state: Any, rng: Rng) -> None:  # noqa: ANN401
        """Starts the engine and sets the board up, so that no move has to wait for it. `rng` is that of the move."""
        state = self._checked(game, state)
        line = _Line.of(state)
        self._begin_or_continue(line, rng)
        if self._process is None or not self._process.is_running or not self._in_step:
            self._tell(state, line, None)
        self._line, self._in_step = line, True

    def choose(self, game: Game[Any], state: Any, rng: Rng, progress: Progress | None = None) -> Decision:  # noqa: ANN401
        """What the engine plays; an engine that fails is restarted once, told the game, and asked again.

        `progress` is told -1 (nobody knows how far it is) about every 50 ms. GTP has no way to interrupt a choice, so
        what it returns does not matter; if it raises, the engine is ended, and started again by the next choice.
        """
        state = self._checked(game, state)
        return self._decide(state, rng, None if progress is None else lambda: progress(-1.0))

    def evaluate(self, game: Game[Any], state: Any, rng: Rng) -> Decision:  # noqa: ANN401
        """What the engine plays, with its win rate as the value and its visits as simulations: see `check_values`.

        The win rate is that of its move, told from the side of the player to move, as KataGo does unless it is
        configured otherwise. An engine that gives up has its first move taken for what it would play. Whatever comes
        next is set up anew.
        """
        decision = self._decide(self._checked(game, state), rng, None, with_value=True)
        self.new_game()
        return decision

    def check_values(self) -> None:
        """An error unless the engine can tell what a position is worth. Starts it."""
        if self._number is None:
            self._number = self.settings.seed or 1
        process = self._process if self._process is not None and self._process.is_running else self._start()
        self._analysis_command(process)

    def _analysis_command(self, process: GtpProcess) -> str:
        for command in _ANALYSES:
            if self._knows(process, command):
                return command
        raise EngineError(
            f"{self.name} cannot tell what a position is worth: it knows neither of {', '.join(_ANALYSES)}"
        )

    def _decide(
        self, state: Position, rng: Rng, tick: Callable[[], object] | None, *, with_value: bool = False
    ) -> Decision:
        line = _Line.of(state)
        self._begin_or_continue(line, rng)
        try:
            answer = self._ask_twice(state, line, tick, with_value=with_value)
        except EngineRefusedError as error:
            raise EngineRefusedError(f"{error}\nin the position\n{state}") from error
        value, visits = None, 0
        if with_value:
            answer, value, visits = self._read_analysis(state, answer)
        if answer.lower() == "resign":
            self._line = None
            return Decision(None)
        action = self._legal_action(state, answer)
        self._line = _Line(line.start, (*line.moves, (state.to_play, action)))
        self._in_step = True
        return Decision(action, value, visits)

    def _read_analysis(self, position: Position, answer: str) -> tuple[str, float, int]:
        """(the move, Black's win rate, visits) from the last report and the line `play MOVE`."""
        lines = answer.splitlines()
        reports = [_read_infos(line) for line in lines if line.lstrip().startswith("info ")]
        played = next((line.split()[1] for line in lines if line.startswith("play ") and len(line.split()) == 2), None)
        if played is None or not reports or not reports[-1]:
            raise EngineError(f"{self.name} told no win rate and move in its analysis: {answer[-300:]!r}")
        moves = reports[-1]
        if played.lower() == "resign":
            played = next(iter(moves))
        rate, _ = moves.get(played.upper(), next(iter(moves.values())))
        share = rate / 10_000 if self._analysis.startswith("lz-") else rate
        if not 0 <= share <= 1:
            raise EngineError(f"{self.name} told a win rate of {rate:g}: {answer[-300:]!r}")
        black = share if position.to_play is Player.BLACK else 1 - share
        return played, black, sum(visits for _, visits in moves.values())

    @property
    def lasting_name(self) -> str:
        """The name with the program's path from the root, if it was given by a path from this folder."""
        program, *words = self._words
        if os.sep not in program or os.path.isabs(os.path.expanduser(program)):
            return self.name
        try:
            return self._spec(shlex.join([os.path.abspath(program), *words]))
        except FileNotFoundError:  # this folder is gone
            return self.name

    def check(self, game: Game[Any]) -> None:
        """An error if this is not go, or if the program is not there. Starts nothing."""
        if not isinstance(game, GoGame):
            raise InvalidArgumentError(f"{self.name} plays go only, not {game.name}")
        need_program(self._words[0])

    def with_settings(self, settings: GtpSettings) -> "GtpPlayer":
        """Another player with the same command."""
        return GtpPlayer(self._command, settings.seed, timeout=settings.timeout, on_stderr=self._on_stderr)

    def describe(self) -> dict[str, str]:
        """The engine's own `name` and `version`, for records; empty as long as it has not been started."""
        return dict(self._description)

    def new_game(self) -> None:
        """The engine is told its board anew; with `{seed}`, it is another engine."""
        self._line = None

    def close(self) -> None:
        """Ends the engine. A later move would start it again."""
        process, self._process = self._process, None
        self._in_step = False
        if process is not None:
            process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _checked(self, game: Game[Any], state: Any) -> Position:  # noqa: ANN401
        if not isinstance(game, GoGame):
            raise InvalidArgumentError(f"{self.name} plays go only, not {game.name}")
        if not isinstance(state, Position):
            raise InvalidArgumentError(f"{self.name} plays go only, and this is no Go position: {state!r}")
        # What the rules forbid cannot be told as moves, but its stones can be set up.
        return state.without(()) if state.forced_moves() else state

    # -- the process

    def _spec(self, command: str) -> str:
        changed = self.settings.model_dump(exclude_defaults=True)
        options = {key: int(value) if value == int(value) < 2**53 else value for key, value in changed.items()}
        return format_spec(PlayerSpec("gtp", options, command))

    def _begin_or_continue(self, line: _Line, rng: Rng) -> None:
        seeded = any(_SEED in word for word in self._words)
        if self._line is not None and line.continues(self._line) and not (seeded and len(line.moves) < 2):
            return
        self._in_step = False
        if seeded:
            number = 1 + rng.split("engine seed").below(_MAX_SEED) if self.settings.seed is None else self.settings.seed
            if number != self._number:
                self.close()
            self._number = number

    def _ask_twice(
        self, position: Position, line: _Line, tick: Callable[[], object] | None, *, with_value: bool
    ) -> str:
        try:
            return self._ask(position, line, tick, with_value=with_value)
        except EngineRefusedError:
            raise
        except EngineError:
            if self._process is None or not self.may_restart:  # it could not even be started
                raise
        self.restarts += 1
        return self._ask(position, line, tick, with_value=with_value)

    def _ask(self, position: Position, line: _Line, tick: Callable[[], object] | None, *, with_value: bool) -> str:
        process = self._tell(position, line, tick)
        timeout = self._tell_time(process, position.to_play)
        if with_value:
            self._analysis = self._analysis_command(process)
            words = (self._analysis, format_color(position.to_play), _INTERVAL)
            return process.ask(*words, tick=tick, timeout=timeout)
        return process.ask("genmove", format_color(position.to_play), tick=tick, timeout=timeout)

    def _tell(self, position: Position, line: _Line, tick: Callable[[], object] | None) -> GtpProcess:
        """A running engine that has this position on its board."""
        told = len(self._line.moves) if self._line is not None and self._in_step else None
        self._line, self._in_step = line, False  # until the engine has answered, nobody knows its board
        process = self._process
        if process is None or not process.is_running:
            process, told = self._start(), None
        if told is None:
            self._set_up(process, position.start())
        for player, move in line.moves[told or 0 :]:
            process.ask("play", format_color(player), position.vertex(move), tick=tick)
        return process

    def _tell_time(self, process: GtpProcess, mover: Player) -> float | None:
        """What the clock says, as far as the engine understands it. The seconds after which a move is lost anyway."""
        clock = self.clock
        if clock is None or (clock.settings.system == "none" and not clock.said):
            return None
        if clock.settings != self._told_time:
            self._told_time = clock.settings
            words = _time_words(clock.settings)
            if words is not None and (words[0] == "time_settings" or self._knows(process, words[0])):
                _ask_politely(process, *words)
        for player in (mover, mover.opponent):
            left = clock.left_of(player)
            if not _ask_politely(
                process, "time_left", format_color(player), str(max(0, int(left.seconds))), str(left.count)
            ):
                break
        return min(self.settings.timeout, longest_move(clock.settings, clock.left_of(mover)) + _PATIENCE)

    def _start(self) -> GtpProcess:
        self.close()
        words = [word.replace(_SEED, str(self._number)) for word in self._words]
        self._process = process = GtpProcess(words, timeout=self.settings.timeout, on_stderr=self._on_stderr)
        self._known, self._told_time = {}, None
        for key in ("name", "version"):
            try:
                self._description[key] = process.ask(key)
            except EngineRefusedError:
                self._description[key] = ""
        return process

    def _knows(self, process: GtpProcess, command: str) -> bool:
        if command not in self._known:
            try:
                self._known[command] = process.ask("known_command", command).lower() == "true"
            except EngineRefusedError:
                self._known[command] = False
        return self._known[command]

    # -- the board

    def _set_up(self, process: GtpProcess, start: Position) -> None:
        self._set_size(process, start.width, start.height)
        process.ask("clear_board")
        if self._knows(process, "kata-set-rules"):
            process.ask("kata-set-rules", _rules_text(start.rules))
        process.ask("komi", str(start.rules.komi))  # after the rules, which may bring a komi of their own
        self._place_stones(process, start)
        self._told_time = None

    def _set_size(self, process: GtpProcess, width: int, height: int) -> None:
        try:
            if width == height:
                process.ask("boardsize", str(width))
            elif self._knows(process, "rectangular_boardsize"):
                process.ask("rectangular_boardsize", str(width), str(height))
            else:
                raise EngineRefusedError(f"{process.name} does not know rectangular_boardsize")
        except EngineRefusedError as error:
            raise EngineRefusedError(f"{self.name} does not play on a board of {width}x{height}: {error}") from error

    def _place_stones(self, process: GtpProcess, start: Position) -> None:
        stones = start.stones()
        black, white = ([start.vertex(p) for p, c in enumerate(stones) if c == stone] for stone in "XO")
        if (
            start.handicap == len(black) >= 2
            and not white
            and start.to_play is Player.WHITE
            and self._knows(process, "set_free_handicap")
        ):
            process.ask("set_free_handicap", *black)
            return
        turns = zip_longest((("black", v) for v in black), (("white", v) for v in white))
        placements = [placement for placement in chain.from_iterable(turns) if placement is not None]
        if not placements:
            return
        for command in ("set_position", "gogui-setup"):
            if self._knows(process, command):
                process.ask(command, *chain.from_iterable(placements))
                return
        # Any order will do, nothing is captured on the way: part of a chain has a liberty where its next stone will
        # be, and a whole chain has the one it has in the end.
        for color, vertex in placements:
            process.ask("play", color, vertex)

    def _legal_action(self, position: Position, answer: str) -> Action:
        try:
            action = position.action(answer)
        except ParseError as error:
            raise EngineMoveError(f"{self.name} answered {answer!r}, which is no move: {error}\n{position}") from error
        reason = position.illegality(action)
        if reason is not None:
            raise EngineMoveError(f"{self.name} answered {answer!r}, which is illegal ({reason}) in\n{position}")
        return action


def _read_infos(line: str) -> dict[str, tuple[float, int]]:
    """By move, win rate and visits, from `info move D4 visits 10 winrate 0.5 … info move …`; the best first."""
    moves: dict[str, tuple[float, int]] = {}
    for info in line.split("info ")[1:]:
        words = info.split()
        keys = words[: words.index("pv")] if "pv" in words else words
        told = dict(zip(keys[::2], keys[1::2], strict=False))
        try:
            moves[told["move"].upper()] = float(told["winrate"]), int(told.get("visits", 0))
        except (KeyError, ValueError):
            continue  # of the position itself, or of a move without a win rate
    return moves


def _rules_text(rules: Rules) -> str:
    """KataGo's JSON. No friendly passes, whatever the rules' name: a match takes no dead stones off the board."""
    return json.dumps({**rules.to_katago(), "friendlyPassOk": False}, separators=(",", ":"))  # one word of a GTP line


def _time_words(settings: TimeSettings) -> list[str] | None:
    """The command that says it; None: there is none."""
    numbers = format_time_settings(settings).split()
    if settings.system in ("absolute", "canadian"):
        return ["time_settings", *(str(ceil(n)) for n in (settings.main, settings.period, settings.count))]
    if settings.system == "byoyomi":
        return ["kgs-time_settings", *numbers]
    return ["kata-time_settings", *numbers] if settings.system != "none" else None


def _ask_politely(process: GtpProcess, *words: str) -> bool:
    """Does the engine take it? Not all know all commands."""
    try:
        process.ask(*words)
    except EngineRefusedError:
        return False
    return True
