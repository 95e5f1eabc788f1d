"""Place patterns of policies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multicloud.models.offer import Cloud


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A pattern: `any`, `CLOUD[/REGION[/ZONE]]` with `*`, or a country code for the region.

    `cloud` None means every cloud. `region` and `zone` are globs (`*` alone is anything).
    `country` is a country or group code (`US`, `EU`, `CN`) that stands where the region would:
    `US` alone, or `aws/US`; then `region` is `*`. `text` is the pattern as written.
    """

    text: str
    cloud: Cloud | None = None
    region: str = "*"
    zone: str = "*"
    country: str | None = None
