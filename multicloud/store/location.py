"""Where a store is, from what a project file or a caller says."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from multicloud.errors import InvalidInputError

FILE_MODE = 0o600
FOLDER_MODE = 0o700
_SQLITE = "sqlite:///"
_POSTGRES = frozenset({"postgresql", "postgres", "postgresql+psycopg"})


@dataclass(frozen=True, slots=True)
class SqliteFile:
    """A store in a file; its locks lie beside it."""

    path: Path

    def __str__(self) -> str:
        """The path, for people."""
        return str(self.path)


@dataclass(frozen=True, slots=True)
class PostgresDatabase:
    """A store in a database of PostgreSQL. `url` may hold a password: never show it."""

    url: str

    def __str__(self) -> str:
        """The URL without what is nobody's business."""
        parts = urlsplit(self.url)
        user = f"{parts.username}@" if parts.username else ""
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
        return urlunsplit(("postgresql", f"{user}{host}{port}", parts.path, "", ""))

    @property
    def has_password(self) -> bool:
        """Whether the URL itself holds the password."""
        return urlsplit(self.url).password is not None or "password=" in self.url


Location = SqliteFile | PostgresDatabase


def locate(where: Location | str | os.PathLike[str]) -> Location:
    """The store meant by a path or a URL.

    `sqlite:///relative`, `sqlite:////absolute`, `postgresql://user@host/database`.
    Raises: InvalidInputError for other kinds of URL, and for a URL that names no store.
    """
    if isinstance(where, SqliteFile | PostgresDatabase):
        return where
    text = os.fspath(where)
    if text.startswith(_SQLITE) and len(text) > len(_SQLITE):
        return SqliteFile(Path(unquote(text.removeprefix(_SQLITE))))
    scheme, separator, _ = text.partition("://")
    if separator and scheme in _POSTGRES:
        return PostgresDatabase(_checked(text))
    if separator or not text:
        kind = scheme.partition("+")[0] or "nothing"
        raise InvalidInputError(
            f"store: {kind} cannot be used.",
            detail="Expected a path, sqlite:///PATH or postgresql://USER@HOST/DATABASE.",
            hint="Leave `store` out to keep it in .multicloud/store.sqlite.",
        )
    return SqliteFile(Path(text))


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
        is_whole = bool(parts.path.strip("/")) and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole:
        raise InvalidInputError(
            "store: the URL names no database.",
            detail="Expected such as postgresql://multicloud@db.example.org/multicloud.",
        )
    return url


def has_store(where: Location | str | os.PathLike[str]) -> bool:
    """Whether there may be a store to read; cheap, so that readers without one load no database.

    Of a database only a connection could tell.
    """
    found = locate(where)
    return isinstance(found, PostgresDatabase) or os.path.lexists(found.path)
