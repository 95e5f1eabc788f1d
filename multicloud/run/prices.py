"""Where prices come from: a file given by `--prices`, or the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.catalog.codec import read_prices
from multicloud.catalog.parquet import read_prices_parquet
from multicloud.catalog.shapes import find_shape
from multicloud.catalog.snapshot import Snapshot
from multicloud.errors import InvalidInputError, Where
from multicloud.models.offer import Offer
from multicloud.run.files import read_text
from multicloud.run.stored import open_to_read

if TYPE_CHECKING:
    from datetime import datetime, timedelta
    from pathlib import Path

    from multicloud.models.project import Project

SHOWN_REJECTIONS = 5
MAX_PRICE_BYTES = 256 << 20


def read_price_file(path: Path) -> tuple[Snapshot, tuple[str, ...]]:
    """Offers of a CSV or Parquet file, and a sentence for each row that could not be used.

    Raises:
        InvalidInputError: the file cannot be read, or not one row of it is usable.
    """
    if path.suffix == ".parquet":
        if not path.is_file():
            raise InvalidInputError("price file does not exist", where=Where(file=str(path)))
        prices = read_prices_parquet(path.read_bytes(), file=str(path))
    else:
        text = read_text(path, what="price file", limit=MAX_PRICE_BYTES)
        prices = read_prices(text, file=str(path))
    if not prices.offers:
        first = prices.rejected[0] if prices.rejected else "it is empty"
        raise InvalidInputError(f"price file has no usable row: {first}")
    warnings = [f"price row left out: {error}" for error in prices.rejected[:SHOWN_REJECTIONS]]
    more = len(prices.rejected) - SHOWN_REJECTIONS
    if more > 0:
        warnings.append(f"{more} more price rows left out.")
    return Snapshot(offers=prices.offers, source=str(path)), tuple(warnings)


def stored_snapshot(
    project: Project, root: Path, *, now: datetime, looking_back: timedelta
) -> Snapshot | None:
    """What refreshes and imports brought into the store by `now`; None without any.

    Looks at stock are those of the time `looking_back`.

    Raises: StoreError, GuardrailError.
    """
    with open_to_read(project, root) as store:
        if store is None:
            return None
        quotes = store.market.quotes(now)
        looks = store.market.looks(now - looking_back, now)
    offers = []
    for key, told in quotes.items():
        shape = find_shape(key.cloud, key.instance_type)
        if shape is not None:
            offers.append(
                Offer(
                    cloud=key.cloud,
                    region=key.region,
                    zone=key.zone or None,
                    shape=shape,
                    capacity_type=key.capacity_type,
                    quotes=told,
                )
            )
    if not offers and not looks:
        return None
    return Snapshot(offers=tuple(offers), source="store", looks=looks)
