"""The settings of learning on both sides of the language border: the same fields, the same values."""

from typing import Any, Literal, get_args, get_origin

import pytest

from katachi import InvalidArgumentError
from katachi._core import SelfPlayOptions, TdLearner, TdOptions
from katachi.core.errors import SettingsError
from katachi.learning.td_settings import TdSettings
from katachi.training.self_play import SelfPlaySettings, self_play


def native_fields(options: type) -> set[str]:
    return {name for name in dir(options) if not name.startswith("_")}


def test_both_sides_have_the_same_fields() -> None:
    assert set(TdSettings.model_fields) == native_fields(TdOptions)
    representation = {"size", "seed", "sizes", "sharing", "turns", "stage_length"}
    assert set(SelfPlaySettings.model_fields) - representation == native_fields(SelfPlayOptions)


def test_the_defaults_agree() -> None:
    native, given = TdOptions(), TdSettings().to_native()
    for name in native_fields(TdOptions):
        assert getattr(native, name) == getattr(given, name), name
    play, settings = SelfPlayOptions(), SelfPlaySettings()
    for name in native_fields(SelfPlayOptions) - {"td"}:
        assert getattr(play, name) == getattr(settings, name), name


@pytest.mark.parametrize("name", sorted(TdSettings.model_fields))
def test_native_code_takes_every_value_that_a_setting_names(name: str) -> None:
    annotation: Any = TdSettings.model_fields[name].annotation
    values = get_args(annotation) if get_origin(annotation) is Literal else ()
    for value in values:
        settings = TdSettings.model_construct(**{**TdSettings().model_dump(), name: value})
        assert getattr(settings.to_native(), name) == value
    assert values or annotation in (bool, float)


def test_native_code_refuses_other_values() -> None:
    options = TdOptions()
    with pytest.raises(InvalidArgumentError, match="head has no value 'magic'"):
        options.head = "magic"
    setattr(options, "lambda_", 0.5)  # noqa: B010  (the stub has no names that end so)
    options.step_rule = "idbd"
    with pytest.raises(InvalidArgumentError, match="lambda = 0"):
        TdLearner(options, 3)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"target": "monte-carlo", "lambda_": 0.5}, "lambda is for target=td"),
        ({"target": "monte-carlo", "update_mode": "online"}, "update_mode=online is for target=td"),
        ({"plies": 1, "lambda_": 0.5}, "needs trace_parity=single"),
        ({"step_rule": "counts", "lambda_": 0.5}, "step_rule=counts is for lambda=0"),
        ({"step_rule": "idbd", "normaliser": "successor"}, "step_rule=idbd is for normaliser=state"),
        ({"step_rule": "kalman", "head": "linear"}, "step_rule=kalman is for head=logistic, not linear"),
        ({"step_rule": "idbd", "alpha": 0.0}, "needs an alpha above 0"),
        ({"lambda": 1.5}, "less than or equal to 1"),
        ({"plies": 3}, "plies"),
        ({"alfa": 0.1}, "did you mean 'alpha'"),
    ],
)
def test_contradictions_are_refused_by_name(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SettingsError, match=complaint):
        TdSettings(**settings)


def test_every_setting_says_where_it_is_from() -> None:
    for model in (TdSettings, SelfPlaySettings):
        for name, field in model.model_fields.items():
            assert field.description, name


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"sharing": "ld+le"}, "'ld\\+li'"),
        ({"sizes": ("4x4",)}, "'3x3'"),
        ({"sizes": ()}, "at least one size"),
        ({"sizes": ("1x1", "1x1")}, "each once"),
        ({"size": 20}, "size"),
    ],
)
def test_a_representation_that_is_none(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SettingsError, match=complaint):
        SelfPlaySettings(**settings)


def test_a_representation_that_the_board_does_not_have() -> None:
    with pytest.raises(InvalidArgumentError, match="do not fit"):
        self_play(SelfPlaySettings(size=2))
