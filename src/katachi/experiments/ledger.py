"""The ledger: what the five sources claim, row by row, and what has become of each claim here.

A row is a table, a figure, an experiment or a headline result of a source. It is pending until an experiment answers
it; some cannot be answered (a server that no longer exists, say) and give the reason. The rows live in `ledger.toml`; a
test holds their ids against a committed list, so that none disappears unnoticed. Running experiments is not done here.
"""

import tomllib
from collections import Counter
from difflib import get_close_matches
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Literal, Self, get_args

from pydantic import Field, model_validator

from katachi.core.errors import ParseError, SettingsError, UnknownNameError
from katachi.core.settings import Settings, did_you_mean

__all__ = ["SOURCES", "Kind", "LedgerRow", "Source", "Status", "load_ledger", "read_ledger", "row", "rows_of"]

Source = Literal["Silver 2009", "Gelly & Silver 2008", "Silver & Tesauro 2009", "Vodopivec 2018", "Ekker 2003"]
Kind = Literal["table", "figure", "experiment", "headline"]
Status = Literal["pending", "done", "not reproducible"]

SOURCES: tuple[Source, ...] = get_args(Source)

_TEXT = r"^\S(.*\S)?$"  # One line, not empty, no blanks around it.
_NAME = r"^[a-z0-9]+(-[a-z0-9]+)*$"


class LedgerRow(Settings):
    """One claim of one source."""

    id: str = Field(pattern=_NAME, description="Kebab case, unique, never changed.")
    source: Source = Field(description="Author and year.")
    kind: Kind = Field(
        description="What the source shows: a table, a figure, an experiment in its text, or a headline."
    )
    where: str = Field(pattern=_TEXT, description="Section, table or figure in the source.")
    claim: str = Field(pattern=_TEXT, description="What the source claims, with its numbers, in our words.")
    bar: str | None = Field(default=None, pattern=_TEXT, description="Headlines only: what we must show.")
    status: Status = Field(description="Whether an experiment has answered it, or never can.")
    reason: str | None = Field(default=None, pattern=_TEXT, description="Why it is not reproducible.")
    experiment: str | None = Field(default=None, pattern=_NAME, description="The id of the experiment that answers it.")

    @model_validator(mode="after")
    def _check_fields_of_status_and_kind(self) -> Self:
        needs = [
            ("bar", self.bar, self.kind == "headline", f"a row of kind {self.kind!r}"),
            ("reason", self.reason, self.status == "not reproducible", f"a row that is {self.status!r}"),
            ("experiment", self.experiment, self.status == "done", f"a row that is {self.status!r}"),
        ]
        for name, value, needed, what in needs:
            if needed and value is None:
                raise ValueError(f"{what} needs a value for {name!r}")
            if not needed and value is not None:
                raise ValueError(f"{what} has no {name!r}")
        return self


@cache
def load_ledger() -> tuple[LedgerRow, ...]:
    """Every row, in the order of the sources."""
    return read_ledger(resources.files("katachi.experiments") / "ledger.toml")


def read_ledger(file: Traversable) -> tuple[LedgerRow, ...]:
    """The rows of one TOML file, checked: each by itself, and that no id occurs twice."""
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ParseError(f"{file.name} is not TOML: {error}") from None
    tables = document.pop("row", [])
    if document or not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ParseError(f"{file.name} holds tables [[row]] and nothing else, not {', '.join(document) or 'row'}")
    rows = tuple(_read_row(file.name, number, table) for number, table in enumerate(tables, start=1))
    twice = [name for name, count in Counter(entry.id for entry in rows).items() if count > 1]
    if twice:
        raise SettingsError(f"{file.name} has more than one row called {', '.join(map(repr, twice))}")
    return rows


def _read_row(file: str, number: int, table: dict[str, object]) -> LedgerRow:
    try:
        return LedgerRow.from_mapping(table)
    except SettingsError as error:
        raise SettingsError(f"{file}, row {number} ({table.get('id', 'without id')}): {error}") from None


def rows_of(source: str) -> tuple[LedgerRow, ...]:
    """The rows of one source."""
    if source not in SOURCES:
        raise UnknownNameError(f"there is no source called {source!r}: {did_you_mean(source, SOURCES)}")
    return tuple(entry for entry in load_ledger() if entry.source == source)


def row(id: str) -> LedgerRow:
    """The row of that id."""
    rows = {entry.id: entry for entry in load_ledger()}
    if id not in rows:
        close = get_close_matches(id, rows, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
        raise UnknownNameError(
            f"there is no ledger row called {id!r}: {hint}`katachi reproduce list` shows all {len(rows)}"
        )
    return rows[id]
