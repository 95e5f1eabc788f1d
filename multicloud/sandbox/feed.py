"""The simulated clouds' price lists and stock, told as a cloud's own API would tell them.

Prices are those that come with the package, as if they were of now, unless one was set by
command: whatever needs fresh prices can be tried without an account.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from multicloud.catalog.clouds import CLOUDS
from multicloud.catalog.columns import near_miss
from multicloud.catalog.snapshot import bundled_snapshot
from multicloud.errors import CloudError, InvalidInputError
from multicloud.models.feed import Batch, Look, PricePoint, Stock
from multicloud.models.offer import CapacityType, OfferKey
from multicloud.sandbox.faults import PRICES, PROVIDERS, READ
from multicloud.sandbox.quotas import told_quotas
from multicloud.sandbox.stock import Pattern
from multicloud.sandbox.stock import Stock as Marks

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from multicloud.models.offer import Cloud, Offer
    from multicloud.sandbox.store import CloudStore

SOURCE = "sandbox"


class SandboxFeed:
    """One simulated cloud's prices, as an account of `site` sees them; a part is a region."""

    def __init__(
        self,
        cloud: Cloud,
        store: CloudStore,
        *,
        site: str,
        now: Callable[[], datetime],
        regions: tuple[str, ...] = (),
    ) -> None:
        self.cloud = cloud
        self._store = store
        self._now = now
        self._regions = regions
        snapshot = bundled_snapshot().for_sites({cloud: site})
        self._offers = [offer for offer in snapshot.offers if offer.cloud is cloud]

    def parts(self) -> tuple[str, ...]:
        """Regions with offers."""
        known = {offer.region for offer in self._offers}
        return tuple(sorted(known & set(self._regions) if self._regions else known))

    def read(self, part: str) -> Batch:
        """Every offer of a region with its price of now, and whether it can be had.

        Raises: CloudError when a fault was set up.
        """
        refusal = self._store.take_fault(
            PRICES, READ, {}, provider=PROVIDERS[self.cloud], region=part
        )
        if refusal is not None:
            raise CloudError(refusal)
        now = self._now()
        offers = [offer for offer in self._offers if offer.region == part]
        with self._store.reading() as db:
            marks, prices = Marks.load(db), _prices(db, self.cloud, part)
            quotas = [*told_quotas(db, marks, self.cloud, part)]
        return Batch(
            looked_at=now,
            points=[p for o in offers if (p := _point(o, prices.get(o.key), now)) is not None],
            looks=[look for offer in offers for look in _looks(offer, marks, now)],
            quotas=quotas,
            quotas_of=part,
        )


def set_price(db: sqlite3.Connection, key: OfferKey, amount: Decimal | None) -> None:
    """Let an offer cost so much per node and hour, in what its cloud bills; None ends that.

    Raises: InvalidInputError for an offer that no simulated cloud has.
    """
    known = {offer.key for offer in bundled_snapshot().offers if offer.cloud is key.cloud}
    if key not in known:
        types = sorted({k.instance_type for k in known if k.region == key.region})
        near = near_miss(key.instance_type, types) if types else ""
        raise InvalidInputError(
            f"the simulated {key.cloud} has no {key.capacity_type} {key.instance_type}"
            f" in {key.region}{f'/{key.zone}' if key.zone else ''}.{near}",
            hint="Run: multicloud offers NEED",
        )
    row = (key.cloud, key.region, key.zone, key.instance_type, key.capacity_type)
    db.execute(
        "delete from price_mark where cloud = ? and region = ? and zone = ?"
        " and instance_type = ? and capacity_type = ?",
        row,
    )
    if amount is not None:
        db.execute("insert into price_mark values(?, ?, ?, ?, ?, ?)", (*row, str(amount)))


def _prices(db: sqlite3.Connection, cloud: Cloud, region: str) -> dict[OfferKey, Decimal]:
    query = (
        "select zone, instance_type, capacity_type, amount from price_mark"
        " where cloud = ? and region = ?"
    )
    return {
        OfferKey(cloud, region, zone, type_, CapacityType(capacity)): Decimal(amount)
        for zone, type_, capacity, amount in db.execute(query, (cloud, region))
    }


def _point(offer: Offer, price: Decimal | None, now: datetime) -> PricePoint | None:
    if not offer.quotes:
        return None
    last = offer.quotes[-1]
    return PricePoint(
        key=offer.key,
        amount=last.amount if price is None else price,
        currency=last.currency,
        observed_at=now,
        source=SOURCE,
        site=last.site,
    )


def _looks(offer: Offer, marks: Marks, now: datetime) -> Iterator[Look]:
    facts = CLOUDS[offer.cloud].regions.get(offer.region)
    zones = (offer.zone,) if offer.zone else (facts.zones if facts else ())
    refused = [
        marks.sold_out(
            Pattern(
                offer.cloud,
                offer.region,
                zone or offer.region,
                offer.shape.instance_type,
                offer.capacity_type,
            )
        )
        for zone in zones or (offer.region,)
    ]
    stock = Stock.NONE if all(refused) else Stock.LOW if any(refused) else Stock.HIGH
    site = offer.quotes[-1].site if offer.quotes else ""
    yield Look(key=offer.key, looked_at=now, stock=stock, source=SOURCE, site=site)
