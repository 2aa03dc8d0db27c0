"""`katachi learn` as a process: killed and stopped, gone on with bit for bit, its players, GNU Go, its mistakes."""

import inspect
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from katachi._core import Rng
from katachi.cli.learn import learn as learn_command
from katachi.core.errors import EngineError, StoreError, WeightsError
from katachi.games.go import GoGame
from katachi.learning.network_trainers import NetworkTrainerSettings
from katachi.players.registry import make_player
from katachi.training.network_learning import (
    LearningSchedule,
    NetworkLearningSettings,
    learn,
    learner,
    network_learning,
    play_test,
)
from katachi.training.outside import GNUGO_REFEREE, GtpReferee, Outside
from katachi.values.network import NetworkSettings
from katachi.values.network_file import read_network, save_network
from tests.programs import require_program

KATACHI = (sys.executable, "-m", "katachi.cli")
RUN = ("learn", "--rule", "td-leaf", "--trainer", "residual-rprop", "--seed", "3", "--opponent", "wally", "--opponent",
       "population", "--population-games", "20", "--metrics-games", "50", "--checkpoint-games", "30",
       "--snapshot-games", "100")  # fmt: skip
SETTINGS = learner("td-leaf", "residual-rprop", seed=3, opponents=("wally", "population"), population_games=20)


def katachi(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*KATACHI, *arguments], capture_output=True, text=True, timeout=120)


def wait_for_games(process: subprocess.Popen[bytes], folder: Path, games: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            pytest.fail("the run has ended by itself")
        path = folder / "checkpoint.safetensors"
        if path.exists() and read_network(path).header.games >= games:
            return
        time.sleep(0.002)
    pytest.fail("no checkpoint in time")


def metrics(folder: Path) -> list[dict[str, float]]:
    """All but how fast it was."""
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [{name: value for name, value in row.items() if name != "games_per_cpu_second"} for row in rows]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_ended_goes_on_bit_for_bit(number: signal.Signals, tmp_path: Path) -> None:
    reached = 0
    for _ in range(2):
        process = subprocess.Popen(
            [*KATACHI, *RUN, "--games", "1000000000", "--out", str(tmp_path)], stderr=subprocess.DEVNULL
        )
        wait_for_games(process, tmp_path, reached + 60)
        os.kill(process.pid, number)
        assert process.wait(timeout=30) == {"SIGKILL": -9, "SIGTERM": 143, "SIGINT": 130}[number.name]
        assert (tmp_path / "curves.svg").exists() == (number != signal.SIGKILL)
        reached = read_network(tmp_path / "checkpoint.safetensors").header.games
    games = reached + 25
    run = katachi(*RUN, "--games", str(games), "--out", str(tmp_path), "--json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["played"] == 25
    assert (tmp_path / "curves.svg").read_text().startswith("<?xml")
    whole = network_learning(SETTINGS)
    whole.run(games)
    kept = read_network(tmp_path / "checkpoint.safetensors")
    assert kept.header.games == games
    assert kept.weights.tobytes() == whole.weights.tobytes()
    for i, memory in enumerate(whole.trainer_memories):
        assert kept.arrays[f"trainer_{i}"].tobytes() == memory.tobytes()
    schedule = LearningSchedule(metrics_games=50, checkpoint_games=7, snapshot_games=0, curves=False)
    learn(SETTINGS, games=games, folder=tmp_path / "whole", schedule=schedule)
    rows = metrics(tmp_path)
    assert [row["games"] for row in rows] == [*range(50, games, 50), games]
    assert rows == metrics(tmp_path / "whole")


def test_a_run_that_is_interrupted_where_a_row_is_due(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = learner(network=NetworkSettings(hidden=(3,)))
    schedule = LearningSchedule(metrics_games=50, checkpoint_games=50, snapshot_games=50, curves=False)
    learn(settings, games=120, folder=tmp_path / "whole", schedule=schedule)
    play_on = Outside.run

    def interrupted(*arguments: Any) -> None:  # noqa: ANN401
        play_on(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Outside, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            learn(settings, games=120, folder=tmp_path / "part", schedule=schedule)
    learn(settings, games=120, folder=tmp_path / "part", schedule=schedule)
    assert [row["games"] for row in metrics(tmp_path / "part")] == [50, 100, 120]
    assert metrics(tmp_path / "part") == metrics(tmp_path / "whole")
    snapshots = [sorted(path.name for path in (tmp_path / run / "snapshots").iterdir()) for run in ("whole", "part")]
    assert snapshots[0] == snapshots[1]


def test_a_run_from_python_and_its_players(tmp_path: Path) -> None:
    settings = learner(opponents=("random",), size=5)
    heard: list[int] = []
    schedule = LearningSchedule(metrics_games=50, snapshot_games=40, checkpoint_games=1000)
    result = learn(
        settings, games=100, folder=tmp_path, schedule=schedule, on_games=lambda games, _: heard.append(games)
    )
    assert (result.games, result.played, result.weights) == (100, 100, 2551)
    assert heard[-1] == 100
    assert result.last is not None
    assert result.last.random_share == 0.5
    assert sorted(path.name for path in (tmp_path / "snapshots").iterdir()) == [
        "games_0000000040.safetensors", "games_0000000080.safetensors"
    ]  # fmt: skip
    assert learn(settings, games=100, folder=tmp_path).played == 0
    rows = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [row["games"] for row in rows] == [50, 100]

    weights = tmp_path / "checkpoint.safetensors"
    tested = play_test(weights, opponent="random", games=30)
    assert tested.games == 30
    assert tested.share > 0.6
    assert play_test(weights, opponent="random", games=30) == tested
    player, game = make_player(f"net:weights={weights},depth=2"), GoGame(5)
    assert len(player.fingerprint(game)) == 16  # type: ignore[attr-defined]
    match = katachi("match", f"net:weights={weights}", "wally:random=0.5", "--games", "4", "--size", "5", "--json")
    assert match.returncode == 0, match.stderr
    for spec, game_size, text in (
        (f"net:weights={weights}", 9, "is for boards of 5 by 5, not of 9 by 9"),
        ("net:weights=nowhere.safetensors", 5, "there is no such file"),
        (f"net:weights={tmp_path}", 5, "is a folder, not a file of weights: it has checkpoint.safetensors"),
        (f"net:weights={tmp_path / 'snapshots'}", 5, "it has games_0000000040.safetensors, games_0000000080"),
        (f"net:weights={tmp_path / 'metrics.jsonl'}", 5, "is damaged or no file of weights"),
    ):
        with pytest.raises(WeightsError, match=text):
            make_player(spec).check(GoGame(game_size))  # type: ignore[attr-defined]
    with pytest.raises(WeightsError, match="its format is 'network 1'"):
        make_player(f"shapes:weights={weights}").check(game)  # type: ignore[attr-defined]


def test_other_settings_and_snapshots_are_refused(tmp_path: Path) -> None:
    settings = learner(opponents=("random",))
    learn(settings, games=10, folder=tmp_path, schedule=LearningSchedule(snapshot_games=10))
    with pytest.raises(ValueError, match=r"depth: 2 there, 1 now"):
        learn(settings.replace(depth=1), games=20, folder=tmp_path)
    snapshot = tmp_path / "snapshots" / "games_0000000010.safetensors"
    (tmp_path / "checkpoint.safetensors").write_bytes(snapshot.read_bytes())
    with pytest.raises(StoreError, match="this is a snapshot"):
        learn(settings, games=20, folder=tmp_path)
    damaged = bytearray(snapshot.read_bytes())
    damaged[-1] ^= 1
    snapshot.write_bytes(bytes(damaged))
    with pytest.raises(WeightsError, match="checksum"):
        read_network(snapshot)


def test_a_checkpoint_without_sums_is_read_and_a_strange_one_is_refused(tmp_path: Path) -> None:
    settings = learner(opponents=("random",))
    schedule = LearningSchedule(metrics_games=20, checkpoint_games=30)
    learn(settings, games=30, folder=tmp_path, schedule=schedule)
    path = tmp_path / "checkpoint.safetensors"
    file = read_network(path)

    def keep(state: dict[str, object]) -> None:
        save_network(path, replace(file.header, state=state), file.weights, file.arrays)

    keep({"games_in_batch": file.header.state["games_in_batch"]})
    learn(settings, games=50, folder=tmp_path, schedule=schedule)
    assert [row["games"] for row in metrics(tmp_path)] == [20, 30, 40, 50]
    for tally in ({"games": -1}, {"nobody": 1}, [3]):
        keep({**file.header.state, "tally": tally})
        with pytest.raises(StoreError, match=r"checkpoint\.safetensors: "):
            learn(settings, games=50, folder=tmp_path, schedule=schedule)


def test_gnugo_as_opponent_and_as_referee(tmp_path: Path) -> None:
    require_program("gnugo", "gnugo")
    folders = [tmp_path / name for name in ("whole", "parts")]
    command = ("learn", "--opponent", "gnugo", "--referee", "gnugo", "--hidden", "5")
    for folder, steps in zip(folders, ((3,), (1, 2, 3)), strict=True):
        for games in steps:
            run = katachi(*command, "--games", str(games), "--out", str(folder), "--json")
            assert run.returncode == 0, run.stderr
    one, other = (read_network(folder / "checkpoint.safetensors") for folder in folders)
    assert one.weights.tobytes() == other.weights.tobytes()


@pytest.mark.parametrize("given", [{"opponents": ("gnugo",)}, {"referee": "gnugo"}])
def test_without_gnugo(given: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told before anything is played, and what to install."""
    monkeypatch.setattr("katachi.players.external._GAMES", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match="install Debian package gnugo"):
        learn(learner(**given), games=5, folder=tmp_path / "run")
    assert not (tmp_path / "run" / "checkpoint.safetensors").exists()


def test_margins_of_gnugo() -> None:
    require_program("gnugo", "gnugo")
    from katachi.games.go import Position

    referee = GtpReferee(GNUGO_REFEREE)
    walls = Position.from_diagram(
        """
        . X O . .
        . X O . .
        . X O . .
        . X O . .
        . X O . .
        """
    )
    try:
        assert referee.margin(walls) == referee.margin(walls) == -5
    finally:
        referee.close()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--rule", "td-nu"), "there is no rule called 'td-nu'"),
        (("--trainer", "adam"), "there is no trainer called 'adam'"),
        (("--opponent", "gnuga"), "there is no opponent called 'gnuga': did you mean 'gnugo'?"),
        (("--opponent", "selv"), "there is no opponent called 'selv': did you mean 'self'?"),
        (("--opponent", "ucd:c_p=1"), "there is no player called 'ucd'"),
        (("--referee", "me"), "a referee is ownership, gnugo or gtp:COMMAND, not 'me'"),
        (("--size", "5x7"), "boards of learners are square, N or NxN, not 5x7"),
        (("--hidden", "a,b"), "hidden layers are numbers with commas, not 'a,b'"),
        (("--reward", "win"), "katachi: reward=win is 1 or 0: it needs network.unit=output\n"),
        (("--trainer", "residual", "--lambda", "0.5"), "with more it is residual-lambda"),
        (("--game", "pig", "--inputs", "table", "--opponent", "self"), "games for two without chance"),
    ],
)
def test_mistakes_have_names(arguments: tuple[str, ...], text: str, tmp_path: Path) -> None:
    run = katachi("learn", "--games", "5", "--out", str(tmp_path), *arguments)
    assert run.returncode != 0
    assert text in run.stderr
    assert "Traceback" not in run.stderr
    assert len(run.stderr) < 400


def test_a_run_that_did_not_start_does_not_keep_its_folder(tmp_path: Path) -> None:
    """Who corrects the command of an engine, or anything else, can give the same folder."""
    for opponent, text in (("gtp:cat", "not a GTP answer"), ("gtp:false", "ended"), ("gtp:nowhere", "no program")):
        run = katachi("learn", "--games", "5", "--opponent", opponent, "--out", str(tmp_path))
        assert run.returncode == 2
        assert text in run.stderr
    run = katachi("learn", "--games", "5", "--opponent", "random", "--out", str(tmp_path), "--json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["games"] == 5
    whole = network_learning(learner(opponents=("random",)))
    whole.run(5)
    assert read_network(tmp_path / "checkpoint.safetensors").weights.tobytes() == whole.weights.tobytes()
    run = katachi("learn", "--games", "5", "--opponent", "random", "--out", str(tmp_path))
    assert (run.returncode, run.stderr) == (0, "5/5 games\n")
    run = katachi("learn", "--games", "5", "--opponent", "wally", "--out", str(tmp_path))
    assert "opponents: ['random'] there, ['wally'] now" in run.stderr


def test_every_setting_has_an_option() -> None:
    """Those that are not given leave the defaults of the settings; the trainer's name says how it steps."""
    options = set(inspect.signature(learn_command).parameters)
    known = {"opponents": "opponent"}
    for model in (NetworkLearningSettings, NetworkSettings, NetworkTrainerSettings):
        missing = {known.get(name, name) for name in model.model_fields} - options
        assert missing <= {"network", "step"}, model


def test_options_reach_the_settings(tmp_path: Path) -> None:
    given = {
        "explored_leaf": "played", "referee_playouts": 20, "dead_share": 0.7, "bias": False, "initial_range": 0.5,
        "mix": 0.25, "phi_margin": 0.1, "rprop_growth": 1.1, "rprop_shrinkage": 0.4, "rprop_smallest": 0.01,
    }  # fmt: skip
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in given.items() if name != "bias"]
    run = katachi("learn", "--games", "1", "--hidden", "3", "--no-bias", *flags, "--out", str(tmp_path))
    assert run.returncode == 0, run.stderr
    kept = read_network(tmp_path / "checkpoint.safetensors").header.configuration
    told = {**kept, **kept["network"], **kept["trainer"]}
    assert {name: told[name] for name in given} == given
    plain = katachi("learn", "--games", "1", "--hidden", "3", "--out", str(tmp_path / "plain"))
    assert plain.returncode == 0, plain.stderr
    kept = read_network(tmp_path / "plain" / "checkpoint.safetensors").header.configuration
    assert NetworkLearningSettings.from_json(kept) == learner(network=NetworkSettings(hidden=(3,)))


def test_the_example_learns_tic_tac_toe(tmp_path: Path) -> None:
    """As --help has it: with two plies it draws against a player that sees everything."""
    text = inspect.cleandoc(learn_command.__doc__ or "").partition("katachi learn --game tic-tac-toe")[2]
    words = ("--game", "tic-tac-toe", *text.split())
    assert words[-2:] == ("--out", "xo")
    run = katachi("learn", *words[:-1], str(tmp_path))
    assert run.returncode == 0, run.stderr
    player = f"net:weights={tmp_path / 'checkpoint.safetensors'},depth=2"
    match = katachi("match", player, "alpha-beta:depth=9", "--game", "tic-tac-toe", "--games", "100", "--json")
    assert match.returncode == 0, match.stderr
    assert json.loads(match.stdout)["losses"] == 0


def test_the_network_of_the_package() -> None:
    from katachi.values.network_file import shipped_network

    game = GoGame(5)
    path = shipped_network(game)
    tested = play_test(path, opponent="wally", games=200)
    assert tested.share > 0.7
    player = make_player("net:depth=3")
    assert player.choose(game, game.initial_state(), Rng(1)).action is not None
    with pytest.raises(WeightsError, match="no network comes with the package for go on 9x9, only for Go on 5x5"):
        player.check(GoGame(9))  # type: ignore[attr-defined]
    assert read_network(path).header.state == {}
