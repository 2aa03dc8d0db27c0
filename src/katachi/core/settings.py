"""Settings: frozen pydantic models that refuse what they do not know, and say what was probably meant."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Self, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError

from katachi.core.errors import SettingsError

__all__ = ["Settings", "did_you_mean", "differences"]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A sentence for an error message: the nearest known name, and all of them."""
    names = sorted(known)
    close = get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"{hint}known: {', '.join(names) if names else 'none'}"


class Settings(BaseModel):
    """A frozen, documented, self-checking value. Unknown keys are refused with a did-you-mean.

    Subclasses give every field a description with the source's section; a value that the source tunes per task has no
    default. Types are strict: a bool is no number and a text no float. Construction and `replace` raise SettingsError.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, allow_inf_nan=False, strict=True)

    def __init__(self, **values: Any) -> None:  # noqa: ANN401
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise SettingsError(_explain(type(self), error)) from None

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Self:
        """From a TOML table or the options of a spec."""
        return cls(**{str(key): value for key, value in values.items()})

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """From what `model_dump(mode="json")` gave: JSON has lists where a field has a tuple."""
        tuples = {name for name, field in cls.model_fields.items() if get_origin(field.annotation) is tuple}
        return cls(**{key: tuple(value) if key in tuples else value for key, value in values.items()})

    def replace(self, **changes: Any) -> Self:  # noqa: ANN401
        """A copy with some fields changed, checked again."""
        return type(self)(**{**{name: getattr(self, name) for name in type(self).model_fields}, **changes})


def _explain(model: type[Settings], error: ValidationError) -> str:
    lines = []
    for problem in error.errors():
        where = ".".join(str(part) for part in problem["loc"]) or model.__name__
        if problem["type"] == "extra_forbidden":
            known = (field.alias or name for name, field in model.model_fields.items())
            lines.append(f"{model.__name__} has no setting {where!r}: {did_you_mean(where, known)}")
        elif problem["type"] == "missing":
            field = model.model_fields.get(where)
            hint = f" ({field.description})" if field is not None and field.description else ""
            lines.append(f"{model.__name__} needs a value for {where!r}{hint}")
        elif problem["type"] == "value_error" and isinstance(problem["input"], Mapping | Settings):
            # Fields that contradict each other: the message names them, and all the others say nothing.
            message = str(problem["ctx"]["error"])
            lines.append(f"{model.__name__}.{where}: {message}" if problem["loc"] else message)
        else:
            lines.append(f"{model.__name__}.{where}: {problem['msg']}, not {problem['input']!r}")
    return "\n".join(lines)


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """One line for each value that is not the same, with the way to it: `settings.board[1].games: 6 there, 8 now`."""
    old, new = dict(_leaves(before)), dict(_leaves(now))
    return [
        f"  {key}: {_shown(old, key)} there, {_shown(new, key)} now"
        for key in sorted(old.keys() | new.keys())
        if key not in old or key not in new or old[key] != new[key]
    ]


def _leaves(value: Any, way: str = "") -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    """The values in a tree of JSON. An empty list or mapping is a value, too."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{way}.{key}" if way else key)
    elif isinstance(value, list) and value:
        for place, inner in enumerate(value):
            yield from _leaves(inner, f"{way}[{place}]")
    else:
        yield way, value


def _shown(leaves: Mapping[str, Any], key: str) -> str:
    return repr(leaves[key]) if key in leaves else "nothing"
