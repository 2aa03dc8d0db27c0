"""`katachi reproduce` as people and programs use it: real processes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from katachi.experiments.ledger import load_ledger


def reproduce(*words: object, cwd: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "katachi.cli", "reproduce", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=cwd)


def test_smoke_run_and_report(tmp_path: Path) -> None:
    run = reproduce("ladder", "--scale", "smoke", "--workers", 2, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "about 1 s with 2 at work" in run.stderr
    assert "claim: more playouts play better" in run.stdout
    assert "verdict: " in run.stdout
    folder = tmp_path / "experiments-out" / "ladder" / "smoke"
    assert (folder / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (folder / "figure.svg").read_text(encoding="utf-8")
    rows = (folder / "rows.jsonl").read_bytes()
    assert rows.count(b"\n") == 12

    again = reproduce("ladder", "--scale", "smoke", "--json", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert (folder / "rows.jsonl").read_bytes() == rows
    summary = json.loads(again.stdout)
    assert summary["is_complete"]
    assert summary["scale"] == "smoke"

    report = reproduce("report", "--json", cwd=tmp_path)
    assert report.returncode == 0, report.stderr
    entries = json.loads(report.stdout)["experiments"]
    assert {row.id for row in load_ledger()} < {entry["id"] for entry in entries}
    for entry in entries:
        assert {"id", "source", "claim", "result", "verdict"} <= entry.keys()
        assert entry["verdict"] in ("reproduced", "partly", "not", "pending")
    page = (tmp_path / "experiments-out" / "report.html").read_text(encoding="utf-8")
    text = (tmp_path / "experiments-out" / "report.md").read_text(encoding="utf-8")
    for part in ("(ladder, smoke)", "flat-mc:sims=16", "silver-table-5-1", summary["verdict"]):
        assert part in page
        assert part in text
    assert "data:image/svg+xml;base64," in page
    figures = [line.partition("](")[2].rstrip(")") for line in text.splitlines() if line.startswith("![")]
    assert figures
    assert all((tmp_path / "experiments-out" / figure).is_file() for figure in figures)


def test_list(tmp_path: Path) -> None:
    told = json.loads(reproduce("list", "--json", cwd=tmp_path).stdout)["rows"]
    assert [entry["id"] for entry in told if entry["source"] != "Katachi"] == [row.id for row in load_ledger()]
    assert {entry["status"] for entry in told} <= {"pending", "done", "not reproducible"}
    lines = reproduce("list", "--source", "Ekker 2003", cwd=tmp_path).stdout.splitlines()
    assert len(lines) == 1 + sum(row.source == "Ekker 2003" for row in load_ledger())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["lader"], "did you mean 'ladder'?"),
        (["report", "--source", "Ekker 2003"], "--source is for list, not for report"),
        (["ladder", "--executor", "mars"], "'mars' is no executor"),
    ],
)
def test_bad_words(words: list[str], message: str, tmp_path: Path) -> None:
    run = reproduce(*words, cwd=tmp_path)
    assert run.returncode == 2
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    assert list(tmp_path.iterdir()) == []
