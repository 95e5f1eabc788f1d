"""A fault plan: what goes wrong when, on the sandbox's own clock, each entry once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputError, Where
from multicloud.models.offer import Cloud
from multicloud.policy.yaml_source import Mapping, Node, Scalar, Sequence, parse
from multicloud.sandbox.faults import evict, throttle
from multicloud.sandbox.nodes import stamp
from multicloud.sandbox.stock import ANY, Pattern, StockReason, mark, unmark

if TYPE_CHECKING:
    import sqlite3


class Deed(StrEnum):
    """What an entry of a fault plan does."""

    EVICT = "evict"
    UNAVAILABLE = "unavailable"
    AVAILABLE = "available"
    THROTTLE = "throttle"


KEYS = {
    Deed.EVICT: ("pool", "count", "any_capacity", "no_refill"),
    Deed.UNAVAILABLE: ("cloud", "region", "zone", "type", "capacity", "quota", "remaining"),
    Deed.AVAILABLE: ("cloud", "region", "zone", "type", "capacity"),
    Deed.THROTTLE: ("cloud", "times"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry: an instant, a deed and its arguments as texts."""

    at: datetime
    deed: Deed
    arguments: dict[str, str]


def read_plan(text: str, *, file: str) -> tuple[Event, ...]:
    """A list of `{at: INSTANT, do: DEED, ...}` in YAML.

    Raises:
        InvalidInputError: with the place of the first entry that cannot be read.
    """
    root = parse(text, file=file)
    if not isinstance(root, Sequence):
        raise _fault(root, "expected a list of {at, do, ...}")
    return tuple(_event(item) for item in root.items)


def add_plan(db: sqlite3.Connection, events: tuple[Event, ...], now: datetime) -> int:
    """Schedule the entries; one that is scheduled already is not doubled. Gives how many new."""
    added = 0
    for event in events:
        arguments = json.dumps(event.arguments, sort_keys=True)
        key = f"{stamp(event.at)} {event.deed} {arguments}"
        cursor = db.execute(
            "insert or ignore into fault_plan(at, added_at, action, arguments, key)"
            " values(?, ?, ?, ?, ?)",
            (stamp(event.at), stamp(now), event.deed, arguments, key),
        )
        added += cursor.rowcount
    return added


def run_due(db: sqlite3.Connection, now: datetime) -> None:
    """Do what is due by `now` and not done yet, in order of time, inside the transaction."""
    query = (
        "select number, at, action, arguments from fault_plan"
        " where done_at is null and at <= ? order by at, number"
    )
    for number, at, action, arguments in db.execute(query, (stamp(now),)).fetchall():
        event = Event(
            at=datetime.fromisoformat(at), deed=Deed(action), arguments=json.loads(arguments)
        )
        outcome = do(db, event)
        db.execute(
            "update fault_plan set done_at = ?, outcome = ? where number = ?",
            (stamp(now), outcome, number),
        )


def do(db: sqlite3.Connection, event: Event) -> str:
    """Do one entry; tells what came of it. An eviction that finds nobody is no failure."""
    said = event.arguments
    if event.deed is Deed.EVICT:
        try:
            gone = evict(
                db,
                event.at,
                pool=said.get("pool", ""),
                count=int(said["count"]) if "count" in said else None,
                any_capacity=said.get("any_capacity") == "true",
                refill=said.get("no_refill") != "true",
            )
        except InvalidInputError as error:
            return error.summary
        return f"evicted {', '.join(gone)}"
    if event.deed is Deed.THROTTLE:
        throttle(db, Cloud(said["cloud"]), int(said.get("times", "1")))
        return f"throttled {said['cloud']}"
    pattern = pattern_of(said)
    if event.deed is Deed.AVAILABLE:
        return f"{len(unmark(db, pattern))} marks removed"
    reason = StockReason.QUOTA if said.get("quota") == "true" else StockReason.CAPACITY
    mark(db, pattern, at=event.at, reason=reason, remaining=int(said.get("remaining", "0")))
    return "marked"


def pattern_of(said: dict[str, str]) -> Pattern:
    """Which nodes a mark is about; what is not said is anything."""
    return Pattern(
        Cloud(said["cloud"]),
        said.get("region", ANY),
        said.get("zone", ANY),
        said.get("type", ANY),
        said.get("capacity", ANY),
    )


def _event(node: Node) -> Event:
    if not isinstance(node, Mapping):
        raise _fault(node, "expected {at: INSTANT, do: DEED, ...}")
    said: dict[str, str] = {}
    for key, value in node.entries:
        if not isinstance(value, Scalar):
            raise _fault(value, f'"{key.text}" is no text')
        said[key.text] = value.text
    at, deed = said.pop("at", ""), said.pop("do", "")
    if deed not in set(Deed):
        raise _fault(node, f'unknown deed "{deed}"; expected {", ".join(Deed)}')
    kind = Deed(deed)
    unknown = sorted(set(said) - set(KEYS[kind]))
    if unknown:
        raise _fault(node, f'unknown key "{unknown[0]}"; expected {", ".join(KEYS[kind])}')
    _check(node, kind, said)
    try:
        instant = datetime.fromisoformat(at)
    except ValueError:
        raise _fault(node, f'"{at}" is no instant; expected like 2026-12-01T10:00:00Z') from None
    if instant.tzinfo is None:
        raise _fault(node, f'"{at}" needs an offset or Z')
    return Event(at=instant, deed=kind, arguments=said)


def _check(node: Node, deed: Deed, said: dict[str, str]) -> None:
    needed = "pool" if deed is Deed.EVICT else "cloud"
    if not said.get(needed):
        raise _fault(node, f'{deed} needs "{needed}"')
    if needed == "cloud" and said["cloud"] not in set(Cloud):
        raise _fault(node, f'unknown cloud "{said["cloud"]}"; expected {", ".join(Cloud)}')
    for name in ("count", "times", "remaining"):
        if name in said and not (said[name].isascii() and said[name].isdecimal()):
            raise _fault(node, f'"{name}: {said[name]}" is no whole number')


def _fault(node: Node, problem: str) -> InvalidInputError:
    where = node.where
    return InvalidInputError(
        f"fault plan: {problem}",
        where=Where(file=where.file, line=where.line, column=where.column),
    )
