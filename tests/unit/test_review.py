"""Reviews of games: which positions are searched, what moves are said to lose, and what becomes of the record."""

import errno
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from katachi import Player
from katachi.analysis.review import Review, ReviewedMove, ReviewSettings, annotate, look_json, review_record
from katachi.analysis.review_plot import plot_review
from katachi.arena.executor import InProcess
from katachi.cli.review import review
from katachi.core.errors import InvalidArgumentError
from katachi.games.go.record import Record
from katachi.games.go.sgf import SgfError

FAST = ReviewSettings(player="uct:sims=4")
GAME = "(;FF[4]GM[1]SZ[3]KM[0]RU[Chinese]PB[one]C[hello];B[bb]C[the \\] centre](;W[ab];B[ba])(;W[bc]TR[aa]))"
Json = dict[str, Any]


class Watched:
    """An executor that remembers what it was asked, and may be stopped."""

    def __init__(self, most: int | None = None) -> None:
        self.asked: list[Json] = []
        self.most = most

    def run(self, function: str, arguments: Iterable[Json]) -> Iterator[tuple[int, Json]]:
        for number, argument in enumerate(arguments):
            if self.most is not None and number >= self.most:
                raise KeyboardInterrupt
            self.asked.append(argument)
            yield from ((number, row) for _, row in InProcess().run(function, [argument]))


def stones_asked(executor: Watched) -> list[tuple[str, str]]:
    positions = [Record.parse(argument["record"]).position() for argument in executor.asked]
    return [(position.stones(), position.to_play.name) for position in positions]


def move(
    number: int, player: Player, before: float, after: float | None, best: str = "A1", played: str = "B1"
) -> ReviewedMove:
    return ReviewedMove(number, player, played, best, before, after, 10)


def test_every_position_of_the_main_line_is_searched_once() -> None:
    executor = Watched()
    review = review_record(Record.parse(GAME), FAST, executor=executor)
    assert stones_asked(executor) == [
        (".........", "BLACK"), ("....X....", "WHITE"), ("...OX....", "BLACK"), (".X.OX....", "WHITE")
    ]  # fmt: skip
    assert [(m.number, m.player.name, m.move) for m in review.moves] == [
        (1, "BLACK", "B2"), (2, "WHITE", "A2"), (3, "BLACK", "B3")
    ]  # fmt: skip
    assert [m.winrate_after for m in review.moves[:-1]] == [m.winrate_before for m in review.moves[1:]]
    assert all(m.visits == 4 for m in review.moves)


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        # Two passes end the game: there is nothing to search after them.
        ("(;SZ[2]KM[0];B[];W[])", [("....", "BLACK"), ("....", "WHITE")]),
        # It goes on after them.
        ("(;SZ[2]KM[0];B[];W[];B[aa])", [("....", "BLACK"), ("....", "WHITE"), ("....", "BLACK"), ("X...", "WHITE")]),
        # Handicap, and White to move.
        ("(;SZ[3]KM[0]HA[2]AB[aa][cc];W[bb])", [("X.......X", "WHITE"), ("X...O...X", "BLACK")]),
        # Set-up on the way: the move before it is weighed by the position that it led to.
        (
            "(;SZ[2]KM[0];B[aa];AW[bb]PL[B];B[ab])",
            [("....", "BLACK"), ("X..O", "BLACK"), ("X...", "WHITE"), ("X.XO", "WHITE")],
        ),
        # A player who moves twice.
        (
            "(;SZ[3]KM[0];B[aa];B[cc])",
            [(".........", "BLACK"), ("X........", "BLACK"), ("X........", "WHITE"), ("X.......X", "WHITE")],
        ),
        # A turn that nobody takes.
        ("(;SZ[2]KM[0]PL[W];B[aa])", [("....", "BLACK"), ("X...", "WHITE")]),
        # A move in the root, which has nothing before it to write into.
        ("(;SZ[2]KM[0]B[aa])", [("....", "BLACK"), ("X...", "WHITE")]),
    ],
)
def test_games_with_oddities(text: str, positions: list[tuple[str, str]]) -> None:
    executor, record = Watched(), Record.parse(text)
    review = review_record(record, FAST, executor=executor)
    assert stones_asked(executor) == positions
    before = record.root.copy()
    annotate(record, review)
    for one, other in zip(before.walk(), record.root.walk(), strict=True):
        assert {n: v for n, v in other.properties.items() if n not in ("C", "SBKV")} == one.properties


def test_losses_are_the_movers() -> None:
    assert move(1, Player.BLACK, 0.6, 0.4).loss == pytest.approx(0.2)
    assert move(1, Player.WHITE, 0.6, 0.4).loss == pytest.approx(-0.2)
    assert move(1, Player.WHITE, 0.6, None).loss is None
    review = Review(
        "x",
        (
            move(1, Player.BLACK, 0.5, 0.4),
            move(2, Player.WHITE, 0.4, 0.7),
            move(3, Player.BLACK, 0.7, 0.2, best="B1"),  # what the search would have played
            move(4, Player.WHITE, 0.2, 0.1),
            move(5, Player.BLACK, 0.1, None),
        ),
    )
    assert [m.number for m in review.swings()] == [3, 2, 1]
    assert [m.number for m in review.swings(1)] == [3]
    assert [m.better for m in review.swings()] == [None, "A1", "A1"]
    assert review.winrates() == [(0, 0.5), (1, 0.4), (2, 0.7), (3, 0.2), (4, 0.1)]


def test_a_blunder_is_found() -> None:
    # Black can capture at B1 and win; passing lets White take all.
    record = Record.parse("(;SZ[3]KM[0]RU[Chinese]AB[aa][ba][bb]AW[ab][ac]PL[B];B[];W[bc])")
    review = review_record(record, ReviewSettings(player="uct:sims=2000"))
    assert review.swings()[0].number == 1
    assert review.swings()[0].best != "pass"


def test_the_record_keeps_what_it_had() -> None:
    record = Record.parse(GAME)
    review = review_record(record, FAST)
    annotate(record, review)
    again = Record.parse(record.format())
    nodes = again.main_line()
    assert nodes[0].comment.startswith("hello\n\nReviewed by Katachi")
    assert nodes[1].comment.startswith("the ] centre\n\nWin rate of Black: ")
    for node, winrate in zip(
        nodes, [review.moves[0].winrate_before, *(m.winrate_after for m in review.moves)], strict=True
    ):
        assert winrate is not None
        assert node.properties["SBKV"] == [f"{100 * winrate:.2f}"]
    variation = nodes[1].children[1]
    assert variation.properties == {"W": ["bc"], "TR": ["aa"]}


def test_a_review_is_the_same_wherever_it_is_made(tmp_path: Path) -> None:
    from katachi.arena.executor import LocalWorkers

    one = review_record(Record.parse(GAME), FAST)
    assert review_record(Record.parse(GAME), FAST, executor=LocalWorkers(2)) == one
    assert review_record(Record.parse(GAME), FAST.replace(seed=2)) != one
    assert {m.visits for m in review_record(Record.parse(GAME), FAST.replace(sims=7)).moves} == {7}


def test_going_on_after_an_interruption(tmp_path: Path) -> None:
    kept = tmp_path / "game.part"
    whole = review_record(Record.parse(GAME), FAST)
    with pytest.raises(KeyboardInterrupt):
        review_record(Record.parse(GAME), FAST, executor=Watched(2), kept=kept)
    with open(kept, "a") as file:
        file.write('{"number": 2, "ro')  # torn
    again = Watched(1)
    with pytest.raises(KeyboardInterrupt):
        review_record(Record.parse(GAME), FAST, executor=again, kept=kept)
    assert [argument["number"] for argument in again.asked] == [2]
    last = Watched()
    shares: list[float] = []
    assert review_record(Record.parse(GAME), FAST, executor=last, kept=kept, progress=shares.append) == whole
    assert [argument["number"] for argument in last.asked] == [3]
    assert shares == [0.75, 1.0]
    assert kept.exists()  # until whoever asked has written the review


@pytest.mark.parametrize(
    "content", ["", "nonsense\n", '{"key":"another"}\n{"number":0,"row":{}}\n', '{"key"', "\xff\n"]
)
def test_notes_of_another_review_are_not_used(content: str, tmp_path: Path) -> None:
    kept = tmp_path / "game.part"
    kept.write_text(content, encoding="latin-1")
    executor = Watched()
    review_record(Record.parse(GAME), FAST, executor=executor, kept=kept)
    assert len(executor.asked) == 4


def test_notes_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="nowhere"):
        review_record(Record.parse(GAME), FAST, kept=tmp_path / "nowhere" / "game.part")


def test_what_cannot_be_reviewed() -> None:
    with pytest.raises(SgfError, match="the main line has no move"):
        review_record(Record.parse("(;SZ[3]AB[aa])"), FAST)
    with pytest.raises(SgfError, match="illegal move A3 for WHITE"):
        review_record(Record.parse("(;SZ[3];B[aa];W[aa])"), FAST)
    with pytest.raises(SgfError, match="up to 19x19"):
        review_record(Record.parse("(;SZ[25];B[aa])"), FAST)
    with pytest.raises(InvalidArgumentError, match="random does not search"):
        review_record(Record.parse(GAME), ReviewSettings(player="random"))


def test_a_pass_that_wins_is_what_the_search_would_have_played() -> None:
    stones = "AB[ba][ca][cb][bc][cc][ad][cd][be][ce]AW[da][ab][db][eb][dc][dd][ed][de]"  # 15 points to 10
    game = f"(;FF[4]GM[1]SZ[5]KM[0.5]RU[Chinese]{stones};B[];W[])"
    review = review_record(Record.parse(game), ReviewSettings(player="mc-rave:sims=100"))
    assert review.moves[0].best == "pass"
    assert review.moves[0].better is None


def test_nothing_is_lost_if_a_review_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, kept = tmp_path / "game.sgf", tmp_path / "game.review.sgf.part"
    game.write_text(GAME, encoding="utf-8")

    def no_room(_record: Record, _path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Record, "save", no_room)
        with pytest.raises(InvalidArgumentError, match="No space left"):
            review(game, player="uct:sims=4", workers=0)
    assert len(kept.read_text(encoding="utf-8").splitlines()) == 5  # a key, and four positions
    review(game, player="uct:sims=4", workers=0)
    assert not kept.exists()


def test_the_work_is_a_function_of_json() -> None:
    executor = Watched()
    review_record(Record.parse(GAME), FAST, executor=executor)
    argument = json.loads(json.dumps(executor.asked[1]))
    assert look_json(argument) == look_json(argument)


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_picture(kind: str, tmp_path: Path) -> None:
    review = review_record(Record.parse(GAME), FAST)
    first, second = tmp_path / f"one.{kind}", tmp_path / f"two.{kind}"
    plot_review(review, first, title="a $b_1 & <c>")
    plot_review(review, second, title="a $b_1 & <c>")
    assert first.read_bytes() == second.read_bytes()
    assert len(first.read_bytes()) > 1000
    with pytest.raises(InvalidArgumentError, match=r"one\.gif"):
        plot_review(review, tmp_path / "one.gif")
    with pytest.raises(InvalidArgumentError, match="cannot be written"):
        plot_review(review, tmp_path / "nowhere" / f"one.{kind}")
