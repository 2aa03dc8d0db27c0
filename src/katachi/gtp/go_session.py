"""What a session of Go has beyond other board games: komi and rules, handicap, set-ups, records, dead stones."""

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path

from katachi.core.errors import IllegalMoveError, InvalidArgumentError, KatachiError
from katachi.core.types import Action, Player, Point
from katachi.games.go.game import GoGame
from katachi.games.go.handicap import fixed_handicap, free_handicap
from katachi.games.go.position import Position
from katachi.games.go.record import MAX_MOVES, Record, format_komi, format_result
from katachi.games.go.rules import Rules
from katachi.games.go.status import PLAYOUTS, attacking_points, chains, dead_chains, final_score
from katachi.gtp.session import Session
from katachi.players.player import Decision, GamePlayer, check_player

__all__ = ["GoSession"]

log = logging.getLogger(__name__)


class GoSession(Session):
    """Go: either player may move at any time, and a game that two passes ended may go on."""

    def __init__(self, player: GamePlayer, seed: int, *, size: tuple[int, int] = (19, 19), rules: Rules) -> None:
        super().__init__(player, seed)
        self.position = Position(*size, rules)
        self._game = GoGame(size, rules)

    @property
    def game(self) -> GoGame:
        """Go on this board by these rules."""
        if (self._game.board_shape, self._game.rules) != (self.shape, self.rules):
            self._game = GoGame(self.shape, self.rules)
        return self._game

    @property
    def state(self) -> Position:
        """The position."""
        return self.position

    @property
    def shape(self) -> tuple[int, int]:
        """(width, height) of the board."""
        return self.position.width, self.position.height

    @property
    def rules(self) -> Rules:
        """The rule set, komi included."""
        return self.position.rules

    def stones(self) -> str:
        """One character a point."""
        return self.position.stones()

    def resize(self, width: int, height: int) -> None:
        """An empty board of that size under the same rules, if the player plays there."""
        position = Position(width, height, self.rules)
        if (width, height) != self.shape:
            try:
                check_player(self.player, GoGame((width, height), self.rules))
            except KatachiError as error:
                raise InvalidArgumentError(str(error)) from error
        self.end_game()
        self.position = position
        self._begin_game()

    def play(self, player: Player, action: Action) -> None:
        """A move of either player."""
        self.play_all([(player, action)])

    def play_all(self, moves: Sequence[tuple[Player, Action]]) -> None:
        """Moves of either player, all of them or none. A game has as many as a record may have."""
        if len(self.position.moves) + len(moves) > MAX_MOVES:
            raise IllegalMoveError(f"a game has at most {MAX_MOVES} moves")
        self.position = self.position.play_all(moves)

    def format_moves(self, state: Position, actions: Sequence[Action]) -> list[str]:
        """Their vertices. They need not be played: a search may think of what superko forbids."""
        return [self.vertex(action) for action in actions]

    def describe(self) -> dict[str, str]:
        """Size, rules, komi and handicap."""
        rules = f"{self.rules.name}, komi {format_komi(self.rules.komi)}, handicap {self.position.handicap}"
        return {**super().describe(), "rules": rules}

    def undo(self, moves: int = 1) -> None:
        """Takes moves back."""
        position = self.position
        if not 1 <= moves <= len(position.moves):
            raise InvalidArgumentError(f"{moves} moves cannot be taken back: {len(position.moves)} have been played")
        for _ in range(moves):
            position = position.undo()
        self.position = position

    def state_for(self, player: Player) -> Position:
        """The position with that player to move; the game goes on if it was over."""
        return self.position.turned_to(player)

    def outcome(self) -> float | None:
        """1 if Black has won; None while the game goes on."""
        if not self.is_over:
            return None
        margin = final_score(self.position, self.status_rng())
        return 1.0 if margin > 0 else 0.0 if margin < 0 else 0.5

    def result(self) -> str:
        """`B+3.5`; empty while the game goes on."""
        return self.final_score() if self.is_over else ""

    # -- rules and handicap

    def change_rules(self, rules: Rules) -> None:
        """Other rules from here on."""
        self.position = self.position.with_rules(rules)

    def set_komi(self, komi: float) -> None:
        """Another komi."""
        self.change_rules(self.rules.replace(komi=komi))

    @property
    def is_empty(self) -> bool:
        """Has nothing been put on the board yet?"""
        return not self.position.moves and not self.position.stones().strip(".")

    def give_turn(self, player: Player) -> None:
        """That player moves next."""
        self.position = self.position.turned_to(player)

    def place_handicap(self, points: Iterable[Point]) -> None:
        """Black's stones before the game; White moves next."""
        stones = list(points)
        self.position = Position.set_up(
            *self.shape, rules=self.rules, black=stones, to_play=Player.WHITE, handicap=len(stones)
        )

    def fixed_handicap(self, stones: int) -> list[Point]:
        """Places them where they belong."""
        points = fixed_handicap(stones, *self.shape)
        self.place_handicap(points)
        return points

    def free_handicap(self, stones: int) -> list[Point]:
        """Places at most so many where we like."""
        points = free_handicap(stones, *self.shape)
        self.place_handicap(points)
        return points

    def set_up(self, stones: Iterable[tuple[Player, Action]], to_play: Player = Player.BLACK) -> None:
        """These stones and nothing else; a history starts here."""
        placed = list(stones)
        black, white = ([a for p, a in placed if p is player] for player in (Player.BLACK, Player.WHITE))
        self.position = Position.set_up(*self.shape, rules=self.rules, black=black, white=white, to_play=to_play)

    # -- the end of a game

    def final_score(self) -> str:
        """`B+3.5`, `W+12` or `0`, without the dead stones."""
        return format_result(final_score(self.position, self.status_rng()))

    def ownership(self) -> list[float]:
        """By point, how much more often Black than White holds it at the end of a playout: -1 to 1."""
        return self.position.ownership(PLAYOUTS, self.status_rng())

    def clean_up(self, player: Player) -> Decision:
        """What the player would do, but no pass while dead stones of the opponent are left to be taken."""
        decision = self.think(player)
        position = self.position.turned_to(player)
        if decision.action in (None, position.pass_action):
            candidates = [action for action in position.candidates() if action != position.pass_action]
            attacks = [a for a in attacking_points(position, self.status_rng()) if a in candidates]
            if attacks:
                decision = Decision(attacks[0])
        return decision

    def chains_by_status(self) -> dict[str, list[list[Point]]]:
        """Every chain under `alive`, `dead` or `seki`. Nobody here understands seki: it is always empty."""
        dead = dead_chains(self.position, self.status_rng())
        alive = [chain for chain in chains(self.position) if chain not in dead]
        return {"alive": alive, "dead": dead, "seki": []}

    # -- records

    def load(self, path: Path, before_move: int | None = None) -> None:
        """The position of a record: its end, or before a move.

        Its size and komi hold from now on, and its rules if they are some of ours.
        """
        record = Record.load(path)
        if record.rules_text and record.named_rules is None:
            log.warning("%s: rules %r are not played here; %s are", path, record.rules_text, self.rules.name)
        position = record.position(before_move, record.rules_or(self.rules))
        self.end_game()
        self.position = position
        self._begin_game()

    def record(self) -> Record:
        """The game so far."""
        return Record.from_position(self.position, result=self.result())
