"""Networks that value states of games (Ekker, chapter 5): what they are told, their layers, the unit of their answers.

    value = make_network(NetworkSettings(), game, Rng(1))      # 32-75-1 on 5x5 Go, random weights
    AlphaBeta(game, state, settings=..., evaluate=value)

Without hidden units, on a table of states or on local shapes, a network is a linear value function. The native halves
are cpp/values/network.hpp and network_value.hpp; files of networks are katachi.values.network_file, the manual is
docs/td_networks.md.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, model_validator

from katachi import _core
from katachi._core import NetworkValue, Player, Rng
from katachi.core.errors import InvalidArgumentError
from katachi.core.settings import Settings, did_you_mean
from katachi.features.board_inputs import BOARD, FULL, BoardInputs, BoardInputSettings
from katachi.games.contract import Game
from katachi.games.go.game import GoGame
from katachi.games.go.position import Position

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["NetworkSettings", "make_network", "network_of", "outputs_of"]

_GROUPS = ("points", "liberties", "difference", "edge", "atari", "ko")
_NAMED = {"full": FULL, "board": BOARD}
_LINEAR = ("table", "shapes")


class NetworkSettings(Settings):
    """What a network is told, how it is built, and what its answers are."""

    inputs: str = Field(
        default="full",
        description="full (all 32 of 5.2), board (its 25), or groups of them joined by + (full+ko); table: one for "
        "each state; shapes: local shapes.",
    )
    scale_inputs: bool = Field(default=False, description="Divide inputs of boards by about what they can be at most.")
    table_size: int = Field(default=10_000, ge=1, le=2**27, description="Of a table: how many states it can know.")
    hidden: tuple[int, ...] | None = Field(
        default=None, description="Units of the hidden layers (5.1: 75); of tables and shapes: none."
    )
    activation: Literal["logistic", "tanh"] = Field(default="logistic", description="Of hidden units (not said).")
    bias: bool | None = Field(default=None, description="Have units biases? Yes (not said); not for tables and shapes.")
    unit: Literal["stones", "output"] = Field(
        default="stones",
        description="V is the sum x before the output, in stones (eq. 13); or the output y, from 0 to 1.",
    )
    score_scale: float = Field(default=1.0, gt=0, le=1000, description="c: stones for one unit of x (eq. 13: 1).")
    initial_range: float = Field(default=0.1, ge=0, le=100, description="First weights are uniform on ± this (5.1).")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not self.is_linear:
            for part in self.inputs.split("+"):
                if part not in (*_NAMED, *_GROUPS):
                    known = did_you_mean(part, (*_NAMED, *_GROUPS, *_LINEAR))
                    raise ValueError(f"there are no inputs called {part!r}: {known}")
            self.board_inputs()
        if self.is_linear and (self.hidden or self.bias):
            raise ValueError(f"inputs={self.inputs} are for a network without hidden units and biases")
        if any(units < 1 for units in self.hidden or ()):
            raise ValueError(f"a hidden layer has at least 1 unit: {self.hidden}")
        return self

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """From what `model_dump(mode="json")` gave."""
        hidden = values.get("hidden")
        return cls.from_mapping({**values, "hidden": None if hidden is None else tuple(hidden)})

    @property
    def is_linear(self) -> bool:
        """A table, or local shapes."""
        return self.inputs in _LINEAR

    def board_inputs(self) -> BoardInputSettings:
        """The groups of inputs, of a network that is told a board."""
        groups = [group for part in self.inputs.split("+") for group in _NAMED.get(part, (part,))]
        return BoardInputSettings.from_mapping({"groups": tuple(groups), "scale_inputs": self.scale_inputs})

    def layers(self, inputs: int) -> list[int]:
        """Numbers of units, from the inputs to the output."""
        hidden = self.hidden if self.hidden is not None else () if self.is_linear else (75,)
        return [inputs, *hidden, 1]


def make_network(settings: NetworkSettings, game: Game[Any], rng: Rng) -> NetworkValue:
    """With first weights that are drawn."""
    network = _untrained(settings, _inputs(settings, game))
    network.randomise(rng, settings.initial_range)
    return _with_inputs(settings, game, network, None)


def network_of(
    settings: NetworkSettings,
    game: Game[Any],
    weights: "NDArray[np.float64]",
    keys: "NDArray[np.uint64] | None" = None,
) -> NetworkValue:
    """With weights that are known; `keys` are those of the states of a table."""
    network = _untrained(settings, _inputs(settings, game))
    network.weights = weights
    return _with_inputs(settings, game, network, keys)


def outputs_of(
    settings: NetworkSettings, weights: "NDArray[np.float64]", positions: Sequence[Position], viewpoint: Player
) -> list[float]:
    """The output y for each of some Go positions, as a player sees them; for networks that are told a board."""
    if not positions:
        return []
    inputs = BoardInputs(positions[0].width, positions[0].height, settings.board_inputs())
    network = _untrained(settings, inputs.size)
    network.weights = weights
    return [network.value(inputs.read(position, viewpoint))[1] for position in positions]


def _untrained(settings: NetworkSettings, inputs: int) -> _core.Network:
    bias = not settings.is_linear if settings.bias is None else settings.bias
    return _core.Network(settings.layers(inputs), settings.activation, bias)


def _inputs(settings: NetworkSettings, game: Game[Any]) -> int:
    if settings.inputs == "table":
        return settings.table_size
    if settings.inputs == "shapes":
        return _shapes(game).weights
    return _board(settings, game).size


def _with_inputs(
    settings: NetworkSettings, game: Game[Any], network: _core.Network, keys: "NDArray[np.uint64] | None"
) -> NetworkValue:
    answers = settings.unit, settings.score_scale
    if settings.inputs == "table":
        import numpy as np

        return NetworkValue(network, np.zeros(0, dtype=np.uint64) if keys is None else keys, *answers)
    if settings.inputs == "shapes":
        return NetworkValue(network, _shapes(game), *answers)
    return NetworkValue(network, _board(settings, game).native, *answers)


def _board(settings: NetworkSettings, game: Game[Any]) -> BoardInputs:
    if not isinstance(game, GoGame):
        raise InvalidArgumentError(f"inputs={settings.inputs} are for Go, not for {game.name}: take inputs=table")
    return BoardInputs(game.width, game.height, settings.board_inputs())


def _shapes(game: Game[Any]) -> _core.ShapeRepresentation:
    from katachi.features.local_shapes import ShapeSettings
    from katachi.values.weights_reader import board_side

    return ShapeSettings().to_native(board_side(game))
