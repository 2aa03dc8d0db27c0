"""Data sets of labelled Go positions, as Parquet files: what playout policies are learnt from and measured by.

A position is the moves that lead to it, passes included, so that ko is exact. Its value is Black's, from 0 to 1, by a
deep search; `best` is the move which that would play; a tree has the values of all that two moves may lead to.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from katachi._core import Rng
from katachi.core.errors import InvalidArgumentError, StoreError
from katachi.core.files import write_whole
from katachi.core.types import Action
from katachi.games.go.game import GoGame
from katachi.games.go.position import Position

__all__ = ["DataSet", "LabelledPosition", "LabelledTree"]

_KEY = b"katachi"


@dataclass(frozen=True)
class LabelledTree:
    """All moves, the answers to each, and Black's values of what these lead to.

    Where a move ends the game there are no answers, and the one value is the outcome.
    """

    first: tuple[int, ...]
    second: tuple[tuple[int, ...], ...]
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class LabelledPosition:
    """A position and what a deep search thinks of it."""

    moves: tuple[int, ...]  # actions from the empty board
    value: float  # Black's, 0 to 1
    best: int  # the expert's action
    simulations: int  # of the search
    group: int  # number of the random game that it is of
    tree: LabelledTree | None = None


@dataclass(frozen=True)
class DataSet:
    """Positions of one size of board, and the rules that they were valued under."""

    width: int
    height: int
    komi: float
    rules: str
    positions: list[LabelledPosition]
    settings: Mapping[str, Any] = field(default_factory=dict)  # of whoever made it, as JSON has it

    @cached_property
    def game(self) -> GoGame:
        """Go on this board under these rules."""
        return GoGame((self.width, self.height), self.rules, self.komi)

    def state(self, labelled: LabelledPosition) -> Position:
        """The position itself."""
        position = self.game.initial_state()
        for action in labelled.moves:
            position = position.play(Action(action))
        return position

    def split(self, fraction: float, rng: Rng) -> "tuple[DataSet, DataSet]":
        """(what is left, a held-out part with about this fraction of the groups). Advances `rng`."""
        groups = sorted({position.group for position in self.positions})
        if not 0 < fraction < 1:
            raise InvalidArgumentError(f"the held-out fraction is between 0 and 1, not {fraction}")
        if len(groups) < 2:
            raise InvalidArgumentError(f"only a data set of several games can be split, not one of {len(groups)}")
        held_out = set()
        for _ in range(min(max(1, round(fraction * len(groups))), len(groups) - 1)):
            held_out.add(groups.pop(rng.below(len(groups))))
        parts = ([p for p in self.positions if (p.group in held_out) == is_held_out] for is_held_out in (False, True))
        training, test = (
            DataSet(self.width, self.height, self.komi, self.rules, part, self.settings) for part in parts
        )
        return training, test

    def save(self, path: Path | str) -> None:
        """Writes a file, whole or not at all."""
        pyarrow, parquet = _libraries()
        trees = [position.tree for position in self.positions]
        table = pyarrow.table(
            {
                "moves": pyarrow.array([list(p.moves) for p in self.positions], pyarrow.list_(pyarrow.int16())),
                "value": pyarrow.array([p.value for p in self.positions], pyarrow.float64()),
                "best": pyarrow.array([p.best for p in self.positions], pyarrow.int16()),
                "simulations": pyarrow.array([p.simulations for p in self.positions], pyarrow.int64()),
                "group": pyarrow.array([p.group for p in self.positions], pyarrow.int64()),
                "first": pyarrow.array(
                    [None if tree is None else list(tree.first) for tree in trees], pyarrow.list_(pyarrow.int16())
                ),
                "second": pyarrow.array(
                    [None if tree is None else [list(each) for each in tree.second] for tree in trees],
                    pyarrow.list_(pyarrow.list_(pyarrow.int16())),
                ),
                "values": pyarrow.array(
                    [None if tree is None else [list(each) for each in tree.values] for tree in trees],
                    pyarrow.list_(pyarrow.list_(pyarrow.float64())),
                ),
            }
        )
        about = {"width": self.width, "height": self.height, "komi": self.komi, "rules": self.rules}
        about["settings"] = dict(self.settings)
        table = table.replace_schema_metadata({_KEY: json.dumps(about, sort_keys=True).encode()})
        sink = pyarrow.BufferOutputStream()
        parquet.write_table(table, sink)
        try:
            write_whole(path, sink.getvalue().to_pybytes())
        except OSError as error:
            raise StoreError(f"{path}: cannot be written: {error.strerror}") from None

    @classmethod
    def load(cls, path: Path | str) -> "DataSet":
        """Reads a file; whatever is wrong with it is a StoreError with its path."""
        pyarrow, parquet = _libraries()
        try:
            table = parquet.read_table(str(path))
            about = json.loads(table.schema.metadata[_KEY])
            positions = [_position(row) for row in table.to_pylist()]
            return cls(
                width=int(about["width"]),
                height=int(about["height"]),
                komi=float(about["komi"]),
                rules=str(about["rules"]),
                positions=positions,
                settings=about.get("settings", {}),
            )
        except FileNotFoundError:
            raise StoreError(f"{path}: there is no such file") from None
        except (OSError, ValueError, KeyError, TypeError, pyarrow.ArrowException) as error:
            raise StoreError(f"{path}: is damaged or no data set of Katachi's: {error}") from None


def _position(row: Mapping[str, Any]) -> LabelledPosition:
    tree = None
    if row["first"] is not None:
        tree = LabelledTree(tuple(row["first"]), tuple(map(tuple, row["second"])), tuple(map(tuple, row["values"])))
    return LabelledPosition(tuple(row["moves"]), row["value"], row["best"], row["simulations"], row["group"], tree)


def _libraries() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InvalidArgumentError("data sets need pyarrow: pip install 'katachi[data]'") from None
    return pyarrow, parquet
