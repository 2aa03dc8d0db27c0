"""A whole game reviewed: every position of the main line is searched, and every move weighed by what it changed.

    review = review_record(Record.load("game.sgf"), ReviewSettings(player="mc-rave:sims=1000"))
    review.swings()[0]             # the move that lost most
    annotate(record, review)       # win rates and better moves, written into the record

The win rate of a position is the mean of all simulations from it (`position_value`). A move loses what the mover's win
rate before it exceeds that after it: two searches, so small numbers are noise, and may be negative.

Each position is a piece of work of its own (katachi.arena.executor), with a generator named by its number: the review
is the same wherever and in whatever order it is made. With a file for what is done (`kept`), one that was interrupted
goes on where it stopped.
"""

import hashlib
import json
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import Field

import katachi
from katachi._core import Rng
from katachi.analysis import USUAL_PLAYER
from katachi.analysis.engine import checked_thinker
from katachi.arena.executor import Executor, InProcess
from katachi.core.errors import InvalidArgumentError
from katachi.core.limit import Limit
from katachi.core.settings import Settings
from katachi.core.types import Player
from katachi.games.go.game import GoGame
from katachi.games.go.position import Position
from katachi.games.go.record import Record, RecordedMove
from katachi.games.go.rules import Rules
from katachi.games.go.sgf import SgfError, SgfNode
from katachi.players.player import check_player, close_player, fingerprint, lasting_name, tell_new_game
from katachi.players.registry import make_player
from katachi.players.thinking import ENDLESS, ThinkingPlayer, analyse, position_value

__all__ = ["Review", "ReviewSettings", "ReviewedMove", "annotate", "review_record"]

Json = dict[str, Any]
_WORK = "katachi.analysis.review:look_json"


class ReviewSettings(Settings):
    """Who reviews, and for how long."""

    player: str = Field(default=USUAL_PLAYER, description="A player that searches.")
    sims: int | None = Field(
        default=None, ge=1, le=10**9, description="Simulations for each position, instead of the player's own budget."
    )
    seed: int = Field(default=1, ge=0, lt=2**64, description="Same seed, same review.")


@dataclass(frozen=True)
class ReviewedMove:
    """A move, and what the searches before and after it say. Win rates are Black's."""

    number: int  # 1 is the first
    player: Player
    move: str
    best: str  # what the search would have played
    winrate_before: float
    winrate_after: float | None  # None: the game was over
    visits: int  # of the search before it

    @property
    def better(self) -> str | None:
        """What the search would have played instead, if it was something else."""
        return None if self.best == self.move else self.best

    @property
    def loss(self) -> float | None:
        """What it cost the one who made it."""
        if self.winrate_after is None:
            return None
        change = self.winrate_after - self.winrate_before
        return -change if self.player is Player.BLACK else change

    def to_json(self) -> Json:
        """For programs."""
        return {
            "number": self.number,
            "colour": self.player.name.lower(),
            "move": self.move,
            "best": self.best,
            "black_winrate_before": self.winrate_before,
            "black_winrate_after": self.winrate_after,
            "loss": self.loss,
            "visits": self.visits,
        }


@dataclass(frozen=True)
class Review:
    """All moves of a game."""

    player: str
    moves: tuple[ReviewedMove, ...]

    def swings(self, most: int | None = None) -> list[ReviewedMove]:
        """Moves that lost something, the largest loss first.

        Some of them the search would have played itself: it saw only afterwards what they were worth.
        """
        lost = [move for move in self.moves if (move.loss or 0) > 0]
        return sorted(lost, key=lambda move: -(move.loss or 0))[:most]

    def winrates(self) -> list[tuple[int, float]]:
        """(moves played, Black's win rate), as far as they are known."""
        first = [(0, self.moves[0].winrate_before)]
        return first + [(m.number, m.winrate_after) for m in self.moves if m.winrate_after is not None]


def review_record(
    record: Record,
    settings: ReviewSettings | None = None,
    *,
    rules: Rules | None = None,
    executor: Executor | None = None,
    kept: Path | None = None,
    progress: Callable[[float], object] = lambda _: None,
) -> Review:
    """Searches all positions of the main line.

    `kept` is a file for what is done. It stays, so that nothing is lost before the review is safe elsewhere.
    """
    settings = settings or ReviewSettings()
    game = list(record.replayed(rules))
    if not game:
        raise SgfError("there is nothing to review: the main line has no move")
    player = checked_thinker(make_player(settings.player))
    start = game[0].before
    go = GoGame((start.width, start.height), start.rules)
    check_player(player, go)
    positions, after = _positions(game)
    key = _key(record, settings, player, go)
    notes = _Notes(kept, key)
    rows = notes.rows
    missing = [number for number in range(len(positions)) if number not in rows]
    arguments = (_argument(positions[number], number, settings, player) for number in missing)
    progress(len(rows) / len(positions))
    with closing(_run(executor or InProcess(), arguments)) as results:
        for order, row in results:
            notes.add(missing[order], row)
            progress(len(rows) / len(positions))
    name = player.name if settings.sims is None else f"{player.name}, {settings.sims} simulations"
    return Review(name, tuple(_reviewed(number, game[number], rows, after) for number in range(len(game))))


def _run(executor: Executor, arguments: Iterator[Json]) -> Generator[tuple[int, Json], None, None]:
    """What can be closed, so that workers end at once when somebody interrupts."""
    yield from executor.run(_WORK, arguments)


def _positions(game: list[RecordedMove]) -> tuple[list[Position], dict[int, int]]:
    """What is to be searched: the positions before all moves, and those after a move that the next does not begin in.

    The second are found by the number of their move: after the last one, before set-up, before a move out of turn.
    There is none where two passes have ended the game.
    """
    positions = [move.before for move in game]
    after: dict[int, int] = {}
    for number, move in enumerate(game):
        if number + 1 < len(game) and game[number + 1].before is move.after:
            after[number] = number + 1
        elif not move.after.is_over:
            after[number] = len(positions)
            positions.append(move.after)
    return positions, after


def _reviewed(number: int, move: RecordedMove, rows: dict[int, Json], after: dict[int, int]) -> ReviewedMove:
    before = rows[number]
    return ReviewedMove(
        number=number + 1,
        player=move.player,
        move=move.before.vertex(move.action),
        best=before["best"],
        winrate_before=before["winrate"],
        winrate_after=rows[after[number]]["winrate"] if number in after else None,
        visits=before["visits"],
    )


# -- the work on one position


def _argument(position: Position, number: int, settings: ReviewSettings, player: ThinkingPlayer) -> Json:
    return {
        "record": Record.from_position(position).format().decode(),
        "rules": position.rules.model_dump(),
        "player": lasting_name(player),
        "sims": settings.sims,
        "seed": settings.seed,
        "number": number,
    }


def look_json(argument: Json) -> Json:
    """What a player thinks of a position: Black's win rate, the best move, and how much was simulated."""
    position = Record.parse(argument["record"]).position(rules=Rules(**argument["rules"]))
    player = _player(argument["player"])
    tell_new_game(player)
    try:
        rng = Rng(argument["seed"]).split("position", argument["number"])
        thinking = player.think(GoGame((position.width, position.height), position.rules), position, rng)
        sims = argument["sims"]
        analyse(thinking, (player.limit or ENDLESS) if sims is None else Limit(simulations=sims))
        decision = thinking.decision()
        candidates = thinking.candidates()
        value = position_value(candidates)
        assert value is not None
        best = candidates[0].action if decision.action is None else decision.action  # None: it would give up
        return {
            "winrate": min(1.0, max(0.0, value)),
            "best": position.vertex(best),
            "visits": decision.simulations,
        }
    finally:
        close_player(player)


@lru_cache(maxsize=1)
def _player(spec: str) -> ThinkingPlayer:
    """One for all positions: its weights are read once."""
    return checked_thinker(make_player(spec))


# -- what is done, for one who comes back


def _key(record: Record, settings: ReviewSettings, player: ThinkingPlayer, game: GoGame) -> str:
    """Of all that the rows depend on."""
    parts = [
        katachi.__version__,
        record.format().decode(),
        game.rules.model_dump_json(),
        lasting_name(player),
        fingerprint(player, game),
        settings.sims,
        settings.seed,
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class _Notes:
    """Rows by number, in a file from the first one on: a line of JSON for each, behind one with the key."""

    def __init__(self, path: Path | None, key: str) -> None:
        self._path, self._key = path, key
        self.rows: dict[int, Json] = {} if path is None else _load_rows(path, key)
        self._is_begun = False

    def add(self, number: int, row: Json) -> None:
        self.rows[number] = row
        if self._is_begun:
            self._write("a", {number: row})
        else:  # anew: a last line may have been torn
            self._write("w", self.rows)
            self._is_begun = True

    def _write(self, mode: str, rows: dict[int, Json]) -> None:
        if self._path is None:
            return
        head = [] if mode == "a" else [{"key": self._key}]
        lines = [json.dumps(line) for line in (*head, *({"number": n, "row": row} for n, row in rows.items()))]
        try:
            with open(self._path, mode, encoding="utf-8") as file:
                file.write("".join(f"{line}\n" for line in lines))
        except OSError as error:
            raise InvalidArgumentError(f"{self._path} cannot be written: {error.strerror or error}") from None


def _load_rows(path: Path, key: str) -> dict[int, Json]:
    """What a run with the same key has left; a last line that was torn is not read."""
    try:
        head, *lines = path.read_bytes().split(b"\n")[:-1]
        if json.loads(head) != {"key": key}:
            return {}
        found = [json.loads(line) for line in lines]
        return {each["number"]: each["row"] for each in found}
    except (OSError, ValueError):
        return {}


# -- the record with what was found


def annotate(record: Record, review: Review) -> None:
    """Writes the win rates into a record: SBKV (Sabaki's, Black's in per cent) and a comment below what is there."""
    nodes = list(_move_nodes(record))
    first = nodes[0][0]
    if first is not None:
        told = f"Reviewed by Katachi {katachi.__version__}: {review.player}."
        _write(first, review.moves[0].winrate_before, f"{told}\n{_percent(review.moves[0].winrate_before)}")
    for (_, node), move in zip(nodes, review.moves, strict=True):
        lines = [] if move.winrate_after is None else [_percent(move.winrate_after)]
        if (loss := move.loss or 0.0) > 0:
            lines.append(f"{_colour(move)} lost {100 * loss:.1f} %.")
        if move.better is not None:
            lines.append(f"Katachi preferred {move.better}.")
        if lines:
            _write(node, move.winrate_after, "\n".join(lines))


def _move_nodes(record: Record) -> Iterator[tuple[SgfNode | None, SgfNode]]:
    """The nodes of moves, each with the one before it."""
    before: SgfNode | None = None
    for node in record.main_line():
        if "B" in node or "W" in node:
            yield before, node
        before = node


def _write(node: SgfNode, winrate: float | None, text: str) -> None:
    if winrate is not None:
        node.properties["SBKV"] = [f"{100 * winrate:.2f}"]
    node.comment = f"{node.comment}\n\n{text}" if node.comment else text


def _percent(winrate: float) -> str:
    return f"Win rate of Black: {100 * winrate:.1f} %."


def _colour(move: ReviewedMove) -> str:
    return move.player.name.capitalize()
