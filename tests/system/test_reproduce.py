"""`katachi reproduce` as people and programs use it: real processes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from katachi.arena.executor import InProcess, LocalWorkers
from katachi.cli.reproduce import _workers
from katachi.experiments.ledger import load_ledger


def reproduce(*words: object, cwd: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "katachi.cli", "reproduce", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=cwd)


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
    paths = [tmp_path / "experiments-out" / figure for figure in figures]
    drawn = [path.stat().st_mtime_ns for path in paths]

    # A damaged result is told, and figures are drawn again where rows have changed only.
    damaged = tmp_path / "experiments-out" / "ladder" / "full"
    damaged.mkdir()
    (damaged / "summary.json").write_text("{")
    (folder / "rows.jsonl").write_bytes(rows.replace(b'"total":', b'"total": '))
    report = reproduce("report", cwd=tmp_path)
    assert report.returncode == 0, report.stderr
    assert report.stderr.count("damaged, and left out: ") == 1
    assert "ladder/full/summary.json" in report.stderr
    changed = [path for path, time in zip(paths, drawn, strict=True) if path.stat().st_mtime_ns != time]
    assert [path.name.startswith("ladder-smoke") for path in changed] == [True]


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


def test_a_changed_seed_is_refused_before_anything_is_estimated(tmp_path: Path) -> None:
    assert reproduce("ladder", "--scale", "smoke", cwd=tmp_path).returncode == 0
    run = reproduce("ladder", "--scale", "smoke", "--seed", 2, cwd=tmp_path)
    assert run.returncode == 2
    assert "seed: 1 there, 2 now" in run.stderr
    assert "about" not in run.stderr
    assert "Traceback" not in run.stderr


def test_killed_in_the_middle(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    assert reproduce("ladder", "--scale", "smoke", "--out", whole, cwd=tmp_path).returncode == 0
    rows = Path("ladder", "smoke", "rows.jsonl")
    command = [sys.executable, "-m", "katachi.cli", "reproduce", "ladder", "--scale", "smoke", "--out", "killed"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    path = tmp_path / "killed" / rows
    deadline = time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.001)
    process.kill()
    assert process.wait() == -signal.SIGKILL  # in the middle, not after the end
    assert path.exists()
    assert not (path.parent / "summary.json").exists()
    again = reproduce("ladder", "--scale", "smoke", "--out", "killed", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert path.read_bytes() == (whole / rows).read_bytes()
    assert not list(path.parent.glob(".*"))


def test_a_damaged_result_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "experiments-out" / "ladder" / "full"
    folder.mkdir(parents=True)
    (folder / "summary.json").write_text("{")
    run = reproduce("list", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stderr.count("damaged, and left out: ") == 1
    assert "ladder/full/summary.json" in run.stderr
    assert "Traceback" not in run.stderr
    told = reproduce("list", "--source", "Katachi", cwd=tmp_path).stdout
    assert "(damaged)" in told
    rows = json.loads(reproduce("list", "--json", cwd=tmp_path).stdout)["rows"]
    assert [entry["id"] for entry in rows if entry["damaged"]] == ["ladder"]
    assert reproduce("list", "--source", "Ekker 2003", cwd=tmp_path).stderr == ""


@pytest.mark.parametrize("words", [["list"], ["report"], ["ladder", "--scale", "smoke"]])
def test_out_is_a_file(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    run = reproduce(*words, "--out", "file", cwd=tmp_path)
    assert run.returncode == 2
    assert "file cannot be a folder of results" in run.stderr
    assert "Traceback" not in run.stderr
    assert (tmp_path / "file").read_text() == "mine"


def test_out_is_not_there(tmp_path: Path) -> None:
    run = reproduce("list", "--out", "nowhere", cwd=tmp_path)
    assert run.returncode == 0
    assert "there is no folder nowhere yet" in run.stderr
    assert reproduce("list", cwd=tmp_path).stderr == ""
    assert list(tmp_path.iterdir()) == []


class _Cluster:
    """What is known of a RayExecutor before it runs."""

    def __init__(self, address: str | None, processors: int | None) -> None:
        self.address, self.processors = address, processors

    def run(self, function: str, arguments: Iterable[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
        raise NotImplementedError


def test_how_many_are_at_work() -> None:
    assert _workers(InProcess()) == 1
    assert _workers(LocalWorkers(3)) == 3
    assert _workers(_Cluster(None, 5)) == 5
    assert _workers(_Cluster(None, None)) == os.cpu_count()
    assert _workers(_Cluster("10.0.0.1:6379", None)) is None
