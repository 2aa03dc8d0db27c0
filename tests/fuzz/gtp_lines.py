"""Lines of GTP by the million: sensible ones, nearly sensible ones and rubbish, against an engine in this process.

    python -m tests.fuzz.gtp_lines --lines 1000000 --seed 1

Every answer must be one block of GTP and never an internal error, no line may take a second, and the memory stays
small. Prints one line of JSON with what happened. A sample runs in the tests (tests/property/test_gtp_properties.py).
"""

import argparse
import json
import logging
import os
import random
import re
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from katachi.games.go.rules import Rules
from katachi.games.registry import make_game
from katachi.gtp.go_session import GoSession
from katachi.gtp.protocol import GtpError, parse_request
from katachi.gtp.registry import Command, commands_for, find_command
from katachi.gtp.server import Engine
from katachi.gtp.session import BoardSession, Session
from katachi.players.registry import make_player

LONGEST_SECONDS = 1.0
MOST_MEGABYTES = 512
MOST_SIMS = 10

ANSWER = re.compile(rb"[=?][0-9]*(?: .*|)\n(?:.+\n)*\n")
COLORS = ("b", "w", "B", "W", "black", "white", "Black", "WHITE", "x", "")
LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZIabcdefghj"
NUMBERS = (
    "-1",
    "0",
    "1",
    "2",
    "3",
    "5",
    "7",
    "9",
    "13",
    "19",
    "25",
    "100",
    "2147483648",
    "1.5",
    "1e3",
    "nan",
    "1e400",
    "٣",
    "²",
)
JSON = (
    '{"ko":"SIMPLE"}',
    '{"ko":"POSITIONAL","suicide":true,"komi":5.5}',
    '{"komi":1e999}',
    '{"komi":' + "9" * 400 + "}",
    '{"sims":2}',
    '{"sims":"many"}',
    '{"a":[[[[',
    "[" * 5000,
    "{}",
    '"x"',
)
WORDS = (
    *(
        "alive",
        "dead",
        "seki",
        "pass",
        "resign",
        "game.sgf",
        "out.sgf",
        "-",
        ".",
        "none",
        "canadian",
        "byoyomi",
        "fischer",
    ),
    *(
        "tromp-taylor",
        "chinese",
        "japanese",
        "aga",
        "cgos",
        "ko",
        "suicide",
        "sims",
        "SIMPLE",
        "true",
        "é",
        "日本",
        "\ud800",
    ),
    *("interval", "maxmoves", "minmoves", "avoid", "allow", "ownership", "rootInfo"),
)
RECORD = "(;GM[1]FF[4]SZ[9]KM[6.5]AB[cc][gg]PL[W];W[ee];B[ec];W[];B[ce](;W[dd])(;W[aa]))"
# Nothing that could name a file outside the working folder.
RUBBISH = "".join(chr(n) for n in range(128) if chr(n) not in "/~") + "éß日\x80\u2028\U0001f600"


# What a word of each type looks like, by the function that reads it.
FITTING: dict[str, Callable[["Lines"], list[str]]] = {
    "_integer": lambda lines: [lines.random.choice(("1", "2", "3", "5", "9", "9", "19"))],
    "_float": lambda lines: [lines.random.choice(("0", "7.5", "-3", "1e2", "30"))],
    "_color": lambda lines: [lines.random.choice(COLORS[:8])],
    "_action": lambda lines: [lines.vertex()],
    "_move": lambda lines: [lines.random.choice("bw"), lines.vertex()],
    "_path": lambda lines: [lines.random.choice(("game.sgf", "game.sgf", "out.sgf", "-", "missing"))],
    "_json": lambda lines: [lines.random.choice(JSON)],
    "_text": lambda lines: [lines.random.choice(WORDS)],
    "_one_of": lambda lines: [lines.random.choice(WORDS)],
}


class Lines:
    """A source of lines; same seed, same lines."""

    def __init__(self, seed: int) -> None:
        self.random: random.Random = random.Random(seed)

    def vertex(self) -> str:
        if self.random.random() < 0.05:
            return "pass"
        return self.random.choice(LETTERS[:9]) + str(self.random.randint(1, 9))

    def word(self) -> str:
        chance, pick = self.random.random(), self.random.choice
        if chance < 0.3:
            return pick(COLORS)
        if chance < 0.65:
            return pick(LETTERS) + str(self.random.randint(0, 20))
        if chance < 0.8:
            return pick(NUMBERS)
        return pick(JSON) if chance < 0.83 else pick(WORDS)

    def fitting_words(self, found: Command) -> list[str]:
        """Words of the types that a command takes."""
        choose = self.random
        words: list[str] = []
        for parameter in found.parameters:
            if parameter.is_optional and choose.random() < 0.5:
                break
            for _ in range(choose.randint(0, 8) if parameter.is_rest else 1):
                words += FITTING[parameter.read.__name__](self)
        return words

    def line(self, session: Session) -> str:
        choose = self.random
        command = choose.choice(("play", "play", "genmove", choose.choice(commands_for(session))))
        found = find_command(session, command)
        if found is not None and choose.random() < 0.8:
            words = self.fitting_words(found)
        else:
            words = [self.word() for _ in range(choose.choice((0, 1, 1, 2, 2, 3, 4, choose.randint(0, 40))))]
        if words and choose.random() < 0.002:
            # Long words and long lists: what is not linear shows.
            words = choose.choice(([*words[:-1], choose.choice("1aA.[\\") * 100_000 + "x"], words * 2000))
        line = " ".join([command, *words])
        if choose.random() < 0.2:
            line = f"{choose.choice((0, 7, 2**31 - 1, 2**31))} {line}"
        return self.mutated(line) if choose.random() < 0.15 else line

    def mutated(self, line: str) -> str:
        choose = self.random
        for _ in range(choose.randint(1, 4)):
            place = choose.randint(0, len(line))
            kind = choose.randint(0, 3)
            if kind == 0:
                line = line[:place] + choose.choice(RUBBISH) + line[place:]
            elif kind == 1:
                line = line[:place] + line[place + choose.randint(1, 5) :]
            elif kind == 2:
                line = line[:place] + line[place:] * choose.randint(0, 3)
            else:
                line = line[:place] + choose.choice(RUBBISH) * choose.randint(1, 300) + line[place:]
        return line


def new_session(source: random.Random) -> Session:
    player = make_player(source.choice(("random", "random", "flat-mc:sims=1", "uct:sims=2")))
    if source.random() < 0.1:
        return BoardSession(make_game("tic-tac-toe"), player, 1)
    rules = source.choice(("chinese", "tromp-taylor", "aga", "cgos"))
    return GoSession(player, 1, size=(source.choice((3, 5, 9)),) * 2, rules=Rules.named(rules))


def run(lines: int, seed: int) -> dict[str, Any]:
    """Answers so many lines in a folder of its own; raises AssertionError at the first line that breaks a promise."""
    source = Lines(seed)
    counts: Counter[str] = Counter()
    slowest = (0.0, "")
    logging.getLogger("katachi.gtp").setLevel(logging.CRITICAL)
    home = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            session = new_session(source.random)
            for number in range(lines):
                if session.quits or number % 2000 == 0:
                    session = new_session(source.random)
                    Path("game.sgf").write_text(RECORD)
                settings = session.player.settings.model_dump()
                if settings.get("sims", 0) > MOST_SIMS:
                    session.change_settings(sims=1)
                line = source.line(session)
                started = time.perf_counter()
                answer = Engine(session).answer(line)
                seconds = time.perf_counter() - started
                slowest = max(slowest, (seconds, line[:100]))
                check_answer(line, answer)
                counts["none" if answer is None else "success" if answer.startswith(b"=") else "error"] += 1
                assert seconds < LONGEST_SECONDS, f"{seconds:.1f} s for {line!r}"
        finally:
            os.chdir(home)
    return {
        "lines": lines,
        "seed": seed,
        **counts,
        "slowest_seconds": round(slowest[0], 3),
        "slowest_line": slowest[1],
    }


def check_answer(line: str, answer: bytes | None) -> None:
    try:
        asks = parse_request(line) is not None
    except GtpError:
        asks = True
    assert (answer is not None) == asks, f"{line!r} was answered with {answer!r}"
    if answer is not None:
        assert ANSWER.fullmatch(answer), f"{line!r} was answered with {answer!r}"
        assert b"internal error" not in answer, f"{line!r} was answered with {answer!r}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    result = run(arguments.lines, arguments.seed)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**result, "peak_megabytes": round(megabytes)}))
    assert megabytes < MOST_MEGABYTES, f"{megabytes:.0f} MB"


if __name__ == "__main__":
    main()
