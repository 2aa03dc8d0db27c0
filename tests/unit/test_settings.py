"""Settings refuse what they do not know and say what was probably meant."""

import math
from typing import Self

import pytest
from pydantic import Field, field_validator, model_validator

from katachi import InvalidArgumentError, KatachiError, Limit, SettingsError, UnknownNameError, make_game, make_player
from katachi.core.settings import Settings, did_you_mean
from katachi.games.registry import game_names, register_game


class Example(Settings):
    rate: float = Field(ge=0, description="A rate that has no default.")
    steps: int = Field(default=3, description="Steps.")


def test_frozen() -> None:
    example = Example(rate=1)
    with pytest.raises(ValueError, match="frozen"):
        example.steps = 4  # type: ignore[misc]
    assert example.replace(steps=5) == Example(rate=1, steps=5)
    with pytest.raises(SettingsError):
        example.replace(rate=-1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rate": 1, "stesp": 2}, "no setting 'stesp': did you mean 'steps'"),
        ({}, "needs a value for 'rate' .A rate that has no default"),
        ({"rate": -0.5}, "Example.rate: .*greater than or equal to 0, not -0.5"),
        ({"rate": math.nan}, "rate: .*finite number, not nan"),
        ({"rate": 1, "steps": "many"}, "steps: .*not 'many'"),
    ],
)
def test_messages(values: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Example.from_mapping(values)


class Pair(Settings):
    low: int = Field(default=1, description="The lower one.")
    high: int = Field(default=2, description="The higher one.")

    @field_validator("low")
    @classmethod
    def _is_even_or_one(cls, value: int) -> int:
        if value != 1 and value % 2:
            raise ValueError("low is 1 or even")
        return value

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"low={self.low} is above high={self.high}")
        return self


class Holder(Settings):
    pair: Pair = Field(default=Pair(), description="Two numbers.")


def test_fields_that_contradict_each_other() -> None:
    """The message alone; where one field is wrong, its value stands beside it."""
    for make, message in (
        (lambda: Pair(low=4), "low=4 is above high=2"),
        (lambda: Holder.from_mapping({"pair": {"low": 4}}), "Holder.pair: low=4 is above high=2"),
        (lambda: Pair(low=5), "Pair.low: Value error, low is 1 or even, not 5"),
    ):
        with pytest.raises(SettingsError) as caught:
            make()
        assert str(caught.value) == message


def test_limit_needs_a_budget() -> None:
    with pytest.raises(SettingsError, match="at least one of"):
        Limit()
    with pytest.raises(SettingsError, match="simulations"):
        Limit(simulations=0)
    with pytest.raises(SettingsError, match="seconds"):
        Limit(seconds=-1)
    for value in (True, "7", 2**70):
        with pytest.raises(SettingsError, match="simulations"):
            Limit(simulations=value)  # type: ignore[arg-type]
    assert Limit(steps=5).simulations is None


def test_did_you_mean_without_anything_near() -> None:
    assert did_you_mean("zzz", ["alpha", "beta"]) == "known: alpha, beta"


def test_unknown_names() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'go'"):
        make_game("goo")
    with pytest.raises(UnknownNameError, match="did you mean 'random'"):
        make_player("rondom")
    with pytest.raises(InvalidArgumentError, match="colour"):
        make_game("go", colour=3)
    with pytest.raises(InvalidArgumentError, match="already"):
        register_game("go", lambda: make_game("go"))
    assert "go" in game_names()


def test_every_error_is_a_katachi_error() -> None:
    import katachi.core.errors as errors

    for name, error in vars(errors).items():
        if name.endswith("Error"):
            assert issubclass(error, KatachiError)
