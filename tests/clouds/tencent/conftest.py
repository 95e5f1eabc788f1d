"""Keys in the environment, and a stub in place of Tencent's services."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from multicloud.clouds.tencent import session as sessions

if TYPE_CHECKING:
    from pathlib import Path

    from tests.clouds.stub import Stub


@pytest.fixture
def keyed(stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stub:
    """A stub that takes the keys of the environment."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TENCENTCLOUD_SECRET_ID", "AKIDexample")
    monkeypatch.setenv("TENCENTCLOUD_SECRET_KEY", "not-to-be-told")
    monkeypatch.setattr(sessions, "ENDPOINT", stub.url.removeprefix("https://"))
    return stub
