"""A few games of benchmarks/robustness.py: rows, going on, what is refused, and what is found out."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks" / "robustness.py"


def robustness(out: Path, *words: str, player: str = "mc-rave") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), "--out", str(out), "--kinds", "move-0.05", "--size", "5", "--memory", "8"]
    return subprocess.run([*command, "--player", player, *words], capture_output=True, text=True, timeout=120)


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_games_are_rows_and_the_same_command_plays_what_is_missing(tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    first = robustness(out, "--games", "1")
    assert first.returncode == 0, first.stderr
    (row,) = rows_of(out)
    assert (row["kind"], row["number"], row["reason"], row["is_foul"]) == ("move-0.05", 0, "count", False)
    assert 0.02 < max(row["longest"]) < 0.55
    assert min(row["simulations"]) > 0
    assert row["cap_mb"] == 16.0
    assert row["share_of_cap"] == pytest.approx(row["growth_mb"] / 16.0, abs=0.01)
    with out.open("a", encoding="utf-8") as file:
        file.write('{"kind": "move-0.05", "numb')  # as a kill leaves it
    second = robustness(out, "--games", "2")
    assert second.returncode == 0, second.stderr
    assert [each["number"] for each in rows_of(out)] == [0, 1]
    assert rows_of(out)[0] == row
    told = json.loads(second.stdout)["move-0.05"]
    assert (told["games"], told["wanted"], told["fouls"], told["holds"]) == (2, 2, {}, True)
    other = robustness(out, "--games", "2", player="uct")
    assert other.returncode != 0
    assert "has games with player 'mc-rave', not 'uct'" in other.stderr


def test_a_process_that_dies_and_too_much_memory_are_found_out(tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    ended = robustness(out, "--games", "1", player="mc-rave:playout_policy=nonsense")
    assert ended.returncode == 1
    (row,) = rows_of(out)
    assert row["reason"] == "died"
    assert "nonsense" in row["detail"]
    row = {**row, "player": "mc-rave", "reason": "count", "is_foul": False, "longest": [0.1, 0.1], "share_of_cap": 1.2}
    out.write_text(json.dumps(row) + "\n", encoding="utf-8")
    full = robustness(out, "--games", "1")
    assert full.returncode == 1
    assert json.loads(full.stdout)["move-0.05"]["largest_share_of_cap"] == 1.2
