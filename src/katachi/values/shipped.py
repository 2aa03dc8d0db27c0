"""The weights of local shapes that come with the package, made by `make weights`: see src/katachi/data/weights."""

from functools import lru_cache
from pathlib import Path

from katachi._core import ShapeEvaluator
from katachi.core.errors import WeightsError
from katachi.values.weights_file import load_weights

__all__ = ["evaluator_of", "shipped_sizes", "shipped_weights"]

_FOLDER = Path(__file__).parent.parent / "data" / "weights"


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


def evaluator_of(path: Path, size: int) -> ShapeEvaluator:
    """What the weights of a file make of positions on boards of a size. Files are read once, unless they change."""
    try:
        stamp = path.stat().st_mtime_ns
    except OSError:
        stamp = 0  # the reader has a better error
    return _evaluator(path.absolute(), size, stamp)


@lru_cache(maxsize=16)
def _evaluator(path: Path, size: int, _stamp: int) -> ShapeEvaluator:
    value, _ = load_weights(path, board_size=size)
    return value.frozen()
