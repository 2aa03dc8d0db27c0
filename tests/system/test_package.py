"""The package as a whole: lazy, typed, documented, and its settings reach the core."""

import copy
import importlib
import multiprocessing
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from importlib import resources

import pytest

import katachi
from katachi import _core
from katachi.games.go import Position, Rules

HEAVY = ("matplotlib", "numpy", "pydantic", "rich", "scipy", "typer")


def test_import_loads_nothing_heavy() -> None:
    program = f"import sys, katachi; print([m for m in {HEAVY!r} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_every_export_exists() -> None:
    for name in katachi.__all__:
        assert getattr(katachi, name) is not None
        assert name in dir(katachi)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        katachi.nonsense  # noqa: B018
    program = "from katachi import *; print(make_game('go').name)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "go\n"


def test_typed_and_stubbed() -> None:
    assert (resources.files("katachi") / "py.typed").is_file()
    stub = (resources.files("katachi") / "_core.pyi").read_text()
    for name in dir(_core):
        if not name.startswith("_"):
            assert f" {name}" in stub, f"{name} is not in the stub: run make stubs"


def test_every_module_says_what_lives_there() -> None:
    import pkgutil

    for module in pkgutil.walk_packages(katachi.__path__, "katachi."):
        if module.name not in ("katachi._core", "katachi.cli.__main__"):
            assert importlib.import_module(module.name).__doc__, module.name


def test_rules_reach_the_core_field_by_field() -> None:
    native = Rules.named("aga", komi=6.5).to_native()
    fields = {name for name in dir(native) if not name.startswith("_")}
    # Area is all that the core counts, and dead stones are taken off at the end of a game, above it.
    assert fields == set(Rules.model_fields) - {"scoring", "friendly_pass"}
    assert (native.ko, native.suicide, native.komi, native.handicap_bonus) == (
        _core.Ko.SITUATIONAL,
        False,
        6.5,
        _core.HandicapBonus.STONES_LESS_ONE,
    )


def test_native_objects_are_freed() -> None:
    program = """
import gc, resource
from katachi import *
class Tiny(BaseGame):
    name = "tiny"
    facts = GameFacts(players=1, action_space=1)
    def initial_state(self): return 0
    def legal_actions(self, state): return [Action(0)] if state < 3 else []
    def play(self, state, action): return state + 1, 0.0
    def is_terminal(self, state): return state == 3
    def to_play(self, state): return Player.BLACK
def work(n):
    for i in range(n):
        for game in (Tiny(), make_game("go", size=9)):
            search = TreeSearch(game, game.initial_state(), rng=Rng(i))
            search.run(Limit(simulations=20))
    gc.collect()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
first = work(300)
print(work(1500) - first)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 4096, "kilobytes grown over 1,500 searches"


def test_one_driver_at_a_time_and_readers_wait() -> None:
    # Read from another thread while the search runs: never in the middle of a slice, never a crash.
    game = katachi.make_game("go", size=9)
    search = katachi.TreeSearch(game, game.initial_state(), rng=katachi.Rng(1))
    runner = threading.Thread(target=search.run, args=(katachi.Limit(seconds=1.0),))
    runner.start()
    refusals = []
    while runner.is_alive():
        visits = sum(root.visits for root in search.root_actions())
        assert visits <= search.simulations
        try:
            search.run(katachi.Limit(simulations=1))
        except katachi.InvalidArgumentError as error:
            refusals.append(str(error))
    assert refusals
    assert all("already running" in message for message in refusals)
    assert sum(root.visits for root in search.root_actions()) == search.simulations


def test_reentrance_is_refused() -> None:
    game = katachi.make_game("go", size=9)
    search = katachi.TreeSearch(game, game.initial_state(), rng=katachi.Rng(1))
    limit = katachi.Limit(simulations=10)
    with pytest.raises(katachi.InvalidArgumentError, match="already running"):
        search.run(limit, progress=lambda _: search.run(limit))
    seen = []
    search.run(katachi.Limit(seconds=0.2), progress=lambda _: seen.append(len(search.root_actions())))
    assert seen[0] == 81, "reading between slices is what progress is for"


def test_a_game_cannot_read_the_search_that_plays_it() -> None:
    class Curious(katachi.BaseGame[int]):
        name = "curious"
        facts = katachi.GameFacts(players=1, action_space=1)
        search: katachi.TreeSearch

        def initial_state(self) -> int:
            return 0

        def legal_actions(self, state: int) -> list[katachi.Action]:
            return [katachi.Action(0)] if state < 3 else []

        def play(self, state: int, action: katachi.Action) -> tuple[int, float]:
            self.search.root_actions()
            return state + 1, 0.0

        def is_terminal(self, state: int) -> bool:
            return state == 3

        def to_play(self, state: int) -> katachi.Player:
            return katachi.Player.BLACK

    game = Curious()
    game.search = katachi.TreeSearch(game, 0, rng=katachi.Rng(1))
    with pytest.raises(katachi.InvalidArgumentError, match="inside its own simulation"):
        game.search.run(katachi.Limit(simulations=5))


@pytest.mark.parametrize(
    "work",
    [
        "katachi.TreeSearch(game, game.initial_state(), rng=katachi.Rng(1)).run(katachi.Limit(seconds=60))",
        "katachi.play_match(game, 'flat-mc:sims=20', 'random', 1000, 1)",
    ],
)
def test_a_daemon_thread_does_not_abort_the_exit(work: str) -> None:
    program = f"""
import threading, time
import katachi
game = katachi.make_game("go", size=9)
threading.Thread(target=lambda: {work}, daemon=True).start()
time.sleep(0.5)
print("leaving")
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
    assert (run.returncode, run.stdout, run.stderr) == (0, "leaving\n", "")


def test_generators_and_positions_travel() -> None:
    rng = katachi.Rng(4)
    rng.next()
    assert copy.deepcopy(rng) == rng
    position = Position.from_diagram(". X O .\nX . X O\n. X O .\n. . . .", rules="aga", to_play=katachi.Player.WHITE)
    position = position.play("B3").play("pass")
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:  # there and back again
        assert pool.submit(copy.copy, rng).result() == rng
        assert pool.submit(copy.copy, position).result() == position
    twin = copy.deepcopy(position)
    assert twin == position
    assert (twin.key, twin.moves, twin.rules) == (position.key, position.moves, position.rules)
    assert position.undo() == twin.undo()
