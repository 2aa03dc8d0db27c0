"""Budgets, apart from settings: the same search runs under any of them."""

from typing import Self

from pydantic import Field, model_validator

from katachi.core.settings import Settings

__all__ = ["Limit"]


class Limit(Settings):
    """When a search stops: at the first of these that is reached. At least one is needed."""

    simulations: int | None = Field(default=None, ge=1, le=2**63, description="Simulated games (Silver's unit).")
    steps: int | None = Field(
        default=None, ge=1, le=2**63, description="Simulated steps over all games (Vodopivec's unit)."
    )
    seconds: float | None = Field(default=None, gt=0, description="Wall-clock time.")

    @model_validator(mode="after")
    def _one_is_given(self) -> Self:
        if self.simulations is None and self.steps is None and self.seconds is None:
            raise ValueError("give at least one of simulations, steps, seconds")
        return self
