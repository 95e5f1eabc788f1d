"""Price files in Parquet; needs the library of the extra `parquet`, loaded when used."""

from __future__ import annotations

import importlib
import io
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any

from multicloud.catalog.codec import read_rows
from multicloud.errors import CatalogError, Where

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from types import ModuleType

    from multicloud.catalog.codec import PriceFile

_CHUNK = 10_000


def read_prices_parquet(data: bytes, *, file: str) -> PriceFile:
    """Offers of a Parquet file with the columns of `read_prices`; rows are counted from 1.

    Amounts may be text, decimals or floats (taken at their shortest text), times text or
    timestamps; a null is a blank.

    Raises: CatalogError without the library, or when the file cannot be read.
    """
    try:
        parquet: ModuleType = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise CatalogError(
            "Reading Parquet needs the library pyarrow.",
            hint="Run: pip install 'multicloud[parquet]', or give the file as CSV.",
            where=Where(file=file),
        ) from error
    try:
        table: Any = parquet.read_table(io.BytesIO(data))
        header = [str(name) for name in table.column_names]
        values: list[list[object]] = [column.to_pylist() for column in table.columns]
    except (ValueError, OSError, TypeError, NotImplementedError) as error:
        raise CatalogError(f"The file is not Parquet: {error}", where=Where(file=file)) from error
    rows = ((number, [_text(value) for value in row]) for number, row in _numbered(values))
    return read_rows(header, rows, file=file)


def write_rows(path: Path, names: Sequence[str], rows: Iterable[Sequence[str]]) -> int:
    """Rows of text as a Parquet file, a few thousand at a time; how many.

    Raises: CatalogError without the library.
    """
    try:
        arrow: ModuleType = importlib.import_module("pyarrow")
        parquet: ModuleType = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise CatalogError(
            "Writing Parquet needs the library pyarrow.",
            hint="Run: pip install 'multicloud[parquet]', or name the file .csv.",
            where=Where(file=str(path)),
        ) from error
    schema: Any = arrow.schema([(name, arrow.string()) for name in names])
    count, rest = 0, iter(rows)
    with parquet.ParquetWriter(path, schema) as writer:
        while chunk := list(islice(rest, _CHUNK)):
            columns = [list(column) for column in zip(*chunk, strict=True)]
            writer.write_table(arrow.table(columns, schema=schema))
            count += len(chunk)
    return count


def _numbered(values: list[list[object]]) -> list[tuple[int, tuple[object, ...]]]:
    """The rows of some columns, counted from 1."""
    return list(enumerate(zip(*values, strict=True), start=1))


def _text(value: object) -> str:
    """A value as a CSV file would have it; what is no finite number fails later as an amount."""
    match value:
        case None:
            return ""
        case float() | Decimal():
            exact = Decimal(repr(value)) if isinstance(value, float) else value
            return format(exact, "f") if exact.is_finite() else str(exact)
        case datetime():
            return value.isoformat()
        case _:
            return str(value)
