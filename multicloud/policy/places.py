"""Place patterns as they are written: `aws/us-east-1`, `gcp/us-*`, `EU`, `any`."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache

from multicloud.catalog.clouds import CLOUDS, countries, zones_in
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.place import Place
from multicloud.policy.near import did_you_mean
from multicloud.policy.scalars import ScalarError

_EXPECTED = "Expected any, CLOUD[/REGION[/ZONE]] with *, or a country such as EU, US or CN."
_PART = re.compile(r"[A-Za-z0-9*][A-Za-z0-9*._-]*", re.ASCII)
_CLOUD_HABITS = {
    "aliyun": Cloud.ALIBABA,
    "amazon": Cloud.AWS,
    "google": Cloud.GCP,
    "microsoft": Cloud.AZURE,
    "oci": Cloud.ORACLE,
    "qcloud": Cloud.TENCENT,
    "tencentcloud": Cloud.TENCENT,
}


@lru_cache(maxsize=4096)
def parse_place(text: str) -> Place:
    """One pattern; its cloud, region, zone and country are known to the catalogue.

    Raises: ScalarError with near misses for what the catalogue does not know.
    """
    if text in ("any", "*"):
        return Place(text=text)
    parts = text.split("/")
    if len(parts) > 3 or not all(_PART.fullmatch(part) for part in parts):
        raise ScalarError(f'"{text}" is not a place.', expected=_EXPECTED)
    if len(parts) == 1 and text in countries():
        return Place(text=text, country=text)
    cloud = None if parts[0] == "*" else _cloud(parts[0], text)
    region = parts[1] if len(parts) > 1 else "*"
    zone = parts[2] if len(parts) > 2 else "*"
    if region in countries():
        if len(parts) > 2:
            raise ScalarError(f'"{text}" names a zone of a country.', expected=_EXPECTED)
        return Place(text=text, cloud=cloud, country=region)
    place = Place(text=text, cloud=cloud, region=region, zone=zone)
    _check_region(place)
    return place


def _cloud(word: str, text: str) -> Cloud:
    if word in set(Cloud):
        return Cloud(word)
    habit = _CLOUD_HABITS.get(word.casefold())
    hint = f'Did you mean "{habit.value}"?' if habit else ""
    if not hint and word == text:
        hint = did_you_mean(word, [*(cloud.value for cloud in Cloud), "any", *countries()])
        hint = hint or _region_elsewhere(word)
    hint = hint or did_you_mean(word, [cloud.value for cloud in Cloud])
    raise ScalarError(f'unknown cloud "{word}".', expected=_EXPECTED, hint=hint)


def _region_elsewhere(word: str) -> str:
    homes = [f"{cloud.value}/{word}" for cloud in Cloud if word in CLOUDS[cloud].regions]
    return f"Did you mean {' or '.join(homes[:3])}?" if homes else ""


def _check_region(place: Place) -> None:
    clouds = [place.cloud] if place.cloud else list(Cloud)
    known = [(cloud, region) for cloud in clouds for region in CLOUDS[cloud].regions]
    fitting = [(cloud, name) for cloud, name in known if fnmatchcase(name, place.region)]
    if not fitting:
        where = place.cloud.value if place.cloud else "any cloud"
        names = sorted({name for _, name in known})
        near = did_you_mean(place.region, [*names, *countries()])
        raise ScalarError(
            f'no region "{place.region}" is known of {where}.', expected=_EXPECTED, hint=near
        )
    if place.zone == "*":
        return
    with_zones = [(cloud, name) for cloud, name in fitting if CLOUDS[cloud].regions[name].zones]
    if with_zones and not any(zones_in((place,), cloud, name) for cloud, name in with_zones):
        zones = [
            zone
            for cloud, name in with_zones
            for pair in CLOUDS[cloud].regions[name].zone_names.items()
            for zone in pair
        ]
        raise ScalarError(
            f'no zone "{place.zone}" is known of {place.region}.',
            expected=f"Expected {', '.join(dict.fromkeys(zones[:12]))}.",
            hint=did_you_mean(place.zone, zones),
        )


def parse_capacity(text: str) -> CapacityType:
    """`on_demand`, `spot` or `reserved`.

    Raises: ScalarError.
    """
    if text in set(CapacityType):
        return CapacityType(text)
    habits = {"preemptible": "spot", "low_priority": "spot", "ondemand": "on_demand"}
    near = habits.get(text.casefold().replace("-", "_"))
    raise ScalarError(
        f'unknown capacity type "{text}".',
        expected="Expected on_demand, spot or reserved.",
        hint=f'Did you mean "{near}"?' if near else did_you_mean(text, list(CapacityType)),
    )
