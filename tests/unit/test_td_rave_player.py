"""MC-RAVE on what a temporal-difference search has learnt (Silver 2009, 10.2): `td-mc-rave`."""

import time
from typing import Any

import pytest

from katachi import Limit, Rng, TreeSearch, make_game, make_player
from katachi.core.errors import InvalidArgumentError, SettingsError
from katachi.games.go import GoGame
from katachi.players.td_player import TdPlayer
from katachi.players.td_rave_player import TdRavePlayer
from katachi.players.thinking import ThinkingPlayer, choose_within
from katachi.search.tree_settings import preset

GAME = GoGame(5)
START = GAME.initial_state()


def player_of(spec: str) -> TdRavePlayer:
    player = make_player(spec)
    assert isinstance(player, TdRavePlayer)
    return player


def test_actions_begin_with_what_both_memories_say() -> None:
    """Of the afterstates, counted M times; the search that learns is that of dyna2 with the same generator."""
    player, dyna2 = player_of("td-mc-rave:sims=400,prior_count=30"), make_player("dyna2:sims=200")
    assert isinstance(dyna2, TdPlayer)
    player.think(GAME, START, Rng(1)).run(Limit(simulations=400))
    dyna2.think(GAME, START, Rng(1).split("td")).run(Limit(simulations=200))
    learnt = dyna2.memory(GAME).evaluator()
    before = make_player("dyna2:sims=1")
    assert isinstance(before, TdPlayer)
    known = before.memory(GAME).evaluator()
    tree = player.plant(GAME, START, Rng(2))._native
    actions = tree.children(tree.root)
    assert len(actions) == 25
    now, then = dict(learnt.afterstates(START.native)), dict(known.afterstates(START.native))
    changed = 0
    for action in actions:
        assert action.rave is not None
        value, count = action.rave
        assert count == 30
        assert value == pytest.approx(learnt.chance(now[action.action]), abs=1e-6)
        changed += abs(value - known.chance(then[action.action])) > 0.01
    assert changed > 5, "the search has learnt something"


def test_the_budget_is_divided() -> None:
    player = player_of("td-mc-rave:sims=400,td_share=0.25")
    thinking = player.think(GAME, START, Rng(1))
    assert thinking.candidates() == []  # nothing is known yet
    assert thinking.run(Limit(simulations=400))
    assert thinking.decision().simulations == 400
    assert sum(candidate.visits for candidate in thinking.candidates()) == 300
    # An analysis has no end: the first search has its share of the player's own budget, the tree all that comes.
    analysis = player.think(GAME, START, Rng(1))
    assert analysis.run(Limit(simulations=5000))
    assert sum(candidate.visits for candidate in analysis.candidates()) == 4900


def test_seconds_are_kept_and_an_interrupted_search_has_an_answer() -> None:
    player = player_of("td-mc-rave:seconds=20,early_stop=false")
    choose_within(player, GAME, START, Rng(1), 0.05)  # tables are made
    started = time.monotonic()
    assert choose_within(player, GAME, START, Rng(1), 0.5).action is not None
    assert time.monotonic() - started < 5.0
    thinking = player.think(GAME, START, Rng(1))
    assert not thinking.run(Limit(seconds=20.0), lambda _: False)
    assert thinking.decision().action in GAME.legal_actions(START)


def test_one_seed_one_game_and_memory_that_lasts_as_long() -> None:
    def moves(player: Any) -> list[int | None]:  # noqa: ANN401
        state, found = START, list[int | None]()
        for number in range(4):
            decision = player.choose(GAME, state, Rng(number))
            found.append(decision.action)
            state = state.play(decision.action)
        return found

    player = player_of("td-mc-rave:sims=60")
    first = moves(player)
    player.new_game()
    assert moves(player) == first
    other = player_of("td-mc-rave:sims=60")
    assert moves(other) == first
    assert player.ponders
    assert not player_of("td-mc-rave:sims=60,between_moves=discard").ponders


def test_without_weights_and_on_boards_without() -> None:
    game = GoGame(4)
    player = player_of("td-mc-rave:sims=40,weights=none")
    assert player.choose(game, game.initial_state(), Rng(1)).action is not None
    assert player.fingerprint(game) is None
    assert player_of("td-mc-rave:sims=40").fingerprint(GAME) == make_player("dyna2:sims=1").fingerprint(GAME)  # type: ignore[attr-defined]
    with pytest.raises(InvalidArgumentError):
        player.choose(make_game("hex", size=5), make_game("hex", size=5).initial_state(), Rng(1))


def test_names() -> None:
    spec = "td-mc-rave:sims=100,rave_k=500.0,td.lambda=0.5,td.switch_after=6.0,td_share=0.3"
    assert player_of(spec).name == spec
    assert player_of("td-mc-rave:seconds=2").name == "td-mc-rave:seconds=2.0"
    assert isinstance(player_of(spec), ThinkingPlayer)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("sims=10,prior=even", "prior=shapes, not even"),
        ("steps=10", "counts simulations"),
        ("sims=10,between_moves=forget", "cannot forget"),
        ("sims=10,td.grown=table", "are no prior"),
        ("sims=10,td_share=1.0", "td_share"),
        ("sims=10,td.switch=3", "did you mean 'switch_after'"),
        ("td_share=0.5", "the budget of a move"),
    ],
)
def test_what_does_not_fit_is_refused(options: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        make_player(f"td-mc-rave:{options}")


def test_shapes_of_a_search_are_for_its_prior() -> None:
    shapes = player_of("td-mc-rave:sims=1")._td.memory(GAME).evaluator()
    with pytest.raises(InvalidArgumentError, match="prior=even"):
        TreeSearch(GAME, START, rng=Rng(1), settings=preset("mc-rave", prior="even"), shapes=shapes)
