"""Data sets: what comes back from a file, what is refused and in which words, how one is split."""

import builtins
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from katachi._core import Rng
from katachi.core.errors import DataSetError, InvalidArgumentError
from katachi.training.data_set import DataSet, LabelledPosition, LabelledTree

PASS = 4  # on 2x2


def tree_of_the_empty_board() -> LabelledTree:
    rest = {first: tuple(p for p in range(4) if p != first) for first in range(4)}
    return LabelledTree((0, 1, 2, 3), tuple(rest.values()), ((0.25, 0.5, 0.75),) * 4)


def small() -> DataSet:
    over = LabelledTree((PASS,), ((),), ((1.0,),))
    positions = [
        LabelledPosition((), 0.1 + 0.2, 0, 100, 0, tree_of_the_empty_board()),
        LabelledPosition((0,), 0.25, 3, 100, 0),
        LabelledPosition((0, PASS), 1.0, PASS, 7, 1, over),
        LabelledPosition((PASS,), 0.0, 2, 0, 2),
    ]
    return DataSet(2, 2, 0.5, "cgos", positions, {"player": "uct:sims=100", "seed": 1})


def change(position: int, **values: Any) -> DataSet:  # noqa: ANN401
    data = small()
    data.positions[position] = replace(data.positions[position], **values)
    return data


def test_a_file_gives_back_what_was_saved(tmp_path: Path) -> None:
    small().save(tmp_path / "data.parquet")
    assert DataSet.load(tmp_path / "data.parquet") == small()
    assert [path.name for path in tmp_path.iterdir()] == ["data.parquet"]
    metadata = parquet.read_schema(tmp_path / "data.parquet").metadata[b"katachi"]
    assert json.loads(metadata)["settings"] == {"player": "uct:sims=100", "seed": 1}


def test_an_empty_data_set_is_one(tmp_path: Path) -> None:
    empty = DataSet(9, 7, -3.0, "aga", [])
    empty.save(tmp_path / "data.parquet")
    assert DataSet.load(tmp_path / "data.parquet") == empty


def test_states_know_their_ko() -> None:
    """White has just taken in the middle of a board of 4x3."""
    data = DataSet(4, 3, 0.5, "cgos", [LabelledPosition((1, 2, 4, 7, 9, 10, 6, 5), 0.5, 0, 1, 0)])
    assert data.state(data.positions[0]).ko == 6
    data.positions[0] = replace(data.positions[0], best=6)
    with pytest.raises(DataSetError, match="its best move, 6, is illegal: ko may not be retaken at once"):
        data.check()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (change(1, moves=(0, 0)), "position 1 of the data set: illegal move A2 for WHITE: point is occupied"),
        (change(1, moves=(9,)), "position 1 .*no such point"),
        (change(1, moves=(PASS, PASS)), "the game is over after the moves \\[4, 4\\]"),
        (change(1, best=0), "its best move, 0, is illegal: point is occupied"),
        (change(1, value=1.5), "from 0 to 1, not 1.5"),
        (change(1, value=float("nan")), "from 0 to 1, not nan"),
        (change(1, simulations=-1), "-1 simulations in group 0"),
        (change(0, tree=LabelledTree((0,), (), ((0.5,),))), "1 moves, 0 lists of answers, 1 lists of values"),
        (change(0, tree=LabelledTree((0,), ((0,),), ((0.5,),))), "an answer to 0 in its tree, 0, is illegal"),
        (change(0, tree=LabelledTree((0,), ((1, 2),), ((0.5,),))), "2 answers and 1 values after the move 0"),
        (change(0, tree=LabelledTree((0,), ((1,),), ((2.0,),))), "from 0 to 1, not 2.0"),
        (change(2, tree=LabelledTree((PASS,), ((0,),), ((1.0,),))), "game is over"),
        (replace(small(), width=1), "position 0 "),
        (replace(small(), width=77), "a Go board is 1x1 to 19x19, not 77x2"),
        (replace(small(), rules="japanese"), "territory scoring"),
    ],
)
def test_what_is_no_data_set_is_not_saved(data: DataSet, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataSetError, match=message):
        data.save(tmp_path / "data.parquet")
    assert list(tmp_path.iterdir()) == []


def rewrite(path: Path, table: Any, **header: Any) -> None:  # noqa: ANN401
    """The same file with other columns, or another header."""
    told = {**json.loads(table.schema.metadata[b"katachi"]), **header}
    parquet.write_table(table.replace_schema_metadata({b"katachi": json.dumps(told).encode()}), path)


def test_files_that_are_something_else(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    with pytest.raises(DataSetError, match=f"{path}: No such file"):
        DataSet.load(path)
    path.write_bytes(b"not at all")
    with pytest.raises(DataSetError, match="is no Parquet file, or a damaged one"):
        DataSet.load(path)
    parquet.write_table(pyarrow.table({"a": [1]}), path)
    with pytest.raises(DataSetError, match="its schema has no key 'katachi'"):
        DataSet.load(path)
    small().save(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataSetError, match="is no Parquet file, or a damaged one"):
        DataSet.load(path)


def test_files_with_a_changed_byte_are_refused_or_say_the_same(tmp_path: Path) -> None:
    """Pages have checksums. Not what stands behind them: the schema, and what is known of the columns."""
    path, refused = tmp_path / "data.parquet", 0
    small().save(path)
    content = path.read_bytes()
    end = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    for i in range(4, end):
        path.write_bytes(content[:i] + bytes([content[i] ^ 0x10]) + content[i + 1 :])
        try:
            assert DataSet.load(path) == small()
        except DataSetError:
            refused += 1
    assert refused > 0.6 * end


def test_files_with_something_missing_or_wrong(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    small().save(path)
    table = parquet.read_table(path)
    rewrite(path, table.drop_columns(["best"]))
    with pytest.raises(DataSetError, match="has no column 'best', only moves, value"):
        DataSet.load(path)
    small().save(path)
    path.write_bytes(path.read_bytes().replace(b"simulations", b"\xffimulations"))  # names are UTF-8
    with pytest.raises(DataSetError, match="is no Parquet file, or a damaged one"):
        DataSet.load(path)
    rewrite(path, table.set_column(1, "value", pyarrow.array([1, 2, 3, 4])))
    with pytest.raises(DataSetError, match="its column 'value' holds int64, not double"):
        DataSet.load(path)
    rewrite(path, table.set_column(1, "value", pyarrow.array([0.5, None, 0.5, 0.5])))
    with pytest.raises(DataSetError, match=str(path)):
        DataSet.load(path)
    for header, message in (
        ({"version": 2}, "is no data set of version 1: .*'version': 2"),
        ({"width": "2"}, "have '2' as 'width'"),
        ({"komi": True}, "have True as 'komi'"),
        ({"width": 3}, "position 0 of the data set: .*best move|position"),
        ({"rules": "chess"}, "there are no rules called 'chess'"),
    ):
        rewrite(path, table, **header)
        with pytest.raises(DataSetError, match=message):
            DataSet.load(path)


def test_a_split_is_by_game() -> None:
    positions = [LabelledPosition((), 0.5, 0, 1, number // 3) for number in range(60)]
    data = DataSet(2, 2, 0.5, "cgos", positions)
    rest, held_out = data.split(0.25, Rng(1))
    groups = {position.group for position in held_out.positions}
    assert len(groups) == 5
    assert groups.isdisjoint(position.group for position in rest.positions)
    assert len(rest.positions) + len(held_out.positions) == 60
    assert rest.positions == [position for position in positions if position.group not in groups]
    assert data.split(0.25, Rng(1)) == (rest, held_out)
    assert data.split(0.25, Rng(2)) != (rest, held_out)
    assert len({position.group for position in data.split(0.001, Rng(1))[1].positions}) == 1
    assert len({position.group for position in data.split(0.999, Rng(1))[0].positions}) == 1


@pytest.mark.parametrize("fraction", [0.0, 1.0, -1.0, float("nan")])
def test_a_split_into_nothing_is_refused(fraction: float) -> None:
    with pytest.raises(InvalidArgumentError, match="between 0 and 1, not"):
        small().split(fraction, Rng(1))


def test_one_game_cannot_be_split() -> None:
    with pytest.raises(InvalidArgumentError, match=r"several games .* not one of 1"):
        DataSet(2, 2, 0.5, "cgos", small().positions[:2]).split(0.5, Rng(1))


def test_without_pyarrow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    usual = builtins.__import__

    def no_pyarrow(name: str, *rest: Any) -> Any:  # noqa: ANN401
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return usual(name, *rest)

    monkeypatch.setattr(builtins, "__import__", no_pyarrow)
    with pytest.raises(InvalidArgumentError, match=r"pip install 'katachi\[data\]'"):
        small().save(tmp_path / "data.parquet")
