"""Other versions of the providers' schemas, so that a module's range is more than a promise."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from multicloud.models.offer import Cloud
from multicloud.render.stack import MODULES
from multicloud.sandbox import mirror, schema

if TYPE_CHECKING:
    from collections.abc import Callable

BESIDE = Path(__file__).parent / "schemas"
ELSEWHERE = Path(os.environ.get("MULTICLOUD_PROVIDER_SCHEMAS", "provider-schemas"))


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a cloud's provider; `number` is what its users write."""

    cloud: Cloud
    number: str

    def __str__(self) -> str:
        return f"{self.provider}-{self.number}"

    @property
    def provider(self) -> str:
        """The provider's local name."""
        return MODULES[self.cloud].plugin.name

    @property
    def is_carried(self) -> bool:
        """Whether it is the one that the sandbox serves by itself."""
        return self.number in mirror.VERSIONS[self.provider]

    def schema(self) -> schema.ProviderSchema:
        """Its schema; types that a file lacks, and the provider's own block, are the sandbox's.

        Skips the test where the file is not at hand.
        """
        ours = schema.load(self.provider)
        if self.is_carried:
            return ours
        path = BESIDE / f"{self}.json"
        if not path.is_file():
            path = ELSEWHERE / f"{self.provider}.json"
        if not path.is_file():
            pytest.skip(f"needs {path} (MULTICLOUD_PROVIDER_SCHEMAS names the folder)")
        other = schema.parse(json.loads(path.read_text(encoding="utf-8")))
        return schema.ProviderSchema(
            source=ours.source,
            provider=ours.provider,
            resources={**ours.resources, **other.resources},
            data_sources={**ours.data_sources, **other.data_sources},
        )


VERSIONS = (
    Version(Cloud.AZURE, "4.51.0"),
    Version(Cloud.AZURE, "4.55.0"),
    Version(Cloud.AZURE, "5.10.0"),
    Version(Cloud.GCP, "6.50.0"),
    Version(Cloud.GCP, "7.9.0"),
    Version(Cloud.GCP, "8.7.0"),
)
each_version = pytest.mark.parametrize("version", VERSIONS, ids=str)


def serve(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every sandbox that starts from here on serve this version. May skip the test."""
    monkeypatch.setattr(schema, "load", _loader(version.provider, version.schema(), schema.load))


def _loader(
    name: str,
    wanted: schema.ProviderSchema,
    others: Callable[[str], schema.ProviderSchema],
) -> Callable[[str], schema.ProviderSchema]:
    return lambda asked: wanted if asked == name else others(asked)
