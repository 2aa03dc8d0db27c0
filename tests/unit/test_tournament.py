"""Tournaments: who meets whom, files, tables, and going on after an interruption."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from math import exp
from pathlib import Path
from typing import Any

import pytest

from katachi import Rng
from katachi.arena.executor import InProcess, Json, LocalWorkers
from katachi.arena.referee import GameOutcome, GameTask
from katachi.arena.tournament import (
    TournamentResult,
    TournamentSettings,
    draw_pairing,
    load_tournament,
    run_tournament,
)
from katachi.cli.tournament import format_table
from katachi.core.errors import InvalidArgumentError, KatachiError, SettingsError, StoreError
from katachi.games.registry import full_options

EXAMPLES = Path(__file__).parents[2] / "examples"
PLAYERS = {"a": "random", "b": "random", "c": "flat-mc:sims=1", "d": "flat-mc:sims=4"}


def settings(kind: str, **changes: Any) -> TournamentSettings:  # noqa: ANN401
    length: dict[str, Any] = {"rounds": 4} if kind == "swiss" else {"games": 4}
    hero = {"hero": ["d"]} if kind == "gauntlet" else {}
    values = {"kind": kind, "player": PLAYERS, "seed": 7, "size": 5, "openings": 2, **length, **hero, **changes}
    return TournamentSettings(**values)


def games(result: TournamentResult) -> list[tuple[GameTask, GameOutcome]]:
    return [(fixture.task, outcome.untimed()) for fixture, outcome in result.games]


class Breaking:
    """An executor that dies after some games."""

    def __init__(self, count: int) -> None:
        self._left = count

    def run(self, function: str, arguments: Iterable[Json]) -> Iterator[tuple[int, Json]]:
        for item in InProcess().run(function, arguments):
            if self._left == 0:
                raise KeyboardInterrupt
            self._left -= 1
            yield item


def test_everybody_meets_everybody_with_both_colours() -> None:
    result = run_tournament(settings("round-robin"))
    assert len(result.games) == result.settings.total_games == 24
    seats = Counter((fixture.black, fixture.white) for fixture, _ in result.games)
    assert seats == {pair: 2 for a, b in combinations("abcd", 2) for pair in ((a, b), (b, a))}
    assert [fixture.task.index for fixture, _ in result.games] == list(range(24))
    assert len({fixture.task.seed for fixture, _ in result.games}) == 24
    by_opening: dict[int, list[tuple[str, str]]] = {}
    for fixture, _ in result.games:
        by_opening.setdefault(fixture.task.opening_seed, []).append((fixture.black, fixture.white))
    assert len(by_opening) == 12
    assert all(first == second[::-1] for first, second in by_opening.values())


def test_heroes_play_against_all_others() -> None:
    result = run_tournament(settings("gauntlet", hero=["d", "a"], games=2))
    assert {frozenset((fixture.black, fixture.white)) for fixture, _ in result.games} == {
        frozenset(pair) for pair in ("db", "dc", "ab", "ac")
    }
    assert len(result.games) == result.settings.total_games == 8


def test_a_swiss_round_has_two_games_for_each_pairing() -> None:
    result = run_tournament(settings("swiss", rounds=5))
    assert len(result.games) == result.settings.total_games == 5 * 2 * 2
    for (first, _), (second, _) in zip(result.games[::2], result.games[1::2], strict=True):
        assert (first.black, first.white) == (second.white, second.black)
        assert first.task.opening_seed == second.task.opening_seed
        assert first.task.seed != second.task.seed


def test_the_law_of_swiss_pairings() -> None:
    points = [0.0, 1.0, 1.5, 5.5]  # mean 2
    draws = 40_000
    rng = Rng(3)
    seen = Counter(draw_pairing(points, rng) for _ in range(draws))
    for black in range(4):
        weights = {white: exp(-abs(points[black] - points[white])) for white in range(4) if white != black}
        for white, weight in weights.items():
            expected = draws / 4 * weight / sum(weights.values())
            # 4.5 standard deviations of a Poisson count
            assert abs(seen[black, white] - expected) < 4.5 * expected**0.5 + 1, (black, white)
    assert not any((i, i) in seen for i in range(4))


def test_swiss_pairings_before_any_win_are_uniform() -> None:
    rng = Rng(4)
    seen = Counter(draw_pairing([0.0] * 3, rng) for _ in range(6000))
    assert len(seen) == 6
    assert all(abs(count - 1000) < 4.5 * 1000**0.5 for count in seen.values())


def test_a_swiss_pairing_of_players_far_apart_is_drawn() -> None:
    assert draw_pairing([0.0, 1e6, 1e6] + [0.0] * 1000, Rng(1))[0] >= 0  # all weights would round to 0
    with pytest.raises(InvalidArgumentError, match="two players"):
        draw_pairing([1.0], Rng(1))


@pytest.mark.parametrize("kind", ["round-robin", "swiss", "gauntlet"])
def test_an_interrupted_tournament_ends_as_if_it_was_not(kind: str, tmp_path: Path) -> None:
    wanted = run_tournament(settings(kind))
    for count in (1, 5):
        with pytest.raises(KeyboardInterrupt):
            run_tournament(settings(kind), folder=tmp_path, executor=Breaking(count))
    heard: list[int] = []
    result = run_tournament(settings(kind), folder=tmp_path, on_result=lambda r: heard.append(len(r.games)))
    assert games(result) == games(wanted)
    assert result.to_json() == wanted.to_json()
    assert heard[-1] == wanted.settings.total_games
    assert sorted(heard) == heard
    assert len(list((tmp_path / "sgf").iterdir())) == wanted.settings.total_games
    # Nothing is left to play.
    assert games(run_tournament(settings(kind), folder=tmp_path, executor=Breaking(0))) == games(wanted)


def test_workers_play_the_same_swiss_tournament() -> None:
    few = settings("swiss", rounds=2)
    assert games(run_tournament(few, executor=LocalWorkers(2))) == games(run_tournament(few))


@pytest.mark.parametrize("kind", ["round-robin", "swiss"])
def test_a_longer_tournament_keeps_the_games(kind: str, tmp_path: Path) -> None:
    short: dict[str, Any] = {"rounds": 2} if kind == "swiss" else {"games": 2}
    first = games(run_tournament(settings(kind, **short), folder=tmp_path))
    # Anchors are no part of the games, either.
    longer = run_tournament(settings(kind, anchors={"d": 500.0}), folder=tmp_path)
    assert games(longer)[: len(first)] == first
    assert games(longer) == games(run_tournament(settings(kind)))


def test_the_order_of_other_players_does_not_matter_for_a_pairing() -> None:
    """Seeds are of the pair, not of its place in the list."""
    fewer = {label: PLAYERS[label] for label in ("b", "d")}
    found = [
        [outcome.moves for fixture, outcome in result.games if {fixture.black, fixture.white} == {"b", "d"}]
        for result in (run_tournament(settings("round-robin", player=p, games=2)) for p in (PLAYERS, fewer))
    ]
    assert found[0] == found[1]


def test_another_tournament_in_the_folder_is_refused(tmp_path: Path) -> None:
    run_tournament(settings("round-robin", games=2), folder=tmp_path)
    reordered = dict(reversed(PLAYERS.items()))
    for changes in ({"seed": 8}, {"player": reordered}, {"komi": 6.5}):
        with pytest.raises(InvalidArgumentError, match=f"(?s)other settings.*{next(iter(changes))}"):
            run_tournament(settings("round-robin", **changes), folder=tmp_path)


def test_a_game_of_another_pairing_is_refused(tmp_path: Path) -> None:
    import sqlite3

    run_tournament(settings("swiss", rounds=1), folder=tmp_path)
    with sqlite3.connect(tmp_path / "games.sqlite") as database:
        text = database.execute("SELECT outcome FROM games WHERE number = 1").fetchone()[0]
        changed = json.dumps({**json.loads(text), "black": "flat-mc:sims=99"})
        database.execute("UPDATE games SET outcome = ? WHERE number = 1", (changed,))
    database.close()
    with pytest.raises(StoreError, match="sims=99"):
        run_tournament(settings("swiss", rounds=1), folder=tmp_path)


def test_the_table() -> None:
    result = run_tournament(settings("round-robin", anchors={"a": 100.0}))
    told = result.to_json()
    assert told["players"][0]["player"] == "d"
    assert [line["elo"] for line in told["players"]] == sorted((line["elo"] for line in told["players"]), reverse=True)
    assert sum(line["points"] for line in told["players"]) == told["games"] == 24
    assert next(line["elo"] for line in told["players"] if line["player"] == "a") == pytest.approx(100)
    assert told["players"][-1]["superiority_over_next"] is None
    assert all(0.5 <= line["superiority_over_next"] <= 1 for line in told["players"][:-1])
    assert sum(pair["black_wins"] + pair["draws"] + pair["white_wins"] for pair in told["pairs"]) == 24
    json.dumps(told, allow_nan=False)
    text = format_table(result)
    assert "better than next" in text
    assert f"{result.against('d', 'a').points:g}/4" in text
    many = settings("round-robin", player={f"p{i}": "random" for i in range(9)}, games=2, max_moves=4)
    shown = format_table(run_tournament(many))
    assert "on the left" not in shown
    assert "72 games cut" in shown


def test_players_without_games_are_in_the_table_and_fouls_are_told() -> None:
    crowd = {f"p{i}": "random" for i in range(9)} | {"broken": f"gtp:{sys.executable} -c pass"}
    result = run_tournament(settings("swiss", rounds=1, player=crowd, seed=1))
    assert len(result.lines) == 10
    assert result.unrated
    assert result.ratings is None
    idle = next(line for line in result.lines if not line.score.games)
    assert idle.to_json()["elo"] is None
    assert "no ratings" in format_table(result)
    pair = {label: crowd[label] for label in ("p0", "broken")}
    lost = run_tournament(settings("round-robin", player=pair, games=2))
    assert lost.fouls == {"p0": {}, "broken": {"crash": 2}}
    assert "broken lost 2 by crash" in format_table(lost)


def test_other_games() -> None:
    values = settings("round-robin", games=2).model_dump(exclude={"size"}) | {"game": "tic-tac-toe"}
    result = run_tournament(TournamentSettings(**values))
    assert len(result.games) == 12
    assert "of tic-tac-toe\n" in format_table(result)
    values["player"] = {"a": "random", "engine": f"gtp:{sys.executable}"}
    with pytest.raises(InvalidArgumentError, match="plays go only, not tic-tac-toe"):
        run_tournament(TournamentSettings(**values))
    with pytest.raises(KatachiError, match="no-such-referee"):
        run_tournament(settings("round-robin", scoring="gtp:no-such-referee"))


TOML = """
kind = "round-robin"
seed = 1
size = 5
games = 2
[anchors]
random = 0
[[player]]
spec = "random"
[[player]]
label = "mc"
player = "flat-mc"
sims = 2
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "cup.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file(tmp_path: Path) -> None:
    loaded = load_tournament(write(tmp_path, TOML))
    assert loaded.player == {"random": "random", "mc": "flat-mc:sims=2"}
    assert loaded.anchors == {"random": 0.0}
    assert loaded.options == {"size": 5, "komi": 7.5, "rules": "cgos"}
    assert load_tournament(EXAMPLES / "ladder.toml").total_games == 120


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("kind", "knd", "did you mean 'kind'"),
        ('"round-robin"', '"rond-robin"', "round-robin.*rond-robin"),
        ("games = 2", "games = 3", "multiple of 2.*3"),
        ("games = 2", "games = true", "integer.*True"),
        ("games = 2", "", "needs games"),
        ("games = 2", "games = 2\nrounds = 3", "not rounds = 3"),
        ("games = 2", 'games = 2\nhero = ["mc"]', "no heroes"),
        ("random = 0", "randm = 0", "did you mean 'random'"),
        ("random = 0", 'random = "0"', "anchors.random.*number"),
        ('"flat-mc"', '"flat-nc"', "did you mean 'flat-mc'"),
        ("sims = 2", "sim = 2", "did you mean 'sims'"),
        ("sims = 2", "sims = [1]", "number 2.*options are numbers"),
        ('spec = "random"', 'spc = "random"', "number 1.*did you mean 'spec'"),
        ('spec = "random"', 'spec = "random"\nlable = "x"', "number 1.*did you mean 'label'"),
        ('spec = "random"', "spec = 3", "number 1.*3"),
        ('spec = "random"', 'spec = "random:"', "player 'random:'.*after the colon"),
        ('label = "mc"', 'label = "random"', "number 2.*two players called 'random'"),
        ('label = "mc"', "label = 4", "label is text, not 4"),
        ("size = 5", 'game = "chess"', "no game called 'chess'"),
        ("size = 5", 'game = "tic-tac-toe"\nkomi = 1', "tic-tac-toe.*komi.: 1"),
        ("size = 5", "size = 500", "500"),
        ("size = 5", 'scoring = "aera"', "scoring.*aera"),
        ("size = 5", "size = ", "line 4"),
        ("size = 5", "openings = 4\nmax_moves = 4", "nothing is left to play"),
        (TOML, "player = 3", "in 3"),
        (TOML, TOML.replace("round-robin", "gauntlet"), "needs hero"),
        (TOML, TOML.replace('"round-robin"', '"gauntlet"\nhero = ["m"]'), "hero: no player is called 'm'"),
        (TOML, TOML.replace('"round-robin"', '"gauntlet"\nhero = ["mc", "random"]'), "nobody is left"),
        (TOML, TOML.replace("round-robin", "swiss"), "swiss tournament needs rounds"),
        (TOML, TOML.partition("[anchors]")[0] + '[[player]]\nspec = "random"', "at least two"),
        (TOML, TOML.partition("[anchors]")[0], "needs a value for 'player'"),
    ],
)  # fmt: skip
def test_mistakes_in_a_file(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in TOML
    with pytest.raises(SettingsError, match=f"(?s)cup.toml: .*({message})"):
        load_tournament(write(tmp_path, TOML.replace(old, new, 1)))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"no\.toml: No such file"):
        load_tournament(tmp_path / "no.toml")
    (tmp_path / "bad.toml").write_bytes(b"\xff")
    with pytest.raises(SettingsError, match=r"bad\.toml"):
        load_tournament(tmp_path / "bad.toml")


def test_the_command_survives_kill(tmp_path: Path) -> None:
    """kill -9 in the middle, then the same command: the same table as in one go."""
    path = write(tmp_path, TOML.replace("games = 2", "games = 80").replace("sims = 2", "sims = 8"))
    command = [sys.executable, "-m", "katachi.cli", "tournament", str(path), "--json", "--out"]
    games_folder = tmp_path / "run" / "sgf"
    process = subprocess.Popen([*command, str(tmp_path / "run")], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while not (games_folder.is_dir() and len(os.listdir(games_folder)) >= 5) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL  # it was not done yet
    assert 5 <= len(os.listdir(games_folder)) < 80
    told = [
        json.loads(subprocess.run([*command, str(folder)], check=True, capture_output=True, text=True).stdout)
        for folder in (tmp_path / "run", tmp_path / "other")
    ]
    assert told[0] == told[1]
    assert told[0]["games"] == 80


def test_any_game_takes_the_options_that_it_has() -> None:
    assert full_options("go") == {"size": 9, "rules": "cgos", "komi": 7.5}
    assert full_options("go", size="7", komi=None) == {"size": 7, "rules": "cgos", "komi": 7.5}
    assert full_options("go", size="9x7")["size"] == "9x7"
    assert full_options("tic-tac-toe", size=None) == {}
    settings = TournamentSettings(
        kind="round-robin", player={"a": "random", "b": "random"}, seed=1, games=2, game="pig"
    )
    assert settings.options == {}
    with pytest.raises(InvalidArgumentError, match="does not take these options"):
        settings.replace(size=3)
