from __future__ import annotations

from pathlib import Path

import pytest

from multicloud.errors import ExitCode, InvalidInputError
from multicloud.store.location import has_store, store_file


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (".multicloud/store.sqlite", ".multicloud/store.sqlite"),
        (Path("/var/lib/store.sqlite"), "/var/lib/store.sqlite"),
        ("sqlite:///store.sqlite", "store.sqlite"),
        ("sqlite:////var/lib/a%20b.sqlite", "/var/lib/a b.sqlite"),
    ],
)
def test_paths_and_urls_name_a_file(where: str | Path, expected: str) -> None:
    assert store_file(where) == Path(expected)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("postgresql://ci@db/multicloud", "postgresql cannot be used not yet"),
        ("postgresql+psycopg://ci:secret@db/multicloud", "postgresql cannot be used not yet"),
        ("mysql://db/multicloud", "mysql cannot be used"),
        ("sqlite://", "sqlite cannot be used"),
        ("sqlite:///", "sqlite cannot be used"),
        ("", "nothing cannot be used"),
    ],
)
def test_other_urls_are_invalid_and_never_echoed(where: str, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said) as caught:
        store_file(where)
    assert caught.value.exit_code is ExitCode.INVALID
    assert "secret" not in str(caught.value)


def test_a_store_is_there_once_its_file_is(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    assert not has_store(path)
    path.touch()
    assert has_store(path)
    assert has_store(f"sqlite:///{path}")
