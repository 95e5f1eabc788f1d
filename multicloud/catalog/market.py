"""A snapshot at one instant, priced by one policy's rates, discounts and trust."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from multicloud.catalog.clouds import matches_place
from multicloud.catalog.fit import is_share
from multicloud.catalog.fx import to_usd
from multicloud.catalog.gpus import resolve_gpu
from multicloud.catalog.trust import standing_quote
from multicloud.models.placement import UNPRICED, NodePrice
from multicloud.models.quote import PriceState

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from decimal import Decimal

    from multicloud.catalog.snapshot import Snapshot
    from multicloud.models.need import Wish
    from multicloud.models.offer import Offer, OfferKey
    from multicloud.models.pool import Discount, PriceTrust
    from multicloud.models.quote import Quote


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """An offer with what a node of it costs now.

    `no_rate` says that a quote is known but its currency has no rate; the price is then
    unknown. `doubted` is a newer quote in quarantine; `price` is then the last good one.
    """

    offer: Offer
    key: OfferKey
    price: NodePrice
    no_rate: bool = False
    doubted: Quote | None = None


class Market:
    """What every offer costs at one instant; prices only what is asked for, and remembers it.

    Answers do not depend on the order of the snapshot's offers.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        *,
        now: datetime,
        fx: Mapping[str, Decimal],
        discounts: tuple[Discount, ...],
        trust: PriceTrust,
    ) -> None:
        self.snapshot = snapshot
        self.now = now
        self._fx = fx
        self._discounts = tuple(d for d in discounts if d.until is None or now.date() <= d.until)
        self._trust = trust
        self._by_type: dict[str, Mapping[OfferKey, Priced]] = {}
        self._by_gpu: dict[tuple[str, bool], tuple[Priced, ...]] = {}

    def candidates(self, wish: Wish) -> tuple[Priced, ...]:
        """Every offer whose type, or whose GPUs, the wish means, by type and then key.

        Not yet held against the wish's minima, nor places, capacity or price. A share of a GPU
        is a candidate for a wish that takes shares. Nothing known gives an empty tuple.
        """
        if wish.instance_type is not None:
            return tuple(self._type(wish.instance_type).values())
        name = (wish.gpu or "").casefold()
        found = self._by_gpu.get((name, wish.vgpu))
        if found is None:
            index = self.snapshot.types_by_gpu
            types = {kind for gpu in resolve_gpu(name) for kind in index.get(gpu, ())}
            by_type = (self._type(kind) for kind in sorted(types))
            found = tuple(
                priced
                for offers in by_type
                for priced in offers.values()
                if wish.vgpu or not is_share(priced.offer.shape)
            )
            self._by_gpu[name, wish.vgpu] = found
        return found

    def get(self, key: OfferKey) -> Priced | None:
        """One offer with its price; None when the snapshot does not have it."""
        return self._type(key.instance_type).get(key)

    def _type(self, instance_type: str) -> Mapping[OfferKey, Priced]:
        """All offers of one instance type with their prices, in order of key."""
        folded = instance_type.casefold()
        found = self._by_type.get(folded)
        if found is None:
            offers = self.snapshot.of_type(folded)
            found = {key: self._priced(offer, key) for key, offer in offers.items()}
            self._by_type[folded] = found
        return found

    def _priced(self, offer: Offer, key: OfferKey) -> Priced:
        """The offer with the price that counts at this market's instant."""
        standing = standing_quote(
            offer.quotes,
            now=self.now,
            fx=self._fx,
            trust=self._trust,
            capacity=offer.capacity_type,
        )
        if standing is None:
            return Priced(offer=offer, key=key, price=UNPRICED)
        quote = standing.quote
        usd = to_usd(quote.amount, quote.currency, self._fx)
        price = NodePrice(
            usd=usd,
            state=PriceState.UNKNOWN if usd is None else standing.state,
            observed_at=quote.observed_at,
            source=quote.source,
            amount=quote.amount,
            currency=quote.currency,
        )
        if self._discounts and usd is not None:
            price = self._discounted(price, usd, offer)
        return Priced(
            offer=offer, key=key, price=price, no_rate=usd is None, doubted=standing.doubted
        )

    def _discounted(self, price: NodePrice, usd: Decimal, offer: Offer) -> NodePrice:
        """The price less the first discount, as written, that takes the offer: they do not add."""
        for discount in self._discounts:
            if _takes(discount, offer):
                return replace(price, usd=usd * (1 - discount.off), discount=discount.off)
        return price


def build_market(
    snapshot: Snapshot,
    *,
    now: datetime,
    fx: Mapping[str, Decimal],
    discounts: tuple[Discount, ...],
    trust: PriceTrust,
) -> Market:
    """The snapshot as it looks at `now` (aware UTC); pure, and cheap until it is asked.

    `fx` is units of a currency per 1 USD. A discount holds to the end of its `until` date in
    UTC. `trust` says when quotes are old and what is a jump.
    """
    return Market(snapshot, now=now, fx=fx, discounts=discounts, trust=trust)


def _takes(discount: Discount, offer: Offer) -> bool:
    """Whether a discount is for the offer; types may be patterns (`p4d.*`)."""
    if discount.capacity and offer.capacity_type not in discount.capacity:
        return False
    kind = offer.shape.instance_type
    if discount.instance_types and not any(fnmatchcase(kind, t) for t in discount.instance_types):
        return False
    zone = offer.zone
    return any(matches_place(place, offer.cloud, offer.region, zone) for place in discount.places)
