"""Positions of Go with what they are worth: what playout policies learn from (Silver and Tesauro 2009, section 6).

    data = DataSet.load(Path("labels.parquet"))
    training, held_out = data.split(0.2, Rng(1))
    position = data.state(data.positions[0])

A file is Parquet (extra `katachi[data]`), one row for each position, with board, rules and the settings of the labels
as JSON in its schema. Who makes the labels is katachi.training.labels; the manual is docs/labels.md.
"""

import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

from katachi._core import Rng
from katachi.core.errors import DataSetError, IllegalMoveError, InvalidArgumentError, KatachiError
from katachi.core.files import write_whole
from katachi.core.types import Player
from katachi.games.go.game import GoGame
from katachi.games.go.position import Position

__all__ = ["DataSet", "LabelledPosition", "LabelledTree", "replay", "require_libraries"]

_KEY = b"katachi"
_KIND = "data set"
_VERSION = 1
_COLUMNS = ("moves", "value", "best", "simulations", "group", "tree_first", "tree_second", "tree_values")


@dataclass(frozen=True)
class LabelledTree:
    """All candidates of a position, all of each answer, and what is behind them (two-step balancing, section 5.2)."""

    first: tuple[int, ...]  # candidates of the position
    second: tuple[tuple[int, ...], ...]  # of the position after each of them; none where the game is over then
    values: tuple[tuple[float, ...], ...]  # Black's, of each leaf; the one outcome where the game is over


@dataclass(frozen=True)
class LabelledPosition:
    """A position by its moves, and what a deep search says of it."""

    moves: tuple[int, ...]  # actions from the empty board, passes included: ko and superko are exact
    value: float  # Black's, 0 to 1
    best: int  # the action that the expert would play
    simulations: int  # of the search
    group: int  # the number of the random game that it is from
    tree: LabelledTree | None = None


@dataclass(frozen=True)
class DataSet:
    """Labelled positions on one board under one rule set."""

    width: int
    height: int
    komi: float
    rules: str  # by name
    positions: list[LabelledPosition]
    settings: Mapping[str, Any] = field(default_factory=dict)  # how the labels were made

    @cached_property
    def game(self) -> GoGame:
        """Go on this board under these rules."""
        try:
            return GoGame((self.width, self.height), self.rules, self.komi)
        except KatachiError as error:
            raise DataSetError(f"a data set needs a board and rules of Go: {error}") from error

    def state(self, labelled: LabelledPosition) -> Position:
        """The position itself; moves that the rules forbid are an IllegalMoveError."""
        return replay(self.game, labelled.moves)

    def split(self, fraction: float, rng: Rng) -> "tuple[DataSet, DataSet]":
        """(what is left, a held-out part with about this fraction of the groups).

        Positions of one game are alike, so a game goes as a whole. Advances `rng`.
        """
        groups = sorted({position.group for position in self.positions})
        if not 0 < fraction < 1:
            raise InvalidArgumentError(f"the held-out fraction is between 0 and 1, not {fraction}")
        if len(groups) < 2:
            raise InvalidArgumentError(f"only a data set of several games can be split, not one of {len(groups)}")
        for i in range(len(groups) - 1, 0, -1):
            j = rng.below(i + 1)
            groups[i], groups[j] = groups[j], groups[i]
        count = min(max(1, round(fraction * len(groups))), len(groups) - 1)
        held_out = set(groups[:count])
        return self._part(held_out, inside=False), self._part(held_out, inside=True)

    def _part(self, groups: set[int], *, inside: bool) -> "DataSet":
        chosen = [position for position in self.positions if (position.group in groups) == inside]
        return DataSet(self.width, self.height, self.komi, self.rules, chosen, self.settings)

    def fingerprint(self) -> str:
        """Of board, rules and labels, however they were made."""
        digest = sha256(f"{self.width}x{self.height} {self.komi} {self.rules}".encode())
        for position in self.positions:
            digest.update(repr(position).encode())
        return digest.hexdigest()[:16]

    def check(self) -> None:
        """A DataSetError that names the first position which is none of this game, or whose labels are no labels."""
        for number, labelled in enumerate(self.positions):
            try:
                self._check_position(labelled)
            except (DataSetError, IllegalMoveError) as error:
                raise DataSetError(f"position {number} of the data set: {error}") from error

    def _check_position(self, labelled: LabelledPosition) -> None:
        state = self.state(labelled)
        if state.is_over:
            raise DataSetError(f"the game is over after the moves {list(labelled.moves)}")
        _check_moves(state, (labelled.best,), "its best move")
        _check_values((labelled.value,))
        if labelled.simulations < 0 or labelled.group < 0:
            raise DataSetError(f"{labelled.simulations} simulations in group {labelled.group}: neither is negative")
        if labelled.tree is not None:
            _check_tree(state, labelled.tree)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file, whole or not at all."""
        self.check()
        pyarrow, parquet = require_libraries()
        columns = [list(column) for column in zip(*map(_row, self.positions), strict=True)] or [[] for _ in _COLUMNS]
        header = {
            "kind": _KIND,
            "version": _VERSION,
            **{name: getattr(self, name) for name in ("width", "height", "komi", "rules")},
            "settings": dict(self.settings),
        }
        schema = _schema(pyarrow).with_metadata({_KEY: json.dumps(header).encode()})
        table = pyarrow.table(dict(zip(_COLUMNS, columns, strict=True)), schema=schema)
        content = io.BytesIO()
        parquet.write_table(table, content, compression="zstd", write_page_checksum=True)
        try:
            write_whole(path, content.getvalue())
        except OSError as error:
            raise DataSetError(f"{path}: {error.strerror or error}") from error

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "DataSet":
        """Reads a file; one that is missing, damaged or something else is a DataSetError."""
        pyarrow, parquet = require_libraries()
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise DataSetError(f"{path}: {error.strerror or error}") from error
        try:
            # Not read_table: threads of its reader may still drop the content when the interpreter is already ending.
            file = parquet.ParquetFile(pyarrow.BufferReader(content), page_checksum_verification=True)
            table = file.read(use_threads=False)
            names = table.column_names
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise DataSetError(f"{path} is no Parquet file, or a damaged one: {error}") from error
        header = _header((table.schema.metadata or {}).get(_KEY), path)
        for wanted in _schema(pyarrow):
            if wanted.name not in names:
                raise DataSetError(f"{path} has no column {wanted.name!r}, only {', '.join(names)}")
            found = table.schema.field(wanted.name).type
            if found != wanted.type:
                raise DataSetError(f"{path}: its column {wanted.name!r} holds {found}, not {wanted.type}")
        rows = zip(*(table.column(name).to_pylist() for name in _COLUMNS), strict=True)
        try:
            positions = [_labelled(*row) for row in rows]
            data = cls(**header, positions=positions)
            data.check()
        except (DataSetError, TypeError) as error:  # TypeError: nothing where something must be
            raise DataSetError(f"{path}: {error}") from error
        return data


def replay(game: GoGame, moves: Iterable[int]) -> Position:
    """The position after moves from the empty board, Black's first."""
    players = (Player.BLACK, Player.WHITE)
    return game.initial_state().play_all((players[i % 2], move) for i, move in enumerate(moves))


def _check_moves(state: Position, moves: Sequence[int], what: str) -> None:
    for move in moves:
        reason = state.illegality(move)
        if reason is not None:
            raise DataSetError(f"{what}, {move}, is illegal: {reason}\n{state}")


def _check_values(values: Sequence[float]) -> None:
    for value in values:
        if not (isfinite(value) and 0 <= value <= 1):
            raise DataSetError(f"a value is Black's, from 0 to 1, not {value}")


def _check_tree(state: Position, tree: LabelledTree) -> None:
    if not len(tree.first) == len(tree.second) == len(tree.values) > 0:
        lengths = f"{len(tree.first)} moves, {len(tree.second)} lists of answers, {len(tree.values)} lists of values"
        raise DataSetError(f"a tree has as many answers and values as moves, not {lengths}")
    _check_moves(state, tree.first, "a move of its tree")
    for move, answers, values in zip(tree.first, tree.second, tree.values, strict=True):
        after = state.play(move)
        _check_moves(after, answers, f"an answer to {move} in its tree")
        _check_values(values)
        if len(values) != (1 if after.is_over else len(answers)) or (after.is_over == bool(answers)):
            raise DataSetError(f"its tree has {len(answers)} answers and {len(values)} values after the move {move}")


def _row(labelled: LabelledPosition) -> tuple[Any, ...]:
    tree = labelled.tree
    told = (labelled.moves, labelled.value, labelled.best, labelled.simulations, labelled.group)
    return (*told, *((None, None, None) if tree is None else (tree.first, tree.second, tree.values)))


def _labelled(
    moves: list[int],
    value: float,
    best: int,
    simulations: int,
    group: int,
    first: list[int] | None,
    second: list[list[int]],
    values: list[list[float]],
) -> LabelledPosition:
    tree = None
    if first is not None:
        tree = LabelledTree(tuple(first), tuple(map(tuple, second)), tuple(map(tuple, values)))
    return LabelledPosition(tuple(moves), value, best, simulations, group, tree)


def _header(text: bytes | None, path: object) -> dict[str, Any]:
    if text is None:
        raise DataSetError(f"{path} is no data set of Katachi: its schema has no key {_KEY.decode()!r}")
    try:
        header = json.loads(text)
    except ValueError as error:
        raise DataSetError(f"{path}: its settings are not JSON: {error}") from error
    if not isinstance(header, dict) or (header.get("kind"), header.get("version")) != (_KIND, _VERSION):
        raise DataSetError(f"{path} is no data set of version {_VERSION}: {str(header)[:200]}")
    kinds = {"width": int, "height": int, "komi": (int, float), "rules": str, "settings": dict}
    for name, kind in kinds.items():
        if not isinstance(header.get(name), kind) or isinstance(header[name], bool):  # type: ignore[arg-type]
            raise DataSetError(f"{path}: its settings have {header.get(name)!r} as {name!r}")
    return {name: header[name] for name in kinds}


def _schema(pyarrow: Any) -> Any:  # noqa: ANN401  (the library is optional)
    action, number, integer = pyarrow.int16(), pyarrow.float64(), pyarrow.int64()
    kinds = (
        pyarrow.list_(action), number, action, integer, integer,
        pyarrow.list_(action), pyarrow.list_(pyarrow.list_(action)), pyarrow.list_(pyarrow.list_(number)),
    )  # fmt: skip
    return pyarrow.schema(list(zip(_COLUMNS, kinds, strict=True)))


def require_libraries() -> tuple[Any, Any]:
    """pyarrow and its part for Parquet, which are optional; an error that says how to get them."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InvalidArgumentError("data sets need pyarrow: pip install 'katachi[data]'") from None
    return pyarrow, parquet
