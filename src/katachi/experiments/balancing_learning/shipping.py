"""The policies that come with the package, taken from a run of the experiment (`make policies`).

    python -m katachi.experiments.balancing_learning.shipping RUN_FOLDER TO_FOLDER

`5x5.safetensors` is the balanced policy, `5x5-LEARNER.safetensors` one by another learner, with `-cycle` if it was
learnt in rounds, and `5x5-reinforcement-early.safetensors` that of reinforcement learning where its error is least.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from katachi.core.files import write_whole
from katachi.experiments.balancing_learning.runner import curves_of
from katachi.experiments.experiment import read_rows
from katachi.training.policy_learning import snapshot_path

__all__ = ["ship"]


def ship(run: Path, to: Path) -> list[Path]:
    """Copies the weights; the paths of the copies."""
    to.mkdir(parents=True, exist_ok=True)
    written = []
    for name, source in _chosen(run):
        path = to / f"{name}.safetensors"
        write_whole(path, source.read_bytes())
        written.append(path)
    return written


def _chosen(run: Path) -> Iterator[tuple[str, Path]]:
    for curve in curves_of(read_rows(run / "rows.jsonl")):
        kind, _, size = curve.name.rpartition("-")
        if kind not in (curve.learner, f"{curve.learner}-cycle") or size != str(curve.size):
            continue  # a variant
        folder, board = run / "training" / curve.name, f"{curve.size}x{curve.size}"
        name = board if kind == "balancing" else f"{board}-{kind}"
        yield name, snapshot_path(folder, curve.steps)
        if curve.learner == "reinforcement":
            least = min(curve.rows[1:], key=lambda row: float(row["mse"]))
            yield f"{name}-early", snapshot_path(folder, least["steps"])


if __name__ == "__main__":
    for written in ship(Path(sys.argv[1]), Path(sys.argv[2])):
        print(written)
