"""SGF files broken at random: whatever they contain, only a KatachiError may come out, soon, and in little memory.

    python -m tests.fuzz.sgf_mutations --files 100000 --seed 1

prints one line of JSON with what happened; `--hostile NAME --bytes N` reads one large file that repeats one thing,
`--hostile all` one of every kind.
Seconds are those of the processor. A sample runs with the tests; `fuzz_sgf.py` lets atheris choose the bytes.
"""

import argparse
import json
import random
import re
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from katachi.core.errors import KatachiError
from katachi.core.types import Player
from katachi.games.go import Position
from katachi.games.go.record import Record
from katachi.games.go.sgf import MAX_TOKENS, SgfNode, format_sgf, parse_sgf, parse_sgf_collection

MOST_SECONDS = 1.0
MOST_SECONDS_PER_MEGABYTE = 2.0
MOST_MEGABYTES = 512

HOSTILE_UNITS = {
    "games inside of games": (b"(;", b")"),
    "empty nodes": (b";", b""),
    "empty values": (b"[]", b""),
    "names": (b"A ", b""),
    "properties": (b"AB[]", b""),
    "passes": (b";B[]", b""),
    "set-up nodes": (b";AB[aa]AW[bb]", b""),
    "set-up and moves": (b";AE[aa:ss];B[aa]", b""),
    "whole boards": (b"[aa:ss]", b""),
    "backslashes": (b"\\\\", b""),
    "white space": (b" ", b""),
    "open brackets": (b"[", b""),
    "open parentheses": (b"(", b""),
    "text": ("漢".encode(), b""),
    "moves with comments": (b";B[]C[" + "漢字\n".encode() * 12 + b"]", b""),
    "variations": (b"(;W[aa])", b""),
    "turns": (b";PL[W]", b""),
    "nodes with whole boards": (b";AB[aa:ss]", b""),
    "boards set up and emptied": (b";AB[aa:sr];AE[aa:sr]", b""),
    "all but a column": (b";AB[aa:rs];AW[aa:rs]", b""),
    "escaped bytes": (b";C[\x95\\\\]", b""),
    "nodes after escaped bytes": (b";", b""),
    "nodes before a mistake": (b";", b""),
    "nodes before a mistake, read twice": (b";", b""),
}
"""What a hostile file repeats, and what it repeats afterwards as often."""

_ESCAPED_BYTES = b"(;CA[Shift_JIS]C[\x95\\\\]"
_HEADS = {
    "empty values": b"(;A",
    "whole boards": b"(;AB",
    "backslashes": b"(;C[",
    "text": b"(;C[",
    "escaped bytes": _ESCAPED_BYTES,
    "nodes after escaped bytes": _ESCAPED_BYTES,
    "nodes before a mistake, read twice": b"(;CA[Shift_JIS]C[\x95\\\\x]",
}
_TOKENS = re.compile(rb"[;()\\]|[A-Z]+|\[[^\]]*\]")


def corpus() -> list[bytes]:
    """Small files that together use everything: both sizes of boards, set-up, variations, text, charsets."""
    game = Position(9, rules="cgos")
    for move in ("E5", "C3", "G7", "pass", "C7", "G3", "pass", "pass"):
        game = game.play(move)
    handicap = Position.set_up(
        13, 9, rules="aga", black=["D4", "K6"], white=["A1"], to_play=Player.WHITE, handicap=2
    ).play("E5")
    return [
        Record.from_position(game, black="[One]", white="T\\wo", result="B+3.5", comment="Hello:\n]World\\").format(),
        Record.from_position(handicap).format(),
        Record.new(19, rules="new-zealand").format(),
        Record.new(52, 3).format(),
        b"(;FF[4]GM[1]SZ[5]KM[0.5]HA[2]AB[aa:bb][ee]AW[cc]PL[W](;W[dd]C[a\\\nb];B[];W[tt])(;W[de];B[ed]LB[aa:1\\:2]))",
        b"junk (;GaMe[1]SiZe[7]AddBlack[aa]AddBlack[bb];B[cc];W[cd]AE[aa]) junk (;GM[1];B[aa])",
        b"(;SZ[3];B[ba];W[ca];B[ab];W[cb];B[bc];W[];B[cc];W[bb];B[];W[])",
        b"(;SZ[9];B[aa]KO[];W[aa];B[zz];W[a];W[bb];W[cc];AE[bb]PL[B];B[bb];B[aa]W[bb])",
        "(;FF[4]CA[shift_jis]SZ[9]PB[表示ソ]PW[予]C[能登];B[ee])".encode("shift_jis"),
        "(;FF[4]PB[許功蓋]CA[Big5]SZ[9];B[ee];W[cc])".encode("big5"),
        "(;CA[GBK]SZ[9]GN[誠]C[\U000ffffdx];B[ee])".encode("gb18030"),
        "(;FF[4]SZ[9]C[안녕];B[ee])".encode("utf-16"),
        b"(;FF[4]CA[Shift_JIS]PB[\x95\\\\]PW[\x83\\]x]SZ[9];B[ee]C[\x95\\\\];W[cc])",  # its bytes are escaped
        b"(;SZ[9]HA[2]AB[ee][ ]AW[];AE[ee];W[aa];AB[cc:dd]KM[6,5];B[ bb ])",
        b"\xef\xbb\xbf(;SZ[5:7]RU[NZ]KM[-7.25]RE[W+R];B[ag];W[ea])",
    ]


TOKENS = [
    *(bytes((byte,)) for byte in b"();[]\\:\0"),
    *b"[] B[ W[aa] ;B[bb] AB[aa:ss] AE[aa] PL[W] KO[] SZ[0] SZ[52] SZ[9: KM[650] KM[1e9] HA[-1] HA[400] GM[2]".split(),
    *b"CA[rot13] CA[utf-16] CA[bz2] CA[big5] RU[Japanese] tt b[aa]".split(),
    *(b"\xff\xfe", b"\xef\xbb\xbf", b"\xe8\xa1\xa8", b"\n\r"),
]


def mutate(rng: random.Random, files: list[bytes]) -> bytes:
    """One of the files after one to six accidents."""
    data = bytearray(rng.choice(files))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.choice((1, 1, 2, 8, 40)))
        accident = rng.randrange(8)
        if accident == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif accident == 1:
            del data[at:end]
        elif accident == 2:
            data[at:at] = rng.randbytes(rng.choice((1, 2, 5)))
        elif accident == 3:
            del data[at:]
        elif accident == 4:
            data[at:at] = data[at:end] * rng.choice((1, 2, 30))
        elif accident == 5:
            other = rng.choice(files)
            start = rng.randrange(len(other))
            data[at:end] = other[start : start + rng.choice((4, 30, 200))]
        elif accident == 6:
            data[at:at] = rng.choice(TOKENS)
        else:
            data[at:end] = rng.choice(TOKENS)
    return bytes(data)


@dataclass
class Tally:
    """What became of the files."""

    accepted: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0

    def add(self, data: bytes, use: Callable[[bytes], object]) -> None:
        """Uses one file."""
        begun = time.process_time()
        try:
            use(data)
            self.accepted += 1
        except KatachiError as error:
            self.refused[kind_of(error)] += 1
        self.slowest = max(self.slowest, time.process_time() - begun)


def as_saved(root: SgfNode) -> SgfNode:
    """What saving a tree and reading it again must give: the same, with the FF and the CA that saving writes."""
    saved = SgfNode({"FF": ["4"], **root.properties, "CA": ["UTF-8"]})
    saved.children = root.children
    return saved


@contextmanager
def must_not_refuse(data: bytes) -> Iterator[None]:
    """What has been read can be written and read again: a refusal is a mistake of ours."""
    try:
        yield
    except KatachiError as error:
        raise AssertionError(f"refused after it had been read: {error}\n{data!r}") from error


def read_and_write(data: bytes) -> None:
    """Reads a file every way there is: raises a KatachiError if that cannot be; what can be read survives saving."""
    roots = parse_sgf_collection(data)
    with must_not_refuse(data):
        again = parse_sgf(format_sgf(roots[0]))
    assert again == as_saved(roots[0]), data
    record = Record(roots[0])
    record.moves()
    position = record.position()
    with must_not_refuse(data):
        replayed = Record.parse(Record.from_position(position).format()).position()
    assert replayed == position, data


def replay(data: bytes) -> Position:
    """What a program does that is given a file."""
    return Record.parse(data).position()


def kind_of(error: KatachiError) -> str:
    """The message without what is particular to the file."""
    text = str(error).split("\n")[0]
    text = re.sub(r"^SGF, (byte \d+|root node|node \d+ of the main line)(, property (\w+))?", r"\3", text)
    text = re.sub(r"b?('(\\.|[^'\\])*'|\"(\\.|[^\"\\])*\")", "…", text)
    return re.sub(r"\d+|\b[A-T]\d+\b|BLACK|WHITE", "#", text).strip(" :")[:60]


def hostile(name: str, size: int) -> bytes:
    """A file of so many bytes that repeats one thing, if that many tokens are allowed; otherwise as many as are."""
    unit, after = HOSTILE_UNITS[name]
    head = _HEADS.get(name, b"(;")
    tail = b"])" if head.endswith(b"[") else b"!)" if "mistake" in name else b")"
    count = (size - len(head) - len(tail)) // (len(unit) + len(after))
    tokens = len(_TOKENS.findall(unit + after))
    if tokens:
        count = min(count, (MAX_TOKENS - 20) // tokens)
    return head + unit * count + after * count + tail


def seconds_per_megabyte(name: str, size: int, attempts: int, enough: float = 0.0) -> tuple[float, Tally]:
    """How long a hostile file takes: the best of so many attempts, which end when one takes no more than `enough`."""
    data, best = hostile(name, size), float("inf")
    for _ in range(attempts):
        tally = Tally()
        tally.add(data, replay)
        best = min(best, tally.slowest / (len(data) / 2**20))
        if best <= enough:
            break
    return best, tally


def peak_megabytes() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(files: int, seed: int) -> Tally:
    """Mutates and reads so many files."""
    rng, originals, tally = random.Random(seed), corpus(), Tally()
    for _ in range(files):
        tally.add(mutate(rng, originals), read_and_write)
    return tally


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hostile", choices=["all", *HOSTILE_UNITS], help="read large hostile files instead")
    parser.add_argument("--bytes", type=int, default=2**20, help="the size of a hostile file")
    options = parser.parse_args()
    if options.hostile:
        slow = []
        for name in HOSTILE_UNITS if options.hostile == "all" else [options.hostile]:
            seconds, tally = seconds_per_megabyte(name, options.bytes, attempts=3)
            row = {"hostile": name, "seconds per MB": round(seconds, 2), "peak MB": round(peak_megabytes())}
            print(json.dumps({**row, "reasons": [*tally.refused]}, ensure_ascii=False))
            if seconds >= MOST_SECONDS_PER_MEGABYTE or peak_megabytes() >= MOST_MEGABYTES:
                slow.append(row)
        assert not slow, slow
        return
    tally = run(options.files, options.seed)
    assert tally.slowest < MOST_SECONDS, tally
    assert peak_megabytes() < MOST_MEGABYTES, peak_megabytes()
    row = {
        "seed": options.seed,
        "accepted": tally.accepted,
        "refused": sum(tally.refused.values()),
        "slowest seconds": round(tally.slowest, 3),
        "peak MB": round(peak_megabytes()),
        "reasons": dict(tally.refused.most_common()),
    }
    print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
