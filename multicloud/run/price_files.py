"""Price files in and out of the store."""

from __future__ import annotations

import csv
import gzip
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.catalog.codec import POINT_COLUMNS, point_row
from multicloud.catalog.foreign import Foreign, TraceOf, is_foreign, read_foreign, read_trace
from multicloud.catalog.vet import vet_points
from multicloud.errors import CatalogError, ExitCode, InvalidInputError, Where
from multicloud.models.feed import PricePoint
from multicloud.models.offer import Cloud
from multicloud.policy.instants import parse_at
from multicloud.run.price_store import import_looks, import_points, price_history
from multicloud.run.prices import MAX_PRICE_BYTES, read_price_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from multicloud.run.price_store import Asked

SHOWN = 5
_PARTS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import brought; `rejected` are sentences, each naming file and row."""

    points: int
    new_points: int
    looks: int
    new_looks: int
    rejected: tuple[str, ...]

    @property
    def exit_code(self) -> ExitCode:
        """Partial when rows were left out."""
        return ExitCode.PARTIAL if self.rejected else ExitCode.OK


def import_files(
    wanted: Asked, files: Sequence[Path], *, trace_of: str | None, trace_start: str | None
) -> Imported:
    """Read files and write what they tell; a file that cannot be read stops all of it before.

    Raises: InvalidInputError, CatalogError.
    """
    of = _trace_of(trace_of, trace_start)
    points: list[PricePoint] = []
    found = Foreign()
    for file in files:
        told = _read(file, of)
        good, faults = vet_points(told.points)
        points += good
        found.looks += told.looks
        found.rejected += [f"{file}: {fault}" for fault in (*told.rejected, *faults)]
    return Imported(
        points=len(points),
        new_points=import_points(wanted, points),
        looks=len(found.looks),
        new_looks=import_looks(wanted, found.looks),
        rejected=tuple(found.rejected),
    )


def export_prices(wanted: Asked, file: Path, start: datetime) -> int:
    """Write stored prices since `start`, by offer and time; how many.

    The file is replaced whole or not at all.

    Raises: InvalidInputError for another ending than .csv or .parquet.
    """
    if file.suffix not in (".csv", ".parquet"):
        raise InvalidInputError(
            f'"{file.name}" is neither .csv nor .parquet.', hint="Name it like prices.csv."
        )
    half = file.with_name(f".{file.name}.part")
    rows = (
        point_row(one.key, one.quote, one.site) for one in price_history(wanted, start, wanted.now)
    )
    try:
        if file.suffix == ".csv":
            count = _write_csv(half, rows)
        else:
            from multicloud.catalog.parquet import write_rows

            count = write_rows(half, POINT_COLUMNS, rows)
        half.replace(file)
    finally:
        half.unlink(missing_ok=True)
    return count


def _write_csv(path: Path, rows: Iterator[tuple[str, ...]]) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(POINT_COLUMNS)
        for row in rows:
            writer.writerow(row)
            count += 1
    return count


def _read(file: Path, of: TraceOf | None) -> Foreign:
    if file.suffix == ".json":
        if of is None:
            raise CatalogError(
                "a trace does not say what it is about.",
                hint="Add --trace-of CLOUD/REGION/ZONE/TYPE.",
                where=Where(file=str(file)),
            )
        return read_trace(_text(file), of, file=file.name)
    if file.suffix == ".parquet":
        return _own(file)
    reader = csv.reader(io.StringIO(_text(file), newline=""))
    header = next(reader, [])
    if is_foreign(header):
        return read_foreign(header, reader, file=file.name, of=of)
    return _own(file)


def _own(file: Path) -> Foreign:
    snapshot, warnings = read_price_file(file)
    points = [
        PricePoint(
            key=offer.key,
            amount=quote.amount,
            currency=quote.currency,
            observed_at=quote.observed_at,
            source=quote.source,
            site=quote.site,
            estimate=quote.estimate,
        )
        for offer in snapshot.offers
        for quote in offer.quotes
    ]
    return Foreign(points=points, rejected=list(warnings))


def _text(file: Path) -> str:
    where = Where(file=str(file))
    try:
        data = file.read_bytes()
        if file.suffix == ".gz":
            with gzip.open(io.BytesIO(data)) as packed:
                data = packed.read(MAX_PRICE_BYTES + 1)
        if len(data) > MAX_PRICE_BYTES:
            raise InvalidInputError("the price file is too large.", where=where)
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise InvalidInputError("price file does not exist.", where=where) from None
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"price file cannot be read: {error}", where=where) from error


def _trace_of(text: str | None, start: str | None) -> TraceOf | None:
    if text is None:
        return None
    parts = text.split("/")
    if len(parts) == 2:
        parts = [parts[0], "", "", parts[1]]
    if len(parts) != _PARTS or parts[0] not in set(Cloud):
        raise InvalidInputError(
            f'--trace-of "{text}" cannot be read.',
            detail="Expected CLOUD/REGION/ZONE/TYPE, or CLOUD/TYPE for a trace that names zones.",
        )
    cloud, region, zone, type_ = parts
    return TraceOf(
        cloud=Cloud(cloud),
        region=region,
        zone=zone,
        instance_type=type_,
        start=parse_at(start, "UTC") if start else None,
    )
