"""`katachi review` as a process: files, the table, JSON, mistakes, and an interruption that is gone on from."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from katachi.games.go.record import Record

KATACHI = str(Path(sys.executable).with_name("katachi"))
GAME = "(;GM[1]SZ[5]KM[7.5]RU[Japanese]PB[Ann]PW[Ben]C[hello];B[cc];W[bb];B[dd]C[a comment];W[ee](;B[bd])(;B[db]))"


def run(folder: Path, *arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    ran = subprocess.run(
        [KATACHI, "review", *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == status, ran.stderr + ran.stdout
    return ran


def write(folder: Path, text: str = GAME) -> Path:
    path = folder / "game.sgf"
    path.write_text(text, encoding="utf-8")
    return path


def test_files_table_and_json(tmp_path: Path) -> None:
    game = write(tmp_path)
    shown = run(tmp_path, "game.sgf", "--sims", "50", "--plot", "game.svg", "--top", "2").stdout
    assert shown.startswith("Ann – Ben, 5x5, chinese, komi 7.5, 5 moves\nrules 'Japanese' are not played here")
    assert "better" in shown
    assert shown.endswith("written: game.review.sgf, game.svg\n")
    assert "<svg" in (tmp_path / "game.svg").read_text(encoding="utf-8")
    assert game.read_text(encoding="utf-8") == GAME
    reviewed = Record.load(tmp_path / "game.review.sgf")
    assert all("SBKV" in node for node in reviewed.main_line())
    assert reviewed.main_line()[3].comment.startswith("a comment\n\nWin rate of Black")
    assert len(reviewed.main_line()[4].children) == 2
    told = json.loads(run(tmp_path, "game.sgf", "--sims", "50", "--workers", "0", "--json", "--out", "b.sgf").stdout)
    assert [move["move"] for move in told["moves"]] == ["C3", "B4", "D2", "E1", "B2"]
    assert (told["rules"], told["komi"], told["out"], told["plot"]) == ("chinese", 7.5, "b.sgf", None)
    assert (tmp_path / "b.sgf").read_bytes() == (tmp_path / "game.review.sgf").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.sgf", "game.review.sgf", "game.sgf", "game.svg"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no game at all", "game.sgf: SGF, byte 0: no game found"),
        ("(;SZ[5])", "the main line has no move"),
        ("(;SZ[5];B[aa];W[aa])", "game.sgf: SGF, node 2 of the main line, property W 'aa': illegal move A5 for WHITE"),
        ("(;SZ[25];B[aa])", "boards up to 19x19"),
        ("(;SZ[huge];B[aa])", "no size of a board"),
        ("(;GM[3];B[aa])", "the game is not Go"),
        ("(;SZ[5]KM[650];B[aa])", "game.sgf: SGF, root node, property KM '650'"),
        ("(;SZ[5];B[aa]AW[bb])", "set-up in the same node as the move B"),
    ],
)
def test_mistakes_in_the_record(text: str, message: str, tmp_path: Path) -> None:
    write(tmp_path, text)
    ran = run(tmp_path, "game.sgf", "--sims", "2", "--workers", "0", status=2)
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr
    assert ran.stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == ["game.sgf"]


def test_other_mistakes(tmp_path: Path) -> None:
    write(tmp_path)
    for arguments, message in (
        (("--player", "random"), "random does not search"),
        (("--rules", "japanese"), "territory scoring"),
        (("--out", "nowhere/a.sgf"), "nowhere/a.sgf cannot be written"),
        (("--out", "."), ". cannot be written: give the name of a file"),
        (("--sims", "0"), "'--sims'"),
    ):
        assert message in run(tmp_path, "game.sgf", *arguments, "--workers", "0", status=2).stderr
    assert ". cannot be read: it is a folder" in run(tmp_path, ".", status=2).stderr


def test_an_interrupted_review_is_gone_on_with(tmp_path: Path) -> None:
    write(tmp_path)
    words = [KATACHI, "review", "game.sgf", "--player", "uct:sims=60000", "--workers", "0"]
    process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    kept = tmp_path / "game.review.sgf.part"
    deadline = time.monotonic() + 60
    while not (kept.exists() and kept.read_text().count("\n") >= 2):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "game.review.sgf.part; the same command goes on" in err
    assert not (tmp_path / "game.review.sgf").exists()
    done = json.loads(kept.read_text().splitlines()[1])
    run(tmp_path, "game.sgf", "--player", "uct:sims=60000", "--workers", "0")
    assert not kept.exists()
    first = Record.load(tmp_path / "game.review.sgf").root
    assert first.properties["SBKV"] == [f"{100 * done['row']['winrate']:.2f}"]
