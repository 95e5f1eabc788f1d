"""`prices refresh`: the clouds' own prices and stock into the store, part by part."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from multicloud.catalog.vet import vet_points
from multicloud.clouds.reading import read_parts
from multicloud.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from multicloud.errors import CloudError
    from multicloud.models.feed import Feed
    from multicloud.models.offer import Cloud
    from multicloud.store.market import MarketStore

NEW_FOR = timedelta(minutes=10)
"""A part that was read so lately is not read again: a refresh that was killed goes on."""
TIMEOUT_S = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudRefresh:
    """What a refresh came to for one cloud; all but `rejected` and `failed` count."""

    read: int = 0
    skipped: int = 0
    new: int = 0
    same: int = 0
    rejected: tuple[str, ...] = ()
    failed: Mapping[str, CloudError] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """What a refresh came to, by cloud."""

    at: datetime
    clouds: Mapping[Cloud, CloudRefresh]

    @property
    def exit_code(self) -> ExitCode:
        """Done, partial when parts failed, failed when nothing could be read at all."""
        if not any(cloud.failed for cloud in self.clouds.values()):
            return ExitCode.OK
        some = any(cloud.read or cloud.skipped for cloud in self.clouds.values())
        return ExitCode.PARTIAL if some else ExitCode.FAILED


def refresh(
    feeds: Mapping[Cloud, Feed],
    store: MarketStore,
    *,
    now: datetime,
    again: bool = False,
    new_for: timedelta = NEW_FOR,
    timeout_s: float = TIMEOUT_S,
    on_progress: Callable[[Cloud, str], None] | None = None,
) -> Refreshed:
    """Read every part not read within `new_for` (or `again`) and write each when it is whole.

    A part that fails leaves what the store knows of it as it was. Raises: StoreError.
    """
    lately = store.refreshed()
    skipped: Counter[Cloud] = Counter()

    def is_wanted(cloud: Cloud, part: str) -> bool:
        last = lately.get((cloud, part))
        wanted = again or last is None or not timedelta(0) <= now - last < new_for
        skipped[cloud] += not wanted
        return wanted

    found = {cloud: CloudRefresh() for cloud in sorted(feeds)}
    for one in read_parts(feeds, is_wanted, timeout_s=timeout_s):
        so_far = found[one.cloud]
        if one.error is not None:
            failed = {**so_far.failed, one.part: one.error}
            found[one.cloud] = replace(so_far, failed=failed)
        elif one.batch is not None:
            points, faults = vet_points(one.batch.points)
            saved = store.save(one.cloud, one.part, replace(one.batch, points=points))
            rejected = dict.fromkeys((*so_far.rejected, *one.batch.rejected, *faults))
            found[one.cloud] = replace(
                so_far,
                read=so_far.read + 1,
                new=so_far.new + saved.new,
                same=so_far.same + saved.same,
                rejected=tuple(rejected),
            )
        if on_progress is not None:
            on_progress(one.cloud, one.part)
    return Refreshed(
        at=now,
        clouds={cloud: replace(one, skipped=skipped[cloud]) for cloud, one in found.items()},
    )
