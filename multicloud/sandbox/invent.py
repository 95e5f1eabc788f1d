"""Filling in what a cloud decides: ids, addresses, answers of data sources.

Templates are our own facts. `{name}` is another attribute of the same resource, `{region}` and
`{account}` are the account's, `{hex8}` and `{hex17}` are random, `{digest8}` and `{digest17}`
depend on the configuration and region only. `=name` copies an attribute with its type, `@zones`,
`@zone_names`, `@zone_ids` and `@domains` are the region's zones.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import TYPE_CHECKING

from multicloud.sandbox.account import text_values
from multicloud.sandbox.values import UNKNOWN, Row, Value, canonical, has_unknown
from multicloud.sandbox.walk import Path, dotted, rows_of

if TYPE_CHECKING:
    from multicloud.sandbox.account import Account, Zone
    from multicloud.sandbox.facts import Answer, ResourceFacts
    from multicloud.sandbox.schema import Attribute, Block, TypeExpr

_FIELD = re.compile(r"\{(\w+)\}")
_SIZED = re.compile(r"(hex|digest)(\d+)")


def merged_tags(account: Account, row: Row) -> Value:
    """What AWS calls `tags_all`: the provider's tags under the resource's own."""
    tags = row.get("tags")
    if tags is UNKNOWN:
        return UNKNOWN
    return {**account.default_tags, **(tags if isinstance(tags, dict) else {})}


def empty_of(kind: TypeExpr) -> Value:
    """A value of the type that says nothing."""
    match kind:
        case "string":
            return ""
        case "number":
            return 0
        case "bool":
            return False
        case ["map", *_]:
            return {}
        case ["object", dict() as fields]:
            return {name: empty_of(inner) for name, inner in fields.items()}
        case _:
            return []


class Inventor:
    """Fills one resource's or data source's unknown values, in place."""

    def __init__(self, facts: ResourceFacts, account: Account, row: Row) -> None:
        self._facts = facts
        self._account = account
        self._row = row
        self._seed = canonical([account.region, canonical(row)])

    def fill(self, block: Block) -> Row:
        """Give every unknown in the row a value; the row itself, for convenience."""
        self._fill(block, self._row, ())
        return self._row

    def template(self, value: Value) -> Value:
        """A fact with its templates filled in; lists and objects are gone through."""
        match value:
            case str() if value.startswith("="):
                return self._attribute(value[1:])
            case str() if value.startswith("@"):
                return self._zones(value[1:])
            case str():
                return _FIELD.sub(lambda found: self._text(found[1]), value)
            case list():
                return [self.template(item) for item in value]
            case dict():
                return {key: self.template(item) for key, item in value.items()}
            case _:
                return value

    def _fill(self, block: Block, row: Row, at: Path) -> None:
        for name, attribute in block.attributes.items():
            if has_unknown(row.get(name)):
                row[name] = self._invent(attribute, (*at, name))
        for name, nested in block.blocks.items():
            if row.get(name) is UNKNOWN:
                row[name] = []
            for step, inner in rows_of(nested, row.get(name)):
                self._fill(nested.block, inner, (*at, name, *step))

    def _invent(self, attribute: Attribute, path: Path) -> Value:
        if path == ("id",):
            return self._attribute("id")
        if path == ("tags_all",):
            return merged_tags(self._account, self._row)
        fact = self._facts.computed.get(dotted(path))
        if len(path) == 1 and fact is not None:
            return self._attribute(str(path[0]))
        return empty_of(attribute.type) if fact is None else self.template(fact)

    def _attribute(self, name: str) -> Value:
        """A top attribute's value; an unknown one is made now and kept."""
        value = self._row.get(name)
        if value is not UNKNOWN:
            return value
        self._row[name] = ""  # a template that names itself reads as empty
        fact = (self._facts.id or None) if name == "id" else self._facts.computed.get(name)
        self._row[name] = self.template("sandbox-{hex17}" if fact is None else fact)
        return self._row[name]

    def _text(self, name: str) -> str:
        if name == "region":
            return self._account.region
        if name == "account":
            return self._account.number
        if sized := _SIZED.fullmatch(name):
            size = int(sized[2])
            if sized[1] == "hex":
                return secrets.token_hex(size)[:size]
            return hashlib.sha256(self._seed.encode()).hexdigest()[:size]
        value = self._attribute(name)
        return "" if value is None else str(value)

    def _zones(self, what: str) -> Value:
        zones = self._wanted_zones()
        match what:
            case "zone_names":
                return [zone.name for zone in zones]
            case "zone_ids":
                return [zone.id for zone in zones]
            case "domains":
                # A tenancy's own letters stand before the name, as Oracle has it.
                return [
                    {"compartment_id": "", "id": zone.id, "name": f"sbox:{zone.name}"}
                    for zone in zones
                ]
            case _:
                return [
                    {
                        "id": str(n),
                        "name": zone.name,
                        "description": zone.name,
                        "state": "AVAILABLE",
                    }
                    for n, zone in enumerate(zones, start=1)
                ]

    def _wanted_zones(self) -> list[Zone]:
        """The region's zones after the configuration's filters and exclusions, by name."""
        zones = sorted(self._account.zones(), key=lambda zone: zone.name)
        names = text_values(self._row.get("exclude_names"))
        ids = text_values(self._row.get("exclude_zone_ids"))
        zones = [z for z in zones if z.name not in names and z.id not in ids]
        if isinstance(only := self._row.get("name"), str):
            zones = [z for z in zones if z.name == only]
        filters = self._row.get("filter")
        for item in filters if isinstance(filters, list) else ():
            if isinstance(item, dict):
                wanted = text_values(item.get("values"))
                by_id = item.get("name") == "zone-id"
                if by_id or item.get("name") == "zone-name":
                    zones = [z for z in zones if (z.id if by_id else z.name) in wanted]
        return zones


def answer(answers: tuple[Answer, ...], inventor: Inventor, config: Row) -> Row:
    """The first answer whose `when` fits the configuration, with its templates filled in."""
    from fnmatch import fnmatchcase

    for item in answers:
        if all(fnmatchcase(str(config.get(k)), glob) for k, glob in item.when.items()):
            return {name: inventor.template(value) for name, value in item.set.items()}
    return {}
