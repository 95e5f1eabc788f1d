"""What no schema says and the stand-in must know: ids, defaults, what replaces, what is refused.

The facts are our own, written down from the providers' public documentation, for the carried
resources. A path is dotted and names schema levels only: `metadata_options.http_tokens`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multicloud.sandbox.values import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """When the attributes in `when` have these values, each of `need` must be set."""

    when: Mapping[str, Value]
    need: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ban:
    """When the attributes in `when` have these values, none of `unset` may be set."""

    when: Mapping[str, Value]
    unset: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceFacts:
    """Facts about one resource type; every field has "nothing known" as its default.

    `id` and the texts in `computed` are templates: see `multicloud.sandbox.invent`. `replaces`
    are the paths whose change makes a new resource. `defaults` hold where the configuration is
    silent. `counters` grow by one at each update. `ascending` are numbers that must not fall
    from left to right; `base64` must be such text; both are refused by the cloud at apply, as is
    a second resource with the same id, with the words of `exists`. `decimals` are numbers that the
    provider sends, and reads back, rounded to so many.
    """

    id: str = ""
    exists: str = ""
    replaces: frozenset[str] = frozenset()
    defaults: Mapping[str, Value] = field(default_factory=dict)
    computed: Mapping[str, Value] = field(default_factory=dict)
    counters: tuple[str, ...] = ()
    one_of: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    conflicts: tuple[tuple[str, ...], ...] = ()
    exactly_one: tuple[tuple[str, ...], ...] = ()
    at_least_one: tuple[tuple[str, ...], ...] = ()
    needs: tuple[Need, ...] = ()
    refused: tuple[Ban, ...] = ()
    ascending: tuple[str, ...] = ()
    ascending_error: str = ""
    base64: tuple[str, ...] = ()
    base64_error: str = ""
    decimals: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A data source's answer: `set` where each field of `when` matches its glob."""

    when: Mapping[str, str] = field(default_factory=dict)
    set: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderFacts:
    """Facts about one provider; `account` is the simulated account's number."""

    account: str = ""
    cloud: str = ""
    provider_needs: tuple[str, ...] = ()
    resources: Mapping[str, ResourceFacts] = field(default_factory=dict)
    data_sources: Mapping[str, tuple[Answer, ...]] = field(default_factory=dict)

    def of(self, resource_type: str) -> ResourceFacts:
        """The facts of a resource type; empty ones where nothing is known."""
        return self.resources.get(resource_type, _NOTHING)


_NOTHING = ResourceFacts()
_AS_TUPLES = ("conflicts", "exactly_one", "at_least_one")


def _resource(raw: Mapping[str, Any]) -> ResourceFacts:
    given: dict[str, Any] = dict(raw)
    if "replaces" in given:
        given["replaces"] = frozenset(given["replaces"])
    for name in ("counters", "ascending", "base64"):
        given[name] = tuple(given.get(name, ()))
    for name in _AS_TUPLES:
        given[name] = tuple(tuple(item) for item in given.get(name, ()))
    for name in ("one_of", "ranges"):
        given[name] = {path: tuple(item) for path, item in given.get(name, {}).items()}
    given["needs"] = tuple(
        Need(when=item["when"], need=tuple(item["need"]), message=item["message"])
        for item in given.get("needs", ())
    )
    given["refused"] = tuple(
        Ban(when=item["when"], unset=tuple(item["unset"]), message=item["message"])
        for item in given.get("refused", ())
    )
    return ResourceFacts(**given)


def parse(document: Mapping[str, Any]) -> ProviderFacts:
    """Read a facts document; an unknown key is a TypeError."""
    return ProviderFacts(
        account=document["account"],
        cloud=document["cloud"],
        provider_needs=tuple(document.get("provider_needs", ())),
        resources={name: _resource(raw) for name, raw in document["resources"].items()},
        data_sources={
            name: tuple(Answer(**answer) for answer in answers)
            for name, answers in document["data_sources"].items()
        },
    )


@cache
def load(name: str) -> ProviderFacts:
    """The facts of a provider by its local name (`aws`, `tencentcloud`)."""
    file = resources.files(__package__).joinpath("facts", f"{name}.json")
    return parse(json.loads(file.read_text(encoding="utf-8")))
