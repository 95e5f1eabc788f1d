"""What a database complains about, as one sentence with what to do."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError, IntegrityError

from multicloud.store.failures import StoreError, UnreadableError
from multicloud.store.location import SqliteFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from multicloud.store.location import Location


@contextmanager
def told(location: Location) -> Iterator[None]:
    """Turn the database's errors into ours; broken constraints are our faults and pass through.

    Raises: StoreError.
    """
    try:
        yield
    except (IntegrityError, sqlite3.IntegrityError):
        raise
    except (DBAPIError, sqlite3.Error, UnreadableError, UnicodeDecodeError) as error:
        reason = str(error.orig if isinstance(error, DBAPIError) else error).strip()
        hint = (
            _file_hint(location.path, reason)
            if isinstance(location, SqliteFile)
            else _database_hint(reason)
        )
        first = reason.splitlines()[0] if reason else type(error).__name__
        raise StoreError(f"the store {location} cannot be used: {first}.", hint=hint) from error


def _file_hint(path: Path, reason: str) -> str:
    if "locked" in reason:
        return "Another run kept it for too long. Try again when that run has ended."
    if "disk" in reason and "full" in reason:
        return "Free some space and try again."
    if "readonly" in reason or "unable to open" in reason:
        return "Let this user write the file and its folder."
    copies = sorted(copy.name for copy in path.parent.glob(f"{path.name}.*.bak"))
    restore = f", or put back {copies[-1]}," if copies else ""
    return f"Move it away{restore} and adopt what runs with: multicloud apply --adopt"


def _database_hint(reason: str) -> str:
    text = reason.casefold()
    if "password" in text or "authentication" in text or "pg_hba" in text:
        return "Give the password by PGPASSWORD, ~/.pgpass or the variable MULTICLOUD_STORE."
    if "does not exist" in text and "database" in text:
        return "Make the database first: createdb NAME"
    if "permission denied" in text:
        return "Let this user create tables in the database: GRANT CREATE ON SCHEMA public."
    return "Look whether the server runs and can be reached, then run again."
