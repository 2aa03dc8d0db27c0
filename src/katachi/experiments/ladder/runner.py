"""Plays the ladder, rates it and draws it.

Each board is a round robin. A row is a game: its number, the board, who sat where, Black's return (1, 0.5 or 0), how it
ended and after how many moves. The games themselves are kept beside the rows, one folder for each board.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from pydantic import Field

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.arena.match import MatchSettings, run_tasks
from katachi.arena.ratings import PairCounts, Ratings, rate
from katachi.arena.referee import GameOutcome, GameTask
from katachi.arena.statistics import Score
from katachi.arena.store import Store
from katachi.core.errors import InvalidArgumentError, SettingsError, StoreError
from katachi.core.settings import Settings
from katachi.experiments.experiment import Claim, Progress, Row, Summary, append_row, read_rows
from katachi.experiments.gnugo import spec_of
from katachi.games.go.game import GoGame
from katachi.players.player import check_player
from katachi.players.registry import make_player

__all__ = ["Board", "LadderSettings", "draw", "run", "summarise", "total"]

_KOMI, _RULES = 7.5, "cgos"
_ANCHORS = ("gnugo:level=10", 1800.0), ("random", 0.0)  # the first that has played
_CERTAIN = 0.975  # a step counts if its 95 % interval leaves out 0
_COLUMNS = ("board", "player", "Elo", "95 % interval", "games", "win rate", "stronger than the step before")


class Board(Settings):
    """One round robin."""

    size: int = Field(ge=2, le=25, description="Of the board.")
    openings: int = Field(ge=0, description="Random plies, the same for both games of a pair.")
    games: int = Field(ge=2, multiple_of=2, description="Of each pair.")
    players: list[str] = Field(min_length=2, description="Specs; gnugo:level=N is GNU Go with the rules of the match.")


class LadderSettings(Settings):
    """All that the games depend on."""

    seed: int = Field(ge=0, lt=2**63, description="Same seed, same games.")
    board: list[Board] = Field(min_length=1, description="Each is rated apart.")

    def __init__(self, **values: Any) -> None:  # noqa: ANN401
        boards = [b if isinstance(b, Board) else Board.from_mapping(b) for b in values.pop("board", [])]
        super().__init__(board=boards, **values)
        sizes = [board.size for board in boards]
        if len(set(sizes)) != len(sizes):
            raise SettingsError(f"a board stands once in a ladder, not {sizes}")


def total(settings: Mapping[str, Any]) -> int:
    """How many games there will be."""
    boards = LadderSettings.from_mapping(settings).board
    return sum(board.games * len(list(combinations(board.players, 2))) for board in boards)


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Plays what is missing."""
    ladder = LadderSettings.from_mapping(settings)
    there = _games(rows_path)
    missing = {
        board.size: [task for task in _tasks(ladder.seed, board) if (board.size, task.index) not in there]
        for board in ladder.board
    }
    for size, tasks in missing.items():
        for spec in sorted({spec for task in tasks for spec in (task.black, task.white)}):
            check_player(make_player(spec), GoGame(size))  # an engine that is missing is an error now, not a lost game
    for board in ladder.board:
        if missing[board.size]:
            _play(ladder.seed, board, missing[board.size], rows_path, executor, there, progress)


def _games(rows_path: Path) -> dict[tuple[int, int], Row]:
    """The rows so far, by board and number."""
    there = {}
    for number, row in enumerate(read_rows(rows_path), 1):
        if not row.keys() >= {"size", "game", "black", "white", "total"}:
            raise StoreError(f"{rows_path}, line {number} is no game of the ladder: {str(row)[:200]}")
        there[row["size"], row["game"]] = row
    return there


def _play(
    seed: int,
    board: Board,
    tasks: Sequence[GameTask],
    rows_path: Path,
    executor: Executor,
    there: dict[tuple[int, int], Row],
    progress: Progress,
) -> None:
    """Games of one board; `there` has the rows of all boards so far, by board and number, and grows."""
    labels = {spec_of(player): player for player in board.players}

    def keep(outcomes: Mapping[int, GameOutcome]) -> None:
        for index in sorted(outcomes):
            if (board.size, index) not in there:
                outcome = outcomes[index]
                row = _row(board.size, outcome, labels[outcome.black], labels[outcome.white])
                append_row(rows_path, row)
                there[board.size, index] = row
        progress(len(there), _leader(board.size, [row for row in there.values() if row["size"] == board.size]))

    stored = {"seed": seed, **board.model_dump(mode="json")}
    with Store(rows_path.parent / f"games-{board.size}x{board.size}", stored) as store:
        run_tasks(tasks, store=store, executor=executor, on_outcome=keep)


def _tasks(seed: int, board: Board) -> list[GameTask]:
    """One game of each pair after the other, so that more games per pair come after those that were played."""
    pairs = list(combinations(board.players, 2))
    tasks = []
    for place, (first, second) in enumerate(pairs):
        rng = Rng(seed).split("ladder", board.size).split(first).split(second)
        match = MatchSettings(
            first=spec_of(first),
            second=spec_of(second),
            games=board.games,
            seed=rng.next() % 2**63,
            options={"size": board.size, "komi": _KOMI, "rules": _RULES},
            opening_plies=board.openings,
        )
        tasks += [task.replace(index=task.index * len(pairs) + place) for task in match.tasks()]
    return sorted(tasks, key=lambda task: task.index)


def _row(size: int, outcome: GameOutcome, black: str, white: str) -> Row:
    return {
        "size": size,
        "game": outcome.index,
        "black": black,
        "white": white,
        "total": outcome.total,
        "reason": outcome.reason,
        "length": len(outcome.moves),
    }


def _leader(size: int, rows: Sequence[Row]) -> str:
    """A word for those who wait."""
    scores: dict[str, Score] = {}
    for row in rows:
        for player, points in ((row["black"], row["total"]), (row["white"], 1 - row["total"])):
            scores[player] = scores.get(player, Score(0, 0)) + Score(points, 1)
    best = max(scores, key=lambda player: scores[player].win_rate)
    low, high = scores[best].interval
    return f"{size}x{size}, {best} leads with {scores[best].win_rate:.1%} ({low:.1%} to {high:.1%})"


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """A table for each board, and whether each step is stronger than the one before."""
    table: list[list[str]] = []
    sure: list[str] = []
    unsure: list[str] = []
    fallen: list[str] = []
    for size in sorted({row["size"] for row in rows}):
        ratings = _rate([row for row in rows if row["size"] == size])
        steps = _steps(ratings)
        before = dict(zip(steps[1:], steps, strict=False))
        for line in ratings.lines:
            certainty = ""
            if line.player in before:
                chance = ratings.superiority(line.player, before[line.player])
                certainty = f"{chance:.1%}"
                told = f"{before[line.player]} to {line.player} on {size}x{size} ({chance:.1%})"
                (sure if chance >= _CERTAIN else fallen if chance <= 1 - _CERTAIN else unsure).append(told)
            table.append([
                f"{size}x{size}",
                line.player,
                f"{line.elo:.0f}",
                f"{line.low:.0f} to {line.high:.0f}",
                f"{line.games:.0f}",
                f"{line.points / line.games:.1%}",
                certainty,
            ])  # fmt: skip
    count = len(sure) + len(unsure) + len(fallen)
    if count == 0:
        raise InvalidArgumentError(f"a ladder needs two steps on one board, not {len(rows)} games")
    result = f"{len(sure)} of {count} steps are up with 95 % confidence, {len(fallen)} are down"
    if fallen:
        return Summary(_COLUMNS, table, result, "not", f"weaker than the step before: {'; '.join(fallen)}")
    if unsure:
        return Summary(_COLUMNS, table, result, "partly", f"too few games, or no difference: {'; '.join(unsure)}")
    return Summary(_COLUMNS, table, result, "reproduced", "every step is stronger than the one before")


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Elo against playouts, a panel for each board; the players without playouts are lines."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    sizes = sorted({row["size"] for row in rows})
    figure = Figure(figsize=(1 + 5 * len(sizes), 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, size in zip(figure.subplots(1, len(sizes), squeeze=False)[0], sizes, strict=True):
        games = [row for row in rows if row["size"] == size]
        ratings = _rate(games)
        climbers = [ratings[player] for player in _steps(ratings) if _playouts(player)]
        axes.errorbar(
            [_playouts(line.player) for line in climbers],
            [line.elo for line in climbers],
            yerr=[[line.elo - line.low for line in climbers], [line.high - line.elo for line in climbers]],
            fmt="o-", capsize=3, color="C0", label="flat-mc",
        )  # fmt: skip
        others = [line for line in ratings.lines if not _playouts(line.player)]
        for number, line in enumerate(sorted(others, key=lambda line: line.player), 1):
            axes.axhline(line.elo, color=f"C{number}", linestyle="--", label=_title(line.player))
            axes.axhspan(line.low, line.high, color=f"C{number}", alpha=0.12, linewidth=0)
        axes.set_xscale("log")
        axes.set_xticks([_playouts(line.player) for line in climbers])
        axes.set_xticks([], minor=True)
        axes.set_xticklabels([f"{_playouts(line.player):,}" for line in climbers])
        axes.set_title(f"{size}x{size}, {len(games):,} games")
        axes.set_xlabel("playouts for each legal move")
        axes.set_ylabel("Elo, 95 % intervals")
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
    # No date and fixed ids, so that the same rows give the same file.
    figure.savefig(path.with_suffix(".png"), dpi=120, metadata={"Software": None})
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "katachi"}):
        figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})


def _rate(rows: Sequence[Row]) -> Ratings:
    """Of the games on one board."""
    cells: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        cell = cells.setdefault((row["black"], row["white"]), [0, 0, 0])
        cell[0 if row["total"] > 0.5 else 2 if row["total"] < 0.5 else 1] += 1
    players = {player for pair in cells for player in pair}
    anchors = [(player, elo) for player, elo in _ANCHORS if player in players]
    return rate([PairCounts(*pair, *cells[pair]) for pair in sorted(cells)], dict(anchors[:1]))


def _steps(ratings: Ratings) -> list[str]:
    """The ladder from below: random, then by playouts; GNU Go is no step of it."""
    players = [line.player for line in ratings.lines if line.player == "random" or _playouts(line.player)]
    return sorted(players, key=_playouts)


def _playouts(player: str) -> int:
    """For each move; 0 if the player has none."""
    found = re.fullmatch(r"flat-mc:sims=(\d+)", player)
    return 0 if found is None else int(found[1])


def _title(player: str) -> str:
    return player.replace("gnugo:level=", "GNU Go level ")
