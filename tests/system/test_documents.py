"""What the documents show is true: Python blocks run, every folder, GTP command and field of a query is explained."""

import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXTS = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/analysis.md")]
BLOCKS = [block for text in TEXTS for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL)]


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_readme_block(number: int, tmp_path: Path) -> None:
    program = tmp_path / "block.py"
    program.write_text(BLOCKS[number], encoding="utf-8")
    run = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr


def test_readme_has_blocks() -> None:
    assert len(BLOCKS) >= 4


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["td_search.py", "1", "3"], "TD search with 3 simulations against random: "),
        pytest.param(["dyna2.py", "1"], "Dyna-2  ", marks=pytest.mark.slow),
    ],
)
def test_example_runs(words: list[str], shown: str) -> None:
    program = [sys.executable, str(ROOT / "examples" / words[0]), *words[1:]]
    run = subprocess.run(program, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert shown in run.stdout


def test_architecture_names_every_folder() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    folders = [p for root in ("cpp", "src/katachi") for p in (ROOT / root).rglob("*") if p.is_dir()]
    folders += [ROOT / name for name in ("tests", "benchmarks", "docs")]
    for folder in folders:
        if folder.name != "__pycache__":
            assert f"`{folder.relative_to(ROOT)}`" in text, f"{folder.relative_to(ROOT)} is not explained"
    for folder in (ROOT / "tests").iterdir():
        if folder.is_dir() and folder.name != "__pycache__":
            assert f"`{folder.name}`" in text


def test_modules_run_their_docstring_examples() -> None:
    import doctest
    import importlib

    for name in ("katachi", "katachi.games.go"):
        result = doctest.testmod(importlib.import_module(name))
        assert result.attempted > 0
        assert result.failed == 0


def test_what_is_not_built_has_a_place_that_exists() -> None:
    table = (ROOT / "docs" / "searches.md").read_text(encoding="utf-8").partition("### What is not built")[2]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    sources = {path: path.read_text(encoding="utf-8") for path in (ROOT / "cpp" / "search").glob("tree_*.?pp")}
    sources |= {path: path.read_text(encoding="utf-8") for path in (ROOT / "cpp" / "search").glob("node_store.hpp")}
    for name, place in rows:
        spans = re.findall(r"`([^`]+)`", place)
        assert spans, f"{name} has no place"
        for owner, member in re.findall(r"`(\w+)::(\w+)`", place):
            homes = [text for text in sources.values() if re.search(rf"(class|struct) {owner}\b", text)]
            assert any(re.search(rf"\b{member}\b", text) for text in homes), f"{name}: no {owner}::{member}"
        for span in spans:
            if span.startswith("cpp/"):
                assert (ROOT / span).exists(), f"{name}: no {span}"
            if span.startswith("katachi."):
                pkgutil.resolve_name(span)
    listed = " ".join(name for name, _ in rows)
    for title in (
        "progressive bias", "unpruning and widening", "history heuristic", "progressive history", "last good reply",
            "NST", "accelerated UCT", "C_p that falls", "Cowling", "Xie and Liu",
        "implicit minimax", "UCTMAX_H", "Dyna-2", "TD search", "MCTS(λ)", "MaxUCT", "BRUE", "MCTS2e", "TDMC(λ)",
        "contextual MCTS", "learnt online for the playouts", "ρUCT", "FSSS", "BFS3", "POMCP", "BAMCP", "MOMCTS",
        "AlphaGo", "hybrids of TD and UCT",
    ):  # fmt: skip
        assert title in listed, f"{title} is not in the table"


def test_every_gtp_command_is_documented() -> None:
    from katachi.games.go import Rules
    from katachi.gtp import commands  # noqa: F401
    from katachi.gtp.go_session import GoSession
    from katachi.gtp.registry import commands_for
    from katachi.players.registry import make_player

    text = (ROOT / "docs" / "gtp.md").read_text(encoding="utf-8")
    session = GoSession(make_player("flat-mc:sims=1"), 1, rules=Rules.named("chinese"))
    for name in commands_for(session):
        assert re.search(rf"`{name}[ `]", text), f"{name} is not in docs/gtp.md"


def test_every_field_of_the_json_protocol_is_documented() -> None:
    from katachi.analysis.query import ACTIONS, FIELDS, SETTINGS

    text = (ROOT / "docs" / "analysis.md").read_text(encoding="utf-8")
    for name in (*ACTIONS, *FIELDS, *SETTINGS):
        assert f"`{name}`" in text, f"{name} is not in docs/analysis.md"
