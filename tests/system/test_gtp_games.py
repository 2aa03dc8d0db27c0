"""Whole games of the real engine: against GNU Go through a plain referee, and driven by Sabaki's own controller."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from katachi.games.go import Position
from katachi.players.gtp_process import GtpProcess
from tests.programs import require, require_program
from tests.system.gtp_referee import play_game

ROOT = Path(__file__).parents[2]
KATACHI = str(Path(sys.executable).with_name("katachi"))


@contextmanager
def opponents(size: int, katachi_is_black: bool) -> Iterator[tuple[GtpProcess, GtpProcess]]:
    """Black and White."""
    gnugo = [require_program("gnugo", "gnugo"), "--mode", "gtp", "--level", "1", "--chinese-rules", "--seed", "1"]
    katachi = [KATACHI, "gtp", "flat-mc:sims=20", "--seed", str(size)]
    with ExitStack() as stack:
        ours, theirs = (stack.enter_context(GtpProcess(command, timeout=60)) for command in (katachi, gnugo))
        yield (ours, theirs) if katachi_is_black else (theirs, ours)
        assert ours.stderr_lines == []


@pytest.mark.parametrize("katachi_is_black", [True, False], ids=["black", "white"])
@pytest.mark.parametrize(
    "size", [5, 9, pytest.param(13, marks=pytest.mark.slow), pytest.param(19, marks=pytest.mark.slow)]
)
def test_games_against_gnugo(size: int, katachi_is_black: bool) -> None:
    with opponents(size, katachi_is_black) as (black, white):
        game = play_game(black, white, size, komi=7.5, most_moves=5 * size * size)
        assert len(game.moves) > size
        ours, theirs = (black, white) if katachi_is_black else (white, black)
        # Both have the same stones on the board, and so has a third opinion.
        rows = ours.ask("gogui-rules_board").split()
        position = Position(size, rules="chinese")
        for move in game.moves:
            position = position.play(move)
        assert "".join(rows) == position.stones()
        for color, stone in (("black", "X"), ("white", "O")):
            stones = {position.vertex(p) for p, c in enumerate(position.stones()) if c == stone}
            assert set(theirs.ask("list_stones", color).split()) == stones


def test_a_game_driven_by_sabakis_controller(tmp_path: Path) -> None:
    """@sabaki/gtp is what Sabaki itself uses (`make sabaki-gtp` installs it below build/)."""
    node = require(shutil.which("node"), "node is not installed (Debian package nodejs)")
    modules = ROOT / "build" / "node" / "node_modules"
    present = modules if (modules / "@sabaki" / "gtp").is_dir() else None
    require(present, "@sabaki/gtp is not installed (make sabaki-gtp)")
    script = Path(__file__).with_name("sabaki_controller.js")
    record = tmp_path / "game.sgf"
    done = subprocess.run(
        [node, str(script), str(modules), KATACHI, str(record)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["name"] == "Katachi"
    assert told["errors"] == ["? illegal move", "? unknown command", "? syntax error"]
    assert told["stderr"] == []
    position = Position(5, rules="chinese")
    for move in told["moves"]:
        position = position.play(move)
    assert position.is_over
    assert told["stones"] == position.stones()
    assert record.read_bytes().startswith(b"(;FF[4]")
    assert told["loaded"] == told["stones"]
    assert told["score"][0] in "BW"
