"""Tiers whose nodes come out of a reservation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.catalog.clouds import CLOUDS
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.placement import Reservation, ReservationKind
from multicloud.policy import kinds as k
from multicloud.policy.facts import instant_of

if TYPE_CHECKING:
    from multicloud.models.need import Need
    from multicloud.policy.context import Context
    from multicloud.policy.reader import Reader

# Clouds whose groups can name a reservation, and those that sell capacity by the block.
NAMES_RESERVATIONS = frozenset({Cloud.AWS, Cloud.GCP, Cloud.AZURE, Cloud.ORACLE})
SELLS_BLOCKS = frozenset({Cloud.AWS})


def compile_reservation(
    tier: Reader, capacity: tuple[CapacityType, ...], context: Context, need: Need
) -> Reservation | None:
    """The tier's reservation; None without one. Notes every fault of the two keys together."""
    is_reserved = CapacityType.RESERVED in capacity
    given = tier.sub("reservation")
    if is_reserved and len(capacity) > 1:
        tier.fault(
            "capacity",
            "mixes reserved with other ways of buying.",
            hint="Write a tier of its own for the reservation, before the others.",
        )
    if is_reserved and "reservation" not in tier:
        tier.fault(
            "capacity",
            "reserved capacity needs a reservation.",
            detail="Expected such as reservation: {id: cr-0123}.",
        )
    if given is None:
        return None
    if not is_reserved:
        tier.fault("reservation", "goes with capacity: reserved.", hint="Add it, or leave it out.")
        return None
    _check_place(tier)
    _check_type(tier, need)
    if "max_price" in tier:
        tier.fault(
            "max_price",
            "means nothing here: a reservation is paid for anyway.",
            hint="Leave it out.",
        )
    return _reservation(tier, given, context)


def _reservation(tier: Reader, given: Reader, context: Context) -> Reservation | None:
    kind = given.or_else("kind", k.RESERVATION_KIND, ReservationKind.ON_DEMAND)
    start, until = instant_of(given, "from", context), instant_of(given, "until", context)
    if start is not None and until is not None and until <= start:
        given.fault("until", "is not after from.")
    if kind is ReservationKind.CAPACITY_BLOCK:
        clouds = {place.cloud for place in tier.many("in", k.PLACE) if place.cloud}
        if clouds - SELLS_BLOCKS:
            names = ", ".join(CLOUDS[cloud].title for cloud in sorted(clouds - SELLS_BLOCKS))
            given.fault("kind", f"{names} sells no capacity blocks.", hint="Leave kind out.")
        for key in ("from", "until"):
            if key not in given:
                given.fault("", f'a capacity block has "{key}".', detail="Expected its dates.")
    id_ = given.value("id", k.TEXT)
    return None if id_ is None else Reservation(id=id_, kind=kind, start=start, until=until)


def _check_place(tier: Reader) -> None:
    places = tier.many("in", k.PLACE)
    one = places[0] if len(places) == 1 else None
    is_exact = one is not None and one.cloud is not None and "*" not in one.region
    if not is_exact or one is None or one.cloud is None:
        tier.fault(
            "in", "a reservation is in one region.", detail="Expected one CLOUD/REGION[/ZONE]."
        )
    elif one.cloud not in NAMES_RESERVATIONS:
        tier.fault(
            "in",
            f"groups of {CLOUDS[one.cloud].title} cannot name a reservation.",
            hint="Use on_demand there: it takes what is reserved by itself.",
        )


def _check_type(tier: Reader, need: Need) -> None:
    types = tier.many("instance_types", k.TEXT)
    by_type = {wish.instance_type for wish in need.wishes}
    is_one = len(types) == 1 and "*" not in types[0]
    if not is_one and not (not types and len(by_type) == 1 and None not in by_type):
        tier.fault(
            "instance_types" if types else "",
            "a reservation is of one instance type.",
            detail="Expected such as instance_types: p5.48xlarge.",
        )
