"""The user's own engine settings: read from the home, never from a repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from multicloud.errors import InvalidInputError
from multicloud.models.project import EngineSettings
from multicloud.run.user_settings import user_settings

if TYPE_CHECKING:
    from pathlib import Path


def written(home: Path, text: str) -> dict[str, str]:
    folder = home / ".config" / "multicloud"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(text)
    return {"HOME": str(home)}


def test_no_file_is_no_setting(tmp_path: Path) -> None:
    assert user_settings({"HOME": str(tmp_path)}) == EngineSettings()


def test_all_settings(tmp_path: Path) -> None:
    text = "engine: {path: /usr/bin/tofu, mirrors: [/a, 'https://b/'], plugin_cache: /c}\n"
    assert user_settings(written(tmp_path, text)) == EngineSettings(
        path="/usr/bin/tofu", mirrors=("/a", "https://b/"), plugin_cache="/c"
    )


def test_the_base_folder_may_be_elsewhere(tmp_path: Path) -> None:
    written(tmp_path, "engine: {path: x}\n")
    environ = {"HOME": "/none", "XDG_CONFIG_HOME": str(tmp_path / ".config")}
    assert user_settings(environ).path == "x"


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "engine: x",
        "motor: {}",
        "engine: {pth: x}",
        "engine: {mirrors: x}",
        "engine: {path: []}",
    ],
)
def test_anything_else_is_refused_with_its_place(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        user_settings(written(tmp_path, text))
    assert caught.value.where is not None
    assert caught.value.where.line == 1
