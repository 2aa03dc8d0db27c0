"""Many games between two players, and what they say. Same settings, same games, wherever they are played.

Game i has the first player as Black if i is even. Its seed is split from the match's by its number, and its opening by
half of that, so that both colours get the same one. A match that is stopped goes on where it was (katachi.arena.store).
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from pydantic import Field

from katachi._core import Rng
from katachi.arena.elo import elo_difference, elo_interval, likelihood_of_superiority
from katachi.arena.executor import Executor, InProcess
from katachi.arena.referee import GameOutcome, GameTask, UncountedError, check_scoring, play_game, read_outcome
from katachi.arena.sprt import Sprt, Verdict, parse_sprt
from katachi.arena.statistics import Score
from katachi.arena.store import Store
from katachi.core.errors import InvalidArgumentError
from katachi.core.settings import Settings
from katachi.core.time_control import parse_time_settings
from katachi.core.types import Player
from katachi.games.contract import Game
from katachi.games.registry import make_game
from katachi.players.player import GamePlayer, check_player, close_player, fingerprint
from katachi.players.registry import make_player

__all__ = [
    "MatchResult",
    "MatchSettings",
    "fingerprints",
    "play_match",
    "run_match",
    "run_tasks",
]

_SECONDS_BETWEEN_RESULTS = 0.1
_MOST_UNCOUNTED = 3  # games, as long as no other was counted


class MatchSettings(Settings):
    """All that a match depends on."""

    first: str = Field(description="A player's spec.")
    second: str = Field(description="Another's.")
    games: int = Field(ge=1, description="How many, with alternating colours.")
    seed: int = Field(ge=0, lt=2**63, description="Same seed, same games.")
    game: str = Field(default="go", description="A game of the registry.")
    options: dict[str, Any] = Field(default_factory=dict, description="Its options, such as size and komi.")
    opening_plies: int = Field(default=0, ge=0, description="Random plies, the same for both colours.")
    max_moves: int | None = Field(default=1000, ge=1, description="Longer games are draws (Silver 5.6: 1,000 plies).")
    scoring: str = Field(default="area", description="area, agreement or gtp:COMMAND.")
    resignation: bool = Field(default=False, description="May players resign?")
    clock: str | None = Field(default=None, description="The time of each player, such as `10` or `fischer 60 2`.")
    sprt: str | None = Field(default=None, description="Stop early: ELO0,ELO1 of a sequential test.")

    def tasks(self) -> Iterator[GameTask]:
        """Its games."""
        return (self.task(index) for index in range(self.games))

    def task(self, index: int) -> GameTask:
        """One of them."""
        rng = Rng(self.seed)
        black, white = (self.first, self.second) if index % 2 == 0 else (self.second, self.first)
        return GameTask(
            index=index,
            game=self.game,
            options=self.options,
            black=black,
            white=white,
            seed=rng.split("game", index).next(),
            opening_seed=rng.split("opening", index // 2).next(),
            opening_plies=self.opening_plies,
            max_moves=self.max_moves,
            scoring=self.scoring,
            resignation=self.resignation,
            clock=self.clock,
        )


@dataclass(frozen=True)
class MatchResult:
    """What the games say about the first player."""

    first: str
    second: str
    middle: float  # the return of a draw
    outcomes: tuple[GameOutcome, ...]
    verdict: Verdict | None = None  # of a sequential test

    def seat(self, outcome: GameOutcome) -> Player:
        """The first player's colour in a game. Even games are its own when both players have one name."""
        if self.first == self.second:
            return Player(outcome.index % 2)
        return Player.BLACK if outcome.black == self.first else Player.WHITE

    def _count(self, sign: int) -> int:
        def mine(outcome: GameOutcome) -> float:
            gain = outcome.total - self.middle
            return gain if self.seat(outcome) is Player.BLACK else -gain

        return sum((mine(o) > 0) - (mine(o) < 0) == sign for o in self.outcomes)

    @property
    def wins(self) -> int:
        """Of the first player."""
        return self._count(1)

    @property
    def draws(self) -> int:
        """Games that nobody won, or that were cut."""
        return self._count(0)

    @property
    def losses(self) -> int:
        """Of the first player."""
        return self._count(-1)

    @property
    def score(self) -> Score:
        """The first player's points."""
        return Score(self.wins + self.draws / 2, len(self.outcomes))

    @property
    def other_score(self) -> Score:
        """The second player's points."""
        return Score(self.losses + self.draws / 2, len(self.outcomes))

    @property
    def fouls(self) -> dict[str, dict[str, int]]:
        """By player, how often it lost by what the match does not allow."""
        found: dict[str, Counter[str]] = {self.first: Counter(), self.second: Counter()}
        for outcome in self.outcomes:
            if outcome.is_foul:
                found[outcome.black if outcome.loser == "black" else outcome.white][outcome.reason] += 1
        return {player: dict(counts) for player, counts in found.items()}

    def first_foul(self, player: str, reason: str) -> str:
        """What that player did wrong the first time, in words."""
        for outcome in self.outcomes:
            culprit = outcome.black if outcome.loser == "black" else outcome.white
            if outcome.is_foul and outcome.reason == reason and culprit == player:
                return outcome.detail
        return ""

    @property
    def repeated(self) -> int:
        """Games that are equal, move by move and colour by colour, to an earlier one."""
        return len(self.outcomes) - len({(o.black, tuple(o.moves)) for o in self.outcomes})

    def to_json(self) -> dict[str, Any]:
        """For programs: of the first player."""
        games = len(self.outcomes)
        low, high = self.score.interval
        elo = elo_interval(self.score.points, games)
        speeds = [self._speed(first) for first in (True, False)]
        return {
            "first": self.first,
            "second": self.second,
            "games": games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "win_rate": self.score.win_rate,
            "win_rate_interval": [low, high],
            "elo": _finite(elo_difference(self.score.win_rate)),
            "elo_interval": [_finite(value) for value in elo],
            "likelihood_of_superiority": likelihood_of_superiority(self.wins, self.losses),
            "average_length": sum(len(o.moves) for o in self.outcomes) / games if games else None,
            "seconds_per_move": [speed[0] for speed in speeds],
            "longest_move_seconds": [self._longest(first) for first in (True, False)],
            "simulations_per_second": [speed[1] for speed in speeds],
            "fouls": self.fouls,
            "cut": sum(o.reason == "cap" for o in self.outcomes),
            "repeated_games": self.repeated,
            "sprt": self.verdict,
        }

    def _longest(self, first: bool) -> float | None:
        """Seconds of the longest move of one side."""
        return max((o.longest[self.seat(o) if first else self.seat(o).opponent] for o in self.outcomes), default=None)

    def _speed(self, first: bool) -> tuple[float | None, float | None]:
        """Seconds a move and simulations a second of one side."""
        seconds, choices, simulations = 0.0, 0, 0
        for outcome in self.outcomes:
            side = self.seat(outcome) if first else self.seat(outcome).opponent
            seconds += outcome.seconds[side]
            choices += outcome.choices[side]
            simulations += outcome.simulations[side]
        return seconds / choices if choices else None, simulations / seconds if simulations and seconds else None


def run_match(
    settings: MatchSettings,
    *,
    folder: Path | None = None,
    executor: Executor | None = None,
    on_result: Callable[[MatchResult], object] | None = None,
) -> MatchResult:
    """Plays a match, or what is left of it in its folder.

    `on_result` is told now and then how it stands, at most ten times a second, and when all games are there.
    """
    game = make_game(settings.game, **settings.options)
    middle = _middle(game)
    _check_settings(settings, game)
    test = None if settings.sprt is None else _SequentialTest(parse_sprt(settings.sprt), settings, middle)
    told = -inf

    def result(outcomes: Mapping[int, GameOutcome]) -> MatchResult:
        ordered = tuple(outcomes[index] for index in sorted(outcomes))
        verdict = None if test is None else test.verdict
        return MatchResult(settings.first, settings.second, middle, ordered, verdict)

    def tell(outcomes: Mapping[int, GameOutcome]) -> None:
        nonlocal told
        now = time.monotonic()
        if on_result is not None and (now - told >= _SECONDS_BETWEEN_RESULTS or len(outcomes) == settings.games):
            on_result(result(outcomes))
            told = time.monotonic()

    with ExitStack() as stack:
        store = None
        if folder is not None:
            read = fingerprints((settings.first, settings.second), game)
            store = stack.enter_context(Store(folder, {**settings.model_dump(mode="json"), **read}))
        tasks = list(settings.tasks())
        outcomes = run_tasks(
            tasks,
            store=store,
            executor=executor,
            until=None if test is None else test.is_decided,
            on_outcome=tell,
        )
        if test is not None and test.is_decided(outcomes):
            outcomes = {index: outcomes[index] for index in range(test.games)}
            if store is not None:
                store.drop_from(test.games)
        return result(outcomes)


def fingerprints(specs: Sequence[str], game: Game[Any]) -> dict[str, Any]:
    """For a store: what players read, by their specs. A run does not go on with other files of the same name."""
    read = {spec: fingerprint(make_player(spec), game) for spec in sorted(set(specs))}
    files = {spec: content for spec, content in read.items() if content is not None}
    return {"files": files} if files else {}


def run_tasks(
    tasks: Sequence[GameTask],
    *,
    store: Store | None = None,
    executor: Executor | None = None,
    until: Callable[[Mapping[int, GameOutcome]], bool] | None = None,
    on_outcome: Callable[[Mapping[int, GameOutcome]], object] | None = None,
) -> dict[int, GameOutcome]:
    """The outcomes of tasks by their numbers; those that a store has already are not played again.

    Games that could not be counted are an UncountedError when all others have been played, or at once when the first
    few cannot be counted and no other could: then it is the command that is wrong.
    """
    by_index = {task.index: task for task in tasks}
    outcomes = {} if store is None else {i: o for i, o in store.outcomes().items() if i in by_index}
    if until is not None and until(outcomes):
        return outcomes
    missing = [task for task in tasks if task.index not in outcomes]
    if on_outcome is not None and outcomes:
        on_outcome(outcomes)
    work = (executor or InProcess()).run(
        "katachi.arena.referee:play_task_json", (task.model_dump(mode="json") for task in missing)
    )
    uncounted: dict[int, str] = {}
    with closing(work):  # type: ignore[type-var]
        for number, value in work:
            try:
                outcome = read_outcome(value)
            except UncountedError as error:
                uncounted[missing[number].index] = str(error)
                if len(uncounted) >= _MOST_UNCOUNTED and all(o.reason != "count" for o in outcomes.values()):
                    break
                continue
            if store is not None:
                store.add(missing[number], outcome)
            outcomes[outcome.index] = outcome
            if on_outcome is not None:
                on_outcome(outcomes)
            if until is not None and until(outcomes):
                return outcomes
    if uncounted:
        missing_games = f"the same command plays the {len(by_index) - len(outcomes)} games that are missing"
        advice = "in a folder (--out) the others would have been kept" if store is None else missing_games
        index, why = min(uncounted.items())
        raise UncountedError(f"games that could not be counted: {len(uncounted)}; {advice}\ngame {index}: {why}")
    return outcomes


def play_match(
    game: Game[Any],
    first: GamePlayer | str,
    second: GamePlayer | str,
    games: int,
    seed: int,
    *,
    max_length: int | None = 1000,
    teaches: bool = False,
    on_game: Callable[[GameOutcome], object] | None = None,
) -> MatchResult:
    """A match in this process, for games and players that are objects: not in a registry, or not to be made anew.

    Players given as specs are made once and closed at the end. The games of a `MatchSettings` with the same seed are
    the same. With `teaches` they are not: players that learn from real games (`learn_long`) go on with what they have
    learnt.
    """
    if games < 0:
        raise InvalidArgumentError(f"the number of games must not be negative: {games}")
    with ExitStack() as stack:
        pair = []
        for player in (first, second):
            if isinstance(player, str):
                player = make_player(player)
                stack.callback(close_player, player)
            pair.append(player)
        names = pair[0].name, pair[1].name
        outcomes = []
        if games:
            settings = MatchSettings(
                first=names[0], second=names[1], games=games, seed=seed, game=game.name, max_moves=max_length
            )
            for task in settings.tasks():
                seats = (pair[0], pair[1]) if task.index % 2 == 0 else (pair[1], pair[0])
                outcomes.append(play_game(task, game, seats, teaches=teaches))
                if on_game is not None:
                    on_game(outcomes[-1])
        return MatchResult(*names, _middle(game), tuple(outcomes))


def _middle(game: Game[Any]) -> float:
    bounds = game.facts.return_bounds
    if game.facts.players != 2 or bounds is None:
        raise InvalidArgumentError(f"a match needs a game for two players with bounded returns, not {game.name}")
    return sum(bounds) / 2


def _check_settings(settings: MatchSettings, game: Game[Any]) -> None:
    """Everything that can be known before the first game."""
    for spec in (settings.first, settings.second):
        check_player(make_player(spec), game)
    check_scoring(settings.scoring, game)
    if settings.clock is not None:
        parse_time_settings(settings.clock)
    if settings.max_moves is not None and settings.opening_plies >= settings.max_moves:
        raise InvalidArgumentError(
            f"nothing is left to play: {settings.opening_plies} random plies, at most {settings.max_moves} moves"
        )


class _SequentialTest:
    """Looks at the games in their order, each once, and stops at the first that decides.

    Games that follow a missing one wait: what is decided, and when, must not depend on who was quicker.
    """

    def __init__(self, test: Sprt, settings: MatchSettings, middle: float) -> None:
        self._test, self._settings, self._middle = test, settings, middle
        self._counts = [0, 0, 0]
        self.games = 0
        self.verdict: Verdict = "continue"

    def is_decided(self, outcomes: Mapping[int, GameOutcome]) -> bool:
        while self.verdict == "continue" and self.games in outcomes:
            one = (outcomes[self.games],)
            result = MatchResult(self._settings.first, self._settings.second, self._middle, one)
            for place, count in enumerate((result.wins, result.draws, result.losses)):
                self._counts[place] += count
            self.games += 1
            self.verdict = self._test.verdict(*self._counts)
        return self.verdict != "continue"


def _finite(value: float) -> float | None:
    """JSON has no infinity, and people know no -0."""
    return None if abs(value) == inf else value + 0.0
