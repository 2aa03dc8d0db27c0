"""`katachi match` as a process: killed, interrupted, started twice, changed. What is kept is what was played."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pexpect
import pytest

from katachi.arena.executor import InProcess, Json
from katachi.arena.match import MatchResult, MatchSettings, run_match
from katachi.arena.referee import GameTask, _Table, format_outcome, play_task
from katachi.cli import main
from katachi.core.errors import InvalidArgumentError, StoreError
from katachi.games.registry import make_game
from katachi.players.registry import make_player
from tests.system.match_processes import command, kept, leftovers, marked, run, sgf_files, wait_for_games

KATACHI = str(Path(sys.executable).with_name("katachi"))
EXAMPLES = Path(__file__).parents[2] / "examples"
PAIR = ("flat-mc:sims=8", "random", "--size", 5)
LONG = ("flat-mc:sims=2000", "flat-mc:sims=2000", "--size", 9, "--games", 1000)
FIELDS = {
    "first",
    "second",
    "games",
    "wins",
    "draws",
    "losses",
    "win_rate",
    "win_rate_interval",
    "elo",
    "elo_interval",
    "likelihood_of_superiority",
    "average_length",
    "seconds_per_move",
    "longest_move_seconds",
    "simulations_per_second",
    "fouls",
    "cut",
    "repeated_games",
    "sprt",
}


def settings(**changes: object) -> MatchSettings:
    values = {"first": "flat-mc:sims=4", "second": "random", "games": 4, "seed": 1, "options": {"size": 3}}
    return MatchSettings.from_mapping({**values, **changes})


# -- killed


def test_killed_ten_times_a_run_has_exactly_the_games_of_an_uninterrupted_one(tmp_path: Path) -> None:
    words = ("flat-mc:sims=320", "random", "--size", 5, "--games", 60, "--seed", 7, "--openings", 1)
    rng = random.Random(1)
    env = marked()
    games = [0]
    for life in range(10):
        process = subprocess.Popen(
            command(*words, "--workers", 2, "--out", tmp_path / "killed"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=env,
        )
        if life % 3 == 2:  # at any moment, that of starting included
            time.sleep(rng.uniform(0.0, 1.0))
        else:
            wait_for_games(tmp_path / "killed", games[-1] + 1)
            time.sleep(rng.uniform(0.0, 0.1))
        process.kill()
        _, errors = process.communicate(timeout=10)
        assert process.returncode == -signal.SIGKILL, f"it ended before it was killed: {errors.decode()}"
        assert leftovers(env) == {}
        games.append(len(kept(tmp_path / "killed")))
    assert games == sorted(games), "nothing is lost"
    assert len(set(games)) >= 7, f"it was killed while it played: {games}"
    last = run(*words, "--workers", 2, "--out", tmp_path / "killed", "--json", env=env)
    assert last.returncode == 0, last.stderr
    whole = run(*words, "--executor", "local", "--out", tmp_path / "whole", "--json", env=env)
    assert whole.returncode == 0, whole.stderr
    outcomes = kept(tmp_path / "whole")
    assert [outcome.index for outcome in outcomes] == list(range(60))
    assert kept(tmp_path / "killed") == outcomes
    assert sgf_files(tmp_path / "killed") == sgf_files(tmp_path / "whole")
    assert len(sgf_files(tmp_path / "whole")) == 60
    for field in FIELDS - {"seconds_per_move", "longest_move_seconds", "simulations_per_second"}:
        assert json.loads(last.stdout)[field] == json.loads(whole.stdout)[field]
    assert leftovers(env) == {}


# -- the folder


def test_a_folder_serves_one_run_at_a_time(tmp_path: Path) -> None:
    env = marked()
    with subprocess.Popen(
        command(*LONG, "--workers", 1, "--out", tmp_path), stderr=subprocess.DEVNULL, env=env
    ) as process:
        try:
            deadline = time.monotonic() + 10
            while not (tmp_path / "games.sqlite").exists() and time.monotonic() < deadline:
                time.sleep(0.02)
            second = run(*LONG, "--workers", 1, "--out", tmp_path)
        finally:
            process.kill()
    assert second.returncode == 2
    assert second.stderr == f"katachi: {tmp_path} is in use by another run\n"
    assert leftovers(env) == {}


def test_other_settings_are_refused_and_nothing_changes(tmp_path: Path) -> None:
    assert run(*PAIR, "--games", 4, "--out", tmp_path).returncode == 0
    before = kept(tmp_path), sgf_files(tmp_path)
    other = run("flat-mc:sims=9", "random", "--size", 5, "--games", 9, "--seed", 2, "--out", tmp_path)
    assert other.returncode == 2
    assert other.stdout == ""
    assert other.stderr.splitlines() == [
        f"katachi: {tmp_path} holds a run with other settings: choose another folder",
        "  first: 'flat-mc:sims=8' there, 'flat-mc:sims=9' now",
        "  seed: 1 there, 2 now",
    ]
    assert (kept(tmp_path), sgf_files(tmp_path)) == before
    with sqlite3.connect(tmp_path / "games.sqlite") as database:
        stored = dict(database.execute("SELECT key, value FROM run"))
    database.close()
    assert (stored["games"], stored["seed"], stored["first"]) == ("4", "1", '"flat-mc:sims=8"')


def damage_header(path: Path) -> None:
    path.write_bytes(b"this is no database" * 100)


def damage_pages(path: Path) -> None:
    text = bytearray(path.read_bytes())
    text[4096:] = b"\xa5" * (len(text) - 4096)
    path.write_bytes(text)


def damage_row(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("UPDATE games SET outcome = '{\"index\": 1}' WHERE number = 1")
    database.close()


def damage_json(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("UPDATE games SET outcome = 'x' WHERE number = 1")
    database.close()


@pytest.mark.parametrize("damage", [damage_header, damage_pages, damage_row, damage_json])
def test_a_damaged_file_is_an_error_with_its_name(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    run_match(settings(), folder=tmp_path)
    damage(tmp_path / "games.sqlite")
    with pytest.raises(StoreError, match=r"games\.sqlite: "):
        run_match(settings(), folder=tmp_path)
    with pytest.raises(StoreError, match=r"games\.sqlite: "):  # and the lock is free again
        run_match(settings(), folder=tmp_path)


def test_a_damaged_file_is_one_message(tmp_path: Path) -> None:
    damage_header(tmp_path / "games.sqlite")
    ended = run(*PAIR, "--out", tmp_path)
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert f"katachi: {tmp_path / 'games.sqlite'}: file is not a database" in ended.stderr


def test_a_folder_that_cannot_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = run(*PAIR, "--out", tmp_path / "file")
    assert (ended.returncode, ended.stderr) == (2, f"katachi: {tmp_path / 'file'}: File exists\n")


# -- interrupted


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_ends_it_quickly(tmp_path: Path, workers: int, number: signal.Signals, status: int) -> None:
    env = marked()
    words = ("flat-mc:sims=300", "random", "--size", 5, "--games", 10_000)
    process = subprocess.Popen(
        command(*words, "--workers", workers, "--out", tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
        start_new_session=True,
    )
    wait_for_games(tmp_path, 3)
    started = time.monotonic()
    os.killpg(process.pid, number)  # what a terminal does
    stdout, stderr = process.communicate(timeout=20)
    seconds = time.monotonic() - started
    assert process.returncode == status
    assert seconds < 2
    assert "Traceback" not in stderr
    assert stdout == ""
    assert leftovers(env, 0.1) == {}
    games = kept(tmp_path)
    assert len(games) >= 3
    last = max(games, key=lambda game: game.index)
    tasks = list(MatchSettings.from_mapping({**stored_settings(tmp_path), "games": last.index + 1}).tasks())
    assert play_task(tasks[-1]).untimed() == last


def stored_settings(folder: Path) -> dict[str, object]:
    with sqlite3.connect(folder / "games.sqlite") as database:
        stored = {key: json.loads(value) for key, value in database.execute("SELECT key, value FROM run")}
    database.close()
    del stored["format"]
    return stored


# -- what it says


def test_json_is_one_object(tmp_path: Path) -> None:
    ended = run(*PAIR, "--games", 6, "--workers", 2, "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    told = json.loads(ended.stdout)
    assert set(told) == FIELDS
    assert told["games"] == told["wins"] + told["draws"] + told["losses"] == 6
    assert told["win_rate"] == (told["wins"] + told["draws"] / 2) / 6
    low, high = told["win_rate_interval"]
    assert 0 <= low <= told["win_rate"] <= high + 1e-9
    assert told["fouls"] == {"flat-mc:sims=8": {}, "random": {}}


def test_a_table_for_people(tmp_path: Path) -> None:
    ended = run(*PAIR, "--games", 6, "--sprt", "0,35")
    assert ended.returncode == 0
    assert ended.stdout.startswith("flat-mc:sims=8 against random: 6 games\n  +6 =0 -0, 100.0% (61.0% to 100.0%)\n")
    assert "sequential test: not decided" in ended.stdout
    assert ended.stderr.startswith("6/6 games: +6 =0 -0"), "the last game is told where nobody watches, too"


@pytest.mark.parametrize("name", ["tic-tac-toe", "pig"])
def test_other_games(name: str, tmp_path: Path) -> None:
    ended = run("flat-mc:sims=50", "random", "--game", name, "--games", 10, "--json", "--out", tmp_path)
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    assert told["games"] == 10
    assert told["wins"] > told["losses"]
    assert len(kept(tmp_path)) == 10
    assert not (tmp_path / "sgf").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("flat-mc:sims=x", "random"), "sims"),
        (("random", "nobody"), "nobody"),
        (("random", "gtp:katachi-no-such --mode gtp"), "there is no program 'katachi-no-such'"),
        (("random", "random", "--executor", "cloud"), "'cloud' is no executor"),
        (("random", "random", "--executor", "local:0"), "'local:0' is no executor"),
        (("random", "random", "--scoring", "guess"), "scoring is area, agreement or gtp:COMMAND, not 'guess'"),
        (("random", "random", "--scoring", "gtp:katachi-no-such"), "there is no program 'katachi-no-such'"),
        (("random", "random", "--scoring", "gtp:"), "this is no command"),
        (("random", "random", "--sprt", "35"), "'35' is no test"),
        (("random", "random", "--sprt", "35,0"), "the first bound must be the smaller one"),
        (("random", "random", "--game", "chess"), "chess"),
        (("random", "random", "--size", "0"), "0"),
        (("random", "random", "--rules", "japanese-ish"), "japanese-ish"),
        (("random", "random", "--openings", "10", "--max-moves", "10"), "nothing is left to play"),
        (("random", f"gtp:{sys.executable}", "--game", "tic-tac-toe"), "plays go only, not tic-tac-toe"),
        (("random", "random", "--game", "tic-tac-toe", "--scoring", "agreement"), "is for go, not for tic-tac-toe"),
    ],
)
def test_mistakes_are_one_line_before_any_game(
    words: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["katachi", "match", *words, "--out", str(tmp_path / "out")])
    monkeypatch.setattr("katachi.cli.match.raise_on_hangup", lambda: None)  # this process keeps its signals
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr()
    assert ended.value.code == 2
    assert told.out == ""
    assert told.err.startswith("katachi: ")
    assert told.err.count("\n") == 1, told.err
    assert message in told.err
    assert not (tmp_path / "out").exists()


def test_a_mistake_is_one_line_of_a_process_too(tmp_path: Path) -> None:
    ended = run("random", "nobody", "--out", tmp_path / "out")
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert not (tmp_path / "out").exists()


# -- the sequential test


def test_a_sequential_test_stops_at_the_same_game_wherever_it_is_played(tmp_path: Path) -> None:
    words = ("flat-mc:sims=12", "flat-mc:sims=2", "--size", 5, "--openings", 2, "--games", 4000, "--sprt", "0,200")
    results = []
    for workers in (1, 2):
        ended = run(*words, "--workers", workers, "--json", "--out", tmp_path / str(workers))
        assert ended.returncode == 0, ended.stderr
        results.append(json.loads(ended.stdout))
    assert results[0]["sprt"] == results[1]["sprt"] == "H1"
    games = kept(tmp_path / "1")
    assert 5 < len(games) < 4000
    assert [result["games"] for result in results] == [len(games)] * 2
    assert kept(tmp_path / "2") == games
    assert sgf_files(tmp_path / "2") == sgf_files(tmp_path / "1")
    assert len(sgf_files(tmp_path / "1")) == len(games)
    process = subprocess.Popen(command(*words, "--workers", 2, "--out", tmp_path / "killed"), stderr=subprocess.DEVNULL)
    wait_for_games(tmp_path / "killed", 2)
    process.kill()
    process.wait()
    for workers in (2, 0):  # the second time nothing is left to play
        ended = run(*words, "--workers", workers, "--out", tmp_path / "killed", "--json")
        assert json.loads(ended.stdout)["games"] == len(games)
        assert kept(tmp_path / "killed") == games


class Shuffled(InProcess):
    """Work in another order: who is quicker must not matter."""

    def run(self, function: str, arguments: Iterable[Json]) -> Iterator[tuple[int, Json]]:
        results = list(super().run(function, arguments))
        random.Random(3).shuffle(results)
        yield from results


def test_a_decision_is_found_even_if_later_games_would_revoke_it() -> None:
    """The games come in any order; the first of them in their own order that decides is the last one of the match."""
    values = {
        "first": "flat-mc:sims=4",
        "second": "flat-mc:sims=2",
        "games": 200,
        "sprt": "0,150",
        "options": {"size": 3},
    }
    lengths = set()
    for seed in range(4):
        match = MatchSettings.from_mapping({**values, "seed": seed})
        straight = run_match(match)
        shuffled = run_match(match, executor=Shuffled())
        assert straight.verdict in ("H0", "H1")
        assert shuffled.verdict == straight.verdict
        assert [o.untimed() for o in shuffled.outcomes] == [o.untimed() for o in straight.outcomes]
        lengths.add(len(straight.outcomes))
    assert max(lengths) < 200


# -- corners


def test_a_player_against_itself(tmp_path: Path) -> None:
    told: list[MatchResult] = []
    result = run_match(settings(first="random", second="random", games=10), folder=tmp_path, on_result=told.append)
    seats = [result.seat(outcome) for outcome in result.outcomes]
    assert [int(seat) for seat in seats] == [0, 1] * 5
    black = sum(outcome.total == 1.0 for outcome in result.outcomes)
    wins = sum(
        outcome.total == (1.0 if seat == 0 else 0.0) for outcome, seat in zip(result.outcomes, seats, strict=True)
    )
    assert result.wins == wins
    assert result.wins + result.draws + result.losses == 10
    assert black > 0
    assert [outcome.untimed() for outcome in result.outcomes] == kept(tmp_path)
    assert told[-1].outcomes == result.outcomes


def test_more_games_later_are_the_games_of_a_longer_match(tmp_path: Path) -> None:
    first = run_match(settings(games=5), folder=tmp_path)
    more = run_match(settings(games=12), folder=tmp_path)
    whole = run_match(settings(games=12))
    assert more.outcomes[:5] == first.outcomes, "with their times: they were not played again"
    assert [o.untimed() for o in more.outcomes] == [o.untimed() for o in whole.outcomes]
    fewer = run_match(settings(games=3), folder=tmp_path)
    assert fewer.outcomes == first.outcomes[:3]
    assert len(kept(tmp_path)) == 12, "nothing is thrown away"


def test_results_are_told_now_and_then_and_in_the_end() -> None:
    told: list[MatchResult] = []
    result = run_match(settings(games=300), on_result=told.append)
    assert told[-1] == result
    assert [len(r.outcomes) for r in told] == sorted({len(r.outcomes) for r in told})
    seconds = sum(sum(outcome.seconds) for outcome in result.outcomes)
    assert len(told) <= 3 + (seconds + 2) / 0.1


def test_openings_are_mirrored_and_never_end_a_game() -> None:
    for game, options, plies in (("go", {"size": 5}, 4), ("tic-tac-toe", {}, 7), ("pig", {"target": 20}, 6)):
        match = settings(first="random", second="random", games=20, game=game, options=options, opening_plies=plies)
        outcomes = run_match(match).outcomes
        openings = [outcome.moves[:plies] for outcome in outcomes]
        assert openings[0::2] == openings[1::2]
        assert len({tuple(opening) for opening in openings}) > 3
        assert all(len(outcome.moves) > plies for outcome in outcomes)
    with pytest.raises(InvalidArgumentError, match="9 random plies end a game of tic-tac-toe"):
        run_match(settings(game="tic-tac-toe", options={}, opening_plies=9))


def test_the_dice_of_an_opening_are_mirrored_too() -> None:
    """In pig the dice decide: with the same opening both games are at the same score before the players begin."""
    match = settings(first="random", second="random", games=40, game="pig", options={"target": 30}, opening_plies=12)
    tasks = list(match.tasks())
    states = []
    for task in tasks:
        table = _Table(task, make_game("pig", target=30), (make_player("random"), make_player("random")))
        table._open()
        states.append(str(table._state))
    assert states[0::2] == states[1::2]
    assert len(set(states)) > 5


def test_a_game_that_is_cut_is_a_draw_with_its_reason(tmp_path: Path) -> None:
    result = run_match(settings(games=2, options={"size": 9}, max_moves=6, opening_plies=2), folder=tmp_path)
    assert [(o.reason, len(o.moves), o.margin, o.loser) for o in result.outcomes] == [("cap", 6, None, None)] * 2
    assert (result.draws, result.to_json()["cut"]) == (2, 2)
    assert all("RE[0]" in text and "cap" in text for text in sgf_files(tmp_path).values())


def test_a_task_is_all_that_a_game_depends_on() -> None:
    task = GameTask(index=3, game="go", options={"size": 5}, black="flat-mc:sims=4", white="random", seed=5)
    outcome = play_task(task)
    assert play_task(GameTask.from_json(json.loads(task.model_dump_json()))).untimed() == outcome.untimed()
    assert format_outcome(outcome).startswith("B+")


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (
            ("match", "flat-mc:sims=50", "random", "--size", "5", "--games", "1000"),
            ("against random", "Elo difference"),
        ),
        (("tournament", str(EXAMPLES / "ladder.toml")), ("better than next", "leads with")),
    ],
)
def test_a_terminal_shows_a_table_that_lives(words: tuple[str, ...], shown: tuple[str, ...]) -> None:
    child = pexpect.spawn(KATACHI, list(words), encoding="utf-8", timeout=60, dimensions=(50, 200))
    for text in shown:
        child.expect_exact(text)
    child.expect_exact("0:00:0")  # the time left, so it was not the final table
    child.terminate(force=True)


def test_options_that_a_game_does_not_have_are_refused() -> None:
    ran = subprocess.run(
        [KATACHI, "match", "random", "random", "--game", "tic-tac-toe", "--komi", "5"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode != 0
    assert "tic-tac-toe" in ran.stderr
    assert "komi" in ran.stderr
