"""The columns of a price file, and what each of them may hold."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from multicloud.catalog.clouds import CLOUDS
from multicloud.catalog.shapes import find_shape
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from multicloud.models.offer import Shape

REQUIRED = (
    "cloud",
    "region",
    "instance_type",
    "capacity_type",
    "amount",
    "unit",
    "currency",
    "observed_at",
)
OPTIONAL = ("zone", "source", "site", "estimate", "reservation_only")

# Columns that are blank together when a row only says "offered here, price unknown".
PRICE_COLUMNS = ("amount", "unit", "currency", "observed_at")

# No node of any cloud costs a thousandth of this in any currency: more is a slip of the pen.
LARGEST_AMOUNT = Decimal(10) ** 9

_AMOUNT = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_CURRENCY = re.compile(r"[A-Z]{3}")
_UNIT = re.compile(r"(?:(?:(?P<currency>[a-z]{3})|(?P<cents>cents))_)?per_hour")
_ZONE = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")
_FLAGS = {"": False, "0": False, "false": False, "no": False, "1": True, "true": True, "yes": True}


class FieldError(ValueError):
    """One field of a row cannot be used; the text says which, its value and what was expected."""


class Amount(NamedTuple):
    """A price in its currency's own unit, per node and hour."""

    value: Decimal
    currency: str


def cloud_of(row: Mapping[str, str]) -> Cloud:
    """The row's cloud."""
    text = row["cloud"]
    try:
        return Cloud(text)
    except ValueError:
        raise _choice("cloud", text, [cloud.value for cloud in Cloud]) from None


def region_of(row: Mapping[str, str], cloud: Cloud) -> str:
    """The row's region: a canonical id of its cloud, never a display name."""
    text = row["region"]
    regions = CLOUDS[cloud].regions
    if text in regions:
        return text
    near = near_miss(text, regions)
    raise FieldError(f'region "{text}" is no region id of {cloud}.{near}')


def zone_of(row: Mapping[str, str], cloud: Cloud, region: str) -> str | None:
    """The row's zone id; None for a blank: the whole region."""
    text = row.get("zone", "")
    if not text:
        return None
    facts = CLOUDS[cloud].regions[region]
    if text not in facts.zones:
        ids = [zone for zone, name in facts.zone_names.items() if name == text]
        if ids:
            raise FieldError(
                f'zone "{text}" is a name, and names differ from account to account.'
                f" Give the zone id, such as {ids[0]}."
            )
        if _ZONE.fullmatch(text) is None:
            raise FieldError(f'zone "{text}" is no zone id of {cloud}/{region}.')
    return text


def shape_of(row: Mapping[str, str], cloud: Cloud) -> Shape:
    """The shape of the row's instance type, which may be written in any case."""
    text = row["instance_type"]
    shape = find_shape(cloud, text)
    if shape is None:
        raise FieldError(
            f'instance_type "{text}" has no known shape on {cloud}, so nobody can tell its GPUs.'
        )
    return shape


def capacity_of(row: Mapping[str, str]) -> CapacityType:
    """How the row's capacity is bought."""
    text = row["capacity_type"]
    try:
        return CapacityType(text)
    except ValueError:
        raise _choice("capacity_type", text, [kind.value for kind in CapacityType]) from None


def amount_of(row: Mapping[str, str]) -> Amount:
    """What a node costs per hour; `cents_per_hour` is divided by a hundred.

    Raises: FieldError for what is no price: it is then unknown, never 0.
    """
    currency, unit, text = row["currency"], row["unit"], row["amount"]
    if _CURRENCY.fullmatch(currency) is None:
        raise FieldError(f'currency "{currency}" is not an ISO code such as USD or CNY.')
    known = _UNIT.fullmatch(unit)
    if known is None:
        raise FieldError(
            f'unit "{unit}" is not known. Expected per_hour (any currency), usd_per_hour'
            " or cents_per_hour."
        )
    if known["currency"] and known["currency"].upper() != currency:
        raise FieldError(f'unit "{unit}" contradicts currency "{currency}".')
    if not text:
        raise FieldError("amount is blank and treated as unknown.")
    if _AMOUNT.fullmatch(text) is None:
        raise FieldError(f'amount "{text}" is not a plain decimal such as 3.20.')
    value = Decimal(text)
    if value == 0:
        raise FieldError(f"price {text} is treated as unknown.")
    if value > LARGEST_AMOUNT:
        raise FieldError(f'amount "{text}" is beyond any price of a node.')
    return Amount(value.scaleb(-2) if known["cents"] else value, currency)


def observed_of(row: Mapping[str, str]) -> datetime:
    """When the price was seen, in UTC; a date alone is its first instant in UTC."""
    text = row["observed_at"]
    try:
        instant = datetime.fromisoformat(text)
        is_date = len(text) <= len("2026-01-01")
        if instant.tzinfo is not None or is_date:
            return instant.replace(tzinfo=instant.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        raise FieldError(
            f'observed_at "{text}" is no date or instant such as 2026-05-04T00:00Z.'
        ) from None
    raise FieldError(f'observed_at "{text}" has no offset. Add Z or +08:00.')


def site_of(row: Mapping[str, str], cloud: Cloud) -> str:
    """The account side that pays the price; blank for any."""
    text = row.get("site", "")
    if text and text not in CLOUDS[cloud].currencies:
        raise _choice("site", text, [site for site in CLOUDS[cloud].currencies if site])
    return text


def flag_of(row: Mapping[str, str], column: str) -> bool:
    """A yes-or-no column; blank is no."""
    text = row.get(column, "")
    flag = _FLAGS.get(text.casefold())
    if flag is None:
        raise FieldError(f'{column} "{text}" is neither true nor false.')
    return flag


def near_miss(text: str, known: Iterable[str]) -> str:
    """` Did you mean "x"?`, or nothing when no known word is near."""
    by_fold = {word.casefold(): word for word in known}
    folded = "".join(text.casefold().split())
    near = get_close_matches(folded, by_fold, n=1)
    return f' Did you mean "{by_fold[near[0]]}"?' if near else ""


def _choice(column: str, text: str, known: list[str]) -> FieldError:
    """The error for a word that is none of those known."""
    expected = f" Expected one of {', '.join(known)}." if known else " Leave it blank."
    return FieldError(f'{column} "{text}" is not known.{expected}{near_miss(text, known)}')
