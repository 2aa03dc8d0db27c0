"""Weights of softmax playout policies over local shapes (Silver and Tesauro 2009), and the files that have them.

Shapes are those of 1x1 and 2x2 with ld+li sharing: 107 weights on 5x5, 155 on 6x6. A file is one of
katachi.values.weights_file whose configuration says `policy: softmax-shapes`; `weights` are floats for looking at, and
`theta` the same weights as they were learnt. `katachi balance` writes them; docs/simulation_balancing.md is the manual.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from katachi import _core
from katachi.core.errors import InvalidArgumentError, WeightsError
from katachi.games.contract import Game
from katachi.values.weights_reader import SHIPPED, board_side, lasting_weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from katachi.features.local_shapes import ShapeSettings
    from katachi.values.weights_file import WeightsHeader

# Numpy takes long to load and starts threads: what needs it is imported where it is used.
__all__ = [
    "POLICY", "PolicyWeights", "PolicyWeightsReader", "lasting_policy_weights", "load_policy_weights",
    "policy_representation", "policy_shapes", "save_policy_weights", "shipped_policy", "shipped_policy_names",
]  # fmt: skip

POLICY = "softmax-shapes"
_THETA = "theta"
_FOLDER = Path(__file__).parent.parent / "data" / "policies"


@dataclass(frozen=True)
class PolicyWeights:
    """theta of one size of board."""

    theta: "NDArray[np.float64]"
    header: "WeightsHeader"
    arrays: "Mapping[str, NDArray[Any]]"  # what whoever learns has kept besides
    fingerprint: str  # of the file
    frozen: _core.FrozenPlacements  # what playouts take


def policy_shapes() -> "ShapeSettings":
    """The local shapes that such policies are made of (6)."""
    from katachi.features.local_shapes import ShapeSettings

    return ShapeSettings(sizes=("1x1", "2x2"), sharing="ld+li")


def policy_representation(side: int) -> _core.ShapeRepresentation:
    """The same for native code."""
    if side < 2:
        raise InvalidArgumentError(f"{POLICY} has shapes of 2x2, which do not fit on a board of {side}x{side}")
    return policy_shapes().to_native(side)


def save_policy_weights(
    path: Path | str,
    side: int,
    theta: "NDArray[np.float64]",
    *,
    steps: int = 0,
    seed: int | None = None,
    configuration: Mapping[str, Any] | None = None,
    arrays: "Mapping[str, NDArray[Any]] | None" = None,
) -> None:
    """Writes a file, whole or not at all."""
    import numpy as np

    from katachi.values.weights_file import WeightsHeader, write_file

    values = np.ascontiguousarray(theta, dtype=np.float64)
    expected = policy_representation(side).weights
    if values.shape != (expected,):
        raise InvalidArgumentError(f"{POLICY} has {expected} weights on {side}x{side}, not {values.shape}")
    header = WeightsHeader(
        board_size=side,
        features=policy_shapes(),
        games=steps,
        seed=seed,
        configuration={**(configuration or {}), "policy": POLICY},
    )
    write_file(path, header, values.astype(np.float32), {**(arrays or {}), _THETA: values})


def load_policy_weights(path: Path | str, *, board_size: int | None = None) -> PolicyWeights:
    """Reads a file, for boards of a size if one is given; whatever is wrong with it is a WeightsError."""
    path = Path(path)
    try:
        content = path.read_bytes() if path.is_file() else b""
    except OSError:
        content = b""  # the reader has a better error
    return _loaded(path.absolute(), board_size, sha256(content).hexdigest()[:16])


@lru_cache(maxsize=64)
def _loaded(path: Path, board_size: int | None, fingerprint: str) -> PolicyWeights:
    import numpy as np

    from katachi.values.weights_file import read_file

    file = read_file(path)
    header = file.header
    if header.configuration.get("policy") != POLICY or header.features != policy_shapes():
        raise WeightsError(
            f"{path}: its weights are not those of a playout policy {POLICY}: katachi balance makes some"
        )
    if board_size is not None and header.board_size != board_size:
        sides = (f"{side}x{side}" for side in (header.board_size, board_size))
        raise WeightsError(f"{path}: its weights are for boards of {next(sides)}, not of {next(sides)}")
    theta = np.ascontiguousarray(file.arrays.get(_THETA, file.weights), dtype=np.float64)
    theta.flags.writeable = False
    try:
        placements = _core.Placements(policy_representation(header.board_size))
        frozen = _core.FrozenPlacements(placements, theta)
    except InvalidArgumentError as error:
        raise WeightsError(f"{path}: {error}") from None
    arrays = {name: array for name, array in file.arrays.items() if name != _THETA}
    return PolicyWeights(theta, header, arrays, fingerprint, frozen)


def shipped_policy_names() -> list[str]:
    """What comes with the package, by board: `5x5` is the balanced policy, `5x5-regression` a rival of it."""
    return sorted(path.stem for path in _FOLDER.glob("*.safetensors"))


def shipped_policy(size: int, learner: str | None = None) -> Path:
    """The file of the balanced policy for boards of a size, or of one by another learner."""
    path = _FOLDER / (f"{size}x{size}.safetensors" if learner is None else f"{size}x{size}-{learner}.safetensors")
    if not path.exists():
        names = ", ".join(shipped_policy_names()) or "for no board"
        wanted = f"{size}x{size}" if learner is None else f"{size}x{size} by {learner}"
        raise WeightsError(
            f"no playout policy comes with the package for {wanted}, only {names}: learn one (katachi balance "
            f"--size {size}) and give its file: {POLICY}(FILE)"
        )
    return path


def _is_shipped(weights: str) -> bool:
    return weights == SHIPPED or weights.startswith(f"{SHIPPED}-")


def lasting_policy_weights(weights: str) -> str:
    """The same weights in whatever folder one is."""
    return weights if _is_shipped(weights) else lasting_weights(weights)


class PolicyWeightsReader:
    """Reads weights once for each size of board: they stay what they are, whatever becomes of the file."""

    def __init__(self, weights: str) -> None:
        self._weights = weights
        self._found: dict[int, PolicyWeights] = {}

    def weights(self, game: Game[Any]) -> PolicyWeights:
        """Those for the boards of a game; an error if there are none."""
        side = board_side(game)
        if side not in self._found:
            self._found[side] = load_policy_weights(self._path(side), board_size=side)
        return self._found[side]

    def _path(self, side: int) -> Path:
        if not _is_shipped(self._weights):
            return Path(self._weights).expanduser()
        return shipped_policy(side, self._weights.removeprefix(SHIPPED).removeprefix("-") or None)
