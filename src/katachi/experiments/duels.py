"""Two players against each other, in many settings: the machinery of the experiments of Vodopivec (2018), 7.1.

Settings are TOML: each `[[duel]]` names a game, the specs of two players and a number of games. Labels fill the specs'
braces, and a list of values means one *cell* for each:

    [[duel]]
    game = "tic-tac-toe"
    first = "sarsa-uct:steps={steps},lambda={lambda},c_p=0.2"
    second = "uct:steps={steps},c_p=0.2"
    games = 2000
    labels = { steps = [100, 1000], lambda = [0.65, 1] }

A cell is a match: its games are those of `katachi match` with the seed that its rows name. A row is a *chunk* of them,
played by one call of a worker, with what the first player made of it. Rows of a cell add up to a `Duel`, whose score is
the first player's. What a duel must show is judged here as well; figures are in katachi.experiments.duel_plots.

Players may resign: those do whose specs say so. `openings` are random plies before the players move, the same for both
colours of a pair: players without chance need them. A file that the experiment itself makes has a name,
`weights=@learnt`: rows hold the name, and do not depend on where the folder is.
"""

import json
import shlex
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import product
from math import ceil, hypot, sqrt
from pathlib import Path
from string import Formatter
from typing import Any, TypeAlias

from pydantic import Field

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.arena.match import MatchSettings
from katachi.arena.referee import play_game
from katachi.arena.statistics import Score, wilson_interval
from katachi.core.errors import InvalidArgumentError, SettingsError, StoreError
from katachi.core.settings import Settings
from katachi.experiments.experiment import Progress, Row, Verdict, append_row, read_rows
from katachi.games.registry import make_game
from katachi.players.player import check_player, close_player
from katachi.players.registry import make_player

__all__ = [
    "Cell", "Duel", "DuelSettings", "DuelsSettings", "Label", "at_least", "below", "best_of", "between", "both",
    "chunks_of", "count_rows", "difference", "duels_of", "find", "is_above", "match_command", "near_best", "only",
    "percent", "play_chunk", "run_duels", "run_others", "sampling_error", "scored", "values_of",
]  # fmt: skip

Label: TypeAlias = float | int | str
_PLAY = "katachi.experiments.duels:play_chunk"
_Z95 = 1.959963984540054
_RANKS: dict[Verdict, int] = {"reproduced": 0, "partly": 1, "not": 2}


class DuelSettings(Settings):
    """One game and two specs; one cell for each combination of labels."""

    game: str = Field(description="A game of the registry.")
    options: dict[str, Any] = Field(default_factory=dict, description="Its options, such as size.")
    first: str = Field(description="A player's spec; {name} is the label of that name.")
    second: str = Field(description="Its opponent's.")
    games: int = Field(ge=2, multiple_of=2, description="Of each cell: both colours equally often.")
    openings: int = Field(default=0, ge=0, description="Random plies, the same for both games of a pair.")
    chunk: int = Field(default=50, ge=2, multiple_of=2, description="Games of one call and one row.")
    labels: dict[str, Any] = Field(default_factory=dict, description="Values, or lists of them: one cell for each.")
    variants: list[dict[str, Any]] = Field(
        default=[{}],
        min_length=1,
        description="More labels that go together, and games or chunk where they differ.",
    )

    def cells(self, seed: int) -> list["Cell"]:
        """Variant by variant, in the order of the labels, the last one changing first."""
        found = []
        for variant in self.variants:
            own = dict(variant)
            sized = self.replace(games=own.pop("games", self.games), chunk=own.pop("chunk", self.chunk))
            labels = {**self.labels, **own}
            choices = [value if isinstance(value, list) else [value] for value in labels.values()]
            found += [sized._cell(seed, dict(zip(labels, values, strict=True))) for values in product(*choices)]
        return found

    def _cell(self, seed: int, labels: dict[str, Label]) -> "Cell":
        first, second = (_filled(spec, labels) for spec in (self.first, self.second))
        rng = Rng(seed).split("duel").split(self.game).split(json.dumps(self.options, sort_keys=True))
        own = rng.split(first).split(second).next() % 2**63
        return Cell(self.game, self.options, first, second, own, labels, self.games, self.chunk, self.openings)


def _filled(spec: str, labels: Mapping[str, Label]) -> str:
    unknown = {name for _, name, _, _ in Formatter().parse(spec) if name is not None} - labels.keys()
    if unknown:
        raise SettingsError(f"{spec!r} needs the labels {', '.join(sorted(unknown))}; there are {', '.join(labels)}")
    return spec.format_map(labels)


class DuelsSettings(Settings):
    """All that the games depend on."""

    seed: int = Field(ge=0, lt=2**63, description="Same seed, same games.")
    duel: list[DuelSettings] = Field(min_length=1, description="Players and games.")

    def __init__(self, **values: Any) -> None:  # noqa: ANN401
        duels = [duel if isinstance(duel, DuelSettings) else DuelSettings(**duel) for duel in values.pop("duel", [])]
        super().__init__(duel=duels, **values)
        keys = [cell.key for cell in self.cells()]
        twice = next((key for key in keys if keys.count(key) > 1), None)
        if twice is not None:
            raise SettingsError(f"a cell stands once in an experiment: {twice}")

    def cells(self) -> list["Cell"]:
        """Of all duels."""
        return [cell for duel in self.duel for cell in duel.cells(self.seed)]


@dataclass(frozen=True)
class Cell:
    """One match."""

    game: str
    options: Mapping[str, Any]
    first: str
    second: str
    seed: int
    labels: Mapping[str, Label]
    games: int
    chunk: int
    openings: int = 0

    @property
    def key(self) -> str:
        """What it is, as text: equal cells play equal games."""
        return _key(self.work(0))

    @property
    def chunks(self) -> int:
        """How many rows it has."""
        return ceil(self.games / self.chunk)

    def work(self, chunk: int) -> dict[str, Any]:
        """What `play_chunk` is asked for."""
        begin = chunk * self.chunk
        openings = {"openings": self.openings} if self.openings else {}
        return {
            "game": self.game,
            "options": dict(self.options),
            "first": self.first,
            "second": self.second,
            **openings,
            "seed": self.seed,
            "labels": dict(self.labels),
            "chunk": chunk,
            "begin": begin,
            "end": min(begin + self.chunk, self.games),
        }


def _key(row: Mapping[str, Any]) -> str:
    """What was asked for, in a row or in what a worker gets."""
    told = [row[name] for name in ("game", "options", "first", "second", "labels")]
    return json.dumps([*told, row["openings"]] if row.get("openings") else told, sort_keys=True)


def play_chunk(work: dict[str, Any]) -> dict[str, Any]:
    """Games `begin` to `end` of a match, in this process: a row. All but `seconds` follows from what is asked for.

    Pairs of numbers in `black` and `white`: the first player's wins, draws and losses with that colour. `files` says
    where the files are whose names stand in the specs.
    """
    game = make_game(work["game"], **work["options"])
    specs = [_located(work[name], work.get("files", {})) for name in ("first", "second")]
    match = MatchSettings(
        first=work["first"],
        second=work["second"],
        games=work["end"],
        seed=work["seed"],
        game=work["game"],
        options=work["options"],
        opening_plies=work.get("openings", 0),
        resignation=True,  # those whose specs say so
    )
    counts = [[0, 0, 0], [0, 0, 0]]
    moves = 0
    started = time.process_time()
    with ExitStack() as stack:
        players = []
        for spec in specs:
            players.append(make_player(spec))
            stack.callback(close_player, players[-1])
        for index in range(work["begin"], work["end"]):
            task, seat = match.task(index), index % 2  # the first player's
            outcome = play_game(task, game, (players[seat], players[1 - seat]))
            if outcome.is_foul:
                raise InvalidArgumentError(f"{match_command(work)}\ngame {index}: {outcome.detail}")
            won = outcome.total if seat == 0 else 1 - outcome.total
            counts[seat][0 if won > 0.5 else 2 if won < 0.5 else 1] += 1
            moves += len(outcome.moves)
            for player in players:
                close_player(player)  # nothing of a game is left for the next
    wins, draws, losses = (counts[0][place] + counts[1][place] for place in range(3))
    asked = ("game", "options", "first", "second", "openings", "seed", "labels", "chunk")
    told = {key: work[key] for key in asked if key in work}
    counted = {"games": work["end"] - work["begin"], "wins": wins, "draws": draws, "losses": losses}
    colours = {"black": counts[0], "white": counts[1], "moves": moves}
    return {**told, **counted, **colours, "seconds": round(time.process_time() - started, 3)}


def _located(spec: str, files: Mapping[str, str]) -> str:
    """A spec with the paths of its files, quoted, instead of their names."""
    for name, path in files.items():
        quoted = path.replace("\\", "\\\\").replace('"', '\\"')
        spec = spec.replace(f"@{name}", f'"{quoted}"')
    return spec


def match_command(row: Mapping[str, Any]) -> str:
    """The command that plays the same games, from the first on."""
    options = [word for name, value in row["options"].items() for word in (f"--{name}", str(value))]
    words = [
        "katachi",
        "match",
        row["first"],
        row["second"],
        "--game",
        row["game"],
        *options,
        *(("--openings", str(row["openings"])) if row.get("openings") else ()),
        "--resign",
        "--seed",
        str(row["seed"]),
    ]
    return shlex.join(words)


def count_rows(settings: Mapping[str, Any]) -> int:
    """How many there will be."""
    return sum(cell.chunks for cell in _read(settings).cells())


def _read(settings: Mapping[str, Any]) -> DuelsSettings:
    return DuelsSettings.from_mapping({key: settings[key] for key in ("seed", "duel") if key in settings})


def run_duels(
    settings: Mapping[str, Any],
    rows_path: Path,
    executor: Executor,
    progress: Progress,
    files: Mapping[str, Path] | None = None,
) -> None:
    """Plays what is missing: a chunk of every cell, then the next of every cell, so that all grow alike.

    `files` says where the files are whose names stand in the specs.
    """
    cells = _read(settings).cells()
    places = {name: str(path) for name, path in (files or {}).items()}
    rows = read_rows(rows_path)
    there = {(_row_key(row, rows_path), row["chunk"]) for row in rows if "chunk" in row}
    for cell in cells:
        if all((cell.key, chunk) in there for chunk in range(cell.chunks)):
            continue
        game = make_game(cell.game, **cell.options)
        for spec in (cell.first, cell.second):
            check_player(make_player(_located(spec, places)), game)
    most = max(cell.chunks for cell in cells)
    missing = [
        {**cell.work(chunk), "files": places} if places else cell.work(chunk)
        for chunk in range(most)
        for cell in cells
        if chunk < cell.chunks and (cell.key, chunk) not in there
    ]
    scores: dict[str, Score] = {}
    for row in rows:
        if "chunk" in row:
            _add(scores, row)
    results = executor.run(_PLAY, missing)
    with closing(results):  # type: ignore[type-var]
        for done, (_, row) in enumerate(results, len(rows) + 1):
            append_row(rows_path, row)
            score = _add(scores, row)
            progress(done, f"{_title(row)}: {percent(score)}")


def run_others(
    function: str, wanted: Sequence[dict[str, Any]], rows_path: Path, executor: Executor, progress: Progress
) -> None:
    """What is no match: one row for each argument, which is its own key. A row repeats it and adds what came out."""
    rows = read_rows(rows_path)
    missing = [work for work in wanted if not any(row.items() >= work.items() for row in rows if "chunk" not in row)]
    results = executor.run(function, missing)
    with closing(results):  # type: ignore[type-var]
        for done, (_, row) in enumerate(results, len(rows) + 1):
            append_row(rows_path, row)
            progress(done, ", ".join(f"{key} {value}" for key, value in row.items() if isinstance(value, Label)))


def _row_key(row: Row, path: Path) -> str:
    if not row.keys() >= {"game", "options", "first", "second", "labels", "chunk", "wins", "draws", "games"}:
        raise StoreError(f"{path} has a line that is no chunk of games: {str(row)[:200]}")
    return _key(row)


def _add(scores: dict[str, Score], row: Row) -> Score:
    key = _key(row)
    scores[key] = scores.get(key, Score(0, 0)) + Score(row["wins"] + row["draws"] / 2, row["games"])
    return scores[key]


def _title(row: Row) -> str:
    size = row["options"].get("size")
    labels = ", ".join(f"{name} {value}" for name, value in row["labels"].items())
    return f"{row['game']}{f' {size}x{size}' if size else ''}{f', {labels}' if labels else ''}"


@dataclass(frozen=True)
class Duel:
    """What the rows of a cell say, for the first player."""

    game: str
    options: Mapping[str, Any]
    first: str
    second: str
    seed: int
    labels: Mapping[str, Label]
    black: tuple[int, int, int]  # wins, draws, losses when it moved first
    white: tuple[int, int, int]
    moves: int
    seconds: float
    openings: int = 0

    def __getitem__(self, label: str) -> Any:  # noqa: ANN401
        return self.labels[label]

    @property
    def games(self) -> int:
        """So far."""
        return sum(self.black) + sum(self.white)

    @property
    def score(self) -> Score:
        """The first player's; a draw is half a point."""
        return Score(self.black[0] + self.white[0] + (self.black[1] + self.white[1]) / 2, self.games)

    @property
    def rate(self) -> float:
        """Its win rate in per cent."""
        return 100 * self.score.win_rate

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of that, in per cent."""
        low, high = self.score.interval
        return 100 * low, 100 * high

    @property
    def command(self) -> str:
        """Plays it again."""
        told = {"first": self.first, "second": self.second, "game": self.game, "options": self.options}
        return f"{match_command({**told, 'seed': self.seed, 'openings': self.openings})} --games {self.games}"


def chunks_of(rows: Sequence[Row]) -> list[Row]:
    """The rows that are chunks of games, each once, in an order that does not depend on who was quicker."""
    found: dict[tuple[str, int], Row] = {}
    for row in rows:
        if "chunk" in row:
            found.setdefault((_key(row), row["chunk"]), row)
    return [found[key] for key in sorted(found)]


def duels_of(rows: Sequence[Row]) -> list[Duel]:
    """The chunks of each cell added up."""
    merged: dict[str, list[Row]] = {}
    for row in chunks_of(rows):
        merged.setdefault(_key(row), []).append(row)
    return [_merged(chunks) for chunks in merged.values()]


def _merged(chunks: Sequence[Row]) -> Duel:
    one = chunks[0]

    def added(colour: str) -> tuple[int, int, int]:
        wins, draws, losses = (sum(row[colour][place] for row in chunks) for place in range(3))
        return wins, draws, losses

    return Duel(
        one["game"], one["options"], one["first"], one["second"], one["seed"], one["labels"],
        added("black"), added("white"), sum(row["moves"] for row in chunks), sum(row["seconds"] for row in chunks),
        one.get("openings", 0),
    )  # fmt: skip


def find(duels: Sequence[Duel], **labels: Label) -> list[Duel]:
    """Those with these labels, ordered by the numbers among their own; `lambda_` is the label `lambda`."""
    wanted = {name.rstrip("_"): value for name, value in labels.items()}
    found = [duel for duel in duels if all(duel.labels.get(name) == value for name, value in wanted.items())]
    return sorted(found, key=lambda duel: [value for value in duel.labels.values() if not isinstance(value, str)])


def only(duels: Sequence[Duel], **labels: Label) -> Duel | None:
    """The one with these labels; None if it was not played."""
    return next(iter(find(duels, **labels)), None)


def values_of(duels: Sequence[Duel], label: str) -> list[Any]:
    """What the duels have of one label: numbers in their order, then words in that of the duels."""
    found = dict.fromkeys(duel[label] for duel in duels if label in duel.labels)
    numbers = sorted(value for value in found if not isinstance(value, str))
    return numbers + [value for value in found if isinstance(value, str)]


def best_of(duels: Sequence[Duel]) -> Duel:
    """The one with the highest win rate, of equals the last."""
    return max(reversed(duels), key=lambda duel: duel.rate)


def near_best(duels: Sequence[Duel]) -> list[Duel]:
    """The best, and those that are not worse for certain."""
    top = best_of(duels)
    return [duel for duel in duels if duel is top or difference(top.score, duel.score)[1] <= 0]


def percent(score: Score) -> str:
    """`54.9 % (53.8 to 56.0)`."""
    low, high = score.interval
    return f"{100 * score.win_rate:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def scored(duel: Duel) -> str:
    """The same with the number of games."""
    return f"{percent(duel.score)} over {duel.games:,} games"


def difference(one: Score, other: Score) -> tuple[float, float, float]:
    """One win rate minus the other in points, and its 95 % interval (Newcombe 1998, from two Wilson intervals)."""
    gap = one.win_rate - other.win_rate
    (low, high), (other_low, other_high) = one.interval, other.interval
    down = hypot(one.win_rate - low, other_high - other.win_rate)
    up = hypot(high - one.win_rate, other.win_rate - other_low)
    return 100 * gap, 100 * (gap - down), 100 * (gap + up)


def at_least(score: Score, bar: float, *, cells: int = 1) -> Verdict:
    """Reached, missed for certain (the 95 % interval is below the bar), or neither. Bars are per cent.

    Where the best of several cells is judged, the interval is as wide as that needs (Bonferroni).
    """
    if 100 * score.win_rate >= bar:
        return "reproduced"
    return "not" if 100 * wilson_interval(score.points, score.games, _z(cells))[1] < bar else "partly"


def below(score: Score, bar: float) -> Verdict:
    """The same for a bar from above."""
    return at_least(Score(score.games - score.points, score.games), 100 - bar)


def between(score: Score, low: float, high: float) -> Verdict:
    """The same for a band."""
    return both(at_least(score, low), below(score, high))


def both(*verdicts: Verdict) -> Verdict:
    """The worst."""
    return max(verdicts, key=lambda verdict: _RANKS[verdict], default="not")


def _z(cells: int) -> float:
    from statistics import NormalDist

    return _Z95 if cells == 1 else NormalDist().inv_cdf(1 - 0.025 / cells)


def is_above(score: Score, bar: float, *, cells: int = 1) -> bool:
    """Is it above the bar (per cent) for certain, also when it was the best of so many cells?"""
    return 100 * wilson_interval(score.points, score.games, _z(cells))[0] > bar


def sampling_error(rate: float, games: int) -> float:
    """Half of a 95 % interval of a printed win rate, in points."""
    return _Z95 * 100 * sqrt(rate / 100 * (1 - rate / 100) / games)
