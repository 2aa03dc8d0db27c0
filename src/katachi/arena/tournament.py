"""Many players, each against some of the others: who meets whom, and the table that comes of it.

    round-robin   everybody against everybody, `games` for each pair
    gauntlet      the heroes against all who are none, `games` for each pair
    swiss         `rounds` of drawn pairings, two games each, biased towards similar scores (`draw_pairing`)

Games are numbered so that more of them (`games`, `rounds`) come after those that were played: a tournament can be
prolonged, and it goes on where it was stopped (katachi.arena.store). Seeds are split by name: those of a pairing by
the labels of its players, those of a Swiss round by its number.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import exp, inf
from pathlib import Path
from tomllib import TOMLDecodeError
from tomllib import loads as parse_toml
from typing import Any, Literal

from pydantic import Field

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.arena.match import fingerprints, run_tasks
from katachi.arena.ratings import PairCounts, Rating, Ratings, rate
from katachi.arena.referee import GameOutcome, GameTask, check_scoring
from katachi.arena.statistics import Score
from katachi.arena.store import Store
from katachi.core.errors import InvalidArgumentError, KatachiError, ParseError, SettingsError, StoreError
from katachi.core.settings import Settings, did_you_mean
from katachi.games.registry import full_options, make_game
from katachi.players.player import check_player
from katachi.players.registry import make_player
from katachi.players.spec import PlayerSpec, format_spec

__all__ = [
    "Fixture",
    "Line",
    "TournamentResult",
    "TournamentSettings",
    "draw_pairing",
    "load_tournament",
    "run_tournament",
]

_SECONDS_BETWEEN_RESULTS = 0.1
_GAMES_PER_PAIRING = 2  # of a Swiss tournament (Silver 2009, chapter 6)


class TournamentSettings(Settings):
    """All that a tournament depends on."""

    kind: Literal["round-robin", "swiss", "gauntlet"] = Field(description="Who meets whom.")
    player: dict[str, str] = Field(description="Specs by label, in order; a file has [[player]] tables.")
    seed: int = Field(ge=0, lt=2**63, description="Same seed, same games.")
    game: str = Field(default="go", description="A game of the registry.")
    size: int | str | None = Field(default=None, description="Of the board: N or WIDTHxHEIGHT (9 in Go).")
    komi: float | None = Field(default=None, description="Points for White, in Go (7.5).")
    rules: str | None = Field(default=None, description="Of Go (cgos).")
    games: int | None = Field(default=None, ge=2, multiple_of=2, description="Of each pair; not for swiss.")
    rounds: int | None = Field(default=None, ge=1, description="Of a Swiss tournament: about two games each.")
    hero: list[str] = Field(default_factory=list, description="Labels of those who run a gauntlet.")
    openings: int = Field(default=0, ge=0, description="Random plies, the same for both games of a pair.")
    max_moves: int | None = Field(default=1000, ge=1, description="Longer games are draws (Silver 5.6: 1,000 plies).")
    scoring: str = Field(default="area", description="area, agreement or gtp:COMMAND.")
    anchors: dict[str, float] = Field(default_factory=dict, description="Elo by label: where the scale is held.")

    def __init__(self, **values: Any) -> None:  # noqa: ANN401
        super().__init__(**values)
        _check(self)

    @property
    def labels(self) -> list[str]:
        """The players, in order."""
        return list(self.player)

    @property
    def options(self) -> dict[str, Any]:
        """The game's."""
        return full_options(self.game, size=self.size, rules=self.rules, komi=self.komi)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Who meets whom, but for a Swiss tournament, where that is drawn."""
        if self.kind == "round-robin":
            return list(combinations(self.labels, 2))
        others = [label for label in self.labels if label not in self.hero]
        return [(hero, other) for hero in self.labels if hero in self.hero for other in others]

    @property
    def total_games(self) -> int:
        """How many there will be."""
        if self.kind == "swiss":
            return (self.rounds or 0) * self.pairings_per_round * _GAMES_PER_PAIRING
        return len(self.pairs) * (self.games or 0)

    @property
    def pairings_per_round(self) -> int:
        """So many that a player can expect two games in a Swiss round (a little less if their number is odd)."""
        return len(self.player) // 2

    def stored(self) -> dict[str, Any]:
        """What the games depend on. Anchors are left out: they move the scale only; so is the length."""
        kept = self.model_dump(mode="json", exclude={"anchors", "games", "rounds"})
        # The order of the players numbers the games, that of the heroes means nothing; `games` may grow in a store.
        in_order = {"player": list(self.player.items()), "hero": sorted(self.hero)}
        return {**kept, **self.options, **in_order, "games": self.games or self.rounds}


def load_tournament(path: Path) -> TournamentSettings:
    """Reads a TOML file; whatever is wrong with it is a SettingsError with its name."""
    try:
        values: dict[str, Any] = parse_toml(path.read_text(encoding="utf-8"))
        if "player" in values:
            values["player"] = _players(values["player"])
        return TournamentSettings.from_mapping(values)
    except (OSError, UnicodeDecodeError, TOMLDecodeError, KatachiError) as error:
        raise SettingsError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _players(tables: object) -> dict[str, str]:
    """Specs by label, from the [[player]] tables of a file."""
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise SettingsError(f"players stand in [[player]] tables, not in {tables!r}")
    players: dict[str, str] = {}
    for number, table in enumerate(tables, 1):
        try:
            label, spec = _entry(table)
        except KatachiError as error:
            raise SettingsError(f"[[player]] number {number}: {error}") from None
        if label in players:
            raise SettingsError(f"[[player]] number {number}: there are two players called {label!r}: give labels")
        players[label] = spec
    return players


def _entry(table: Mapping[str, Any]) -> tuple[str, str]:
    """(label, spec) of a table with a spec, or with a name and options."""
    values = dict(table)
    label = values.pop("label", None)
    if "spec" in values:
        spec = values.pop("spec")
        if values:
            name = next(iter(values))
            raise SettingsError(f"beside spec there is no setting {name!r}: {did_you_mean(name, ('label', 'spec'))}")
        if not isinstance(spec, str):
            raise SettingsError(f"a spec is text, not {spec!r}")
    elif "player" in values:
        parsed = PlayerSpec.from_table(values)
        try:
            spec = format_spec(parsed)  # games carry their players as text
        except ParseError:
            raise SettingsError(f"options are numbers, text, true or false, or tables of these: {values!r}") from None
    else:
        name = next(iter(values), "")
        raise SettingsError(f"needs spec or player, not {dict(table)!r}: {did_you_mean(name, ('spec', 'player'))}")
    if label is None:
        label = spec
    if not isinstance(label, str) or not label.strip():
        raise SettingsError(f"a label is text, not {label!r}")
    return label, spec


@dataclass(frozen=True)
class Fixture:
    """A game to be played, and who sits there: two labels may stand for one spec."""

    task: GameTask
    black: str
    white: str


@dataclass(frozen=True)
class Line:
    """One player's line of the table. Elo and likelihood are None where the games do not give them."""

    player: str
    spec: str
    elo: float | None
    elo_interval: tuple[float, float] | None
    score: Score
    superiority: float | None  # the probability of being stronger than the next one
    fouls: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "player": self.player,
            "spec": self.spec,
            "elo": self.elo,
            "elo_interval": None if self.elo_interval is None else list(self.elo_interval),
            "games": self.score.games,
            "points": self.score.points,
            "win_rate": self.score.win_rate if self.score.games else None,
            "win_rate_interval": list(self.score.interval),
            "superiority_over_next": self.superiority,
            "fouls": dict(self.fouls),
        }


@dataclass(frozen=True)
class TournamentResult:
    """What the games so far say. Everything is worked out when it is asked for."""

    settings: TournamentSettings
    middle: float  # the return of a draw
    games: Sequence[tuple[Fixture, GameOutcome]]

    @cached_property
    def counts(self) -> list[PairCounts]:
        """Games by who was Black and who White."""
        found: dict[tuple[str, str], list[int]] = {}
        for fixture, outcome in self.games:
            cell = found.setdefault((fixture.black, fixture.white), [0, 0, 0])
            cell[0 if outcome.total > self.middle else 2 if outcome.total < self.middle else 1] += 1
        return [PairCounts(black, white, *found[black, white]) for black, white in sorted(found)]

    @cached_property
    def scores(self) -> dict[str, Score]:
        """Points of each player."""
        points, games = dict.fromkeys(self.settings.player, 0.0), dict.fromkeys(self.settings.player, 0)
        for pair in self.counts:
            for label, wins in ((pair.black, pair.black_wins), (pair.white, pair.white_wins)):
                points[label] += wins + pair.draws / 2
                games[label] += int(pair.games)
        return {label: Score(points[label], games[label]) for label in points}

    def against(self, first: str, second: str) -> Score:
        """The first player's points in its games with the second."""
        points, games = 0.0, 0
        for pair in self.counts:
            if {pair.black, pair.white} == {first, second}:
                points += pair.draws / 2 + (pair.black_wins if pair.black == first else pair.white_wins)
                games += int(pair.games)
        return Score(points, games)

    @cached_property
    def _rated(self) -> tuple[Ratings | None, str]:
        try:
            return rate(self.counts, self.settings.anchors), ""
        except InvalidArgumentError as error:  # too few games: somebody has none, or nothing connects them
            return None, str(error)

    @property
    def ratings(self) -> Ratings | None:
        """Of all who played; None if the games do not connect them."""
        return self._rated[0]

    @property
    def unrated(self) -> str:
        """Why there are no ratings; empty if there are."""
        return self._rated[1]

    @cached_property
    def fouls(self) -> dict[str, dict[str, int]]:
        """By player, how often it lost by what the tournament does not allow."""
        found: dict[str, Counter[str]] = {label: Counter() for label in self.settings.player}
        for fixture, outcome in self.games:
            if outcome.is_foul:
                found[fixture.black if outcome.loser == "black" else fixture.white][outcome.reason] += 1
        return {label: dict(sorted(counts.items())) for label, counts in found.items()}

    @property
    def repeated(self) -> int:
        """Games that are equal, move by move and seat by seat, to an earlier one."""
        return len(self.games) - len({(fixture.black, fixture.white, tuple(o.moves)) for fixture, o in self.games})

    @cached_property
    def lines(self) -> list[Line]:
        """The table, best first: by Elo, or by win rate where there are no ratings."""
        elo = {} if self.ratings is None else {line.player: line for line in self.ratings.lines}

        def rank(label: str) -> tuple[bool, float]:
            best = elo[label].elo if label in elo else self.scores[label].win_rate
            return label not in elo, -best

        order = sorted(self.settings.labels, key=rank)
        return [self._line(label, elo, below) for label, below in zip(order, [*order[1:], None], strict=True)]

    def _line(self, label: str, elo: Mapping[str, Rating], below: str | None) -> Line:
        rating = elo.get(label)
        return Line(
            player=label,
            spec=self.settings.player[label],
            elo=None if rating is None else rating.elo,
            elo_interval=None if rating is None else (rating.low, rating.high),
            score=self.scores[label],
            superiority=None
            if self.ratings is None or below is None or below not in elo
            else self.ratings.superiority(label, below),
            fouls=self.fouls[label],
        )

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "kind": self.settings.kind,
            "game": self.settings.game,
            "options": self.settings.options,
            "seed": self.settings.seed,
            "games": len(self.games),
            "anchors": self.settings.anchors,
            "players": [line.to_json() for line in self.lines],
            "unrated": self.unrated or None,
            "first_move_advantage": None if self.ratings is None else self.ratings.advantage,
            "draw_rate": None if self.ratings is None else self.ratings.draw_rate,
            "average_length": sum(len(o.moves) for _, o in self.games) / len(self.games) if self.games else None,
            "cut": sum(outcome.reason == "cap" for _, outcome in self.games),
            "repeated_games": self.repeated,
            "pairs": [
                {
                    "black": pair.black,
                    "white": pair.white,
                    "black_wins": int(pair.black_wins),
                    "draws": int(pair.draws),
                    "white_wins": int(pair.white_wins),
                }
                for pair in self.counts
            ],
        }


def draw_pairing(points: Sequence[float], rng: Rng) -> tuple[int, int]:
    """Black uniformly, White with probability ∝ exp(-2 |wins_i - wins_j| / mean wins)   (Silver 2009, chapter 6).

    Deviation: a draw counts as half a win, as everywhere else. Before any game White is uniform, too.
    Pinned by tests/unit/test_tournament.py.
    """
    if len(points) < 2:
        raise InvalidArgumentError(f"a pairing needs at least two players, not {len(points)}")
    black = rng.below(len(points))
    others = [white for white in range(len(points)) if white != black]
    mean = sum(points) / len(points)
    if mean == 0:
        return black, others[rng.below(len(others))]
    # Relative to the nearest player: far ones may all round to 0, and the law depends on the ratios only.
    gaps = [abs(points[black] - points[white]) for white in others]
    weights = [exp(-2 * (gap - min(gaps)) / mean) for gap in gaps]
    mark = rng.uniform() * sum(weights)
    for white, weight in zip(others, weights, strict=True):
        mark -= weight
        if mark < 0:
            return black, white
    return black, others[-1]  # the sum was rounded


def run_tournament(
    settings: TournamentSettings,
    *,
    folder: Path | None = None,
    executor: Executor | None = None,
    on_result: Callable[[TournamentResult], object] | None = None,
) -> TournamentResult:
    """Plays a tournament, or what is left of it in its folder.

    `on_result` is told now and then how it stands, at most ten times a second, and when all games are there.
    """
    middle = _middle(settings)
    _check_players(settings)
    games: list[tuple[Fixture, GameOutcome]] = []
    told = -inf
    with ExitStack() as stack:
        store = None
        if folder is not None:
            read = fingerprints(list(settings.player.values()), make_game(settings.game, **settings.options))
            store = stack.enter_context(Store(folder, {**settings.stored(), **read}))
        for fixtures in _stages(settings, lambda: TournamentResult(settings, middle, games)):
            by_index = {fixture.task.index: fixture for fixture in fixtures}

            def played(outcomes: Mapping[int, GameOutcome], by_index: Mapping[int, Fixture] = by_index) -> None:
                nonlocal told
                is_last = len(games) + len(outcomes) == settings.total_games
                if on_result is not None and (is_last or time.monotonic() - told >= _SECONDS_BETWEEN_RESULTS):
                    some = [(by_index[index], outcome) for index, outcome in outcomes.items()]
                    on_result(TournamentResult(settings, middle, games + some))
                    told = time.monotonic()

            outcomes = run_tasks(
                [fixture.task for fixture in fixtures], store=store, executor=executor, on_outcome=played
            )
            for index in sorted(outcomes):
                _check_stored(by_index[index], outcomes[index])
                games.append((by_index[index], outcomes[index]))
    return TournamentResult(settings, middle, tuple(games))


def _stages(settings: TournamentSettings, so_far: Callable[[], TournamentResult]) -> Iterator[list[Fixture]]:
    """What can be played at the same time: everything, or the rounds of a Swiss tournament, one after the other."""
    rng = Rng(settings.seed)
    if settings.kind != "swiss":
        yield _all_pairs(settings, rng.split("pairing"))
        return
    for number in range(settings.rounds or 0):
        points = [score.points for score in so_far().scores.values()]
        yield _swiss_round(settings, number, points, rng.split("round", number))


def _all_pairs(settings: TournamentSettings, rng: Rng) -> list[Fixture]:
    """One game of each pair after the other, so that more games per pair are added at the end."""
    pairs = settings.pairs
    fixtures = []
    for game in range(settings.games or 0):
        for place, (first, second) in enumerate(pairs):
            seats = (first, second) if game % 2 == 0 else (second, first)
            pair_rng = rng.split(first).split(second)
            fixtures.append(_fixture(settings, game * len(pairs) + place, seats, pair_rng, game))
    return fixtures


def _swiss_round(settings: TournamentSettings, number: int, points: Sequence[float], rng: Rng) -> list[Fixture]:
    """Pairings that depend on the rounds before this one only. A player may be drawn more than once, or not at all."""
    labels = settings.labels
    fixtures = []
    for place in range(settings.pairings_per_round):
        pair_rng = rng.split("pairing", place)
        black, white = draw_pairing(points, pair_rng.split("draw"))
        for game in range(_GAMES_PER_PAIRING):
            seats = (labels[black], labels[white]) if game % 2 == 0 else (labels[white], labels[black])
            index = (number * settings.pairings_per_round + place) * _GAMES_PER_PAIRING + game
            fixtures.append(_fixture(settings, index, seats, pair_rng, game))
    return fixtures


def _fixture(settings: TournamentSettings, index: int, seats: tuple[str, str], rng: Rng, game: int) -> Fixture:
    """Game number `game` of a pairing with this generator."""
    task = GameTask(
        index=index,
        game=settings.game,
        options=settings.options,
        black=settings.player[seats[0]],
        white=settings.player[seats[1]],
        seed=rng.split("game", game).next(),
        opening_seed=rng.split("opening", game // 2).next(),
        opening_plies=settings.openings,
        max_moves=settings.max_moves,
        scoring=settings.scoring,
    )
    return Fixture(task, *seats)


def _check_players(settings: TournamentSettings) -> None:
    """What may be different on another machine: programs that are there or not."""
    game = make_game(settings.game, **settings.options)
    for spec in settings.player.values():
        check_player(make_player(spec), game)
    check_scoring(settings.scoring, game)


def _check_stored(fixture: Fixture, outcome: GameOutcome) -> None:
    """A game from a store must be the one that was asked for: another version may have drawn another pairing."""
    if (outcome.black, outcome.white) != (fixture.task.black, fixture.task.white):
        raise StoreError(
            f"game {outcome.index} of the folder is {outcome.black} against {outcome.white}, "
            f"not {fixture.task.black} against {fixture.task.white}: it is of another tournament"
        )


def _middle(settings: TournamentSettings) -> float:
    """The return of a draw."""
    game = make_game(settings.game, **settings.options)
    bounds = game.facts.return_bounds
    if game.facts.players != 2 or bounds is None:
        raise InvalidArgumentError(f"a tournament needs a game for two players with bounded returns, not {game.name}")
    return sum(bounds) / 2


def _check(settings: TournamentSettings) -> None:
    """What concerns several fields."""
    kind, labels = settings.kind, settings.labels
    if len(labels) < 2:
        raise SettingsError(f"a tournament needs at least two players, not {labels}")
    for label, spec in settings.player.items():
        try:
            make_player(spec)
        except KatachiError as error:
            raise SettingsError(f"player {label!r}: {error}") from None
    needed, refused = ("rounds", "games") if kind == "swiss" else ("games", "rounds")
    if getattr(settings, needed) is None:
        raise SettingsError(f"a {kind} tournament needs {needed} ({_description(needed)})")
    if getattr(settings, refused) is not None:
        raise SettingsError(f"a {kind} tournament has {needed}, not {refused} = {getattr(settings, refused)}")
    if kind == "gauntlet" and not settings.hero:
        raise SettingsError('a gauntlet needs hero = ["LABEL", …]: those who play against all others')
    if kind != "gauntlet" and settings.hero:
        raise SettingsError(f"a {kind} tournament has no heroes: hero = {settings.hero}")
    for what, names in (("hero", settings.hero), ("anchors", settings.anchors)):
        for name in names:
            if name not in settings.player:
                raise SettingsError(f"{what}: no player is called {name!r}: {did_you_mean(name, labels)}")
    if kind == "gauntlet" and set(settings.hero) == set(labels):
        raise SettingsError(f"all players are heroes, nobody is left to play against: {settings.hero}")
    _middle(settings)
    if settings.max_moves is not None and settings.openings >= settings.max_moves:
        raise SettingsError(
            f"nothing is left to play: {settings.openings} random plies, at most {settings.max_moves} moves"
        )
    if settings.scoring not in ("area", "agreement") and not settings.scoring.startswith("gtp:"):
        raise SettingsError(f"scoring is area, agreement or gtp:COMMAND, not {settings.scoring!r}")


def _description(name: str) -> str:
    return str(TournamentSettings.model_fields[name].description)
