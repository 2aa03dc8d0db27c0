"""Instructions per uniform playout, counted by Callgrind: a measure that a busy machine cannot blur.

    python benchmarks/instructions.py [--json]

Compiles benchmarks/playouts.cpp with the flags of the installed core and counts two runs of different length; their
difference leaves out the start-up. The counts move only when the code or the compiler does.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from katachi._core import build_info

HERE = Path(__file__).parent
BOARDS = ((5, 200), (9, 100), (19, 30))


def compile_program(folder: Path) -> Path:
    """The program that plays, built like the core."""
    program = folder / "playouts"
    compiler = os.environ.get("CXX") or shutil.which("c++") or "g++"
    flags = [*build_info()[1].split(), "-DNDEBUG", "-std=c++20", f"-I{HERE.parent / 'cpp'}"]
    subprocess.run([compiler, *flags, str(HERE / "playouts.cpp"), "-o", str(program)], check=True)
    return program


def count(program: Path, side: int, playouts: int) -> int:
    """Instructions of a whole run."""
    command = [
        "valgrind",
        "--tool=callgrind",
        f"--callgrind-out-file={os.devnull}",
        str(program),
        str(side),
        str(playouts),
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if collected is None:
        raise RuntimeError(f"Callgrind printed no count:\n{run.stderr}")
    return int(collected[1])


def main() -> None:
    """Prints a table or a JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        raise SystemExit("valgrind is missing: install the Debian package valgrind")
    rates = {}
    with tempfile.TemporaryDirectory() as folder:
        program = compile_program(Path(folder))
        for side, playouts in BOARDS:
            print(f"counting {side}x{side} …", file=sys.stderr)
            few, many = (count(program, side, n) for n in (playouts, 3 * playouts))
            rates[f"{side}x{side}"] = round((many - few) / (2 * playouts))
    if options.json:
        print(json.dumps({"instructions_per_playout": rates}))
        return
    for board, rate in rates.items():
        print(f"{board:8}{rate:12,} instructions per playout")


if __name__ == "__main__":
    main()
