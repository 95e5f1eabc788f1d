"""Where a project keeps its store, and the store for those who only read."""

from __future__ import annotations

import os
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputError
from multicloud.run.layout import Layout
from multicloud.store.location import PostgresDatabase, SqliteFile, has_store, locate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from multicloud.models.project import Project
    from multicloud.store.location import Location
    from multicloud.store.store import Store

STORE_VARIABLE = "MULTICLOUD_STORE"


def store_place(project: Project, layout: Layout) -> Location:
    """Where the project keeps its store; a path is relative to the project's folder.

    `MULTICLOUD_STORE` stands above the project file, which may hold no password.

    Raises:
        InvalidInputError: the store cannot be used, or the file holds a password.
    """
    given = os.environ.get(STORE_VARIABLE)
    found = locate(given or project.store or layout.home / "store.sqlite")
    if not given and isinstance(found, PostgresDatabase) and found.has_password:
        raise InvalidInputError(
            f"store: the URL in {project.file} holds a password.",
            hint=f"Give the password by PGPASSWORD, ~/.pgpass or the variable {STORE_VARIABLE}.",
        )
    if isinstance(found, SqliteFile):
        return SqliteFile(layout.root / found.path)
    return found


@contextmanager
def open_to_read(project: Project, root: Path) -> Iterator[Store | None]:
    """The project's store, which cannot be changed by this; None when there is none yet.

    Raises: as `store_place` and `Store.open`.
    """
    place = store_place(project, Layout(root))
    store = None
    if has_store(place):
        # Costs a start without a store nothing.
        from multicloud.store.store import Store

        store = Store.open(place, target=project.target, create=False)
    with store or nullcontext() as found:
        yield found
