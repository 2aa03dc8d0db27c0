"""A Go position: stones, player to move, rules and history. Immutable: `play` returns the next one.

Not here: what a search does with it (`search_state` is the way there) and who wins a played-out match (katachi.arena).
"""

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from katachi import _core
from katachi._core import EyeRule, Rng, State
from katachi.core.errors import IllegalMoveError, InvalidArgumentError
from katachi.core.types import Action, Player, Point
from katachi.games.go.diagram import format_diagram, parse_diagram
from katachi.games.go.rules import Rules
from katachi.games.go.svg import draw_svg
from katachi.games.go.symmetry import Symmetry
from katachi.games.go.vertex import format_vertex, parse_vertex, pass_action

__all__ = ["Position"]


class Position:
    """A position on any rectangle from 1x1 to 19x19.

    Moves are actions (`row * width + col` from the top left, `width * height` to pass) or vertices (`"E5"`, `"pass"`).
    """

    __slots__ = ("_native", "_rules")

    def __init__(self, width: int, height: int | None = None, rules: Rules | str = "cgos") -> None:
        self._rules = Rules.named(rules) if isinstance(rules, str) else rules
        self._native = _core.Position(width, width if height is None else height, self._rules.to_native())

    @classmethod
    def set_up(
        cls,
        width: int,
        height: int,
        *,
        rules: Rules | str = "cgos",
        black: Iterable[int | str] = (),
        white: Iterable[int | str] = (),
        to_play: Player = Player.BLACK,
        ko: int | str | None = None,
        passes: int = 0,
        handicap: int = 0,
    ) -> "Position":
        """A position with stones already on the board; its history starts here.

        `passes`: how many in a row have just been played; `handicap`: stones that White is given points for.
        """
        if passes not in (0, 1, 2):
            raise InvalidArgumentError(f"passes must be 0, 1 or 2, not {passes}")
        chosen = Rules.named(rules) if isinstance(rules, str) else rules

        def action(move: int | str) -> int:
            return parse_vertex(move, width, height) if isinstance(move, str) else move

        native = _core.Position.set_up(
            width,
            height,
            chosen.to_native(),
            black=[action(m) for m in black],
            white=[action(m) for m in white],
            to_play=to_play,
            ko=None if ko is None else action(ko),
            passes=passes,
            handicap=_checked_handicap(handicap),
        )
        return cls._wrap(native, chosen)

    @classmethod
    def from_diagram(cls, text: str, *, rules: Rules | str = "cgos", to_play: Player | None = None) -> "Position":
        """Reads a text diagram (`katachi.games.go.diagram`); Black is to play unless it or the caller says not so."""
        diagram = parse_diagram(text)
        player = to_play if to_play is not None else diagram.to_play if diagram.to_play is not None else Player.BLACK
        ko = diagram.ko if player is diagram.to_play else None  # a ko is one player's
        start = (diagram.stones, player, ko, diagram.passes)
        return cls._from_snapshot(diagram.width, diagram.height, rules, start)

    @classmethod
    def _from_snapshot(
        cls, width: int, height: int, rules: Rules | str, snapshot: tuple[str, int, int | None, int], handicap: int = 0
    ) -> "Position":
        """A set-up from (stones, player to move, ko point, passes)."""
        stones, to_play, ko, passes = snapshot
        black, white = ([i for i, c in enumerate(stones) if c == stone] for stone in "XO")
        return cls.set_up(
            width,
            height,
            rules=rules,
            black=black,
            white=white,
            to_play=Player(to_play),
            ko=ko,
            passes=passes,
            handicap=handicap,
        )

    @classmethod
    def _wrap(cls, native: _core.Position, rules: Rules) -> "Position":
        position = cls.__new__(cls)
        position._native = native
        position._rules = rules
        return position

    # -- what there is to see

    @property
    def native(self) -> _core.Position:
        """What native code takes."""
        return self._native

    @property
    def width(self) -> int:
        """Number of columns."""
        return self._native.width

    @property
    def height(self) -> int:
        """Number of rows."""
        return self._native.height

    @property
    def rules(self) -> Rules:
        """The rule set, komi included."""
        return self._rules

    @property
    def to_play(self) -> Player:
        """Who moves next."""
        return self._native.to_play

    @property
    def passes(self) -> int:
        """Passes in a row so far."""
        return self._native.passes

    @property
    def is_over(self) -> bool:
        """Have both players passed in turn?"""
        return self._native.is_over

    @property
    def handicap(self) -> int:
        """Handicap stones that the set-up counts."""
        return self._native.handicap

    @property
    def moves(self) -> list[Action]:
        """Everything played since the start of the history."""
        return [Action(a) for a in self._native.moves]

    @property
    def movers(self) -> list[Player]:
        """Who played each of `moves`."""
        return self._native.movers

    @property
    def last_removed(self) -> list[Point]:
        """The points that the last move emptied (captures, or a suicide's own stones), ascending."""
        return [Point(a) for a in self._native.last_removed]

    @property
    def ko(self) -> Point | None:
        """The point that simple ko forbids now."""
        ko = self._native.ko
        return None if ko is None else Point(ko)

    @property
    def key(self) -> int:
        """A 64-bit hash of stones, player to move, ko point and passes (and the shape of the board)."""
        return self._native.key

    @property
    def stones_key(self) -> int:
        """A 64-bit hash of the stones (and the shape of the board) alone."""
        return self._native.stones_key

    def stones(self) -> str:
        """One character a point, '.', 'X' or 'O', row by row from the top."""
        return self._native.stones()

    def captured(self, player: Player) -> int:
        """Stones of that player taken so far."""
        return self._native.captured(player)

    def chain(self, point: int | str) -> list[Point]:
        """The stones of the chain at a point, ascending; empty at an empty point."""
        return [Point(a) for a in self._native.chain(self.action(point))]

    def in_atari(self, point: int | str) -> bool:
        """Does the chain there have exactly one liberty?"""
        return self._native.in_atari(self.action(point))

    def last_liberty(self, point: int | str) -> Point | None:
        """The only liberty of a chain in atari, otherwise None."""
        liberty = self._native.last_liberty(self.action(point))
        return None if liberty is None else Point(liberty)

    def is_eye(self, point: int | str, player: Player, rule: EyeRule = EyeRule.SIMPLE) -> bool:
        """Is this empty point an eye of that player (Silver 2009, 5.6)?"""
        return self._native.is_eye(self.action(point), player, rule)

    def area_score(self) -> int:
        """Black's area minus White's, all stones alive, without komi."""
        return self._native.area_score()

    def score(self) -> float:
        """Black's margin: area, less komi and what White is given for handicap stones."""
        return self._native.score()

    # -- what can be done

    def action(self, move: int | str) -> Action:
        """A vertex or a number as an action."""
        return parse_vertex(move, self.width, self.height) if isinstance(move, str) else Action(move)

    def vertex(self, action: int) -> str:
        """An action as a vertex."""
        return format_vertex(action, self.width, self.height)

    @property
    def pass_action(self) -> Action:
        """The action of passing."""
        return pass_action(self.width, self.height)

    def legal_actions(self) -> list[Action]:
        """By the rules, superko and pass included, ascending; empty when the game is over."""
        return [Action(a) for a in self._native.legal_actions()]

    def illegality(self, move: int | str, player: Player | None = None) -> str | None:
        """Why this may not be played, or None if it may; by the player to move or, as in `play`, by the one named."""
        return self._native.illegality(self.action(move), player)

    def is_legal(self, move: int | str, player: Player | None = None) -> bool:
        """May this be played?"""
        return self.illegality(move, player) is None

    def candidates(self, eye_rule: EyeRule = EyeRule.SIMPLE) -> list[Action]:
        """What a search considers here: legal, no suicide, no own eye filled; a pass only when nothing else is left."""
        return [Action(a) for a in self._native.candidates(eye_rule)]

    def play(self, move: int | str, player: Player | None = None) -> "Position":
        """The position after a move.

        Naming the player allows a move out of turn, and goes on with a game that two passes had ended (`turned_to`).
        """
        action = self.action(move)
        reason = self.illegality(action, player)
        if reason is not None:
            raise self._illegal(action, self.to_play if player is None else player, reason)
        return Position._wrap(self._native.play(action, player), self._rules)

    def play_forced(self, move: int | str, player: Player) -> "Position":
        """The position after a move that ko, superko or suicide may forbid (a record of a game under other rules)."""
        action = self.action(move)
        try:
            return Position._wrap(self._native.play(action, player, forced=True), self._rules)
        except IllegalMoveError as error:
            raise self._illegal(action, player, str(error)) from None

    def play_all(self, moves: Iterable[tuple[Player, int | str]]) -> "Position":
        """The position after many moves of named players, as in `play`; much faster than one after the other."""
        return self._play_all(moves, forced=False)

    def _play_all(self, moves: Iterable[tuple[Player, int | str]], *, forced: bool) -> "Position":
        actions = [(player, self.action(move)) for player, move in moves]
        native, played = self._native.play_all(actions, forced)
        after = Position._wrap(native, self._rules)
        if played < len(actions):
            player, action = actions[played]
            raise after._illegal(action, player, after.illegality(action, player) or "")
        return after

    def _illegal(self, action: Action, player: Player, reason: str) -> IllegalMoveError:
        name = self.vertex(action) if 0 <= action <= self.pass_action else str(action)
        return IllegalMoveError(f"illegal move {name} for {player.name}: {reason}\n{self}")

    def undo(self) -> "Position":
        """The position before the last move."""
        return Position._wrap(self._native.undo(), self._rules)

    def turned_to(self, player: Player) -> "Position":
        """The same stones and history with that player to move.

        Unless that changes nothing, ko and passes are forgotten, so that a game that was over goes on.
        """
        return Position._wrap(self._native.turned_to(player), self._rules)

    def start(self) -> "Position":
        """The position before all its moves."""
        return Position._wrap(self._native.start(), self._rules)

    def with_rules(self, rules: Rules, handicap: int | None = None) -> "Position":
        """Other rules from here on, and perhaps another number of handicap stones.

        What has been played stays, even where those rules would have forbidden it.
        """
        stones = _checked_handicap(self.handicap if handicap is None else handicap)
        return Position._wrap(self._native.with_rules(rules.to_native(), stones), rules)

    def without(self, points: Iterable[int | str]) -> "Position":
        """A set-up of what is left when these stones are taken off the board, dead stones for example."""
        gone = {self.action(point) for point in points}
        for point in gone:
            if not self.chain(point):
                raise InvalidArgumentError(f"there is no stone at {self.vertex(point)} to take off:\n{self}")
        stones = "".join("." if point in gone else stone for point, stone in enumerate(self.stones()))
        return Position._from_snapshot(
            self.width, self.height, self._rules, (stones, self.to_play, None, self.passes), self.handicap
        )

    def ownership(self, playouts: int, rng: Rng, eye_rule: EyeRule = EyeRule.SIMPLE) -> list[float]:
        """By point, how much more often Black than White holds it at the end of uniform playouts: -1 to 1.

        The players begin in turn, so it does not matter who is to move. Does not advance `rng`.
        """
        if playouts < 1:
            raise InvalidArgumentError(f"playouts must be at least 1, not {playouts}")
        shares = _core.ownership(self._native, playouts, eye_rule, rng)
        assert shares is not None  # nobody could have stopped it
        return shares

    def search_state(self, eye_rule: EyeRule = EyeRule.SIMPLE, max_plies: int | None = None) -> State:
        """What searches and playouts start from: simple ko inside, superko obeyed at the root.

        After `max_plies` (default: three times the area) a game counts as a draw.
        """
        if max_plies is not None and max_plies < 1:
            raise InvalidArgumentError(f"max_plies must be at least 1, not {max_plies}")
        return self._native.search_state(eye_rule, max_plies)

    def playout_moves(
        self,
        rng: Rng,
        eye_rule: EyeRule = EyeRule.SIMPLE,
        max_plies: int | None = None,
        policy: str | _core.Policy = "uniform",
    ) -> list[Action]:
        """The moves of one playout from here; advances `rng`. MoGo's and Fuego's policies have their own eye rules."""
        return [Action(a) for a in self._native.playout_moves(rng, eye_rule, max_plies, policy)]

    def transformed(self, symmetry: Symmetry, *, swap_colours: bool = False) -> "Position":
        """The whole game so far under a symmetry of the board.

        Swapping colours also swaps the player to move and turns komi (and handicap points) round.
        """
        width, height = self.width, self.height
        new_width, new_height = symmetry.size(width, height)
        stones, to_play, ko, passes = self._native.snapshot(0)
        image = [symmetry.image(p, width, height) for p in range(width * height)]
        swapped = stones.translate(str.maketrans("XO", "OX")) if swap_colours else stones
        moved = ["."] * len(stones)
        for point, stone in enumerate(swapped):
            moved[image[point]] = stone
        rules, handicap = self._rules, self.handicap
        if swap_colours:
            rules = rules.replace(komi=-(self.area_score() - self.score()))
            to_play, handicap = to_play.opponent, 0
        snapshot = ("".join(moved), to_play, None if ko is None else image[ko], passes)
        start = Position._from_snapshot(new_width, new_height, rules, snapshot, handicap)
        moved_events = []
        for player, move in self._events():
            mover = player.opponent if swap_colours else player
            moved_events.append((mover, image[move] if move is not None and move != self.pass_action else move))
        return start._replayed(moved_events, forced=True)

    @property
    def turns(self) -> dict[int, Player]:
        """After how many moves, at least one, the turn was given to whom (`turned_to`)."""
        return {ply: self._native.snapshot(ply)[1] for ply in self._native.turned_plies}

    def _events(self) -> list[tuple[Player, Action | None]]:
        """All since the start: (who, what); a move of None is a turn that was given to somebody."""
        events: list[tuple[Player, Action | None]] = []
        turns = self.turns
        for ply, (player, move) in enumerate(zip(self.movers, self.moves, strict=True), start=1):
            events.append((player, move))
            if ply in turns:
                # By way of the opponent, so that it is a turn even for the player whose turn it was.
                events += [(turns[ply].opponent, None), (turns[ply], None)]
        return events

    def forced_moves(self) -> set[int]:
        """The numbers, from 1, of the moves that the rules of now forbid: rules may change during a game."""
        try:
            self.start()._replayed(self._events(), forced=False)
            return set()
        except IllegalMoveError:
            pass
        forced: set[int] = set()
        position = self.start()
        for player, move in self._events():
            if move is None:
                position = position.turned_to(player)
            elif position.is_legal(move, player):
                position = position.play(move, player)
            else:
                position = position.play_forced(move, player)
                forced.add(len(position.moves))
        return forced

    def _replayed(self, events: Iterable[tuple[Player, int | None]], *, forced: bool) -> "Position":
        """A copy forces the moves: the rules may have changed on the way."""
        position = self
        for is_turn, group in groupby(events, key=lambda event: event[1] is None):
            if is_turn:
                for player, _ in group:
                    position = position.turned_to(player)
            else:
                moves = [(player, move) for player, move in group if move is not None]
                position = position._play_all(moves, forced=forced)
        return position

    # -- as text, picture and value

    def __str__(self) -> str:
        return format_diagram(self)

    def __repr__(self) -> str:
        moves = " ".join(self.vertex(a) for a in self.moves)
        rules = f"{self._rules.name} komi {self._rules.komi:g}"
        return f"<Position {self.width}x{self.height} {rules} moves: {moves or 'none'}>"

    def _repr_svg_(self) -> str:
        return draw_svg(self)

    def __eq__(self, other: object) -> bool:
        """Same board, player to move, ko, passes, rules and the same history of positions."""
        if not isinstance(other, Position):
            return NotImplemented
        if self.key != other.key or self._rules != other._rules or self.handicap != other.handicap:
            return False
        return (self.width, self.height) == (other.width, other.height) and self._history() == other._history()

    def __hash__(self) -> int:
        return hash(self.key)

    def _history(self) -> list[tuple[Any, ...]]:
        return [self._native.snapshot(ply) for ply in range(len(self._native.moves) + 1)]

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and other processes get the set-up and the moves."""
        return _replay, (
            self.width,
            self.height,
            self._rules,
            self._native.snapshot(0),
            self.handicap,
            [(int(player), move) for player, move in self._events()],
        )


def _checked_handicap(stones: int) -> int:
    if not 0 <= stones <= 361:
        raise InvalidArgumentError(f"handicap must be from 0 to 361, not {stones}")
    return stones


def _replay(
    width: int,
    height: int,
    rules: Rules,
    start: tuple[str, int, int | None, int],
    handicap: int,
    events: list[tuple[int, int | None]],
) -> Position:
    position = Position._from_snapshot(width, height, rules, start, handicap)
    return position._replayed(((Player(player), move) for player, move in events), forced=True)
