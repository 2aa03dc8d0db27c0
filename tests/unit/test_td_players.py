"""Players that learn while they think: what they keep, what they choose by, and what they refuse."""

from typing import Any

import numpy as np
import pytest

from katachi._core import Rng
from katachi.core.errors import InvalidArgumentError, SettingsError, WeightsError
from katachi.core.limit import Limit
from katachi.games.go import GoGame, Position
from katachi.games.registry import make_game
from katachi.players.player import check_player, fingerprint, lasting_name
from katachi.players.registry import change_settings, make_player
from katachi.players.td_player import TdPlayer
from katachi.players.thinking import choose_within, ponder
from katachi.players.tree_player import TreePlayer
from katachi.search.alpha_beta import AlphaBeta
from katachi.search.td_search import TdMemory, TdSearch, TdSearchSettings
from katachi.search.td_why import why

GAME = GoGame(5)


def player_of(spec: str) -> TdPlayer:
    player = make_player(spec)
    assert isinstance(player, TdPlayer)
    return player


@pytest.mark.parametrize(
    "spec",
    [
        "td-search:sims=10",
        "td-search:sims=10,switch_after=never",
        "td-search:sims=10,lambda=0.5,traces=replacing,sizes=1x1+2x2",
        "dyna2:sims=10",
        "dyna2:sims=10,switch_after=6.0",
        "dyna2:sims=10,weights=none",
        "hybrid:sims=10,depth=3",
        "hybrid:seconds=0.1",
        "hybrid:sims=10,threads=2,memories=separate",
    ],
)
def test_a_spec_comes_back(spec: str) -> None:
    player = make_player(spec)
    assert player.name == spec
    assert make_player(player.name).settings == player.settings
    position = Position(5).play("C3")
    decision = player.choose(GAME, position, Rng(1))
    assert decision.action in position.legal_actions()
    assert decision.value is not None
    assert 0 <= decision.value <= 1


def test_presets_differ_as_the_source_says() -> None:
    td, dyna2, hybrid = (player_of(f"{name}:sims=1").settings for name in ("td-search", "dyna2", "hybrid"))
    assert (td.weights, td.switch_after, td.depth) == ("none", 6, 1)
    assert (dyna2.weights, dyna2.switch_after, dyna2.depth) == ("shipped", 10, 1)
    assert (hybrid.weights, hybrid.switch_after, hybrid.depth) == ("shipped", 10, 5)


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("td-search", "budget"),
        ("td-search:sims=0", "sims"),
        ("td-search:sims=10,sizes=4x4", "4x4"),
        ("td-search:sims=10,sizes=1x1+1x1", "each once"),
        ("td-search:sims=10,epsilon=0.8,epsilon_policy=0.3", "more than 1 together"),
        ("td-search:sims=10,switch_after=-1", "switch_after"),
        ("td-search:sims=10,switch_after=soon", "switch_after"),
        ("td-search:sims=10,policy=fuega", "policy"),
        ("dyna2:sims=10,head=linear", "logistic"),
        ("hybrid:sims=10,stale=2", "stale"),
        ("td-search:sims=10,stale=2,between_moves=reset", "stale"),
        ("td-search:sims=10,treads=2", "threads"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(spec: str, text: str) -> None:
    with pytest.raises(SettingsError, match=text):
        make_player(spec)


def test_other_games_and_boards_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="for Go, not for"):
        check_player(make_player("td-search:sims=1"), make_game("hex", size=5))
    with pytest.raises(InvalidArgumentError, match="square boards, not for 5x7"):
        check_player(make_player("td-search:sims=1"), GoGame((5, 7)))
    with pytest.raises(WeightsError, match="11x11"):
        check_player(make_player("dyna2:sims=1"), GoGame(11))
    check_player(make_player("td-search:sims=1"), GoGame(11))


def test_a_memory_refuses_what_does_not_fit() -> None:
    memory = TdMemory(5)
    with pytest.raises(InvalidArgumentError, match="boards of 5x5, not of 7x7"):
        TdSearch(GoGame(7), Position(7), memory=memory, rng=Rng(1))
    shipped = player_of("dyna2:sims=1")
    check_player(shipped, GAME)
    long_term = shipped.memory(GAME).long_term
    assert long_term is not None
    with pytest.raises(InvalidArgumentError, match=r"shapes of 3x3.*keep the memories separate"):
        TdMemory(5, TdSearchSettings(sizes="1x1+2x2"), long_term=long_term)
    with pytest.raises(InvalidArgumentError, match="keep them separate"):
        TdMemory(5, TdSearchSettings(sharing="ld"), long_term=long_term)
    with pytest.raises(InvalidArgumentError, match="different sizes"):
        TdSearch(GoGame(7), Position(7), memory=TdMemory(7, long_term=long_term, separate=True), rng=Rng(1))
    with pytest.raises(InvalidArgumentError, match="nothing has been searched"):
        TdSearch(GAME, Position(5), memory=memory, rng=Rng(1)).best(Rng(1))


def test_what_is_learnt_is_kept_in_a_game_and_forgotten_after_it() -> None:
    player = player_of("td-search:sims=50")
    first = Position(5).play("C3")
    player.choose(GAME, first, Rng(1))
    memory = player.memory(GAME)
    after_one = np.abs(memory.weights).sum()
    second = first.play("B3").play("C2")
    player.choose(GAME, second, Rng(2))
    after_two = memory.weights
    assert np.abs(after_two).sum() > after_one
    fresh = player_of("td-search:sims=50")
    fresh.choose(GAME, second, Rng(2))
    assert not np.array_equal(after_two, fresh.memory(GAME).weights)
    player.choose(GAME, Position(5).play("B2"), Rng(3))
    other = player_of("td-search:sims=50")
    other.choose(GAME, Position(5).play("B2"), Rng(3))
    np.testing.assert_array_equal(memory.weights, other.memory(GAME).weights)


def test_a_position_that_is_taken_back_to_begins_anew() -> None:
    player, fresh = player_of("td-search:sims=30"), player_of("td-search:sims=30")
    state = Position(5).play("C3").play("B3").play("C2")
    player.choose(GAME, state, Rng(1))
    for one in (player, fresh):
        one.choose(GAME, Position(5).play("C3"), Rng(2))
    np.testing.assert_array_equal(player.memory(GAME).weights, fresh.memory(GAME).weights)


def test_a_reset_memory_forgets_at_each_move() -> None:
    player, fresh = player_of("td-search:sims=30,between_moves=reset"), player_of("td-search:sims=30")
    first = Position(5).play("C3")
    player.choose(GAME, first, Rng(1))
    second = first.play("B3").play("C2")
    assert player.choose(GAME, second, Rng(2)) == fresh.choose(GAME, second, Rng(2))


def test_stale_values_are_those_of_an_earlier_search() -> None:
    """Two moves ago the weights were those that the search before had ended with."""
    now, stale = player_of("td-search:sims=40"), player_of("td-search:sims=40,stale=2")
    first = Position(5).play("C3")
    assert now.choose(GAME, first, Rng(1)) == stale.choose(GAME, first, Rng(1)), "there is nothing older"
    old = now.memory(GAME).weights
    second = first.play("B3").play("C2")
    now.choose(GAME, second, Rng(2))
    decision = stale.choose(GAME, second, Rng(2))
    np.testing.assert_array_equal(now.memory(GAME).weights, stale.memory(GAME).weights)
    memory = TdMemory(5)
    memory.assign(old)
    search = TdSearch(GAME, second, memory=memory, rng=Rng(9))
    search.run(Limit(simulations=1))
    memory.assign(old)
    best = {root.action: search.value_to_play(root) for root in search.root_actions()}
    assert decision.action is not None
    assert best[decision.action] == max(best.values())


def test_weights_of_a_file_are_told_apart_from_others() -> None:
    dyna2 = make_player("dyna2:sims=1")
    assert fingerprint(dyna2, GAME) == fingerprint(make_player("shapes"), GAME)
    assert fingerprint(make_player("td-search:sims=1"), GAME) is None
    assert lasting_name(make_player("dyna2:sims=1,weights=~/w.safetensors")).endswith("/w.safetensors")


def test_settings_can_be_changed() -> None:
    player = change_settings(make_player("hybrid:sims=10"), {"depth": 2})
    assert player.name == "hybrid:sims=10,depth=2"


def test_time_is_shared_between_the_two_searches_of_a_hybrid() -> None:
    player = player_of("hybrid:seconds=0.2,depth=50")
    decision = player.choose(GAME, Position(5), Rng(1))
    assert decision.simulations > 10
    assert decision.action is not None


def test_a_search_can_be_stopped() -> None:
    for spec in ("td-search:sims=100000000", "hybrid:sims=100000000,depth=90"):
        decision = make_player(spec).choose(GAME, Position(5), Rng(1), lambda _: False)
        assert decision.simulations > 0


def test_every_game_begins_anew() -> None:
    """Also where it begins with the same object as the last one."""
    player = player_of("td-search:sims=30")
    start = GAME.initial_state()
    assert player.choose(GAME, start, Rng(1)) == player.choose(GAME, start, Rng(1))


@pytest.mark.parametrize("spec", ["hybrid:sims=1,depth=90", "hybrid:seconds=30,depth=90"])
def test_without_time_left_the_best_value_decides(spec: str) -> None:
    player = player_of(spec)
    decision = choose_within(player, GoGame(9), Position(9).play("E5"), Rng(1), 0.0)
    assert decision.action is not None
    assert decision.simulations >= 1


def test_a_linear_head_has_linear_chances() -> None:
    state = Position(5).play("C3").play("B3").play("C2")
    one = player_of("td-search:sims=60,head=linear,alpha=0.02")
    two = player_of("td-search:sims=60,head=linear,alpha=0.02,depth=2")
    assert one.choose(GAME, state, Rng(1)).value != pytest.approx(0.5, abs=1e-3)
    told = why(two.memory(GAME), state, two.choose(GAME, state, Rng(1)).action or 0)
    search = TdSearch(GAME, state, memory=two.memory(GAME), rng=Rng(1))
    assert told.before == pytest.approx(search.value, abs=1e-5)


def test_a_hybrid_ponders_by_simulations_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alpha-beta is for a decision: what it finds is not kept."""
    looked: list[AlphaBeta] = []
    run = AlphaBeta.run

    def watched(search: AlphaBeta, *arguments: Any) -> bool:  # noqa: ANN401
        looked.append(search)
        return run(search, *arguments)

    monkeypatch.setattr(AlphaBeta, "run", watched)
    player = player_of("hybrid:sims=10,depth=3")
    thinking = player.think(GAME, Position(5).play("C3"), Rng(1))
    assert ponder(thinking, Limit(simulations=30))
    assert (looked, thinking.decision().simulations) == ([], 30)
    assert thinking.run(Limit(simulations=10))
    assert looked


def test_who_has_nothing_but_decisions_ponders_as_it_runs() -> None:
    player = make_player("uct:sims=10")
    assert isinstance(player, TreePlayer)
    thinking = player.think(GAME, Position(5), Rng(1))
    assert ponder(thinking, Limit(simulations=7))
    assert thinking.decision().simulations == 7
