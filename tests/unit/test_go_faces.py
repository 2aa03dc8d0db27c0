"""Vertices, diagrams, pictures, symmetries and rule sets: the faces of Go that people see."""

import xml.etree.ElementTree as ElementTree

import pytest

from katachi import ParseError, Player, Rng, SettingsError, UnknownNameError, UnsupportedRulesError
from katachi.games.go import RULE_SETS, GoGame, Position, Rules, Symmetry, format_vertex, parse_vertex
from katachi.games.go.diagram import parse_diagram
from katachi.games.go.vertex import parse_size


@pytest.mark.parametrize(
    ("text", "width", "height", "action"),
    [
        ("A1", 9, 9, 72),
        ("a9", 9, 9, 0),
        ("J9", 9, 9, 8),
        ("T19", 19, 19, 18),
        ("B3", 2, 5, 5),
        ("pass", 9, 9, 81),
        ("PASS", 1, 1, 1),
    ],
)
def test_vertices(text: str, width: int, height: int, action: int) -> None:
    assert parse_vertex(text, width, height) == action
    assert format_vertex(action, width, height).lower() == text.lower()


@pytest.mark.parametrize("text", ["", "I5", "E0", "E", "5E", "E05", "E10", "K1", "E-1", "pas", "É5", "E5 E6"])
def test_bad_vertices(text: str) -> None:
    with pytest.raises(ParseError):
        parse_vertex(text, 9, 9)


def test_every_vertex_round_trips() -> None:
    for width, height in ((1, 1), (19, 19), (3, 7)):
        for action in range(width * height + 1):
            assert parse_vertex(format_vertex(action, width, height), width, height) == action
    with pytest.raises(ParseError, match="82"):
        format_vertex(82, 9, 9)


@pytest.mark.parametrize(("text", "size"), [("9", (9, 9)), ("9x13", (9, 13)), ("1X2", (1, 2))])
def test_sizes(text: str, size: tuple[int, int]) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "x", "9x", "nine", "9x9x9", "-1", "100"])
def test_bad_sizes(text: str) -> None:
    with pytest.raises(ParseError, match="board size"):
        parse_size(text)


def test_diagram_says_what_it_shows() -> None:
    position = Position(3, 2).play("A1").play("C2")
    assert str(position).splitlines() == [
        "   A B C",
        " 2 . . O 2",
        " 1 X . . 1",
        "   A B C",
        "Black (X) to play, captured: 0 X, 0 O",
    ]


@pytest.mark.parametrize(
    "text",
    ["..O\nX..", ". . O\nX . .", " 2 . . O 2\n 1 X . . 1", "++W\nB++", "\n  ..o  \n  x..\n", "   A B C\n2 ..O\n1 #.."],
)
def test_diagrams_are_read_in_many_styles(text: str) -> None:
    assert parse_diagram(text).stones == "..OX.."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no row of stones"),
        ("..O\nX.", "line 2 of the diagram has 2 points"),
        ("..?\n...", "line 1"),
        ("A B C", "no row"),
    ],
)
def test_bad_diagrams(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        parse_diagram(text)


def test_a_row_of_three_black_stones_is_no_line_of_letters() -> None:
    assert parse_diagram("B B B\n. . .").stones == "XXX..."


@pytest.mark.parametrize("size", [(1, 1), (9, 9), (13, 9), (19, 19), (2, 7)])
def test_svg_is_well_formed_and_complete(size: tuple[int, int]) -> None:
    position = Position(*size)
    for action in position.playout_moves(Rng(3))[: size[0] * size[1] // 2]:
        if position.is_legal(action):
            position = position.play(action)
    root = ElementTree.fromstring(position._repr_svg_())
    circles = [e for e in root.iter() if e.tag.endswith("circle")]
    stones = [e for e in circles if e.get("r") == "11.3"]
    assert len(stones) == len(position.stones().replace(".", ""))
    assert {e.get("fill") for e in stones} <= {"#111", "#fafafa"}


def test_symmetries_form_a_group() -> None:
    images = set()
    for symmetry in Symmetry.all():
        image = tuple(symmetry.image(p, 3, 3) for p in range(9))
        images.add(image)
        back = symmetry.inverse()
        width, height = symmetry.size(4, 3)
        assert [back.image(symmetry.image(p, 4, 3), width, height) for p in range(12)] == list(range(12))
    assert len(images) == 8


def test_rule_sets() -> None:
    assert Rules() == Rules.named("cgos")
    assert {name: Rules.named(name).name for name in RULE_SETS} == {name: name for name in RULE_SETS}
    assert Rules.named("Tromp_Taylor").suicide
    assert Rules.named("bga") == Rules.named("aga")
    assert Rules.named("aga", komi=6.5).komi == 6.5
    assert Rules(ko="simple", suicide=True).name == "simple ko, suicide, handicap bonus 0, no friendly pass"


@pytest.mark.parametrize("name", ["japanese", "korean", "aga-button", "stone-scoring", "ing"])
def test_rules_that_are_refused(name: str) -> None:
    with pytest.raises(UnsupportedRulesError, match=name):
        Rules.named(name)


def test_bad_rules() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'chinese'"):
        Rules.named("chines")
    with pytest.raises(UnsupportedRulesError, match="territory"):
        Rules(scoring="territory")
    for values in ({"komi": float("nan")}, {"komi": float("inf")}, {"komi": "7"}, {"ko": "none"}, {"komo": 3}):
        with pytest.raises(SettingsError):
            Rules(**values)


def test_go_game_options() -> None:
    game = GoGame("7x5", rules="aga", komi=0.5, eye_rule="strict")
    assert (game.width, game.height, game.rules.komi, game.eye_rule.name) == (7, 5, 0.5, "STRICT")
    assert game.initial_state().to_play is Player.BLACK
    with pytest.raises(ValueError, match="eye rule 'loose'"):
        GoGame(5, eye_rule="loose")
