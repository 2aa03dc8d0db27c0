"""The real command in a real process: answers, JSON, errors, reproducibility."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import katachi

KATACHI = str(Path(sys.executable).with_name("katachi"))


def run(*arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    result = subprocess.run([KATACHI, *arguments], capture_output=True, text=True, timeout=120)
    assert result.returncode == status, result.stderr + result.stdout
    return result


def test_version_and_help() -> None:
    assert run("--version").stdout.strip() == katachi.__version__
    for command in ("play", "gtp", "analyze", "review", "perft", "bench", "demo", "info"):
        assert command in run("--help").stdout
        assert "Examples:" in run(command, "--help").stdout
        assert f"katachi {command}" in run(command, "--help").stdout


def test_perft() -> None:
    assert run("perft", "--size", "2", "--depth", "3").stdout.split() == ["1", "5", "2", "21", "3", "68"]
    answer = json.loads(run("perft", "--size", "3x2", "--rules", "aga", "--depth", "2", "--json").stdout)
    assert answer["counts"] == [7, 43]
    assert (answer["size"], answer["rules"]) == ("3x2", "aga")
    assert run("perft", "--size", "3", "--count", "positions").stdout == "12675\n"
    assert run("perft", "--size", "1x3", "--count", "games").stdout == "907\n"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("perft", "--rules", "japanese"), 2, "territory scoring"),
        (("perft", "--rules", "cgo"), 2, "did you mean 'cgos'"),
        (("perft", "--size", "twenty"), 2, "'twenty' is not a board size"),
        (("perft", "--size", "25"), 2, "1x1 to 19x19, not 25x25"),
        (("perft", "--size", "5", "--count", "positions"), 2, "limited to boards of 20 points, not 25"),
        (("perft", "--depth", "0"), 2, "from 1 to 1000, not 0"),
        (("perft", "--size", "2", "--rules", "chinese", "--count", "games"), 2, "for ever"),
        (("perft", "--count", "sheep"), 2, "sheep"),
        (("nonsense",), 2, "nonsense"),
        (("analyze", "--player", "random"), 2, "random does not search"),
        (("analyze", "--moves", "E5 E5"), 2, "E5 is not legal in"),
        (("analyze", "--moves", "Z99"), 2, "Z99"),
        (("analyze", "--moves", "pass pass"), 2, "the game is over"),
        (("analyze", "--game", "pig", "--moves", "roll"), 2, "it has no board"),
        (("analyze", "--move", "3"), 2, "--move 3 needs a record"),
        (("analyze", "nowhere.sgf"), 2, "nowhere.sgf"),
        (("analyze", "nowhere.sgf", "--size", "9"), 2, "leave out --game and --size"),
        (("analyze", "--seconds", "0"), 2, "seconds"),
        (("review", "nowhere.sgf"), 2, "nowhere.sgf cannot be read"),
        (("review", "game.sgf", "--out", "game.sgf"), 2, "game.sgf is the record itself"),
        (("review", "game.sgf", "--plot", "game.gif"), 2, "NAME.svg or NAME.png, not 'game.gif'"),
        (("match", "random", "random", "--clock", "soon"), 2, "'soon' is no time"),
        (("demo", "--size", "0"), 2, "size: Input should be greater than or equal to 1, not 0"),
        (("demo", "--size", "9x5"), 2, "square, N or NxN, not 9x5"),
        (("gtp", "shapes", "--size", "13"), 2, "no weights come with the package for 13x13, only for 5x5"),
        (("gtp", "shapes:weights=nowhere", "--size", "9"), 2, "nowhere: there is no such file"),
    ],
)
def test_mistakes_are_one_message(arguments: tuple[str, ...], status: int, message: str) -> None:
    result = run(*arguments, status=status)
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_info() -> None:
    answer = json.loads(run("info", "--json").stdout)
    assert answer["version"] == katachi.__version__
    assert {"go", "pig", "tic-tac-toe"} <= set(answer["games"])
    assert {"flat-mc", "random"} <= set(answer["players"])
    assert "cgos" in run("info").stdout


def test_bench_has_every_key() -> None:
    answer = json.loads(run("bench", "--json", "--scale", "0.01").stdout)
    for rates in (answer["playouts_per_second"], answer["moves_per_second"]):
        assert set(rates) == {"5x5", "9x9", "19x19"}
        assert min(rates.values()) > 0
    assert answer["moves_per_second"]["9x9"] > 50 * answer["playouts_per_second"]["9x9"]
    assert min(answer["calibration"].values()) > 0
    assert answer["calibration"].keys() == {"random_draws_per_second", "core_round_trip_nanoseconds"}
    assert answer["board_bytes"]["9x9"] < 2048
    assert {"processor", "compiler", "flags"} <= set(answer["machine"])
    assert {"uniform", "mogo", "fuego", "greedy(0.1)"} <= set(answer["policy_playouts_per_second"])
    assert min(answer["policy_playouts_per_second"].values()) > 0
    training = answer["training"]
    assert training.keys() >= {"training_games_per_second", "afterstate_values_per_second"}
    assert min(training.values()) > 0
    table = run("bench", "--scale", "0.01").stdout
    assert "playouts/s" in table
    assert "afterstate values/s" in table
    assert "two threads on one tree" in table


def test_demo_is_reproducible_and_ends_in_a_table(tmp_path: Path) -> None:
    arguments = ("demo", "--size", "4", "--training", "150", "--games", "2")
    one, two, other = (run(*arguments, "--json", *seed) for seed in ((), (), ("--seed", "8")))
    answers = [json.loads(ran.stdout) for ran in (one, two, other)]
    assert answers[0] == answers[1]
    assert answers[0]["pairs"] != answers[2]["pairs"]
    players = len(answers[0]["players"])
    assert sum(row["points"] for row in answers[0]["players"]) == 2 * players * (players - 1) / 2
    assert answers[0]["players"][-1]["elo"] is not None
    kept = run(*arguments, "--out", str(tmp_path / "demo"))
    assert "shapes, 150 games" in kept.stdout
    assert "dyna2, 150 games, 200 simulations" in kept.stdout
    assert "shapes, 100 games" in kept.stdout
    assert (tmp_path / "demo" / "weights-150" / "checkpoint.safetensors").exists()
    assert run(*arguments, "--out", str(tmp_path / "demo")).stdout == kept.stdout


def test_output_that_cannot_be_written_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        ran = subprocess.run([KATACHI, "info"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr.splitlines() == ["katachi: the output cannot be written: No space left on device"]


@pytest.mark.parametrize("size", ["7x9", "99999999999", "0"])
def test_a_size_that_a_game_does_not_have(size: str) -> None:
    ran = run("match", "random", "random", "--game", "hex", "--size", size, "--games", "2", status=2)
    assert ran.stderr.startswith("katachi: hex")
    assert size in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_folder_has_a_name() -> None:
    ran = subprocess.run(
        [KATACHI, "match", "random", "random", "--games", "2", "--out", ""], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert "the name of the folder is empty" in ran.stderr


def test_analyze(tmp_path: Path) -> None:
    record = tmp_path / "game.sgf"
    record.write_text("(;FF[4]GM[1]SZ[5]KM[7.5]RU[Chinese];B[cc];W[bb];B[dd])")
    told = json.loads(run("analyze", str(record), "--player", "uct:sims=500", "--json").stdout)
    assert (told["game"], told["player"], told["to_play"]) == ("go", "uct:sims=500", "white")
    assert told["simulations"] == sum(row["visits"] for row in told["candidates"]) == 500
    assert told["candidates"][0]["line"][0] == told["candidates"][0]["move"]
    values = [row["value"] for row in told["candidates"]]
    assert values == sorted(values, reverse=True)
    assert told["move"] in [row["move"] for row in told["candidates"] if row["value"] == values[0]]
    assert told == json.loads(run("analyze", str(record), "--player", "uct:sims=500", "--json").stdout), "by its seed"
    earlier = json.loads(run("analyze", str(record), "--move", "2", "--moves", "B2", "--json").stdout)
    assert earlier["to_play"] == "black"
    text = run("analyze", "--game", "tic-tac-toe", "--moves", "a1 b2", "--top", "3", "--seconds", "0.2").stdout
    assert "  move   visits  value  line" in text
    assert "  and 4 more" in text
    solved = run("analyze", "--game", "tic-tac-toe", "--moves", "a1 b2 a2", "--player", "alpha-beta:depth=9").stdout
    assert "    ?  " in solved, "only the best move has a value"
