"""Reads many regions at once; one that is down or slow never hides the others."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.models.inventory import Reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from multicloud.models.inventory import Inventory
    from multicloud.models.offer import Cloud

TIMEOUT_S = 10.0


def read_all(
    readers: Mapping[Cloud, Inventory],
    where: Iterable[tuple[Cloud, str]],
    *,
    timeout_s: float = TIMEOUT_S,
) -> tuple[Reading, ...]:
    """One reading per place, in order of cloud and region, after `timeout_s` at the most.

    A reader that raises or does not come back gives a reading with an error. Its thread is left
    to itself: it cannot keep the process from ending.
    """
    places = sorted(set(where))
    found: dict[tuple[Cloud, str], Reading] = {}
    threads = [
        threading.Thread(target=_read, args=(readers[place[0]], place, found), daemon=True)
        for place in places
    ]
    for thread in threads:
        thread.start()
    end = clock.monotonic() + timeout_s
    for thread in threads:
        thread.join(max(0.0, end - clock.monotonic()))
    late = f"did not answer within {timeout_s:g} s"
    return tuple(
        found.get(place) or Reading(cloud=place[0], region=place[1], error=late) for place in places
    )


def _read(
    reader: Inventory, place: tuple[Cloud, str], found: dict[tuple[Cloud, str], Reading]
) -> None:
    cloud, region = place
    try:
        reading = reader.read(cloud, region)
    except Exception as error:  # noqa: BLE001 - whatever an SDK does, nobody knows what runs there
        reading = Reading(cloud=cloud, region=region, error=f"{type(error).__name__}: {error}")
    found[place] = reading
