"""What an experiment is: a folder with a claim and settings (`experiment.toml`) and a runner (`runner.py`).

Settings go in, rows come out, and tables, verdicts and figures are pure functions of the rows. Which experiments there
are is known to katachi.experiments.registry; where results are kept, to katachi.experiments.results.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, get_args

from pydantic import Field

from katachi.arena.executor import Executor
from katachi.core.json_lines import append_row, read_rows
from katachi.core.settings import Settings
from katachi.experiments.ledger import Source

__all__ = [
    "OURS", "SCALES", "VERDICTS", "Answer", "Claim", "Description", "Progress", "Row", "Runner", "Scale",
    "ScaleSettings", "Summary", "Verdict", "append_row", "read_rows", "summary_of",
]  # fmt: skip

Row: TypeAlias = dict[str, Any]
Scale = Literal["smoke", "quick", "full"]
Verdict = Literal["reproduced", "partly", "not"]
Progress: TypeAlias = Callable[[int, str], object]  # rows so far, and a word about them

SCALES: tuple[Scale, ...] = get_args(Scale)
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
OURS = "Katachi"  # the source of what no source has

_NAME = r"^[a-z0-9]+(-[a-z0-9]+)*$"


class Claim(Settings):
    """What a source says, or what we expect where there is no source."""

    text: str = Field(min_length=1, description="In our words, with the source's numbers.")
    numbers: dict[str, Any] = Field(default_factory=dict, description="The source's numbers, for tables and figures.")


class ScaleSettings(Settings):
    """One size of an experiment."""

    core_seconds: float = Field(gt=0, description="What it costs on one core, measured.")
    settings: dict[str, Any] = Field(description="The runner's own; the seed is added to them.")


class Description(Settings):
    """What `experiment.toml` holds."""

    id: str = Field(pattern=_NAME, description="Kebab case; the folder has underscores instead.")
    title: str = Field(min_length=1, description="One line.")
    source: Source | Literal["Katachi"] = Field(description="As in the ledger, or Katachi for our own.")
    where: str = Field(min_length=1, description="Section, table or figure of the source.")
    rows: list[str] = Field(description="Ids of the ledger rows that it answers, first one of its source.")
    claim: Claim = Field(description="What is put to the test.")
    scale: dict[Scale, ScaleSettings] = Field(description="smoke: seconds; quick: minutes; full: the source's size.")


@dataclass(frozen=True)
class Answer:
    """What an experiment says about one row of the ledger."""

    verdict: Verdict
    result: str  # one sentence


@dataclass(frozen=True)
class Summary:
    """What the rows say; `answers` where the ledger's rows have verdicts of their own."""

    columns: Sequence[str]
    table: Sequence[Sequence[str]]
    result: str  # one sentence
    verdict: Verdict
    reason: str
    answers: Mapping[str, Answer] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        told = asdict(self)
        return told if self.answers else {key: value for key, value in told.items() if key != "answers"}


def summary_of(columns: Sequence[str], table: Sequence[Sequence[str]], answers: Mapping[str, Answer]) -> Summary:
    """A summary whose verdict is that of all answers: reproduced or not if they agree, else partly."""
    by_verdict = {verdict: [id for id, answer in answers.items() if answer.verdict == verdict] for verdict in VERDICTS}
    counts = {verdict: len(ids) for verdict, ids in by_verdict.items()}
    overall: Verdict = next((verdict for verdict in VERDICTS if counts[verdict] == len(answers)), "partly")
    result = (
        ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count) + f" of {len(answers)} claims"
    )
    open_ids = [*by_verdict["partly"], *by_verdict["not"]]
    reason = "; ".join(f"{id}: {answers[id].result}" for id in open_ids) or "every claim holds"
    return Summary(columns, table, result, overall, reason, dict(answers))


class Runner(Protocol):
    """What the module `runner` of an experiment's folder offers."""

    def total(self, settings: Mapping[str, Any]) -> int:
        """How many rows there will be."""

    def run(self, settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
        """Appends JSON lines; rows that are there already are not made again."""

    def summarise(self, rows: Sequence[Row], claim: Claim) -> Summary:
        """Table and verdict: a pure function."""

    def draw(self, rows: Sequence[Row], claim: Claim, path: Path) -> None:
        """Writes `path` with the suffixes .png and .svg: a pure function of the rows, too."""
