"""Which tables a store has, and how an older store gets the present ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

from multicloud.errors import GuardrailError
from multicloud.store.failures import StoreError

if TYPE_CHECKING:
    from sqlalchemy import Connection

VERSION_TABLE = "alembic_version"


@dataclass(frozen=True, slots=True)
class Schema:
    """The revisions that this program knows, oldest first, and where Alembic finds them.

    They are listed here too, so that opening a store that has the newest needs no Alembic.
    """

    folder: Path
    revisions: tuple[str, ...]

    @property
    def head(self) -> str:
        """The newest revision."""
        return self.revisions[-1]


SCHEMA = Schema(folder=Path(__file__).parent / "migrations", revisions=("0001", "0002"))


def revision_of(connection: Connection, path: str, schema: Schema) -> str | None:
    """The revision of the store behind `connection`, None for an empty database.

    Raises: GuardrailError when a newer program made it; StoreError when it is no store.
    """
    tables = inspect(connection).get_table_names()
    if not tables:
        return None
    if VERSION_TABLE not in tables:
        raise StoreError(
            f"{path} is a database, but no store of multicloud.",
            hint="Name another one with `store:` in the project file.",
        )
    revision = str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar())
    if revision not in schema.revisions:
        raise GuardrailError(
            f"the store {path} was made by a newer multicloud (revision {revision}).",
            detail=f"This one knows revisions up to {schema.head}. Nothing was changed.",
            hint="Install the newer multicloud, or put back a copy made by this one.",
        )
    return revision


def upgrade(connection: Connection, schema: Schema) -> None:
    """Bring the database to the newest revision, inside the transaction of `connection`."""
    from alembic import command  # a fifth of a second, needed once per new version
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(schema.folder).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, schema.head)
