"""How the weights of a network follow the errors of a game's states (Ekker, 3.3).

A trainer is a way to mix two gradients and a way to step. `TRAINERS` has the source's by name, `trainer_settings` makes
them. The native half is cpp/learning/network_trainer.hpp, the slow twins are in katachi.reference.network_trainers; the
manual is docs/td_networks.md.
"""

from typing import Any, Literal, Self, get_args

from pydantic import Field, model_validator

from katachi import _core
from katachi.core.settings import Settings

__all__ = ["TRAINERS", "NetworkTrainerSettings", "TrainerName", "has_lambda", "trainer_settings"]

TrainerName = Literal[
    "backpropagation", "rprop", "direct", "residual-gradient", "residual", "residual-lambda", "residual-rprop"
]
TRAINERS: dict[TrainerName, dict[str, Any]] = {
    "backpropagation": {"mix": 0.0, "step": "plain"},  # 3.3.1, 3.3.3
    "rprop": {"mix": 0.0, "step": "rprop"},  # 3.3.2
    "direct": {"mix": 0.0, "step": "plain"},  # eq. 23: what back-propagation computes
    "residual-gradient": {"mix": 1.0, "step": "plain"},  # eq. 24, 25
    "residual": {"mix": None, "step": "plain"},  # eq. 26 to 28
    "residual-lambda": {"mix": None, "step": "plain"},  # 3.3.6
    "residual-rprop": {"mix": None, "step": "rprop"},  # 7.4
}
assert tuple(TRAINERS) == get_args(TrainerName)


def has_lambda(name: TrainerName) -> bool:
    """Errors of the residual algorithms are those of lambda = 0 (3.3.4); of all others, those of the rule."""
    return name not in ("residual-gradient", "residual")


class NetworkTrainerSettings(Settings):
    """The parts of a trainer."""

    mix: float | None = Field(
        default=0.0,
        ge=0,
        le=1,
        description="Phi, the share of the residual gradient (eq. 26): 0 is direct, 1 residual gradient; none: as "
        "little as keeps the step descending (eq. 28).",
    )
    phi_rule: Literal["safe", "literal"] = Field(
        default="safe",
        description="Of a mix that adapts: 0 where the direct step descends by itself; or, as printed, clipped to 1 "
        "there.",
    )
    phi_per: Literal["batch", "step"] = Field(
        default="batch", description="One mix for the sums of a batch, or one for each state (3.3.4 has both)."
    )
    phi_margin: float = Field(
        default=0.01, ge=0, le=1, description="Added to the smallest mix (3.3.4: a small constant, not given)."
    )
    residual_pair: Literal["next", "previous"] = Field(
        default="next",
        description="Whose gradient is taken off: the next state's (eq. 25), or the one's before (3.3.5).",
    )
    gradient_of: Literal["output", "sum"] = Field(
        default="output",
        description="Of y, which goes flat where the network is sure (eq. 21), or of x before it (ours).",
    )
    step: Literal["plain", "rprop"] = Field(
        default="plain", description="By size (eq. 17), or by signs (eq. 18 to 20)."
    )
    eta: float = Field(default=0.2, gt=0, description="Learning rate of plain steps (6.1).")
    rprop_growth: float = Field(default=1.2, ge=1, description="eta+ (3.3.2).")
    rprop_shrinkage: float = Field(default=0.5, gt=0, le=1, description="eta- (3.3.2).")
    rprop_first: float = Field(default=0.1, gt=0, description="The first step (not said; Riedmiller and Braun 1993).")
    rprop_smallest: float = Field(default=0.001, gt=0, description="Delta_min (3.3.2).")
    rprop_largest: float = Field(default=50.0, gt=0, description="Delta_max (3.3.2).")
    batch_games: int = Field(default=10, ge=1, le=1_000_000, description="Games before the weights move (4.3).")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not self.rprop_smallest <= self.rprop_first <= self.rprop_largest:
            raise ValueError(
                f"rprop_first={self.rprop_first:g} is not between rprop_smallest={self.rprop_smallest:g} and "
                f"rprop_largest={self.rprop_largest:g}"
            )
        return self

    def to_native(self) -> _core.NetworkTrainerOptions:
        """What native code takes."""
        options = _core.NetworkTrainerOptions()
        for name in type(self).model_fields:
            setattr(options, name, getattr(self, name))
        return options


def trainer_settings(name: TrainerName, **changes: Any) -> NetworkTrainerSettings:  # noqa: ANN401
    """A trainer of the source, with some settings changed."""
    return NetworkTrainerSettings.from_mapping({**TRAINERS[name], **changes})
