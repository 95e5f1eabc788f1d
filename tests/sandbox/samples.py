"""A small schema and its facts, for tests that need no real provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from multicloud.sandbox import facts, schema
from multicloud.sandbox.account import Account

if TYPE_CHECKING:
    from multicloud.sandbox.facts import ResourceFacts
    from multicloud.sandbox.schema import Block
    from multicloud.sandbox.values import Row

THING: dict[str, Any] = {
    "id": "string?~",
    "arn": "string~",
    "name": "string!",
    "size": "number?~",
    "shade": "string?",
    "revision": "number~",
    "tags": "map(string)?",
    "zones": "set(string)?",
    "tags_all": "map(string)?~",
    "disk": {"@": "list", "kind": "string?", "gib": "number?~"},
    "rule": {"@": "set", "port": "number!", "note": "string?~"},
    "timeouts": {"@": "single", "create": "string?"},
}


def a_block(raw: dict[str, Any] | None = None) -> Block:
    """The block of `THING`, or of another argument list."""
    document = {"source": "a/b", "provider": {}, "resources": {"b_thing": raw or THING}}
    return schema.parse(document).resources["b_thing"].block


def some_facts(**given: object) -> ResourceFacts:
    """Facts as a facts file would write them."""
    document = {"account": "1", "cloud": "aws", "resources": {"t": given}, "data_sources": {}}
    return facts.parse(document).of("t")


def an_account(**settings: Any) -> Account:
    """Account 42 of AWS in us-east-1 unless told otherwise."""
    row: Row = {"region": "us-east-1", **settings}
    return Account(number="42", cloud="aws", settings=row)
