"""Records against other programs: files of GNU Go and of sgfmill are read to the same game, and they read ours."""

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sgfmill import sgf as sgfmill_sgf
from sgfmill import sgf_moves

from katachi.core.types import Player
from katachi.games.go import Position, Rules
from katachi.games.go.record import Record
from katachi.games.go.vertex import point_at, row_and_col
from tests.differential.gnugo_oracle import GnuGo
from tests.fuzz.sgf_mutations import as_saved
from tests.programs import require_program

COLOUR = {Player.BLACK: "b", Player.WHITE: "w"}
PLAYER = {colour: player for player, colour in COLOUR.items()}
SEEDS = range(12)


@pytest.fixture(scope="module")
def gnugo() -> Iterator[GnuGo]:
    with GnuGo(require_program("gnugo", "gnugo"), "simple") as started:
        yield started


def random_game(seed: int, *, handicap: int = 0) -> Position:
    """A game of some dozens of moves on a board that all programs have, perhaps with stones at its start."""
    rng = random.Random(seed)
    size = rng.choice((9, 9, 13, 19))
    black = rng.sample(range(size * size), handicap)
    rules = Rules.named("chinese", komi=rng.choice((0.5, 6.5, 7.5, -3.5)))
    position = Position.set_up(
        size, size, rules=rules, black=black, to_play=Player.WHITE if handicap else Player.BLACK, handicap=handicap
    )
    for _ in range(rng.randrange(80)):
        candidates = position.candidates()
        move = rng.choice(candidates) if rng.random() < 0.95 and position.passes == 0 else candidates[0]
        position = position.play(move)
        if position.is_over:
            break
    return position


def check_saving(record: Record) -> None:
    """Loading, saving and loading gives the same record."""
    again = Record.parse(record.format())
    assert again.root == as_saved(record.root)
    assert again.position() == record.position()


def points(gnugo: GnuGo, position: Position, colour: str) -> set[int]:
    return {position.action(vertex) for vertex in gnugo.ask([f"list_stones {colour}"])[0].split()}


def check_board(gnugo: GnuGo, position: Position) -> None:
    """GNU Go has the same stones."""
    stones = position.stones()
    for colour, stone in (("black", "X"), ("white", "O")):
        assert points(gnugo, position, colour) == {p for p, s in enumerate(stones) if s == stone}, f"\n{position}"


@pytest.mark.parametrize("seed", SEEDS)
def test_files_of_gnu_go(gnugo: GnuGo, seed: int, tmp_path: Path) -> None:
    game = random_game(seed)
    size, path = game.width, tmp_path / "gnugo.sgf"
    commands = [f"boardsize {size}", "clear_board", f"komi {game.rules.komi:g}"]
    movers = [Player.BLACK, Player.WHITE]
    handicap = (0, 2, 9, 4)[seed % 4]
    if handicap:  # the same moves then meet other stones, and some are illegal
        commands += [f"fixed_handicap {handicap}"]
        movers.reverse()
    gnugo.ask(commands)
    played = 0
    for move in game.moves:
        colour = movers[played % 2].name.lower()
        vertex = game.vertex(move)
        if gnugo.ask([f"is_legal {colour} {vertex}"])[0] == "1":
            gnugo.ask([f"play {colour} {vertex}"])
            played += 1
    gnugo.ask([f"printsgf {path}"])
    record = Record.load(path)
    position = record.position()
    # GNU Go writes the board instead of the moves, and makes up for what was captured by changing komi.
    by_black, by_white = map(int, gnugo.ask(["captures black", "captures white"]))
    assert (record.size, record.komi) == ((size, size), game.rules.komi + by_white - by_black)
    assert (position.moves, position.handicap) == ([], handicap)
    assert position.to_play is movers[played % 2]
    check_board(gnugo, position)
    check_saving(record)


def test_a_game_saved_by_gnu_go(tmp_path: Path) -> None:
    """Outside of GTP it writes the moves: here White's, who is told what to play, and its own answers."""
    path = tmp_path / "game.sgf"
    commands = ["boardsize 9", "handicap 2", "E5", "pass", f"save {path}", "quit"]
    program = require_program("gnugo", "gnugo")
    text = "".join(f"{command}\n" for command in commands)
    subprocess.run(
        [program, "--mode", "ascii", "--level", "1", "--seed", "1"],
        input=text,
        text=True,
        check=True,
        capture_output=True,
        timeout=60,
    )
    record = Record.load(path)
    position = record.position()
    assert (position.handicap, position.rules) == (2, Rules.named("chinese", komi=0))
    assert position.movers == [Player.WHITE, Player.BLACK] * 2
    assert position.moves[0] == position.action("E5")
    assert position.moves[2] == position.pass_action
    check_saving(record)


@pytest.mark.parametrize("seed", SEEDS)
def test_gnu_go_reads_our_files(gnugo: GnuGo, seed: int, tmp_path: Path) -> None:
    position = random_game(seed, handicap=(0, 3, 0, 7)[seed % 4])
    path = tmp_path / "katachi.sgf"
    Record.from_position(position, black="B]", white="表", comment="a\\b").save(path)
    turn = gnugo.ask([f"loadsgf {path}"])[0]
    assert gnugo.ask(["query_boardsize", "get_komi"]) == [str(position.width), str(position.rules.komi)]
    check_board(gnugo, position)
    assert turn == position.to_play.name.lower()
    gnugo.ask([f"loadsgf {path} 5"])
    check_board(gnugo, Record.load(path).position(5))


@pytest.mark.parametrize("seed", SEEDS)
def test_sgfmill_reads_our_files(seed: int) -> None:
    position = random_game(seed, handicap=(0, 3, 0, 7)[seed % 4])
    data = Record.from_position(position, black="B]", white="表", result="B+R", comment="a\\b\nc").format()
    game = sgfmill_sgf.Sgf_game.from_bytes(data)
    size = position.width
    assert (game.get_size(), game.get_komi(), game.get_handicap() or 0) == (
        size,
        position.rules.komi,
        position.handicap,
    )
    assert (game.get_player_name("b"), game.get_player_name("w")) == ("B]", "表")
    assert game.get_winner() == "b"
    assert game.get_root().get("C") == "a\\b\nc"
    board, plays = sgf_moves.get_setup_and_moves(game)
    start = position.start().stones()
    for point, stone in enumerate(start):
        row, col = row_and_col(point, size)
        assert board.get(size - 1 - row, col) == {"X": "b", "O": "w", ".": None}[stone]
    theirs = [(PLAYER[colour], to_action(move, size)) for colour, move in plays]
    assert theirs == list(zip(position.movers, position.moves, strict=True))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("charset", "name", "comment"),
    [
        ("UTF-8", "表]\\", "功"),
        ("EUC-JP", "表]\\", "功"),
        ("GB2312", "表]\\", "功"),
        # Those with backslashes and brackets in their characters: sgfmill escapes the bytes.
        ("Shift_JIS", "表", "ゾ:表]"),
        ("Big5", "許功蓋", "功"),
        ("GBK", "乗俓乚", "俓]\\"),
    ],
)
def test_files_of_sgfmill(seed: int, charset: str, name: str, comment: str) -> None:
    position = random_game(seed)
    size = position.width
    game = sgfmill_sgf.Sgf_game(size, encoding=charset)
    root = game.get_root()
    root.set("KM", position.rules.komi)
    root.set("PB", name)
    root.set("PW", "x")
    for player, move in zip(position.movers, position.moves, strict=True):
        node = game.extend_main_sequence()
        node.set_move(COLOUR[player], from_action(move, size))
        node.set("C", comment)
        game.extend_main_sequence().set("N", "between: [moves]")
        side = node.new_child()
        side.set("TR", [(0, 0), (1, 1)])
    data = game.serialise()
    record = Record.parse(data)
    assert record.players == (name, "x")
    assert record.position(rules=position.rules) == position
    assert record.root.children == [] or record.main_line()[1].comment == comment
    assert sum("TR" in node for node in record.root.walk()) == len(position.moves)
    check_saving(record)
    assert sgfmill_sgf.Sgf_game.from_bytes(record.format()).serialise() == record.format()


def to_action(move: tuple[int, int] | None, size: int) -> int:
    """sgfmill counts rows from the bottom, and has None for a pass."""
    return size * size if move is None else point_at(size - 1 - move[0], move[1], size)


def from_action(action: int, size: int) -> tuple[int, int] | None:
    """The inverse of `to_action`."""
    if action == size * size:
        return None
    row, col = row_and_col(action, size)
    return size - 1 - row, col
