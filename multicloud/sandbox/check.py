"""What a provider refuses before it asks its cloud, and what the cloud refuses at apply."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, NamedTuple

from multicloud.sandbox.values import UNKNOWN, Row, Value
from multicloud.sandbox.walk import Path, find, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multicloud.sandbox.facts import ResourceFacts
    from multicloud.sandbox.schema import Block


class Finding(NamedTuple):
    """One reason to refuse a configuration."""

    summary: str
    detail: str = ""
    path: Path = ()


def check_configuration(block: Block, facts: ResourceFacts, config: Row) -> Iterator[Finding]:
    """Faults that `terraform validate` shows; names, types and item counts it checks itself."""
    yield from _results_given(block, config, ())
    yield from _values(facts, config)
    yield from _combinations(facts, config)


def _results_given(block: Block, row: Row, at: Path) -> Iterator[Finding]:
    for name, attribute in block.attributes.items():
        if attribute.computed and not attribute.optional and row.get(name) is not None:
            shown = ".".join(str(step) for step in (*at, name))
            yield Finding(
                "Value for unconfigurable attribute",
                f'"{shown}" is decided by the cloud; it cannot be given a value.',
                (*at, name),
            )
    for name, nested in block.blocks.items():
        for step, inner in rows_of(nested, row.get(name)):
            yield from _results_given(nested.block, inner, (*at, name, *step))


def _is_given(value: Value) -> bool:
    return value is not None and value is not UNKNOWN


def _values(facts: ResourceFacts, config: Row) -> Iterator[Finding]:
    for dotted, allowed in facts.one_of.items():
        for path, _, value in find(config, dotted):
            if _is_given(value) and value not in allowed:
                words = " ".join(f'"{item}"' for item in allowed)
                yield Finding(f"expected {dotted} to be one of [{words}], got {value}", path=path)
    for dotted, (low, high) in facts.ranges.items():
        for path, _, value in find(config, dotted):
            if isinstance(value, (int, float)) and not low <= value <= high:
                summary = f"expected {dotted} to be in the range ({low:g} - {high:g}), got {value}"
                yield Finding(summary, path=path)


def _states(config: Row, names: tuple[str, ...]) -> tuple[list[str], bool]:
    """Which of the arguments are given, and whether any is not known yet."""
    given, unknown = [], False
    for name in names:
        value = config.get(name)
        unknown = unknown or value is UNKNOWN
        if _is_given(value) and value not in ([], {}):
            given.append(name)
    return given, unknown


def _combinations(facts: ResourceFacts, config: Row) -> Iterator[Finding]:
    for names in facts.conflicts:
        given, _ = _states(config, names)
        if len(given) > 1:
            detail = f'"{given[0]}": conflicts with {", ".join(given[1:])}'
            yield Finding("Conflicting configuration arguments", detail, (given[0],))
    for names in facts.exactly_one:
        given, unknown = _states(config, names)
        if len(given) > 1 or not (given or unknown):
            detail = f"exactly one of `{', '.join(names)}` must be given"
            yield Finding("Invalid combination of arguments", detail, (names[0],))
    for names in facts.at_least_one:
        given, unknown = _states(config, names)
        if not (given or unknown):
            detail = f"one of `{', '.join(names)}` must be given"
            yield Finding("Missing required argument", detail, (names[0],))


def refusal(facts: ResourceFacts, row: Row) -> str | None:
    """The cloud's own error for a request that no plan shows to be wrong; None if it is fine."""
    for need in facts.needs:
        applies = all(row.get(name) == value for name, value in need.when.items())
        if applies and any(row.get(name) in (None, "", []) for name in need.need):
            return need.message
    for ban in facts.refused:
        applies = all(row.get(name) == value for name, value in ban.when.items())
        if applies and any(row.get(name) not in (None, "") for name in ban.unset):
            return ban.message
    sizes = [row[name] for name in facts.ascending if isinstance(row.get(name), (int, float))]
    if sizes != sorted(sizes, key=float_of):
        return facts.ascending_error
    for name in facts.base64:
        value = row.get(name)
        if isinstance(value, str) and value and not _is_base64(value):
            return facts.base64_error
    return None


def float_of(value: Value) -> float:
    """A number's sort key; what is no number sorts first."""
    return float(value) if isinstance(value, (int, float)) else float("-inf")


def _is_base64(value: str) -> bool:
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True
