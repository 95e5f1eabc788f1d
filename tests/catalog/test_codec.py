from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.catalog.clouds import CLOUDS
from multicloud.catalog.codec import PriceFile, read_prices, write_prices
from multicloud.catalog.market import Market, build_market
from multicloud.catalog.query import find_offers
from multicloud.catalog.shapes import shapes
from multicloud.catalog.snapshot import Snapshot, bundled_snapshot
from multicloud.errors import CatalogError
from multicloud.models.need import Need, Wish
from multicloud.models.offer import CapacityType, Cloud, Offer
from multicloud.models.pool import PriceTrust
from multicloud.models.quote import PriceState, Quote

HEADER = "cloud,region,zone,instance_type,capacity_type,amount,unit,currency,observed_at,source\n"
SEEN = "2026-05-04T00:00Z"
NOW = datetime(2026, 5, 4, 6, 0, tzinfo=UTC)


def row(
    amount: str = "9.80",
    *,
    cloud: str = "aws",
    region: str = "us-east-1",
    zone: str = "",
    instance_type: str = "p4d.24xlarge",
    capacity_type: str = "spot",
    unit: str = "usd_per_hour",
    currency: str = "USD",
    observed_at: str = SEEN,
) -> str:
    fields = (cloud, region, zone, instance_type, capacity_type, amount, unit, currency)
    return ",".join((*fields, observed_at, "feed"))


def read(*rows: str) -> PriceFile:
    return read_prices(HEADER + "\n".join(rows) + "\n", file="prices.csv")


def reasons(*rows: str) -> list[str]:
    return [str(error) for error in read(*rows).rejected]


def market(*rows: str, **fx: str) -> Market:
    return build_market(
        Snapshot(offers=tuple(read(*rows).offers), source="prices.csv"),
        now=NOW,
        fx={name: Decimal(rate) for name, rate in fx.items()},
        discounts=(),
        trust=PriceTrust(),
    )


def ranked(found: Market, need: Wish) -> list[tuple[str, Decimal | None]]:
    rows = find_offers(found, Need(wishes=(need,)))
    return [(line.offer.cloud, line.usd_per_hour) for line in rows]


def test_a_row_is_an_offer_with_its_quote() -> None:
    (offer,) = read(row("9.80", zone="use1-az1")).offers
    assert offer.shape is shapes()[Cloud.AWS, "p4d.24xlarge"]
    assert (offer.cloud, offer.region, offer.zone) == (Cloud.AWS, "us-east-1", "use1-az1")
    assert offer.capacity_type is CapacityType.SPOT
    (quote,) = offer.quotes
    assert (quote.amount, quote.currency, quote.source) == (Decimal("9.80"), "USD", "feed")
    assert quote.observed_at == datetime(2026, 5, 4, tzinfo=UTC)
    assert not quote.estimate


def test_rows_of_one_offer_become_its_quotes_oldest_first() -> None:
    (offer,) = read(
        row("9", observed_at="2026-05-04T02:00Z"), row("8", observed_at="2026-05-04T09:00+08:00")
    ).offers
    assert [quote.amount for quote in offer.quotes] == [8, 9]


def test_b35_a_price_of_0_is_unknown_and_never_wins() -> None:
    wish = Wish(gpu="H100", gpus=8)
    rows = (
        row("0", cloud="azure", region="eastus", instance_type="Standard_ND96isr_H100_v5"),
        row("9.80", instance_type="p5.48xlarge"),
        row("10.40", cloud="gcp", region="us-central1", instance_type="a3-highgpu-8g"),
    )
    assert ranked(market(*rows), wish) == [
        ("aws", Decimal("9.80")),
        ("gcp", Decimal("10.40")),
        ("azure", None),
    ]
    azure = read(*rows).offers[0]
    assert azure.quotes == ()
    assert azure.note == "price 0 is treated as unknown"
    assert reasons(*rows) == [
        "prices.csv:2 price 0 is treated as unknown. Its offer stays, without a price."
    ]


def test_b38_units_are_declared_and_a_slip_of_the_unit_is_quarantined() -> None:
    cents = row("412", unit="cents_per_hour", observed_at="2026-05-04T00:00Z")
    slip = row("0.02", observed_at="2026-05-04T03:00Z")
    (offer,) = read(cents, slip).offers
    assert [quote.amount for quote in offer.quotes] == [Decimal("4.12"), Decimal("0.02")]
    (priced,) = market(cents, slip).candidates(Wish(gpu="A100", gpus=8))
    assert priced.price.usd == Decimal("4.12")
    assert priced.price.state is PriceState.QUARANTINED
    later = row("0.02", observed_at="2026-05-04T03:10Z")
    (priced,) = market(cents, slip, later).candidates(Wish(gpu="A100", gpus=8))
    assert priced.price.usd == Decimal("0.02")


@pytest.mark.parametrize(
    "unit", ["", "usd", "hour", "usd_per_month", "USD_PER_HOUR", "cny_per_hour"]
)
def test_b38_an_undeclared_or_unknown_unit_leaves_the_price_out(unit: str) -> None:
    found = read(row("412", unit=unit))
    assert found.offers[0].quotes == ()
    assert f'unit "{unit}"' in str(found.rejected[0])


def test_b44_prices_are_compared_as_numbers() -> None:
    rows = [row(text, zone=f"use1-az{i}") for i, text in enumerate(("9.80", "10.20", "3.67"), 1)]
    found = find_offers(market(*rows), Need(wishes=(Wish(gpu="A100", gpus=8),)))
    assert [line.usd_per_hour for line in found] == [
        Decimal("3.67"),
        Decimal("9.80"),
        Decimal("10.20"),
    ]


@pytest.mark.parametrize(
    ("cloud", "region", "hint"),
    [
        ("azure", "AU East", ""),
        ("azure", "Australia East", 'Did you mean "australiaeast"?'),
        ("azure", "east", ""),
        ("azure", "EASTUS", 'Did you mean "eastus"?'),
        ("aws", "us-east-11", 'Did you mean "us-east-1"?'),
    ],
)
def test_b47_regions_are_matched_by_canonical_id_only(cloud: str, region: str, hint: str) -> None:
    kind = "Standard_NC4as_T4_v3" if cloud == "azure" else "p4d.24xlarge"
    found = read(row(cloud=cloud, region=region, instance_type=kind), row())
    assert len(found.offers) == 1
    (error,) = found.rejected
    assert str(error).startswith(f'prices.csv:2 region "{region}" is no region id')
    assert hint in str(error)


def test_b49_currencies_are_declared_and_converted() -> None:
    wish = Wish(gpu="T4", gpus=1)
    rows = (
        row("21.60", cloud="tencent", region="ap-guangzhou", instance_type="GN7.2XLARGE32",
            unit="per_hour", currency="CNY"),
        row("3.20", instance_type="g4dn.xlarge"),
    )  # fmt: skip
    assert ranked(market(*rows, CNY="7.20"), wish) == [
        ("tencent", Decimal(3)),
        ("aws", Decimal("3.20")),
    ]
    assert ranked(market(*rows), wish) == [("aws", Decimal("3.20")), ("tencent", None)]
    assert [p.no_rate for p in market(*rows).candidates(wish)] == [False, True]


@pytest.mark.parametrize("currency", ["", "usd", "US", "$", "DOLLARS"])
def test_b49_a_row_without_a_currency_has_no_price(currency: str) -> None:
    found = read(row(currency=currency))
    assert found.offers[0].quotes == ()
    assert f'currency "{currency}" is not an ISO code' in str(found.rejected[0])


@pytest.mark.parametrize(
    "amount",
    [
        *('"0,45"', "-0.45", "1.2.3", "free", "5%", "NaN", "Infinity", "-inf", "1e3", "+1", ".5"),
        *("1.", "0x10", "1_000", "٣.٥", "0", "0.00", "", "9999999999", "$3", "3 USD"),
    ],
)
def test_b56_what_is_no_price_is_named_by_row_and_good_rows_are_used(amount: str) -> None:
    found = read(row("1.00", zone="use1-az1"), row(amount), row("2.00", zone="use1-az2"))
    (error,) = found.rejected
    assert error.where is not None
    assert (error.where.file, error.where.line) == ("prices.csv", 3)
    assert [o.quotes[0].amount for o in found.offers if o.quotes] == [1, 2]
    (unknown,) = [o for o in found.offers if not o.quotes]
    assert unknown.note


def test_b56_a_decimal_comma_without_quotes_is_neither_45_nor_0() -> None:
    found = read(row("0,45"), row("2.00"))
    assert "11 fields where the header has 10" in str(found.rejected[0])
    assert [o.quotes[0].amount for o in found.offers] == [2]


def test_b58_a_reservation_only_type_at_0_is_known_but_not_free() -> None:
    text = HEADER.replace("source", "source,reservation_only")
    line = row("0", instance_type="p5e.48xlarge", capacity_type="reserved") + ",true"
    (offer,) = read_prices(f"{text}{line}\n", file="prices.csv").offers
    assert offer.reservation_only
    assert offer.quotes == ()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"cloud": "oci"}, 'cloud "oci" is not known. Expected one of aws, gcp,'),
        ({"instance_type": "p9.huge"}, 'instance_type "p9.huge" has no known shape on aws'),
        ({"capacity_type": "true"}, 'capacity_type "true" is not known. Expected one of on_demand'),
        ({"capacity_type": "spott"}, 'Did you mean "spot"?'),
        ({"zone": "us-east-1b"}, "Give the zone id, such as use1-az1."),
        ({"zone": "zone one"}, 'zone "zone one" is no zone id of aws/us-east-1.'),
        ({"observed_at": ""}, 'observed_at "" is no date or instant'),
        ({"observed_at": "yesterday"}, 'observed_at "yesterday" is no date or instant'),
        ({"observed_at": "2026-05-04T00:00"}, "has no offset. Add Z or +08:00."),
        ({"observed_at": "0001-01-01T00:00+23:00"}, "is no date or instant"),
        ({"region": "us-\x1b[31meast-1"}, "has characters that cannot be shown"),
    ],
)
def test_every_field_is_checked(change: dict[str, str], text: str) -> None:
    (reason,) = reasons(row("1.00", **change))
    assert text in reason


def test_types_may_be_written_in_any_case_and_get_their_own_spelling() -> None:
    (offer,) = read(row(instance_type="P4D.24XLARGE")).offers
    assert offer.shape.instance_type == "p4d.24xlarge"


def test_a_row_without_any_price_column_says_offered_but_unpriced() -> None:
    line = row("", unit="", currency="", observed_at="")
    found = read(line)
    assert found.rejected == ()
    assert found.offers[0].quotes == ()
    (offer,) = read(line, row("1.00"), row("0")).offers
    assert [quote.amount for quote in offer.quotes] == [1]
    assert offer.note == ""


def test_a_date_alone_is_its_first_instant_in_utc() -> None:
    (offer,) = read(row(observed_at="2026-05-04")).offers
    assert offer.quotes[0].observed_at == datetime(2026, 5, 4, tzinfo=UTC)


def test_the_file_is_the_source_of_rows_that_name_none() -> None:
    (offer,) = read(row().removesuffix("feed")).offers
    assert offer.quotes[0].source == "prices.csv"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Column missing: cloud, region, instance_type"),
        (HEADER.replace(",currency", ""), "Column missing: currency."),
        (HEADER.replace("zone", "zones"), 'Column "zones" is not known. Did you mean "zone"?'),
        (HEADER.replace("zone", "cloud"), 'Column "cloud" stands twice.'),
        (HEADER.replace(",", ";"), "Column missing"),
        (HEADER + 'aws,"us', "The file is not CSV"),
    ],
)
def test_a_file_that_cannot_be_read_as_a_whole_is_one_error(text: str, message: str) -> None:
    with pytest.raises(CatalogError) as caught:
        read_prices(text, file="prices.csv")
    assert message in str(caught.value)
    assert str(caught.value).startswith("prices.csv:")


def test_blank_lines_a_byte_order_mark_and_windows_line_ends_do_no_harm() -> None:
    text = "\ufeff" + HEADER.replace("\n", "\r\n") + "\r\n" + row() + "\r\n\r\n"
    found = read_prices(text, file="prices.csv")
    assert (len(found.offers), found.rejected) == (1, ())


def test_optional_columns_of_account_and_certainty() -> None:
    header = HEADER.replace("source", "source,site,estimate")
    lines = (row() + ",aws,yes", row(zone="use1-az1") + ",mars,", row() + ",,perhaps")
    found = read_prices(header + "\n".join(lines), file="prices.csv")
    (quote,) = found.offers[0].quotes
    assert (quote.site, quote.estimate) == ("aws", True)
    assert 'site "mars" is not known' in str(found.rejected[0])
    assert 'estimate "perhaps" is neither true nor false' in str(found.rejected[1])


# --- There and back ------------------------------------------------------------------------


def test_the_bundled_offers_survive_writing_and_reading() -> None:
    offers = bundled_snapshot().offers
    found = read_prices(write_prices(offers), file="all.csv")
    assert found == PriceFile(offers=offers, rejected=())


printable = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=12)
instants = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis wants naive bounds


@st.composite
def some_offers(draw: st.DrawFn) -> tuple[Offer, ...]:
    """Offers with distinct keys and quotes in order of time."""
    kinds = sorted(shapes())
    found: dict[object, Offer] = {}
    for cloud, name in draw(st.lists(st.sampled_from(kinds), max_size=5)):
        region = draw(st.sampled_from(list(CLOUDS[cloud].regions.values())))
        quotes = draw(
            st.lists(
                st.builds(
                    Quote,
                    amount=st.decimals("0.000001", "100000", places=6),
                    currency=st.sampled_from(["USD", "CNY", "EUR"]),
                    observed_at=instants,
                    source=printable,
                    estimate=st.booleans(),
                    site=st.sampled_from(sorted(CLOUDS[cloud].currencies)),
                ),
                max_size=3,
            )
        )
        offer = Offer(
            cloud=cloud,
            region=region.name,
            zone=draw(st.none() | st.sampled_from(region.zones)) if region.zones else None,
            shape=shapes()[cloud, name],
            capacity_type=draw(st.sampled_from(CapacityType)),
            quotes=tuple(sorted(quotes, key=lambda quote: quote.observed_at)),
            reservation_only=draw(st.booleans()),
        )
        found[offer.key] = offer
    return tuple(found.values())


@given(some_offers())
def test_any_offers_survive_writing_and_reading(offers: tuple[Offer, ...]) -> None:
    found = read_prices(write_prices(offers), file="all.csv")
    assert found == PriceFile(offers=offers, rejected=())


@given(st.lists(st.text(max_size=20), min_size=10, max_size=10))
def test_any_row_is_used_or_named_and_never_a_traceback(fields: list[str]) -> None:
    quoted = ",".join('"' + field.replace('"', '""') + '"' for field in fields)
    found = read_prices(f"{HEADER}{quoted}\n", file="prices.csv")
    assert len(found.rejected) == 1
    assert found.offers == ()


@given(st.text(max_size=12))
def test_any_amount_is_a_price_above_0_or_named(text: str) -> None:
    quoted = '"' + text.replace('"', '""') + '"'
    found = read(row(quoted))
    prices = [quote.amount for offer in found.offers for quote in offer.quotes]
    assert len(prices) + len(found.rejected) == 1
    assert all(price > 0 for price in prices)
