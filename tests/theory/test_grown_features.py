"""What grown features must be: tables are Monte-Carlo trees, mixtures are means (Silver 2009, 6.7, 10.2.1)."""

import numpy as np
import pytest

from katachi._core import Rng
from katachi.core.limit import Limit
from katachi.games.go import GoGame, Position
from katachi.search.td_search import TdMemory, TdSearch, TdSearchSettings

GAME = GoGame(5)
ROOT = Position(5).play("B2").play("C4").play("D2").play("B3").play("E4")


def positions(moves: list[int]) -> list[Position]:
    found = [ROOT]
    for move in moves[:-1]:
        found.append(found[-1].play(move))
    return found


class MonteCarloTree:
    """Mean outcomes of positions, one more of which is known after each simulation."""

    def __init__(self) -> None:
        self.outcomes: dict[tuple[str, int], list[float]] = {}

    def learn(self, moves: list[int], outcome: float) -> None:
        met = [(position.stones(), int(position.to_play)) for position in positions(moves)]
        for key in met:
            if key not in self.outcomes:
                self.outcomes[key] = []
                break
        for key in met:
            if key in self.outcomes:
                self.outcomes[key].append(outcome)

    def mean(self, position: Position) -> float:
        known = self.outcomes.get((position.stones(), int(position.to_play)), [])
        return sum(known) / len(known) if known else 0.5


@pytest.mark.parametrize(
    "settings",
    [
        TdSearchSettings(
            sizes="none", grown="table", target="monte-carlo", head="linear",
            step_rule="counts", alpha=1.0, count_scale=1.0,
        ),
        TdSearchSettings(sizes="none", grown="table", table_value="interpolation", table_prior=0.0),
    ],
    ids=["counts", "means"],
)  # fmt: skip
def test_table_lookup_by_means_is_monte_carlo_tree_search(settings: TdSearchSettings) -> None:
    """6.7: features I[S], one more in each simulation, and steps of 1/N make every value a mean of outcomes."""
    memory, tree = TdMemory(5, settings.replace(record_limit=12)), MonteCarloTree()
    search = TdSearch(GAME, ROOT, memory=memory, rng=Rng(3))
    deep = 0
    for number in range(150):
        search.run(Limit(simulations=1))
        game = search.last_game
        tree.learn(game.moves[:13], game.outcome)
        assert len(memory.grown) == len(tree.outcomes) == number + 1
        deep = max(deep, max(len(stones.replace(".", "")) for stones, _ in tree.outcomes) - 5)
    for action in search.root_actions():
        assert action.value == pytest.approx(tree.mean(ROOT.play(action.action)), abs=1e-5)
    assert deep >= 3, "the tree has grown"
    assert search.value == pytest.approx(tree.mean(ROOT), abs=1e-5)


def test_an_interpolated_value_lies_between_shapes_and_outcomes() -> None:
    """(C V + N mean) / (C + N); shapes learn as if there were no table, since each source learns by itself."""
    plain, mixed = (
        TdSearchSettings(epsilon=1.0),
        TdSearchSettings(epsilon=1.0, grown="table", table_value="interpolation"),
    )
    memories = [TdMemory(5, settings) for settings in (plain, mixed)]
    searches = [TdSearch(GAME, ROOT, memory=memory, rng=Rng(5)) for memory in memories]
    for search in searches:
        search.run(Limit(simulations=60))
    np.testing.assert_array_equal(memories[0].weights, memories[1].weights)
    visits = memories[1].grown[0].visits  # the root is the first
    mean = memories[1].grown[0].total / visits
    assert visits == 60
    assert searches[1].value == pytest.approx((50 * searches[0].value + 60 * mean) / 110, abs=1e-6)


def test_one_step_moves_the_sum_by_alpha_delta_with_grown_features_too() -> None:
    """All active features share one step: k counts the grown ones."""
    settings = TdSearchSettings(alpha=0.1, record_limit=1, grown="table+blocks")
    memory = TdMemory(5, settings)
    search = TdSearch(GAME, ROOT, memory=memory, rng=Rng(1))
    search.run(Limit(simulations=1))
    assert [feature.kind for feature in memory.grown] == ["table", "block"]
    change = 0.1 * (search.last_game.outcome - 0.5)
    k = np.count_nonzero(memory.weights) + 2
    assert memory.grown[0].weight == memory.grown[1].weight == pytest.approx(change / k, rel=1e-5)
    assert float(memory.weights.sum()) + 2 * change / k == pytest.approx(change, rel=1e-4)
