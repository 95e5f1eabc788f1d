"""Column types that give back exactly what they were given, on every database."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from sqlalchemy import DateTime, Text
from sqlalchemy.types import TypeDecorator

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect


class UtcInstant(TypeDecorator[datetime]):
    """An aware instant, kept in UTC; on SQLite as text that sorts by time."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse naive instants; SQLite has no zones, so it is given the UTC wall clock."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"cannot store {value}: an instant needs its zone")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002 - SQLAlchemy's signature
    ) -> datetime | None:
        """Give back the instant in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


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
        return None if value is None else Decimal(value)
