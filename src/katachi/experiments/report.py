"""One page about everything: what every ledger row and every experiment came to, as HTML, Markdown and JSON."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from katachi.core.errors import StoreError, UnknownNameError
from katachi.core.settings import did_you_mean
from katachi.experiments.experiment import OURS, read_rows
from katachi.experiments.ledger import SOURCES, LedgerRow, load_ledger
from katachi.experiments.registry import Experiment, load_experiments
from katachi.experiments.results import Result, draw_figure, find_results, save_text

__all__ = ["damaged", "listing", "report_json", "write_report"]

Entry = dict[str, Any]
Results = Mapping[str, Sequence[Result]]
Damage = Mapping[str, Sequence[str]]  # by id of the experiment: a file, what ails it and what to do

_STYLE = """body { font: 16px/1.45 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; font-size: 14px }
td, th { border: 1px solid #ccc; padding: 2px 8px; text-align: left; vertical-align: top }
img { max-width: 100% }"""


def listing(out: Path, source: str | None = None) -> list[Entry]:
    """One entry for every row of the ledger, and for every experiment that no source has."""
    sources = (*SOURCES, OURS)
    if source is not None and source not in sources:
        raise UnknownNameError(f"there is no source called {source!r}: {did_you_mean(source, sources)}")
    results, damage = _find(out)
    entries = [_ledger_entry(row, damage) for row in load_ledger()]
    for found in _own():
        status = "done" if found.id in results else "pending"
        entries.append(_own_entry(found, status, damage))
    return [entry for entry in entries if source is None or entry["source"] == source]


def report_json(results: Results, damage: Damage | None = None) -> Entry:
    """Every row of the ledger and every experiment, with its verdict and the results that cannot be read."""
    damage = damage or {}
    entries = []
    for row in load_ledger():
        best = None if row.experiment is None else next(iter(results.get(row.experiment, ())), None)
        entry = _ledger_entry(row, damage)
        # A row that nobody can answer is not reproduced; its status tells that from one that failed.
        if row.status == "not reproducible":
            told: Entry = {"result": f"not reproducible: {row.reason}", "verdict": "not"}
        elif best is None:
            told = {"result": None, "verdict": "pending"}
        else:
            told = {"result": best.sentence_for(row.id), "verdict": best.verdict_for(row.id)}
        entries.append({**entry, **told})
    for found in load_experiments().values():
        best = next(iter(results.get(found.id, ())), None)
        entry = _own_entry(found, "pending" if best is None else "done", damage)
        if best is None:
            entries.append({**entry, "result": None, "verdict": "pending"})
            continue
        detail = {"scale": best.scale, "table": _table_json(best)}
        why = best.summary.reason
        entries.append({**entry, "result": best.sentence, "verdict": best.summary.verdict, "reason": why, **detail})
    return {"experiments": entries}


def write_report(out: Path) -> tuple[Path, Path, Entry]:
    """Writes report.html and report.md below `out`, with figures; gives their paths and what --json prints."""
    results, damage = _find(out)
    told = report_json(results, damage)
    page, text = out / "report.html", out / "report.md"
    try:
        figures = _draw_all(results, out / "figures")
        html = _html(results, told["experiments"], figures)
    except OSError as error:
        raise StoreError(f"{error.filename or out}: {error.strerror or error}") from error
    save_text(page, html)
    save_text(text, _markdown(results, told["experiments"], figures))
    return page, text, told


def damaged(entries: Sequence[Entry]) -> list[str]:
    """What the entries say about results that cannot be read, each once."""
    return list(dict.fromkeys(message for entry in entries for message in entry["damaged"]))


def _find(out: Path) -> tuple[Results, Damage]:
    damage: dict[str, list[str]] = {}
    return find_results(out, lambda id, message: damage.setdefault(id, []).append(message)), damage


def _own() -> list[Experiment]:
    return [found for found in load_experiments().values() if found.description.source == OURS]


def _ledger_entry(row: LedgerRow, damage: Damage) -> Entry:
    return {
        "id": row.id,
        "source": row.source,
        "kind": row.kind,
        "where": row.where,
        "claim": row.claim,
        "status": row.status,
        "reason": row.reason,
        "experiment": row.experiment,
        "damaged": list(damage.get(row.experiment or "", ())),
    }


def _own_entry(found: Experiment, status: str, damage: Damage) -> Entry:
    return {
        "id": found.id,
        "source": found.description.source,
        "kind": "experiment",
        "where": found.description.where,
        "claim": found.claim.text,
        "status": status,
        "reason": None,
        "experiment": found.id,
        "damaged": list(damage.get(found.id, ())),
    }


def _table_json(result: Result) -> list[dict[str, str]]:
    return [dict(zip(result.summary.columns, line, strict=True)) for line in result.summary.table]


def _draw_all(results: Results, folder: Path) -> dict[Path, Path]:
    """Figures by the folder of their result, since committed results have rows only.

    One is drawn again when its rows have changed, or the code that draws.
    """
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {}
    for id, some in results.items():
        found = load_experiments()[id]
        for number, result in enumerate(some):
            path, rows = folder / f"{id}-{result.scale}-{number}", result.folder / "rows.jsonl"
            drawn[result.folder] = path
            made_of, mark = _digest(id, rows), path.with_suffix(".sha256")
            if mark.is_file() and mark.read_text(encoding="utf-8") == made_of and path.with_suffix(".png").is_file():
                continue
            draw_figure(found, read_rows(rows), path)
            save_text(mark, made_of)
    return drawn


def _digest(id: str, rows: Path) -> str:
    """Of the rows and of all code and claims that a figure may depend on."""
    here = Path(__file__).parent
    files = [*here.glob("*.py"), *(here / id.replace("-", "_")).iterdir(), rows]
    digest = sha256()
    for file in sorted(file for file in files if file.is_file()):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _counts(entries: Sequence[Entry]) -> str:
    count = {name: sum(e["status"] == name for e in entries) for name in ("done", "pending", "not reproducible")}
    return ", ".join(f"{number} {name}" for name, number in count.items())


def _heading(result: Result) -> str:
    return f"{load_experiments()[result.id].description.title} ({result.id}, {result.scale})"


def _facts(result: Result) -> list[tuple[str, str]]:
    description = load_experiments()[result.id].description
    return [
        ("Source", f"{description.source}, {description.where}"),
        ("Claim", description.claim.text),
        ("Result", result.sentence),
        ("Verdict", f"{result.summary.verdict}: {result.summary.reason}"),
        ("Seed", str(result.seed)),
    ]


def _ledger_table(entries: Sequence[Entry]) -> tuple[list[str], list[list[str]]]:
    columns = ["id", "source", "where", "claim", "status", "verdict", "result"]
    return columns, [["" if entry[name] is None else str(entry[name]) for name in columns] for entry in entries]


def _html(results: Results, entries: Sequence[Entry], figures: Mapping[Path, Path]) -> str:
    parts = [
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Katachi: results</title>',
        f"<style>{_STYLE}</style>\n<h1>Katachi: results</h1>\n<p>{escape(_counts(entries))}.</p>",
        *(f"<p><b>Damaged, and left out:</b> {escape(message)}</p>" for message in damaged(entries)),
    ]
    for some in results.values():
        for result in some:
            parts.append(f"<h2>{escape(_heading(result))}</h2>")
            parts += [f"<p><b>{escape(name)}:</b> {escape(text)}</p>" for name, text in _facts(result)]
            image = b64encode(figures[result.folder].with_suffix(".svg").read_bytes()).decode()
            parts.append(f'<p><img alt="{escape(_heading(result))}" src="data:image/svg+xml;base64,{image}"></p>')
            parts.append(_html_table(result.summary.columns, result.summary.table))
    parts += ["<h2>The ledger</h2>", _html_table(*_ledger_table(entries)), "</html>"]
    return "\n".join(parts) + "\n"


def _html_table(columns: Sequence[str], table: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    lines = ["".join(f"<td>{escape(cell)}</td>" for cell in line) for line in table]
    return "<table>\n" + "\n".join(f"<tr>{line}</tr>" for line in (head, *lines)) + "\n</table>"


def _markdown(results: Results, entries: Sequence[Entry], figures: Mapping[Path, Path]) -> str:
    parts = ["# Katachi: results", f"{_counts(entries)}."]
    parts += [f"**Damaged, and left out:** {message}" for message in damaged(entries)]
    for some in results.values():
        for result in some:
            parts.append(f"## {_heading(result)}")
            parts.append("\n".join(f"- **{name}:** {text}" for name, text in _facts(result)))
            figure = figures[result.folder]
            parts.append(f"![{_heading(result)}]({figure.parent.name}/{figure.name}.png)")
            parts.append(_markdown_table(result.summary.columns, result.summary.table))
    parts += ["## The ledger", _markdown_table(*_ledger_table(entries))]
    return "\n\n".join(parts) + "\n"


def _markdown_table(columns: Sequence[str], table: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *table]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
