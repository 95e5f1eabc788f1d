"""The tables that come with the package: complete, sourced, dated, and without known slips."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction

import pytest

from multicloud.catalog.clouds import CLOUDS
from multicloud.catalog.gpus import gpu_facts
from multicloud.catalog.regions import all_regions
from multicloud.catalog.shapes import shapes
from multicloud.catalog.snapshot import bundled_snapshot
from multicloud.catalog.tables import read_table, sources
from multicloud.models.gpu import Precision
from multicloud.models.offer import CapacityType, Cloud, Offer

OFFERS = bundled_snapshot().offers


def offers_of(cloud: Cloud) -> tuple[Offer, ...]:
    return tuple(offer for offer in OFFERS if offer.cloud is cloud)


@pytest.mark.parametrize("cloud", Cloud)
def test_every_cloud_has_offers_regions_and_a_price(cloud: Cloud) -> None:
    offers = offers_of(cloud)
    assert len(offers) > 100
    assert any(offer.quotes for offer in offers)
    assert CLOUDS[cloud].cloud is cloud
    assert CLOUDS[cloud].regions


def test_offers_are_unique() -> None:
    assert [key for key, n in Counter(offer.key for offer in OFFERS).items() if n > 1] == []


def test_no_price_is_zero_or_less() -> None:
    assert all(quote.amount > 0 for offer in OFFERS for quote in offer.quotes)


def test_every_row_names_a_source_and_a_date() -> None:
    rows = list(read_table("offers.csv"))
    assert len(rows) > 4000
    assert {row[8] for row in rows} <= set(sources())
    assert all(row[7] >= "2022-01-01" for row in rows)
    for table, column in (("gpus.csv", 16), ("shapes.csv", 10), ("regions.csv", 6)):
        assert {row[column] for row in read_table(table)} <= set(sources()), table


def test_every_source_is_used_and_says_its_licence() -> None:
    named = {row[8] for row in read_table("offers.csv")}
    for table, column in (("gpus.csv", 16), ("shapes.csv", 10), ("regions.csv", 6)):
        named |= {row[column] for row in read_table(table)}
    assert set(sources()) == named
    assert all(source.licence and source.document for source in sources().values())


def test_every_region_of_an_offer_is_known() -> None:
    unknown = {(o.cloud, o.region) for o in OFFERS if o.region not in all_regions()[o.cloud]}
    assert unknown == set()


def test_every_zone_of_an_offer_is_known() -> None:
    unknown = {
        o.zone for o in OFFERS if o.zone and o.zone not in all_regions()[o.cloud][o.region].zones
    }
    assert unknown == set()


def test_gpus_of_shapes_are_in_the_catalogue_and_used() -> None:
    used = {shape.gpu for shape in shapes().values()}
    assert used <= set(gpu_facts())
    # Facts without a shape: cards that needs may name for want of an offer.
    assert set(gpu_facts()) - used == {
        *("A100-40GB-PCIe", "A16", "H100-PCIe", "MI250X", "V100-32GB-PCIe", "V100S"),
    }


def test_shapes_are_whole_nodes() -> None:
    for (cloud, name), shape in shapes().items():
        assert (shape.cloud, shape.instance_type) == (cloud, name)
        assert shape.vcpus > 0, name
        assert shape.memory_gib > 0, name
        assert shape.arch in {"x86_64", "arm64"}, name
        assert shape.gpu_link in {"nvlink", "pcie", "xgmi", "ici"}, name
        assert shape.fabric in {"", "efa", "infiniband", "roce", "tcpx", "tcpxo"}, name
        assert shape.gpus > 0, name
        part = min(shape.gpus, Fraction(1))
        whole = Fraction(gpu_facts()[shape.gpu].memory_gib)
        assert Fraction(shape.gpu_memory_gib) == whole * part, name


def test_currency_belongs_to_the_site() -> None:
    for offer in OFFERS:
        facts = CLOUDS[offer.cloud]
        for quote in offer.quotes:
            assert quote.site in facts.currencies, offer.key
            assert quote.currency == facts.currencies[quote.site], offer.key


@pytest.mark.parametrize(
    ("gpu", "clouds"),
    [
        ("T4", {Cloud.AWS, Cloud.AZURE, Cloud.TENCENT, Cloud.ALIBABA}),
        ("A100-40GB", {Cloud.AWS, Cloud.GCP, Cloud.AZURE, Cloud.TENCENT, Cloud.ORACLE}),
        ("A100-80GB", {Cloud.AWS, Cloud.GCP, Cloud.AZURE, Cloud.ALIBABA, Cloud.ORACLE}),
        ("H100-SXM5", {Cloud.AWS, Cloud.GCP, Cloud.AZURE, Cloud.ORACLE}),
        ("L4", {Cloud.AWS, Cloud.GCP}),
        ("MI300X", {Cloud.AZURE, Cloud.ORACLE}),
        ("V100-32GB", {Cloud.AWS, Cloud.AZURE, Cloud.TENCENT, Cloud.ALIBABA}),
    ],
)
def test_expected_gpus_are_priced(gpu: str, clouds: set[Cloud]) -> None:
    assert {o.cloud for o in OFFERS if o.shape.gpu == gpu and o.quotes} >= clouds


@pytest.mark.parametrize(
    ("cloud", "region"),
    [
        (Cloud.AWS, "us-east-1"),
        (Cloud.AWS, "us-west-2"),
        (Cloud.GCP, "us-central1"),
        (Cloud.AZURE, "eastus"),
        (Cloud.TENCENT, "ap-guangzhou"),
        (Cloud.TENCENT, "ap-shanghai"),
        (Cloud.ALIBABA, "cn-hangzhou"),
        (Cloud.ALIBABA, "ap-southeast-1"),
        (Cloud.ORACLE, "eu-frankfurt-1"),
    ],
)
def test_expected_regions_have_offers(cloud: Cloud, region: str) -> None:
    assert any(offer.region == region for offer in offers_of(cloud))


# Figures that circulate wrong: mostly sparse ones, or those of another precision.
@pytest.mark.parametrize(
    ("gpu", "precision", "dense"),
    [
        ("A100-40GB", Precision.INT8, "624"),
        ("A100-40GB", Precision.FP32, "19.5"),
        ("A100-80GB-PCIe", Precision.BF16, "312"),
        ("V100-16GB", Precision.FP16, "125"),
        ("V100-16GB", Precision.FP32, "15.7"),
        ("H100-SXM5", Precision.FP8, "1978.9"),
        ("H100-SXM5", Precision.FP16, "989.4"),
        ("MI250X", Precision.FP64, "47.9"),
        ("MI300X", Precision.BF16, "1307.4"),
        ("T4", Precision.INT8, "130"),
        ("T4", Precision.FP16, "65"),
        ("L4", Precision.FP8, "242.5"),
        ("L40S", Precision.FP8, "733"),
        ("B200", Precision.BF16, "2250"),
    ],
)
def test_checked_claims(gpu: str, precision: Precision, dense: str) -> None:
    assert gpu_facts()[gpu].tflops[precision] == Decimal(dense)


def test_no_figure_is_sparse() -> None:
    for facts in gpu_facts().values():
        tf = facts.tflops
        for wide, narrow in (
            (Precision.BF16, Precision.FP8),
            (Precision.TF32, Precision.BF16),
        ):
            if wide in tf and narrow in tf:
                # Dense figures double (within rounding) at each step down; sparse ones quadruple.
                assert tf[narrow] <= tf[wide] * Decimal("2.1"), facts.name


@pytest.mark.parametrize("gpu", ["T4", "V100-16GB", "V100-32GB-PCIe", "V100S"])
def test_cards_without_bfloat16_have_no_figure_for_it(gpu: str) -> None:
    assert Precision.BF16 not in gpu_facts()[gpu].tflops
    assert Precision.FP16 in gpu_facts()[gpu].tflops


@pytest.mark.parametrize(
    ("cloud", "instance_type", "gpu", "gpus"),
    [
        (Cloud.AWS, "p4d.24xlarge", "A100-40GB", "8"),
        (Cloud.AWS, "g6f.xlarge", "L4", "1/8"),
        (Cloud.AWS, "gr6f.4xlarge", "L4", "1/2"),
        (Cloud.TENCENT, "GN7.2XLARGE32", "T4", "1"),
        (Cloud.TENCENT, "GN7.LARGE20", "T4", "1/4"),
        (Cloud.AZURE, "Standard_NV6ads_A10_v5", "A10", "1/6"),
        (Cloud.AZURE, "Standard_ND96isr_H100_v5", "H100-SXM5", "8"),
        (Cloud.ALIBABA, "ecs.gn6v-c8g1.2xlarge", "V100-16GB", "1"),
        (Cloud.ALIBABA, "ecs.gn6e-c12g1.3xlarge", "V100-32GB", "1"),
        (Cloud.ALIBABA, "ecs.gn7i-c8g1.2xlarge", "A10", "1"),
        (Cloud.ORACLE, "BM.GPU4.8", "A100-40GB", "8"),
        (Cloud.ORACLE, "BM.GPU.A100-v2.8", "A100-80GB", "8"),
    ],
)
def test_shapes_that_are_often_told_wrong(
    cloud: Cloud, instance_type: str, gpu: str, gpus: str
) -> None:
    shape = shapes()[cloud, instance_type]
    assert (shape.gpu, shape.gpus) == (gpu, Fraction(gpus))


def test_only_estimates_are_marked_and_they_are_aws_spot() -> None:
    for offer in OFFERS:
        is_aws_spot = offer.cloud is Cloud.AWS and offer.capacity_type is CapacityType.SPOT
        assert all(quote.estimate == is_aws_spot for quote in offer.quotes), offer.key


def test_types_that_cannot_be_had_on_demand_are_not_offered_so() -> None:
    small = {"a3-highgpu-1g", "a3-highgpu-2g", "a3-highgpu-4g"}
    found = {o.capacity_type for o in OFFERS if o.shape.instance_type in small}
    assert found == {CapacityType.SPOT}
