"""Players with RAVE and priors: what they take, what they refuse, and what they keep."""

from pathlib import Path
from typing import Any

import pytest

from katachi import Limit, Rng, TreeSearch, make_game
from katachi.arena.match import play_match
from katachi.core.errors import (
    GameContractError,
    IllegalMoveError,
    InvalidArgumentError,
    SettingsError,
    WeightsError,
)
from katachi.core.types import Action
from katachi.games.go import GoGame
from katachi.players.player import check_player
from katachi.players.registry import make_player
from katachi.search.tree import TreeNode
from katachi.search.tree_settings import TreeSearchSettings, preset

NAMES = ("rave", "mc-rave", "uct-rave", "heuristic-mc-rave", "tournament")


@pytest.mark.parametrize("name", NAMES)
def test_players_of_go_beat_a_random_one(name: str) -> None:
    result = play_match(GoGame(6), f"{name}:sims=100", "random", games=4, seed=1)
    assert result.wins == 4


@pytest.mark.parametrize("name", NAMES)
def test_other_games_are_played_without_what_is_of_go(name: str) -> None:
    game = make_game("hex", size=4)
    with pytest.raises(InvalidArgumentError, match=f"{'fuego' if name == 'tournament' else 'mogo'} is for Go"):
        check_player(make_player(f"{name}:sims=50"), game)
    player = make_player(f"{name}:sims=300,playout_policy=uniform,prior=even")
    state = game.initial_state()
    for action in (1, 2, 5, 6, 9, 10):  # Black needs one more, at either of two
        state, _ = game.play(state, Action(action))
    assert player.choose(game, state, Rng(1)).action in (12, 13)


def test_priors_of_go_refuse_other_games() -> None:
    game = make_game("tic-tac-toe")
    for prior in ("handcrafted", "shapes", "shapes-or-handcrafted"):
        with pytest.raises(InvalidArgumentError, match=f"prior={prior} is for Go, not for tic-tac-toe"):
            check_player(make_player(f"uct:sims=5,rave=mc-rave,prior={prior}"), game)
        with pytest.raises(InvalidArgumentError, match=f"prior={prior} is for Go, not for tic-tac-toe"):
            TreeSearch(game, game.initial_state(), rng=Rng(1), settings=TreeSearchSettings(rave="mc-rave", prior=prior))
    pig = make_game("pig")
    with pytest.raises(InvalidArgumentError, match="prior=even is for games without chance, unlike pig"):
        check_player(make_player("uct:sims=5,rave=mc-rave,prior=even"), pig)


def test_a_prior_by_shapes_needs_weights_for_the_board(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="no weights come with the package for 6x6"):
        check_player(make_player("mc-rave:sims=5,prior=shapes"), GoGame(6))
    missing = tmp_path / "none.safetensors"
    with pytest.raises(WeightsError, match=r"none\.safetensors"):
        check_player(
            make_player({"player": "mc-rave", "sims": 5, "prior": "shapes", "weights": str(missing)}), GoGame(6)
        )
    shapes, rules = make_player("heuristic-mc-rave:sims=5"), make_player("mc-rave:sims=5")
    assert shapes.fingerprint(GoGame(5)) is not None  # type: ignore[attr-defined]
    assert shapes.fingerprint(GoGame(6)) is None  # type: ignore[attr-defined]
    assert rules.fingerprint(GoGame(5)) is None  # type: ignore[attr-defined]


def test_a_function_as_prior_is_checked() -> None:
    game = make_game("tic-tac-toe")
    settings = TreeSearchSettings(rave="mc-rave", prior="heuristic")

    def search(prior: Any) -> TreeSearch:  # noqa: ANN401
        return TreeSearch(game, game.initial_state(), rng=Rng(1), settings=settings, prior=prior)

    with pytest.raises(InvalidArgumentError, match="prior=FUNCTION"):
        search(None)
    with pytest.raises(InvalidArgumentError, match="prior is a function, not 5"):
        search(5)
    for answer, message in (
        ([0.5], "the prior returned 1 values for 9 actions"),
        (None, "the prior returned None instead of values"),
        (["x"] * 9, "the prior returned 'x' instead of a number"),
        ([float("nan")] * 9, "the prior returned nan instead of a number"),
    ):
        with pytest.raises(GameContractError, match=message):
            search(lambda _, actions, answer=answer: answer)
    with pytest.raises(SettingsError, match="has no heuristic"):
        make_player("mc-rave:sims=5,prior=heuristic")


def test_functions_that_nobody_would_call_are_refused() -> None:
    game = make_game("tic-tac-toe")
    for told, message in (
        ({"prior": lambda _, actions: [0.5] * len(actions)}, "prior=FUNCTION is for prior=heuristic"),
        ({"playout": lambda _, actions: [1.0] * len(actions)}, "playout=FUNCTION is for playout_policy=heuristic"),
        ({"value": lambda _: 0.5}, "a heuristic value is of no use"),
    ):
        with pytest.raises(InvalidArgumentError, match=message):
            TreeSearch(game, game.initial_state(), rng=Rng(1), **told)


@pytest.mark.parametrize("name", ["uct", "mc-rave", "heuristic-mc-rave"])
def test_some_actions_only_are_tried_at_the_root(name: str) -> None:
    game = GoGame(5)
    state = game.initial_state()
    actions = [state.action(vertex) for vertex in ("A1", "C3", "pass")]
    search = TreeSearch(game, state, rng=Rng(1), settings=preset(name), actions=actions)
    search.run(Limit(simulations=100))
    assert [root.action for root in search.root_actions()] == actions
    assert sum(root.visits for root in search.root_actions()) == 100
    after = state.play(actions[1])
    search.move_to(after, [actions[1]], Rng(2))
    search.run(Limit(simulations=100))
    assert len(search.root_actions()) == 24
    for wrong, error, message in (
        ([], InvalidArgumentError, "at least one action"),
        ([actions[0]] * 2, InvalidArgumentError, "is there twice"),
        ([99], IllegalMoveError, "action 99 is not legal"),
    ):
        with pytest.raises(error, match=message):
            TreeSearch(game, state, rng=Rng(1), actions=wrong)  # type: ignore[arg-type]


def described(node: TreeNode) -> list[Any]:
    return [node.action, node.visits, node.value, node.rave, [described(child) for child in node.children()]]


def test_rave_values_stay_when_the_root_moves() -> None:
    game = GoGame(5)
    state = game.initial_state()
    search = TreeSearch(game, state, rng=Rng(2), settings=preset("heuristic-mc-rave"))
    search.run(Limit(simulations=500))
    line = search.tree.principal_variation()[:2]
    before = [described(child) for child in line[-1].children()]
    for node in line:
        state = state.play(node.action)
    assert search.move_to(state, [node.action for node in line], Rng(3))
    assert [described(child) for child in search.tree.root.children()] == before
    assert len(before) > 1


def test_forgetting_forgets_rave_counts() -> None:
    game = GoGame(5)
    state = game.initial_state()
    settings = preset("mc-rave", between_moves="forget", forget_share=0.5)
    search = TreeSearch(game, state, rng=Rng(2), settings=settings)
    search.run(Limit(simulations=500))
    line = search.tree.principal_variation()[:2]
    before = {child.action: child.rave for child in line[-1].children()}
    for node in line:
        state = state.play(node.action)
    search.move_to(state, [node.action for node in line], Rng(3))
    for child in search.tree.root.children():
        value, count = before[child.action]  # type: ignore[misc]
        assert child.rave == pytest.approx((value, count / 2))


def test_a_prior_on_visits_survives_a_change_of_sides() -> None:
    game = make_game("tic-tac-toe")
    settings = TreeSearchSettings(prior="heuristic", prior_visits=4.0, v_init=0.9)
    search = TreeSearch(
        game, game.initial_state(), rng=Rng(1), settings=settings, prior=lambda _, actions: [0.2] * len(actions)
    )
    search.run(Limit(simulations=50))
    action = search.tree.principal_variation()[0].action
    assert search.move_to(game.play(game.initial_state(), action)[0], [action], Rng(2))
    unvisited = [root for root in search.root_actions() if root.visits == 0]
    assert all(root.value == 0.2 for root in unvisited)


def test_exports_tell_rave_values() -> None:
    game = GoGame(5)
    search = TreeSearch(game, game.initial_state(), rng=Rng(2), settings=preset("mc-rave"))
    search.run(Limit(simulations=50))
    top = search.tree.to_dict(depth=1)
    assert "rave_value" not in top
    for told, node in zip(top["children"], search.tree.root.children(), strict=True):
        assert (told["rave_value"], told["rave_count"]) == node.rave


def test_memory_caps_count_rave_values() -> None:
    game = GoGame(9)
    plain, shared = (
        TreeSearch(
            game,
            game.initial_state(),
            rng=Rng(2),
            settings=preset(name, memory=8.0, playout_policy="uniform", when_full="stop-expanding"),
        )
        for name in ("uct", "mc-rave")
    )
    for search in (plain, shared):
        search.run(Limit(simulations=20_000))
        assert search.is_full
        assert search.bytes <= 8 * 2**20
    assert len(shared.tree) < len(plain.tree)


@pytest.mark.parametrize(
    "game", [make_game("gomoku", size=6, line=4), make_game("hex", size=5), make_game("connect-four")]
)
def test_watched_playouts_are_playouts(game: Any) -> None:  # noqa: ANN401
    for seed in range(50):
        state = game.initial_state()
        one, other = Rng(seed), Rng(seed)
        total, steps, is_cut = state.watched_playout(one, 30)
        assert (total, len(steps), is_cut) == state.uniform_playout(other, 30)
        assert one.state == other.state
        for player, action in steps:
            assert player == game.to_play(state)
            state, reward = game.play(state, Action(action))
        assert game.is_terminal(state) != is_cut
        assert is_cut or reward == total


@pytest.mark.parametrize("prior", ["even", "handcrafted", "shapes"])
def test_priors_of_the_root_are_what_its_actions_began_with(prior: str) -> None:
    game = GoGame(5)
    state = game.initial_state().play("C3").play("C2")
    search = TreeSearch(game, state, rng=Rng(1), settings=preset("mc-rave", prior=prior, prior_count=20.0))
    told = search.root_priors()
    began = {each.action: each.rave for each in search._native.children(search._native.root)}
    assert len(told) == len(began) > 20
    assert {action: (pytest.approx(value), 20.0) for action, value in told.items()} == began
    search.run(Limit(simulations=300))
    assert search.root_priors() == told
    assert search.simulations == 300


def test_priors_of_the_root_by_a_function_and_without_any() -> None:
    game = GoGame(5)

    def by_number(_state: Any, actions: Any) -> list[float]:  # noqa: ANN401
        return [action / 100 for action in actions]

    settings = preset("mc-rave", prior="heuristic")
    search = TreeSearch(game, game.initial_state(), rng=Rng(1), settings=settings, prior=by_number)
    search.run(Limit(simulations=30))
    assert search.root_priors() == {action: action / 100 for action in range(25)}
    for changes in ({"prior": "none"}, {"prior": "grandfather"}):
        plain = TreeSearch(game, game.initial_state(), rng=Rng(1), settings=preset("mc-rave", **changes))
        plain.run(Limit(simulations=30))
        assert plain.root_priors() == {}


def test_candidates_tell_their_priors() -> None:
    game = GoGame(5)
    thinking = make_player("mc-rave:sims=50,prior=handcrafted").think(game, game.initial_state(), Rng(1))  # type: ignore[attr-defined]
    thinking.run(Limit(simulations=50))
    assert {candidate.prior for candidate in thinking.candidates()} == {0.5}
    plain = make_player("mc-rave:sims=50").think(game, game.initial_state(), Rng(1))  # type: ignore[attr-defined]
    plain.run(Limit(simulations=50))
    assert {candidate.prior for candidate in plain.candidates()} == {None}
