"""The numbers that offers have in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from multicloud.models.offer import CapacityType, Cloud, OfferKey
from multicloud.store.rows import add_missing
from multicloud.store.tables import OFFERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

CHUNK = 5_000
"""Rows that are sent to the database at once."""


class OfferIds:
    """Numbers by offer and site; those that are asked for are made when they are missing."""

    def __init__(self, connection: Connection, target: str) -> None:
        self._connection = connection
        self._target = target
        self._known: dict[tuple[OfferKey, str], int] = {}
        self._loaded: set[Cloud] = set()

    def __getitem__(self, offer: tuple[OfferKey, str]) -> int:
        return self._known[offer]

    def add(self, offers: Iterable[tuple[OfferKey, str]]) -> None:
        """See to it that all of these have a number."""
        wanted = set(offers)
        clouds = {key.cloud for key, _ in wanted}
        if not clouds <= self._loaded:
            self._load(clouds)
        missing = wanted - self._known.keys()
        if missing:
            add_missing(
                self._connection,
                OFFERS,
                (
                    {"target": self._target, **key._asdict(), "site": site, "seen_at": None}
                    for key, site in sorted(missing)
                ),
            )
            self._load({key.cloud for key, _ in missing})

    def _load(self, clouds: set[Cloud]) -> None:
        query = select(OFFERS).where(
            OFFERS.c.target == self._target, OFFERS.c.cloud.in_(sorted(clouds))
        )
        for row in self._connection.execute(query):
            key = OfferKey(
                Cloud(row.cloud),
                row.region,
                row.zone,
                row.instance_type,
                CapacityType(row.capacity_type),
            )
            self._known[key, row.site] = row.id
        self._loaded |= clouds
