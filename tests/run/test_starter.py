"""`init` writes a project that works, and never over a file of the user's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from multicloud.errors import InvalidInputError
from multicloud.run.starter import write_starter

if TYPE_CHECKING:
    from pathlib import Path


def test_an_existing_file_stops_it_before_anything_is_written(tmp_path: Path) -> None:
    mine = tmp_path / "policies" / "first.yaml"
    mine.parent.mkdir()
    mine.write_text("mine")
    with pytest.raises(InvalidInputError, match="nothing was written"):
        write_starter(tmp_path)
    assert mine.read_text() == "mine"
    assert not (tmp_path / "multicloud.yaml").exists()


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(InvalidInputError, match="cannot write"):
        write_starter(blocked / "below")
