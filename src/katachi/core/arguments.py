"""Arguments that come from people: of the right kind, or a named error that shows them. Whole models are `settings`."""

from math import isfinite
from operator import index
from typing import Any

from katachi.core.errors import InvalidArgumentError

__all__ = ["as_finite_number", "as_text", "as_whole_number"]

_LARGEST = 2**31 - 1  # what native code counts with


def as_whole_number(what: str, value: Any) -> int:  # noqa: ANN401
    """The value as an int; its range is for the caller to judge, but native code must be able to hold it."""
    try:
        number = index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise InvalidArgumentError(f"{what} is a whole number, not {value!r}")
    if abs(number) > _LARGEST:
        raise InvalidArgumentError(f"{what} is too large a number: {number}")
    return number


def as_finite_number(what: str, value: Any) -> float:  # noqa: ANN401
    """The value as a float; text is no number."""
    try:
        number = None if isinstance(value, (bool, str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or not isfinite(number):
        raise InvalidArgumentError(f"{what} is a finite number, not {value!r}")
    return number


def as_text(what: str, value: Any) -> str:  # noqa: ANN401
    """The value, if it is a str."""
    if not isinstance(value, str):
        raise InvalidArgumentError(f"{what} is text, not {value!r}")
    return value
