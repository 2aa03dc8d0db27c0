"""The weights of local shapes that come with the package, made by `make weights`: see src/katachi/data/weights."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from katachi._core import ShapeEvaluator
from katachi.core.errors import WeightsError
from katachi.values.shape_value import ShapeValue
from katachi.values.weights_file import WeightsHeader, load_weights

__all__ = ["Evaluation", "evaluation_of", "shipped_sizes", "shipped_weights"]

_FOLDER = Path(__file__).parent.parent / "data" / "weights"


@dataclass(frozen=True)
class Evaluation:
    """What the weights of a file make of positions."""

    evaluator: ShapeEvaluator
    chance: Callable[[float], float]  # of a sum
    fingerprint: str  # of the file
    value: ShapeValue
    header: WeightsHeader


def shipped_sizes() -> list[int]:
    """Sides of the boards that there are weights for."""
    return sorted(int(path.stem.partition("x")[0]) for path in _FOLDER.glob("*.safetensors"))


def shipped_weights(size: int) -> Path:
    """The file of the weights for boards of a size."""
    path = _FOLDER / f"{size}x{size}.safetensors"
    if not path.exists():
        sizes = ", ".join(f"{side}x{side}" for side in shipped_sizes())
        raise WeightsError(
            f"no weights come with the package for {size}x{size}, only for {sizes}: learn some (katachi train --size "
            f"{size} --out DIR) and give their file"
        )
    return path


def evaluation_of(path: Path, size: int) -> Evaluation:
    """By the weights that a file has now, for boards of a size. Tables of equal files are made once."""
    try:
        content = path.read_bytes() if path.is_file() else b""
    except OSError:
        content = b""  # the reader has a better error
    return _evaluation(path.absolute(), size, hashlib.sha256(content).hexdigest()[:16])


@lru_cache(maxsize=16)
def _evaluation(path: Path, size: int, fingerprint: str) -> Evaluation:
    value, header = load_weights(path, board_size=size)
    return Evaluation(value.frozen(), value.chance, fingerprint, value, header)
