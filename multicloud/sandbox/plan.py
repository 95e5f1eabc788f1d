"""What a provider answers when Terraform asks what a change would come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.sandbox.invent import merged_tags
from multicloud.sandbox.values import UNKNOWN, Row, Value
from multicloud.sandbox.walk import Path, complete, differences, dotted, rows_of

if TYPE_CHECKING:
    from multicloud.sandbox.account import Account
    from multicloud.sandbox.facts import ResourceFacts
    from multicloud.sandbox.schema import Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The state after the change, unknowns included, and the paths that force a new resource."""

    row: Row
    replaces: tuple[Path, ...] = ()


def _settle(block: Block, row: Row, facts: ResourceFacts, at: Path, *, computed: bool) -> None:
    """Put defaults for null arguments and, with `computed`, unknowns for null results."""
    for name, attribute in block.attributes.items():
        if row.get(name) is not None:
            continue
        default: Value = facts.defaults.get(dotted((*at, name)))
        if default is not None:
            row[name] = default
        elif computed and attribute.computed:
            row[name] = UNKNOWN
    for name, nested in block.blocks.items():
        for step, inner in rows_of(nested, row.get(name)):
            _settle(nested.block, inner, facts, (*at, name, *step), computed=computed)


def _forces(path: Path, replaces: frozenset[str]) -> bool:
    """Whether a change at the path, at something above or (in a set) below makes a new one."""
    names = [step for step in path if isinstance(step, str)]
    above = {".".join(names[: n + 1]) for n in range(len(names))}
    whole = ".".join(names) + "."
    return bool(above & replaces) or any(item.startswith(whole) for item in replaces)


def plan_change(
    block: Block, facts: ResourceFacts, account: Account, *, prior: Row | None, proposed: Row
) -> Planned:
    """Plan a create (`prior` None) or an update; a destroy needs no planning.

    `proposed` is Terraform's merge of configuration and prior state.
    """
    row = complete(block, proposed)
    if "tags_all" in block.attributes:
        row["tags_all"] = merged_tags(account, row)
    if prior is None:
        _settle(block, row, facts, (), computed=True)
        return Planned(row=row)
    _settle(block, row, facts, (), computed=False)
    changed = tuple(differences(block, complete(block, prior), row))
    if not changed:
        return Planned(row=prior)
    _settle(block, row, facts, (), computed=True)
    for name in facts.counters:
        row[name] = UNKNOWN
    return Planned(row=row, replaces=tuple(p for p in changed if _forces(p, facts.replaces)))
