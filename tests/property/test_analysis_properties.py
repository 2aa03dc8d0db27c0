"""KataGo's JSON protocol under any lines: every line is answered, in JSON, and nothing raises."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from katachi.analysis.engine import AnalysisEngine, checked_thinker
from katachi.analysis.query import PositionQuery, QueryError, parse_request
from katachi.players.registry import make_player

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
RULES = st.sampled_from(["chinese", "tromp-taylor", "aga", "japanese", "?"])
RESTRICTION = st.fixed_dictionaries(
    {"player": st.just("B"), "moves": st.just(["A1", "pass"]), "untilDepth": st.integers(0, 2)}
)
STONES = st.lists(
    st.tuples(st.sampled_from(["B", "W", "b", "x"]), st.sampled_from(["A1", "B2", "C3", "a3", "pass", "D4", "I1", ""])),
    max_size=6,
)
LIKELY: dict[str, st.SearchStrategy[Any]] = {
    "id": st.text(max_size=3),
    "moves": STONES,
    "initialStones": STONES,
    "initialPlayer": st.sampled_from(["B", "W", "?"]),
    "rules": RULES | st.fixed_dictionaries({"suicide": ANYTHING}),
    "komi": st.floats(allow_nan=False, allow_infinity=False),
    "boardXSize": st.integers(1, 4),
    "boardYSize": st.integers(1, 4),
    "analyzeTurns": st.lists(st.integers(-1, 4), max_size=4),
    "maxVisits": st.integers(0, 3),
    "priority": st.integers(),
    "priorities": st.lists(st.integers(), max_size=4),
    "includeOwnership": st.booleans(),
    "includePVVisits": st.booleans(),
    "includePolicy": st.booleans(),
    "analysisPVLen": st.integers(0, 3),
    "reportDuringSearchEvery": st.floats(0, 1),
    "avoidMoves": st.lists(RESTRICTION, max_size=2),
    "allowMoves": st.lists(RESTRICTION, max_size=1),
    "overrideSettings": st.dictionaries(st.sampled_from(["maxTime", "maxVisits", "x"]), st.integers(0, 3), max_size=2),
    "action": st.sampled_from(["query_version", "query_models", "terminate", "terminate_all", "clear_cache", "?"]),
    "terminateId": st.text(max_size=3),
    "turnNumbers": st.lists(st.integers(0, 4), max_size=3),
}
FIELDS = st.sampled_from(sorted(LIKELY)) | st.text(max_size=6)


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """A query with some fields replaced by anything, and some that nobody knows."""
    asked = {"id": "a", "moves": [], "rules": "chinese", "boardXSize": 3, "boardYSize": 3, "maxVisits": 2}
    for name in draw(st.lists(st.sampled_from(sorted(set(LIKELY) - {"action"})), max_size=6)):
        asked[name] = draw(LIKELY[name])
    if draw(st.integers(0, 5)) == 0:
        asked["action"] = draw(LIKELY["action"])
    if draw(st.integers(0, 2)) == 0:
        asked[draw(FIELDS)] = draw(ANYTHING)
    return json.dumps(asked).encode()


def check_answers(line: bytes) -> None:
    said: list[dict[str, Any]] = []
    engine = AnalysisEngine(checked_thinker(make_player("uct:sims=2")), said.append)
    engine.hear(line)
    while engine.has_work:
        engine.work(lambda: None)
    try:
        request, warnings = parse_request(line)
    except QueryError:
        assert ["error" in answer for answer in said] == [True] * bool(line.strip())
    else:
        assert ["warning" in answer for answer in said[: len(warnings)]] == [True] * len(warnings)
        answers = said[len(warnings) :]
        if isinstance(request, PositionQuery):
            assert sorted(answer["turnNumber"] for answer in answers) == sorted(request.turns)
            for answer in answers:
                assert answer["isDuringSearch"] is False
                assert answer.get("moveInfos") or request.avoided or request.allowed
                assert {info["visits"] > 0 for info in answer.get("moveInfos", [])} <= {True}
        else:
            assert [answer["action"] for answer in answers] == [request.action]
    for answer in said:
        assert "\n" not in json.dumps(answer, allow_nan=False)


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode(errors="surrogatepass")))
@settings(max_examples=300)
def test_any_bytes(line: bytes) -> None:
    check_answers(line.replace(b"\n", b" "))


@given(ANYTHING)
@settings(max_examples=300)
def test_any_json(value: object) -> None:
    check_answers(json.dumps(value).encode())


@given(lines())
@settings(max_examples=600)
def test_queries_with_mistakes(line: bytes) -> None:
    check_answers(line)
