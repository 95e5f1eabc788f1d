"""What a configured provider knows of its account: region, tags for everything, zones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from multicloud.catalog.clouds import CLOUDS
from multicloud.models.offer import Cloud

if TYPE_CHECKING:
    from multicloud.sandbox.facts import ProviderFacts
    from multicloud.sandbox.values import Row, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """A zone by its id, the same for everybody, and by the name the account gives it."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One provider configuration; `settings` is what Terraform sent."""

    number: str = ""
    cloud: str = ""
    settings: Row = field(default_factory=dict)

    @classmethod
    def configured(cls, facts: ProviderFacts, settings: Row) -> Account:
        """The account that these provider settings reach."""
        return cls(number=facts.account, cloud=facts.cloud, settings=settings)

    @property
    def region(self) -> str:
        """The configured region, empty when there is none."""
        region = self.settings.get("region")
        return region if isinstance(region, str) else ""

    @property
    def default_tags(self) -> Row:
        """Tags that the provider puts on everything (AWS's `default_tags` block)."""
        blocks = self.settings.get("default_tags")
        if not isinstance(blocks, list) or not blocks or not isinstance(blocks[0], dict):
            return {}
        tags = blocks[0].get("tags")
        return tags if isinstance(tags, dict) else {}

    def zones(self) -> tuple[Zone, ...]:
        """The region's zones as the catalogue knows them; three by letter where it does not."""
        facts = CLOUDS[Cloud(self.cloud)].regions.get(self.region)
        if facts is None:
            return tuple(Zone(id=f"{self.region}{c}", name=f"{self.region}{c}") for c in "abc")
        return tuple(Zone(id=zone, name=facts.zone_names.get(zone, zone)) for zone in facts.zones)


def text_values(value: Value) -> tuple[str, ...]:
    """The texts in a list value; anything else gives none."""
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()
