"""The left-right games by hand: rewards, ends, caps, how they are written."""

from xml.etree import ElementTree

import pytest

from katachi import Action, IllegalMoveError, InvalidArgumentError, ParseError, Player
from katachi.games.walks import RandomWalk, ShortestWalk, WalkGame

LEFT, RIGHT = Action(0), Action(1)


def rewards(game: WalkGame, actions: list[Action]) -> list[float]:
    state, earned = game.initial_state(), []
    for action in actions:
        assert game.legal_actions(state) == [0, 1]
        assert game.to_play(state) is Player.BLACK
        state, reward = game.play(state, action)
        earned.append(reward)
    assert game.is_terminal(state)
    assert game.legal_actions(state) == []
    with pytest.raises(IllegalMoveError):
        game.play(state, LEFT)
    return earned


def test_straight_walks() -> None:
    assert rewards(RandomWalk(7), [RIGHT] * 3) == [0, 0, 1]
    assert rewards(RandomWalk(7), [LEFT] * 3) == [0, 0, 0]
    assert rewards(ShortestWalk(7), [RIGHT] * 3) == [-1, -1, 0]
    assert rewards(ShortestWalk(7), [LEFT] * 3) == [-1, -1, -1]
    assert sum(rewards(ShortestWalk(), [RIGHT] * 5)) == -4
    assert sum(rewards(ShortestWalk(), [LEFT] * 5)) == -5
    assert rewards(RandomWalk(3), [RIGHT]) == [1]
    assert rewards(ShortestWalk(3), [RIGHT]) == [0]


def test_detours() -> None:
    assert rewards(RandomWalk(5), [LEFT, RIGHT, RIGHT, RIGHT]) == [0, 0, 0, 1]
    assert rewards(ShortestWalk(5), [LEFT, RIGHT, RIGHT, LEFT, LEFT, LEFT]) == [-1] * 6


def test_the_cap_ends_a_walk_and_earns_nothing() -> None:
    assert rewards(RandomWalk(7, cap=4), [LEFT, RIGHT, LEFT, RIGHT]) == [0, 0, 0, 0]
    assert rewards(ShortestWalk(7, cap=4), [LEFT, RIGHT, LEFT, RIGHT]) == [-1, -1, -1, 0]
    # Who reaches an end with the last step has reached it.
    assert rewards(RandomWalk(5, cap=4), [LEFT, RIGHT, RIGHT, RIGHT]) == [0, 0, 0, 1]
    assert rewards(ShortestWalk(5, cap=4), [LEFT, RIGHT, RIGHT, RIGHT]) == [-1, -1, -1, 0]
    assert rewards(ShortestWalk(5, cap=4), [LEFT, RIGHT, LEFT, LEFT]) == [-1, -1, -1, -1]


def test_facts() -> None:
    for game in (RandomWalk(), ShortestWalk()):
        assert (game.facts.players, game.facts.action_space, game.facts.max_length) == (1, 2, 10_000)
        assert game.size == 11
    assert RandomWalk().facts.return_bounds == (0, 1)
    assert RandomWalk().facts.final_reward
    assert ShortestWalk().facts.return_bounds == (-10_000, -4)
    assert ShortestWalk(21, cap=100).facts.return_bounds == (-100, -9)
    assert not ShortestWalk().facts.final_reward


def test_keys_are_places() -> None:
    game = RandomWalk(5)
    there, _ = game.play(game.initial_state(), LEFT)
    back, _ = game.play(there, RIGHT)
    assert game.key(back) == game.key(game.initial_state()) != game.key(there)


@pytest.mark.parametrize("kind", [RandomWalk, ShortestWalk])
def test_bad_walks(kind: type[RandomWalk] | type[ShortestWalk]) -> None:
    for size in (-3, 0, 1, 4, 10):
        with pytest.raises(InvalidArgumentError, match=f"size must be odd and at least 3, not {size}"):
            kind(size)
    for cap in (-1, 0, 4, 100_001):
        with pytest.raises(InvalidArgumentError, match=f"cap must be from 5 .* not {cap}"):
            kind(11, cap)
    for action in (-1, 2, 10**12):
        with pytest.raises(IllegalMoveError):
            kind().play(kind().initial_state(), Action(action))
        with pytest.raises(IllegalMoveError, match=f"{action} is no action of .*-walk: they go from 0 to 1"):
            kind().format_action(kind().initial_state(), Action(action))


def test_text_and_pictures() -> None:
    game = ShortestWalk(5, cap=50)
    state = game.initial_state()
    assert str(state) == "[.o.] step 0 of 50\n"
    assert [game.format_action(state, a) for a in (LEFT, RIGHT)] == ["left", "right"]
    assert [game.parse_action(state, text) for text in ("left", " RIGHT ")] == [0, 1]
    with pytest.raises(ParseError, match="up"):
        game.parse_action(state, "up")
    state, _ = game.play(state, LEFT)
    state, _ = game.play(state, LEFT)
    assert str(state) == "o...] step 2 of 50\n"
    assert game.place(state) == 0
    root = ElementTree.fromstring(game.svg(state))
    walker = [e for e in root.iter() if e.tag.endswith("circle") and e.get("r") == "9.6"]
    assert [e.get("cx") for e in walker] == ["28"]
