"""The experiments: every folder here that has an `experiment.toml`. Nothing has to be registered by hand."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module, resources
from typing import Any, cast

from katachi.core.errors import KatachiError, ParseError, SettingsError, UnknownNameError
from katachi.core.settings import did_you_mean
from katachi.experiments.experiment import SCALES, Claim, Description, Runner, ScaleSettings
from katachi.experiments.ledger import load_ledger

__all__ = ["Experiment", "experiment", "load_experiments", "read_description"]


@dataclass(frozen=True)
class Experiment:
    """A folder: what it says, and its runner, which is imported when it is needed."""

    description: Description
    folder: str

    @property
    def id(self) -> str:
        """Its name for people."""
        return self.description.id

    @property
    def claim(self) -> Claim:
        """What it puts to the test."""
        return self.description.claim

    @property
    def runner(self) -> Runner:
        """Its functions."""
        return cast(Runner, import_module(f"katachi.experiments.{self.folder}.runner"))

    def at(self, scale: str) -> ScaleSettings:
        """One size of it."""
        scales = self.description.scale
        if scale not in scales:
            raise UnknownNameError(f"experiment {self.id!r} has no scale {scale!r}: {did_you_mean(scale, scales)}")
        return scales[scale]

    def settings(self, scale: str, seed: int) -> dict[str, Any]:
        """What its runner gets."""
        return {**self.at(scale).settings, "seed": seed}


@cache
def load_experiments() -> Mapping[str, Experiment]:
    """All of them by id, in the order of the alphabet."""
    found = {}
    for folder in sorted(resources.files("katachi.experiments").iterdir(), key=lambda entry: entry.name):
        file = folder / "experiment.toml"
        if file.is_file():
            found_here = Experiment(read_description(folder.name, file.read_text(encoding="utf-8")), folder.name)
            found[found_here.id] = found_here
    return found


def read_description(folder: str, text: str) -> Description:
    """The description of a folder, checked against its name and the ledger."""
    where = f"{folder}/experiment.toml"
    try:
        found = Description.from_mapping(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ParseError(f"{where} is not TOML: {error}") from None
    except KatachiError as error:
        raise SettingsError(f"{where}: {error}") from None
    if found.id.replace("-", "_") != folder:
        raise SettingsError(f"{where}: the folder of {found.id!r} must be called {found.id.replace('-', '_')!r}")
    missing = [scale for scale in SCALES if scale not in found.scale]
    if missing:
        raise SettingsError(f"{where}: no settings for {', '.join(missing)}")
    ledger = {row.id: row for row in load_ledger()}
    of_source = [row.id for row in ledger.values() if row.source == found.source]
    for place, name in enumerate(found.rows):
        known = list(ledger) if place else of_source  # another source may claim the same
        if name not in known:
            close = get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f": did you mean {close[0]!r}?" if close else ""
            raise SettingsError(f"{where}: {found.source} has no ledger row {name!r}{hint}")
    return found


def experiment(id: str) -> Experiment:
    """The one of that id; a ledger row that waits for its experiment is told so."""
    experiments = load_experiments()
    if id in experiments:
        return experiments[id]
    for row in load_ledger():
        if row.id == id:
            state = f"is not reproducible: {row.reason}" if row.reason else f"is {row.status}"
            state = f"is answered by experiment {row.experiment!r}" if row.experiment else state
            raise UnknownNameError(f"{id!r} is a row of the ledger, no experiment; it {state}")
    names = [*experiments, *(row.id for row in load_ledger()), "list", "report"]
    close = get_close_matches(id, names, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise UnknownNameError(
        f"there is no experiment called {id!r}: {hint}known: {', '.join(experiments)}; "
        "`katachi reproduce list` shows everything"
    )
