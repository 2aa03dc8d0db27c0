"""The real engine while it thinks: analyses that the next line ends, the opponent's time, the controller's clock."""

import queue
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

KATACHI = str(Path(sys.executable).with_name("katachi"))
PROMPT = 2.0  # seconds for an answer on a very busy machine; on an idle one it takes a fiftieth of that
INFO = re.compile(
    r"move (?P<move>\S+) visits (?P<visits>\d+) winrate (?P<winrate>[0-9.]+) lcb \S+ order (?P<order>\d+) "
)


class Engine:
    """A `katachi gtp` and its lines, which are read as they come."""

    def __init__(self, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [KATACHI, "gtp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def __enter__(self) -> "Engine":
        assert self.ask("name") == "Katachi"  # it has started
        return self

    def __exit__(self, *_: object) -> None:
        # Not communicate(): it would read, and close, what the other thread reads.
        assert self._process.stdin is not None
        assert self._process.stderr is not None
        with self._process:
            self._process.stdin.close()
            self._process.wait(timeout=10)
            self._reader.join(timeout=10)
            assert self._process.stderr.read() == ""
        assert self._process.returncode == 0

    def say(self, text: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(text + "\n")
        self._process.stdin.flush()

    def line(self, timeout: float = 10.0) -> str:
        found = self._lines.get(timeout=timeout)
        assert found is not None, "the engine is gone"
        return found

    def answer(self, timeout: float = 30.0) -> list[str]:
        """The lines of an answer, which an empty one ends."""
        lines = list[str]()
        while line := self.line(timeout):
            lines.append(line)
        return lines

    def ask(self, text: str, timeout: float = 30.0) -> str:
        self.say(text)
        lines = self.answer(timeout)
        assert lines[0].startswith("="), lines
        return "\n".join([lines[0][1:].strip(), *lines[1:]]).strip()


def infos(line: str) -> list[dict[str, str]]:
    assert line.startswith("info ")
    found = []
    for text in line.split("info ")[1:]:
        match = INFO.match(text)
        assert match is not None, text
        pv = text.partition(" pv ")[2].partition(" ownership")[0].split()
        assert pv[0] == match["move"]
        found.append({**match.groupdict(), "pv": " ".join(pv)})
    assert [int(info["order"]) for info in found] == list(range(len(found)))
    return found


def visits(line: str) -> int:
    return sum(int(info["visits"]) for info in infos(line))


# -- analyses


@pytest.mark.parametrize("command", ["lz-analyze", "kata-analyze"])
def test_an_analysis_goes_on_until_the_next_line(command: str) -> None:
    with Engine("uct:sims=10", "--size", "9") as engine:
        engine.ask("play b E5")
        engine.say(f"16 {command} w 100000")
        assert engine.line(timeout=5) == "=16", "at once"
        engine.say(f"17 {command} w 10")
        assert len(engine.answer()) == 1, "one report, of what is known"
        assert engine.line() == "=17"
        reports = [engine.line() for _ in range(3)]
        assert all(a < b for a, b in zip(map(visits, reports), map(visits, reports[1:]), strict=False))
        assert visits(reports[-1]) > 1000, "much more than the budget of a move"
        for info in infos(reports[-1]):
            assert info["move"] != "E5"
            assert ("." in info["winrate"]) == (command == "kata-analyze")
            assert 0 <= float(info["winrate"]) <= (1 if "." in info["winrate"] else 10_000)
        started = time.monotonic()
        engine.say("18 showboard")
        rest = engine.answer()
        assert time.monotonic() - started < PROMPT
        assert all(line.startswith("info ") for line in rest)
        assert engine.line() == "=18"
        board = engine.answer()
        assert board[-1].startswith("White (O) to play")
        engine.say("quit")


@pytest.mark.parametrize("player", ["td-search:sims=10", "dyna2:sims=10,threads=2", "hybrid:sims=10,depth=2"])
def test_a_search_without_a_tree_is_analysed_and_tells_why(player: str) -> None:
    with Engine(player, "--size", "9", "--ponder") as engine:
        engine.ask("play b E5")
        engine.say("lz-analyze w 10")
        assert engine.line() == "="
        reports = [engine.line() for _ in range(3)]
        assert visits(reports[-1]) > visits(reports[0]) > 0
        found = infos(reports[-1])
        assert len(found) == 80
        assert len(found[0]["pv"].split()) > 1
        engine.say("stop")
        engine.answer()
        assert engine.answer() == ["="]
        told = engine.ask(f"katachi-why {found[0]['move']} 3")
        assert told.startswith(f"{found[0]['move']}: Black's chance ")
        assert "short-term memory" in told
        assert ("long-term memory" in told) == (not player.startswith("td-search"))
        engine.say("katachi-why E5")
        assert engine.answer() == ["? illegal move"]
        engine.ask("genmove w")
        engine.ask("play b C3")
        assert engine.ask("genmove w") not in ("E5", "C3")
        engine.say("quit")


@pytest.mark.parametrize("line", ["stop", "", "# a remark", "name"])
def test_any_line_ends_an_analysis(line: str) -> None:
    with Engine("sarsa-uct:sims=10", "--size", "5") as engine:
        engine.say("lz-analyze 1")
        engine.line()
        assert visits(engine.line()) > 0
        engine.say(line)
        engine.answer()
        if line in ("stop", "name"):
            assert engine.answer() == (["= Katachi"] if line == "name" else ["="])
        assert engine.ask("protocol_version") == "2"
        engine.say("quit")


def test_the_end_of_the_input_ends_an_analysis_that_has_said_something() -> None:
    done = subprocess.run(
        [KATACHI, "gtp", "uct:sims=10", "--size", "5"],
        input="lz-analyze 100000\n", capture_output=True, text=True, timeout=20,
    )  # fmt: skip
    head, report, *rest = done.stdout.split("\n")
    assert head == "="
    assert visits(report) > 0
    assert (rest, done.stderr, done.returncode) == (["", ""], "", 0)


@pytest.mark.parametrize(
    ("player", "length"), [("flat-mc:sims=20", 1), ("alpha-beta:depth=3,root_values=all", 3), ("shapes", 1)]
)
def test_a_search_that_ends_by_itself_is_reported_on(player: str, length: int) -> None:
    with Engine(player, "--size", "5") as engine:
        engine.say("kata-analyze b 5")
        engine.line()
        first, second = engine.line(), engine.line()
        while first != second:  # it has not ended yet
            first, second = second, engine.line()
        found = infos(second)
        assert len(found) == 25
        assert len(found[0]["pv"].split()) == length
        rates = [float(info["winrate"]) for info in found]
        assert rates == sorted(rates, reverse=True)
        engine.say("quit")


def test_what_an_analysis_is_asked_for() -> None:
    with Engine("uct:sims=500", "--size", "5") as engine:
        engine.ask("play b A1")

        def last_report(words: str) -> str:
            engine.say(words)
            engine.line()
            report = engine.line()
            engine.say("stop")
            engine.answer()
            engine.answer()
            return report

        assert len(infos(last_report("lz-analyze 5"))) == 24
        assert len(infos(last_report("lz-analyze W 5 maxmoves 3"))) == 3
        assert len(infos(last_report("lz-analyze interval 5 minmoves 2 maxmoves 4"))) == 4
        moves = {info["move"] for info in infos(last_report("lz-analyze 5 avoid w A2,b2 1 avoid b C3 1"))}
        assert "C3" in moves
        assert not moves & {"A2", "B2"}
        moves = {info["move"] for info in infos(last_report("kata-analyze w 5 allow w A2,A3 1 avoid w A3 4"))}
        assert moves == {"A2"}
        report = last_report("kata-analyze w 5 rootInfo true ownership true pvVisits false")
        shares = [float(word) for word in report.partition(" ownership ")[2].split()]
        assert len(shares) == 25
        assert all(-1 <= share <= 1 for share in shares)
        # Black, who has the middle, sees the other side of it. Each report is of its own simulations.
        engine.ask("gogui-play_sequence b B3 b C3 b D3")
        views = {}
        for player in ("b", "w"):
            told = last_report(f"kata-analyze {player} 5 ownership true").partition(" ownership ")[2].split()
            views[player] = sum(float(share) for share in told) / 25
        assert views["w"] < -0.3 < 0.3 < views["b"]
        engine.say("quit")


def test_genmove_with_reports() -> None:
    with Engine("uct:sims=3000", "--size", "9") as engine:
        engine.say("3 lz-genmove_analyze b 5")
        head, *reports, last = engine.answer()
        assert head == "=3"
        assert visits(reports[-1]) == 3000
        move = last.removeprefix("play ")
        best = infos(reports[-1])
        assert move in [info["move"] for info in best if info["winrate"] == best[0]["winrate"]]
        assert move not in engine.ask("gogui-rules_legal_moves").split()
        engine.say(f"kata-genmove_analyze w 5 allow w {best[3]['move']} 1")
        assert engine.answer()[-1] == f"play {best[3]['move']}"
        engine.say("quit")


@pytest.mark.parametrize(
    "words",
    [
        "b w", "x", "b 10 20", "interval", "interval x", "-5", "1e3", "maxmoves -1", "maxmoves 1.5", "minmoves",
        "avoid",
        "avoid b", "avoid b A1", "avoid b A1 x", "avoid b A1 0", "avoid x A1 1", "avoid b Z99 1", "avoid b A1,,B1 1",
        "allow b A9 1", "ownership true", "pv", "10 10", "99999999999999999999",
    ],
)  # fmt: skip
def test_words_that_make_no_sense(words: str) -> None:
    from katachi.games.go import Rules
    from katachi.gtp.go_session import GoSession
    from katachi.gtp.server import Engine as InProcess
    from katachi.players.registry import make_player

    session = GoSession(make_player("flat-mc:sims=1"), 1, size=(5, 5), rules=Rules.named("chinese"))
    assert InProcess(session).answer(f"lz-analyze {words}") == b"? syntax error\n\n"
    assert InProcess(session).answer(f"8 lz-genmove_analyze {words}") == b"?8 syntax error\n\n"
    answer = InProcess(session).answer(f"kata-analyze {words}")
    assert answer is not None
    assert answer.startswith(b"=" if words == "ownership true" else b"? syntax error")


def test_what_cannot_be_analysed() -> None:
    with Engine("random", "--size", "5") as engine:
        assert engine.ask("known_command lz-analyze") == "false"
        engine.say("lz-analyze 10")
        assert engine.answer() == ["? unknown command"]
        engine.say("quit")
    with Engine("uct:sims=10", "--game", "tic-tac-toe") as engine:
        engine.say("lz-analyze w 10")
        assert engine.answer() == ["? it is BLACK's turn, not WHITE's"]
        engine.say("lz-analyze avoid b A1,A2,A3,B1,B2,B3,C1,C2,C3 1")
        assert engine.answer() == ["? no legal move is allowed"]
        engine.ask("gogui-play_sequence b A1 w B1 b A2 w B2 b A3")
        engine.say("lz-analyze")
        assert engine.answer() == ["? the game is over"]
        engine.say("quit")


def test_an_analysis_of_another_game_writes_where_stones_come_to_rest() -> None:
    with Engine("uct:sims=10", "--game", "connect-four") as engine:
        engine.ask("gogui-play_sequence b D1 w D2")
        engine.say("lz-analyze 20")
        engine.line()
        line = engine.line()
        lines = {info["move"]: info["pv"].split() for info in infos(line)}
        assert set(lines) == {"A1", "B1", "C1", "D3", "E1", "F1", "G1"}
        assert all(len(set(pv)) == len(pv) for pv in lines.values())
        engine.say("quit")


@pytest.mark.parametrize("player", ["uct:seconds=60", "alpha-beta:depth=60", "flat-mc:sims=10000000"])
@pytest.mark.parametrize("command", ["genmove b", "kata-search b", "lz-genmove_analyze b 1000"])
def test_stop_ends_thinking_about_a_move(player: str, command: str) -> None:
    with Engine(player, "--size", "9") as engine:
        started = time.monotonic()
        engine.say(f"3 {command}")
        time.sleep(0.3)
        engine.say("4 stop")
        head, *rest = engine.answer()
        assert time.monotonic() - started < 0.3 + PROMPT
        move = [head, *rest][-1].split()[-1]
        assert re.fullmatch("[A-J][1-9]", move)
        assert engine.answer() == ["=4"]
        stones = engine.ask("gogui-rules_board").count("X")
        assert stones == (0 if "search" in command else 1)
        engine.say("quit")


# -- the opponent's time


def budget_and_more(engine: Engine, color: str) -> int:
    """The visits behind a move of the engine: what it knew, and its budget."""
    engine.say(f"lz-genmove_analyze {color} 0")
    _, report, _ = engine.answer()
    return visits(report)


def test_pondering_is_of_use_when_the_answer_was_expected() -> None:
    with Engine("uct:sims=200", "--size", "5", "--ponder") as engine:
        assert engine.ask("katachi-ponder") == "true"
        engine.ask("genmove b")
        time.sleep(1.0)
        for harmless in ("name", "time_left b 100 0", "showboard", "known_command x"):
            started = time.monotonic()
            engine.ask(harmless)
            assert time.monotonic() - started < PROMPT
        time.sleep(0.5)
        empty = [move for move in engine.ask("gogui-rules_legal_moves").split() if move != "pass"]
        engine.ask(f"play w {empty[0]}")
        assert budget_and_more(engine, "b") > 2 * 200
        engine.ask("katachi-ponder false")
        assert engine.ask("katachi-ponder") == "false"
        engine.say("quit")


def test_without_pondering_nothing_goes_on() -> None:
    with Engine("uct:sims=50", "--size", "5") as engine:
        engine.ask("genmove b")
        before = float(engine.ask("cputime"))
        time.sleep(0.5)
        assert float(engine.ask("cputime")) - before < 0.2
        engine.say("quit")


@pytest.mark.parametrize("command", ["stop", "undo", "clear_board", "boardsize 5", "komi 3", "clear_cache"])
def test_what_ends_pondering(command: str) -> None:
    with Engine("uct:sims=50", "--size", "5", "--ponder") as engine:
        engine.ask("genmove b")
        start = float(engine.ask("cputime"))
        time.sleep(0.4)
        before = float(engine.ask("cputime"))
        assert before - start > 0.1, "it ponders"
        engine.ask(command)
        before = float(engine.ask("cputime"))
        time.sleep(0.5)
        assert float(engine.ask("cputime")) - before < 0.2
        engine.say("quit")


def test_a_board_that_changes_while_it_ponders(tmp_path: Path) -> None:
    """Undo, another size, a loaded game, a new game: what is played then is legal, and what it thinks is of that."""
    record = tmp_path / "game.sgf"
    record.write_text("(;FF[4]GM[1]SZ[7]KM[7.5];B[dd];W[cc];B[ee])")
    with Engine("uct:sims=200", "--size", "5", "--ponder") as engine:

        def check(color: str, stones: int) -> None:
            time.sleep(0.1)
            before = engine.ask("gogui-rules_board")
            assert sum(before.count(stone) for stone in "XO") == stones
            legal = engine.ask("gogui-rules_legal_moves").split()
            engine.say(f"lz-genmove_analyze {color} 0")
            _, report, last = engine.answer()
            assert {info["move"] for info in infos(report)} <= set(legal)
            assert last.removeprefix("play ") in legal
            time.sleep(0.1)

        check("b", 0)
        engine.ask("undo")
        check("b", 0)
        engine.ask("clear_board")
        check("b", 0)
        engine.ask("boardsize 3")
        check("b", 0)
        engine.ask(f"loadsgf {record}")
        check("w", 3)
        engine.ask("kata-set-rules tromp-taylor")
        check("b", 4)
        engine.ask("set_position b A1 w B2")
        check("b", 2)
        engine.ask("kata-set-param sims 50")
        check("w", 3)
        check("b", 4)
        engine.say("quit")


def test_who_cannot_ponder_says_so() -> None:
    for player in ("flat-mc:sims=5", "random", "uct:sims=5,between_moves=discard"):
        done = subprocess.run(
            [KATACHI, "gtp", player, "--ponder"], input="", capture_output=True, text=True, timeout=20
        )
        assert done.returncode == 2
        assert "it cannot ponder" in done.stderr
    with Engine("uct:sims=5", "--ponder") as engine:
        engine.say("kata-set-param between_moves discard")
        (answer,) = engine.answer()
        assert answer.startswith("? ")
        assert "it cannot ponder" in answer
        assert engine.ask("kata-get-param between_moves") == '"keep"'
        engine.say("quit")


def test_the_end_of_the_input_ends_pondering() -> None:
    started = time.monotonic()
    done = subprocess.run(
        [KATACHI, "gtp", "uct:sims=5", "--ponder"], input="genmove b\n", capture_output=True, text=True, timeout=20
    )
    assert done.returncode == 0
    assert time.monotonic() - started < 10


# -- the clock


@pytest.mark.parametrize(
    ("command", "commands", "least", "most"),
    [
        ("genmove b", "time_settings 10 0 0\ntime_left b 1 0", 0.0, 0.3),
        ("genmove b", "time_settings 10 0 0\ntime_left b 0 0", 0.0, 0.2),
        ("genmove b", "time_settings 300 0 0\ntime_left b 20 0", 0.3, 1.2),
        ("genmove b", "time_settings 0 10 10\ntime_left b 8 8", 0.7, 1.6),
        ("genmove b", "kgs-time_settings byoyomi 0 2 3\ntime_left b 2 1", 1.2, 2.0),
        ("genmove b", "kata-time_settings fischer 10 0.5\ntime_left b 3 0", 0.4, 1.3),
        ("genmove b", "time_left b 20 0", 0.3, 1.2),
        ("genmove b", "time_settings 20 0 0", 0.3, 1.2),
        ("kgs-genmove_cleanup b", "time_settings 10 0 0\ntime_left b 1 0", 0.0, 0.3),
        ("kata-genmove_analyze b 10", "time_settings 10 0 0\ntime_left b 1 0", 0.0, 0.3),
        ("kata-search b", "time_settings 20 0 0", 0.3, 1.2),
    ],
)
def test_a_player_of_many_seconds_obeys_the_clock(command: str, commands: str, least: float, most: float) -> None:
    with Engine("uct:seconds=30", "--size", "9") as engine:
        for line in commands.split("\n"):
            engine.ask(line)
        started = time.monotonic()
        engine.ask(command)
        assert least <= time.monotonic() - started < most + PROMPT
        engine.say("quit")


def test_a_budget_is_the_most_that_is_taken() -> None:
    with Engine("uct:seconds=0.1", "--size", "9") as engine:
        engine.ask("time_settings 3000 0 0")
        started = time.monotonic()
        engine.ask("genmove b")
        assert time.monotonic() - started < PROMPT
        engine.say("quit")


@pytest.mark.parametrize(
    "player", ["uct:seconds=30", "alpha-beta:depth=30", "flat-mc:sims=1000000", "dyna2:seconds=30", "hybrid:seconds=30"]
)
def test_a_game_whose_controller_never_says_what_is_left(player: str) -> None:
    """Two seconds for each side, counted by the engine itself."""
    with Engine(player, "--size", "5") as engine:
        engine.ask("time_settings 2 0 0")
        spent = {"b": 0.0, "w": 0.0}
        for ply in range(60):
            color = "bw"[ply % 2]
            started = time.monotonic()
            engine.ask(f"genmove {color}")
            spent[color] += time.monotonic() - started
        assert max(spent.values()) < 2.0 + PROMPT, "the engine's two seconds, and the way there and back"
        engine.ask("clear_board")
        started = time.monotonic()
        engine.ask("genmove b")
        assert time.monotonic() - started > 0.05, "a new game has new time"
        engine.say("quit")


def test_a_regular_move_is_the_same_whatever_was_thought_before() -> None:
    with Engine("uct:sims=100", "--size", "5") as engine:
        first = engine.ask("reg_genmove b")
        engine.ask("genmove b")
        engine.ask("undo")
        assert engine.ask("reg_genmove b") == first
        engine.ask("time_left b 0 0")
        engine.ask("genmove b")
        legal = engine.ask("gogui-rules_legal_moves").split()
        engine.ask(f"play w {legal[0]}")
        assert engine.ask("reg_genmove b") == engine.ask("reg_genmove b")
        engine.say("quit")
