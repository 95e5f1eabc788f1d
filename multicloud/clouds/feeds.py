"""Which clouds' prices can be read: one explicit entry per cloud, its SDK loaded when used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from multicloud.models.feed import Feed
    from multicloud.models.offer import Cloud
    from multicloud.models.project import CloudSettings

FEEDS: Mapping[Cloud, Callable[[CloudSettings, tuple[str, ...]], Feed]] = {}
"""By cloud; the second argument are the regions asked for, all of the catalogue when empty."""
