"""Engines that hang, crash, babble and cheat, as real processes: the match goes on, and says what they did."""

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from textwrap import dedent, indent

import pytest

from katachi.arena.executor import LocalWorkers
from katachi.arena.match import MatchResult, MatchSettings, run_match
from katachi.arena.referee import GameOutcome, GameTask, UncountedError, format_outcome, play_task
from tests.programs import require_program
from tests.system.match_processes import MARK, command, is_alive, kept, leftovers, marked, run, sgf_files

# Plays on the first empty point it knows of, until its body does something else.
ENGINE = """
import os, signal, sys, time
letters = "ABCDEFGHJ"
free = []
choices = 0
# body
for line in sys.stdin:
    number, name, *words = line.split()
    text = ""
    if name == "boardsize":
        size = int(words[0])
    elif name == "clear_board":
        free = [f"{letters[x]}{y + 1}" for y in range(size) for x in range(size)]
    elif name == "play":
        free = [point for point in free if point != words[1].upper()]
    elif name == "genmove":
        choices += 1
        text = choose()
        free = [point for point in free if point != text]
    elif name == "known_command":
        text = "false"
    print(f"={number} {text}\\n", flush=True)
    if name == "quit":
        break
"""
PLAIN = """
def choose():
    return free[0] if len(free) > 4 else "pass"
"""
BROKEN = {
    # How it breaks at its third move, and what is recorded.
    "hangs": ("time.sleep(60)", "time", r"did not answer 'genmove"),
    "is deaf": ("signal.signal(signal.SIGTERM, signal.SIG_IGN); os.close(0); time.sleep(60)", "time", "did not answer"),
    "crashes": ("sys.exit('out of memory')", "crash", "out of memory"),
    "is killed": ("os.kill(os.getpid(), signal.SIGKILL)", "crash", "killed by signal 9"),
    "babbles": ("print('I think I win', flush=True)", "crash", "not a GTP answer: 'I think I win'"),
    "floods": ("print('=' + 'x' * 3_000_000 * 10, flush=True)", "crash", "bytes and no empty line"),
    "answers junk": ("return 'fish'", "illegal move", "'fish', which is no move"),
    "answers nothing": ("return ''", "illegal move", "'', which is no move"),
    "cheats": ("return taken", "illegal move", "illegal"),
    "resigns": ("return 'resign'", "resignation", "resigned, which this match does not allow"),
    "closes its output": ("os.close(1); time.sleep(60)", "crash", "closed its input or output"),
}


def engine(folder: Path, body: str, name: str = "engine") -> str:
    """The spec of an engine with this body."""
    path = folder / f"{name.replace(' ', '-')}.py"
    path.write_text(ENGINE.replace("# body", dedent(body)))
    return f"gtp[timeout=0.5]:{shlex.join([sys.executable, '-S', str(path)])}"


def broken(folder: Path, name: str) -> str:
    """Breaks at its third move."""
    body = f"""
    taken = "A1"
    def choose():
        global taken
        if choices == 3:
            {BROKEN[name][0]}
        taken = free[0]
        return taken
    """
    return engine(folder, body, name)


def settings(first: str, second: str = "random", games: int = 2, **changes: object) -> MatchSettings:
    values = {"first": first, "second": second, "games": games, "seed": 1, "options": {"size": 5}}
    return MatchSettings.from_mapping({**values, **changes})


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_engine_loses_its_games_and_the_match_goes_on(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = marked()
    monkeypatch.setenv(MARK, env[MARK])
    _, reason, detail = BROKEN[name]
    spec = broken(tmp_path, name)
    started = time.monotonic()
    result = run_match(settings(spec), folder=tmp_path / "run")
    assert time.monotonic() - started < 8
    assert (result.wins, result.draws, result.losses) == (0, 0, 2)
    assert result.fouls == {spec: {reason: 2}, "random": {}}
    for outcome, loser, moves in zip(result.outcomes, ("black", "white"), (4, 5), strict=True):
        assert (outcome.reason, outcome.loser, outcome.margin, len(outcome.moves)) == (reason, loser, None, moves)
        assert detail in outcome.detail
        letter = {"time": "T", "resignation": "R"}.get(reason, "F")
        assert format_outcome(outcome) == ("W+" if loser == "black" else "B+") + letter
    records = sgf_files(tmp_path / "run")
    for outcome, text in zip(result.outcomes, records.values(), strict=True):
        assert f"RE[{format_outcome(outcome)}]" in text
    assert all(reason in text for text in records.values())
    assert leftovers(env, 1.0) == {}


def test_an_engine_that_does_not_even_start(tmp_path: Path) -> None:
    for program, message in (("false", "status 1"), ("true", "status 0")):
        result = run_match(settings(f"gtp:{program}"))
        assert result.losses == 2
        assert all(o.reason == "crash" and message in o.detail and len(o.moves) < 2 for o in result.outcomes)
    slow = engine(tmp_path, "time.sleep(60)")
    assert [o.reason for o in run_match(settings(slow)).outcomes] == ["time", "time"]


def test_two_broken_engines_with_two_workers(tmp_path: Path) -> None:
    """Whoever breaks first loses; every game is kept, nothing is left."""
    env = marked()
    words = (broken(tmp_path, "hangs"), broken(tmp_path, "cheats"), "--size", 5, "--games", 8, "--workers", 2)
    ended = run(*words, "--out", tmp_path / "run", "--json", env=env)
    assert ended.returncode == 0, ended.stderr
    assert leftovers(env, 0.5) == {}
    told = json.loads(ended.stdout)
    assert (told["wins"], told["losses"]) == (4, 4), "Black has the third move first"
    assert told["fouls"] == {words[0]: {"time": 4}, words[1]: {"illegal move": 4}}
    outcomes = kept(tmp_path / "run")
    assert [outcome.reason for outcome in outcomes] == ["time", "illegal move"] * 4
    assert len(sgf_files(tmp_path / "run")) == 8


def test_a_crash_now_and_then_costs_these_games_only(tmp_path: Path) -> None:
    body = """
    def choose():
        if choices == 3 and int(sys.argv[1]) % 2:
            os._exit(7)
        return free[0] if len(free) > 4 else "pass"
    """
    spec = engine(tmp_path, body) + " {seed}"
    result = run_match(settings(spec, games=12), executor=LocalWorkers(2))
    reasons = [outcome.reason for outcome in result.outcomes]
    assert set(reasons) == {"crash", "count"}
    again = run_match(settings(spec, games=12))
    assert [o.untimed() for o in again.outcomes] == [o.untimed() for o in result.outcomes]


@pytest.mark.parametrize(
    ("number", "workers"), [(signal.SIGINT, 0), (signal.SIGINT, 2), (signal.SIGKILL, 0), (signal.SIGKILL, 2)]
)
def test_engines_that_think_end_with_the_match(number: signal.Signals, workers: int, tmp_path: Path) -> None:
    """Even one that reads nothing any more."""
    env = marked()
    spec = engine(tmp_path, "def choose():\n    time.sleep(60)").replace("timeout=0.5", "timeout=60")
    process = subprocess.Popen(
        command(spec, "random", "--size", 5, "--workers", workers, "--out", tmp_path / "run"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
        start_new_session=True,
    )
    deadline = time.monotonic() + 15
    while len(leftovers(env, 0, "engine.py")) < max(1, workers) + 1 and time.monotonic() < deadline:
        time.sleep(0.05)  # the command of the match names it, too
    time.sleep(0.3)
    started = time.monotonic()
    os.killpg(process.pid, number)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == (130 if number == signal.SIGINT else -9)
    assert time.monotonic() - started < 2
    assert b"Traceback" not in errors
    assert leftovers(env, 2.0) == {}


def test_an_engine_that_thinks_ends_with_its_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker is killed; the engine reads nothing, and ignores what can be ignored. The game is played again."""
    env = marked()
    monkeypatch.setenv(MARK, env[MARK])
    body = f"""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    def choose():
        if not os.path.exists({str(tmp_path / "seen")!r}):
            open({str(tmp_path / "thinks")!r}, "w").write(f"{{os.getppid()}} {{os.getpid()}}")
            time.sleep(60)
        return "pass"
    """
    spec = engine(tmp_path, body).replace("timeout=0.5", "timeout=60")
    gone: list[bool] = []

    def kill() -> None:
        deadline = time.monotonic() + 20
        while not (words := read_words(tmp_path / "thinks")) and time.monotonic() < deadline:
            time.sleep(0.02)
        (tmp_path / "seen").touch()
        worker, thinker = map(int, words)
        assert is_alive(thinker)
        os.kill(worker, signal.SIGKILL)
        deadline = time.monotonic() + 1
        while is_alive(thinker) and time.monotonic() < deadline:
            time.sleep(0.01)
        gone.append(not is_alive(thinker))

    killer = threading.Thread(target=kill)
    killer.start()
    result = run_match(settings(spec, games=1), executor=LocalWorkers(1))
    killer.join()
    assert gone == [True]
    assert [outcome.reason for outcome in result.outcomes] == ["count"]
    assert leftovers(env, 1.0) == {}


def read_words(path: Path) -> list[str]:
    return path.read_text().split() if path.exists() else []


def test_engines_inherit_no_python_path(tmp_path: Path) -> None:
    """An engine may have a Python of its own."""
    path = os.environ.get("PYTHONPATH", "")
    spec = engine(tmp_path, f"assert os.environ.get('PYTHONPATH', '') == {path!r}{PLAIN}")
    result = run_match(settings(spec), executor=LocalWorkers(1))
    assert [outcome.reason for outcome in result.outcomes] == ["count", "count"]


# -- who counts


def scored(scoring: str, black: str, white: str, **options: object) -> GameOutcome:
    options = {"size": 5, "komi": 0.5, **options}
    return play_task(GameTask(index=0, game="go", options=options, black=black, white=white, seed=1, scoring=scoring))


def moves_of(folder: Path, name: str, moves: str) -> str:
    """An engine that plays these moves, and then passes."""
    body = f"moves = {moves.split()!r}\ndef choose():\n    return moves.pop(0) if moves else 'pass'"
    return engine(folder, body, name)


def test_dead_stones_count_by_agreement_only(tmp_path: Path) -> None:
    black, white = moves_of(tmp_path, "black", "B1 B2 B3 B4 B5 A2 A4"), moves_of(tmp_path, "white", "C1 C2 C3 C4 C5 E3")
    # White holds three columns and Black two; nothing is dead.
    for scoring in ("area", "agreement"):
        assert scored(scoring, black, white).margin == 10 - 15 - 0.5
    # A lone white stone inside Black's area is dead by agreement; as it stands it spoils it.
    black, white = moves_of(tmp_path, "black", "C1 C2 C3 C4 C5 B3 D3"), moves_of(tmp_path, "white", "E5 A1")
    assert scored("area", black, white).margin == 7 - 2 - 0.5
    assert scored("agreement", black, white).margin == 25 - 0.5


def referee(folder: Path, body: str) -> str:
    """The scoring by an engine that does this before it answers."""
    path = folder / "referee.py"
    text = ENGINE.replace("    print(f", f"{indent(dedent(body).strip(), '    ')}\n    print(f", 1)
    path.write_text(text.replace("        free = [f", "        points = size * size\n        free = [f", 1))
    return f"gtp:{shlex.join([sys.executable, '-S', str(path)])}"


def test_gnu_go_counts(tmp_path: Path) -> None:
    require_program("gnugo", "gnugo")
    scoring = "gtp:gnugo --mode gtp --chinese-rules --seed {seed}"
    black, white = moves_of(tmp_path, "black", "C1 C2 C3 C4 C5 B3 D3"), moves_of(tmp_path, "white", "E5 A1")
    assert scored(scoring, black, white).margin == 25 - 0.5
    # Komi reaches it, and a draw is one.
    assert scored(scoring, black, white, komi=25.0).margin == 0.0
    assert scored(scoring, black, white, komi=25.0).total == 0.5
    ended = run(
        "flat-mc:sims=30", "random", "--size", 5, "--games", 4, "--workers", 2, "--scoring", scoring,
        "--out", tmp_path / "run", "--json",
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert all(o.reason == "count" and o.margin is not None for o in kept(tmp_path / "run"))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("if name == 'final_score': text = 'fish'", "'fish' is not a result"),
        ("if name == 'final_score': text = 'B+R'", "'B+R', which is no score"),
        ("if name == 'final_score': text = '?'", "which is no score"),
        ("if name == 'final_score': sys.exit(3)", "status 3"),
        ("if name == 'play': print(f'?{number} illegal move\\n', flush=True); continue", "refused 'play black"),
    ],
)
def test_a_referee_that_fails_is_an_error_and_no_ones_loss(body: str, message: str, tmp_path: Path) -> None:
    """What was played stays, and another attempt is possible."""
    scoring = referee(tmp_path, body)
    for executor in (None, LocalWorkers(2)):
        with pytest.raises(UncountedError, match=message.replace("+", r"\+").replace("?", r"\?")) as caught:
            run_match(settings("random", scoring=scoring), executor=executor, folder=tmp_path / "run")
        assert "games that could not be counted: 2; the same command plays the 2 games that are missing" in str(
            caught.value
        )
    assert kept(tmp_path / "run") == []


def test_a_referee_that_is_silent_is_an_error_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("katachi.arena.referee._COUNT_SECONDS", 0.3)
    scoring = referee(tmp_path, "if name == 'final_score': time.sleep(60)")
    with pytest.raises(UncountedError, match=r"did not answer 'final_score' within 0\.3 s"):
        scored(scoring, "random", "random")


@pytest.mark.parametrize("workers", [0, 2])
def test_a_referee_that_fails_once_is_asked_again(workers: int, tmp_path: Path) -> None:
    """By another process, with another seed."""
    log = tmp_path / "seeds"
    body = f"""
    if name == 'final_score':
        log = open({str(log)!r}, 'a+')
        log.seek(0)
        first = not log.read()
        print(sys.argv[1], file=log, flush=True)
        if first: os._exit(3)
        text = 'B+1.5'
    """
    executor = LocalWorkers(1) if workers else None
    result = run_match(settings("random", games=1, scoring=referee(tmp_path, body) + " {seed}"), executor=executor)
    assert [(o.reason, o.margin, o.loser) for o in result.outcomes] == [("count", 1.5, None)]
    first, second = log.read_text().split()
    assert first != second
    run_match(settings("random", games=1, scoring=referee(tmp_path, body) + " {seed}"), executor=executor)
    assert log.read_text().split()[2:] == [first], "a referee that does not fail has the first seed"


@pytest.mark.parametrize("workers", [0, 2])
def test_games_that_cannot_be_counted_block_no_others(workers: int, tmp_path: Path) -> None:
    """The others are played and kept; the same command plays those that are missing, and no more."""
    repaired, counted = tmp_path / "repaired", tmp_path / "counted"
    body = f"""
    if name == 'final_score':
        if len(free) == 3 and not os.path.exists({str(repaired)!r}): sys.exit('out of paper')
        open({str(counted)!r}, 'a').write('x')
        text = 'W+0.5'
    """
    place = ("--workers", workers, "--out", tmp_path / "run")
    scoring = ("--scoring", referee(tmp_path, body))
    words = ("random", "random", "--size", 5, "--games", 12, "--seed", 1, *place, *scoring)
    env = marked()
    first = run(*words, env=env)
    before = kept(tmp_path / "run")
    missing = 12 - len(before)
    assert missing == 2, "fewer than those that end a run early, whichever worker is first"
    assert first.returncode == 2
    assert "Traceback" not in first.stderr
    assert f"katachi: games that could not be counted: {missing}; the same command plays the {missing}" in first.stderr
    assert "the referee failed twice" in first.stderr
    assert "out of paper" in first.stderr
    assert kept(tmp_path / "run") == before
    again = run(*words, env=env)
    assert (again.returncode, kept(tmp_path / "run")) == (2, before)
    assert len(counted.read_text()) == len(before), "what is kept is not counted again"
    repaired.touch()
    last = run(*words, "--json", env=env)
    assert last.returncode == 0, last.stderr
    assert [o.index for o in kept(tmp_path / "run")] == list(range(12))
    assert all(outcome in kept(tmp_path / "run") for outcome in before)
    assert len(counted.read_text()) == 12
    assert json.loads(last.stdout)["draws"] == 0
    assert leftovers(env, 1.0) == {}


def test_a_referee_that_never_counts_ends_the_run_early(tmp_path: Path) -> None:
    """Its command is wrong; nobody wants to wait for the last game to hear it."""
    asked = tmp_path / "asked"
    scoring = referee(tmp_path, f"if name == 'final_score': open({str(asked)!r}, 'a').write('x'); text = 'fish'")
    with pytest.raises(UncountedError, match=r"could not be counted: 3; in a folder \(--out\) the others would"):
        run_match(settings("random", games=1000, scoring=scoring))
    assert asked.read_text() == "xx" * 3


def test_rectangles_are_counted_by_a_referee_that_knows_them(tmp_path: Path) -> None:
    path = tmp_path / "referee.py"
    body = "if name == 'rectangular_boardsize': sides, size = words, 4\n"
    body += "    if name == 'final_score': text = 'W+' + '.'.join(sides)"
    path.write_text(ENGINE.replace("    print(f", f"    {body}\n    print(f", 1))
    outcome = scored(f"gtp:{shlex.join([sys.executable, '-S', str(path)])}", "random", "random", size="4x3")
    assert outcome.margin == -4.3


def test_a_match_result_names_who_did_what(tmp_path: Path) -> None:
    spec = broken(tmp_path, "cheats")
    ended = run(spec, "random", "--size", 5, "--games", 4)
    assert ended.returncode == 0
    assert f"  {spec} lost 4 by illegal move: " in ended.stdout
    assert "which is illegal" in ended.stdout
    result: MatchResult = run_match(settings(spec, spec))
    assert result.fouls == {spec: {"illegal move": 2}}


@pytest.mark.slow
@pytest.mark.parametrize("ponder", ["", " --ponder"])
def test_ten_seconds_a_game_against_gnugo(ponder: str) -> None:
    """Our engine as a process, a thirty-second player on a ten-second clock."""
    gnugo = require_program("gnugo", "gnugo")
    katachi = Path(sys.executable).with_name("katachi")
    rules = "--chinese-rules --positional-superko --capture-all-dead --never-resign"
    settings = MatchSettings(
        first=f"gtp:{katachi} gtp uct:seconds=30{ponder}",
        second=f"gtp:{gnugo} --mode gtp --level 0 {rules} --seed {{seed}}",
        games=4,
        seed=1,
        options={"size": 9},
        clock="10",
    )
    result = run_match(settings)
    assert result.fouls[settings.first] == {}
    for outcome in result.outcomes:
        ours = result.seat(outcome)
        assert 3.0 < outcome.seconds[ours] < 10.0, "its time is used"
