"""What every test starts from: a bare environment. Sockets reach loopback only (pyproject)."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

KEPT = ("PATH", "HOME", "TMPDIR", "LANG", "PYTHONPATH", "VIRTUAL_ENV", "MULTICLOUD_PROVIDER_MIRROR")
FAKE_CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "TENCENTCLOUD_SECRET_ID": "testing",
    "TENCENTCLOUD_SECRET_KEY": "testing",
}


# The same examples at every run: a failure is there for all, and none comes by chance. To look
# further than the suite does (no deadline: machines are busy): pytest --hypothesis-profile=explore
settings.register_profile("suite", derandomize=True, database=None, deadline=None)
settings.register_profile("explore", max_examples=2_000, deadline=None)
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden` writes what a golden test saw instead of comparing."""
    parser.addoption("--update-golden", action="store_true", default=False)


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written anew."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the developer's shell, and no real credential, reaches a test."""
    for name in list(os.environ):
        if name not in KEPT and not name.startswith(("PYTEST", "COV_", "COVERAGE")):
            monkeypatch.delenv(name)
    for name, value in FAKE_CREDENTIALS.items():
        monkeypatch.setenv(name, value)
