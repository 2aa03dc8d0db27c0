"""Random games played on Katachi and on GNU Go at once: GNU Go 3.8 shares no code and no author with the core.

The tests compare a sample; the full size is run by hand and goes on where it was stopped:

    python -m tests.differential.gnugo_oracle --positions 10000 --out gnugo.jsonl

Compared at sampled positions: every legal point of the player to move, the stones, the captures; at every ply, that
GNU Go accepts the move. Played-out games: the margin, and so the winner. Counted: how often the rare things occurred.

GNU Go is no oracle for, and is therefore not asked about: suicide (superko does not apply to it there), what is legal
after two passes (it plays on), superko beyond 500 moves (it forgets the first ones), and rectangles.
"""

import argparse
import json
import random
import subprocess
import threading
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Self, get_args

from katachi._core import EyeRule
from katachi.core.types import Action, Player
from katachi.games.go import Position, Rules
from katachi.games.go.vertex import parse_vertex
from katachi.players.external import find_program
from katachi.reference.go_rules import Ko

KOS: tuple[Ko, ...] = get_args(Ko)
KO_OPTION: Mapping[Ko, str] = {
    "simple": "--simple-ko",
    "positional": "--positional-superko",
    "situational": "--situational-superko",
}
STYLES = ("sensible", "wild", "retaking", "ko fight")
# Board sizes and how often each is played: repetitions abound on small boards and hardly occur on large ones.
SIZES = {2: 1, 3: 2, 4: 2, 5: 6, 7: 5, 9: 5, 13: 1, 19: 1}
END_SIZES = {5: 5, 7: 5, 9: 5, 13: 2, 19: 1}
KOMIS = (7.5, 7.0, 1.0, 0.5, -3.5)
EYE_RULES = (EyeRule.SIMPLE, EyeRule.SIMPLE, EyeRule.SURROUNDED, EyeRule.STRICT)
MEMORY = 500  # moves that GNU Go remembers, and so the longest game that is compared
CHUNK = 500
ENDS_PER_CHUNK = 50
RARE = (
    "captures",
    "ko",
    "superko, positional",
    "superko, situational",
    "after a pass",
    # What one rule forbids and the next allows: the three rules are really three.
    "repetition legal by simple ko",
    "repetition legal by situational superko",
)


class GnuGoError(Exception):
    """GNU Go refused a command, or is gone."""


class GnuGo:
    """A GNU Go process that speaks GTP over pipes: one ko rule, no suicide, area scoring."""

    def __init__(self, program: str, ko: Ko, *, patience: float = 60.0) -> None:
        self.ko = ko
        self._patience = patience
        command = [program, "--mode", "gtp", "--chinese-rules", "--forbid-suicide", KO_OPTION[ko], "--seed", "1"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Asks it to go, and ends it if it does not."""
        try:
            self._process.communicate("quit\n" if self._process.poll() is None else None, timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()

    def ask(self, commands: Sequence[str]) -> list[str]:
        """The answers to these commands; a refusal, or a wait of more than `patience` seconds, raises GnuGoError.

        All commands go out before the first answer is read, which saves a round trip a move. That is safe as long as
        they fit into a pipe's buffer, as those of a game do: then writing never waits for GNU Go, whatever it answers.
        All answers are read before a refusal is raised, so that the next question gets its own answer.
        """
        assert self._process.stdin is not None
        watchdog = threading.Timer(self._patience, self._process.kill)
        watchdog.start()
        try:
            self._process.stdin.write("".join(f"{command}\n" for command in commands))
            self._process.stdin.flush()
            answers = [self._read_answer() for _ in commands]
        except (BrokenPipeError, EOFError) as error:
            status = self._process.wait()
            raise GnuGoError(
                f"GNU Go ended (status {status}, patience {self._patience:g} s) after {commands[0]!r}"
            ) from error
        finally:
            watchdog.cancel()
        for command, answer in zip(commands, answers, strict=True):
            if not answer.startswith("="):
                raise GnuGoError(f"GNU Go refused {command!r}: {answer}")
        return [answer[1:].strip() for answer in answers]

    def _read_answer(self) -> str:
        assert self._process.stdout is not None
        lines = []
        while (line := self._process.stdout.readline()) != "\n":
            if not line:
                raise EOFError
            lines.append(line)
        return "".join(lines)


@contextmanager
def start_all(program: str) -> Iterator[dict[Ko, GnuGo]]:
    """One GNU Go for each ko rule: it reads the rule from its command line only."""
    with ExitStack() as stack:
        yield {ko: stack.enter_context(GnuGo(program, ko)) for ko in KOS}


# -- one game


def compare_game(gnugo: GnuGo, seed: str, most: int) -> Counter[str]:
    """Plays the random game of this seed and compares at most so many of its positions."""
    rng = random.Random(seed)
    size = pick(SIZES, rng)
    style = rng.choice(STYLES if size >= 5 else STYLES[:-1])
    opening, open_points = ko_fight(size, rng) if style == "ko fight" else ([], [])
    open_to_capture = deque(open_points, maxlen=6)
    position = Position(size, size, Rules(ko=gnugo.ko, suicide=False))
    events = Counter({"games": 1})
    commands = [f"boardsize {size}", "clear_board"]
    seen = {position.stones_key}
    try:
        for ply in range(min(MEMORY, max(150, 3 * size * size))):
            if position.is_over or events["positions"] == most:
                break
            superko = [p for p in range(size * size) if is_superko(position, p)]
            if rng.random() < sampling_chance(position, superko):
                compare_position(gnugo, commands, position)
                commands.clear()
                count_rare(events, position, superko, seen)
            action = opening[ply] if ply < len(opening) else choose(position, style, open_to_capture, rng)
            commands.append(play_command(position, action))
            position = position.play(action)
            seen.add(position.stones_key)
            open_to_capture.extend(Action(p) for p in position.last_removed)
            events["plies"] += 1
        gnugo.ask(commands)
    except (AssertionError, GnuGoError) as error:
        raise AssertionError(f"game {seed!r}: {error}\n{position!r}\n{position}") from error
    return events


def compare_position(gnugo: GnuGo, commands: Sequence[str], position: Position) -> None:
    """Sends the commands that lead to this position, and asks GNU Go for all there is to see."""
    legal_points = f"all_legal {position.to_play.name}"
    questions = [legal_points, "list_stones black", "list_stones white", "captures black", "captures white"]
    answers = gnugo.ask([*commands, *questions])[len(commands) :]
    legal, black, white = (parse_points(text, position) for text in answers[:3])
    ours = set(position.legal_actions()) - {position.pass_action}
    only_ours, only_theirs = vertices(ours - legal, position), vertices(legal - ours, position)
    assert ours == legal, f"legal in Katachi only: {only_ours}; in GNU Go only: {only_theirs}"
    stones = "".join("X" if p in black else "O" if p in white else "." for p in range(position.width * position.height))
    assert position.stones() == stones, f"GNU Go has the stones {stones}"
    # GTP counts what a player took, Katachi what a player lost.
    captures = {Player.WHITE: int(answers[3]), Player.BLACK: int(answers[4])}
    for player, count in captures.items():
        assert position.captured(player) == count, f"GNU Go counts {count} captured stones of {player.name}"


def compare_end(gnugo: GnuGo, seed: str) -> Counter[str]:
    """Plays a game of candidates to its end and compares the margin.

    Katachi counts all stones as alive; GNU Go decides itself what is dead, by reading and by playing the end out. Where
    it finds nothing dead and no seki, both count the same board and must agree; the other ends are only counted. Games
    longer than GNU Go's memory are no trouble here: what it forgets may allow a move, but never forbids one.
    """
    rng = random.Random(seed)
    size, komi, eye_rule = pick(END_SIZES, rng), rng.choice(KOMIS), rng.choice(EYE_RULES)
    position = Position(size, size, Rules(ko=gnugo.ko, suicide=False, komi=komi))
    commands = [f"boardsize {size}", "clear_board", f"komi {komi}"]
    while not position.is_over:
        if len(commands) > 4 * size * size:  # under simple ko, kos that the strict eye rule keeps open never end
            return Counter({"ends": 1, "ends too long": 1})
        action = rng.choice(position.candidates(eye_rule))
        commands.append(play_command(position, action))
        position = position.play(action)
    try:
        commands += ["final_score", "final_status_list dead", "final_status_list seki"]
        final, dead, seki = gnugo.ask(commands)[-3:]
        if dead or seki:
            return Counter({"ends": 1, "ends with dead stones or seki": 1})
        margin = parse_margin(final)
        assert position.score() == margin, f"Katachi scores {position.score()}, GNU Go {margin}"
    except (AssertionError, GnuGoError) as error:
        raise AssertionError(f"end of game {seed!r}: {error}\n{position!r}\n{position}") from error
    winner = "drawn" if margin == 0 else "won by Black" if margin > 0 else "won by White"
    return Counter({"ends": 1, "ends compared": 1, f"ends {winner}": 1})


# -- what the games are made of


def pick(weights: Mapping[int, int], rng: random.Random) -> int:
    """A key, as often as its weight says."""
    return rng.choices(list(weights), list(weights.values()))[0]


def choose(position: Position, style: str, open_to_capture: Sequence[Action], rng: random.Random) -> Action:
    """The next move. Wild moves lead into whatever a sensible player would not do, taking back into repetitions."""
    if style in ("retaking", "ko fight") and rng.random() < 0.8:
        captures = [p for p in set(open_to_capture) if position.is_legal(p) and position.play(p).last_removed]
        if captures:
            return rng.choice(sorted(captures))
    if style in ("wild", "ko fight"):
        points = position.legal_actions()[:-1]
        may_pass = 0.5 if style == "ko fight" and position.passes == 0 else 0.03
        return rng.choice(points) if points and rng.random() > may_pass else position.pass_action
    return rng.choice(position.candidates())


def ko_fight(size: int, rng: random.Random) -> tuple[list[Action], list[Action]]:
    """Moves that build two kos (on 5x5) or three, and the points where they are open.

    Superko is too rare in random games on boards of some size. Each ko is one of these two, and they are stacked on
    each other; the stack lies anywhere on the board, turned and mirrored, with either player on either side. Its stones
    can be played in any order, since no chain ever lacks a liberty; the player with fewer of them passes at the end.

        . X O .     . X O .
        X O . O     X . X O
        . X O .     . X O .
    """
    kos = 2 if size == 5 else 3
    top, left = rng.randint(0, size - 2 * kos - 1), rng.randint(0, size - 4)
    turn, mirror, swap = rng.random() < 0.5, rng.random() < 0.5, rng.random() < 0.5

    def point(row: int, col: int) -> Action:
        row, col = top + row, left + (3 - col if mirror else col)
        return Action(col * size + row if turn else row * size + col)

    sides = [[point(2 * k, 1) for k in range(kos + 1)], [point(2 * k, 2) for k in range(kos + 1)]]
    open_points = []
    for k in range(kos):
        row, taken = 2 * k + 1, rng.randint(0, 1)
        sides[0] += [point(row, 0), point(row, 2)] if taken else [point(row, 0)]
        sides[1] += [point(row, 3)] if taken else [point(row, 3), point(row, 1)]
        open_points.append(point(row, 1 if taken else 2))
    black, white = (rng.sample(side, len(side)) for side in (reversed(sides) if swap else sides))
    moves = []
    for mine, yours in zip_longest(black, white, fillvalue=Action(size * size)):
        moves += [mine, yours]
    return moves, open_points


def sampling_chance(position: Position, superko: Sequence[int]) -> float:
    """Rare positions are compared more often than others, but none for certain: many games tell more than few."""
    if superko:
        return 0.7
    if position.ko is not None:
        return 0.2
    return 0.1 if position.last_removed or position.passes else 0.04


def is_superko(position: Position, point: int) -> bool:
    """Is it superko that forbids this point, and nothing else?"""
    return position._native.illegality(point) == "an earlier position would be repeated"


def count_rare(events: Counter[str], position: Position, superko: Sequence[int], seen: set[int]) -> None:
    """Counts what a position that was compared has to offer."""
    ko = position.rules.ko
    events["positions"] += 1
    events[f"positions, {ko} ko"] += 1
    events[f"positions, {position.width}x{position.height}"] += 1
    events["captures"] += bool(position.last_removed)
    events["ko"] += position.ko is not None
    events["superko"] += bool(superko)
    events[f"superko, {ko}"] += bool(superko)
    events["superko points"] += len(superko)
    events["after a pass"] += position.passes > 0
    if position.captured(Player.BLACK) + position.captured(Player.WHITE) > 0:  # else nothing can be repeated
        repeated = any(position.play(a).stones_key in seen for a in position.legal_actions()[:-1])
        events[f"repetition legal by {ko} {'ko' if ko == 'simple' else 'superko'}"] += repeated


def play_command(position: Position, action: Action) -> str:
    """A move as a GTP command."""
    return f"play {position.to_play.name} {position.vertex(action)}"


def parse_points(text: str, position: Position) -> set[Action]:
    """The vertices of an answer, on one line or several."""
    return {parse_vertex(word, position.width, position.height) for word in text.split()}


def vertices(actions: set[Action], position: Position) -> str:
    """Points as text."""
    return " ".join(position.vertex(a) for a in sorted(actions)) or "none"


def parse_margin(text: str) -> float:
    """Black's margin: `B+3.5`, `W+3.5` or `0`."""
    winner, _, points = text.partition("+")
    return float(points) if winner == "B" else -float(points) if winner == "W" else float(text)


# -- many games


def compare_chunk(gnugos: Mapping[Ko, GnuGo], first: int, positions: int, ends: int) -> Counter[str]:
    """Compares exactly so many positions, and ends of games; the seeds follow from the number of the first position."""
    events: Counter[str] = Counter()
    number = 0
    while events["positions"] < positions:
        events += compare_game(gnugos[KOS[number % 3]], f"{first}/{number}", positions - events["positions"])
        number += 1
    for number in range(ends):
        events += compare_end(gnugos[KOS[number % 3]], f"{first}/end {number}")
    return events


def check_counts(events: Counter[str]) -> None:
    """The rare things must have occurred, and nearly all ends have been comparable: else agreement proves little."""
    for event in RARE:
        assert events[event] > 0, f"{event!r} never occurred: {dict(events)}"
    assert events["repetition legal by positional superko"] == 0, "positional superko allowed a repetition"
    assert events["ends compared"] >= 0.9 * events["ends"], f"too few ends were comparable: {dict(events)}"
    assert min(events["ends won by Black"], events["ends won by White"]) > 0, f"one player won all: {dict(events)}"


def main() -> None:
    """The full-size run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=10_000, help=f"rounded up to chunks of {CHUNK}")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    program = find_program("gnugo")
    if program is None:
        parser.error("GNU Go is not installed")
    rows = [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []
    done = {row["first"] for row in rows}
    with start_all(program) as gnugos, options.out.open("a") as out:
        for first in range(0, options.positions, CHUNK):
            if first not in done:
                rows.append({"first": first, **compare_chunk(gnugos, first, CHUNK, ENDS_PER_CHUNK)})
                out.write(json.dumps(rows[-1]) + "\n")
                out.flush()
    total: Counter[str] = Counter()
    for row in rows:
        total.update({event: count for event, count in row.items() if event != "first"})
    print(json.dumps(total, indent=1, sort_keys=True))
    check_counts(total)


if __name__ == "__main__":
    main()
