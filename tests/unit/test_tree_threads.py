"""Several threads on one tree: exact counts, limits, what is refused; and memory that is collected."""

from itertools import pairwise
from typing import Any

import pytest

from katachi._core import Rng
from katachi.core.errors import InvalidArgumentError, SettingsError
from katachi.core.limit import Limit
from katachi.core.types import Action, Player
from katachi.games.go.position import Position
from katachi.games.registry import make_game
from katachi.players.registry import make_player
from katachi.search.searches import TreeSearch
from katachi.search.tree_settings import PRESETS, TreeSearchSettings, preset

GO = make_game("go", size=5)
THREADED = sorted(set(PRESETS) - {"uct-original", "mc-control", "sarsa"})


def search_of(settings: TreeSearchSettings, seed: int = 1) -> TreeSearch:
    return TreeSearch(GO, GO.initial_state(), rng=Rng(seed), settings=settings)


def changed(name: str, **changes: Any) -> TreeSearchSettings:  # noqa: ANN401
    policy = {} if "playout_policy" in PRESETS[name] else {"playout_policy": "mogo"}
    return preset(name, **policy, **changes)


def check_counts(search: TreeSearch, simulations: int) -> None:
    """Nothing is lost: the visits of a node are those of its children and of episodes that ended there."""
    assert search.simulations == simulations
    assert search.tree.root.visits == simulations
    assert sum(child.visits for child in search.tree.root.children()) == simulations
    nodes = 0
    for _, node in search.tree.walk():
        nodes += 1
        assert sum(child.visits for child in node.children()) <= node.visits == node.episodes
        assert 0 <= node.value <= 1
    assert nodes == len(search.tree)


@pytest.mark.parametrize("threads", [2, 3, 8])
@pytest.mark.parametrize("name", THREADED)
def test_counts_are_exact(name: str, threads: int) -> None:
    search = search_of(changed(name, threads=threads))
    assert search.run(Limit(simulations=700))
    check_counts(search, 700)
    assert search.run(Limit(simulations=300))  # goes on
    check_counts(search, 1000)
    assert search.steps > 1000


@pytest.mark.parametrize("threads", [2, 5])
def test_returns_of_all_moves_as_first_are_all_counted(threads: int) -> None:
    """On an empty board nearly every point is played in every game, and each counts once for a simulation at most."""
    search = search_of(preset("mc-rave", threads=threads))
    search.run(Limit(simulations=500))
    raves = [child.rave for child in search.tree.root.children()]
    assert all(rave is not None and rave[1] == int(rave[1]) and 0 < rave[1] <= 500 for rave in raves)
    assert all(child.rave[1] >= child.visits for child in search.tree.root.children() if child.rave)


@pytest.mark.parametrize("name", ["uct", "mc-rave"])
@pytest.mark.parametrize("threads", [2, 5])
def test_returns_kept_back_reach_their_nodes(name: str, threads: int) -> None:
    """The root's mean return is that of its actions: every episode takes one. Nothing is left behind when it stops."""
    search = search_of(changed(name, threads=threads))
    search.run(Limit(simulations=2000))
    search.run(Limit(seconds=60), lambda share: False)
    check_counts(search, search.simulations)
    root = search.tree.root
    sums = sum(child.visits * child.value for child in root.children())
    assert sums / root.visits == pytest.approx(root.value, abs=1e-9)
    assert max(child.visits for child in root.children()) > 500  # visits enough to be kept back at two plies


@pytest.mark.parametrize(
    "steps",
    [{"step_size": "constant", "step": 0.3}, {"step_size": "linear", "step": 0.5, "step_decay": 1e-4}],
)
@pytest.mark.parametrize("threads", [2, 8])
def test_large_steps_of_several_episodes_do_not_add_up(steps: dict[str, Any], threads: int) -> None:
    """What is kept back are targets. TD errors of sixteen episodes, all against the value before, would be too much."""
    search = search_of(changed("sarsa-uct", threads=threads, **steps))
    search.run(Limit(simulations=3000))
    check_counts(search, 3000)


def test_few_visits_are_told_at_once() -> None:
    """Threads on their way to new nodes see each other: they hardly ever try the same one at the same time."""
    search = search_of(preset("mc-rave", threads=2))
    search.run(Limit(simulations=2000))
    assert len(search.tree) > 1800


@pytest.mark.parametrize("name", ["uct", "sarsa-uct", "uct-rave"])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_find_what_one_thread_finds(name: str, threads: int) -> None:
    """Connect four: who moves wins at once in the fourth column, and loses later everywhere else.

    Not for `mc-rave`: without exploration three searches of a hundred never try that column, in one thread, too.
    """
    game = make_game("connect-four")
    state = game.initial_state()
    for column in (3, 0, 3, 0, 3, 1):
        state, _ = game.play(state, Action(column))
    settings = preset(name, playout_policy="uniform", threads=threads)
    search = TreeSearch(game, state, rng=Rng(1), settings=settings)
    search.run(Limit(simulations=3000))
    assert search.best(Rng(1)) == 3
    assert search.best_by_visits(Rng(1)) == 3
    assert search.tree.root.value > 0.8  # of player 0, who moves


def test_limits_hold_and_searches_stop() -> None:
    search = search_of(preset("mc-rave", threads=3))
    assert search.run(Limit(simulations=1))
    assert search.simulations == 1
    assert search.run(Limit(steps=5000))
    assert 5000 <= search.steps <= 5000 + 10 * 150
    calls = list[float]()

    def look(share: float) -> bool:
        calls.append(share)
        return len(calls) < 2

    assert not search.run(Limit(seconds=60), look)
    assert len(calls) == 2


def test_the_root_moves() -> None:
    search = search_of(preset("mc-rave", threads=2))
    search.run(Limit(simulations=2000))
    best = search.best(Rng(1))
    visits = next(child.visits for child in search.tree.root.children() if child.action == best)
    after, _ = GO.play(GO.initial_state(), best)
    assert search.move_to(after, [best], Rng(2))
    assert search.tree.root.visits == visits
    search.run(Limit(simulations=500))
    assert search.tree.root.visits == visits + 500
    assert sum(child.visits for child in search.tree.root.children()) >= 500


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"structure": "graph"}, "threads=2 are for trees"),
        ({"learner": "max"}, "learner=monte-carlo or td"),
        ({"learner": "td", "plies": 2}, "one-ply"),
        ({"normalisation": "local"}, "normalisation=known or none"),
        ({"playout_policy": "mast"}, "playouts that learn nothing"),
        ({"v_init": "heuristic"}, "no heuristic"),
        ({"threads": 0}, "threads"),
        ({"threads": 65}, "threads"),
    ],
)
def test_what_threads_cannot_do_is_refused(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(SettingsError, match=text):
        TreeSearchSettings(**{"threads": 2, **changes})


def test_games_that_threads_do_not_search_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="games without chance, unlike pig"):
        make_player("uct:sims=10,threads=2").check(make_game("pig"))  # type: ignore[attr-defined]
    walk = make_game("gridworld")
    with pytest.raises(InvalidArgumentError):
        TreeSearch(walk, walk.initial_state(), rng=Rng(1), settings=TreeSearchSettings(threads=2))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_full_memory_is_not_collected_when_time_is_short(threads: int) -> None:
    """It would take up to a second for each gigabyte."""
    game = make_game("go", size=9)
    settings = preset("mc-rave", memory=64.0, new_nodes="all", threads=threads)
    search = TreeSearch(game, game.initial_state(), rng=Rng(1), settings=settings)
    while not search.is_full:
        search.run(Limit(seconds=0.02))
    full, simulations = search.bytes, search.simulations
    search.run(Limit(seconds=0.02))
    assert search.is_full
    assert search.bytes == full
    assert search.simulations > simulations
    search.run(Limit(simulations=1))
    assert not search.is_full
    assert search.bytes < full


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["uct", "mc-rave"])
def test_a_full_memory_is_collected(name: str, threads: int) -> None:
    game = make_game("gomoku", size=9)
    settings = preset(name, playout_policy="uniform", memory=4.0, when_full="collect", threads=threads)
    search = TreeSearch(game, game.initial_state(), rng=Rng(1), settings=settings)
    sizes = list[int]()
    for _ in range(40):
        search.run(Limit(simulations=500))
        sizes.append(len(search.tree))
        assert search.bytes <= 4 * 2**20
    assert search.simulations == 20_000
    assert search.tree.root.visits == 20_000
    falls = [after / before for before, after in pairwise(sizes) if after < before]
    assert min(falls, default=1) < 0.9  # forgotten, and grown anew
    assert len(search.tree) == sum(1 for _ in search.tree.walk())


def test_collecting_is_reproducible_and_does_not_depend_on_slices() -> None:
    game = make_game("gomoku", size=9)
    settings = preset("uct", memory=4.0, when_full="collect")
    searches = [TreeSearch(game, game.initial_state(), rng=Rng(1), settings=settings) for _ in range(2)]
    searches[0].run(Limit(simulations=12_000))
    for _ in range(12):
        searches[1].run(Limit(simulations=1000))
    assert [(a.action, a.visits, a.value) for a in searches[0].root_actions()] == [
        (a.action, a.visits, a.value) for a in searches[1].root_actions()
    ]


@pytest.mark.parametrize("threads", [1, 3])
def test_who_holds_which_point(threads: int) -> None:
    """Two walls that nothing can break: Black's columns, White's column, and an open one between them."""
    walls = Position.from_diagram("\n".join(["X . X . O"] * 4 + [". X X . O"]), rules="cgos", to_play=Player.WHITE)
    search = TreeSearch(GO, walls, rng=Rng(1), settings=preset("mc-rave", threads=threads))
    search.run(Limit(simulations=10))
    assert search.ownership() == []  # nobody has asked
    search.keep_ownership()
    search.run(Limit(simulations=400))
    shares = search.ownership()
    assert len(shares) == 25
    assert all(-1 <= share <= 1 and abs(share * 400 - round(share * 400)) < 1e-6 for share in shares)
    assert min(shares[i] for i in range(25) if i % 5 < 3) > 0.8
    after, _ = GO.play(walls, Action(3))
    search.move_to(after, [Action(3)], Rng(2))
    assert search.ownership() == []
    search.run(Limit(simulations=100))
    assert len(search.ownership()) == 25
    search.keep_ownership(False)
    search.run(Limit(simulations=100))
    assert search.ownership() == []
