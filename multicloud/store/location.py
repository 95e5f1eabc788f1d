"""Where a store is, from what a project file or a caller says."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote

from multicloud.errors import InvalidInputError

FILE_MODE = 0o600
FOLDER_MODE = 0o700
_SQLITE = "sqlite:///"


def store_file(where: str | os.PathLike[str]) -> Path:
    """The SQLite file meant by a path or a URL (`sqlite:///relative`, `sqlite:////absolute`).

    Raises: InvalidInputError for other kinds of URL and for a URL without a file.
    """
    text = os.fspath(where)
    if text.startswith(_SQLITE) and len(text) > len(_SQLITE):
        return Path(unquote(text.removeprefix(_SQLITE)))
    scheme, separator, _ = text.partition("://")
    if separator or not text:
        kind = scheme.partition("+")[0] or "nothing"
        later = " not yet" if kind in {"postgresql", "postgres"} else ""
        raise InvalidInputError(
            f"store: {kind} cannot be used{later}.",
            detail="Expected a path or sqlite:///PATH.",
            hint="Leave `store` out to keep it in .multicloud/store.sqlite.",
        )
    return Path(text)


def has_store(where: str | os.PathLike[str]) -> bool:
    """Whether there is a store to read; cheap, so that readers without one load no database."""
    return os.path.lexists(store_file(where))
