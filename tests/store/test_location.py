from __future__ import annotations

from pathlib import Path

import pytest

from multicloud.errors import ExitCode, InvalidInputError
from multicloud.store.location import PostgresDatabase, SqliteFile, has_store, locate


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
    assert locate(where) == SqliteFile(Path(expected))
    assert str(locate(where)) == expected


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("postgresql://ci:secret@db", "names no database"),
        ("postgresql://ci:secret@db:port/multicloud", "names no database"),
        ("mysql://db/multicloud", "mysql cannot be used"),
        ("sqlite://", "sqlite cannot be used"),
        ("sqlite:///", "sqlite cannot be used"),
        ("", "nothing cannot be used"),
    ],
)
def test_other_urls_are_invalid_and_never_echoed(where: str, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said) as caught:
        locate(where)
    assert caught.value.exit_code is ExitCode.INVALID
    assert "secret" not in str(caught.value)


def test_a_store_is_there_once_its_file_is(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    assert not has_store(path)
    path.touch()
    assert has_store(path)
    assert has_store(f"sqlite:///{path}")


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_a_database_is_shown_without_its_password(scheme: str) -> None:
    found = locate(f"{scheme}://ci:secret@db.example.org:5433/multicloud?sslmode=require")
    assert isinstance(found, PostgresDatabase)
    assert str(found) == "postgresql://ci@db.example.org:5433/multicloud"
    assert found.has_password
    assert has_store(found)
    assert "secret" not in str(found)
