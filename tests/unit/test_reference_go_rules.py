"""The slow twin of the rules of Go: published counts, hand-made positions, and random games against the rules' wording.

The wording is `LiteralGame` below: sets of points and lists of boards, the customary sentence for simple ko, no bit and
no flood fill in common with the twin.
"""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest

from katachi.reference.go_rules import EyeRule, Ko, TwinPosition, TwinRules, perft

SIMPLE = TwinRules("simple", suicide=False)
SIMPLE_SUICIDE = TwinRules("simple", suicide=True)
PSK = TwinRules("positional", suicide=False)
SSK = TwinRules("situational", suicide=False)
SSK_SUICIDE = TwinRules("situational", suicide=True)
TROMP_TAYLOR = TwinRules("positional", suicide=True)

BLACK, WHITE = 0, 1


def board(*rows: str, rules: TwinRules = SIMPLE, to_play: int = BLACK) -> TwinPosition:
    return TwinPosition.from_stones(len(rows[0]), len(rows), rules, "".join(rows), to_play)


def playable(position: TwinPosition) -> list[int]:
    """Legal actions without the pass."""
    return position.legal_actions()[:-1]


# Counts.

PERFT_2X2_PSK = [5, 21, 68, 156, 316, 604, 1088, 2184, 4184, 8024, 13800, 23560]
PERFT_ROWS = [
    (2, PSK, PERFT_2X2_PSK),
    (2, TROMP_TAYLOR, PERFT_2X2_PSK),
    (2, SSK, [5, 21, 68, 156, 316, 604, 1112, 2312, 4544, 8800, 15248, 26456]),
    (2, SIMPLE, [5, 21, 68, 156, 316, 604, 1168, 2592, 5768, 12120, 24248, 47840]),
    (3, TROMP_TAYLOR, [10, 91, 738, 5281, 33384, 180768]),
    (3, PSK, [10, 91, 738, 5281, 33384, 179712]),
    (3, SSK, [10, 91, 738, 5281, 33384, 179712]),
    (3, SIMPLE, [10, 91, 738, 5281, 33384, 179712]),
    (5, TROMP_TAYLOR, [26, 651, 15650]),
    (5, SIMPLE, [26, 651, 15650]),
    (9, TROMP_TAYLOR, [82, 6643]),
]


@pytest.mark.parametrize(("size", "rules", "row"), PERFT_ROWS, ids=lambda value: str(value)[:60])
def test_perft(size: int, rules: TwinRules, row: list[int]) -> None:
    start = TwinPosition.empty(size, size, rules)
    assert [perft(start, depth) for depth in range(1, len(row) + 1)] == row


def test_perft_does_not_care_how_the_board_lies() -> None:
    wide = TwinPosition.empty(3, 2, TROMP_TAYLOR)
    tall = TwinPosition.empty(2, 3, TROMP_TAYLOR)
    assert perft(wide, 6) == perft(tall, 6)


def test_perft_at_depth_zero_is_one() -> None:
    assert perft(TwinPosition.empty(2, 2, PSK), 0) == 1


def whole_games(position: TwinPosition) -> int:
    if position.is_over():
        return 1
    return sum(whole_games(position.play(action)) for action in position.legal_actions())


@pytest.mark.parametrize(("length", "games"), [(1, 1), (2, 9), (3, 907)])
def test_whole_games_on_one_row(length: int, games: int) -> None:
    """Tromp and Farnebäck, Combinatorics of Go: positional superko, suicide allowed."""
    assert whole_games(TwinPosition.empty(length, 1, TROMP_TAYLOR)) == games


def is_legal_board(stones: str, width: int, height: int) -> bool:
    return all(chain_and_liberties(stones, width, height, p)[1] for p, char in enumerate(stones) if char != ".")


def reachable_boards(size: int) -> set[str]:
    """Every board that some sequence of captures, suicides and additions leads to, with either player to move."""
    found = {"." * (size * size)}
    frontier = list(found)
    while frontier:
        stones = frontier.pop()
        for to_play in (BLACK, WHITE):
            position = TwinPosition.from_stones(size, size, SIMPLE_SUICIDE, stones, to_play)
            for point in playable(position):
                after = position.play(point).stones()
                if after not in found:
                    found.add(after)
                    frontier.append(after)
    return found


@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 57), (3, 12675)])
def test_legal_positions(size: int, count: int) -> None:
    """OEIS A094777; what play reaches is what the definition allows."""
    boards = map("".join, product(".XO", repeat=size * size))
    legal = {stones for stones in boards if is_legal_board(stones, size, size)}
    assert len(legal) == count
    assert reachable_boards(size) == legal


# Capture and suicide.


def test_capture_of_several_chains_at_once() -> None:
    position = board(
        "..X..",
        ".XOX.",
        "XO.OX",
        ".XOX.",
        "..X..",
    )
    after = position.play(12)
    assert after.last_captures == (7, 11, 13, 17)
    assert after.stones() == "..X...X.X.X.X.X.X.X...X.."
    assert after.to_play == WHITE


def test_capture_comes_before_suicide() -> None:
    """The stone on the corner has no liberty until its captures are lifted."""
    after = board(
        ".OX",
        "OX.",
        "X..",
    ).play(0)
    assert after.last_captures == (1, 3)
    assert after.stones() == "X.X.X.X.."


def test_snapback_is_no_ko() -> None:
    taken = board("X.OX.", to_play=WHITE).play(1)
    assert taken.last_captures == (0,)
    assert not taken.is_simple_ko_ban(0)
    back = taken.play(0)
    assert back.last_captures == (1, 2)
    assert back.stones() == "X..X."


@pytest.mark.parametrize("ko", ["simple", "positional", "situational"])
def test_suicide_is_illegal_unless_the_rules_allow_it(ko: Ko) -> None:
    for rows in (".X.", ".OX."):
        position = board(rows, rules=TwinRules(ko, suicide=False), to_play=WHITE)
        assert 0 not in position.legal_actions()
        with pytest.raises(ValueError, match="suicide"):
            position.play(0)


def test_suicide_of_one_stone_leaves_the_board_as_it_was() -> None:
    for rules in (SIMPLE_SUICIDE, SSK_SUICIDE):
        after = board(".X.", rules=rules, to_play=WHITE).play(0)
        assert after.last_captures == (0,)
        assert after.stones() == ".X."
        assert after.to_play == BLACK
    with pytest.raises(ValueError, match="positional ko"):
        board(".X.", rules=TROMP_TAYLOR, to_play=WHITE).play(0)


@pytest.mark.parametrize("rules", [SIMPLE_SUICIDE, SSK_SUICIDE, TROMP_TAYLOR])
def test_suicide_of_many_stones(rules: TwinRules) -> None:
    after = board(
        "OOX.",
        ".OX.",
        "XX..",
        rules=rules,
        to_play=WHITE,
    ).play(4)
    assert after.last_captures == (0, 1, 4, 5)
    assert after.stones() == "..X...X.XX.."


# Ko.

KO = (
    ".XO.",
    "X.XO",
    ".XO.",
    "....",
)
KO_TAKE, KO_RETAKE, TENUKI, ANSWER = 5, 6, 12, 15


@pytest.mark.parametrize("rules", [SIMPLE, SIMPLE_SUICIDE, PSK, TROMP_TAYLOR, SSK, SSK_SUICIDE])
def test_ko_may_not_be_retaken_at_once(rules: TwinRules) -> None:
    start = board(*KO, rules=rules, to_play=WHITE)
    taken = start.play(KO_TAKE)
    assert taken.last_captures == (KO_RETAKE,)
    assert taken.is_simple_ko_ban(KO_RETAKE)
    assert [point for point in range(16) if taken.is_simple_ko_ban(point)] == [KO_RETAKE]
    assert KO_RETAKE not in taken.legal_actions()
    assert KO_RETAKE not in taken.candidates("simple")
    with pytest.raises(ValueError, match="ko"):
        taken.play(KO_RETAKE)

    threatened = taken.play(TENUKI)
    for answer in (ANSWER, 16):
        answered = threatened.play(answer)
        assert not answered.is_simple_ko_ban(KO_RETAKE)
        retaken = answered.play(KO_RETAKE)
        assert retaken.last_captures == (KO_TAKE,)
        assert retaken.is_simple_ko_ban(KO_TAKE)


def test_the_ban_of_simple_ko_lasts_one_move() -> None:
    """White takes the ko, Black passes, White kills a lone stone: Black has the board of the ban, but not the ban."""
    taken = board(
        ".XO.X.",
        "X.XOXX",
        ".XO...",
        rules=SIMPLE_SUICIDE,
        to_play=WHITE,
    ).play(7)
    assert 8 not in taken.legal_actions()
    later = taken.play(18).play(5)
    assert later.stones() == taken.stones()
    assert later.to_play == taken.to_play
    assert 8 in later.legal_actions()


def test_two_lone_suicides_in_a_row_are_no_simple_ko() -> None:
    """The board before White's suicide comes back, but nothing is retaken."""
    after_white = board(".X.O.", rules=SIMPLE_SUICIDE, to_play=WHITE).play(0)
    assert not after_white.is_simple_ko_ban(4)
    assert after_white.play(4).last_captures == (4,)


def test_occupied_points_are_not_banned_by_ko() -> None:
    assert not board(*KO).is_simple_ko_ban(1)


def test_send_two_return_one() -> None:
    """White sends two stones, Black takes them, White takes one back: the first board, with Black to move."""
    rows = ".X.O.O."
    for rules, legal in ((SIMPLE, True), (PSK, False), (SSK, True)):
        sent = board(rows, rules=rules, to_play=WHITE).play(2)
        assert sent.stones() == ".XOO.O."
        taken = sent.play(4)
        assert taken.last_captures == (2, 3)
        assert not taken.is_simple_ko_ban(3)
        assert (3 in taken.legal_actions()) is legal
        assert 3 in taken.candidates("simple")  # simulations know no superko
    # Situational superko bites when White sends again: Black then has the same board to move on.
    start = board(rows, rules=SSK, to_play=WHITE)
    second_round = start.play(2).play(4).play(3).play(7)
    assert second_round.stones() == start.stones()
    assert second_round.to_play == start.to_play
    assert 2 in start.legal_actions()
    assert 2 not in second_round.legal_actions()


def test_superko_counts_the_initial_position() -> None:
    """On two points in a row, the suicide of both stones would bring the empty board back."""
    one_stone = TwinPosition.empty(2, 1, TROMP_TAYLOR).play(0).play(2)
    assert one_stone.legal_actions() == [2]
    assert TwinPosition.empty(2, 1, SIMPLE_SUICIDE).play(0).play(2).play(1).stones() == ".."


# The course of a game.


def test_empty_board() -> None:
    start = TwinPosition.empty(3, 2, PSK)
    assert (start.width, start.height, start.rules) == (3, 2, PSK)
    assert (start.black, start.white, start.to_play, start.passes, start.last_captures) == (0, 0, BLACK, 0, ())
    assert start.legal_actions() == [0, 1, 2, 3, 4, 5, 6]
    assert start.stones() == "......"


def test_rows_run_from_the_top() -> None:
    position = TwinPosition.empty(3, 2, PSK).play(1).play(3)
    assert position.stones() == ".X.O.."
    assert (position.black, position.white) == (1 << 1, 1 << 3)
    assert str(position) == ". X .\nO . .\nBlack to play"


def test_two_passes_in_a_row_end_the_game() -> None:
    passed = TwinPosition.empty(2, 2, PSK).play(4)
    assert passed.passes == 1
    assert passed.play(0).passes == 0
    over = passed.play(4)
    assert over.is_over()
    assert over.legal_actions() == []
    assert over.candidates("simple") == []
    with pytest.raises(ValueError, match="over"):
        over.play(4)


@pytest.mark.parametrize("action", [-1, 5, 0])
def test_nonsense_is_refused(action: int) -> None:
    position = TwinPosition.empty(2, 2, PSK).play(0)
    with pytest.raises(ValueError, match=f"illegal action {action}"):
        position.play(action)


def test_boards_are_checked() -> None:
    with pytest.raises(ValueError, match="no liberty"):
        board("XO.")
    with pytest.raises(ValueError, match="2x1"):
        TwinPosition.from_stones(2, 1, PSK, "X")
    with pytest.raises(ValueError, match="0x3"):
        TwinPosition.empty(0, 3, PSK)
    with pytest.raises(ValueError, match="no point 4"):
        TwinPosition.empty(2, 2, PSK).is_eye(4, BLACK, "strict")


# Eyes and candidates.

EYE_TABLE = [
    # interior: one enemy diagonal is tolerated, two are not
    ((".....", "..X..", ".X.X.", "..X..", "....."), 12, True),
    ((".....", ".XXX.", ".X.X.", ".XXX.", "....."), 12, True),
    ((".....", ".OX..", ".X.X.", "..X..", "....."), 12, True),
    ((".....", ".OX..", ".X.X.", "..XO.", "....."), 12, False),
    ((".....", ".OXO.", ".X.X.", "..X..", "....."), 12, False),
    # edge and corner: none is tolerated
    ((".X.X.", "..X..", "....."), 2, True),
    ((".X.X.", "..XO.", "....."), 2, False),
    ((".X.", "X..", "..."), 0, True),
    ((".X.", "XO.", "..."), 0, False),
    # on a board of one row every point is on the edge and there are no diagonals
    ((".X.",), 0, True),
    # a neighbour missing or of the other colour
    ((".X.", "...", "..."), 0, False),
    ((".X.", "O..", "..."), 0, False),
]


@pytest.mark.parametrize(("rows", "point", "expected"), EYE_TABLE)
def test_simple_eye(rows: tuple[str, ...], point: int, expected: bool) -> None:
    assert board(*rows).is_eye(point, BLACK, "simple") is expected
    assert not board(*rows).is_eye(point, WHITE, "simple")
    swapped = [row.translate(str.maketrans("XO", "OX")) for row in rows]
    assert board(*swapped).is_eye(point, WHITE, "simple") is expected


def test_the_other_rules_do_not_look_at_diagonals() -> None:
    for rows, point in (((".....", ".OX..", ".X.X.", "..XO.", "....."), 12), ((".X.X.", "..XO.", "....."), 2)):
        position = board(*rows)
        assert not position.is_eye(point, BLACK, "simple")
        assert position.is_eye(point, BLACK, "strict")
        assert position.is_eye(point, BLACK, "surrounded")


def test_surrounded_eye_asks_for_chains_out_of_atari() -> None:
    """The black stone on 2 has one liberty, the point 3; connecting there saves it."""
    position = board(".OX.X.")
    assert position.is_eye(3, BLACK, "strict")
    assert position.is_eye(3, BLACK, "simple")
    assert not position.is_eye(3, BLACK, "surrounded")
    assert 3 not in position.candidates("strict")
    assert 3 in position.candidates("surrounded")
    # An unrelated chain in atari does not matter.
    assert board("..X.X.OX.O.").is_eye(3, BLACK, "surrounded")


@pytest.mark.parametrize("rule", ["simple", "surrounded", "strict"])
def test_only_empty_points_are_eyes(rule: EyeRule) -> None:
    position = board("XX.X.")
    assert not position.is_eye(0, BLACK, rule)
    assert not position.is_eye(1, BLACK, rule)
    assert position.is_eye(4, BLACK, rule)


@pytest.mark.parametrize("rule", ["simple", "surrounded", "strict"])
def test_a_board_of_one_point(rule: EyeRule) -> None:
    for rules in (SIMPLE, SIMPLE_SUICIDE, TROMP_TAYLOR):
        position = TwinPosition.empty(1, 1, rules)
        assert position.is_eye(0, BLACK, rule)
        assert position.is_eye(0, WHITE, rule)
        assert position.candidates(rule) == [1]


def test_candidates_leave_out_suicide_even_where_it_is_legal() -> None:
    position = board(".X...", rules=SIMPLE_SUICIDE, to_play=WHITE)
    assert 0 in position.legal_actions()
    assert position.candidates("strict") == [2, 3, 4]


def test_candidates_may_enter_the_opponents_eye() -> None:
    position = board(".OX..")
    assert position.is_eye(0, WHITE, "strict")
    assert 0 in position.candidates("strict")


def test_candidates_pass_when_nothing_is_left() -> None:
    position = board(".X.")
    assert position.legal_actions() == [0, 2, 3]
    assert position.candidates("simple") == [3]
    assert position.play(3).candidates("simple") == [3]


# Area.


@pytest.mark.parametrize(
    ("rows", "area"),
    [
        (("...", "..."), (0, 0)),
        (("X..", "..."), (6, 0)),
        (("..X.O..",), (3, 3)),  # the point between is dame
        ((".XO.", "XXO.", "..O."), (4, 6)),  # the black stones' two lower points are theirs
        (("XX.OO", "XX.OO"), (4, 4)),  # seki: two shared liberties belong to nobody
        ((".X.O.", "XX.OO", "XX.OO"), (6, 6)),  # the same with an eye each
    ],
)
def test_area(rows: tuple[str, ...], area: tuple[int, int]) -> None:
    assert board(*rows).area() == area


# Random games against the wording of the rules.


def neighbours(width: int, height: int, point: int) -> set[int]:
    row, col = divmod(point, width)
    around = ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1))
    return {r * width + c for r, c in around if 0 <= r < height and 0 <= c < width}


def chain_and_liberties(stones: str, width: int, height: int, point: int) -> tuple[set[int], set[int]]:
    """The connected points of the same character, and the empty points next to them."""
    chain, liberties, frontier = {point}, set(), [point]
    while frontier:
        for near in neighbours(width, height, frontier.pop()):
            if stones[near] == ".":
                liberties.add(near)
            if stones[near] == stones[point] and near not in chain:
                chain.add(near)
                frontier.append(near)
    return chain, liberties


class LiteralGame:
    """The rules word for word, and slower still."""

    def __init__(self, width: int, height: int, rules: TwinRules) -> None:
        self.width, self.height, self.rules = width, height, rules
        self.stones, self.to_play = "." * (width * height), BLACK
        self.past = [(self.stones, self.to_play)]
        self.retake: int | None = None

    def place(self, point: int) -> tuple[str, set[int], set[int]]:
        """The board after a stone, what was captured, and what killed itself."""
        own, other = "XO"[self.to_play], "OX"[self.to_play]
        placed = self.stones[:point] + own + self.stones[point + 1 :]
        captured: set[int] = set()
        for near in neighbours(self.width, self.height, point):
            if placed[near] == other:
                chain, liberties = chain_and_liberties(placed, self.width, self.height, near)
                captured |= set() if liberties else chain
        placed = "".join("." if p in captured else char for p, char in enumerate(placed))
        chain, liberties = chain_and_liberties(placed, self.width, self.height, point)
        suicided = set() if liberties else chain
        placed = "".join("." if p in suicided else char for p, char in enumerate(placed))
        return placed, captured, suicided

    def verdict(self, point: int) -> str:
        after, _, suicided = self.place(point)
        if suicided and not self.rules.suicide:
            return "suicide"
        if self.rules.ko == "simple":
            return "ko" if point == self.retake else "legal"
        if self.rules.ko == "positional" and after in [stones for stones, _ in self.past]:
            return "ko"
        if self.rules.ko == "situational" and (after, 1 - self.to_play) in self.past:
            return "ko"
        return "legal suicide" if suicided else "legal"

    def play(self, action: int) -> set[int]:
        """Returns what left the board."""
        removed: set[int] = set()
        self.retake = None
        if action < self.width * self.height:
            self.stones, captured, suicided = self.place(action)
            removed = captured | suicided
            # A lone stone that has just captured a lone stone, and could be taken back there, may not be.
            if len(captured) == 1:
                chain, liberties = chain_and_liberties(self.stones, self.width, self.height, action)
                if chain == {action} and liberties == captured:
                    (self.retake,) = captured
        self.to_play = 1 - self.to_play
        self.past.append((self.stones, self.to_play))
        return removed

    def area(self) -> tuple[int, int]:
        score = Counter(self.stones)
        for point, char in enumerate(self.stones):
            if char == ".":
                region, _ = chain_and_liberties(self.stones, self.width, self.height, point)
                border = {self.stones[near] for p in region for near in neighbours(self.width, self.height, p)} - {"."}
                if len(border) == 1:
                    score[border.pop()] += 1
        return score["X"], score["O"]


@pytest.mark.parametrize("rules", [SIMPLE, SIMPLE_SUICIDE, PSK, TROMP_TAYLOR, SSK, SSK_SUICIDE], ids=str)
def test_random_games_follow_the_wording(rules: TwinRules) -> None:
    rng = random.Random(20090901)
    verdicts: Counter[str] = Counter()
    for width, height, games in ((2, 2, 20), (4, 3, 10), (3, 5, 5), (5, 5, 3)):
        for _ in range(games):
            position, literal = TwinPosition.empty(width, height, rules), LiteralGame(width, height, rules)
            for _ in range(80):
                pass_action = width * height
                judged = {point: literal.verdict(point) for point in range(pass_action) if literal.stones[point] == "."}
                verdicts.update(judged.values())
                expected = [point for point, verdict in judged.items() if verdict.startswith("legal")]
                assert playable(position) == expected, f"\n{position}"
                assert position.legal_actions()[-1] == pass_action
                assert position.area() == literal.area()
                bans = [point for point in range(pass_action) if position.is_simple_ko_ban(point)]
                assert bans == ([] if literal.retake is None else [literal.retake])

                action = rng.choice(expected) if expected and rng.random() < 0.95 else pass_action
                position = position.play(action)
                assert set(position.last_captures) == literal.play(action)
                assert position.stones() == literal.stones
                if position.is_over():
                    break
    # The rare events did happen.
    assert verdicts["ko"] > 0
    if not rules.suicide:
        assert verdicts["suicide"] > 0
    elif rules.ko != "simple":
        assert verdicts["legal suicide"] > 0
