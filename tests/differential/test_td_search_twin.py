"""The native search against its slow twin: what its simulations teach, and what its roots are worth."""

import random
from typing import Any

import pytest

from katachi._core import Rng
from katachi.core.limit import Limit
from katachi.games.go import GoGame, Position
from katachi.games.go.rules import Rules
from katachi.learning.td_settings import TdSettings
from katachi.reference.go_rules import TwinPosition, TwinRules
from katachi.reference.td_search import TdSearchTwin, Weights
from katachi.search.td_search import TdMemory, TdSearch, TdSearchSettings

CHOICES: dict[str, tuple[Any, ...]] = {
    "target": ("td", "td", "monte-carlo"),
    "plies": (1, 2, 2),
    "learns_last": (True, True, False),
    "lambda_": (0.0, 0.0, 0.3, 0.9, 1.0),
    "traces": ("accumulating", "replacing"),
    "trace_norm": ("at-add", "at-update"),
    "trace_parity": ("per-colour", "single"),
    "update_mode": ("end-cached", "end-cached", "end-refresh", "online"),
    "alpha": (0.05, 0.4),
    "record_limit": (0, 0, 1, 5),
    "switch_after": (2.0, 6.5, "never"),
    "policy": ("fuego", "mogo", "uniform"),
}


def random_settings(rng: random.Random) -> TdSearchSettings:
    chosen = {name: rng.choice(values) for name, values in CHOICES.items()}
    if chosen["target"] == "monte-carlo":
        chosen.update(lambda_=0.0, update_mode="end-cached")
    if chosen["plies"] == 1:
        chosen["trace_parity"] = "single"
    return TdSearchSettings(**chosen)


def compare(seed: int, side: int, simulations: int) -> None:
    rng = random.Random(seed)
    settings = random_settings(rng)
    rules = Rules.named("cgos", komi=0.5)
    root = Position(side, rules=rules)
    for _ in range(rng.randrange(0, 2 * side)):
        moves = root.candidates()
        if moves[0] == root.pass_action:
            break
        root = root.play(rng.choice(moves))
    if root.is_over:
        return
    learning = TdSettings(**{name: getattr(settings, name) for name in TdSettings.model_fields})
    twin = TdSearchTwin(side, learning, record_limit=settings.record_limit or None)
    start = TwinPosition.from_stones(side, side, TwinRules("simple", suicide=False), root.stones(), int(root.to_play))
    memory = TdMemory(side, settings)
    search = TdSearch(GoGame(side, rules=rules), root, memory=memory, rng=Rng(seed))
    short: Weights = {}
    entries = memory.representation.entries(0)
    for _ in range(simulations):
        search.run(Limit(simulations=1))
        game = search.last_game
        short, states = twin.learn(start, game.moves, game.outcome, short)
        assert len(states) == game.recorded
    found = memory.weights
    learnt = 0
    for feature, entry in enumerate(entries.tolist()):
        expected = short.get(feature, 0.0)
        if entry == 0:
            assert expected == 0.0, "an empty window has no weight"
            continue
        assert found[entry - 1] == pytest.approx(expected, abs=2e-6), (settings, feature)
        learnt += expected != 0
    assert learnt > 0 or root.stones().strip(".") == "" or settings.record_limit == 1
    for action in search.root_actions():
        after = start.play(action.action).stones()
        assert action.value == pytest.approx(twin.value(after, short), abs=2e-6)


@pytest.mark.parametrize("seed", range(24))
def test_simulations_teach_what_the_twin_says(seed: int) -> None:
    compare(seed, 3 + seed % 2, 3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24, 150))
def test_simulations_teach_what_the_twin_says_in_many_settings(seed: int) -> None:
    compare(seed, 3 + seed % 3, 4)
