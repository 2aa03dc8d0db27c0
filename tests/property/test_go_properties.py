"""Properties of Go positions over random games of every size and rule set."""

from hypothesis import given, settings
from hypothesis import strategies as st

from katachi import Player, Rng
from katachi.games.go import RULE_SETS, EyeRule, Position, Rules, Symmetry


@st.composite
def positions(draw: st.DrawFn, max_side: int = 7, max_moves: int = 60) -> Position:
    """A position after some random legal moves."""
    width, height = draw(st.integers(1, max_side)), draw(st.integers(1, max_side))
    rules = Rules.named(draw(st.sampled_from(sorted(RULE_SETS))), komi=draw(st.integers(-20, 20)) / 2)
    rng = Rng(draw(st.integers(0, 2**32)))
    wild = draw(st.booleans())
    position = Position(width, height, rules)
    for _ in range(draw(st.integers(0, max_moves))):
        options = position.legal_actions() if wild else position.candidates()
        if not options:
            break
        position = position.play(options[rng.below(len(options))])
    return position


symmetries = st.sampled_from(Symmetry.all())


@given(positions())
def test_undo_is_the_inverse_of_play(position: Position) -> None:
    for action in position.legal_actions():
        assert position.play(action).undo() == position


@given(positions())
def test_a_diagram_says_everything_but_the_history(position: Position) -> None:
    again = Position.from_diagram(str(position), rules=position.rules)
    assert again.stones() == position.stones()
    assert (again.to_play, again.ko, again.passes) == (position.to_play, position.ko, position.passes)
    assert again.key == position.key


@given(positions(), symmetries, st.booleans())
def test_symmetries_commute_with_everything(position: Position, symmetry: Symmetry, swap: bool) -> None:
    image = position.transformed(symmetry, swap_colours=swap)

    def move(action: int) -> int:
        return action if action == position.pass_action else symmetry.image(action, position.width, position.height)

    assert sorted(map(move, position.legal_actions())) == image.legal_actions()
    for rule in EyeRule:
        assert sorted(map(move, position.candidates(rule))) == image.candidates(rule)
    assert image.area_score() == (-position.area_score() if swap else position.area_score())
    assert image.score() == (-position.score() if swap else position.score())
    assert image.captured(Player.BLACK) == position.captured(Player.WHITE if swap else Player.BLACK)
    assert (image.ko is None) == (position.ko is None)
    assert image.transformed(symmetry.inverse(), swap_colours=swap).stones() == position.stones()


@given(positions())
def test_keys_do_not_depend_on_the_way(position: Position) -> None:
    black, white = ([i for i, c in enumerate(position.stones()) if c == stone] for stone in "XO")
    built = Position.set_up(
        position.width,
        position.height,
        rules=position.rules,
        black=black,
        white=white,
        to_play=position.to_play,
        ko=position.ko,
    )
    assert built.stones_key == position.stones_key
    assert position.passes or built.key == position.key


@given(positions())
def test_candidates_are_legal_and_fill_no_eyes(position: Position) -> None:
    legal = position.legal_actions()
    for rule in EyeRule:
        candidates = position.candidates(rule)
        assert set(candidates) <= set(legal)
        assert bool(candidates) == bool(legal)
        if candidates != [position.pass_action]:
            assert (position.pass_action in candidates) is (rule == EyeRule.NONE and bool(candidates))
            points = [a for a in candidates if a != position.pass_action]
            assert not any(position.is_eye(a, position.to_play, rule) for a in points)


@given(positions())
def test_stones_add_up(position: Position) -> None:
    placed = [0, 0]
    mover = Player.BLACK
    for action in position.moves:
        placed[int(mover)] += action != position.pass_action
        mover = mover.opponent
    stones = position.stones()
    assert stones.count("X") == placed[0] - position.captured(Player.BLACK)
    assert stones.count("O") == placed[1] - position.captured(Player.WHITE)


@settings(max_examples=20)
@given(st.integers(0, 2**63), st.sampled_from([(9, 9), (5, 3), (13, 13)]))
def test_same_seed_same_game(seed: int, size: tuple[int, int]) -> None:
    assert Position(*size).playout_moves(Rng(seed)) == Position(*size).playout_moves(Rng(seed))
