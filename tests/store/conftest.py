"""Stores in fresh folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from multicloud.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store may be made; its folder is not there yet."""
    return tmp_path / "home" / "store.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """An open, empty store of the sandbox."""
    with Store.open(path, target="sandbox") as opened:
        yield opened
