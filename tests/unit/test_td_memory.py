"""The memory of temporal-difference search: one search at a time, and what fits below it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from katachi import _core
from katachi._core import Rng, ShapeEvaluator, ShapeWeights
from katachi.core.errors import InvalidArgumentError, WeightsError
from katachi.core.limit import Limit
from katachi.features.local_shapes import LocalShapes, ShapeSettings
from katachi.games.go import GoGame, Position
from katachi.players.player import check_player
from katachi.players.registry import make_player
from katachi.search.td_search import TdMemory, TdSearch, TdSearchSettings
from katachi.values.shape_value import ShapeValue
from katachi.values.weights_file import WeightsHeader, save_weights

GAME = GoGame(5)
STATE = Position(5).play("C3")


def search_on(memory: TdMemory, seed: int = 1) -> TdSearch:
    return TdSearch(GAME, STATE, memory=memory, rng=Rng(seed))


@contextmanager
def running(search: TdSearch) -> Iterator[None]:
    """In another thread, until the block ends."""
    begun, over = threading.Event(), threading.Event()

    def progress(_: float) -> bool:
        begun.set()
        return not over.is_set()

    thread = threading.Thread(target=search.run, args=(Limit(seconds=60), progress))
    thread.start()
    try:
        assert begun.wait(10)
        yield
    finally:
        over.set()
        thread.join()


class TestOneSearchAtATime:
    @pytest.mark.parametrize(
        "change",
        [
            lambda memory: search_on(memory, 2).run(Limit(simulations=1)),
            lambda memory: memory.assign(np.zeros(memory.representation.weights)),
            lambda memory: memory.clear(),
            lambda memory: memory.native.add(TdMemory(5).evaluator()),
        ],
    )
    def test_nothing_changes_a_memory_that_is_searched_with(self, change: Callable[[TdMemory], object]) -> None:
        memory = TdMemory(5)
        first = search_on(memory)
        with running(first), pytest.raises(InvalidArgumentError, match="a search on this memory is already running"):
            change(memory)
        before = first.simulations
        change(memory)
        assert first.run(Limit(simulations=3))
        assert first.simulations == before + 3

    def test_a_memory_is_read_between_two_slices(self) -> None:
        memory = TdMemory(5)
        first, second = search_on(memory), search_on(memory, 2)
        with running(first):
            assert np.isfinite(memory.weights).all()
            assert 0 < memory.evaluator().chance(0.1) < 1
            assert len(second.root_actions()) == len(first.root_actions())
            assert second.simulations == 0

    def test_a_search_does_not_run_inside_another(self) -> None:
        memory = TdMemory(5)
        second = search_on(memory, 2)
        with pytest.raises(InvalidArgumentError, match="a search on this memory is already running"):
            search_on(memory).run(Limit(seconds=10), lambda _: second.run(Limit(simulations=1)))
        assert second.run(Limit(simulations=1)), "the first one has ended"

    def test_whoever_searches_may_change_it_between_two_slices(self) -> None:
        memory = TdMemory(5)

        def forget(_: float) -> bool:
            memory.clear()
            return False

        assert not search_on(memory).run(Limit(seconds=10), forget)
        assert not memory.weights.any()

    def test_searches_take_turns(self) -> None:
        one, two = TdMemory(5), TdMemory(5)
        first, second = search_on(one), search_on(one, 2)
        for search in (first, second, first):
            search.run(Limit(simulations=20))
        alone = search_on(two)
        alone.run(Limit(simulations=40))
        assert (first.simulations, second.simulations) == (40, 20)
        assert not np.array_equal(one.weights, two.weights)


@pytest.mark.parametrize("settings", [TdSearchSettings(), TdSearchSettings(step_rule="kalman")])
def test_the_clock_is_looked_at_after_every_simulation(settings: TdSearchSettings) -> None:
    search = search_on(TdMemory(5, settings))
    for simulations in (1, 1, 1):
        assert search.run(Limit(seconds=1e-9))
        assert search.simulations == simulations, "a search that has an answer does nothing in no time"


class TestHeads:
    linear = ShapeValue(LocalShapes(5), linear_offset=0.5).frozen()

    def test_an_evaluator_says_what_its_head_is(self) -> None:
        assert self.linear.linear_offset == 0.5
        assert ShapeValue(LocalShapes(5)).frozen().linear_offset is None

    @pytest.mark.parametrize("separate", [False, True])
    def test_a_memory_is_not_put_above_linear_weights(self, separate: bool) -> None:
        with pytest.raises(InvalidArgumentError, match=r"head=linear.*head=logistic"):
            TdMemory(5, long_term=self.linear, separate=separate)

    def test_nor_is_another_one_put_below_it(self) -> None:
        memory = TdMemory(5, long_term=ShapeValue(LocalShapes(5)).frozen(), separate=True)
        with pytest.raises(InvalidArgumentError, match="head=linear"):
            memory.set_long_term(self.linear)

    def test_a_linear_memory_has_nothing_below_it(self) -> None:
        with pytest.raises(InvalidArgumentError, match="head=linear"):
            TdMemory(5, TdSearchSettings(head="linear"), long_term=ShapeValue(LocalShapes(5)).frozen())

    @pytest.mark.parametrize("player", ["dyna2:sims=1", "hybrid:sims=1", "dyna2:sims=1,memories=separate"])
    def test_players_refuse_a_file_of_linear_weights_by_name(self, player: str, tmp_path: Path) -> None:
        path = tmp_path / "linear.safetensors"
        save_weights(path, ShapeValue(LocalShapes(5)), WeightsHeader(5, configuration={"td": {"head": "linear"}}))
        with pytest.raises(WeightsError, match=r"linear\.safetensors: .*head=linear.*katachi train"):
            check_player(make_player(f"{player},weights={path}"), GAME)
        check_player(make_player(f"shapes:weights={path}"), GAME)


class TestSigns:
    position = Position(5).play("C3").native

    @pytest.mark.parametrize(
        "settings",
        [
            ShapeSettings(sharing="none", turns="each"),
            ShapeSettings(sharing="none", stage_length=5),
            ShapeSettings(sharing="ci"),
            ShapeSettings(),
        ],
    )
    def test_weights_without_signs_are_for_shapes_that_share_none(self, settings: ShapeSettings) -> None:
        shapes = settings.to_native(5)
        weights = ShapeWeights(shapes.weights, is_signed=False)
        for use in (
            lambda: _core.shape_sum(shapes, weights, self.position),
            lambda: _core.shape_afterstates(shapes, weights, self.position),
            lambda: _core.audit_shapes(shapes, weights, Rng(1), 10),
            lambda: ShapeEvaluator(shapes, weights),
            lambda: _core.add_shapes(TdMemory(5).evaluator(), shapes, weights),
        ):
            with pytest.raises(InvalidArgumentError, match="without signs"):
                use()

    def test_there_they_are_the_same(self) -> None:
        shapes = ShapeSettings(sharing="none").to_native(5)
        signed, unsigned = ShapeWeights(shapes.weights), ShapeWeights(shapes.weights, is_signed=False)
        assert (signed.is_signed, unsigned.is_signed) == (True, False)
        values = np.linspace(-1, 1, shapes.weights, dtype=np.float32)
        for weights in (signed, unsigned):
            weights.assign(values)
        assert _core.shape_sum(shapes, signed, self.position) == _core.shape_sum(shapes, unsigned, self.position) != 0

    def test_the_number_of_weights_is_looked_at_everywhere(self) -> None:
        shapes = ShapeSettings(sharing="none").to_native(5)
        for use in (
            lambda: _core.shape_sum(shapes, ShapeWeights(3), self.position),
            lambda: _core.add_shapes(TdMemory(5).evaluator(), shapes, ShapeWeights(3)),
        ):
            with pytest.raises(InvalidArgumentError, match=r"\d+ weights, not 3"):
                use()
