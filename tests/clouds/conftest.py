"""The clouds' stub, one for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from multicloud.clouds import failures
from tests.clouds.stub import Stub, stub_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """A cloud that answers within half a second or never."""
    monkeypatch.setattr(failures, "READ_S", 0.5)
    with stub_server(tmp_path, monkeypatch) as found:
        yield found


@pytest.fixture
def plain_stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """The same without TLS, for an SDK that trusts no certificate but its own."""
    monkeypatch.setattr(failures, "READ_S", 0.5)
    with stub_server(tmp_path, monkeypatch, is_plain=True) as found:
        yield found
