"""`katachi analyze` as a process that answers queries: the end of the input, cancellation, and whoever goes away."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pexpect

KATACHI = str(Path(sys.executable).with_name("katachi"))
ENDLESS = 10**9
Json = dict[str, Any]


def ask(**fields: object) -> bytes:
    usual: Json = {"id": "a", "moves": [], "rules": "tromp-taylor", "boardXSize": 5, "boardYSize": 5}
    return json.dumps({**usual, **fields}).encode() + b"\n"


class Engine:
    """A process, line by line."""

    def __init__(self, *arguments: str) -> None:
        words = [KATACHI, "analyze", "--player", "uct:sims=10", *arguments]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def say(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def hear(self) -> Json:
        assert self.process.stdout is not None
        answer: Json = json.loads(self.process.stdout.readline())
        return answer

    def end(self) -> list[Json]:
        """Closes its input: what it still says."""
        out, err = self.process.communicate(timeout=60)
        assert err == b""
        assert self.process.returncode == 0
        return [json.loads(line) for line in out.splitlines()]


def test_the_end_of_the_input_waits_for_what_is_queued() -> None:
    lines = [ask(id=str(n), moves=[["B", "A1"]], analyzeTurns=[0, 1]) for n in range(10)]
    ran = subprocess.run(
        [KATACHI, "analyze", "--player", "uct:sims=10"],
        input=b"".join(lines) + ask(id="last").rstrip(b"\n"),
        capture_output=True,
        timeout=60,
        check=True,
    )
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    wanted = [(str(n), turn) for n in range(10) for turn in (0, 1)] + [("last", 0)]
    assert sorted((answer["id"], answer["turnNumber"]) for answer in answers) == sorted(wanted)
    assert ran.stderr == b""


def test_a_search_that_runs_is_ended_and_told() -> None:
    engine = Engine()
    engine.say(ask(id="long", maxVisits=ENDLESS, reportDuringSearchEvery=0.05))
    assert engine.hear()["isDuringSearch"] is True
    engine.say(ask(id="waits", maxVisits=ENDLESS) + ask(id="short", priority=-1))
    engine.say(b'{"id":"1","action":"terminate","terminateId":"waits"}\n')
    engine.say(b'{"id":"2","action":"terminate","terminateId":"long"}\n')
    answers = [answer for answer in engine.end() if not answer.get("isDuringSearch")]
    assert [answer["id"] for answer in answers] == ["1", "waits", "2", "long", "short"]
    assert answers[1]["noResults"] is True
    assert 0 < answers[3]["rootInfo"]["visits"] < ENDLESS
    assert answers[4]["rootInfo"]["visits"] == 10


def test_mistakes_while_a_search_runs_are_answered_at_once() -> None:
    engine = Engine()
    engine.say(ask(id="long", maxVisits=ENDLESS))
    engine.say(b"nonsense\n" + ask(id="bad", rules="japanese"))
    assert engine.hear()["error"].startswith("the line is no JSON")
    assert engine.hear()["field"] == "rules"
    engine.say(b'{"id":"x","action":"terminate_all"}\n')
    assert [answer["id"] for answer in engine.end()] == ["x", "long"]


def test_the_same_seed_gives_the_same_answers() -> None:
    said = []
    for seed in ("1", "1", "2"):
        engine = Engine("--seed", seed)
        engine.say(ask(maxVisits=50))
        said.append(engine.end())
    assert said[0] == said[1] != said[2]


def test_a_reader_that_goes_away() -> None:
    engine = Engine()
    engine.say(ask(id="long", maxVisits=ENDLESS, reportDuringSearchEvery=0.001))
    engine.hear()
    assert engine.process.stdout is not None
    assert engine.process.stderr is not None
    engine.process.stdout.close()
    assert engine.process.wait(timeout=60) == 0
    assert engine.process.stderr.read() == b""
    engine.process.stderr.close()
    assert engine.process.stdin is not None
    engine.process.stdin.close()


def test_somebody_at_a_terminal_is_told_what_to_type() -> None:
    child = pexpect.spawn(KATACHI, ["analyze", "--player", "uct:sims=2"], timeout=60, encoding="utf-8")
    child.expect("waiting for queries, one object of JSON a line")
    child.sendline('{"id":"v","action":"query_version"}')
    child.expect('"version":')
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_rules_belong_to_the_queries() -> None:
    ran = subprocess.run([KATACHI, "analyze", "--komi", "5"], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 2
    assert "queries have rules and komi of their own" in ran.stderr
