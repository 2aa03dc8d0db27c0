"""Any data set comes back from its file as it was."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from katachi._core import Rng
from katachi.games.go.game import GoGame
from katachi.training.data_set import DataSet, LabelledPosition, LabelledTree, replay
from katachi.training.labels import random_game

VALUES = st.floats(0, 1)


@st.composite
def data_sets(draw: st.DrawFn) -> DataSet:
    """Positions of random games with any values, some with trees."""
    width, height = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    komi, rules = draw(st.floats(-30, 30)), draw(st.sampled_from(["cgos", "tromp-taylor", "chinese", "new-zealand"]))
    game, positions = GoGame((width, height), rules, komi), []
    for group in range(draw(st.integers(0, 3))):
        moves = random_game(game, Rng(draw(st.integers(0, 2**32))))
        kept = tuple(moves[: draw(st.integers(0, len(moves) - 1))])
        state = replay(game, kept)
        tree = None
        if draw(st.booleans()):
            first = tuple(int(move) for move in game.candidates(state))
            second = tuple(tuple(int(move) for move in game.candidates(state.play(move))) for move in first)
            values = tuple(tuple(draw(VALUES) for _ in range(max(1, len(answers)))) for answers in second)
            tree = LabelledTree(first, second, values)
        best = int(draw(st.sampled_from(state.legal_actions())))
        positions.append(LabelledPosition(kept, draw(VALUES), best, draw(st.integers(0, 2**62)), group, tree))
    return DataSet(width, height, komi, rules, positions, {"seed": draw(st.integers(0, 2**63))})


@given(data_sets())
def test_a_file_gives_back_what_was_saved(data: DataSet) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "data.parquet"
        data.save(path)
        assert DataSet.load(path) == data
        content = path.read_bytes()
        data.save(path)
        assert path.read_bytes() == content
