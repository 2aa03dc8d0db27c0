"""One game, whatever happens in it. A game is a pure function of its task, so it can be played anywhere, and again.

A player that crashes, answers too late or plays an illegal move loses, and the reason is recorded: nothing that a
player does ends a run. (Engines with clocks or chance of their own are as reproducible as they are.)

With a clock the referee counts what each player takes. Players that search are given the time of a move by the same
rules as over GTP (katachi.core.time_control), engines are told what is left; who is late loses. Engines are started
before the clock is. Such games depend on the machine, and are not the same again.

An engine that counts (`gtp:COMMAND` as scoring) and fails is nobody's loss. It is started once more, with another seed;
if it fails again, the game has no outcome (UncountedError). A run plays its other games, and says so in the end
(`katachi.arena.match.run_tasks`).
"""

import time
from contextlib import ExitStack
from typing import Any, Literal, TypeAlias

from pydantic import Field

from katachi._core import Rng
from katachi.core.clock import Clock
from katachi.core.errors import (
    EngineError,
    EngineMoveError,
    EngineTimeoutError,
    InvalidArgumentError,
    KatachiError,
    ParseError,
)
from katachi.core.settings import Settings
from katachi.core.time_control import is_late, parse_time_settings
from katachi.core.types import Action, Player
from katachi.games.contract import Game
from katachi.games.go.game import GoGame
from katachi.games.go.position import Position
from katachi.games.go.record import Record, format_result, parse_result
from katachi.games.go.status import final_score
from katachi.games.registry import make_game
from katachi.players.external import need_program
from katachi.players.gtp_player import GtpPlayer
from katachi.players.gtp_process import GtpProcess, split_command
from katachi.players.player import Decision, GamePlayer, check_player, close_player, set_clock, tell_end, tell_new_game
from katachi.players.registry import make_player
from katachi.players.thinking import choose_within, expected_moves

__all__ = [
    "GameOutcome",
    "GameTask",
    "Reason",
    "UncountedError",
    "check_scoring",
    "format_outcome",
    "outcome_record",
    "play_game",
    "play_task",
    "play_task_json",
    "read_outcome",
]

Reason: TypeAlias = Literal["count", "resignation", "illegal move", "time", "crash", "cap"]
_OPENINGS = 100  # attempts at one that does not end the game
_COUNT_SECONDS = 60.0  # for one answer of an engine that counts


class UncountedError(EngineError):
    """A game that was played to its end, and that the engine that counts has failed to count."""


class GameTask(Settings):
    """All that a game depends on."""

    index: int = Field(ge=0, description="Its number in the run.")
    game: str = Field(description="The game's name in the registry.")
    options: dict[str, Any] = Field(default_factory=dict, description="The game's options, such as size and komi.")
    black: str = Field(description="The spec of the player who moves first.")
    white: str = Field(description="The other one's.")
    seed: int = Field(ge=0, lt=2**64, description="Of the players' choices.")
    opening_seed: int = Field(default=0, ge=0, lt=2**64, description="Of the opening: the same for both colours.")
    opening_plies: int = Field(default=0, ge=0, description="Uniformly random plies before the players begin.")
    max_moves: int | None = Field(default=1000, ge=1, description="Then the game is a draw (Silver 5.6: 1,000).")
    scoring: str = Field(
        default="area",
        description="area: all stones are alive; agreement: dead ones by playouts; gtp:COMMAND: an engine counts.",
    )
    resignation: bool = Field(
        default=False, description="May players resign? It is a loss either way, and else a foul, too."
    )
    clock: str | None = Field(
        default=None, description="The time of each player, as katachi.core.time_control reads it; None: no limit."
    )


class GameOutcome(Settings):
    """What came of it. Pairs are (Black's, White's)."""

    index: int
    black: str
    white: str
    total: float = Field(description="The return of the player who moved first.")
    reason: Reason
    detail: str = Field(default="", description="What a player did wrong, for people.")
    loser: Literal["black", "white"] | None = Field(default=None, description="Who did it.")
    margin: float | None = Field(default=None, description="Black's points more than White's, in Go.")
    moves: list[int] = Field(default_factory=list)
    seconds: tuple[float, float] = (0.0, 0.0)
    longest: tuple[float, float] = Field(default=(0.0, 0.0), description="Seconds of the longest move.")
    choices: tuple[int, int] = (0, 0)
    simulations: tuple[int, int] = (0, 0)

    @property
    def is_foul(self) -> bool:
        """Was it lost by what is not allowed? A resignation is one where players may not resign."""
        return self.loser is not None and (self.reason != "resignation" or self.detail != "")

    def untimed(self) -> "GameOutcome":
        """Without what the clock said: equal for equal games."""
        return self.replace(seconds=(0.0, 0.0), longest=(0.0, 0.0))


def play_task(task: GameTask) -> GameOutcome:
    """Plays it, with players made for this game: external engines are started for it, and ended with it."""
    game = make_game(task.game, **task.options)
    with ExitStack() as stack:
        players = []
        for spec in (task.black, task.white):
            player = make_player(spec)
            stack.callback(close_player, player)
            if isinstance(player, GtpPlayer):
                player.may_restart = False
            players.append(player)
        return play_game(task, game, (players[0], players[1]))


def play_game(
    task: GameTask, game: Game[Any], players: tuple[GamePlayer, GamePlayer], *, teaches: bool = False
) -> GameOutcome:
    """The same with a game and players that are there already, whatever the task calls them.

    They are told that it begins. Only if it `teaches` do those that learn from real games (`learn_long`) learn from it;
    then their next games depend on it.
    """
    if game.facts.players != 2 or game.facts.return_bounds is None:
        raise InvalidArgumentError(f"a match needs a game for two players with bounded returns, not {game.name}")
    table = _Table(task, game, players)
    outcome = table.play()
    if teaches:
        table.teach(outcome)
    return outcome


def play_task_json(task: dict[str, Any]) -> dict[str, Any]:
    """`play_task` for other processes (katachi.arena.executor). An UncountedError is a value: errors end a run."""
    try:
        return play_task(GameTask.from_json(task)).model_dump(mode="json")
    except UncountedError as error:
        return {"uncounted": str(error)}


def read_outcome(value: dict[str, Any]) -> GameOutcome:
    """What `play_task_json` returned, or the UncountedError."""
    if "uncounted" in value:
        raise UncountedError(value["uncounted"])
    return GameOutcome.from_json(value)


class _FoulError(Exception):
    """A player has lost by what it did."""

    def __init__(self, player: Player, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.player, self.reason, self.detail = player, reason, detail


def _crash(player: Player, error: Exception) -> _FoulError:
    kind = "" if isinstance(error, KatachiError) else f"{type(error).__name__}: "
    return _FoulError(player, "crash", f"{kind}{error}")


class _Table:
    def __init__(self, task: GameTask, game: Game[Any], players: tuple[GamePlayer, GamePlayer]) -> None:
        self._task, self._game, self._players = task, game, players
        self._rng = Rng(task.seed)
        self._state = game.initial_state()
        self._moves: list[Action] = []
        self._total = 0.0
        self._seconds, self._longest = [0.0, 0.0], [0.0, 0.0]
        self._choices, self._simulations = [0, 0], [0, 0]
        self._clock = Clock() if task.clock is None else Clock(parse_time_settings(task.clock))

    def play(self) -> GameOutcome:
        self._open()
        try:
            self._begin()
            return self._play_on()
        except _FoulError as foul:
            return self._outcome(foul.reason, self._worst(foul.player), loser=foul.player, detail=foul.detail)

    def _open(self) -> None:
        """Random plies. All that is random is the opening's, dice too: it is the same for both colours."""
        for attempt in range(_OPENINGS):
            rng = Rng(self._task.opening_seed).split("opening", attempt)
            self._state, self._moves, self._total = self._game.initial_state(), [], 0.0
            while len(self._moves) < self._task.opening_plies and not self._game.is_terminal(self._state):
                candidates = getattr(self._game, "candidates", self._game.legal_actions)(self._state)
                self._step(Action(candidates[rng.below(len(candidates))]), rng)
            if not self._game.is_terminal(self._state):
                return
        raise InvalidArgumentError(f"{self._task.opening_plies} random plies end a game of {self._game.name}")

    def teach(self, outcome: GameOutcome) -> None:
        """Players that learn from real games; what was lost by a foul is a game that was broken off."""
        total = outcome.total if outcome.reason in ("count", "resignation") else None
        for player in {id(player): player for player in self._players}.values():
            tell_end(player, self._game, self._state, lambda: total)

    def _begin(self) -> None:
        for player in Player:
            try:
                tell_new_game(self._players[player])
            except Exception as error:
                raise _crash(player, error) from error

    def _play_on(self) -> GameOutcome:
        while not self._game.is_terminal(self._state):
            if self._task.max_moves is not None and len(self._moves) >= self._task.max_moves:
                return self._outcome("cap", self._middle())
            player = self._game.to_play(self._state)
            decision = self._choose(player)
            if decision.action is None:
                if self._task.resignation:
                    return self._outcome("resignation", self._worst(player), loser=player)
                raise _FoulError(player, "resignation", "it resigned, which this match does not allow")
            if decision.action not in self._game.legal_actions(self._state):
                detail = f"{decision.action} is illegal in\n{self._state}"
                raise _FoulError(player, "illegal move", detail)
            self._step(decision.action, self._rng)
        return self._counted()

    def _choose(self, player: Player) -> Decision:
        rng = self._rng.split("choose", len(self._moves))
        chooser, left = self._players[player], self._clock.left_of(player)
        started = time.perf_counter()
        try:
            if self._task.clock is not None and self._choices[player] == 0:
                self._prepare(chooser, rng)
                started = time.perf_counter()
            seconds = self._clock.seconds_for_move(player, expected_moves(self._game))
            decision = choose_within(chooser, self._game, self._state, rng, seconds)
        except EngineTimeoutError as error:
            raise _FoulError(player, "time", str(error)) from error
        except EngineMoveError as error:
            raise _FoulError(player, "illegal move", str(error)) from error
        except Exception as error:  # whatever a player does, the run goes on
            raise _crash(player, error) from error
        finally:
            took = time.perf_counter() - started
            self._seconds[player] += took
            self._longest[player] = max(self._longest[player], took)
            self._choices[player] += 1
        if is_late(self._clock.settings, left, took):
            raise _FoulError(player, "time", f"move {len(self._moves) + 1} took {took:.3f} s of {left.seconds:.3f} s")
        self._clock.spend(player, took)
        self._simulations[player] += decision.simulations
        return decision

    def _prepare(self, player: GamePlayer, rng: Rng) -> None:
        """What is done before a clock runs: engines start, files are read."""
        set_clock(player, self._clock)
        check_player(player, self._game)
        if isinstance(player, GtpPlayer):
            player.prepare(self._game, self._state, rng)

    def _step(self, action: Action, rng: Rng) -> None:
        chance = () if self._game.facts.deterministic else (rng.split("chance", len(self._moves)),)
        self._state, reward = self._game.play(self._state, action, *chance)
        self._moves.append(action)
        self._total += reward

    def _counted(self) -> GameOutcome:
        if not isinstance(self._state, Position):
            return self._outcome("count", self._total)
        margin = _margin(self._state, self._task.scoring, self._rng.split("score"))
        return self._outcome("count", 1.0 if margin > 0 else 0.0 if margin < 0 else 0.5, margin=margin)

    def _outcome(
        self,
        reason: Reason,
        total: float,
        *,
        loser: Player | None = None,
        detail: str = "",
        margin: float | None = None,
    ) -> GameOutcome:
        return GameOutcome(
            index=self._task.index,
            black=self._task.black,
            white=self._task.white,
            total=total,
            reason=reason,
            detail=detail,
            loser=None if loser is None else ("black", "white")[loser],
            margin=margin,
            moves=[int(move) for move in self._moves],
            seconds=(self._seconds[0], self._seconds[1]),
            longest=(self._longest[0], self._longest[1]),
            choices=(self._choices[0], self._choices[1]),
            simulations=(self._simulations[0], self._simulations[1]),
        )

    def _bounds(self) -> tuple[float, float]:
        bounds = self._game.facts.return_bounds
        assert bounds is not None  # checked before
        return bounds

    def _worst(self, player: Player) -> float:
        return self._game.facts.value_for(player, self._bounds()[0])

    def _middle(self) -> float:
        return sum(self._bounds()) / 2


def check_scoring(scoring: str, game: Game[Any]) -> None:
    """Raises if games cannot be counted like this. Starts nothing."""
    if scoring == "area":
        return
    if not isinstance(game, GoGame):
        raise InvalidArgumentError(f"scoring by {scoring!r} is for go, not for {game.name}")
    kind, _, command = scoring.partition(":")
    if kind == "gtp":
        need_program(split_command(command)[0])
    elif scoring != "agreement":
        raise InvalidArgumentError(f"scoring is area, agreement or gtp:COMMAND, not {scoring!r}")


def _margin(position: Position, scoring: str, rng: Rng) -> float:
    """Black's points more than White's at the end of a game."""
    if scoring == "area":
        return position.score()
    if scoring == "agreement":
        return final_score(position.with_rules(position.rules.replace(friendly_pass=True)), rng)
    if not scoring.startswith("gtp:"):
        raise InvalidArgumentError(f"scoring is area, agreement or gtp:COMMAND, not {scoring!r}")
    command = split_command(scoring.removeprefix("gtp:"))
    try:
        return _engine_margin(position, command, rng.split("engine seed"))
    except EngineError:  # bad luck, perhaps
        try:
            return _engine_margin(position, command, rng.split("engine seed", 1))
        except EngineError as error:
            raise UncountedError(f"nobody has counted the game, the referee failed twice: {error}") from error


def _engine_margin(position: Position, command: list[str], rng: Rng) -> float:
    """The same by an engine, started for it."""
    seed = str(1 + rng.below(2**31 - 1))
    with GtpProcess([word.replace("{seed}", seed) for word in command], timeout=_COUNT_SECONDS) as referee:
        if position.width == position.height:
            referee.ask("boardsize", str(position.width))
        else:
            referee.ask("rectangular_boardsize", str(position.width), str(position.height))
        referee.ask("clear_board")
        referee.ask("komi", str(position.rules.komi))
        for player, move in zip(position.movers, position.moves, strict=True):
            referee.ask("play", player.name.lower(), position.vertex(move))
        text = referee.ask("final_score")
    try:
        result = parse_result(text)
    except ParseError as error:
        raise EngineError(f"the referee {referee.name}: {error}") from error
    if result.margin is None:
        raise EngineError(f"the referee {referee.name} answered {text!r}, which is no score")
    return -result.margin if result.winner is Player.WHITE else result.margin


def outcome_record(task: GameTask, outcome: GameOutcome) -> Record | None:
    """The game as SGF, if it was Go."""
    game = make_game(task.game, **task.options)
    if not isinstance(game, GoGame):
        return None
    position = game.initial_state()
    for move in outcome.moves:
        position = position.play(move)
    return Record.from_position(
        position, black=task.black, white=task.white, result=format_outcome(outcome), comment=_comment(task, outcome)
    )


def format_outcome(outcome: GameOutcome) -> str:
    """As SGF says it: `B+3.5`, `W+R`, `B+T` for time, `B+F` for a forfeit, `0` for a draw."""
    if outcome.loser is not None:
        how: dict[str, str] = {"resignation": "R", "time": "T"}
        return f"{'W' if outcome.loser == 'black' else 'B'}+{how.get(outcome.reason, 'F')}"
    return "0" if outcome.margin is None else format_result(outcome.margin)


def _comment(task: GameTask, outcome: GameOutcome) -> str:
    lines = [f"game {task.index}, seed {task.seed}"]
    if task.opening_plies:
        lines.append(f"opening: {task.opening_plies} random plies, seed {task.opening_seed}")
    if task.clock is not None:
        black, white = outcome.seconds
        lines.append(f"clock: {task.clock}; Black took {black:.1f} s, White {white:.1f} s")
    if outcome.reason != "count":
        lines.append(f"{outcome.reason}: {outcome.detail}" if outcome.detail else outcome.reason)
    return "\n".join(lines)
