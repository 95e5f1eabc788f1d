"""Stores in fresh folders and fresh databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from multicloud.store.store import Store
from tests.postgres import postgres

__all__ = ["postgres"]

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BOTH = ("sqlite", "postgres")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store may be made; its folder is not there yet."""
    return tmp_path / "home" / "store.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """An open, empty store of the sandbox, in a file."""
    with Store.open(path, target="sandbox") as opened:
        yield opened


@pytest.fixture(params=BOTH)
def place(request: pytest.FixtureRequest, path: Path) -> str:
    """Where a store may be made: a file, then a database."""
    if request.param == "sqlite":
        return str(path)
    url: str = request.getfixturevalue("postgres").url()
    return url


@pytest.fixture
def any_store(place: str) -> Iterator[Store]:
    """An open, empty store of the sandbox, of either kind."""
    with Store.open(place, target="sandbox") as opened:
        yield opened
