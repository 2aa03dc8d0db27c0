"""Tree searches as players and as objects to look at: presets, memory between moves, exports, caps."""

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest

from katachi import Limit, Player, Rng, TreeSearch, make_game
from katachi.arena.match import play_match
from katachi.core.errors import InvalidArgumentError, SettingsError, UnknownNameError
from katachi.core.types import Action
from katachi.games.go import GoGame, Position
from katachi.games.native import TicTacToe
from katachi.players.registry import change_settings, make_player, player_names
from katachi.players.tree_player import TreePlayer
from katachi.search.tree_settings import PRESETS, TreeSearchSettings, preset

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_game.py"


def example() -> Any:  # noqa: ANN401
    spec = importlib.util.spec_from_file_location("own_game", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_game_of_ones_own_is_short() -> None:
    lines = EXAMPLE.read_text().splitlines()
    assert len(lines) <= 40


@pytest.mark.parametrize("name", [name for name in PRESETS if preset(name).playout_policy == "uniform"])
def test_every_preset_solves_a_game_of_ones_own(name: str) -> None:
    game = example().Sticks()
    search = TreeSearch(game, game.initial_state(), rng=Rng(1), settings=preset(name))
    search.run(Limit(simulations=5000))
    assert search.best(Rng(1)) == 1  # two sticks: eight are left
    player = make_player(f"{name}:sims=2000")
    assert player.choose(game, (5, Player.WHITE), Rng(2)).action == 0


@pytest.mark.parametrize("name", PRESETS)
def test_a_player_is_made_again_by_its_name(name: str) -> None:
    assert name in player_names()
    for spec in (f"{name}:steps=100", f"{name}:sims=5,c_p=0.25,memory=64.0", f"{name}:seconds=0.5,horizon=10"):
        player = make_player(spec)
        assert make_player(player.name).settings == player.settings
        assert player.name.startswith(spec.partition(":")[0])
    assert make_player("sarsa-uct:steps=9,lambda=0.5").settings.lambda_ == 0.5  # type: ignore[attr-defined]
    changed = change_settings(make_player("sarsa-uct:steps=9,lambda=0.5"), {"steps": 10})
    assert changed.name == "sarsa-uct:steps=10,lambda=0.5"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("uct", "at least one of sims, steps, seconds"),
        ("uct:sims=0", "sims"),
        ("uct:sims=5,lambda=0.5", "lambda is for td"),
        ("sarsa-uct:sims=5,lambda=2", "lambda"),
        ("sarsa-uct:sims=5,lamda=0.5", "did you mean 'lambda'"),
        ("uct:sims=5,new_nodes=0", "from 1 to 100000"),
        ("uct:sims=5,horizon=99999999999", "horizon"),
        ("uct:sims=5,memory=1", "memory"),
        ("uct:sims=99999999999999999999999", "sims"),
        ("uct:sims=5,v_init=1e300", "v_init is from -1e\\+100"),
        ("uct:sims=5,v_init=heuristic", "has no heuristic"),
        ("uct:sims=5,playout_policy=heuristic", "has no heuristic"),
        ("uct:sims=5,step_size=exponential", "needs a step_decay"),
        ("uct:sims=5,visit_mode=first", "step_size=episodes"),
        ("sarsa:sims=5,timing=in-place", "not in place"),
        ("uct:sims=5,control=ucb", "control"),
    ],
)
def test_mistakes_are_named(spec: str, message: str) -> None:
    with pytest.raises(SettingsError, match=f"(?s){message}"):
        make_player(spec)


def test_settings_that_a_game_cannot_have_are_named() -> None:
    pig = make_game("pig")
    with pytest.raises(InvalidArgumentError, match="without chance"):
        TreeSearch(pig, pig.initial_state(), rng=Rng(1), settings=preset("sarsa"))
    game = make_game("tic-tac-toe")
    with pytest.raises(InvalidArgumentError, match="value=FUNCTION"):
        TreeSearch(game, game.initial_state(), rng=Rng(1), settings=TreeSearchSettings(v_init="heuristic"))
    with pytest.raises(InvalidArgumentError, match="playout=FUNCTION"):
        TreeSearch(game, game.initial_state(), rng=Rng(1), settings=TreeSearchSettings(playout_policy="heuristic"))
    with pytest.raises(UnknownNameError, match="did you mean 'sarsa-uct'"):
        preset("sarsa-utc")


@pytest.mark.parametrize("spec", ["uct:sims=300", "sarsa-uct:sims=300", "uct-original:sims=300", "sarsa:sims=300"])
def test_memory_is_kept_between_the_moves_of_a_game(spec: str) -> None:
    game = make_game("gomoku", size=5, line=4)
    state = game.initial_state()
    player, other = make_player(spec), make_player("random")
    assert isinstance(player, TreePlayer)
    kept = 0
    for ply in range(6):
        if ply % 2:
            action = other.choose(game, state, Rng(ply)).action
        else:
            action = player.choose(game, state, Rng(ply)).action
            assert player._search is not None
            kept += player._search.tree.root.visits > 300
            assert player._search.simulations == 300
        assert action is not None
        state, _ = game.play(state, action)
    assert kept >= 1
    # Another game begins: nothing of the old one is used.
    fresh, again = make_player(spec), player
    assert fresh.choose(game, game.initial_state(), Rng(9)) == again.choose(game, game.initial_state(), Rng(9))


def test_what_is_kept_is_the_subtree_of_the_moves() -> None:
    game = make_game("connect-four")
    search = TreeSearch(game, game.initial_state(), rng=Rng(3))
    search.run(Limit(simulations=3000))
    below = next(child for child in search.tree.root.children() if child.action == 3)
    answer = max(below.children(), key=lambda child: child.visits)
    before = [(level, node.action, node.visits, node.value) for level, node in walk_from(answer)]
    state = game.play(game.play(game.initial_state(), Action(3))[0], answer.action)[0]
    assert search.move_to(state, [Action(3), answer.action], Rng(4))
    after = [(level, node.action, node.visits, node.value) for level, node in search.tree.walk()]
    assert after == before
    assert len(search.tree) == len(before)
    assert search.simulations == 0
    search.run(Limit(simulations=10))
    assert search.tree.root.visits == before[0][2] + 10


def walk_from(node: Any) -> list[tuple[int, Any]]:  # noqa: ANN401
    found = [(0, node)]
    for level, parent in found:
        found += [(level + 1, child) for child in parent.children()]
    return found


def test_forgetting_keeps_a_share_of_the_counts() -> None:
    game = make_game("tic-tac-toe")
    settings = preset("uct", between_moves="forget", forget_share=0.5)
    search = TreeSearch(game, game.initial_state(), rng=Rng(3), settings=settings)
    search.run(Limit(simulations=2000))
    below = next(child for child in search.tree.root.children() if child.action == 4)
    visits = {child.action: child.visits for child in below.children()}
    assert search.move_to(game.play(game.initial_state(), Action(4))[0], [Action(4)], Rng(4))
    for child in search.tree.root.children():
        assert child.visits == max(1, round(visits[child.action] / 2 + 1e-9))


def test_superko_holds_at_a_root_that_was_inside() -> None:
    """What the search could play inside, a repetition, is not among the candidates of the real position."""
    game = GoGame((4, 1), "tromp-taylor")
    position = Position(4, 1, "tromp-taylor")
    player = make_player("uct:sims=200")
    for ply in range(12):
        if game.is_terminal(position):
            break
        action = player.choose(game, position, Rng(ply)).action
        assert action is not None
        assert action in game.legal_actions(position)
        position, _ = game.play(position, action)


def test_exports() -> None:
    game = TicTacToe()
    search = TreeSearch(game, game.initial_state(), rng=Rng(1), settings=preset("sarsa-uct", normalisation="local"))
    search.run(Limit(simulations=500))
    tree = search.tree
    told = json.loads(tree.to_json(depth=2))
    assert told["visits"] == 500
    assert sum(child["visits"] for child in told["children"]) == 500
    assert "children" not in told["children"][0]["children"][0]
    assert told["range"][0] <= min(child["value"] for child in told["children"])
    line = tree.principal_variation()
    assert [node.action for node in line[:1]] == [max(tree.root.children(), key=lambda c: c.visits).action]
    assert len({node.action for node in line}) == len(line)
    dot = tree.to_dot(depth=1, action_text=lambda action: game.format_action(game.initial_state(), action))
    assert dot.startswith("digraph search {")
    assert len(re.findall(r"n0 -> n\d+ \[label=\"[abc][123]\"\];", dot)) == 9
    few = tree.to_dict(depth=9, least_visits=50)
    assert all(child["visits"] >= 50 for child in few["children"])
    assert len(list(tree.walk(depth=0))) == 1


def test_a_graph_has_each_state_once() -> None:
    game = make_game("tic-tac-toe")
    search = TreeSearch(game, game.initial_state(), rng=Rng(1), settings=preset("uct-original"))
    search.run(Limit(simulations=3000))
    indices = [node.index for _, node in search.tree.walk()]
    assert len(indices) == len(set(indices))
    # A state that was met behind one whose actions were not listed cannot be walked to.
    assert 0.9 * len(search.tree) < len(indices) <= len(search.tree) < 5478 + 1
    assert search.tree.to_dot(depth=9).count("label=") > len(indices)


def test_walks_and_exports_of_a_graph_reach_all_within_the_depth() -> None:
    game = make_game("random-walk", size=11)
    search = TreeSearch(game, game.initial_state(), rng=Rng(1), settings=preset("uct-original"))
    search.run(Limit(simulations=200))
    tree = search.tree
    for depth in range(8):
        near, front = {tree.root.index}, [tree.root]
        for _ in range(depth):
            front = [child for node in front for child in node.children() if child.index not in near]
            near |= {node.index for node in front}
        walked = list(tree.walk(depth))
        assert {node.index for _, node in walked} == near
        assert [level for level, _ in walked] == sorted(level for level, _ in walked)
        assert len(re.findall(r"^  n\d+ \[", tree.to_dot(depth), re.MULTILINE)) == len(near)
        told, expanded, front_told = list[int](), list[int](), [tree.to_dict(depth)]
        while front_told:
            found = front_told.pop()
            told.append(found["index"])
            if "children" in found:
                expanded.append(found["index"])
                front_told += found["children"]
        assert set(told) == near
        assert len(expanded) == len(set(expanded)), "children are told once"
    assert len(tree.to_json(depth=100)) < 10_000


def test_exports_of_a_deep_tree() -> None:
    game = make_game("random-walk", size=3001, cap=10_000)
    settings = preset("uct", new_nodes="all")
    search = TreeSearch(game, game.initial_state(), rng=Rng(1), settings=settings)
    search.run(Limit(simulations=1))
    node, levels = search.tree.to_dict(depth=5000), 0
    while node.get("children"):
        node, levels = node["children"][0], levels + 1
    assert levels == 5000
    assert json.loads(search.tree.to_json(depth=200))["visits"] == 1
    with pytest.raises(InvalidArgumentError, match="200 levels at most, and at depth=900 there are 900"):
        search.tree.to_json(depth=900)


@pytest.mark.parametrize("structure", ["tree", "graph"])
@pytest.mark.parametrize("when_full", ["stop-expanding", "stop"])
def test_the_memory_cap_holds(structure: Any, when_full: Any) -> None:  # noqa: ANN401
    game = make_game("gomoku", size=9)
    settings = TreeSearchSettings(structure=structure, memory=4.0, when_full=when_full)
    search = TreeSearch(game, game.initial_state(), rng=Rng(1), settings=settings)
    finished = search.run(Limit(simulations=20_000))
    assert finished
    assert search.is_full
    assert search.bytes <= 4 * 2**20
    assert (search.simulations == 20_000) is (when_full == "stop-expanding")


@pytest.mark.parametrize("name", ["connect-four", "gomoku", "hex", "tic-tac-toe", "go"])
def test_searching_beats_not_searching(name: str) -> None:
    options = {"go": {"size": 5}, "gomoku": {"size": 5, "line": 4}, "hex": {"size": 4}}.get(name, {})
    result = play_match(make_game(name, **options), "sarsa-uct:sims=200", "random", 10, 1)
    assert result.wins >= 8
    assert not any(result.fouls.values())


def test_heuristics_are_asked() -> None:
    game = example().Sticks()

    def value(state: Any) -> float:  # noqa: ANN401
        left, player = state
        loses = left % 4 == 0
        return float(loses if player is Player.WHITE else not loses)

    settings = preset("sarsa-uct", lambda_=0.0, v_init="heuristic", v_playout="heuristic")
    search = TreeSearch(game, game.initial_state(), rng=Rng(1), settings=settings, value=value)
    search.run(Limit(simulations=30))
    assert search.best(Rng(1)) == 1
    always_one = TreeSearchSettings(playout_policy="heuristic")
    search = TreeSearch(
        game,
        (5, Player.BLACK),
        rng=Rng(1),
        settings=always_one,
        playout=lambda _state, actions: [1.0] + [0.0] * (len(actions) - 1),
    )
    search.run(Limit(simulations=1))
    assert search.steps in (3, 4, 5)  # one move of the tree, then one stick at a time
