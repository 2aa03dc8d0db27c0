"""Playout policies by hand: single positions, patterns as pictures, and the players and searches that use them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from katachi import FlatMonteCarlo, InvalidArgumentError, Limit, Rng, TreeSearch, _core, make_game, make_player
from katachi._core import Pattern, Player
from katachi.arena.match import play_match
from katachi.core.errors import ParseError, SettingsError, WeightsError
from katachi.games.contract import native_state
from katachi.games.go import GoGame, Position, Rules
from katachi.players.player import check_player, fingerprint, lasting_name
from katachi.policies.playout_policies import PlayoutPolicy, check_policy, playout_patterns, policy_moves
from katachi.search.tree_settings import preset
from katachi.values.shipped import shipped_weights

GAME = GoGame(7)


def after(diagram: str, *moves: str) -> Position:
    """Black to play in a diagram, then these moves."""
    position = Position.from_diagram(diagram)
    for move in moves:
        position = position.play(move)
    return position


def named(position: Position, policy: str) -> tuple[str, dict[str, float]]:
    stage, moves = policy_moves(GAME, position, policy)
    return stage, {position.vertex(action): round(share, 3) for action, share in moves.items()}


def test_a_stone_in_atari_is_saved() -> None:
    position = after(
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . O X . . .
        . . . O . . .
        . . . . . . .
        . . . . . . .
        """,
        "G7",
        "D5",
    )
    assert named(position, "mogo") == ("escape", {"E4": 1})
    assert named(position, "fuego") == ("escape", {"E4": 1})


def test_fuego_takes_what_has_just_moved_into_atari() -> None:
    position = after(
        """
        . . . . . . .
        . . . . . . .
        . . . X . . .
        . . X . X . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        """,
        "G7",
        "D4",
    )
    assert named(position, "fuego") == ("capture-last", {"D3": 1})
    assert named(position, "mogo")[0] != "capture-last"


def test_nothing_on_the_board_is_nothing_to_answer() -> None:
    stage, moves = policy_moves(GAME, GAME.initial_state(), "fuego")
    assert stage == "uniform"
    assert len(moves) == 49
    assert sum(moves.values()) == pytest.approx(1)


def test_a_pass_is_played_when_nothing_else_is_left() -> None:
    game = GoGame(2)
    position = Position.set_up(2, 2, black=["A1", "B2"], white=[], to_play=Player.BLACK)
    assert policy_moves(game, position, "mogo").moves == {4: 1}


def test_patterns_print_and_parse() -> None:
    names = [pattern.name for pattern in playout_patterns()]
    assert len(names) == len(set(names)) == 13
    for pattern in playout_patterns():
        again = Pattern.parse(pattern.name, str(pattern))
        assert (again.name, str(again)) == (pattern.name, str(pattern))
    assert str(playout_patterns()[0]) == "X O X\n. * .\n? ? ?"


@pytest.mark.parametrize("text", ["", "XOX", "XOX.*.???X", "XOX ... ???", "XOX .*. ??!"])
def test_what_is_no_pattern_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgumentError, match="a pattern is three rows"):
        Pattern.parse("wrong", text)


@pytest.mark.parametrize("text", ["", "XOX.*.XOX", "XOX.X....", "XOX......."])
def test_what_is_no_neighbourhood_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgumentError, match="a neighbourhood is nine"):
        playout_patterns()[0].matches(text, Player.BLACK)


@pytest.mark.parametrize("policy", ["uniform", "mogo", "fuego"])
@pytest.mark.parametrize("side", [5, 13])
def test_playouts_come_to_their_end(policy: str, side: int) -> None:
    state = Position(side).search_state()
    batch = state.playouts(200, Rng(1), policy)
    batch.run()
    assert batch.done == 200
    assert batch.cut < 10
    again = state.playouts(200, Rng(1), policy)
    again.run()
    assert (again.steps, again.total) == (batch.steps, batch.total)


def test_other_games_have_only_the_uniform_policy() -> None:
    game = make_game("hex", size=5)
    check_policy(game, "switch(3;uniform;mix(0.5*uniform+0.5*uniform))")
    check_policy(game, "uniform")
    with pytest.raises(InvalidArgumentError, match="the playout policy mogo is for Go, not for hex"):
        check_policy(game, "mogo")
    with pytest.raises(ParseError, match="did you mean 'fuego'"):
        check_policy(GAME, "fuega")
    with pytest.raises(InvalidArgumentError, match="mogo is for Go, not for hex"):
        FlatMonteCarlo(game, game.initial_state(), rng=Rng(1), policy="mogo")
    with pytest.raises(InvalidArgumentError, match="fuego is for Go, not for hex"):
        TreeSearch(game, game.initial_state(), rng=Rng(1), settings=preset("uct", playout_policy="fuego"))
    for spec in ("policy:name=mogo", "flat-mc:sims=2,policy=mogo", "uct:sims=2,playout_policy=mogo"):
        with pytest.raises(InvalidArgumentError, match="mogo is for Go, not for hex"):
            check_player(make_player(spec), game)
    with pytest.raises(InvalidArgumentError, match="mogo is for Go"):
        native_state(game, game.initial_state()).playouts(1, Rng(1), "mogo")
    with pytest.raises(InvalidArgumentError, match="there is no playout policy 'best'"):
        GAME.native_state(GAME.initial_state()).policy_moves("best")
    with pytest.raises(SettingsError, match="there is no policy 'best'"):
        make_player("policy:name=best")
    with pytest.raises(InvalidArgumentError, match=r"greedy\(0.1\) is for Go, not for hex"):
        FlatMonteCarlo(game, game.initial_state(), rng=Rng(1), policy="mix(0.5*uniform+0.5*greedy(0.1))")


def test_composed_uniform_policies_are_for_every_game() -> None:
    game = make_game("hex", size=5)
    search = TreeSearch(
        game, game.initial_state(), rng=Rng(1), settings=preset("uct", playout_policy="switch(3;uniform;uniform)")
    )
    search.run(Limit(simulations=50))
    assert sum(root.visits for root in search.root_actions()) == 50


def test_learnt_policies_need_weights_for_the_board(tmp_path: Path) -> None:
    check_policy(GoGame(9), "greedy(0.1)")
    with pytest.raises(WeightsError, match="no weights come with the package for 13x13"):
        check_policy(GoGame(13), "greedy(0.1)")
    with pytest.raises(InvalidArgumentError, match="square boards, not for 9x5"):
        check_policy(GoGame((9, 5)), "switch(6;softmax(0.1);fuego)")
    with pytest.raises(WeightsError, match=r"nowhere\.safetensors"):
        check_policy(GoGame(5), PlayoutPolicy("greedy(0.1)", str(tmp_path / "nowhere.safetensors")))
    five = PlayoutPolicy("greedy(0.1)").native(GoGame(5))
    with pytest.raises(
        InvalidArgumentError, match=r"weights of the playout policy greedy\(0.1\) are for boards of 5x5"
    ):
        Position(7).search_state().playouts(1, Rng(1), five)
    with pytest.raises(InvalidArgumentError, match="are for boards of 5x5, not of 7x7"):
        Position(7).playout_moves(Rng(1), policy=_core.Policy.mix([(1.0, five)]))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda e: _core.Policy.named("greedy"), "no playout policy 'greedy'"),
        (lambda e: _core.Policy.learnt("fuego", 0.1, e), "no playout policy 'fuego' over learnt values"),
        (lambda e: _core.Policy.learnt("greedy", 1.5, e), "from 0 to 1, not 1.5"),
        (lambda e: _core.Policy.learnt("gaussian", 0.0, e), "above 0, not 0"),
        (lambda e: _core.Policy.learnt("softmax", float("nan"), e), "above 0, not nan"),
        (lambda e: _core.Policy.mix([]), "whose sum is 1, not 0"),
        (lambda e: _core.Policy.mix([(0.5, _core.Policy.named("mogo"))]), "whose sum is 1, not 0.5"),
        (
            lambda e: _core.Policy.two_stages(-1, _core.Policy.named("mogo"), _core.Policy.named("fuego")),
            "0 or more moves, not -1",
        ),
    ],
)
def test_native_policies_refuse_what_is_none(make: Callable[[Any], object], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        make(PlayoutPolicy("uniform").reader.evaluation(GoGame(5)).evaluator)


def test_weights_are_for_learnt_policies(tmp_path: Path) -> None:
    for spec in ("policy:name=fuego,", "flat-mc:sims=1,policy=mogo,", "uct:sims=1,playout_policy=mast,"):
        with pytest.raises(SettingsError, match=r"weights=x\.safetensors are for learnt policies"):
            make_player(f"{spec}weights=x.safetensors")
    (tmp_path / "copy.safetensors").write_bytes(shipped_weights(5).read_bytes())
    for kind in ("policy:name=", "flat-mc:sims=1,policy=", "uct:sims=1,playout_policy="):
        player = make_player(f"{kind}greedy(0.1),weights={tmp_path / 'copy.safetensors'}")
        assert make_player(player.name).settings == player.settings
        assert fingerprint(player, GoGame(5)) == fingerprint(make_player(f"{kind}greedy(0.1)"), GoGame(5)) is not None
        assert fingerprint(make_player(f"{kind}fuego"), GoGame(5)) is None
        assert lasting_name(make_player(f"{kind}greedy(0.1),weights=~/x")).endswith(f"weights={Path.home() / 'x'}")
        assert lasting_name(make_player(f"{kind}greedy(0.1)")) == f"{kind}greedy(0.1)"


def test_weights_stay_what_they_were_when_they_were_read(tmp_path: Path) -> None:
    path = tmp_path / "copy.safetensors"
    path.write_bytes(shipped_weights(5).read_bytes())
    player = make_player(f"policy:name=greedy(0),weights={path}")
    first = player.choose(GoGame(5), Position(5), Rng(1))
    path.unlink()
    assert player.choose(GoGame(5), Position(5), Rng(1)) == first


def test_a_game_that_is_over_has_no_moves() -> None:
    over = GAME.initial_state().play("pass").play("pass")
    with pytest.raises(InvalidArgumentError, match="this game is over"):
        policy_moves(GAME, over, "mogo")


@pytest.mark.parametrize(
    "spec",
    [
        "policy:name=mogo",
        "policy:name=uniform",
        "policy:name=gaussian(0.15)",
        "policy:name=mix(0.4*uniform+0.6*fuego)",
        "flat-mc:sims=2,policy=fuego",
        "flat-mc:sims=2,policy=softmax(0.05)",
        "uct:sims=20,playout_policy=fuego",
        "uct:sims=20,playout_policy=switch(6.5;greedy(0.1);mix(0.4*uniform+0.6*fuego))",
    ],
)
def test_players_have_policies(spec: str) -> None:
    player = make_player(spec)
    assert make_player(player.name).settings == player.settings
    assert player.name == spec
    result = play_match(GoGame(5), player, "policy:name=fuego", games=2, seed=1)
    assert result.wins + result.losses + result.draws == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"new_nodes": 5},
        {"new_nodes": "all"},
        {"structure": "graph", "new_nodes": "all"},
        {"learner": "td", "lambda_": 0.8, "plies": 2},
        {"v_playout": "memory"},
        {"horizon": 10},
    ],
)
@pytest.mark.parametrize("policy", ["fuego", "switch(3;greedy(0.1);mix(0.5*gaussian(0.15)+0.5*fuego))"])
def test_trees_of_every_kind_use_them(policy: str, changes: dict[str, object]) -> None:
    game = GoGame(5, eye_rule="strict")
    settings = preset(
        "uct-original" if "structure" in changes else "sarsa-uct" if "learner" in changes else "uct",
        **changes,
        playout_policy=policy,
    )
    search = TreeSearch(game, game.initial_state(), rng=Rng(1), settings=settings)
    search.run(Limit(simulations=300))
    assert sum(root.visits for root in search.root_actions()) == 300


@pytest.mark.parametrize("policy", ["greedy(0)", "switch(7;greedy(0);fuego)", "mix(1*greedy(0))"])
@pytest.mark.parametrize("new_nodes", ["all", 12])
def test_a_tree_tells_the_policy_every_move(policy: str, new_nodes: object) -> None:
    """An episode whose states are all memorised: after its first move each one is the policy's, by values of then."""
    game = GoGame(5, rules=Rules(ko="simple", suicide=False))  # as inside of a search
    settings = preset("uct", playout_policy=policy, new_nodes=new_nodes)
    for seed in range(8):
        state = game.initial_state().play("C3").play("B2")
        search = TreeSearch(game, state, rng=Rng(seed), settings=settings)
        search.run(Limit(simulations=1))
        line = search.tree.principal_variation()
        assert len(line) == 12 if new_nodes == 12 else len(line) > 20
        for t, node in enumerate(line):
            is_second = policy.startswith("switch") and t - 1 >= 7
            if t > 0:
                assert node.action in policy_moves(game, state, "fuego" if is_second else "greedy(0)").moves
            state = state.play(node.action)


def test_another_root_may_not_be_of_another_size() -> None:
    search = TreeSearch(GoGame(5), Position(5), rng=Rng(1), settings=preset("uct", playout_policy="greedy(0.1)"))
    search.run(Limit(simulations=5))
    with pytest.raises(InvalidArgumentError, match="are for boards of 5x5, not of 7x7"):
        search._native.move_root(Position(7).search_state(), [], Rng(1))
    search.run(Limit(simulations=5))
    assert search.simulations == 10
