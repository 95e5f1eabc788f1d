"""Column types that give back exactly what they were given, on every database."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sqlalchemy import DateTime, String, Text
from sqlalchemy.types import TypeDecorator

from multicloud.store.failures import UnreadableError

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect
    from sqlalchemy.types import TypeEngine

SQLITE_LENGTH = len("2026-12-01 02:12:00.000000")


class UtcInstant(TypeDecorator[datetime]):
    """An aware instant, kept in UTC; on SQLite, which has no zones, as text that sorts by time."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Choose the database's own type, where it has one."""
        if dialect.name == "sqlite":
            return dialect.type_descriptor(String(SQLITE_LENGTH))
        return dialect.type_descriptor(DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | str | None:
        """Refuse naive instants."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"cannot store {value}: an instant needs its zone")
        utc = value.astimezone(UTC)
        if dialect.name != "sqlite":
            return utc
        return utc.replace(tzinfo=None).isoformat(sep=" ", timespec="microseconds")

    def process_result_value(
        self,
        value: datetime | str | None,
        dialect: Dialect,  # noqa: ARG002 - SQLAlchemy's signature
    ) -> datetime | None:
        """Give back the instant in UTC."""
        if value is None:
            return None
        try:
            instant = value if isinstance(value, datetime) else datetime.fromisoformat(value)
        except ValueError as error:
            raise UnreadableError(f"not an instant: {value!r}") from error
        return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)


class FreeText(TypeDecorator[str]):
    """What an engine or a cloud wrote; NUL, which PostgreSQL does not take, becomes a mark."""

    impl = Text
    cache_ok = True

    def process_bind_param(
        self,
        value: str | None,
        dialect: Dialect,  # noqa: ARG002 - SQLAlchemy's signature
    ) -> str | None:
        """Put the replacement character where a NUL was."""
        return None if value is None else value.replace("\0", "\ufffd")


class ExactDecimal(TypeDecorator[Decimal]):
    """A decimal as its own text: SQLite would turn a NUMERIC into a binary float."""

    impl = Text
    cache_ok = True

    def process_bind_param(
        self,
        value: Decimal | None,
        dialect: Dialect,  # noqa: ARG002 - SQLAlchemy's signature
    ) -> str | None:
        """Refuse what is no number."""
        if value is None:
            return None
        if not value.is_finite():
            raise ValueError(f"cannot store {value}: not a number")
        return str(value)

    def process_result_value(
        self,
        value: str | None,
        dialect: Dialect,  # noqa: ARG002 - SQLAlchemy's signature
    ) -> Decimal | None:
        """Give back the same decimal, digits after the point included."""
        if value is None:
            return None
        try:
            return Decimal(value)
        except (ArithmeticError, TypeError, ValueError) as error:
            raise UnreadableError(f"not an amount: {value!r}") from error
