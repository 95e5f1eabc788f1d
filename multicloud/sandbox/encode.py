"""Schemas, diagnostics and paths as messages of Terraform's plug-in protocol 6."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from multicloud.sandbox import wire
from multicloud.sandbox.schema import Attribute, Block, NestedBlock, Nesting, Schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from multicloud.sandbox.check import Finding
    from multicloud.sandbox.schema import ProviderSchema
    from multicloud.sandbox.walk import Path

_NESTING = {
    Nesting.SINGLE: 1,
    Nesting.LIST: 2,
    Nesting.SET: 3,
    Nesting.MAP: 4,
    Nesting.GROUP: 5,
}
_ERROR = 1
# plan_destroy is not asked for; the schema may be skipped when Terraform has it already.
_CAPABILITIES = wire.blob(6, wire.integer(2, 1))


def _attribute(name: str, item: Attribute) -> bytes:
    return (
        wire.text(1, name)
        + wire.text(2, json.dumps(item.type))
        + wire.integer(4, item.required)
        + wire.integer(5, item.optional)
        + wire.integer(6, item.computed)
        + wire.integer(7, item.sensitive)
        + wire.integer(9, item.deprecated)
        + wire.integer(11, item.write_only)
    )


def _nested(name: str, item: NestedBlock) -> bytes:
    return (
        wire.text(1, name)
        + wire.blob(2, _block(item.block))
        + wire.integer(3, _NESTING[item.nesting])
        + wire.integer(4, item.min_items)
        + wire.integer(5, item.max_items)
    )


def _block(block: Block) -> bytes:
    attributes = (wire.blob(2, _attribute(n, a)) for n, a in sorted(block.attributes.items()))
    blocks = (wire.blob(3, _nested(n, b)) for n, b in sorted(block.blocks.items()))
    return b"".join((*attributes, *blocks))


def _schema(schema: Schema) -> bytes:
    return wire.integer(1, schema.version) + wire.blob(2, _block(schema.block))


def _schemas(number: int, schemas: Mapping[str, Schema]) -> bytes:
    entries = (wire.text(1, n) + wire.blob(2, _schema(s)) for n, s in sorted(schemas.items()))
    return b"".join(wire.blob(number, entry) for entry in entries)


def provider_schema(schema: ProviderSchema) -> bytes:
    """The answer to GetProviderSchema."""
    return (
        wire.blob(1, _schema(schema.provider))
        + _schemas(2, schema.resources)
        + _schemas(3, schema.data_sources)
        + _CAPABILITIES
    )


def metadata(schema: ProviderSchema) -> bytes:
    """The answer to GetMetadata: capabilities and names only."""
    names = ((3, schema.data_sources), (4, schema.resources))
    listed = (wire.blob(no, wire.text(1, name)) for no, items in names for name in items)
    return wire.blob(1, wire.integer(2, 1)) + b"".join(listed)


def attribute_path(path: Path) -> bytes:
    """An AttributePath: names as attributes, numbers as list indices."""
    steps = (
        wire.text(1, step) if isinstance(step, str) else wire.present_integer(3, step)
        for step in path
    )
    return b"".join(wire.blob(1, step) for step in steps)


def error(summary: str, detail: str = "", path: Path = ()) -> bytes:
    """A Diagnostic of severity error."""
    out = wire.integer(1, _ERROR) + wire.text(2, summary) + wire.text(3, detail)
    return out + (wire.blob(4, attribute_path(path)) if path else b"")


def findings(number: int, found: Iterable[Finding]) -> bytes:
    """Findings as repeated diagnostics of one field."""
    return b"".join(wire.blob(number, error(f.summary, f.detail, f.path)) for f in found)
