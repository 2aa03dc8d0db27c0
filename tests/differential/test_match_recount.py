"""GNU Go counts what a match has played: a sample of `python -m tests.differential.match_recount DIR`."""

import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from katachi.arena.match import MatchSettings, run_match
from tests.differential.match_recount import recount
from tests.programs import require_program

OPPONENT = (
    "gtp:gnugo --mode gtp --level 0 --chinese-rules --positional-superko --capture-all-dead --never-resign "
    "--seed {seed}"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_program("gnugo", "gnugo")
    folder = tmp_path_factory.mktemp("run")
    settings = MatchSettings(
        first="flat-mc:sims=20",
        second=OPPONENT,
        games=4,
        seed=1,
        options={"size": 5, "komi": 6.5},
        opening_plies=2,
    )
    run_match(settings, folder=folder)
    return folder


def test_gnu_go_counts_the_same(folder: Path) -> None:
    reasons: Counter[str] = Counter()
    games = list(recount(folder, reasons))
    assert reasons == {"count": 4}
    assert [str(game) for game in games if not game.is_same] == []
    assert len({game.ours for game in games}) > 1, "more than one result was compared"


def test_another_count_is_shown(folder: Path, tmp_path: Path) -> None:
    """The same moves, with other results in file and store."""
    command = [sys.executable, "-m", "tests.differential.match_recount", str(folder)]
    same = subprocess.run(command, capture_output=True, text=True)
    assert (same.returncode, same.stderr) == (0, "")
    assert "4 with the same margin, 4 with the same winner\nhow they ended: count 4\n" in same.stdout
    (tmp_path / "sgf").mkdir()
    for path in (folder / "sgf").iterdir():
        text = path.read_text()
        ours = text.partition("RE[")[2].partition("]")[0]
        (tmp_path / "sgf" / path.name).write_text(text.replace(f"RE[{ours}]", "RE[B+1.5]"))
    with sqlite3.connect(folder / "games.sqlite") as source, sqlite3.connect(tmp_path / "games.sqlite") as target:
        source.backup(target)
        target.execute("UPDATE games SET outcome = json_set(outcome, '$.margin', 1.5)")
    source.close()
    target.close()
    other = subprocess.run([*command[:-1], str(tmp_path)], capture_output=True, text=True)
    assert other.returncode == 1
    assert other.stdout.count("B+1.5 here, ") == 4
    assert "ANOTHER WINNER" in other.stdout
