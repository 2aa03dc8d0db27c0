"""A session in the opponent's time, without a server: what starts and ends it, what it learns, what it may take."""

from collections.abc import Callable

import pytest

from katachi import Player
from katachi.core.errors import InvalidArgumentError
from katachi.games.go import Rules
from katachi.gtp import session as session_module
from katachi.gtp.go_session import GoSession
from katachi.gtp.server import Engine
from katachi.players.registry import make_player
from katachi.players.tree_player import TreePlayer


def new_session(spec: str = "uct:sims=50") -> GoSession:
    session = GoSession(make_player(spec), 1, size=(5, 5), rules=Rules.named("chinese"))
    session.is_left = lambda: False
    session.ponders = True
    return session


def looks(times: int) -> Callable[[], bool]:
    """Is somebody there? Not for so many looks: the first is before it begins, then every 50 ms."""
    left = times

    def look() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    return look


def root_visits(session: GoSession) -> int:
    assert isinstance(session.player, TreePlayer)
    search = session.player._search
    return 0 if search is None else search.tree.root.visits


def ponder(session: GoSession, times: int = 4) -> None:
    session.is_interrupted = looks(times)
    session.ponder()
    session.is_interrupted = lambda: False


def test_it_begins_with_a_move_and_goes_on_after_an_interruption() -> None:
    session = new_session()
    ponder(session)
    assert root_visits(session) == 0, "nothing has been played"
    session.think(Player.BLACK)
    ponder(session)
    assert root_visits(session) == 50, "nothing has been played yet"
    session.generate(Player.BLACK)
    known = root_visits(session)
    ponder(session)
    first = root_visits(session)
    assert first > known
    ponder(session)
    assert root_visits(session) > first
    session.is_interrupted = lambda: True
    session.ponder()
    answers = {root.action: root.visits for root in session.player._search.root_actions()}  # type: ignore[attr-defined]
    action = max(answers, key=lambda each: answers[each])
    session.play(Player.WHITE, action)
    before = root_visits(session)
    session.ponder()
    assert root_visits(session) == before, "it is our turn"
    session.generate(Player.BLACK)
    assert root_visits(session) == answers[action] + 50


@pytest.mark.parametrize(
    "line",
    ["stop", "undo", "clear_board", "boardsize 5", "boardsize 3", "komi 1", "play w A1", "clear_cache",
     "kata-set-rules aga", "kata-set-param sims 3", "gogui-setup_player b", "set_position b A1", "reg_genmove w",
     "katachi-ponder false", "kata-search w", "lz-analyze w 1"],
)  # fmt: skip
def test_what_ends_it_and_what_does_not(line: str) -> None:
    session = new_session()
    session.generate(Player.BLACK)
    ponder(session)
    session.is_left = lambda: True  # for commands that wait for the controller
    answer = Engine(session).answer(line)
    session.is_left = lambda: False
    assert answer is not None
    assert answer.startswith(b"="), answer
    before = root_visits(session)
    ponder(session)
    assert (root_visits(session) > before) == (line == "reg_genmove w")
    for _ in range(3):  # whatever it was, the game goes on
        session.generate(session.to_play)
        ponder(session, 2)


def test_it_is_bounded() -> None:
    session = new_session("uct:sims=20000,memory=4.0")
    session.generate(Player.BLACK)
    ponder(session, 20)
    search = session.player._search  # type: ignore[attr-defined]
    assert search.is_full
    assert search.bytes <= 4 * 2**20


def test_it_ends_after_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "_LONGEST_PONDERING", 0.2)
    session = new_session()
    session.generate(Player.BLACK)
    session.ponder()  # nobody ever says anything
    before = root_visits(session)
    session.ponder()
    assert root_visits(session) == before


def test_a_game_that_is_over_is_not_thought_about() -> None:
    session = new_session("uct:sims=5")
    session.play(Player.BLACK, session.position.pass_action)
    session.play(Player.WHITE, session.position.pass_action)
    assert session.is_over
    player = session.player
    assert isinstance(player, TreePlayer)
    session._pondering = session_module._Pondering(player, session.state)
    ponder(session)
    assert root_visits(session) == 0


def test_without_pondering_moves_are_a_function_of_the_seed() -> None:
    games = []
    for ponders in (False, False, True):
        session = new_session()
        session.ponders = ponders
        for _ in range(6):
            session.generate(session.to_play)
            ponder(session, 3)
        games.append(session.position.moves)
    assert games[0] == games[1]


@pytest.mark.parametrize(
    "spec", ["flat-mc:sims=1", "alpha-beta", "shapes", "random", "uct:sims=1,between_moves=discard"]
)
def test_who_keeps_nothing_cannot_ponder(spec: str) -> None:
    session = GoSession(make_player(spec), 1, size=(5, 5), rules=Rules.named("chinese"))
    with pytest.raises(InvalidArgumentError, match="it cannot ponder"):
        session.ponders = True
    assert not session.ponders
