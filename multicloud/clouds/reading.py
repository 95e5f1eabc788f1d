"""Reads the parts of many feeds side by side; what fails or lags hides nothing else."""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.clouds.failures import as_cloud_error
from multicloud.errors import CloudError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from multicloud.models.feed import Batch, Feed
    from multicloud.models.offer import Cloud

WORKERS = 4
"""Parts of one cloud that are read at a time: more only meets the clouds' throttles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRead:
    """How the reading of one part ended: with a batch, or with an error."""

    cloud: Cloud
    part: str
    batch: Batch | None = None
    error: CloudError | None = None


def read_parts(
    feeds: Mapping[Cloud, Feed],
    is_wanted: Callable[[Cloud, str], bool],
    *,
    timeout_s: float,
    workers: int = WORKERS,
) -> Iterator[PartRead]:
    """Each wanted part as soon as it was read, until `timeout_s` have passed.

    Parts that were not read by then end as errors. A feed that cannot name its parts has one
    part, "", with that error. Threads that hang are left to themselves: they end with the
    process.
    """
    done: queue.Queue[PartRead] = queue.Queue()
    open_parts: set[tuple[Cloud, str]] = set()
    for cloud, feed in sorted(feeds.items()):
        try:
            parts = [part for part in feed.parts() if is_wanted(cloud, part)]
        except Exception as error:  # noqa: BLE001 - an SDK may raise anything
            yield PartRead(cloud=cloud, part="", error=as_cloud_error(error))
            continue
        open_parts |= {(cloud, part) for part in parts}
        waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
        for part in parts:
            waiting.put(part)
        for _ in range(min(workers, len(parts))):
            threading.Thread(target=_work, args=(feed, waiting, done), daemon=True).start()
    end = clock.monotonic() + timeout_s
    while open_parts:
        try:
            read = done.get(timeout=max(0.0, end - clock.monotonic()))
        except queue.Empty:
            break
        open_parts.discard((read.cloud, read.part))
        yield read
    for cloud, part in sorted(open_parts):
        late = CloudError(f"no answer within {timeout_s:g} s")
        yield PartRead(cloud=cloud, part=part, error=late)


def _work(feed: Feed, waiting: queue.SimpleQueue[str], done: queue.Queue[PartRead]) -> None:
    while True:
        try:
            part = waiting.get_nowait()
        except queue.Empty:
            return
        try:
            read = PartRead(cloud=feed.cloud, part=part, batch=feed.read(part))
        except Exception as error:  # noqa: BLE001 - see above
            read = PartRead(cloud=feed.cloud, part=part, error=as_cloud_error(error))
        done.put(read)
