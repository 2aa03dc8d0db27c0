"""The settings of temporal-difference learning from whole games, and of the step sizes with it.

Sections are of Silver (2009). The defaults are the source's with its misprints corrected; what is printed there can be
asked for. Settings that contradict each other are refused by name. The native twin is cpp/learning/td.hpp, the slow one
katachi.reference.shape_learning; the manual is docs/shape_learning.md.
"""

from typing import Literal, Self

from pydantic import ConfigDict, Field, model_validator

from katachi._core import TdOptions
from katachi.core.settings import Settings

__all__ = ["TdSettings"]


class TdSettings(Settings):
    """What a state's value is, what it learns from the rest of its game, when, and by how much."""

    model_config = ConfigDict(populate_by_name=True)

    head: Literal["logistic", "non-linear", "linear"] = Field(
        default="logistic",
        description="V: sigmoid of the sum with the step of cross entropy (5.5, A.12); the same with the step of the "
        "squared error (A.11); the sum itself and linear_offset (5.7.3).",
    )
    linear_offset: float = Field(
        default=0.5, description="Of the linear head: V of a board that is worth nothing to either side (5.7.3; ours)."
    )
    target: Literal["td", "monte-carlo"] = Field(
        default="td", description="What V(s_t) learns: a later value (5.5), or the outcome (A.9)."
    )
    plies: Literal[1, 2] = Field(
        default=2, description="How much later: the next state, or the next one of the same player (5.5, 5.7.4)."
    )
    learns_last: bool = Field(
        default=True,
        description="Both last states before the end learn the outcome; false: the last one does not, as printed "
        "(Algorithm 3).",
    )
    lambda_: float = Field(default=0.0, ge=0, le=1, alias="lambda", description="Decay of the traces (5.5, 5.7.6).")
    traces: Literal["accumulating", "replacing"] = Field(
        default="accumulating", description="What a weight that is met again adds to its trace (5.7.6)."
    )
    trace_norm: Literal["at-add", "at-update"] = Field(
        default="at-add",
        description="Where the division by k is: when a state enters the trace (5.4 to 5.6), or when the trace is "
        "used, by the k of then (the published program).",
    )
    trace_parity: Literal["per-colour", "single"] = Field(
        default="per-colour",
        description="A trace for each player to move, so that lambda = 1 is Monte-Carlo; or one for all states.",
    )
    trace_cutoff: float = Field(
        default=0.0, ge=0, lt=1, description="Traces that are no greater are dropped (the published program: 0.001)."
    )
    update_mode: Literal["end-refresh", "end-cached", "online"] = Field(
        default="end-refresh",
        description="A sweep after the game with values of then (the published program), or as they were when the "
        "states were met; or as soon as a target is known (Algorithm 3).",
    )
    normaliser: Literal["state", "successor"] = Field(
        default="state",
        description="Whose number of features k divides the step: the state's that learns (5.3), or, as printed in "
        "Algorithm 3, its successor's.",
    )
    step_rule: Literal["constant", "counts", "kalman", "idbd"] = Field(
        default="constant",
        description="alpha / k (5.5); that, falling with a weight's occurrences; a variance for each weight; alpha of "
        "each weight learns too (10.3.1; Sutton 1992).",
    )
    alpha: float = Field(default=0.1, ge=0, description="Step size before it is divided by k (5.6).")
    count_scale: float = Field(
        default=1000.0, gt=0, description="Of counts: the occurrences after which a step has halved (10.3.1; ours)."
    )
    variance: float = Field(
        default=0.01, gt=0, description="Of kalman: of a weight before anything is learnt (10.3.1; ours)."
    )
    meta_step: float = Field(default=0.01, ge=0, description="Of idbd: how fast the steps learn (Sutton 1992; ours).")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        adapts = self.step_rule != "constant"
        for is_wrong, text in (
            (
                self.target == "monte-carlo" and self.lambda_ > 0,
                "lambda is for target=td: the outcome needs no traces",
            ),
            (
                self.target == "monte-carlo" and self.update_mode == "online",
                "update_mode=online is for target=td: the outcome is not known before the end",
            ),
            (
                self.plies == 1 and self.lambda_ > 0 and self.trace_parity == "per-colour",
                "plies=1 leads from player to player: it needs trace_parity=single",
            ),
            (adapts and self.lambda_ > 0, f"step_rule={self.step_rule} is for lambda=0"),
            (adapts and self.normaliser == "successor", f"step_rule={self.step_rule} is for normaliser=state"),
            (
                self.step_rule == "kalman" and self.head != "logistic",
                f"step_rule=kalman is for head=logistic, not {self.head}",
            ),
            (self.step_rule == "idbd" and self.alpha == 0, "step_rule=idbd needs an alpha above 0 to begin with"),
        ):
            if is_wrong:
                raise ValueError(text)
        return self

    def to_native(self) -> TdOptions:
        """What native code takes."""
        options = TdOptions()
        for name in TdSettings.model_fields:
            setattr(options, name, getattr(self, name))
        return options
