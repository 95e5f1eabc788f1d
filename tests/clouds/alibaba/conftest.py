"""Keys where Alibaba Cloud's SDK looks for them, and a stub in place of its services."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from alibabacloud_credentials.utils import auth_constant, auth_util

from multicloud.clouds.alibaba import session as sessions

if TYPE_CHECKING:
    from pathlib import Path

    from tests.clouds.stub import Stub

SECRET = "not-to-be-told"


@pytest.fixture
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No credentials; the SDK reads its variables once, when it is loaded."""
    for name in ("access_key_id", "access_key_secret", "security_token", "credentials_uri"):
        monkeypatch.setattr(auth_util, f"environment_{name}", None)
    monkeypatch.setattr(auth_util, "environment_ecs_metadata_disabled", "true")
    monkeypatch.setattr(auth_constant, "HOME", str(tmp_path))


@pytest.fixture
def keyed(nobody: None, plain_stub: Stub, monkeypatch: pytest.MonkeyPatch) -> Stub:
    """A stub that takes the keys. The SDK trusts its own certificates only."""
    monkeypatch.setattr(auth_util, "environment_access_key_id", "key-1")
    monkeypatch.setattr(auth_util, "environment_access_key_secret", SECRET)
    monkeypatch.setattr(sessions, "PROTOCOL", "HTTP")
    monkeypatch.setattr(sessions, "THROTTLE_WAITS_S", (0.01, 0.02, 0.03, 0.04))
    for service in ("ECS", "STS", "ESS"):
        monkeypatch.setattr(sessions, service, plain_stub.url.removeprefix("http://"))
    return plain_stub
