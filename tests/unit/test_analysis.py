"""KataGo's JSON protocol without processes: what lines mean, the order of the queue, and what ends a search."""

import json
import math
import time
from typing import Any

import pytest

from katachi import Limit, Player
from katachi.analysis.engine import AnalysisEngine, checked_thinker
from katachi.analysis.query import LONGEST_LINE, ActionRequest, PositionQuery, QueryError, parse_request
from katachi.core.errors import InvalidArgumentError
from katachi.games.go.record import MAX_MOVES
from katachi.players.registry import make_player

Json = dict[str, Any]
ENDLESS = 10**9


def ask(**fields: object) -> bytes:
    usual: Json = {"id": "a", "moves": [], "rules": "tromp-taylor", "boardXSize": 3, "boardYSize": 3}
    return json.dumps({**usual, **fields}).encode()


def query(**fields: object) -> PositionQuery:
    found, warnings = parse_request(ask(**fields))
    assert isinstance(found, PositionQuery)
    assert warnings == []
    return found


def engine(spec: str = "uct:sims=5", seed: int = 1, limit: Limit | None = None) -> tuple[AnalysisEngine, list[Json]]:
    said: list[Json] = []
    return AnalysisEngine(checked_thinker(make_player(spec)), said.append, seed=seed, limit=limit), said


def finish(working: AnalysisEngine) -> None:
    while working.has_work:
        working.work(lambda: None)


# -- what lines mean


def test_a_position_is_that_of_the_turn() -> None:
    asked = query(moves=[["B", "A1"], ["W", "pass"], ["B", "C3"]], analyzeTurns=[0, 2, 3], komi=0.5)
    assert [asked.position(turn).stones() for turn in asked.turns] == [".........", "......X..", "..X...X.."]
    assert [asked.position(turn).to_play for turn in asked.turns] == [Player.BLACK, Player.BLACK, Player.WHITE]
    assert asked.position(0).rules.komi == 0.5
    assert query(moves=[["B", "A1"]]).turns == {1: 0}


def test_who_begins() -> None:
    assert query().position(0).to_play is Player.BLACK
    assert query(moves=[["W", "A1"]], analyzeTurns=[0]).position(0).to_play is Player.WHITE
    assert query(initialPlayer="W").position(0).to_play is Player.WHITE
    assert query(initialStones=[["B", "A1"], ["B", "B2"]]).position(0).to_play is Player.WHITE
    assert query(initialStones=[["B", "A1"], ["W", "B2"]]).position(0).to_play is Player.BLACK
    assert query(initialStones=[["B", "A1"], ["B", "B2"]], initialPlayer="B").position(0).to_play is Player.BLACK


def test_points_for_handicap_stones() -> None:
    stones = [["B", "A1"], ["B", "B2"]]
    for rules, bonus, expected in (
        ("chinese", None, 2),
        ("aga", None, 1),
        ("chinese", "0", 0),
        ("tromp-taylor", "N", 2),
    ):
        extra = {} if bonus is None else {"whiteHandicapBonus": bonus}
        position = query(initialStones=stones, rules=rules, komi=0, **extra).position(0)
        assert position.score() == position.area_score() - expected


def test_rules_by_name_and_by_parts_are_the_same() -> None:
    parts = {"ko": "POSITIONAL", "scoring": "AREA", "tax": "NONE", "suicide": True, "hasButton": False,
             "whiteHandicapBonus": "0", "friendlyPassOk": False}  # fmt: skip
    assert query(rules=parts).start.rules == query(rules="tromp-taylor").start.rules
    assert query(rules="bga").start.rules.name == "aga"


def test_limits_of_a_query() -> None:
    assert query(maxVisits=7, overrideSettings={"maxVisits": 9, "maxTime": 2}).max_visits == 7
    asked = query(overrideSettings={"maxVisits": 9, "maxTime": 2})
    assert (asked.max_visits, asked.max_seconds) == (9, 2)
    assert query(priorities=[3, 5], analyzeTurns=[0, 0]).turns == {0: 5}


def test_what_is_avoided_and_allowed() -> None:
    corner, pass_action = query().start.action("A1"), query().start.pass_action
    assert query(avoidMoves=only(["A1"])).avoided == {Player.BLACK: {corner}}
    assert query(allowMoves=only(["A1", "pass"], "W")).allowed == {Player.WHITE: {corner, pass_action}}


def test_actions() -> None:
    line = b'{"id":"x","action":"terminate","terminateId":"a","turnNumbers":[2,3]}'
    found, warnings = parse_request(line)
    assert found == ActionRequest("x", "terminate", json.loads(line), "a", frozenset([2, 3]))
    assert warnings == []
    unused, warnings = parse_request(b'{"id":"x","action":"terminate_all","terminateId":"a"}')
    assert isinstance(unused, ActionRequest)
    assert unused.terminate_id is None
    assert [warning.field for warning in warnings] == ["terminateId"]


@pytest.mark.parametrize(
    ("line", "field", "shown"),
    [
        (b"\xff\xfe", None, "no UTF-8"),
        (b"[" * 100_000, None, "nested too deeply"),
        (b'{"id":"a","n":' + b"9" * 5000 + b"}", None, "no JSON"),
        (b" " * (LONGEST_LINE + 1), None, f"more than {LONGEST_LINE} bytes"),
        (ask(moves=[["B", "pass"], ["W", "pass"]] * MAX_MOVES), "moves", f"at most {MAX_MOVES} moves"),
        (ask(id=["a"]), "id", '["a"]'),
        (ask(rules=None), "rules", "not null"),
        (ask(rules="x" * 1000), "rules", "xxx"),
        (ask(komi=None, boardXSize=None), "boardXSize", "not null"),
        (ask(moves=[["B", "A1", "A2"]]), "moves", '["B", "A1", "A2"]'),
        (ask(whiteHandicapBonus=[1]), "whiteHandicapBonus", "[1]"),
        (ask(allowMoves=[{"player": "B", "moves": ["A1"], "untilDepth": 1}] * 2), "allowMoves", "not 2"),
        (ask(avoidMoves=[{"player": "B", "moves": ["A1"], "untilDepth": 1, "x": 1}]), "avoidMoves", "x"),
    ],
)  # fmt: skip
def test_mistakes_name_the_field(line: bytes, field: str | None, shown: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_request(line)
    assert caught.value.field == field
    assert shown in str(caught.value)


# -- the engine


def test_the_time_of_a_query_is_used() -> None:
    """Whatever is sure to be played: here there is one move only."""
    working, said = engine()
    working.hear(ask(boardXSize=1, boardYSize=1, maxVisits=ENDLESS, overrideSettings={"maxTime": 0.4}))
    started = time.monotonic()
    finish(working)
    assert time.monotonic() - started >= 0.4
    assert [info["move"] for info in said[0]["moveInfos"]] == ["pass"]


def test_priorities_then_age() -> None:
    working, said = engine()
    working.hear(ask(id="low", analyzeTurns=[0, 1], moves=[["B", "A1"]], priority=-1))
    working.hear(ask(id="usual"))
    working.hear(ask(id="high", analyzeTurns=[0, 1], moves=[["B", "A1"]], priorities=[1, 2]))
    working.hear(ask(id="also usual"))
    assert said == []
    finish(working)
    order = [(answer["id"], answer["turnNumber"]) for answer in said]
    assert order == [("high", 1), ("high", 0), ("usual", 0), ("also usual", 0), ("low", 0), ("low", 1)]


def test_what_has_begun_is_not_interrupted_by_what_comes_later() -> None:
    working, said = engine()
    working.hear(ask(id="first", maxVisits=ENDLESS, overrideSettings={"maxTime": 0.3}))
    lines = [ask(id="urgent", priority=9)]

    def listen() -> None:
        while lines:
            working.hear(lines.pop())

    working.work(listen)
    finish(working)
    assert [answer["id"] for answer in said] == ["first", "urgent"]


def test_terminating_what_runs_and_what_waits() -> None:
    working, said = engine()
    game: Json = {"moves": [["B", "A1"], ["W", "B2"]], "maxVisits": ENDLESS}
    working.hear(ask(id="runs", **game))
    working.hear(ask(id="waits", analyzeTurns=[0, 1, 2], **game))
    working.hear(ask(id="stays"))
    lines = [
        b'{"id":"2","action":"terminate","terminateId":"runs"}',
        b'{"id":"1","action":"terminate","terminateId":"waits","turnNumbers":[0,2]}',
        b'{"id":"0","action":"terminate","terminateId":"runs","turnNumbers":[7]}',
    ]

    def listen() -> None:
        if lines:
            working.hear(lines.pop())

    working.work(listen)
    assert [answer["id"] for answer in said] == ["0", "1", "waits", "waits", "2", "runs"]
    nothing = {"id": "waits", "turnNumber": 0, "isDuringSearch": False, "noResults": True}
    assert said[2:4] == [nothing, {**nothing, "turnNumber": 2}]
    last = said[-1]
    assert (last["isDuringSearch"], last["turnNumber"]) == (False, 2)
    assert 0 < last["rootInfo"]["visits"] < ENDLESS
    assert last["moveInfos"]
    working.hear(b'{"id":"3","action":"terminate","terminateId":"waits"}')
    finish(working)
    assert [answer["id"] for answer in said[6:]] == ["3", "waits", "stays"]
    assert "noResults" in said[7]
    assert said[8]["moveInfos"]


def test_terminating_everything() -> None:
    working, said = engine()
    for number in range(3):
        working.hear(ask(id=str(number)))
    working.hear(b'{"id":"x","action":"terminate_all"}')
    assert not working.has_work
    assert [answer["id"] for answer in said] == ["x", "0", "1", "2"]


def test_reports_during_a_search() -> None:
    working, said = engine()
    working.hear(ask(maxVisits=ENDLESS, reportDuringSearchEvery=0.001))
    calls = iter(range(10))

    def listen() -> None:
        if next(calls, None) == 4:
            working.hear(b'{"id":"x","action":"terminate_all"}')

    working.work(listen)
    reports = [answer for answer in said if answer["id"] == "a"]
    assert [report["isDuringSearch"] for report in reports] == [True] * (len(reports) - 1) + [False]
    assert len(reports) >= 3
    visits = [report["rootInfo"]["visits"] for report in reports]
    assert visits == sorted(visits)


def test_an_answer_does_not_depend_on_what_else_was_asked() -> None:
    answers = []
    for before in ([], [ask(id="b", moves=[["B", "B2"]])], [ask(), ask(analyzeTurns=[0])]):
        working, said = engine("mc-rave:sims=30")
        for line in (*before, ask()):
            working.hear(line)
        finish(working)
        answers.append(said[-1])
    assert answers[0] == answers[1] == answers[2]
    working, said = engine("mc-rave:sims=30", seed=2)
    working.hear(ask())
    finish(working)
    assert said != answers[:1]


def test_perspectives_are_one_value() -> None:
    working, said = engine("uct:sims=40")
    for viewer in ("BLACK", "WHITE", "SIDETOMOVE"):
        working.hear(
            ask(moves=[["B", "B2"]], includeOwnership=True, overrideSettings={"reportAnalysisWinratesAs": viewer})
        )
    finish(working)
    black, white, mover = said
    assert mover == white
    assert math.isclose(black["rootInfo"]["winrate"], 1 - white["rootInfo"]["winrate"], abs_tol=1e-5)
    assert black["ownership"] == [-share for share in white["ownership"]]
    for one, other in zip(black["moveInfos"], white["moveInfos"], strict=True):
        assert one["move"] == other["move"]
        assert math.isclose(one["winrate"], 1 - other["winrate"], abs_tol=1e-5)
    # White is to move, so the first move is the best for White.
    assert white["moveInfos"][0]["winrate"] == max(info["winrate"] for info in white["moveInfos"])
    assert sum(black["ownership"]) > 0  # the centre is Black's


def test_visits_and_lines() -> None:
    working, said = engine("uct:sims=5")
    working.hear(ask(maxVisits=200, includePVVisits=True, analysisPVLen=1))
    finish(working)
    assert said[0]["rootInfo"]["visits"] == 200
    assert sum(info["visits"] for info in said[0]["moveInfos"]) == 200
    assert [info["order"] for info in said[0]["moveInfos"]] == list(range(len(said[0]["moveInfos"])))
    for info in said[0]["moveInfos"]:
        assert 1 <= len(info["pv"]) == len(info["pvVisits"]) <= 2
        assert (info["pv"][0], info["pvVisits"][0]) == (info["move"], info["visits"])
        assert info["pvVisits"] == sorted(info["pvVisits"], reverse=True)


def only(moves: list[str], player: str = "B") -> list[Json]:
    return [{"player": player, "moves": moves, "untilDepth": 1}]


def test_allowed_moves_share_the_visits() -> None:
    working, said = engine("uct:sims=5")
    working.hear(ask(maxVisits=90, allowMoves=only(["A1", "B2", "pass"]), includePVVisits=True))
    working.hear(ask(maxVisits=90, allowMoves=only(["A1"], "W")))
    finish(working)
    restricted, free = said
    infos = {info["move"]: info for info in restricted["moveInfos"]}
    assert {move: info["visits"] for move, info in infos.items()} == {"A1": 30, "B2": 30, "pass": 30}
    assert restricted["rootInfo"]["visits"] == 90
    assert restricted["rootInfo"]["winrate"] == infos["B2"]["winrate"]
    assert restricted["moveInfos"][0]["move"] == "B2"  # the centre
    assert infos["B2"]["winrate"] > infos["A1"]["winrate"]
    assert [info["winrate"] for info in restricted["moveInfos"]] == sorted(
        (info["winrate"] for info in infos.values()), reverse=True
    )
    for info in infos.values():
        assert (info["pv"][0], info["pvVisits"][0]) == (info["move"], 30)
        assert len(info["pv"]) == len(info["pvVisits"]) > 1
    assert len(free["moveInfos"]) == 9


@pytest.mark.parametrize("spec", ["mc-rave:sims=6", "flat-mc:sims=2", "alpha-beta:depth=1,weights=none", "shapes"])
def test_allowed_moves_of_other_players(spec: str) -> None:
    working, said = engine(spec)
    board: Json = {"boardXSize": 5, "boardYSize": 5}
    working.hear(ask(**board, allowMoves=only(["A1", "E5"])))
    finish(working)
    assert {info["move"] for info in said[0]["moveInfos"]} == {"A1", "E5"}


@pytest.mark.parametrize("spec", ["mc-rave:sims=6", "tournament:sims=6", "td-mc-rave:sims=6,weights=none"])
def test_a_tree_tries_nothing_but_what_is_asked_for(spec: str) -> None:
    working, said = engine(spec)
    board: Json = {"boardXSize": 5, "boardYSize": 5, "maxVisits": 20}
    centre = [f"{column}{row}" for column in "BCD" for row in (2, 3, 4)]
    working.hear(ask(**board, avoidMoves=only(centre)))
    working.hear(ask(**board, allowMoves=only([*centre, "pass"])))
    working.hear(ask(**board, moves=[["B", "C3"]], avoidMoves=only(["B2"], "B")))  # White is to move
    finish(working)
    around, inside, free = ({info["move"]: info["visits"] for info in answer["moveInfos"]} for answer in said)
    assert around
    assert not {*centre, "pass"} & around.keys()
    assert inside.keys() <= {*centre, "pass"}
    assert free
    if "td" not in spec:  # the first search has a share of the visits there
        assert sum(around.values()) == sum(inside.values()) == 20


@pytest.mark.parametrize("spec", ["td-mc-rave:sims=6,weights=none", "td-search:sims=6", "mc-rave:sims=6"])
def test_what_is_avoided_is_never_told(spec: str) -> None:
    working, said = engine(spec)
    centre = [f"{column}{row}" for column in "BCD" for row in (2, 3, 4)]
    asked: Json = {"boardXSize": 5, "boardYSize": 5, "avoidMoves": only(centre), "reportDuringSearchEvery": 0.001}
    working.hear(ask(**asked, maxVisits=20_000))
    finish(working)
    assert len(said) > 1
    told = {info["move"] for answer in said for info in answer["moveInfos"]}
    assert told
    assert not told & set(centre)


def test_a_pass_that_ends_the_game_is_counted() -> None:
    working, said = engine()
    # White, with komi, has more.
    working.hear(ask(moves=[["B", "pass"]], allowMoves=only(["pass"], "W"), komi=0.5))
    working.hear(ask(moves=[["B", "B2"], ["W", "pass"]], allowMoves=only(["pass"]), komi=0.5))
    finish(working)
    assert [answer["moveInfos"][0]["winrate"] for answer in said] == [0.0, 1.0]
    assert [answer["rootInfo"]["visits"] for answer in said] == [1, 1]


def test_terminating_a_search_of_some_moves() -> None:
    working, said = engine()
    working.hear(ask(maxVisits=ENDLESS, allowMoves=only(["A1", "B2"])))
    working.work(lambda: working.hear(b'{"id":"x","action":"terminate_all"}'))
    assert [info["move"] for info in said[-1]["moveInfos"]] == ["B2"]  # the first of the board
    assert not working.has_work


def test_nothing_that_may_be_played() -> None:
    working, said = engine()
    working.hear(ask(moves=[["B", "A1"], ["W", "pass"]], allowMoves=only(["A1"])))
    finish(working)
    assert said[0]["error"].startswith("no legal move is allowed in\n")
    assert said[0]["noResults"] is True


@pytest.mark.parametrize("spec", ["flat-mc:sims=3", "alpha-beta:depth=2,weights=none", "td-search:sims=5", "shapes"])
def test_other_players(spec: str) -> None:
    working, said = engine(spec)
    working.hear(ask(boardXSize=5, boardYSize=5, includePVVisits=True))
    finish(working)
    assert said[0]["moveInfos"], said
    assert 0 <= said[0]["rootInfo"]["winrate"] <= 1


def test_a_player_that_does_not_play_there() -> None:
    working, said = engine("shapes")
    working.hear(ask(boardXSize=13, boardYSize=13))
    assert not working.has_work
    assert said[0]["field"] == "boardXSize"
    assert "13x13" in said[0]["error"]
    with pytest.raises(InvalidArgumentError, match="random does not search"):
        checked_thinker(make_player("random"))


def test_a_search_that_fails_is_answered(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    working, said = engine()

    def fail(*_arguments: object) -> None:
        raise errors.pop()

    errors: list[Exception] = [ZeroDivisionError("a bug"), InvalidArgumentError("too much")]
    monkeypatch.setattr(working.player, "think", fail)
    working.hear(ask(id="one"))
    working.hear(ask(id="two"))
    finish(working)
    last = {"turnNumber": 0, "isDuringSearch": False, "noResults": True}
    assert said == [
        {"error": "too much", "id": "one", **last},
        {"error": "internal error, see the log", "id": "two", **last},
    ]
    assert "a bug" in caplog.text


def test_a_line_that_meets_a_bug_is_answered(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    working, said = engine()

    def fail(_line: bytes) -> None:
        raise ZeroDivisionError("a bug")

    with monkeypatch.context() as changed:
        changed.setattr("katachi.analysis.engine.parse_request", fail)
        working.hear(ask())
    working.hear(ask())
    finish(working)
    assert said[0] == {"error": "internal error, see the log"}
    assert said[1]["moveInfos"]
    assert "a bug" in caplog.text


def test_a_budget_for_queries_that_name_none() -> None:
    working, said = engine("uct:sims=5", limit=Limit(simulations=8))
    working.hear(ask())
    working.hear(ask(maxVisits=3))
    finish(working)
    assert [answer["rootInfo"]["visits"] for answer in said] == [8, 3]
