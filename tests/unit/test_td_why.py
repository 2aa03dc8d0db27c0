"""Why a move is worth what it is: reasons add up, and name the memory that they come from."""

from math import log
from pathlib import Path

import pytest

from katachi._core import Rng
from katachi.core.errors import IllegalMoveError, InvalidArgumentError
from katachi.core.limit import Limit
from katachi.games.go import GoGame, Position
from katachi.search.td_search import TdMemory, TdSearch, TdSearchSettings
from katachi.search.td_why import why
from katachi.values.shape_pictures import draw_shapes, save_picture
from katachi.values.shipped import evaluation_of, shipped_weights

GAME = GoGame(5)
ROOT = Position(5).play("B2").play("C4").play("D2").play("B3")
LONG_TERM = evaluation_of(shipped_weights(5), 5).evaluator


def logit(chance: float) -> float:
    return log(chance / (1 - chance))


@pytest.mark.parametrize("separate", [False, True])
def test_reasons_add_up_to_what_a_move_gains(separate: bool) -> None:
    memory = TdMemory(5, TdSearchSettings(), long_term=LONG_TERM, separate=separate)
    search = TdSearch(GAME, ROOT, memory=memory, rng=Rng(1))
    search.run(Limit(simulations=200))
    for vertex in ("C3", "A1", "D4"):
        told = why(memory, ROOT, vertex)
        assert told.vertex == vertex
        assert sum(reason.gain for reason in told.reasons) == pytest.approx(
            logit(told.after) - logit(told.before), abs=1e-4
        )
        value = next(root.value for root in search.root_actions() if root.action == told.action)
        assert told.after == pytest.approx(value, abs=1e-5)
        assert told.of("long-term")
        assert told.of("short-term")
        sizes = [abs(reason.weight) for reason in told.reasons]
        assert sizes == sorted(sizes, reverse=True)


def test_a_memory_that_has_learnt_nothing_gives_no_reasons() -> None:
    memory = TdMemory(5, long_term=LONG_TERM)
    told = why(memory, ROOT, "C3")
    assert told.of("short-term") == []
    assert told.of("long-term") != []
    assert why(TdMemory(5), ROOT, "C3").reasons == ()


def test_captures_are_among_the_reasons() -> None:
    state = Position(5).play("A2").play("A1").play("E5").play("E4")
    assert state.play("B1").stones()[20] == "."
    memory = TdMemory(5)
    search = TdSearch(GAME, state, memory=memory, rng=Rng(1))
    search.run(Limit(simulations=50))
    broken = {
        (reason.shape.rows, reason.shape.corner) for reason in why(memory, state, "B1").reasons if not reason.is_made
    }
    assert (("O",), (4, 0)) in broken


def test_text_and_picture(tmp_path: Path) -> None:
    memory = TdMemory(5, TdSearchSettings(), long_term=LONG_TERM)
    TdSearch(GAME, ROOT, memory=memory, rng=Rng(1)).run(Limit(simulations=50))
    told = why(memory, ROOT, "C3")
    text = told.text(3)
    assert text.startswith("C3: Black's chance ")
    assert text.count("\n") == 2 * 4
    assert "short-term memory" in text
    picture = tmp_path / "why.png"
    save_picture(draw_shapes(told.groups(), 5), picture, "png")
    assert picture.stat().st_size > 10_000


def test_what_cannot_be_told_is_refused() -> None:
    with pytest.raises(IllegalMoveError):
        why(TdMemory(5), ROOT, "B2")
    with pytest.raises(InvalidArgumentError, match="sharing=ld"):
        why(TdMemory(5, TdSearchSettings(sharing="ld")), ROOT, "C3")
