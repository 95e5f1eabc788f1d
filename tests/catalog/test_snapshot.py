from __future__ import annotations

from multicloud.catalog.snapshot import Snapshot, bundled_snapshot
from multicloud.models.offer import CapacityType, Cloud, Offer, OfferKey
from tests.builders import a_quote, a_shape, an_offer

GN7 = OfferKey(Cloud.TENCENT, "ap-guangzhou", "", "GN7.2XLARGE32", CapacityType.ON_DEMAND)


def tencent(*sites: str) -> Offer:
    return an_offer(
        cloud=Cloud.TENCENT,
        region="ap-guangzhou",
        shape=a_shape("GN7.2XLARGE32", cloud=Cloud.TENCENT, gpu="T4", gpus=1),
        quotes=tuple(a_quote("1", site=site) for site in sites),
    )


def test_a_quote_of_the_other_site_is_no_quote() -> None:
    snapshot = Snapshot(offers=(tencent("china", "intl", ""),), source="test")
    for site in ("china", "intl"):
        (offer,) = snapshot.for_sites({Cloud.TENCENT: site}).offers
        assert [quote.site for quote in offer.quotes] == [site, ""]


def test_the_default_site_holds_where_none_or_an_unknown_one_is_given() -> None:
    snapshot = Snapshot(offers=(tencent("china", "intl"),), source="test")
    for sites in ({}, {Cloud.TENCENT: ""}, {Cloud.TENCENT: "mars"}):
        (offer,) = snapshot.for_sites(sites).offers
        assert [quote.site for quote in offer.quotes] == ["china"]


def test_an_offer_that_keeps_all_its_quotes_is_not_copied() -> None:
    offer = tencent("china")
    assert Snapshot(offers=(offer,), source="test").for_sites({}).offers[0] is offer


def test_regions_of_another_partition_are_left_out() -> None:
    offers = [an_offer(region=region) for region in ("us-east-1", "us-gov-west-1", "cn-north-1")]
    snapshot = Snapshot(offers=tuple(offers), source="test")
    assert [o.region for o in snapshot.for_sites({}).offers] == ["us-east-1"]
    china = snapshot.for_sites({Cloud.AWS: "aws-cn"})
    assert [o.region for o in china.offers] == ["cn-north-1"]


def test_a_region_nobody_knows_is_kept() -> None:
    snapshot = Snapshot(offers=(an_offer(region="us-new-1"),), source="test")
    assert len(snapshot.for_sites({}).offers) == 1


def test_merged_holds_both_layers_and_says_so() -> None:
    one, other = an_offer("1"), an_offer("2")
    both = Snapshot(offers=(one,), source="bundled").merged(
        Snapshot(offers=(other,), source="store")
    )
    assert both.offers == (one, other)
    assert both.source == "bundled + store"


def test_indexes_fold_case() -> None:
    upper = an_offer(shape=a_shape("P4D.24XLARGE"))
    lower = an_offer(region="us-west-2")
    snapshot = Snapshot(offers=(upper, lower), source="test")
    assert set(snapshot.by_type) == {"p4d.24xlarge"}
    assert set(snapshot.by_type["p4d.24xlarge"]) == {upper, lower}
    assert snapshot.types_by_gpu == {"A100-40GB": {"p4d.24xlarge"}}


def test_bundled_offers_of_both_sites_stand_side_by_side() -> None:
    offers = {offer.key: offer for offer in bundled_snapshot().offers}
    assert {quote.site for quote in offers[GN7].quotes} == {"china", "intl"}


def test_mainland_rows_stand_for_every_mainland_region_and_no_other() -> None:
    regions = {o.region for o in bundled_snapshot().offers if o.cloud is Cloud.TENCENT}
    assert regions == {
        *("ap-beijing", "ap-chengdu", "ap-chongqing", "ap-guangzhou", "ap-nanjing", "ap-shanghai"),
    }


def test_bundled_snapshot_is_read_once() -> None:
    assert bundled_snapshot() is bundled_snapshot()
    assert bundled_snapshot().source == "bundled"
