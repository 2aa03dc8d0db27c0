"""The game between a person and a player: whose turn it is, moves, undo, hints, the end, and the record of it all.

The generator of every decision is named by the number of the move, so a game that was interrupted and taken up again
goes on with the same moves of the player as one that was not. (An external engine has its own chance:
katachi.players.gtp_player.)

`load` begins a new game from a position of a record: the moves of the main line up to there are kept and can be taken
back, its variations and comments stay in the file it came from. It takes nothing else from the file, in particular no
player: that might be a command. Only `resume` does, for the file that we have written ourselves.
"""

import getpass
import json
import os
from typing import Any, Literal

from pydantic import Field

from katachi._core import Rng
from katachi.core.errors import IllegalMoveError, InvalidArgumentError, KatachiError
from katachi.core.settings import Settings
from katachi.core.types import Player, Point
from katachi.games.go.game import GoGame
from katachi.games.go.handicap import fixed_handicap
from katachi.games.go.position import Position
from katachi.games.go.record import MAX_MOVES, Record, format_result
from katachi.games.go.rules import Rules
from katachi.games.go.sgf import SgfError
from katachi.games.go.status import dead_chains
from katachi.players.player import Decision, GamePlayer, check_player, lasting_name, tell_end, tell_new_game
from katachi.players.registry import make_player
from katachi.search.searches import Progress

__all__ = ["PROPERTY", "SavedTerms", "Table", "load_position", "starting_position"]

PROPERTY = "KATACHI"
"""The private property of the root that keeps what SGF has no words for, as JSON."""


class SavedTerms(Settings):
    """What a record must know, besides the game itself, for the game to go on as it would have."""

    player: str = Field(description="The spec of the player, good in any folder.")
    person: Literal["black", "white"] = Field(description="The person's colour.")
    seed: int = Field(ge=0, lt=2**64, description="Where the player's chance comes from.")
    rules: dict[str, Any] = Field(description="All parts of the rules: RU has only names.")


class Table:
    """A position, who sits where, and the result once there is one."""

    def __init__(
        self, player: GamePlayer, position: Position, *, person: Player, seed: int = 1, result: str = ""
    ) -> None:
        self.player = player
        self.position = position
        self.person = person
        self.seed = seed
        self.result = result
        self._rng = Rng(seed)
        tell_new_game(player)

    # -- whose turn it is

    @property
    def move_number(self) -> int:
        """Of the move to come; 1 is the first."""
        return len(self.position.moves) + 1

    @property
    def is_over(self) -> bool:
        """Is there a result?"""
        return bool(self.result)

    @property
    def needs_counting(self) -> bool:
        """Have both passed, and nobody has counted yet?"""
        return self.position.is_over and not self.result

    @property
    def is_persons_turn(self) -> bool:
        """Is the person to move?"""
        return self.position.to_play is self.person

    @property
    def is_untouched(self) -> bool:
        """Is there nothing to save: an empty board, no move, no result?"""
        return not self.position.moves and not self.position.stones().strip(".") and not self.result

    def name(self, player: Player) -> str:
        """The person's or the player's name."""
        return _user() if player is self.person else self.player.name

    # -- moves

    def play(self, vertex: str) -> None:
        """The person's move."""
        self._check_turn()
        action = self.position.action(vertex)
        reason = self.position.illegality(action)
        if reason is not None:
            raise IllegalMoveError(f"{self.position.vertex(action)} is not possible: {reason}")
        self._check_length()
        self.position = self.position.play(action)

    def reply(self, progress: Progress | None = None) -> Decision:
        """The player's move, or its resignation. What interrupts its thoughts, Ctrl-C or an error, changes nothing."""
        if self.is_over or self.position.is_over or self.is_persons_turn:
            raise InvalidArgumentError(f"it is not the turn of {self.player.name}")
        self._check_length()
        decision = self._think("move", progress)
        if decision.action is None:
            self.result = _resigned(self.person.opponent)
        else:
            self.position = self.position.play(decision.action)
        return decision

    def hint(self, progress: Progress | None = None) -> Decision:
        """What the player would do in the person's place."""
        self._check_turn()
        return self._think("hint", progress)

    def value_for(self, player: Player, decision: Decision) -> float | None:
        """How likely that player wins, in the eyes of whoever decided."""
        return None if decision.value is None else self.game.facts.value_for(player, decision.value)

    def resign(self) -> None:
        """The person gives up, whoever is to move."""
        if self.is_over:
            raise InvalidArgumentError(f"the game is over: {self.result}")
        self.result = _resigned(self.person)

    def undo(self) -> None:
        """Takes back the person's last move and what came after it."""
        position = self.position
        if self.person not in position.movers:
            raise InvalidArgumentError("there is nothing to take back: you have not moved yet")
        while position.movers[-1] is not self.person:
            position = position.undo()
        self.position = position.undo().turned_to(self.person)
        self.result = ""

    # -- the end

    def dead_stones(self) -> list[Point]:
        """Stones that are probably dead, ascending; none under rules by which all stones on the board are alive."""
        chains = dead_chains(self.position, self._rng.split("status", self.move_number))
        return sorted(point for chain in chains for point in chain)

    def margin(self, dead: list[Point]) -> float:
        """Black's margin once these stones are gone."""
        return (self.position.without(dead) if dead else self.position).score()

    def count(self, dead: list[Point]) -> None:
        """Ends a game that both have passed."""
        if not self.needs_counting:
            raise InvalidArgumentError("there is nothing to count: both players have to pass first")
        self.result = format_result(self.margin(dead))

    # -- other games with the same player

    def start_again(self) -> None:
        """A new game on the same terms, with the next seed: the same one would bring the same moves."""
        position = self.position
        empty = Position(position.width, position.height, position.rules)
        self._begin(position.start() if position.handicap else empty, (self.seed + 1) % 2**64)

    def load(
        self, path: str | os.PathLike[str], before_move: int | None = None, *, encoding: str | None = None
    ) -> None:
        """A new game from a position of a record; its rules hold if Katachi has them, otherwise ours."""
        self._begin(load_position(path, before_move, self.position.rules, encoding=encoding), self.seed)

    def _begin(self, position: Position, seed: int) -> None:
        tell_end(self.player, self.game, self.position, self._outcome)
        self.position = position
        self.seed = seed
        self.result = ""
        self._rng = Rng(seed)
        tell_new_game(self.player)

    def _outcome(self) -> float | None:
        """1 if Black has won; None: nobody has."""
        return {"B": 1.0, "0": 0.5, "W": 0.0}.get(self.result[:1])

    # -- as a record

    def record(self) -> Record:
        """The game so far, and what `resume` needs."""
        black, white = (_encodable(self.name(player)) for player in (Player.BLACK, Player.WHITE))
        record = Record.from_position(self.position, black=black, white=white, result=self.result)
        terms = {
            "player": lasting_name(self.player),
            "person": self.person.name.lower(),
            "seed": self.seed,
            "rules": self.position.rules.model_dump(),
        }
        record.root.set_text(PROPERTY, json.dumps(terms))
        return record

    @classmethod
    def resume(cls, path: str | os.PathLike[str]) -> "Table":
        """The game of a file that `record` has made: same player, colour, seed and rules. Errors name the file.

        A player that cannot play, since its program is missing, is an error too.
        """
        record = Record.load(path)
        try:
            terms = _terms(record)
            rules = Rules(**terms.rules)
            player = make_player(terms.player)
            person = Player.BLACK if terms.person == "black" else Player.WHITE
            table = cls(player, record.position(rules=rules), person=person, seed=terms.seed, result=record.result)
            check_player(player, table.game)
            return table
        except KatachiError as error:
            raise InvalidArgumentError(f"{os.fspath(path)} cannot be resumed: {error}") from None

    # -- the parts

    @property
    def game(self) -> GoGame:
        """The game that is played, board and rules."""
        return GoGame((self.position.width, self.position.height), self.position.rules)

    def _think(self, purpose: str, progress: Progress | None) -> Decision:
        return self.player.choose(self.game, self.position, self._rng.split(purpose, self.move_number), progress)

    def _check_length(self) -> None:
        if self.move_number > MAX_MOVES:
            raise InvalidArgumentError(f"a record has at most {MAX_MOVES} moves: resign, or take moves back")

    def _check_turn(self) -> None:
        if self.is_over:
            raise InvalidArgumentError(f"the game is over: {self.result}")
        if not self.is_persons_turn:
            raise IllegalMoveError(f"it is the turn of {self.player.name}")


def starting_position(size: tuple[int, int], rules: Rules, handicap: int = 0) -> Position:
    """An empty board, or Black's stones on the fixed points and White to play."""
    if not handicap:
        return Position(*size, rules)
    stones = fixed_handicap(handicap, *size)
    return Position.set_up(*size, rules=rules, black=stones, to_play=Player.WHITE, handicap=handicap)


def load_position(
    path: str | os.PathLike[str],
    before_move: int | None,
    otherwise: Rules,
    *,
    rules: Rules | None = None,
    komi: float | None = None,
    encoding: str | None = None,
) -> Position:
    """The end of a record's main line, or the position before move N.

    `rules` and `komi` replace the record's, `otherwise` are for a record that does not say. `encoding` replaces the
    charset that the file names. A position that cannot be kept in a record again is refused.
    """
    record = Record.load(path, encoding)
    try:
        chosen = record.rules_or(otherwise, komi)
        position = record.position(before_move, chosen if rules is None else rules.replace(komi=chosen.komi))
    except SgfError as error:
        raise SgfError(f"{os.fspath(path)}: {error}") from None
    if position.is_over:
        raise InvalidArgumentError(
            f"{os.fspath(path)}: this game has ended with two passes; begin earlier, "
            f"before move {len(position.moves) - 1} for example"
        )
    try:
        Record.from_position(position)
    except KatachiError as error:
        raise InvalidArgumentError(f"{os.fspath(path)}: a game from there cannot be kept: {error}") from None
    return position


def _terms(record: Record) -> SavedTerms:
    text = record.root.text(PROPERTY)
    if text is None:
        raise InvalidArgumentError(f"it has no property {PROPERTY}: it was not saved by katachi play")
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        raise InvalidArgumentError(f"its property {PROPERTY} is damaged: {shown!r}")
    return SavedTerms.from_mapping(values)


def _resigned(loser: Player) -> str:
    return f"{'W' if loser is Player.BLACK else 'B'}+R"


def _encodable(name: str) -> str:
    """Bytes that are no text, in the name of a user or of a file, become question marks."""
    return name.encode(errors="replace").decode()


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a user without a name, as in some containers
        return "you"
