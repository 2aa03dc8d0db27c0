"""The adapter against OpenSpiel itself, and our native tic-tac-toe against OpenSpiel's, by random play."""

from importlib.util import find_spec
from typing import Any

import pytest

from katachi import Rng, make_game
from katachi.games import openspiel
from tests.programs import require

NAMES = ["tic_tac_toe", "connect_four", "hex(board_size=5)", "breakthrough(rows=4,columns=4)", "pig(winscore=20)"]


@pytest.fixture(autouse=True)
def _openspiel() -> None:
    require(find_spec("pyspiel"), "OpenSpiel is not installed (pip install 'katachi[openspiel]')")


def replayed(name: str, history: list[int]) -> Any:  # noqa: ANN401
    import pyspiel

    state = pyspiel.load_game(name).new_initial_state()
    for action in history:
        state.apply_action_with_legality_check(action)
    return state


@pytest.mark.parametrize("name", NAMES)
def test_the_adapter_says_what_openspiel_says(name: str) -> None:
    game = openspiel(name)
    for seed in range(20):
        rng = Rng(seed)
        state, total, decisions = game.initial_state(), 0.0, 0
        while True:
            theirs = replayed(name, state.history())
            assert str(state) == str(theirs)
            assert game.is_terminal(state) == theirs.is_terminal()
            assert list(game.legal_actions(state)) == theirs.legal_actions()
            if theirs.is_terminal():
                break
            assert not theirs.is_chance_node()
            assert game.to_play(state) == theirs.current_player()
            action = rng.choice(game.legal_actions(state))
            assert game.format_action(state, action) == theirs.action_to_string(theirs.current_player(), action)
            state, reward = game.play(state, action, rng)
            total += reward
            decisions += 1
        assert [total, -total] == theirs.returns()
        assert decisions <= (game.facts.max_length or 0)


def test_our_tic_tac_toe_is_theirs() -> None:
    ours, theirs = make_game("tic-tac-toe"), openspiel("tic_tac_toe")
    for seed in range(200):
        rng = Rng(seed)
        one, two = ours.initial_state(), theirs.initial_state()
        total = 0.0
        while not ours.is_terminal(one):
            assert list(ours.legal_actions(one)) == list(theirs.legal_actions(two))
            assert ours.to_play(one) == theirs.to_play(two)
            action = rng.choice(ours.legal_actions(one))
            one, reward = ours.play(one, action)
            two, _ = theirs.play(two, action)
            total += reward
        assert theirs.is_terminal(two)
        low, high = ours.facts.return_bounds or (0, 0)
        assert (total - low) / (high - low) * 2 - 1 == two.returns()[0]
