"""Lines of KataGo's JSON analysis protocol as values: what is asked, checked, and what to say if it is wrong.

    {"id":"a","moves":[["B","E5"]],"rules":"chinese","boardXSize":9,"boardYSize":9,"maxVisits":100}

`parse_request` takes one line. A mistake is a `QueryError` that names the field; what is only left out of the answers
is a warning. Nothing here thinks: katachi.analysis.engine does. docs/analysis.md has the table of all fields.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, NoReturn

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from katachi.core.errors import IllegalMoveError, InvalidArgumentError, KatachiError, ParseError
from katachi.core.settings import did_you_mean
from katachi.core.types import Action, Player
from katachi.games.go.position import Position
from katachi.games.go.record import MAX_MOVES
from katachi.games.go.rules import Rules
from katachi.games.go.vertex import format_vertex, parse_vertex

__all__ = [
    "ACTIONS",
    "FIELDS",
    "LONGEST_LINE",
    "SETTINGS",
    "ActionRequest",
    "Perspective",
    "PositionQuery",
    "QueryError",
    "QueryWarning",
    "parse_request",
]

LONGEST_LINE = 1 << 20
"""In bytes: a game of 5,000 moves takes less than a tenth of it."""

ACTIONS = ("clear_cache", "query_models", "query_version", "terminate", "terminate_all")
Perspective = Literal["BLACK", "WHITE", "SIDETOMOVE"]

_MOST_VISITS = 10**9  # as far as the counters of a tree are sure to reach
_LARGEST_BOARD = 19
_LARGEST_KOMI = 400  # KataGo's
_LONGEST_NAME = 100
_PLAYERS = {"b": Player.BLACK, "black": Player.BLACK, "w": Player.WHITE, "white": Player.WHITE}
# KataGo's, which ask for what nobody here knows, and what is said then.
_UNKNOWN_HERE = {
    "includePolicy": "no probabilities of moves are known before a search",
    "includeOwnershipStdev": "only the mean is known",
    "includeMovesOwnership": "it is known of the position only",
    "includeMovesOwnershipStdev": "it is known of the position only",
    "includeNoResultValue": "games here always have a result",
    "rootPolicyTemperature": "there is no policy to be widened",
    "rootFpuReductionMax": "the player's own settings say how widely it looks",
}


class QueryError(ParseError):
    """A line that cannot be answered: the field that is wrong and the id of the query, as far as they are known."""

    def __init__(self, message: str, field: str | None = None, id: str | None = None) -> None:
        super().__init__(message)
        self.field, self.id = field, id


class QueryWarning(NamedTuple):
    """Something in a query that changes nothing."""

    text: str
    field: str


@dataclass(frozen=True)
class ActionRequest:
    """Something to do beside analysing."""

    id: str
    action: str
    said: Mapping[str, Any]  # all of it: the answer repeats it
    terminate_id: str | None = None  # None: whatever its id
    turns: frozenset[int] | None = None  # None: all


@dataclass(frozen=True)
class PositionQuery:
    """Positions of one game to be analysed, and how."""

    id: str
    start: Position
    moves: tuple[tuple[Player, Action], ...]
    turns: Mapping[int, int]  # by the number of moves played: the priority
    max_visits: int | None = None
    max_seconds: float | None = None
    perspective: Perspective = "BLACK"
    line_length: int = 15  # moves after the first
    with_ownership: bool = False
    with_line_visits: bool = False
    report_every: float | None = None  # seconds
    avoided: Mapping[Player, frozenset[Action]] = field(default_factory=dict)
    allowed: Mapping[Player, frozenset[Action]] = field(default_factory=dict)

    def position(self, turn: int) -> Position:
        """The position after so many moves; a game that two passes ended goes on there."""
        reached = self.start.play_all(self.moves[:turn])
        return reached.turned_to(reached.to_play) if reached.is_over else reached


def parse_request(line: bytes) -> tuple[PositionQuery | ActionRequest, list[QueryWarning]]:
    """What a line asks for, and what is to be warned of. Raises QueryError and nothing else."""
    said = _parse_object(line)
    id = said.get("id")
    if not isinstance(id, str):
        raise QueryError(f"every query needs an id, a text, not {_shown(id)}", "id")
    try:
        return _parse_action(id, said) if "action" in said else _parse_query(id, said)
    except QueryError as error:
        error.id = id
        raise


def _parse_object(line: bytes) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        raise QueryError(f"the line has more than {LONGEST_LINE} bytes")
    try:
        said = json.loads(line.decode(), parse_constant=_refuse_constant, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise QueryError(f"the line is no UTF-8: {error.reason} at byte {error.start}") from None
    except RecursionError:
        raise QueryError("the line is nested too deeply") from None
    except ValueError as error:
        raise QueryError(f"the line is no JSON: {error}") from None
    if not isinstance(said, dict):
        raise QueryError(f"expected an object of JSON in one line, not {_shown(said)}")
    return said


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{_shown(text)} is too large a number")
    return number


# -- actions


def _parse_action(id: str, said: dict[str, Any]) -> tuple[ActionRequest, list[QueryWarning]]:
    action = said["action"]
    if not isinstance(action, str) or action not in ACTIONS:
        hint = (
            did_you_mean(action[:_LONGEST_NAME], ACTIONS) if isinstance(action, str) else f"known: {', '.join(ACTIONS)}"
        )
        raise QueryError(f"there is no action {_shown(action)}: {hint}", "action")
    terminates = action in ("terminate", "terminate_all")
    known = ["id", "action", *(["terminateId"] if action == "terminate" else []), *(["turnNumbers"] * terminates)]
    target = said.get("terminateId") if action == "terminate" else None
    if action == "terminate" and not isinstance(target, str):
        raise QueryError(f"terminate needs the id of a query as text, not {_shown(target)}", "terminateId")
    turns = said.get("turnNumbers") if terminates else None
    if turns is not None and not (isinstance(turns, list) and all(type(turn) is int for turn in turns)):
        raise QueryError(f"expected a list of whole numbers, not {_shown(turns)}", "turnNumbers")
    request = ActionRequest(id, action, said, target, None if turns is None else frozenset(turns))
    return request, [_unknown(name, known) for name in said if name not in known]


# -- queries


class _Restriction(BaseModel):
    """Moves of a player that may, or may not, be looked at."""

    model_config = ConfigDict(strict=True, extra="forbid", alias_generator=to_camel)

    player: str
    moves: list[str]
    until_depth: int = Field(ge=1)


class _Raw(BaseModel):
    """The fields as JSON has them."""

    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False, alias_generator=to_camel)

    id: str
    moves: list[list[str]]
    initial_stones: list[list[str]] = []
    initial_player: str | None = None
    rules: Any
    komi: float | None = None
    white_handicap_bonus: Any = None
    board_x_size: int = Field(ge=1, le=_LARGEST_BOARD)
    board_y_size: int = Field(ge=1, le=_LARGEST_BOARD)
    analyze_turns: list[int] | None = None
    max_visits: int | None = Field(default=None, ge=1, le=_MOST_VISITS)
    priority: int = 0
    priorities: list[int] | None = None
    include_ownership: bool = False
    include_p_v_visits: bool = Field(default=False, alias="includePVVisits")
    avoid_moves: list[_Restriction] = []
    allow_moves: list[_Restriction] = []
    analysis_p_v_len: int = Field(default=15, ge=1, le=1000, alias="analysisPVLen")
    report_during_search_every: float | None = Field(default=None, ge=0.001, le=1e6)
    override_settings: dict[str, Any] = {}


class _Overrides(BaseModel):
    """The settings of KataGo that mean something here."""

    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False, alias_generator=to_camel)

    max_visits: int | None = Field(default=None, ge=1, le=_MOST_VISITS)
    max_time: float | None = Field(default=None, gt=0, le=1e9)
    report_analysis_winrates_as: Perspective = "BLACK"


# As KataGo spells them.
FIELDS = [info.alias or name for name, info in _Raw.model_fields.items()]
SETTINGS = [info.alias or name for name, info in _Overrides.model_fields.items()]


def _parse_query(id: str, said: dict[str, Any]) -> tuple[PositionQuery, list[QueryWarning]]:
    try:
        raw = _Raw.model_validate(said)
        overrides = _Overrides.model_validate(raw.override_settings)
    except ValidationError as error:
        raise _refused(error, said) from None
    if len(raw.allow_moves) > 1:
        raise QueryError(f"expected one object in the list, not {len(raw.allow_moves)}", "allowMoves")
    size = raw.board_x_size, raw.board_y_size
    start = _start(raw, size)
    moves = tuple(_stone(pair, "moves", size) for pair in raw.moves)
    if len(moves) > MAX_MOVES:
        raise QueryError(f"a game has at most {MAX_MOVES} moves, not {len(moves)}", "moves")
    try:
        start.play_all(moves)
    except IllegalMoveError as error:
        raise QueryError(str(error), "moves") from None
    query = PositionQuery(
        id=id,
        start=start,
        moves=moves,
        turns=_turns(raw),
        max_visits=overrides.max_visits if raw.max_visits is None else raw.max_visits,
        max_seconds=overrides.max_time,
        perspective=overrides.report_analysis_winrates_as,
        line_length=raw.analysis_p_v_len,
        with_ownership=raw.include_ownership,
        with_line_visits=raw.include_p_v_visits,
        report_every=raw.report_during_search_every,
        avoided=_restricted(raw.avoid_moves, "avoidMoves", size),
        allowed=_restricted(raw.allow_moves, "allowMoves", size),
    )
    return query, [*_warnings(said), *_depth_warnings(raw)]


def _refused(error: ValidationError, said: dict[str, Any]) -> QueryError:
    """The first problem, with the field as KataGo spells it."""
    problem = error.errors(include_url=False)[0]
    name = str(problem["loc"][0]) if problem["loc"] else None
    if error.title == "_Overrides":
        return QueryError(f"{name}: {problem['msg']}, not {_shown(problem['input'])}", "overrideSettings")
    if problem["type"] == "missing" and len(problem["loc"]) == 1:
        return QueryError("it is missing", name)
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in problem["loc"][1:])
    return QueryError(f"{where + ': ' if where else ''}{problem['msg']}, not {_shown(problem['input'])}", name)


def _warnings(said: dict[str, Any]) -> list[QueryWarning]:
    found = []
    for name, value in said.items():
        if name in _UNKNOWN_HERE:
            if value is not False:
                found.append(QueryWarning(f"left out: {_UNKNOWN_HERE[name]}", name))
        elif name not in FIELDS:
            found.append(_unknown(name, [*FIELDS, *_UNKNOWN_HERE]))
    settings = said.get("overrideSettings") or {}
    return found + [
        QueryWarning(
            f"the setting {_shown(name)} is not known here: {did_you_mean(name[:_LONGEST_NAME], SETTINGS)}",
            "overrideSettings",
        )
        for name in settings
        if name not in SETTINGS
    ]


def _unknown(name: str, known: list[str]) -> QueryWarning:
    return QueryWarning(f"there is no field {_shown(name)}: {did_you_mean(name[:_LONGEST_NAME], known)}", name)


def _depth_warnings(raw: _Raw) -> list[QueryWarning]:
    """What a search may play later is its own business."""
    told = "the first move alone is restricted, not what may follow"
    lists = (("avoidMoves", raw.avoid_moves), ("allowMoves", raw.allow_moves))
    return [QueryWarning(told, name) for name, given in lists if any(each.until_depth > 1 for each in given)]


def _turns(raw: _Raw) -> dict[int, int]:
    turns = [len(raw.moves)] if raw.analyze_turns is None else raw.analyze_turns
    if not turns:
        raise QueryError("no turn is named", "analyzeTurns")
    for turn in turns:
        if not 0 <= turn <= len(raw.moves):
            raise QueryError(f"there are turns 0 to {len(raw.moves)}, no {_shown(turn)}", "analyzeTurns")
    if raw.priorities is None:
        return dict.fromkeys(turns, raw.priority)
    if len(raw.priorities) != len(turns):
        raise QueryError(f"there are {len(raw.priorities)} for {len(turns)} turns of analyzeTurns", "priorities")
    found: dict[int, int] = {}
    for turn, priority in zip(turns, raw.priorities, strict=True):
        found[turn] = max(priority, found.get(turn, priority))
    return found


def _start(raw: _Raw, size: tuple[int, int]) -> Position:
    """The position before all moves, with whoever is to move first."""
    stones = [_stone(pair, "initialStones", size) for pair in raw.initial_stones]
    if any(action == size[0] * size[1] for _, action in stones):
        raise QueryError("a pass is no stone", "initialStones")
    placed = set[Action]()
    for _, action in stones:
        if action in placed:
            raise QueryError(f"two stones stand at {format_vertex(action, *size)}", "initialStones")
        placed.add(action)
    black, white = ([action for player, action in stones if player is each] for each in (Player.BLACK, Player.WHITE))
    handicap = len(black) if len(black) > 1 and not white else 0
    to_play = Player.WHITE if handicap else Player.BLACK
    if raw.moves:
        to_play = _player(raw.moves[0][0], "moves")
    if raw.initial_player is not None:
        to_play = _player(raw.initial_player, "initialPlayer")
    rules = _rules(raw)
    try:
        return Position.set_up(*size, rules=rules, black=black, white=white, to_play=to_play, handicap=handicap)
    except InvalidArgumentError as error:
        raise QueryError(str(error), "initialStones") from None


def _rules(raw: _Raw) -> Rules:
    field = "rules"
    try:
        if isinstance(raw.rules, str):
            rules = Rules.named(raw.rules[:_LONGEST_NAME])
        elif isinstance(raw.rules, dict):
            rules = Rules.from_katago(raw.rules, Rules.named("chinese").komi)
        else:
            raise QueryError(f"expected a name or an object of parts, not {_shown(raw.rules)}", field)
        field = "komi"
        if raw.komi is not None:
            if abs(raw.komi) > _LARGEST_KOMI or 2 * raw.komi % 1:
                raise QueryError(f"expected a whole or half number up to {_LARGEST_KOMI}, not {raw.komi:g}", field)
            rules = rules.replace(komi=raw.komi)
        field = "whiteHandicapBonus"
        if raw.white_handicap_bonus is not None:
            if str(raw.white_handicap_bonus) not in ("0", "N", "N-1"):
                told = f'expected "0", "N" or "N-1", not {_shown(raw.white_handicap_bonus)}'
                raise QueryError(told, field)
            rules = rules.replace(handicap_bonus=str(raw.white_handicap_bonus))
    except QueryError:
        raise
    except KatachiError as error:
        raise QueryError(str(error), field) from None
    return rules


def _stone(pair: list[str], field: str, size: tuple[int, int]) -> tuple[Player, Action]:
    if len(pair) != 2:
        raise QueryError(f'expected a player and a vertex, such as ["B","C4"], not {_shown(pair)}', field)
    return _player(pair[0], field), _vertex(pair[1], field, size)


def _player(text: str, field: str) -> Player:
    if text.lower() not in _PLAYERS:
        raise QueryError(f'{_shown(text)} is no player: expected "B" or "W"', field)
    return _PLAYERS[text.lower()]


def _vertex(text: str, field: str, size: tuple[int, int]) -> Action:
    try:
        return parse_vertex(text[:_LONGEST_NAME], *size)
    except ParseError as error:
        raise QueryError(str(error), field) from None


def _restricted(given: list[_Restriction], field: str, size: tuple[int, int]) -> dict[Player, frozenset[Action]]:
    found: dict[Player, frozenset[Action]] = {}
    for each in given:
        player = _player(each.player, field)
        actions = frozenset(_vertex(vertex, field, size) for vertex in each.moves)
        found[player] = found.get(player, frozenset()) | actions
    return found


def _shown(value: object, most: int = 60) -> str:
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= most else f"{text[:most]}…"
