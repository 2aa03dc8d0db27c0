"""Games with clocks: the referee counts, players that search keep to their time, whoever is late loses."""

import json
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from katachi import Player, Rng, make_game, make_player
from katachi.arena.match import MatchSettings, run_match
from katachi.arena.referee import GameTask, format_outcome, outcome_record, play_game
from katachi.core.errors import ParseError, SettingsError
from katachi.games.contract import Game
from katachi.players.basic import RandomSettings
from katachi.players.player import Decision, GamePlayer
from katachi.search.searches import Progress


class Slow:
    """Plays at random after some seconds."""

    name, settings = "slow", RandomSettings()

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def choose(self, game: Game[Any], state: Any, rng: Rng, progress: Progress | None = None) -> Decision:  # noqa: ANN401
        time.sleep(self._seconds)
        return make_player("random").choose(game, state, rng)


def task(clock: str | None, **changes: Any) -> GameTask:  # noqa: ANN401
    options = {"size": 5, "rules": "cgos"}
    return GameTask(index=0, game="go", options=options, black="b", white="w", seed=1, clock=clock, **changes)


def play(clock: str | None, black: GamePlayer, white: GamePlayer) -> Any:  # noqa: ANN401
    return play_game(task(clock), make_game("go", size=5), (black, white))


@pytest.mark.parametrize("slow", list(Player))
def test_whoever_is_late_loses(slow: Player) -> None:
    seats: list[GamePlayer] = [make_player("random"), make_player("random")]
    seats[slow] = Slow(0.2)
    outcome = play("0.5", seats[0], seats[1])
    assert (outcome.reason, outcome.loser) == ("time", slow.name.lower())
    assert outcome.is_foul
    assert outcome.choices[slow] == 3
    assert outcome.seconds[slow] > 0.5
    assert 0.2 <= outcome.longest[slow] < outcome.seconds[slow]
    assert outcome.longest[slow.opponent] <= outcome.seconds[slow.opponent]
    assert "took 0.2" in outcome.detail
    assert format_outcome(outcome) == ("W+T" if slow is Player.BLACK else "B+T")
    record = outcome_record(task("0.5"), outcome)
    assert record is not None
    assert record.result == format_outcome(outcome)
    assert b"clock: 0.5; Black took" in record.format()


def test_other_systems() -> None:
    quick = make_player("random")
    assert play("fischer 0.1 0.3", Slow(0.05), quick).reason == "count"
    assert play("byoyomi 0 0.3 2", Slow(0.05), quick).reason == "count"
    late = play("byoyomi 0 0.1 2", Slow(0.3), quick)
    assert (late.reason, late.choices) == ("time", (1, 0))
    late = play("canadian 0 0.3 5", Slow(0.1), quick)
    assert late.reason == "time"
    assert late.choices[0] in (3, 4)


@pytest.mark.parametrize("spec", ["uct:seconds=30", "flat-mc:sims=1000000", "alpha-beta:depth=30", "shapes"])
def test_players_that_search_keep_to_their_time(spec: str) -> None:
    outcome = play("2", make_player(spec), make_player("random"))
    assert outcome.reason == "count"
    assert outcome.seconds[0] < 2.0
    assert outcome.seconds[1] < 0.5


def test_a_game_without_a_clock_is_what_it_was() -> None:
    with_clock = play("1000", make_player("uct:sims=50"), make_player("random"))
    without = play(None, make_player("uct:sims=50"), make_player("random"))
    assert with_clock.untimed() == without.untimed()


def test_a_match_with_a_clock_is_kept(tmp_path: Path) -> None:
    settings = MatchSettings(
        first="uct:seconds=5", second="random", games=2, seed=1, options={"size": 5}, clock="fischer 0.6 0.01"
    )
    result = run_match(settings, folder=tmp_path / "run")
    assert len(result.outcomes) == 2
    assert not any(result.fouls.values())
    most, per_move = result.to_json()["longest_move_seconds"], result.to_json()["seconds_per_move"]
    assert all(longest > average for longest, average in zip(most, per_move, strict=True))
    database = sqlite3.connect(tmp_path / "run" / "games.sqlite")
    for (text,) in database.execute("SELECT task FROM games"):
        assert json.loads(text)["clock"] == "fischer 0.6 0.01"
    database.close()


@pytest.mark.parametrize(
    ("clock", "error"), [("soon", ParseError), ("fischer 1", SettingsError), ("-5", SettingsError)]
)
def test_what_is_no_clock_is_found_out_before_the_first_game(clock: str, error: type[Exception]) -> None:
    settings = MatchSettings(first="random", second="random", games=1, seed=1, options={"size": 5}, clock=clock)
    with pytest.raises(error):
        run_match(settings)
