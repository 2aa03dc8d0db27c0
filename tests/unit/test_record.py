"""Records: what an SGF tree says about a game of Go, its positions, and positions as records."""

import os
from pathlib import Path

import pytest

from katachi import __version__
from katachi.core.errors import InvalidArgumentError, ParseError
from katachi.core.types import Player
from katachi.games.go import Position, Rules
from katachi.games.go.record import MAX_MOVES, GameResult, Record, format_result, parse_result
from katachi.games.go.sgf import SgfError
from katachi.games.go.vertex import format_sgf_move, format_sgf_point, parse_sgf_move, parse_sgf_point, parse_sgf_points

BLACK, WHITE = Player.BLACK, Player.WHITE


def replay(text: str, before_move: int | None = None) -> Position:
    return Record.parse(text).position(before_move)


# -- coordinates


@pytest.mark.parametrize(("text", "vertex"), [("aa", "A9"), ("ia", "J9"), ("ai", "A1"), ("ec", "E7")])
def test_points(text: str, vertex: str) -> None:
    position = Position(9)
    assert parse_sgf_point(text, 9, 9) == position.action(vertex)
    assert format_sgf_point(position.action(vertex), 9, 9) == text


def test_every_point_round_trips() -> None:
    for width, height in ((1, 1), (19, 19), (3, 7), (52, 27)):
        for action in range(width * height + 1):
            assert parse_sgf_move(format_sgf_move(action, width, height), width, height) == action
    assert format_sgf_point(52 * 52 - 1, 52, 52) == "ZZ"


def test_passes() -> None:
    assert parse_sgf_move("", 9, 9) == parse_sgf_move("tt", 9, 9) == 81
    assert parse_sgf_move("tt", 19, 19) == 361
    assert parse_sgf_move("tt", 20, 20) == 19 * 20 + 19
    with pytest.raises(ParseError, match="'tt' is not on a board of 9x9"):
        parse_sgf_point("tt", 9, 9)


@pytest.mark.parametrize("text", ["", "a", "aaa", "a1", "aj", "ja", "AA", "a ", "é!", "aa:bb", "x" * 1000])
def test_bad_points(text: str) -> None:
    with pytest.raises(ParseError, match=r"is not (a point of SGF|on a board)") as caught:
        parse_sgf_point(text, 9, 9)
    assert len(str(caught.value)) < 120
    for number in (-1, 81, 82):
        with pytest.raises(ParseError, match=f"{number} is not a point"):
            format_sgf_point(number, 9, 9)


def bits(points: list[int]) -> int:
    return sum(1 << point for point in points)


def test_rectangles() -> None:
    assert parse_sgf_points("ba:cb", 3, 3) == bits([1, 2, 4, 5])
    assert parse_sgf_points("cc", 3, 3) == parse_sgf_points("cc:cc", 3, 3) == bits([8])
    assert parse_sgf_points("aa:cc", 3, 3) == bits([*range(9)])
    assert parse_sgf_points("ab:ad", 1, 5) == bits([1, 2, 3])
    for text in ("cc:aa", "ab:ba", "aa:", ":aa", "aa:dd", "aa:bb:cc"):
        with pytest.raises(ParseError, match=r"SGF|board"):
            parse_sgf_points(text, 3, 3)


def test_white_space_around_points_and_empty_lists() -> None:
    assert parse_sgf_points("", 3, 3) == parse_sgf_points(" \n", 3, 3) == 0
    assert parse_sgf_points(" ba : cb\n", 3, 3) == parse_sgf_points("ba:cb", 3, 3)
    assert parse_sgf_point("\tba ", 3, 3) == 1
    assert (parse_sgf_move(" ba", 3, 3), parse_sgf_move(" ", 3, 3), parse_sgf_move("tt\n", 3, 3)) == (1, 9, 9)


# -- what it says about the game


def test_the_facts_of_a_game() -> None:
    record = Record.parse("(;GM[1]SZ[9:13]KM[6.5]RU[AGA]HA[2]PB[ A\\]\nB ]PW[C]RE[W+Resign]AB[aa][bb];W[cc])")
    assert (record.size, record.width, record.height) == ((9, 13), 9, 13)
    assert record.rules == record.named_rules == Rules.named("aga", komi=6.5)
    assert (record.komi, record.handicap) == (6.5, 2)
    assert record.players == ("A] B", "C")
    assert record.result == "W+Resign"
    assert repr(record) == "<Record 9x13 A] B – C>"
    record.result = "B+2"
    assert record.root.properties["RE"] == ["B+2"]
    record.result = ""
    assert "RE" not in record.root


def test_what_is_missing_or_empty() -> None:
    for text in ("(;)", "(;GM[]SZ[]KM[]RU[]HA[]PB[]PW[]RE[])"):
        record = Record.parse(text)
        assert (record.size, record.komi, record.handicap, record.players, record.result) == (
            (19, 19),
            None,
            0,
            ("", ""),
            "",
        )
        assert record.named_rules is None
        assert record.rules == Rules.named("chinese")


def test_information_may_come_later() -> None:
    record = Record.parse("(;SZ[9];KM[5.5]PB[Late];B[aa])")
    assert (record.komi, record.players) == (5.5, ("Late", ""))
    with pytest.raises(SgfError, match=r"^SGF, node 1 of the main line, property KM 'x': no number"):
        _ = Record.parse("(;SZ[9];KM[x];B[aa])").komi


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("NZ", "new-zealand"),
        ("New Zealand", "new-zealand"),
        ("Chinese", "chinese"),
        ("cgos", "cgos"),
        ("Tromp_Taylor", "tromp-taylor"),
        ("Japanese", None),
        ("GOE", None),
        ("my own", None),
        ("x" * 100_000, None),
    ],
)
def test_rules(name: str, rules: str | None) -> None:
    record = Record.parse(f"(;RU[{name}]KM[3])")
    assert record.named_rules == (None if rules is None else Rules.named(rules, komi=3))
    assert record.rules == Rules.named(rules or "chinese", komi=3)
    assert record.position(rules="aga").rules == Rules.named("aga", komi=3)
    assert record.position(rules=Rules(komi=1)).rules == Rules(komi=1)


def test_rules_where_the_record_says_nothing() -> None:
    otherwise = Rules.named("cgos", komi=5.5)
    assert Record.parse("(;)").rules_or(otherwise) == otherwise
    assert Record.parse("(;RU[Japanese]KM[0])").rules_or(otherwise) == Rules.named("cgos", komi=0)
    assert Record.parse("(;RU[AGA])").rules_or(otherwise) == Rules.named("aga", komi=5.5)
    assert Record.parse("(;RU[AGA]KM[x])").rules_or(otherwise, komi=0) == Rules.named("aga", komi=0)
    assert Record.parse("(;KM[7])").rules_or(otherwise, 1.5) == Rules.named("cgos", komi=1.5)


def test_rules_without_a_name_survive() -> None:
    for ko in ("simple", "positional", "situational"):
        for bonus in ("0", "N", "N-1"):
            for suicide in (False, True):
                for friendly in (False, True):
                    rules = Rules(ko=ko, suicide=suicide, handicap_bonus=bonus, friendly_pass=friendly, komi=-3.25)
                    assert Record.parse(Record.new(9, rules=rules).format()).named_rules == rules


@pytest.mark.parametrize(
    ("text", "komi"),
    [
        ("7.5", 7.5),
        ("-0.5", -0.5),
        ("+6", 6),
        (" 5.5\n", 5.5),
        ("0", 0),
        ("7.", 7),
        (".5", 0.5),
        ("150.0", 150),
        ("6,5", 6.5),
        ("-0,75", -0.75),
        ("100,0", 100),
        ("99", 99),
    ],
)
def test_komi(text: str, komi: float) -> None:
    assert Record.parse(f"(;KM[{text}])").rules.komi == komi


@pytest.mark.parametrize(
    "text",
    ["x", "6,5,5", "6,5.5", ",", "1e3", "nan", "inf", "--1", "6 1/2", "९", "5.5.5", "0x10", "1" * 5000, "6.5]KM[7.5"],
)
def test_bad_komi(text: str) -> None:
    with pytest.raises(SgfError, match=r"^SGF, root node, property KM '.*no number"):
        Record.parse(f"(;KM[{text}])").position()


def test_komi_that_may_be_hundredths_or_is_too_large() -> None:
    for text in ("650", "375", "325", "275", "100", "-750"):
        record = Record.parse(f"(;KM[{text}]RU[AGA])")
        message = f"property KM '{text}': perhaps hundredths of points or of stones: give the komi that is meant"
        for read in (record.position, lambda r=record: r.rules_or(Rules()), lambda r=record: r.komi):
            with pytest.raises(SgfError, match=message):
                read()
        assert record.position(rules=Rules(komi=6.5)).rules.komi == 6.5
        assert record.rules_or(Rules(), komi=6.5) == Rules.named("aga", komi=6.5)
    with pytest.raises(SgfError, match=r"property KM '9{40}…': too large a number"):
        Record.parse(f"(;KM[{'9' * 400}.0])").position()


@pytest.mark.parametrize("komi", [0.0, 7.0, 7.5, -0.25, 99.0, 100.0, 400.0, -399.0, 1e22, 1e-7, 0.1 + 0.2])
def test_every_komi_survives(komi: float) -> None:
    assert Record.parse(Record.new(1, rules=Rules(komi=komi)).format()).komi == komi


@pytest.mark.parametrize(
    "text", ["0", "-3", "1000000", "9:", "x", "9:0", "53", "9x9", "9:9:9", "9.5", "²", "1" * 5000, ":9"]
)
def test_bad_sizes(text: str) -> None:
    with pytest.raises(SgfError, match=r"^SGF, root node, property SZ '.*no size of a board"):
        Record.parse(f"(;SZ[{text}])")


@pytest.mark.parametrize("text", ["2", "0", "x", "-1", "11", "1" * 5000])
def test_other_games(text: str) -> None:
    with pytest.raises(SgfError, match=r"^SGF, root node, property GM '.*not Go"):
        Record.parse(f"(;GM[{text}])")


@pytest.mark.parametrize("text", ["x", "-1", "362", "2.0", "1" * 5000])
def test_bad_handicaps(text: str) -> None:
    with pytest.raises(SgfError, match=r"^SGF, root node, property HA '.*no number of stones"):
        Record.parse(f"(;HA[{text}]AB[aa])").position()


@pytest.mark.parametrize("size", ["20", "52", "19:20", "52:1"])
def test_boards_that_only_sgf_has(size: str) -> None:
    record = Record.parse(f"(;FF[4]CA[UTF-8]SZ[{size}];B[aa];W[])")
    assert Record.parse(record.format()).root == record.root
    assert record.moves() == [(BLACK, 0), (WHITE, record.width * record.height)]
    with pytest.raises(SgfError, match=f"^SGF, root node, property SZ '{size}': Katachi plays on boards up to 19x19"):
        record.position()


# -- positions


def test_a_game() -> None:
    position = replay("(;SZ[5]KM[0.5]RU[cgos];B[cc];W[dd](;B[];W[ee])(;B[aa]))")
    assert position == Position(5, rules=Rules(komi=0.5)).play("C3").play("D2").play("pass").play("E1")


def test_before_a_move() -> None:
    """Move N is counted from 1, as GTP's loadsgf does."""
    text = "(;SZ[5];B[cc];C[only a comment];W[dd];AB[ee]PL[B];B[aa])"
    assert [len(replay(text, n).moves) for n in (1, 2, 3, 4, 5, 99)] == [0, 1, 0, 1, 1, 1]
    assert replay(text, 3).stones().count("X") == 2  # what is set up before a move is there before it
    assert replay(text, 99) == replay(text)
    for number in (0, -1):
        with pytest.raises(InvalidArgumentError, match=f"before_move counts from 1, not {number}"):
            replay(text, number)


def test_a_mistake_behind_the_move_does_not_matter() -> None:
    text = "(;SZ[5];B[cc];W[zz])"
    assert replay(text, 2).stones().count("X") == 1
    with pytest.raises(SgfError, match="node 2 of the main line, property W 'zz'"):
        replay(text)


def test_set_up_stones() -> None:
    position = replay("(;SZ[5]AB[aa:bb][ee]AW[ca:da]AE[cc]PL[W])")
    assert position.stones() == "XXOO.XX.................X"
    assert (position.to_play, position.moves, position.handicap) == (WHITE, [], 0)


def test_set_up_after_moves_starts_anew() -> None:
    position = replay("(;SZ[3];B[aa];W[bb];AE[aa]AW[cc];B[ca])")
    assert position.stones() == "..X.O...O"
    assert (position.moves, position.movers) == ([2], [BLACK])
    assert position.start().stones() == "....O...O"


def test_stones_may_be_replaced() -> None:
    assert replay("(;SZ[3]AB[aa:cb];AW[bb]AE[aa])").stones() == ".XXXOX..."


def test_set_up_need_not_make_sense_until_somebody_moves() -> None:
    assert replay("(;SZ[2]AB[aa:bb];AE[ab])").stones() == "XX.X"
    with pytest.raises(SgfError, match="root node, property AB 'aa:bb': a chain in the set-up has no liberty"):
        replay("(;SZ[2]AB[aa:bb];B[];AE[ab])")
    with pytest.raises(SgfError, match="node 1 of the main line, property AW 'ba': a chain"):
        replay("(;SZ[2]AB[aa][bb];AW[ab][ba])")


def test_who_is_to_play() -> None:
    assert replay("(;SZ[5])").to_play is BLACK
    assert replay("(;SZ[5]AB[aa])").to_play is BLACK
    assert replay("(;SZ[5]HA[2]AB[aa][bb])").to_play is WHITE
    assert replay("(;SZ[5]HA[2]AB[aa][bb]PL[B])").to_play is BLACK
    assert replay("(;SZ[5]PL[white])").to_play is WHITE
    assert replay("(;SZ[5]AB[aa];W[bb])", 1).to_play is WHITE  # who moves next
    assert replay("(;SZ[5];B[aa];PL[B])").to_play is BLACK
    assert replay("(;SZ[5];B[aa];PL[B];AB[bb])").to_play is BLACK
    assert replay("(;SZ[5];B[aa];AB[bb])").to_play is WHITE


def test_turning_the_move_round_keeps_the_history() -> None:
    position = replay("(;SZ[5];B[aa];PL[B];B[bb])")
    assert position.movers == [BLACK, BLACK]
    assert len(position.moves) == 2


def test_moves_in_any_order_of_colours() -> None:
    position = replay("(;SZ[5];W[aa];W[bb];B[cc];B[tt];W[dd])")
    assert position.movers == [WHITE, WHITE, BLACK, BLACK, WHITE]
    assert position.start().to_play is WHITE


def test_play_may_go_on_after_two_passes() -> None:
    position = replay("(;SZ[5];B[];W[];B[cc])")
    assert position.stones().count("X") == 1
    assert not position.is_over
    assert replay("(;SZ[5];B[];W[tt])").is_over


def test_handicap() -> None:
    position = replay("(;SZ[9]RU[AGA]KM[0.5]HA[2]AB[cc][gg];W[ee])")
    assert (position.handicap, position.movers) == (2, [WHITE])
    record = Record.parse("(;SZ[9]HA[2];B[cc];B[gg];W[ee])")
    assert (record.handicap, record.position().handicap) == (2, 0)


def test_handicap_without_a_black_stone() -> None:
    """Whatever loads can be saved: SGF cannot say that handicap counts when no black stone is set up."""
    for text, handicap in (
        ("HA[2]AB[ee];AE[ee];B[aa]", 0),
        ("HA[2]AB[ee];AE[ee]", 0),
        ("HA[2]AB[];B[aa]", 0),
        ("HA[2]AB[ee];W[aa];AE[ee];W[bb]", 0),
        ("HA[2]AB[ee];AE[ee]AB[aa];W[bb]", 2),
    ):
        position = replay(f"(;SZ[9]{text})")
        assert position.handicap == handicap
        assert Record.parse(Record.from_position(position).format()).position() == position


def test_empty_lists_of_stones_set_nothing_up() -> None:
    assert replay("(;SZ[5]AB[]AW[ ]AE[])") == Position(5, rules="chinese")
    assert replay("(;SZ[5]AB[][ aa ][]AW[bb\n])").stones().strip(".") == "X.....O"
    game = Position(5, rules="chinese").play("C3").play("D3")
    assert replay("(;SZ[5];B[cc];AB[];W[ dc]AE[])") == game  # the history goes on


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (";B[zz]", "node 1 of the main line, property B 'zz': 'zz' is not on a board of 5x5"),
        (";B[a]", "node 1 of the main line, property B 'a': 'a' is not a point"),
        (";B[ a]", "not a point"),
        (";B[aa];W[aa]", "node 2 of the main line, property W 'aa': illegal move A5 for WHITE: point is occupied"),
        (";B[ba];W[];B[ab];W[aa]", "node 4 .* property W 'aa': illegal move A5 for WHITE: suicide is not allowed"),
        (";B[aa][bb]", "node 1 .* property B 'bb': one of 2 moves"),
        (";B[aa]W[bb]", "node 1 .* property W 'bb': B is in the same node"),
        (";B[aa]AW[bb]", "node 1 .* property AW 'bb': set-up in the same node as the move B"),
        (";W[aa]PL[B]", "node 1 .* property PL 'B': set-up in the same node as the move W"),
        ("B[aa]AB[bb]", "root node, property AB 'bb': set-up in the same node"),
        (";KO[]", "node 1 .* property KO '': there is no move in this node to be forced"),
        (";B[aa];W[aa]KO[]", "node 2 .* property W 'aa': illegal move A5 for WHITE: point is occupied"),
        ("AB[aa]AW[aa]", "root node, property AW 'aa': AB has the same point"),
        ("AB[aa:cc]AE[ba:bb]", "root node, property AE 'ba:bb': AB has the same point"),
        ("AW[aa]AE[ba:bb]AB[bb]", "root node, property AE 'ba:bb': AB has the same point"),
        ("AB[cc:aa]", "root node, property AB 'cc:aa': .* upper left"),
        ("AB[aa:]", "root node, property AB 'aa:': '' is not a point"),
        ("AB[aa]AW[]AE[aa]", "root node, property AE 'aa': AB has the same point"),
        ("AB[tt]", "root node, property AB 'tt': 'tt' is not on a board of 5x5"),
        ("PL[]", "root node, property PL '': no player"),
        ("PL[green]", "root node, property PL 'green': no player"),
        ("AB[" + "x" * 100_000 + "]", r"root node, property AB 'x{40}…': 'x{40}…' is not a point"),
        (";SZ[9]", "node 1 .* property SZ '9': another game begins"),
        (";GM[2]", "node 1 .* property GM '2': another game begins"),
    ],
)
def test_what_cannot_be_played(text: str, message: str) -> None:
    with pytest.raises(SgfError, match=f"^SGF, .*{message}") as caught:
        replay(f"(;SZ[5]{text})")
    assert len(str(caught.value)) < 250


def test_superko_depends_on_the_rules() -> None:
    text = "SZ[2:1];B[aa];W[ba];B[];W[];B[aa]"
    assert replay(f"(;RU[Chinese]{text})").stones() == "X."
    with pytest.raises(SgfError, match=r"node 5 of .*, property B 'aa': illegal move A1 for BLACK: .*repeated"):
        replay(f"(;RU[cgos]{text})")


def test_very_long_games() -> None:
    text = "(;SZ[5]" + ";B[];W[]" * (MAX_MOVES // 2)
    assert len(replay(text + ")").moves) == MAX_MOVES
    with pytest.raises(
        SgfError, match=f"node {MAX_MOVES + 1} of the main line, property B: more than {MAX_MOVES} moves"
    ):
        replay(text + ";B[])")


def test_many_rectangles_are_quick() -> None:
    position = replay("(;SZ[19]AB" + "[aa:sr]" * 100_000 + ";" + "AW[as]PL[W]" + ";PL[B];PL[W]" * 30_000 + ")")
    assert position.stones().count("X") == 18 * 19


# -- records of positions


def test_a_record_of_a_position() -> None:
    position = Position(9, 13, Rules.named("cgos", komi=5.5)).play("E5").play("pass").play("A13").play("J1")
    record = Record.from_position(position, black="B:[x]", white="W\\", result="B+R", comment="one\ntwo")
    assert (
        record.format()
        == (
            f"(;FF[4]AP[Katachi:{__version__}]C[one\ntwo]CA[UTF-8]GM[1]KM[5.5]PB[B:[x\\]]PW[W\\\\]RE[B+R]"
            "\nRU[cgos]SZ[9:13];B[ei];W[];B[aa];W[im])\n"
        ).encode()
    )
    again = Record.parse(record.format())
    assert again.root == record.root
    assert again.position() == position
    assert again.root.comment == "one\ntwo"


def test_a_record_of_a_set_up() -> None:
    position = Position.set_up(5, 5, rules="aga", black=["A1", "B2"], white=["E5"], to_play=WHITE, handicap=2)
    root = Record.from_position(position).root
    assert (root.properties["AB"], root.properties["AW"], root.properties["HA"]) == (["bd", "ae"], ["ea"], ["2"])
    assert "PL" not in root
    assert Record.from_position(position.turned_to(BLACK)).root.properties["PL"] == ["B"]
    for after in (
        position,
        position.play("C3"),
        position.play("C3", BLACK).play("D3", BLACK),
        position.turned_to(BLACK),
    ):
        assert Record.parse(Record.from_position(after).format()).position() == after


def test_turns_and_resumed_games_survive() -> None:
    over = Position(5).play("C3").play("pass").play("pass")
    cases = [
        over,
        over.turned_to(BLACK),
        over.turned_to(WHITE),
        over.play("C2", WHITE),
        over.play("pass", BLACK),
        over.play("pass", WHITE).play("pass"),
        over.turned_to(BLACK).play("A1").turned_to(BLACK).play("pass").play("pass"),
        Position(5).turned_to(WHITE),
        Position(5).play("C3", WHITE),
        Position(5).turned_to(WHITE).play("C3", BLACK).turned_to(BLACK),
        Position(5).play("pass").play("pass", BLACK).play("pass"),
    ]
    for position in cases:
        assert Record.parse(Record.from_position(position).format()).position() == position, repr(position)


def test_what_sgf_cannot_say() -> None:
    ko = Position(4, 3, "cgos")
    for move in ("B3", "C3", "A2", "D2", "B1", "C1", "C2", "B2"):
        ko = ko.play(move)
    assert ko.ko is not None
    assert Record.from_position(ko).position() == ko
    with pytest.raises(InvalidArgumentError, match="starts with a ko"):
        Record.from_position(Position.from_diagram(str(ko)))
    with pytest.raises(InvalidArgumentError, match="starts with 1 passes"):
        Record.from_position(Position.set_up(5, 5, passes=1))
    with pytest.raises(InvalidArgumentError, match="3 handicap stones count when no black stone"):
        Record.from_position(Position.set_up(5, 5, handicap=3))


def test_appending() -> None:
    record = Record.new(9, rules="cgos", black="Me")
    record.append(BLACK, "E5")
    record.append(WHITE, 0, comment="corner]")
    node = record.append(BLACK, "pass")
    assert record.format().endswith(b"SZ[9];B[ee];\nC[corner\\]]W[aa];B[])\n")
    assert record.main_line()[-1] is node
    assert record.moves() == [(BLACK, 40), (WHITE, 0), (BLACK, 81)]
    assert record.position() == Position(9).play("E5").play("A9").play("pass")
    for move in (82, -1, "K1"):
        with pytest.raises(ParseError, match=str(move)):
            record.append(WHITE, move)
    assert len(record.moves()) == 3


def test_new_records() -> None:
    assert Record.new(9, 13, Rules(komi=0.5)).size == (9, 13)
    assert Record.new(52, 52).size == (52, 52)
    for size in ((0, 9), (53, 9), (9, -1)):
        with pytest.raises(InvalidArgumentError, match="1x1 to 52x52"):
            Record.new(*size)


def test_private_settings_and_all_else_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    record = Record.parse("(;FF[4]CA[UTF-8]SZ[9]XX[1][2];B[aa]TB[bb](;W[bb]BL[3])(;W[cc]N[variation]))")
    record.root.set_text("KATACHI", '{"player": "a[0]\\b"}')
    record.save(path)
    again = Record.load(path)
    assert again.root == record.root
    assert again.root.text("KATACHI") == '{"player": "a[0]\\b"}'
    path.write_bytes(b"(;GM[5])")
    with pytest.raises(SgfError, match=r"game\.sgf: SGF, root node, property GM '5'"):
        Record.load(path)
    path.write_bytes("(;PB[表])".encode("shift_jis"))
    assert Record.load(path, encoding="shift_jis").players == ("表", "")


# -- results


@pytest.mark.parametrize(
    ("margin", "text"), [(3.5, "B+3.5"), (-12.0, "W+12"), (0.0, "0"), (-0.0, "0"), (361, "B+361"), (0.25, "B+0.25")]
)
def test_results_of_a_count(margin: float, text: str) -> None:
    assert format_result(margin) == text
    winner = None if margin == 0 else BLACK if margin > 0 else WHITE
    assert parse_result(text) == GameResult(winner, abs(margin), "score" if margin else "draw")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("B+R", GameResult(BLACK, None, "resignation")),
        (" w+resign ", GameResult(WHITE, None, "resignation")),
        ("W+T", GameResult(WHITE, None, "time")),
        ("Black+Forfeit", GameResult(BLACK, None, "forfeit")),
        ("B+", GameResult(BLACK)),
        ("Draw", GameResult(None, 0.0, "draw")),
        ("Void", GameResult(None, None, "void")),
        ("?", GameResult(None, None, "unknown")),
        ("", GameResult(None, None, "unknown")),
    ],
)
def test_other_results(text: str, result: GameResult) -> None:
    assert parse_result(text) == result


@pytest.mark.parametrize("text", ["B", "B+x", "C+3", "B+-3", "+3", "3", "B+nan", "B+1e5", "x" * 1000])
def test_bad_results(text: str) -> None:
    with pytest.raises(ParseError, match="is not a result") as caught:
        parse_result(text)
    assert len(str(caught.value)) < 150


def test_a_game_whose_rules_changed() -> None:
    """What the new rules forbid is written as forced (KO), so that the record can be read again."""
    position = Position.from_diagram(". O .\nX O .\n. O .", rules="tromp-taylor", to_play=Player.BLACK)
    position = position.play("A3").play("pass").play("A1").play("C1")
    changed = position.with_rules(Rules.named("chinese"))
    assert changed.forced_moves() == {3}
    record = Record.from_position(changed)
    assert record.format().count(b"KO[]") == 1
    assert Record.parse(record.format()).position() == changed
    assert position.forced_moves() == set()
    assert b"KO" not in Record.from_position(position).format()


def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="not a regular file"):
        Record.load(pipe)


def test_moves_with_the_positions_around_them() -> None:
    record = Record.parse(b"(;SZ[3]KM[0];B[aa];N[nothing];B[bb];AW[cc];W[];PL[W];W[ca])")
    moves = list(record.replayed())
    assert [(m.player.name, m.before.vertex(m.action), m.node) for m in moves] == [
        ("BLACK", "A3", record.main_line()[1]),
        ("BLACK", "B2", record.main_line()[3]),
        ("WHITE", "pass", record.main_line()[5]),
        ("WHITE", "C3", record.main_line()[7]),
    ]
    assert [m.before.stones() for m in moves] == [".........", "X........", "X...X...O", "X...X...O"]
    assert [m.after.stones() for m in moves] == ["X........", "X...X....", "X...X...O", "X.O.X...O"]
    assert all(m.before.to_play is m.player for m in moves)
    assert moves[-1].after == record.position()
    for number, move in enumerate(moves, start=1):
        assert move.before == record.position(number).turned_to(move.player)


def test_moves_of_a_record_under_other_rules() -> None:
    record = Record.parse(b"(;SZ[3]KM[5];B[aa])")
    assert next(record.replayed("aga")).after.rules == Rules.named("aga", komi=5)
