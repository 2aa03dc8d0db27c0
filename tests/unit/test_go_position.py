"""Go by hand: captures, ko, superko, suicide, eyes, scoring, undo, set-ups and errors."""

import pickle
from copy import deepcopy

import pytest

from katachi import IllegalMoveError, InvalidArgumentError, ParseError, Player, Rng
from katachi._core import board_bytes
from katachi.games.go import EyeRule, Position, Rules, Symmetry

BLACK, WHITE = Player.BLACK, Player.WHITE

KO = """
. X O . .
X . X O .
. X O . .
. . . . .
. . . . .
"""


def play(position: Position, *moves: str) -> Position:
    for move in moves:
        position = position.play(move)
    return position


def test_capture_of_a_corner_stone() -> None:
    position = play(Position(3), "A1", "A2", "C3", "B1")
    assert position.stones() == "..XO...O."
    assert [position.vertex(p) for p in position.last_removed] == ["A1"]
    assert position.captured(BLACK) == 1
    assert position.captured(WHITE) == 0


def test_capture_of_several_chains_at_once() -> None:
    position = Position.from_diagram(". O X\nO X .\nX . .", to_play=BLACK).play("A3")
    assert position.stones() == "X.X.X.X.."
    assert position.captured(WHITE) == 2


def test_ko_is_forbidden_once() -> None:
    position = Position.from_diagram(KO, to_play=WHITE, rules="chinese").play("B4")
    assert position.vertex(position.last_removed[0]) == "C4"
    assert position.ko == position.action("C4")
    with pytest.raises(
        IllegalMoveError, match=r"illegal move C4 for BLACK: ko may not be retaken at once(?s:.*)A B C D E"
    ):
        position.play("C4")
    after = play(position, "E1", "E2")
    assert after.ko is None
    assert play(after, "C4").ko == after.action("B4")
    assert play(position, "pass", "E1").is_legal("C4"), "a pass lifts simple ko"


@pytest.mark.parametrize(
    ("rules", "legal"),
    [
        ("cgos", False),
        ("tromp-taylor", False),
        ("chinese-ogs", False),
        ("aga", True),
        ("new-zealand", True),
        ("chinese", True),
    ],
)
def test_sending_two_returning_one(rules: str, legal: bool) -> None:
    # White adds a stone (OO.O.), Black takes both (..XO.), White takes one back: the board is as at the start, with the
    # other player to move. Positional superko forbids that, situational superko and simple ko do not.
    position = Position.set_up(5, 1, rules=rules, white=["B1", "D1"], to_play=WHITE)
    position = play(position, "A1", "C1")
    assert position.stones() == "..XO."
    assert position.ko is None, "two stones were taken: no ko"
    assert position.is_legal("B1") == legal
    if legal:
        assert position.play("B1").stones() == ".O.O."
    else:
        with pytest.raises(IllegalMoveError, match="illegal move B1 for WHITE: an earlier position would be repeated"):
            position.play("B1")


@pytest.mark.parametrize("rules", ["cgos", "tromp-taylor", "aga", "new-zealand", "chinese"])
def test_retaking_at_once_is_forbidden_by_every_ko_rule(rules: str) -> None:
    position = play(Position(2, 1, rules), "A1", "B1")
    assert position.stones() == ".O"
    assert not position.is_legal("A1")


def test_suicide() -> None:
    diagram = ". X .\nX . .\n. . ."
    assert not Position.from_diagram(diagram, to_play=WHITE, rules="cgos").is_legal("A3")
    lone = Position.from_diagram(diagram, to_play=WHITE, rules="new-zealand").play("A3")
    assert lone.stones() == ".X.X....."
    assert lone.captured(WHITE) == 1
    assert lone.last_removed == [0]
    # Under positional superko a lone suicide repeats the position.
    repeated = Position.from_diagram(diagram, to_play=WHITE, rules="tromp-taylor")
    assert repeated._native.illegality(0) == "an earlier position would be repeated"
    two = Position.from_diagram("O . X\nX X .\n. . .", to_play=WHITE, rules="tromp-taylor").play("B3")
    assert two.stones() == "..XXX...."
    assert two.captured(WHITE) == 2


def test_snapback() -> None:
    # Black throws in at A3, White takes it from B3, and Black takes all three back at A3: one stone for three, no ko.
    position = Position.from_diagram(". . X\nO O X\nX X .", to_play=BLACK)
    thrown_in = position.play("A3")
    assert thrown_in.in_atari("A3")
    taken = thrown_in.play("B3")
    assert taken.captured(BLACK) == 1
    assert taken.ko is None
    snapped = taken.play("A3")
    assert snapped.captured(WHITE) == 3
    assert snapped.stones() == "X.X..XXX."


@pytest.mark.parametrize(
    ("diagram", "point", "simple", "surrounded", "strict"),
    [
        # interior: one enemy on the diagonals, then two
        (". . . . .\n. O X . .\n. X . X .\n. . X . .\n. . . . .", "C3", True, True, True),
        (". . . . .\n. O X O .\n. X . X .\n. . X . .\n. . . . .", "C3", False, True, True),
        # corner: diagonal empty, then the enemy's
        (". X .\nX . .\n. . .", "A3", True, True, True),
        (". X .\nX O .\n. . .", "A3", False, True, True),
        # edge: diagonals empty, then one enemy
        (". X . X .\n. . X . .\n. . . . .", "C3", True, True, True),
        (". X . X .\n. O X . .\n. . . . .", "C3", False, True, True),
        # a neighbour in atari, with and without an enemy on the diagonals
        ("X . X . .\nO X O . .\nO O O . .", "B3", False, False, True),
        (". X . X .\n. . X . .\n. O O O .", "C3", True, True, True),
        (". X . X .\n. X X X .\n. O O O .", "C3", True, True, True),
        ("O X . X O\nO X X X O\nO O O O .", "C3", True, False, True),
        # an empty neighbour, an enemy neighbour, a stone
        ("X . .\n. X .\n. . .", "B3", False, False, False),
        ("X . O\n. X .\n. . .", "B3", False, False, False),
        ("X X X\nX X .\n. . .", "A3", False, False, False),
    ],
)
def test_eyes(diagram: str, point: str, simple: bool, surrounded: bool, strict: bool) -> None:
    position = Position.from_diagram(diagram)
    expected = {EyeRule.SIMPLE: simple, EyeRule.SURROUNDED: surrounded, EyeRule.STRICT: strict, EyeRule.NONE: False}
    for rule, eye in expected.items():
        assert position.is_eye(point, BLACK, rule) == eye, rule
        assert not position.is_eye(point, WHITE, rule)
    swapped = Position.from_diagram(diagram.translate(str.maketrans("XO", "OX")))
    assert swapped.is_eye(point, WHITE) == simple


def test_candidates_leave_eyes_alone_and_pass_last() -> None:
    position = Position.from_diagram(". X .\nX X X\n. X .", to_play=BLACK)
    assert position.candidates() == [position.pass_action]
    assert [position.vertex(a) for a in position.legal_actions()] == ["A3", "C3", "A1", "C1", "pass"]
    white = Position.from_diagram(". X .\nX X X\n. X .", to_play=WHITE, rules="tromp-taylor")
    assert white.candidates() == [white.pass_action], "candidates never are suicides, whatever the rules"


def test_without_a_filter_everything_but_suicide_and_superko_is_a_candidate() -> None:
    position = Position.from_diagram(". X .\nX X X\n. X .", to_play=BLACK)
    assert position.candidates(EyeRule.NONE) == position.legal_actions()
    white = Position.from_diagram(". X .\nX X X\n. X .", to_play=WHITE, rules="tromp-taylor")
    assert white.candidates(EyeRule.NONE) == [white.pass_action]


def test_superko_is_obeyed_at_the_root_of_a_search() -> None:
    position = play(Position(2, 1, "tromp-taylor"), "A1", "B1")
    assert position.candidates() == [position.pass_action]
    assert position.search_state().candidates() == [position.pass_action]


@pytest.mark.parametrize(
    ("diagram", "area"),
    [
        (". . .\n. . .\n. . .", 0),
        (". . .\n. X .\n. . .", 9),
        ("X . O\nX . O\nX . O", 0),  # the column between them touches both
        (". X O\nX X O\nX O .", 5 - 4 + 0),
        (". X .\nX . O\n. O .", 1 - 1 + 2 - 2),
    ],
)
def test_area(diagram: str, area: int) -> None:
    assert Position.from_diagram(diagram).area_score() == area


def test_score_with_komi_and_handicap() -> None:
    for rules, komi, handicap, margin in (
        ("cgos", 7.5, 3, 9 - 7.5),
        ("chinese", 0.5, 3, 9 - 3.5),
        ("aga", 0.5, 3, 9 - 2.5),
        ("aga", 0.5, 0, 9 - 0.5),
    ):
        position = Position.set_up(3, 3, rules=Rules.named(rules, komi), black=["B2"], handicap=handicap)
        assert position.score() == margin


def test_two_passes_end_the_game() -> None:
    position = play(Position(3), "B2", "pass", "pass")
    assert position.is_over
    assert position.legal_actions() == []
    with pytest.raises(IllegalMoveError, match="the game is over"):
        position.play("A1")


def test_undo_restores_everything() -> None:
    before = Position.from_diagram(KO, to_play=WHITE)
    taken = before.play("B4")
    assert taken.undo() == before
    assert taken.play("E1").undo() == taken
    assert taken.play("E1").undo().ko == taken.ko
    assert taken.play("E1").undo().last_removed == taken.last_removed
    assert taken.undo().captured(BLACK) == 0
    with pytest.raises(InvalidArgumentError, match="nothing to undo"):
        before.undo()


def test_key_covers_stones_mover_ko_and_passes() -> None:
    start = Position(3)
    keys = {
        start.key,
        start.play("pass").key,
        Position.set_up(3, 3, to_play=WHITE).key,
        start.play("A1").key,
        Position.set_up(3, 3, white=["A1"], to_play=WHITE).key,
        Position(4, 3).key,
        Position(3, 4).key,
    }
    assert len(keys) == 7
    ko = Position.from_diagram(KO, to_play=WHITE).play("B4")
    assert ko.key != Position.from_diagram(str(ko).replace(", ko at C4", "")).key
    assert ko.key == Position.from_diagram(str(ko)).key
    # The order of moves leaves no trace.
    one, other = play(start, "A1", "C3", "B2"), play(start, "B2", "C3", "A1")
    assert one.key == other.key
    assert one != other, "but the histories differ"


@pytest.mark.parametrize("size", [(0, 5), (5, 0), (20, 5), (5, 20), (-1, 3)])
def test_sizes_are_refused(size: tuple[int, int]) -> None:
    with pytest.raises(InvalidArgumentError, match=f"1x1 to 19x19, not {size[0]}x{size[1]}"):
        Position(*size)


@pytest.mark.parametrize("size", [(1, 1), (1, 19), (19, 1), (9, 9), (10, 9), (13, 5), (19, 19)])
def test_every_size_plays(size: tuple[int, int]) -> None:
    position = Position(*size)
    for action in position.playout_moves(Rng(1)):
        position = position.play(action) if position.is_legal(action) else position.play(position.pass_action)
        if position.is_over:
            break
    assert position.is_over


def test_board_is_small() -> None:
    assert board_bytes(9, 9) < 2048
    assert board_bytes(19, 19) > 2048


def test_set_up_is_checked() -> None:
    with pytest.raises(InvalidArgumentError, match="no liberty"):
        Position.set_up(2, 1, black=["A1", "B1"])
    with pytest.raises(InvalidArgumentError, match="occupied"):
        Position.set_up(3, 3, black=["A1"], white=["A1"])
    with pytest.raises(InvalidArgumentError, match="no such point"):
        Position.set_up(3, 3, black=[9])
    with pytest.raises(ParseError, match="'D1' is not on a board of 3x3"):
        Position.set_up(3, 3, black=["D1"])
    for ko in ("A1", "C3", "B2", "pass"):  # occupied, no stones around, no lone stone in atari, no point
        with pytest.raises(InvalidArgumentError, match="cannot be a ko"):
            Position.set_up(3, 3, black=["A1"], ko=ko)
    with pytest.raises(InvalidArgumentError, match="passes"):
        Position.set_up(3, 3, passes=3)
    over = Position.set_up(3, 3, passes=2)
    assert over.is_over
    with pytest.raises(InvalidArgumentError, match="handicap"):
        Position.set_up(3, 3, handicap=-1)


@pytest.mark.parametrize("move", [-1, 10, 1000, 10**30])
def test_numbers_that_are_no_actions(move: int) -> None:
    with pytest.raises(IllegalMoveError, match=str(move)):
        Position(3).play(move)


def test_chains_and_atari() -> None:
    position = Position.from_diagram("X X .\nO . X\n. O .")
    assert [position.vertex(p) for p in position.chain("A3")] == ["A3", "B3"]
    assert position.chain("C3") == []
    assert not position.in_atari("A3")
    assert not position.in_atari("C3")
    assert position.play("C3").chain("B3") == [0, 1, 2, 5]


def test_moves_out_of_turn() -> None:
    position = Position(5, rules="chinese").play("C3").play("D3", BLACK)
    assert position.stones().count("X") == 2
    assert position.to_play is WHITE
    assert position.movers == [BLACK, BLACK]
    assert position.undo() == Position(5, rules="chinese").play("C3"), "undo comes back to White's turn"
    with pytest.raises(IllegalMoveError, match="illegal move C3 for BLACK: point is occupied"):
        position.play("C3", BLACK)


def test_naming_the_player_goes_on_after_two_passes() -> None:
    over = play(Position(3), "pass", "pass")
    assert over.is_over
    assert not over.is_legal("B2")
    assert over.is_legal("B2", BLACK)
    assert over.is_legal("B2", WHITE)
    after = over.play("B2", BLACK)
    assert not after.is_over
    assert after.undo() == over
    again = over.turned_to(WHITE)
    assert (again.to_play, again.passes, again.is_over) == (WHITE, 0, False)
    assert over.turned_to(BLACK).play("pass").passes == 1


def test_two_passes_of_one_player_do_not_end_the_game() -> None:
    position = Position(3).play("pass", BLACK).play("pass", BLACK)
    assert position.passes == 1
    assert not position.is_over


def test_out_of_turn_ko_and_superko() -> None:
    position = Position.from_diagram(KO, to_play=WHITE, rules="chinese").play("B4")
    assert not position.is_legal("C4")
    assert not position.is_legal("C4", BLACK), "naming the player to move changes nothing"
    assert position.play("E1", WHITE).is_legal("C4"), "White moved twice, so the ko is open"
    strict = Position.from_diagram(KO, to_play=WHITE, rules="cgos").play("B4").play("E1", WHITE).play("E2", WHITE)
    assert strict.is_legal("C4"), "two stones more: nothing is repeated"


def test_copies_keep_moves_out_of_turn() -> None:
    position = Position(4).play("B2").play("C3", BLACK).play("pass").play("pass").play("A1", WHITE)
    for copy in (pickle.loads(pickle.dumps(position)), deepcopy(position)):
        assert copy == position
        assert copy.movers == position.movers == [BLACK, BLACK, WHITE, BLACK, WHITE]
    turned = position.turned_to(WHITE)
    assert pickle.loads(pickle.dumps(turned)) == turned
    over = play(Position(3), "pass", "pass")
    assert pickle.loads(pickle.dumps(over)).is_over
    forgotten = Position(3).play("pass").turned_to(BLACK).turned_to(WHITE)
    assert forgotten.turns == {1: WHITE}
    assert pickle.loads(pickle.dumps(forgotten)) == forgotten != Position(3).play("pass")


def test_start_and_rules_and_removal() -> None:
    position = Position.set_up(5, 5, rules="chinese", black=["C3"], white=["D3"], to_play=WHITE, handicap=2)
    later = play(position, "A1", "B1")
    assert later.start() == position
    assert position.start() == position
    assert later.score() == later.area_score() - 9.5
    other = later.with_rules(Rules.named("aga", komi=0.5), handicap=3)
    assert other.score() == later.area_score() - 2.5
    assert other.moves == later.moves
    without = later.without(["A1", "D3"])
    assert without.stones().count("O") == 0
    assert without.handicap == 2
    with pytest.raises(InvalidArgumentError, match="from 0 to 361, not 400"):
        later.with_rules(later.rules, handicap=400)


def test_new_rules_judge_the_old_history() -> None:
    position = Position.from_diagram(KO, to_play=WHITE, rules="chinese").play("B4").play("pass").play("pass", WHITE)
    assert position.is_legal("C4", BLACK), "simple ko has forgotten it"
    assert position.with_rules(Rules.named("cgos")).illegality("C4", BLACK) == "an earlier position would be repeated"


def test_ownership_of_a_settled_board() -> None:
    position = Position.from_diagram("X X . O O\n. X . O .\nX X . O O\n. X . O .\nX X . O O")
    shares = position.ownership(200, Rng(1))
    assert shares[0] == 1.0
    assert shares[4] == -1.0
    assert all(-1 <= share <= 1 for share in shares)
    assert position.ownership(200, Rng(1)) == shares, "the generator is not advanced"
    assert position.turned_to(WHITE).ownership(200, Rng(1)) == shares, "nobody is favoured by being to move"
    with pytest.raises(InvalidArgumentError, match="at least 1, not 0"):
        position.ownership(0, Rng(1))


def test_many_moves_at_once() -> None:
    moves = [(BLACK, "B2"), (WHITE, "C3"), (WHITE, "pass"), (BLACK, "pass"), (BLACK, "A1")]
    one_by_one = Position(4)
    for player, move in moves:
        one_by_one = one_by_one.play(move, player)
    assert Position(4).play_all(moves) == one_by_one
    assert Position(4).play_all([]) == Position(4)
    with pytest.raises(IllegalMoveError, match=r"illegal move B2 for WHITE: point is occupied(?s:.*)\n 2 \. X"):
        Position(4).play_all([*moves, (WHITE, "B2"), (BLACK, "D4")])


def test_copies_keep_what_later_rules_forbid() -> None:
    suicide = Position.from_diagram(". O .\nX O .\n. O .", rules="tromp-taylor", to_play=BLACK).play("A3").play("pass")
    suicide = suicide.play("A1")
    assert suicide.captured(BLACK) == 3
    later = suicide.with_rules(Rules.named("chinese", komi=0.5), handicap=2)
    for copy in (pickle.loads(pickle.dumps(later)), deepcopy(later), later.transformed(Symmetry())):
        assert copy == later
        assert (copy.rules, copy.handicap) == (later.rules, 2)


@pytest.mark.parametrize("point", ["A1", "pass", 99])
def test_only_stones_are_taken_off(point: int | str) -> None:
    with pytest.raises(InvalidArgumentError):
        Position(5).without([point])


def test_copies_keep_a_forced_ko() -> None:
    position = Position.from_diagram(KO, to_play=WHITE, rules="chinese").play("B4")
    forced = position.play_forced("C4", BLACK)
    assert forced.forced_moves() == {2}
    for copy in (pickle.loads(pickle.dumps(forced)), deepcopy(forced), forced.transformed(Symmetry())):
        assert copy == forced
    with pytest.raises(IllegalMoveError, match="illegal move B4 for BLACK: point is occupied"):
        position.play_forced("B4", BLACK)


@pytest.mark.parametrize("rules", ["aga", "new-zealand", "tromp-taylor", "chinese"])
def test_a_named_player_is_judged_as_after_the_turn(rules: str) -> None:
    """Situational superko: the board as it is, with the turn given away, is another position than it was."""
    for diagram in (". . .\nO . .\n. O .", KO, "X . O\n. X .\nO . X"):
        for player in Player:
            position = Position.from_diagram(diagram, rules=rules, to_play=player.opponent)
            for action in range(position.pass_action + 1):
                assert position.illegality(action, player) == position.turned_to(player).illegality(action)
