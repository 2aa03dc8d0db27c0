"""Features that a search grows: how fast, how many, how long they stay, and what is refused."""

from collections import Counter

import pytest

from katachi._core import Rng, ShapeRepresentation
from katachi.core.errors import InvalidArgumentError, SettingsError
from katachi.core.limit import Limit
from katachi.games.go import GoGame, Position
from katachi.players.registry import make_player
from katachi.reference.go_rules import TwinPosition, TwinRules
from katachi.reference.grown_features import Naming, blocks
from katachi.search.td_search import TdMemory, TdSearch, TdSearchSettings
from katachi.search.td_why import why

GAME = GoGame(5)
ROOT = Position(5).play("C3").play("B3")
RULES = TwinRules("simple", suicide=False)


def grown_by(settings: TdSearchSettings, simulations: int) -> list[Counter[str]]:
    """How many of each kind there are after each simulation."""
    memory = TdMemory(5, settings)
    search = TdSearch(GAME, ROOT, memory=memory, rng=Rng(2))
    found = []
    for _ in range(simulations):
        search.run(Limit(simulations=1))
        found.append(Counter(feature.kind for feature in memory.grown))
    return found


class TestNames:
    def test_blocks_are_connected_stones_of_one_colour(self) -> None:
        assert blocks("XX.OX.OO.", 3) == [{0, 1, 4}, {3, 6, 7}]
        assert blocks("X.X.X.X.X", 3) == [{0}, {2}, {4}, {6}, {8}]

    def test_a_block_is_told_with_what_is_near(self) -> None:
        stones = "X.O...O.."
        assert Naming(3, ["blocks"], block_distance=0).block(stones, {0}) == ("block", (0,), ((0, "X"),))
        near = Naming(3, ["blocks"], block_distance=2).block(stones, {0})
        assert near == ("block", (0,), ((0, "X"), (1, "."), (2, "O"), (3, "."), (4, "."), (6, "O")))

    def test_a_capture_leaves_no_block_and_changes_the_position(self) -> None:
        naming = Naming(3, ["table", "blocks"], block_distance=1)
        before = TwinPosition.from_stones(3, 3, RULES, "OX.......")
        after = before.play(3)
        told = {name for _, name in naming.of(after, [(0, 3)])}
        assert naming.table(after) == ("table", ".X.X.....", 1, 0, ())
        assert naming.block(".X.X.....", {1}) in told
        assert len(told) == 3

    def test_a_ko_is_part_of_the_position(self) -> None:
        stones = ".XO.XO.OXXOO...."
        naming = Naming(4, ["table"])
        taken = TwinPosition.from_stones(4, 4, RULES, stones).play(6)
        rebuilt = TwinPosition.from_stones(4, 4, RULES, taken.stones(), to_play=1)
        assert naming.table(taken)[4] == (5,)
        assert naming.table(taken) != naming.table(rebuilt)

    def test_moves_have_a_colour_and_an_order(self) -> None:
        naming = Naming(3, ["sequences"], sequence_length=2)
        position = TwinPosition.empty(3, 3, RULES).play(4).play(1)
        told = [name for _, name in naming.of(position, [(0, 4), (1, 1)])]
        assert told == [("sequence", (1, 1)), ("sequence", (0, 4), (1, 1))]


class TestGrowth:
    def test_one_position_more_with_each_simulation(self) -> None:
        assert [found["table"] for found in grown_by(TdSearchSettings(grown="table"), 20)] == list(range(1, 21))

    @pytest.mark.parametrize(
        ("settings", "most"),
        [
            (TdSearchSettings(grown="blocks"), 1),
            (TdSearchSettings(grown="sequences", sequence_length=3), 3),
            (TdSearchSettings(grown="squares", square_sizes="4x4+5x5"), 5),
        ],
        ids=["blocks", "sequences", "squares"],
    )
    def test_at_most_one_of_a_region_in_a_simulation(self, settings: TdSearchSettings, most: int) -> None:
        totals = [found.total() for found in grown_by(settings, 30)]
        steps = [after - before for before, after in zip([0, *totals], totals, strict=False)]
        assert max(steps) == most
        assert totals[-1] > 15

    def test_nothing_is_added_beyond_the_limit(self) -> None:
        found = grown_by(TdSearchSettings(grown="table+blocks+sequences", grown_limit=7), 10)
        assert [counts.total() for counts in found[2:]] == [7] * 8

    def test_without_simple_moves_all_of_length_one_are_met(self) -> None:
        """There are 25 points and a pass, in two colours."""
        found = grown_by(TdSearchSettings(grown="sequences", sequence_length=1), 80)
        assert 40 < found[-1]["sequence"] <= 52

    def test_only_states_that_are_learnt_from_add_anything(self) -> None:
        found = grown_by(TdSearchSettings(grown="table", record_limit=1), 5)
        assert found[-1] == Counter(table=1), "the root"

    def test_they_are_kept_from_search_to_search_and_forgotten_when_cleared(self) -> None:
        memory = TdMemory(5, TdSearchSettings(grown="table+sequences"))
        for number in range(2):
            TdSearch(GAME, ROOT, memory=memory, rng=Rng(number)).run(Limit(simulations=10))
        assert Counter(feature.kind for feature in memory.grown)["table"] == 20
        assert any(feature.weight for feature in memory.grown)
        memory.clear()
        assert memory.grown == []
        search = TdSearch(GAME, ROOT, memory=memory, rng=Rng(1))
        search.run(Limit(simulations=1))
        fresh = TdMemory(5, memory.settings)
        TdSearch(GAME, ROOT, memory=fresh, rng=Rng(1)).run(Limit(simulations=1))
        assert memory.grown == fresh.grown

    def test_plain_searches_have_none(self) -> None:
        assert grown_by(TdSearchSettings(), 3)[-1] == Counter()

    def test_weights_of_shapes_can_be_set_beside_them(self) -> None:
        memory = TdMemory(5, TdSearchSettings(grown="table", sizes="1x1"))
        TdSearch(GAME, ROOT, memory=memory, rng=Rng(1)).run(Limit(simulations=5))
        grown = memory.grown
        memory.assign([1.0] * len(memory.weights))
        assert memory.weights.min() == 1.0
        assert len(memory.weights) == memory.representation.weights == 50
        assert memory.grown == grown
        with pytest.raises(InvalidArgumentError, match="weights, not"):
            memory.assign([1.0] * 3)


@pytest.mark.parametrize(
    "spec",
    [
        "td-search:sims=10,grown=table",
        "td-search:sims=10,grown=table+sequences,sequence_length=8,sizes=none",
        "td-search:sims=10,grown=blocks,block_distance=3",
        "td-search:sims=10,grown=squares",
        "td-search:sims=10,grown=table,table_value=interpolation,table_prior=10.0",
        "dyna2:sims=10,grown=table+blocks,memories=separate",
    ],
)
def test_players_grow_features(spec: str) -> None:
    player = make_player(spec)
    assert player.name == spec
    decision = player.choose(GAME, ROOT, Rng(1))
    assert decision.action in ROOT.legal_actions()
    assert decision.value is not None
    assert 0 <= decision.value <= 1


def test_a_line_knows_the_moves_before_it() -> None:
    """Sequences count from the root: what follows a move is by the values after it."""
    settings = TdSearchSettings(sizes="none", grown="sequences", alpha=1.0, epsilon=0.3)
    search = TdSearch(GAME, ROOT, memory=TdMemory(5, settings), rng=Rng(4))
    search.run(Limit(simulations=300))
    best = search.best(Rng(1))
    line = search.line(best, 4)
    assert line[0] == best
    assert len(set(line)) == 4
    position = ROOT
    for move in line:
        position = position.play(move)


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("td-search:sims=10,grown=tables", "some of table, blocks, sequences, squares.*'tables'"),
        ("td-search:sims=10,grown=table+table", "each once"),
        ("td-search:sims=10,grown=squares,square_sizes=6x6", "6x6"),
        ("td-search:sims=10,grown=blocks,block_distance=4", "block_distance"),
        ("td-search:sims=10,grown=sequences,sequence_length=9", "sequence_length"),
        ("td-search:sims=10,grown=table,grown_limit=0", "grown_limit"),
        ("td-search:sims=10,table_value=interpolation", "needs grown=table, not 'none'"),
        ("td-search:sims=10,sizes=none", "nothing to learn"),
        ("td-search:sims=10,grown=table,threads=2", "threads=1, not 2"),
        ("hybrid:sims=10,grown=table", "depth=1"),
        ("td-search:sims=10,grown=table,stale=2", "stale=0"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(spec: str, text: str) -> None:
    with pytest.raises(SettingsError, match=text):
        make_player(spec)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="squares of side 4 do not fit on a board of side 3"):
        TdMemory(3, TdSearchSettings(grown="squares", square_sizes="4x4"))
    memory = TdMemory(5, TdSearchSettings(grown="table"))
    with pytest.raises(InvalidArgumentError, match=r"shapes alone.*\(table\)"):
        memory.evaluator()
    with pytest.raises(InvalidArgumentError, match="shapes alone"):
        why(memory, ROOT, "D4")
    with pytest.raises(InvalidArgumentError, match="at least one size"):
        ShapeRepresentation(side=5, sizes=[], sharing=[])
