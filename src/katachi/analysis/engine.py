"""The engine behind KataGo's JSON protocol: a queue of positions, one search at a time, answers as they are found.

    engine = AnalysisEngine(player, say)
    engine.hear(line)              # queues positions; actions and mistakes are answered at once
    engine.work(listen)            # searches the first of the queue; `listen` is called about every 50 ms

The queue is ordered by priority, and then by age; what has begun is not interrupted by what comes later. Every position
has a generator of its own and a player that remembers nothing, so the same query has the same answer whatever else is
asked. Every (id, turn) gets exactly one answer with `isDuringSearch` false: also if it is terminated, also if it fails.

All of it runs in one thread. The streams are katachi.analysis.server's.
"""

import heapq
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import katachi
from katachi._core import Rng
from katachi.analysis.query import ActionRequest, PositionQuery, QueryError, parse_request
from katachi.core.errors import InvalidArgumentError, KatachiError
from katachi.core.limit import Limit
from katachi.core.types import Player
from katachi.games.go.game import GoGame
from katachi.games.go.position import Position
from katachi.games.go.status import PLAYOUTS
from katachi.players.player import GamePlayer, check_player, close_player, tell_new_game
from katachi.players.some_moves import Restriction, SomeMoves, think_about
from katachi.players.thinking import (
    ENDLESS,
    Candidate,
    Thinking,
    ThinkingPlayer,
    analyse,
    keep_ownership,
    ownership,
    position_value,
)

__all__ = ["AnalysisEngine", "checked_thinker"]

log = logging.getLogger(__name__)

Json = dict[str, Any]
_DIGITS = 6  # of what is told
_EACH = 4  # as many moves that are asked for by name have the same share of the visits each
_BUG = "internal error, see the log"


def checked_thinker(player: GamePlayer) -> ThinkingPlayer:
    """The player, if it searches."""
    if not isinstance(player, ThinkingPlayer):
        raise InvalidArgumentError(f"{player.name} does not search: there is nothing to see")
    return player


@dataclass
class _Task:
    """One position in the queue."""

    query: PositionQuery
    turn: int
    is_ended: bool = False  # terminated: what is known is told, and nothing more is searched


class AnalysisEngine:
    """Answers lines of the protocol through `say`, which gets objects of JSON."""

    def __init__(
        self, player: ThinkingPlayer, say: Callable[[Json], object], *, seed: int = 1, limit: Limit | None = None
    ) -> None:
        """`limit` is for queries that name no visits, instead of the player's own budget."""
        self.player = player
        self._say = say
        self._seed = seed
        self._limit = limit or player.limit or ENDLESS
        self._queue: list[tuple[int, int, _Task]] = []  # a heap: priority turned round, age
        self._heard = 0
        self._running: _Task | None = None

    @property
    def has_work(self) -> bool:
        """Is anything left to be searched?"""
        return bool(self._queue)

    def hear(self, line: bytes) -> None:
        """Takes a line. An empty one says nothing."""
        if not line.strip():
            return
        try:
            request, warnings = parse_request(line)
            if isinstance(request, PositionQuery):
                self._check(request)
        except QueryError as error:
            self._say(_told({"error": str(error), "field": error.field, "id": error.id}))
            return
        except MemoryError:
            raise
        except Exception:
            log.exception("internal error at %r", line[:200])
            self._say({"error": _BUG})
            return
        for warning in warnings:
            self._say({"warning": warning.text, "field": warning.field, "id": request.id})
        if isinstance(request, ActionRequest):
            self._act(request)
            return
        for turn, priority in request.turns.items():
            heapq.heappush(self._queue, (-priority, self._heard, _Task(request, turn)))
            self._heard += 1

    def work(self, listen: Callable[[], object]) -> None:
        """Searches the position that comes first, and answers."""
        self._running = task = heapq.heappop(self._queue)[2]
        try:
            answer = self._analyse(task, listen)
        except KatachiError as error:
            answer = {"error": str(error), **_nothing(task)}
        except (BrokenPipeError, MemoryError):
            raise
        except Exception:
            # A bug of ours must not cost the other queries.
            log.exception("internal error at turn %s of %r", task.turn, task.query.id[:200])
            answer = {"error": _BUG, **_nothing(task)}
        finally:
            self._running = None
        self._say(answer)

    # -- lines

    def _check(self, query: PositionQuery) -> None:
        start = query.start
        try:
            check_player(self.player, GoGame((start.width, start.height), start.rules))
        except KatachiError as error:
            raise QueryError(str(error), "boardXSize", query.id) from None

    def _act(self, request: ActionRequest) -> None:
        extra: Json = {}
        if request.action == "query_version":
            extra = {"version": katachi.__version__, "git_hash": "<omitted>"}
        elif request.action == "query_models":
            extra = {"models": [{"name": self.player.name}]}
        elif request.action == "clear_cache" and self._running is None:
            close_player(self.player)
        self._say({**request.said, **extra})
        if request.action in ("terminate", "terminate_all"):
            self._terminate(request)

    def _terminate(self, request: ActionRequest) -> None:
        def is_meant(task: _Task) -> bool:
            return request.terminate_id in (None, task.query.id) and (
                request.turns is None or task.turn in request.turns
            )

        if self._running is not None and is_meant(self._running):
            self._running.is_ended = True
        ended = sorted(entry for entry in self._queue if is_meant(entry[2]))
        self._queue = [entry for entry in self._queue if not is_meant(entry[2])]
        heapq.heapify(self._queue)
        for *_, task in ended:
            self._say(_nothing(task))

    # -- searches

    def _analyse(self, task: _Task, listen: Callable[[], object]) -> Json:
        query = task.query
        position = query.position(task.turn)
        rng = Rng(self._seed).split("turn", task.turn)
        game = GoGame((position.width, position.height), position.rules)
        thinking = self._thinking(query, game, position, rng)
        telling = _Telling(task, game, position, thinking, rng)
        last = time.monotonic()

        def go_on(_share: float) -> bool:
            nonlocal last
            listen()
            if query.report_every is not None and time.monotonic() - last >= query.report_every and not task.is_ended:
                if (partial := telling.answer(is_during_search=True)) is not None:
                    self._say(partial)
                last = time.monotonic()
            return not task.is_ended

        analyse(thinking, self._limit_of(query), go_on)
        return telling.answer(is_during_search=False) or _nothing(task)

    def _thinking(self, query: PositionQuery, game: GoGame, position: Position, rng: Rng) -> Thinking:
        mover = position.to_play
        restriction = Restriction(query.avoided.get(mover, frozenset()), query.allowed.get(mover))
        actions = restriction.actions(game, position)
        if not actions:
            raise InvalidArgumentError(f"no legal move is allowed in\n{position}")
        if restriction.allowed is not None and len(actions) <= _EACH:
            return SomeMoves(self.player, game, position, actions, rng)
        if restriction:
            return think_about(self.player, game, position, restriction, rng)
        tell_new_game(self.player)
        return self.player.think(game, position, rng)

    def _limit_of(self, query: PositionQuery) -> Limit:
        limit = self._limit if query.max_visits is None else Limit(simulations=query.max_visits)
        if query.max_seconds is None:
            return limit
        return limit.replace(seconds=min(query.max_seconds, limit.seconds or query.max_seconds))


class _Telling:
    """What a search has found, in KataGo's words. docs/analysis.md says what they mean here."""

    def __init__(self, task: _Task, game: GoGame, position: Position, thinking: Thinking, rng: Rng) -> None:
        self._task, self._facts, self._position, self._thinking = task, game.facts, position, thinking
        self._viewer = {"BLACK": Player.BLACK, "WHITE": Player.WHITE, "SIDETOMOVE": position.to_play}[
            task.query.perspective
        ]
        self._rng = rng
        if task.query.with_ownership:
            keep_ownership(thinking)

    def answer(self, *, is_during_search: bool) -> Json | None:
        """None: nothing is known yet."""
        query, position = self._task.query, self._position
        known = [c for c in self._thinking.candidates() if c.value is not None]
        if not known:
            return None
        answer: Json = {
            "id": query.id,
            "turnNumber": self._task.turn,
            "isDuringSearch": is_during_search,
            "moveInfos": [self._info(order, candidate) for order, candidate in enumerate(known)],
            "rootInfo": {
                "currentPlayer": "B" if position.to_play is Player.BLACK else "W",
                "thisHash": f"{position.key:016X}",
                "visits": self._thinking.decision().simulations,
                "winrate": self._winrate(position_value(known)),
            },
        }
        if query.with_ownership:
            answer["ownership"] = self._ownership()
        return answer

    def _info(self, order: int, candidate: Candidate) -> Json:
        length = self._task.query.line_length + 1
        winrate = self._winrate(candidate.value)
        info: Json = {
            "move": self._position.vertex(candidate.action),
            "visits": candidate.visits,
            "winrate": winrate,
            "lcb": winrate,
            "order": order,
            "pv": [self._position.vertex(action) for action in candidate.line[:length]],
        }
        if self._task.query.with_line_visits and candidate.line_visits:
            info["pvVisits"] = list(candidate.line_visits[:length])
        own: Json = {}
        if candidate.rave is not None:
            value, count = candidate.rave
            own = {
                "meanWinrate": self._winrate(candidate.mean),
                "raveWinrate": self._winrate(value),
                "raveVisits": round(count, _DIGITS),
            }
        if candidate.prior is not None:
            own["priorWinrate"] = self._winrate(candidate.prior)
        return {**info, "katachi": own} if own else info

    def _winrate(self, value: float | None) -> float | None:
        """Of the return of player 0, as whoever asked wants to see it."""
        if value is None:
            return None
        return round(min(1.0, max(0.0, self._facts.value_for(self._viewer, value))), _DIGITS)

    def _ownership(self) -> list[float]:
        """By the search's own simulations, or by playouts where it cannot tell."""
        sign = 1 if self._viewer is Player.BLACK else -1
        shares = ownership(self._thinking) or self._position.ownership(PLAYOUTS, self._rng.split("ownership"))
        return [round(sign * share, _DIGITS) for share in shares]


def _nothing(task: _Task) -> Json:
    """The last answer of a position of which nothing is known."""
    return {"id": task.query.id, "turnNumber": task.turn, "isDuringSearch": False, "noResults": True}


def _told(answer: Json) -> Json:
    """Without what is not known."""
    return {key: value for key, value in answer.items() if value is not None}
