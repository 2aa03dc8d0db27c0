"""What the tests share: the --regen flag of the golden files, and hypothesis profiles."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("katachi", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("katachi")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regen", action="store_true", help="write the golden files anew instead of comparing")


@pytest.fixture
def regen(request: pytest.FixtureRequest) -> bool:
    """Write golden files instead of comparing?"""
    return bool(request.config.getoption("--regen"))
