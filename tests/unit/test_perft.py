"""Perft, positions and whole games: the numbers that a correct board reproduces (see docs/verification.md).

Each row is counted by `katachi perft` itself. Rows of a few seconds run always, the others are marked slow.
"""

import json

import pytest
from typer.testing import CliRunner

from katachi.cli.app import app
from katachi.games.go import Position
from katachi.games.go.count import count_games, count_positions, count_sequences

# (board, rule sets, counts for d = 1, 2, …)
ROWS = [
    (
        "2x2",
        ("cgos", "tromp-taylor"),
        "5 21 68 156 316 604 1088 2184 4184 8024 13800 23560 42784 80000 146904 257848 442776 788000",
    ),
    (
        "2x2",
        ("aga",),
        "5 21 68 156 316 604 1112 2312 4544 8800 15248 26456 49024 93760 173144 305760 530296 955800",
    ),
    (
        "2x2",
        ("chinese",),
        "5 21 68 156 316 604 1168 2592 5768 12120 24248 47840 99776 216080 460720 948656 1912320 3918848",
    ),
    ("3x3", ("tromp-taylor",), "10 91 738 5281 33384 180768 857576 3474312 12912040"),
    ("3x3", ("cgos", "chinese-ogs"), "10 91 738 5281 33384 179712 842696 3271208 11279096"),
    ("3x3", ("aga",), "10 91 738 5281 33384 179712 842728 3271784 11285528"),
    ("3x3", ("chinese",), "10 91 738 5281 33384 179712 842728 3271816 11287000"),
    ("5x5", ("cgos", "tromp-taylor", "chinese", "aga"), "26 651 15650 361041 7984104"),
    ("9x9", ("tromp-taylor",), "82 6643 531522 42002809"),
]
# With suicide under simple or situational ko: no source prints these; the slow twin agrees on the shallower ones.
TWIN_ROWS = [
    ("2x2", ("new-zealand",), "5 21 68 180 428 860 1704 3936 9808 24400 50704 102336"),
    ("3x3", ("new-zealand",), "10 91 738 5345 34272 193040 958040"),
]


def perft(*options: str) -> dict[str, object]:
    result = CliRunner().invoke(app, ["perft", "--json", *options], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    answer: dict[str, object] = json.loads(result.stdout)
    return answer


@pytest.mark.parametrize(
    ("board", "rules", "counts"),
    [(board, rules, counts) for board, names, counts in ROWS + TWIN_ROWS for rules in names],
)
def test_sequences(board: str, rules: str, counts: str) -> None:
    expected = [int(number) for number in counts.split()]
    answer = perft("--size", board, "--rules", rules, "--depth", str(len(expected)))
    assert answer["counts"] == expected
    assert answer["size"] == board


@pytest.mark.parametrize(("side", "positions"), [(1, 1), (2, 57), (3, 12675), (4, 24318165)])
def test_positions(side: int, positions: int) -> None:
    assert perft("--size", str(side), "--count", "positions")["positions"] == positions


@pytest.mark.parametrize(
    ("board", "games"),
    [("1x1", 1), ("1x2", 9), ("1x3", 907), pytest.param("1x4", 2098407841, marks=pytest.mark.slow)],
)
def test_games(board: str, games: int) -> None:
    assert perft("--size", board, "--rules", "tromp-taylor", "--count", "games")["games"] == games


def test_a_stopped_count_is_no_count() -> None:
    assert count_sequences(Position(9), 6, progress=lambda _: False) is None
    assert count_games(Position(4, 1, "tromp-taylor"), progress=lambda _: False) is None
    assert count_positions(5, 4, progress=lambda _: False) is None
