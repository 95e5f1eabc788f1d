"""A million price points: into the store, one offer's year out of it, and the memory it takes.

Each measurement is a process of its own, so that its peak of memory is its own. The floor is
the same rows, as plain text, by the database's own fastest way in: `executemany` into a bare
SQLite table, `COPY` into PostgreSQL.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.table import Row
from multicloud.models.feed import PricePoint
from multicloud.models.offer import CapacityType, Cloud, OfferKey

if TYPE_CHECKING:
    from collections.abc import Iterator

POINTS = 1_000_000
OFFERS = 500
START = datetime(2025, 1, 1, tzinfo=UTC)
STEP = timedelta(days=365) / (POINTS // OFFERS)
END = START + timedelta(days=365)


def rows() -> Iterator[Row]:
    """Both databases; PostgreSQL where its server binaries are."""
    with tempfile.TemporaryDirectory() as name:
        yield from _of("SQLite", str(Path(name) / "store.sqlite"))
    from tests.postgres import binary, running

    if binary("initdb") is not None:
        with running() as server:
            yield from _of("PostgreSQL", server.url())


def _of(what: str, place: str) -> Iterator[Row]:
    ours, floor = _run("fill", place), _run("floor", place)
    read, bare = _run("read", place), _run("read_bare", place)
    again = _run("fill", place)
    yield Row(
        f"{what}: import of {POINTS:,} price points, {ours['mib']:.0f} MiB at the peak",
        ours["seconds"],
        f"bare rows by the database's fastest way, {floor['mib']:.0f} MiB",
        floor["seconds"],
    )
    yield Row(f"{what}: the same again, nothing new", again["seconds"], "", None)
    yield Row(
        f"{what}: a year of one offer, {POINTS // OFFERS:,} prices",
        read["seconds"],
        "the same rows by SQL",
        bare["seconds"],
    )


def _run(what: str, place: str) -> dict[str, float]:
    command = (sys.executable, "-m", "benchmarks.points", what, place)
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _key(number: int) -> OfferKey:
    region, zone = divmod(number, 5)
    return OfferKey(Cloud.AWS, f"region-{region}", f"az{zone}", "p4d.24xlarge", CapacityType.SPOT)


def _points() -> Iterator[PricePoint]:
    for tick in range(POINTS // OFFERS):
        at = START + tick * STEP
        for number in range(OFFERS):
            amount = Decimal(1000 + (tick * 7 + number) % 500) / 100
            yield PricePoint(
                key=_key(number), amount=amount, currency="USD", observed_at=at, source="made up"
            )


def fill(place: str) -> None:
    """Import every point."""
    from multicloud.store.store import Store

    with Store.open(place, target="live") as store:
        store.market.import_points(_points())


def read(place: str) -> int:
    """One offer's year."""
    from multicloud.store.store import Store

    with Store.open(place, target="live") as store:
        return len(list(store.market.history(START, END, takes=_key(7).__eq__)))


def _bare_rows() -> Iterator[tuple[str, ...]]:
    for point in _points():
        yield (*point.key, str(point.observed_at), str(point.amount), point.currency, point.source)


COLUMNS = "cloud text, region text, zone text, type text, capacity text, at text, amount text,"
BARE = f"create table bare({COLUMNS} currency text, source text)"
ONE = "select * from bare where region = '{}' and zone = '{}' order by at"


def floor(place: str) -> None:
    """The same rows without keys, types and checks, indexed afterwards."""
    index = "create index bare_offer on bare(region, zone, at)"
    if place.startswith("postgresql"):
        with _postgres(place) as db, db.cursor() as cursor:
            cursor.execute(BARE)
            with cursor.copy("copy bare from stdin") as copy:
                for row in _bare_rows():
                    copy.write_row(row)
            cursor.execute(index)
        return
    with _sqlite(place) as db:
        db.execute(BARE)
        db.executemany(f"insert into bare values({','.join('?' * 9)})", _bare_rows())
        db.execute(index)


def read_bare(place: str) -> int:
    """The same year by SQL alone."""
    key = _key(7)
    query = ONE.format(key.region, key.zone)
    with _postgres(place) if place.startswith("postgresql") else _sqlite(place) as db:
        return len(db.execute(query).fetchall())


def _postgres(place: str) -> Any:  # noqa: ANN401 - two drivers, one shape
    import psycopg

    return psycopg.connect(place)


def _sqlite(place: str) -> Any:  # noqa: ANN401 - see above
    import sqlite3

    return sqlite3.connect(f"{place}.bare")


def main(what: str, place: str) -> None:
    """One measurement, as JSON on stdout."""
    work = {"fill": fill, "read": read, "floor": floor, "read_bare": read_bare}[what]
    start = time.perf_counter()
    work(place)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    json.dump({"seconds": seconds, "mib": peak}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
