"""The features that a native search grows, and what it teaches them, against the slow twin."""

import random
from typing import Any, Literal

import pytest

from katachi._core import Rng
from katachi.core.limit import Limit
from katachi.games.go import GoGame, Position
from katachi.games.go.rules import Rules
from katachi.learning.td_settings import TdSettings
from katachi.reference.go_rules import TwinPosition, TwinRules
from katachi.reference.grown_features import GrownTwin, Naming
from katachi.reference.td_search import TdSearchTwin
from katachi.search.td_search import TdMemory, TdSearch, TdSearchSettings

RULES = Rules.named("cgos", komi=0.5)
SHAPES = {"none": (), "1x1": ((1, 1),), "1x1+2x2": ((1, 1), (2, 2))}
CHOICES: dict[str, tuple[Any, ...]] = {
    "sizes": tuple(SHAPES),
    "grown": (
        "table",
        "blocks",
        "sequences",
        "squares",
        "table+sequences",
        "blocks+squares",
        "table+blocks+sequences+squares",
    ),
    "block_distance": (0, 1, 2, 3),
    "sequence_length": (1, 3, 8),
    "square_sizes": ("2x2", "1x1+3x3"),
    "grown_limit": (1_000, 1_000, 15),
    "table_value": ("regression", "interpolation"),
    "table_prior": (0.0, 1.5, 50.0),
    "plies": (1, 2, 2),
    "lambda_": (0.0, 0.0, 0.7, 1.0),
    "traces": ("accumulating", "replacing"),
    "trace_parity": ("single",),
    "update_mode": ("end-cached", "end-cached", "end-refresh", "online"),
    "step_rule": ("constant", "constant", "counts", "idbd"),
    "head": ("logistic", "logistic", "linear"),
    "alpha": (0.05, 0.4),
    "record_limit": (0, 0, 1, 5),
    "switch_after": (2.0, 6.5, "never"),
    "policy": ("fuego", "uniform"),
    "epsilon": (0.1, 0.5),
}


def random_settings(rng: random.Random) -> TdSearchSettings:
    chosen = {name: rng.choice(values) for name, values in CHOICES.items()}
    if "table" not in chosen["grown"]:
        chosen["table_value"] = "regression"
    if chosen["step_rule"] != "constant":
        chosen["lambda_"] = 0.0
    return TdSearchSettings(**chosen)


def twin_of(side: int, settings: TdSearchSettings) -> GrownTwin:
    learning = TdSettings(**{name: getattr(settings, name) for name in TdSettings.model_fields})
    naming = Naming(
        side,
        settings.grown_kinds,
        block_distance=settings.block_distance,
        sequence_length=settings.sequence_length,
        squares=[int(size[0]) for size in settings.square_sizes.split("+")],
    )
    prior = settings.table_prior if settings.table_value == "interpolation" else None
    shapes = TdSearchTwin(side, sizes=SHAPES[settings.sizes])
    return GrownTwin(shapes, naming, learning, limit=settings.grown_limit, prior=prior)


def random_root(side: int, rng: random.Random) -> tuple[Position, TwinPosition]:
    root = Position(side, rules=RULES)
    twin = TwinPosition.empty(side, side, TwinRules("simple", suicide=False))
    for _ in range(rng.randrange(0, 3 * side)):
        move = rng.choice(root.candidates())
        if move == root.pass_action:
            break
        root, twin = root.play(move), twin.play(move)
    return root, twin


def compare(seed: int, side: int, simulations: int, settings: TdSearchSettings | None = None) -> dict[str, int]:
    rng = random.Random(seed)
    settings = random_settings(rng) if settings is None else settings
    root, start = random_root(side, rng)
    twin, memory = twin_of(side, settings), TdMemory(side, settings)
    met: dict[str, int] = {}
    for move in range(2):  # the memory outlives a search
        search = TdSearch(GoGame(side, rules=RULES), root, memory=memory, rng=Rng(seed).split("move", move))
        for _ in range(simulations):
            search.run(Limit(simulations=1))
            game = search.last_game
            twin.learn(start, game.moves, game.outcome, settings.record_limit or None)
        grown = memory.grown
        assert [feature.kind for feature in grown] == [name[0] for name in twin.known], settings
        for feature, (name, number) in zip(grown, twin.known.items(), strict=True):
            assert feature.weight == pytest.approx(twin.weight(name), abs=3e-6), (settings, name)
            visits = twin.visits[number]
            assert (feature.total, feature.visits) == pytest.approx((visits.total, visits.number))
            met[feature.kind] = met.get(feature.kind, 0) + 1
        if settings.sizes != "none":
            found = memory.weights
            for feature_number, entry in enumerate(memory.representation.entries(0).tolist()):
                if entry > 0:
                    assert found[entry - 1] == pytest.approx(twin.learning.theta[feature_number], abs=3e-6)
        assert search.value == pytest.approx(twin.value(start, []), abs=5e-6), settings
        for action in search.root_actions():
            after = (start.play(action.action), [(start.to_play, action.action)])
            assert action.value == pytest.approx(twin.value(*after), abs=5e-6), (settings, action.action)
        best = search.best(Rng(1))
        if root.play(best).is_over:
            break
        root, start = root.play(best), start.play(best)
    return met


@pytest.mark.parametrize("seed", range(40))
def test_simulations_grow_and_teach_what_the_twin_says(seed: int) -> None:
    compare(seed, 3 + seed % 2, 3)


@pytest.mark.parametrize("cutoff", [0.0, 1e-30], ids=["spans", "state by state"])
def test_a_state_without_features_still_teaches_those_before_it(cutoff: float) -> None:
    settings = TdSearchSettings(sizes="none", grown="blocks", lambda_=0.7, trace_parity="single", trace_cutoff=cutoff)
    assert compare(1, 4, 4, settings)["block"] > 3


def test_all_kinds_are_compared() -> None:
    met: dict[str, int] = {}
    for seed in range(100, 110):
        for kind, count in compare(seed, 4, 3).items():
            met[kind] = met.get(kind, 0) + count
    assert min(met[kind] for kind in ("table", "block", "sequence", "square")) > 5


def check_greedy(
    seed: int, root: Position, start: TwinPosition, settings: TdSearchSettings, simulations: int
) -> GrownTwin:
    """All moves are the best by the values of before the simulation; returns what was met."""
    twin, memory = twin_of(4, settings), TdMemory(4, settings)
    search = TdSearch(GoGame(4, rules=RULES), root, memory=memory, rng=Rng(seed))
    for _ in range(simulations):
        search.run(Limit(simulations=1))
        game = search.last_game
        for position, history in twin.states(start, game.moves)[:-1]:
            sign = 1 if position.to_play == 0 else -1
            values = {
                move: sign * twin.value(position.play(move), [*history, (position.to_play, move)])
                for move in position.candidates("simple")
            }
            assert values[game.moves[len(history)]] == pytest.approx(max(values.values()), abs=1e-5), settings
        twin.learn(start, game.moves, game.outcome)
    return twin


@pytest.mark.parametrize("table_value", ["regression", "interpolation"])
@pytest.mark.parametrize("kinds", ["table", "blocks", "sequences", "squares", "table+blocks+sequences+squares"])
def test_moves_are_greedy_by_the_values_of_all_features(
    kinds: str, table_value: Literal["regression", "interpolation"]
) -> None:
    """Deep in a simulation too, with captures: what a move would change is not what it has changed."""
    if table_value == "interpolation" and "table" not in kinds:
        return
    settings = TdSearchSettings(
        sizes="1x1", grown=kinds, table_value=table_value, square_sizes="2x2", table_prior=2.0, epsilon=0.0, alpha=1.0,
        switch_after="never",
    )  # fmt: skip
    for seed in range(3):
        root, start = random_root(4, random.Random(seed))
        assert check_greedy(seed, root, start, settings, 6).known


def test_a_ko_makes_another_position() -> None:
    """Black may take at C3; then White may not take back at once."""
    stones = ".XO.XO.OXXOO...."
    rows = [stones[i : i + 4] for i in range(0, 16, 4)]
    root = Position.from_diagram("\n".join(rows), rules=RULES)
    start = TwinPosition.from_stones(4, 4, TwinRules("simple", suicide=False), stones)
    settings = TdSearchSettings(sizes="1x1", grown="table+blocks", epsilon=0.0, alpha=1.0, switch_after="never")
    twin = check_greedy(1, root, start, settings, 40)
    bans = [name for name in twin.known if name[0] == "table" and name[4]]
    assert bans, "no position with a ko was met"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, 330))
def test_simulations_grow_and_teach_what_the_twin_says_in_many_settings(seed: int) -> None:
    compare(seed, 3 + seed % 3, 6)
