"""Programs that some tests need and a machine may lack: such a test is skipped, unless nothing may be."""

import os
from typing import TypeVar

import pytest

from katachi.players.external import find_program

__all__ = ["require", "require_program"]

T = TypeVar("T")


def require(found: T | None, reason: str) -> T:
    """What was found; without it the test is skipped, or fails where KATACHI_REQUIRE_ALL=1."""
    if found is None:
        if os.environ.get("KATACHI_REQUIRE_ALL") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


def require_program(name: str, package: str) -> str:
    """The path of a program of a Debian package."""
    return require(find_program(name), f"{name} is not installed (Debian package {package})")
