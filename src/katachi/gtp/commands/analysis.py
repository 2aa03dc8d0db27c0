"""Analyses: what the engine thinks of all moves while it thinks, in the words of Leela Zero and of KataGo.

    lz-analyze [colour] [centiseconds] [interval N] [minmoves N] [maxmoves N] [avoid|allow COLOUR VERTICES DEPTH] ...

The answer begins with `=`, has a line of `info` for each report, and ends when the controller says anything. Only what
is known is told; docs/gtp.md says what that means for each key.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from katachi.core.errors import ParseError
from katachi.core.types import Player
from katachi.gtp.commands.basics import format_decision, refuse_unless
from katachi.gtp.go_session import GoSession
from katachi.gtp.protocol import GtpError, parse_color
from katachi.gtp.registry import command, parse_vertex
from katachi.gtp.session import LONG, Session
from katachi.players.player import Decision
from katachi.players.some_moves import Restriction
from katachi.players.thinking import Candidate, Thinking, analyse, keep_ownership, ownership, position_value

_USUAL_INTERVAL = 1.0  # seconds between two reports, if the controller does not say
_PAUSE = 0.02  # seconds between two looks at the controller when nothing is left to search
# KataGo's switches. All are read; only rootInfo, ownership and pvVisits are known here.
_SWITCHES = (
    "rootInfo", "ownership", "ownershipStdev", "movesOwnership", "movesOwnershipStdev", "pvVisits", "pvEdgeVisits",
    "noResultValue",
)  # fmt: skip


@dataclass
class _Options:
    """What the words of a line ask for."""

    player: Player
    interval: float = _USUAL_INTERVAL  # seconds
    most: int | None = None  # moves in a report
    with_root: bool = False
    with_ownership: bool = False
    with_line_visits: bool = False
    restriction: Restriction = field(default_factory=Restriction)


@command("lz-analyze", thinks=True)
def lz_analyze(session: Session, words: tuple[str, ...]) -> None:
    """Reports until the controller says anything; win rates from 0 to 10000."""
    _analyze(session, _read_options(session, words), _lz_winrate)


@command("kata-analyze", thinks=True)
def kata_analyze(session: Session, words: tuple[str, ...]) -> None:
    """The same with win rates from 0 to 1, and who holds which point if asked."""
    _analyze(session, _read_options(session, words, of_katago=True), _kata_winrate)


@command("lz-genmove_analyze", thinks=True)
def lz_genmove_analyze(session: Session, words: tuple[str, ...]) -> None:
    """The engine's move, which it plays, with reports on the way."""
    _genmove(session, _read_options(session, words), _lz_winrate)


@command("kata-genmove_analyze", thinks=True)
def kata_genmove_analyze(session: Session, words: tuple[str, ...]) -> None:
    """The same with win rates from 0 to 1."""
    _genmove(session, _read_options(session, words, of_katago=True), _kata_winrate)


def _analyze(session: Session, options: _Options, winrate: Callable[[float], str]) -> None:
    thinking = session.begin(options.player, options.restriction)
    reports = _Reports(session, thinking, options, winrate)
    is_done = analyse(thinking, LONG, lambda _: reports.go_on() and not session.is_needed())
    while is_done and not session.is_needed():
        reports.go_on()
        time.sleep(_PAUSE)
    if reports.number == 0:
        reports.report()


def _genmove(session: Session, options: _Options, winrate: Callable[[float], str]) -> None:
    def decide(player: Player) -> Decision:
        started = time.monotonic()
        with session.counted():
            thinking = session.begin(player, options.restriction)
            reports = _Reports(session, thinking, options, winrate)
            limit = session.limit_for(player, time.monotonic() - started)
            thinking.run(limit, lambda _: reports.go_on() and not session.is_stopped())
            reports.report()
        return thinking.decision()

    before = session.state_for(options.player)
    session.say(f"play {format_decision(session, session.generate(options.player, decide), before)}")


class _Reports:
    """Says what a search has found, now and then."""

    def __init__(
        self, session: Session, thinking: Thinking, options: _Options, winrate: Callable[[float], str]
    ) -> None:
        self._session, self._thinking, self._options, self._winrate = session, thinking, options, winrate
        self._state = session.state_for(options.player)
        self._last = time.monotonic()
        if options.with_ownership:
            keep_ownership(thinking)
        self.number = 0
        session.say("")

    def go_on(self) -> bool:
        """Reports if it is time to. Always True, for searches that ask."""
        if time.monotonic() - self._last >= self._options.interval:
            self.report()
            self._last = time.monotonic()
        return True

    def report(self) -> None:
        """All moves whose values are known, in one line; nothing if there are none."""
        candidates = [candidate for candidate in self._thinking.candidates() if candidate.value is not None]
        if candidates:
            infos = [self._info(order, c) for order, c in enumerate(candidates[: self._options.most])]
            self._session.say(" ".join([*infos, *self._root(candidates), *self._ownership()]))
            self.number += 1

    def _root(self, candidates: Sequence[Candidate]) -> list[str]:
        """The position itself: all visits, and their mean."""
        value = position_value(candidates)
        if not self._options.with_root or value is None:
            return []
        rate = self._winrate(_share(self._session, self._options.player, value))
        return ["rootInfo", "visits", str(sum(candidate.visits for candidate in candidates)), "winrate", rate]

    def _ownership(self) -> list[str]:
        """By the search's own simulations, or by playouts where it cannot tell."""
        if not self._options.with_ownership or not isinstance(self._session, GoSession):
            return []
        sign = 1 if self._options.player is Player.BLACK else -1
        shares = ownership(self._thinking) or self._session.ownership()
        return ["ownership", *(f"{sign * share:.2f}" for share in shares)]

    def _info(self, order: int, candidate: Candidate) -> str:
        line = self._session.format_moves(self._state, candidate.line)
        assert candidate.value is not None
        rate = self._winrate(_share(self._session, self._options.player, candidate.value))
        words = {"move": line[0], "visits": candidate.visits, "winrate": rate, "lcb": rate, "order": order}
        if candidate.rave is not None:  # GUIs read pairs up to `pv`, and pass over keys that they do not know
            value, count = candidate.rave
            words["raveWinrate"] = self._winrate(_share(self._session, self._options.player, value))
            words["raveVisits"] = round(count)
        if candidate.prior is not None:
            words["priorWinrate"] = self._winrate(_share(self._session, self._options.player, candidate.prior))
        visits = candidate.line_visits if self._options.with_line_visits else ()
        behind = ["pvVisits", *map(str, visits)] if visits else []
        return " ".join(["info", *(f"{key} {value}" for key, value in words.items()), "pv", *line, *behind])


def _share(session: Session, player: Player, value: float) -> float:
    """A value of player 0 as what a player may expect between the worst and the best."""
    facts = session.game.facts
    low, high = facts.return_bounds or (0.0, 1.0)
    return min(1.0, max(0.0, (facts.value_for(player, value) - low) / (high - low)))


def _lz_winrate(share: float) -> str:
    return str(round(10_000 * share))


def _kata_winrate(share: float) -> str:
    return f"{share:.6f}"


# -- reading the words


def _read_options(session: Session, words: Sequence[str], *, of_katago: bool = False) -> _Options:
    """Colour and centiseconds may be left out; the rest are pairs, or four words each for avoid and allow."""
    rest = list(words)
    options = _Options(session.to_play)
    if rest and rest[0].lower() in ("b", "black", "w", "white"):
        options.player = parse_color(rest.pop(0))
    if rest and rest[0][0] in "0123456789.":
        options.interval = _centiseconds(rest.pop(0))
    while rest:
        key = rest.pop(0)
        if key in ("avoid", "allow"):
            _restrict(session, options, key, *_take(rest, 3))
            continue
        (value,) = _take(rest, 1)
        if key == "interval":
            options.interval = _centiseconds(value)
        elif key == "minmoves":
            _count(value)  # all moves that were tried are told
        elif key == "maxmoves":
            options.most = _count(value)
        elif of_katago and key in _SWITCHES and value.lower() in ("true", "false"):
            options.with_root |= key == "rootInfo" and value.lower() == "true"
            options.with_ownership |= key == "ownership" and value.lower() == "true"
            options.with_line_visits |= key == "pvVisits" and value.lower() == "true"
        else:
            raise GtpError("syntax error")
    left = options.restriction.actions(session.game, session.state_for(options.player))
    refuse_unless(bool(left), "no legal move is allowed")
    return options


def _restrict(session: Session, options: _Options, key: str, color: str, vertices: str, depth: str) -> None:
    """Of the first move only: what may be played later is the search's business."""
    refuse_unless(_count(depth) >= 1, "syntax error")
    try:
        actions = frozenset(parse_vertex(session, vertex) for vertex in vertices.split(","))
    except ParseError as error:
        raise GtpError("syntax error") from error
    if parse_color(color) is not options.player:
        return
    avoided, allowed = options.restriction.avoided, options.restriction.allowed
    if key == "avoid":
        avoided |= actions
    else:
        allowed = actions if allowed is None else allowed | actions
    options.restriction = Restriction(avoided, allowed)


def _take(words: list[str], count: int) -> list[str]:
    refuse_unless(len(words) >= count, "syntax error")
    taken, words[:] = words[:count], words[count:]
    return taken


def _centiseconds(word: str) -> float:
    """As seconds; 0 is one report at the end."""
    refuse_unless(word.isascii() and word.replace(".", "", 1).isdigit() and len(word) <= 12, "syntax error")
    return float(word) / 100 or math.inf


def _count(word: str) -> int:
    refuse_unless(word.isascii() and word.isdigit() and len(word) <= 9, "syntax error")
    return int(word)
