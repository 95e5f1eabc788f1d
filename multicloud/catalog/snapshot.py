"""Everything known of offers at one moment: the bundled ones, or those of a price file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

from multicloud.catalog.bundled import bundled_offers
from multicloud.catalog.clouds import CLOUDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multicloud.models.feed import Look
    from multicloud.models.offer import Cloud, Offer, OfferKey


@dataclass(frozen=True, kw_only=True, eq=False)
class Snapshot:
    """Offers with their quotes, from all layers; immutable, and indexed when first asked.

    The same offer may stand in it several times, once per layer: a market looks at the quotes
    of all. `source` names the layers for people. `looks` are what clouds said of their stock
    lately. Compared by identity: it is large.
    """

    offers: tuple[Offer, ...]
    source: str
    looks: tuple[Look, ...] = ()

    def for_sites(self, sites: Mapping[Cloud, str]) -> Snapshot:
        """What accounts of these sites see: a quote of the other site is no quote.

        Regions that a site cannot reach at all are left out (AWS GovCloud and China). A cloud
        that is not named, or has no such site, is seen from its default one.
        """
        chosen = {cloud: facts.site(sites.get(cloud, "")) for cloud, facts in CLOUDS.items()}
        seen = (_seen(offer, chosen[offer.cloud]) for offer in self.offers)
        return Snapshot(
            offers=tuple(o for o in seen if o is not None),
            source=self.source,
            looks=tuple(k for k in self.looks if not k.site or k.site == chosen[k.key.cloud]),
        )

    def merged(self, other: Snapshot) -> Snapshot:
        """Both together: two layers of one catalogue."""
        return Snapshot(
            offers=self.offers + other.offers,
            source=f"{self.source} + {other.source}",
            looks=self.looks + other.looks,
        )

    @cached_property
    def looks_by_offer(self) -> Mapping[OfferKey, tuple[Look, ...]]:
        """Looks at each offer's stock, in the order of time."""
        found: dict[OfferKey, list[Look]] = {}
        for look in sorted(self.looks, key=lambda look: look.looked_at):
            found.setdefault(look.key, []).append(look)
        return {key: tuple(looks) for key, looks in found.items()}

    @cached_property
    def by_type(self) -> Mapping[str, tuple[Offer, ...]]:
        """Offers by instance type, case folded."""
        found: dict[str, list[Offer]] = {}
        for offer in self.offers:
            found.setdefault(offer.shape.instance_type, []).append(offer)
        folded: dict[str, tuple[Offer, ...]] = {}
        for name, offers in found.items():
            key = name.casefold()
            folded[key] = (*folded.get(key, ()), *offers)
        return folded

    def of_type(self, instance_type: str) -> Mapping[OfferKey, Offer]:
        """Offers of one type in order of key, the layers of each joined; remembered.

        Where layers differ in more than quotes, the same one wins whatever their order.
        """
        folded = instance_type.casefold()
        found = self._of_type.get(folded)
        if found is None:
            joined: dict[OfferKey, Offer] = {}
            for offer in self.by_type.get(folded, ()):
                key = offer.key
                known = joined.get(key)
                joined[key] = offer if known is None else _joined(known, offer)
            found = self._of_type[folded] = {key: joined[key] for key in sorted(joined)}
        return found

    @cached_property
    def _of_type(self) -> dict[str, Mapping[OfferKey, Offer]]:
        """What `of_type` found so far."""
        return {}

    @cached_property
    def types_by_gpu(self) -> Mapping[str, frozenset[str]]:
        """Instance types (case folded) by the catalogue name of their GPUs, shares included."""
        found: dict[str, set[str]] = {}
        for name, offers in self.by_type.items():
            for offer in offers:
                found.setdefault(offer.shape.gpu, set()).add(name)
        return {gpu: frozenset(names) for gpu, names in found.items()}


@cache
def bundled_snapshot() -> Snapshot:
    """The offers that come with the package, of all clouds and sites; read once."""
    return Snapshot(offers=bundled_offers(), source="bundled")


def _joined(one: Offer, other: Offer) -> Offer:
    """Two layers of one offer."""
    base = one if one.shape == other.shape else min(one, other, key=lambda o: repr(o.shape))
    return replace(
        base,
        quotes=one.quotes + other.quotes,
        reservation_only=one.reservation_only or other.reservation_only,
    )


def _seen(offer: Offer, site: str) -> Offer | None:
    """The offer as an account of the site sees it; None where it cannot go."""
    region = CLOUDS[offer.cloud].regions.get(offer.region)
    if region is not None and region.site and region.site != site:
        return None
    if all(not quote.site or quote.site == site for quote in offer.quotes):
        return offer
    return replace(offer, quotes=tuple(q for q in offer.quotes if not q.site or q.site == site))
