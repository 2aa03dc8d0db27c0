"""Records of Go games: an SGF tree and what it says about the game; positions into records and back.

The tree is kept whole: variations and properties that mean nothing here are saved as they were loaded. Moves and set-up
are read along the main line, the first child of every node, and nothing in it is passed over in silence: what cannot be
played is an `SgfError` that names the node and the property.

Decisions where FF[4] leaves room:

- An empty value of SZ, KM, HA, RU or GM says nothing, as if the property were missing. A missing SZ means 19x19.
- Game information (KM, HA, RU, PB, PW, RE) is taken from the first node of the main line that has it.
- Rules that Katachi does not have, Japanese ones for example, are replayed as `chinese`, which allows the same moves
  but counts area. `Record.named_rules` is None then, and `Record.position` takes other rules.
- KM[650] or KM[375] is refused: some programs write hundredths, some of these of points and some of stones, so there
  is no telling what is meant. Every number from 100 on without a decimal point counts as such. KM[6,5] is 6.5.
- A player to move that no PL names is the one who moves next, else White after handicap stones, else Black.
- KO in the node of a move has it played even if the rules of ko or suicide forbid it, as in a game whose rules changed.
- Set-up after moves starts a new history from the stones on the board; PL alone only turns the move round.
- HA counts when the root has black stones (AB), as long as set-up leaves any; otherwise the handicap is played as
  moves, and HA is only noted.
- An empty value of AB, AW or AE stands for no stones; if all are empty nothing is set up. White space around points
  does not matter.

Not here: the grammar and the charsets of SGF (katachi.games.go.sgf), coordinates (katachi.games.go.vertex).
"""

import math
import os
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from katachi import __version__
from katachi.core.errors import (
    IllegalMoveError,
    InvalidArgumentError,
    ParseError,
    SettingsError,
    UnknownNameError,
    UnsupportedRulesError,
)
from katachi.core.types import Action, Player
from katachi.games.go.position import Position
from katachi.games.go.rules import Rules
from katachi.games.go.sgf import SgfError, SgfNode, format_sgf, load_sgf, node_error, parse_sgf, save_sgf
from katachi.games.go.vertex import (
    SGF_LETTERS,
    format_sgf_move,
    format_sgf_point,
    parse_sgf_move,
    parse_sgf_points,
    parse_vertex,
)

__all__ = ["MAX_MOVES", "GameResult", "Record", "RecordedMove", "format_komi", "format_result", "parse_result"]

MAX_MOVES = 5_000
"""The longest game that becomes a Position, which copies its history with every move: time grows with the square."""

_APPLICATION = f"Katachi:{__version__}"
_LARGEST_BOARD = 19
_COLOURS = {"B": Player.BLACK, "W": Player.WHITE}
_LETTER = {player: letter for letter, player in _COLOURS.items()}
_STONES = {"AB": "X", "AW": "O", "AE": "."}  # in this order
_SET_UP = (*_STONES, "PL")
_MEANINGFUL = frozenset((*_COLOURS, *_SET_UP, "KO", "GM", "SZ"))
_PLAYERS = {"b": Player.BLACK, "black": Player.BLACK, "w": Player.WHITE, "white": Player.WHITE}

# The names that FF[4] lists, and Katachi's where it lists none.
_RULE_NAMES = {"aga": "AGA", "new-zealand": "NZ", "chinese": "Chinese"}
_RULE_ALIASES = {"nz": "new-zealand"}
_RULE_PARTS = re.compile(
    r"(simple|positional|situational) ko, (no )?suicide, handicap bonus (0|N|N-1), (no )?friendly pass"
)

_SIZE = re.compile(r"([0-9]{1,2})(?:\s*:\s*([0-9]{1,2}))?")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,1100})?|\.[0-9]{1,1100})")  # every float fits
_WHOLE_NUMBER = re.compile(r"\+?[0-9]{1,9}")


class Record:
    """A game of Go as an SGF tree."""

    __slots__ = ("root",)

    def __init__(self, root: SgfNode) -> None:
        """A record of this tree, which is not copied; the game must be Go and the board of a possible size."""
        self.root = root
        game = root.simple_text("GM") or "1"
        if _WHOLE_NUMBER.fullmatch(game) is None or int(game) != 1:
            raise node_error("root node", "GM", game, "the game is not Go, which is 1")
        _ = self.size

    # -- ways to get one

    @classmethod
    def parse(cls, data: bytes | str, encoding: str | None = None) -> "Record":
        """The first game of a file's contents (`katachi.games.go.sgf.parse_sgf`)."""
        return cls(parse_sgf(data, encoding=encoding))

    @classmethod
    def load(cls, path: str | os.PathLike[str], encoding: str | None = None) -> "Record":
        """The first game of a file."""
        root = load_sgf(path, encoding=encoding)
        try:
            return cls(root)
        except SgfError as error:
            raise SgfError(f"{os.fspath(path)}: {error}") from None

    @classmethod
    def new(
        cls,
        width: int,
        height: int | None = None,
        rules: Rules | str = "chinese",
        *,
        black: str = "",
        white: str = "",
        result: str = "",
        comment: str = "",
        application: str = _APPLICATION,
    ) -> "Record":
        """A record without moves, on a board of up to 52x52; `black` and `white` are the players' names."""
        height = width if height is None else height
        if not (1 <= width <= len(SGF_LETTERS) and 1 <= height <= len(SGF_LETTERS)):
            raise InvalidArgumentError(f"SGF has boards from 1x1 to 52x52, not {width}x{height}")
        rules = Rules.named(rules) if isinstance(rules, str) else rules
        root = SgfNode({"FF": ["4"], "GM": ["1"], "CA": ["UTF-8"]})
        root.properties["SZ"] = [f"{width}" if width == height else f"{width}:{height}"]
        root.properties["KM"] = [format_komi(rules.komi)]
        root.set_text("RU", _RULE_NAMES.get(rules.name, rules.name))
        for name, text in {"AP": application, "PB": black, "PW": white, "RE": result, "C": comment}.items():
            root.set_text(name, text or None)
        return cls(root)

    @classmethod
    def from_position(
        cls,
        position: Position,
        *,
        black: str = "",
        white: str = "",
        result: str = "",
        comment: str = "",
        application: str = _APPLICATION,
    ) -> "Record":
        """A record of a position: what its history starts from, and all its moves. `Record.position` gives it back."""
        if len(position.moves) > MAX_MOVES:
            raise InvalidArgumentError(f"a record has at most {MAX_MOVES} moves, not {len(position.moves)}")
        record = cls.new(
            position.width,
            position.height,
            position.rules,
            black=black,
            white=white,
            result=result,
            comment=comment,
            application=application,
        )
        record._add_start(position)
        record._add_moves(position)
        return record

    # -- what it says about the game

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows, from 1 to 52."""
        text = self.root.simple_text("SZ") or "19"
        match = _SIZE.fullmatch(text)
        width = 0 if match is None else int(match[1])
        height = 0 if match is None else int(match[2] or match[1])
        if not (1 <= width <= len(SGF_LETTERS) and 1 <= height <= len(SGF_LETTERS)):
            raise node_error("root node", "SZ", text, "no size of a board: expected N or COLUMNS:ROWS, from 1 to 52")
        return width, height

    @property
    def width(self) -> int:
        """Number of columns."""
        return self.size[0]

    @property
    def height(self) -> int:
        """Number of rows."""
        return self.size[1]

    @property
    def komi(self) -> float | None:
        """Points for White (KM), or None if the record does not say."""
        return _parse_komi(*self._information("KM")["KM"])

    @property
    def rules_text(self) -> str:
        """RU as it stands, empty if the record does not say."""
        return self._information("RU")["RU"][0]

    @property
    def named_rules(self) -> Rules | None:
        """The rule set that RU names, with the komi of KM, or None if it names none of Katachi's."""
        information = self._information("RU", "KM")
        rules = _parse_rules(information["RU"][0])
        return None if rules is None else _with_komi(rules, *information["KM"])

    @property
    def rules(self) -> Rules:
        """`named_rules`, otherwise those called `chinese`; with the komi of KM."""
        information = self._information("RU", "KM")
        return _with_komi(_parse_rules(information["RU"][0]) or Rules.named("chinese"), *information["KM"])

    def rules_or(self, otherwise: Rules, komi: float | None = None) -> Rules:
        """The record's rules and komi; what it does not say, or what Katachi does not play, is as in `otherwise`.

        `komi` replaces the record's, which is then not even read: it may be one that would be refused.
        """
        information = self._information("RU", "KM")
        rules = _parse_rules(information["RU"][0]) or otherwise
        if komi is not None:
            return rules.replace(komi=komi)
        return _with_komi(rules.replace(komi=otherwise.komi), *information["KM"])

    @property
    def handicap(self) -> int:
        """Handicap stones (HA); 0 if the record does not say."""
        return _parse_handicap(*self._information("HA")["HA"])

    @property
    def players(self) -> tuple[str, str]:
        """The names of Black and White, empty if the record does not say."""
        information = self._information("PB", "PW")
        return information["PB"][0], information["PW"][0]

    @property
    def result(self) -> str:
        """RE as it stands (`parse_result` reads it), empty if the record does not say."""
        return self._information("RE")["RE"][0]

    @result.setter
    def result(self, text: str) -> None:
        self.root.set_text("RE", text or None)

    # -- moves and positions

    def main_line(self) -> list[SgfNode]:
        """The root, its first child, the first child of that, and so on."""
        return list(self.root.main_line())

    def moves(self) -> list[tuple[Player, Action]]:
        """The moves of the main line, as they are written: nobody checks whether they are legal."""
        size = self.size
        found = (_move_of(node, number, size) for number, node in enumerate(self.root.main_line()))
        return [(player, action) for player, _, action in filter(None, found)]

    def position(self, before_move: int | None = None, rules: Rules | str | None = None) -> Position:
        """The position at the end of the main line, or before move N of it; 1 is the first.

        If there are fewer moves it is the last position. `rules` replace the record's: a name leaves its komi alone, if
        it has one.
        """
        if before_move is not None and before_move < 1:
            raise InvalidArgumentError(f"before_move counts from 1, not {before_move}")
        replay = self._replay(rules)
        for place in self._places():
            if place.mover is not None and place.move_number == before_move:
                return replay.position(place.mover)
            self._follow(replay, place)
        return replay.position(None)

    def replayed(self, rules: Rules | str | None = None) -> "Iterator[RecordedMove]":
        """The moves of the main line with the positions around them; `rules` as in `position`."""
        replay = self._replay(rules)
        for place in self._places():
            if place.mover is None:
                self._follow(replay, place)
                continue
            before = replay.position(place.mover)
            if before.is_over or before.to_play is not place.mover:
                before = before.turned_to(place.mover)
            action = self._follow(replay, place)
            assert action is not None
            yield RecordedMove(place.node, place.mover, action, before, replay.position(None))

    def append(self, player: Player, action: int | str, comment: str = "") -> SgfNode:
        """Adds a move, an action or a vertex, at the end of the main line; nobody checks whether it is legal."""
        width, height = self.size
        move = parse_vertex(action, width, height) if isinstance(action, str) else action
        last = self.root
        while last.children:
            last = last.children[0]
        node = last.add_child({_LETTER[player]: [format_sgf_move(move, width, height)]})
        node.comment = comment
        return node

    # -- as a file

    def format(self) -> bytes:
        """The contents of a file (`katachi.games.go.sgf.format_sgf`)."""
        return format_sgf(self.root)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file, which is replaced only when all is written."""
        save_sgf(self.root, path)

    def __repr__(self) -> str:
        return f"<Record {self.width}x{self.height} {' – '.join(self.players)}>"

    # -- the parts

    def _replay(self, rules: Rules | str | None) -> "_Replay":
        size = self.size
        if max(size) > _LARGEST_BOARD:
            raise node_error("root node", "SZ", self.root.simple_text("SZ"), "Katachi plays on boards up to 19x19")
        information = self._information("RU", "KM", "HA")
        if rules is None:
            rules = _with_komi(_parse_rules(information["RU"][0]) or Rules.named("chinese"), *information["KM"])
        elif isinstance(rules, str):
            rules = _with_komi(Rules.named(rules), *information["KM"])
        black = any(map(str.strip, self.root.properties.get("AB", ())))
        return _Replay(size, rules, _parse_handicap(*information["HA"]) if black else 0)

    def _places(self) -> "Iterator[_Place]":
        """The nodes of the main line that mean something for the position."""
        played = 0
        for number, node in enumerate(self.root.main_line()):
            properties = node.properties
            if not properties or _MEANINGFUL.isdisjoint(properties):
                continue
            mover = Player.BLACK if "B" in properties else Player.WHITE if "W" in properties else None
            played += mover is not None
            yield _Place(number, node, mover, played)

    def _follow(self, replay: "_Replay", place: "_Place") -> Action | None:
        """Goes on by a node; its move, if it has one."""
        number, node, mover, played = place
        if mover is not None and played > MAX_MOVES:
            raise node_error(_place(number), _LETTER[mover], None, f"more than {MAX_MOVES} moves")
        _check_node(node, number, self.root)
        move = None if mover is None else _move_of(node, number, self.size)
        if move is None:
            replay.set_up(node, number)
            return None
        replay.play(node, number, move)
        return move[2]

    def _information(self, *names: str) -> dict[str, tuple[str, str]]:
        """Properties of the game, each as a line of text and the node that has it; the text is empty if none has.

        One walk along the main line for all: it may be long.
        """
        found = dict.fromkeys(names, ("", _place(0)))
        missing = set(names)
        for number, node in enumerate(self.root.main_line()):
            if node.properties and not missing.isdisjoint(node.properties):
                for name in missing.intersection(node.properties):
                    if text := node.simple_text(name):
                        found[name] = text, _place(number)
                        missing.remove(name)
                if not missing:
                    break
        return found

    def _add_start(self, position: Position) -> None:
        stones, to_play, ko, passes = position._native.snapshot(0)
        if ko is not None or passes:
            what = "a ko" if ko is not None else f"{passes} passes"
            raise InvalidArgumentError(f"SGF cannot say that a position starts with {what}:\n{position.start()}")
        for name in ("AB", "AW"):
            points = [p for p, stone in enumerate(stones) if stone == _STONES[name]]
            if points:
                letters = [format_sgf_point(p, position.width, position.height) for p in points]
                self.root.properties[name] = letters
        if position.handicap:
            if "AB" not in self.root:
                raise InvalidArgumentError(
                    f"SGF cannot say that {position.handicap} handicap stones count when no black stone is set up"
                )
            self.root.properties["HA"] = [str(position.handicap)]
        movers = position.movers
        usual = movers[0] if movers else Player.WHITE if position.handicap else Player.BLACK
        if to_play != usual:
            self.root.properties["PL"] = [_LETTER[Player(to_play)]]

    def _add_moves(self, position: Position) -> None:
        width, height = self.size
        node, turns, forced = self.root, position.turns, position.forced_moves()
        for ply, (player, move) in enumerate(zip(position.movers, position.moves, strict=True), start=1):
            node = node.add_child({_LETTER[player]: [format_sgf_move(move, width, height)]})
            if ply in forced:
                node.properties["KO"] = [""]
            if turns.get(ply) is player.opponent:  # there and back: passes and ko are forgotten
                node = node.add_child({"PL": [_LETTER[player]]})
            if ply in turns:
                node = node.add_child({"PL": [_LETTER[turns[ply]]]})


class RecordedMove(NamedTuple):
    """A move of the main line."""

    node: SgfNode
    player: Player
    action: Action
    before: Position  # with that player to move
    after: Position


class _Place(NamedTuple):
    number: int  # of the node on the main line
    node: SgfNode
    mover: Player | None
    move_number: int  # of the last move up to here


class _Replay:
    """Follows the main line. Set-up waits for the next move: only then need the stones make sense together."""

    def __init__(self, size: tuple[int, int], rules: Rules, handicap: int) -> None:
        self._rules = rules
        self._width, self._height = size
        self._handicap = handicap
        self._position: Position | None = None
        self._black = self._white = 0  # numbers whose bit p stands for point p
        self._turns: list[Player] = []  # PL since the last move; more than two come to the same as the last two
        self._usual_turn = Player.WHITE if self._handicap else Player.BLACK
        self._latest = (0, "SZ", "")  # set-up: node, property and value, for errors
        self._points: dict[str, int] = {}  # what elements of lists of points mean, as far as known

    def set_up(self, node: SgfNode, number: int) -> None:
        names = _stones_of(node)
        turn = _turn_of(node, number)
        if names:
            if self._position is not None:
                stones = self._position.stones()
                self._black, self._white = _points_of(stones, "X"), _points_of(stones, "O")
                self._usual_turn = self._position.to_play
                self._position = None
            self._place_stones(node, number, names)
        if turn is not None and self._turns[-1:] != [turn]:
            self._turns = [*self._turns[-1:], turn]

    def play(self, node: SgfNode, number: int, move: tuple[Player, str, Action]) -> None:
        player, name, action = move
        position = self.position(player)
        try:
            forced = "KO" in node.properties
            self._position = position.play_forced(action, player) if forced else position.play(action, player)
        except IllegalMoveError:
            reason = position.illegality(action, player)
            told = f"illegal move {position.vertex(action)} for {player.name}: {reason}"
            raise node_error(_place(number), name, node.properties[name][0], told) from None

    def position(self, next_player: Player | None) -> Position:
        """The position now; `next_player` moves next, as far as the record says."""
        if self._position is None:
            turn = self._turns[-1] if self._turns else self._usual_turn if next_player is None else next_player
            area = range(self._width * self._height)
            black, white = ([p for p in area if points >> p & 1] for points in (self._black, self._white))
            try:
                self._position = Position.set_up(
                    self._width,
                    self._height,
                    rules=self._rules,
                    black=black,
                    white=white,
                    to_play=turn,
                    handicap=self._handicap if black else 0,
                )
            except InvalidArgumentError as error:
                number, name, value = self._latest
                raise node_error(_place(number), name, value, str(error)) from None
        else:
            for turn in self._turns:
                self._position = self._position.turned_to(turn)
        self._turns = []
        return self._position

    def _place_stones(self, node: SgfNode, number: int, names: list[str]) -> None:
        placed = dict.fromkeys(_STONES, 0)
        for name in names:
            for value in dict.fromkeys(node.properties[name]):
                points = self._points.get(value)
                if points is None:
                    try:
                        points = self._points[value] = parse_sgf_points(value, self._width, self._height)
                    except ParseError as error:
                        raise node_error(_place(number), name, value, str(error)) from None
                for other in names[: names.index(name)]:
                    if points & placed[other]:
                        raise node_error(_place(number), name, value, f"{other} has the same point")
                placed[name] |= points
            self._latest = (number, name, value)
        black, white, empty = placed.values()
        self._black = self._black & ~(white | empty) | black
        self._white = self._white & ~(black | empty) | white


def _points_of(stones: str, colour: str) -> int:
    """The points of one colour, as the bits of a number."""
    return sum(1 << point for point, stone in enumerate(stones) if stone == colour)


def _stones_of(node: SgfNode) -> list[str]:
    """AB, AW and AE, as far as a node has them and they name points."""
    properties = node.properties
    return [name for name in _STONES if name in properties and any(map(str.strip, properties[name]))]


def _place(number: int) -> str:
    return "root node" if number == 0 else f"node {number} of the main line"


def _check_node(node: SgfNode, number: int, root: SgfNode) -> None:
    """Refuses what FF[4] forbids, or what would have to be passed over."""
    properties = node.properties
    mover = "B" if "B" in properties else "W"
    if "KO" in properties and mover not in properties:
        raise node_error(_place(number), "KO", properties["KO"][0], "there is no move in this node to be forced")
    if mover in properties:
        for name in (*_stones_of(node), "PL"):
            if name in properties:
                reason = f"set-up in the same node as the move {mover}"
                raise node_error(_place(number), name, properties[name][0], reason)
    if number > 0:
        for name in ("GM", "SZ"):
            if name in properties and node.simple_text(name) != root.simple_text(name):
                raise node_error(_place(number), name, node.simple_text(name), "another game begins inside of this one")


def _move_of(node: SgfNode, number: int, size: tuple[int, int]) -> tuple[Player, str, Action] | None:
    """Player, property and action of a node's move."""
    names = [name for name in _COLOURS if name in node]
    if not names:
        return None
    values = node.properties[names[0]]
    if len(names) == 2:
        raise node_error(_place(number), "W", node.properties["W"][0], "B is in the same node: expected one move")
    if len(values) != 1:
        raise node_error(_place(number), names[0], values[1], f"one of {len(values)} moves: expected one")
    try:
        return _COLOURS[names[0]], names[0], parse_sgf_move(values[0], *size)
    except ParseError as error:
        raise node_error(_place(number), names[0], values[0], str(error)) from None


def _turn_of(node: SgfNode, number: int) -> Player | None:
    values = node.properties.get("PL")
    if values is None:
        return None
    if len(values) == 1 and values[0] in _COLOURS:
        return _COLOURS[values[0]]
    text = node.simple_text("PL") or ""
    if text.lower() not in _PLAYERS:
        raise node_error(_place(number), "PL", text, "no player: expected B or W")
    return _PLAYERS[text.lower()]


def _parse_komi(text: str, where: str) -> float | None:
    if not text:
        return None
    number = text.replace(",", ".")
    if _NUMBER.fullmatch(number) is None:
        raise node_error(where, "KM", text, "no number")
    komi = float(number)
    if not math.isfinite(komi):
        raise node_error(where, "KM", text, "too large a number")
    if "." not in number and abs(komi) >= 100:
        raise node_error(where, "KM", text, "perhaps hundredths of points or of stones: give the komi that is meant")
    return komi


def _with_komi(rules: Rules, text: str, where: str) -> Rules:
    """The same rules with the komi of KM, if that says one."""
    komi = _parse_komi(text, where)
    try:
        return rules if komi is None else rules.replace(komi=komi)
    except SettingsError as error:
        raise node_error(where, "KM", text, str(error)) from None


def _parse_handicap(text: str, where: str) -> int:
    if not text:
        return 0
    if _WHOLE_NUMBER.fullmatch(text) is None or int(text) > 361:
        raise node_error(where, "HA", text, "no number of stones from 0 to 361")
    return int(text)


def _parse_rules(text: str) -> Rules | None:
    """The rules of a name, or of the parts that `Rules.name` gives to a set without one."""
    if len(text) > 100:
        return None
    parts = _RULE_PARTS.fullmatch(text)
    if parts is not None:
        return Rules(ko=parts[1], suicide=parts[2] is None, handicap_bonus=parts[3], friendly_pass=parts[4] is None)
    try:
        return Rules.named(_RULE_ALIASES.get(text.lower(), text))
    except (UnknownNameError, UnsupportedRulesError):
        return None


def format_komi(komi: float) -> str:
    """A whole number without a point, unless it could be taken for hundredths."""
    text = f"{Decimal(repr(komi + 0.0)):f}".removesuffix(".0")
    return f"{text}.0" if abs(komi) >= 100 and "." not in text else text


# -- results


class GameResult(NamedTuple):
    """What RE says: who won, by how many points if they were counted, and otherwise how."""

    winner: Player | None
    margin: float | None = None
    how: str = ""


_WAYS = {"": "", "r": "resignation", "t": "time", "f": "forfeit"}
_WAYS |= {"resign": _WAYS["r"], "time": _WAYS["t"], "forfeit": _WAYS["f"]}
_NO_WINNER = {"0": "draw", "draw": "draw", "jigo": "draw", "void": "void", "?": "unknown", "": "unknown"}


def format_result(margin: float) -> str:
    """Black's margin as `B+3.5`, `W+12` or `0`."""
    if margin == 0:
        return "0"
    return f"{'B' if margin > 0 else 'W'}+{f'{Decimal(repr(float(abs(margin)))):f}'.removesuffix('.0')}"


def parse_result(text: str) -> GameResult:
    """`B+3.5`, `W+R`, `B+T`, `W+F`, `B+`, `0`, `Draw`, `Void`, `?`; anything else is a ParseError."""
    word = text.strip().lower()
    if word in _NO_WINNER:
        return GameResult(None, 0.0 if _NO_WINNER[word] == "draw" else None, _NO_WINNER[word])
    letter, plus, rest = word.partition("+")
    winner = _PLAYERS.get(letter)
    if winner is not None and plus:
        if rest in _WAYS:
            return GameResult(winner, None, _WAYS[rest])
        if _NUMBER.fullmatch(rest) is not None and float(rest) >= 0:
            return GameResult(winner, float(rest), "score")
    shown = text if len(text) <= 40 else f"{text[:40]}…"
    raise ParseError(f"{shown!r} is not a result: expected B+3.5, W+R, B+T, W+F, 0, Void or ?")
