"""Files of networks: the container of katachi.values.tensor_file, with a header that says what the network is.

The header has the game and its board, the settings of the network, how many games it has learnt from with which seed
and configuration. `weights` are float64; a table has `keys`, too. Whoever trains may keep more `arrays` and a `state`,
from which a run goes on. Whatever is wrong with a file is a WeightsError with its path.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from katachi._core import NetworkValue
from katachi.core.errors import InvalidArgumentError, SettingsError, WeightsError
from katachi.games.contract import Game
from katachi.games.go.game import GoGame
from katachi.values.network import NetworkSettings, network_of
from katachi.values.tensor_file import WEIGHTS, check_sum, read_arrays, write_arrays

__all__ = [
    "KEYS", "LoadedNetwork", "NetworkFile", "NetworkHeader", "load_network", "read_network", "save_network",
    "shipped_network",
]  # fmt: skip

_FORMAT = "network 1"
KEYS = "keys"
_FOLDER = Path(__file__).parent.parent / "data" / "networks"


@dataclass(frozen=True)
class NetworkHeader:
    """What a network is of, and where it comes from."""

    game: str  # its name
    board: tuple[int, int] | None  # width and height, of Go
    network: NetworkSettings
    games: int = 0
    seed: int | None = None
    configuration: Mapping[str, Any] = field(default_factory=dict)  # of the training, as JSON has it
    state: Mapping[str, Any] = field(default_factory=dict)  # what a run needs to go on, as JSON has it

    @classmethod
    def of(cls, game: Game[Any], network: NetworkSettings, **rest: Any) -> "NetworkHeader":  # noqa: ANN401
        """For a game as it is."""
        return cls(game.name, (game.width, game.height) if isinstance(game, GoGame) else None, network, **rest)

    def to_json(self) -> dict[str, Any]:
        """As the file has it, without the checksum."""
        return {
            "format": _FORMAT,
            "game": self.game,
            "board": None if self.board is None else list(self.board),
            "network": self.network.model_dump(mode="json"),
            "games": self.games,
            "seed": self.seed,
            "configuration": dict(self.configuration),
            "state": dict(self.state),
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "NetworkHeader":
        """The reverse; raises WeightsError."""
        if values.get("format") != _FORMAT:
            raise WeightsError(f"is no file of a network: its format is {values.get('format')!r}, not {_FORMAT!r}")
        try:
            board = values["board"]
            header = cls(
                game=values["game"],
                board=None if board is None else (board[0], board[1]),
                network=NetworkSettings.from_json(values["network"]),
                games=values["games"],
                seed=values["seed"],
                configuration=values["configuration"],
                state=values["state"],
            )
        except (KeyError, IndexError, TypeError, ValueError) as error:
            if isinstance(error, SettingsError):
                raise WeightsError(f"its network is unknown: {error}") from None
            raise WeightsError(f"its header is incomplete: {error!r}") from None
        numbers = (header.games, header.seed or 0, *(header.board or ()))
        if not all(type(number) is int and number >= 0 for number in numbers) or not all(
            isinstance(part, dict) for part in (header.configuration, header.state)
        ):
            raise WeightsError(f"its header is wrong: {dict(values)}")
        return header

    def check_game(self, game: Game[Any]) -> None:
        """An error unless it is of this game."""
        if self.game != game.name:
            raise WeightsError(f"its network is for {self.game}, not for {game.name}")
        if isinstance(game, GoGame) and self.board != (game.width, game.height):
            sides = " by ".join(map(str, self.board or ()))
            raise WeightsError(f"its network is for boards of {sides}, not of {game.width} by {game.height}")


@dataclass(frozen=True)
class NetworkFile:
    """All that is in a file."""

    header: NetworkHeader
    weights: NDArray[np.float64]
    arrays: Mapping[str, NDArray[Any]]  # the others

    def value(self, game: Game[Any]) -> NetworkValue:
        """Made ready for a game; an error if it is of another one."""
        self.header.check_game(game)
        try:
            return network_of(self.header.network, game, self.weights, self.arrays.get(KEYS))
        except (InvalidArgumentError, TypeError) as error:
            raise WeightsError(f"its weights do not fit its network: {error}") from None


@dataclass(frozen=True)
class LoadedNetwork:
    """A network as players take it."""

    header: NetworkHeader
    value: NetworkValue
    fingerprint: str  # of the file


def save_network(
    path: Path | str,
    header: NetworkHeader,
    weights: NDArray[np.float64],
    arrays: Mapping[str, NDArray[Any]] | None = None,
) -> None:
    """Writes a file, whole or not at all."""
    if arrays and WEIGHTS in arrays:
        raise InvalidArgumentError(f"another array cannot be called {WEIGHTS!r}")
    write_arrays(Path(path), header.to_json(), {WEIGHTS: weights, **(arrays or {})})


def read_network(path: Path | str) -> NetworkFile:
    """Reads a file without asking whether its weights fit."""
    try:
        values, arrays = read_arrays(Path(path))
        header = NetworkHeader.from_json(values)
        weights = arrays[WEIGHTS]
        if weights.dtype != np.float64 or weights.ndim != 1 or not np.isfinite(weights).all():
            raise WeightsError(f"its weights are {weights.dtype} of shape {weights.shape}, not a finite row of float64")
        check_sum(values, arrays)
    except WeightsError as error:
        raise WeightsError(f"{path}: {error}") from None
    return NetworkFile(header, weights, {name: array for name, array in arrays.items() if name != WEIGHTS})


def load_network(path: Path | str, game: Game[Any]) -> LoadedNetwork:
    """The network that a file has now, for a game. Equal files are read once."""
    path = Path(path)
    try:
        content = path.read_bytes() if path.is_file() else b""
    except OSError:
        content = b""  # the reader has a better error
    fingerprint = hashlib.sha256(content).hexdigest()[:16]
    file = _read(path.absolute(), fingerprint)
    try:
        return LoadedNetwork(file.header, file.value(game), fingerprint)
    except WeightsError as error:
        raise WeightsError(f"{path}: {error}") from None


def shipped_network(game: Game[Any]) -> Path:
    """The file of the network that comes with the package for a game: see src/katachi/data/networks."""
    known = sorted(path.stem for path in _FOLDER.glob("*.safetensors"))
    board = f"{game.width}x{game.height}" if isinstance(game, GoGame) else None
    if board not in known:
        raise WeightsError(
            f"no network comes with the package for {game.name}{f' on {board}' if board else ''}, only for Go on "
            f"{', '.join(known)}: learn one (katachi learn --out DIR) and give its file"
        )
    return _FOLDER / f"{board}.safetensors"


@lru_cache(maxsize=16)
def _read(path: Path, _fingerprint: str) -> NetworkFile:
    return read_network(path)
