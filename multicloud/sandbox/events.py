"""A fault plan: what goes wrong when, on the sandbox's own clock, each entry once."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputError, Where
from multicloud.models.offer import Cloud
from multicloud.policy.yaml_source import Mapping, Node, Scalar, Sequence, parse
from multicloud.sandbox.faults import (
    CHANGE,
    INVENTORY,
    ApiError,
    check_failure,
    evict,
    fail,
    throttle,
)
from multicloud.sandbox.nodes import check_boot_s, set_boot_s, settle, stamp
from multicloud.sandbox.places import pattern_of
from multicloud.sandbox.stock import StockReason, mark, unmark

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable


class Deed(StrEnum):
    """What an entry of a fault plan does."""

    EVICT = "evict"
    UNAVAILABLE = "unavailable"
    AVAILABLE = "available"
    THROTTLE = "throttle"
    FAIL = "fail"
    BOOT = "boot"


_PLACE = ("cloud", "region", "zone", "type", "capacity")
KEYS = {
    Deed.EVICT: ("pool", "place", "node", "count", "any_capacity", "no_refill"),
    Deed.UNAVAILABLE: (*_PLACE, "quota", "remaining"),
    Deed.AVAILABLE: _PLACE,
    Deed.THROTTLE: ("cloud", "times", "operation"),
    Deed.FAIL: ("type", "operation", "error", "text", "times", "cloud", "region"),
    Deed.BOOT: ("seconds",),
}
_TARGETS = ("pool", "place", "node")
_NEEDS = {
    Deed.UNAVAILABLE: ("cloud",),
    Deed.AVAILABLE: ("cloud",),
    Deed.THROTTLE: ("cloud",),
    Deed.FAIL: ("type", "operation"),
    Deed.BOOT: ("seconds",),
}
_NUMBERS = ("count", "times", "remaining", "seconds")
_TRUTHS = ("any_capacity", "no_refill", "quota")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry: an instant, a deed and its arguments as texts."""

    at: datetime
    deed: Deed
    arguments: dict[str, str]

    def __str__(self) -> str:
        """As a line for people."""
        said = " ".join(f"{name}={text}" for name, text in self.arguments.items())
        return f"{self.at:%Y-%m-%d %H:%M:%S}Z {self.deed} {said}"


def read_plan(text: str, *, file: str) -> tuple[Event, ...]:
    """A list of `{at: INSTANT, do: DEED, ...}` in YAML or JSON.

    Raises:
        InvalidInputError: with the place of the first entry that cannot be read.
    """
    root = parse(text, file=file)
    if not isinstance(root, Sequence):
        raise _fault(root, "expected a list of {at, do, ...}")
    return tuple(_event(item) for item in root.items)


def add_plan(db: sqlite3.Connection, events: Iterable[Event], now: datetime) -> int:
    """Schedule the entries; gives how many are new.

    A plan that is given again adds nothing, done or not; an entry that stands in it twice is
    done twice.
    """
    added = 0
    seen: Counter[str] = Counter()
    for event in events:
        arguments = json.dumps(event.arguments, sort_keys=True)
        key = f"{stamp(event.at)} {event.deed} {arguments}"
        seen[key] += 1
        cursor = db.execute(
            "insert or ignore into fault_plan(at, added_at, action, arguments, key)"
            " values(?, ?, ?, ?, ?)",
            (stamp(event.at), stamp(now), event.deed, arguments, f"{key} {seen[key]}"),
        )
        added += cursor.rowcount
    return added


def scheduled(db: sqlite3.Connection) -> tuple[Event, ...]:
    """The entries that are not done yet, in order of time."""
    query = "select at, action, arguments from fault_plan where done_at is null order by at, number"
    return tuple(_read(row) for row in db.execute(query))


def is_due(db: sqlite3.Connection, now: datetime) -> bool:
    """Whether an entry waits to be done."""
    query = "select 1 from fault_plan where done_at is null and at <= ? limit 1"
    return db.execute(query, (stamp(now),)).fetchone() is not None


def advance(db: sqlite3.Connection, now: datetime) -> None:
    """Let the clouds live on until `now`, inside the caller's write transaction.

    Entries act in order of time, and between them groups fill up, as if somebody had looked at
    each one's instant: what comes of a plan does not depend on when anybody looks. An entry
    that was scheduled when its instant had passed acts at the instant of its scheduling.
    """
    query = (
        "select number, added_at, at, action, arguments from fault_plan"
        " where done_at is null and at <= ? order by at, number"
    )
    for number, added_at, *row in db.execute(query, (stamp(now),)).fetchall():
        event = _read(row)
        at = min(max(event.at, datetime.fromisoformat(added_at)), now)
        outcome = _do(db, event, at)
        settle(db, at)
        db.execute(
            "update fault_plan set done_at = ?, outcome = ? where number = ?",
            (stamp(now), outcome, number),
        )
    settle(db, now)


def _read(row: Iterable[str]) -> Event:
    at, action, arguments = row
    return Event(at=datetime.fromisoformat(at), deed=Deed(action), arguments=json.loads(arguments))


def _do(db: sqlite3.Connection, event: Event, at: datetime) -> str:
    """Do one entry; tells what came of it. One that finds nothing to act on is no failure."""
    said = event.arguments
    try:
        match event.deed:
            case Deed.EVICT:
                gone = evict(
                    db,
                    at,
                    target=next(said[name] for name in _TARGETS if name in said),
                    count=int(said["count"]) if "count" in said else None,
                    any_capacity=said.get("any_capacity") == "true",
                    refill=said.get("no_refill") != "true",
                )
                return f"evicted {', '.join(gone)}"
            case Deed.THROTTLE:
                throttle(
                    db,
                    Cloud(said["cloud"]),
                    int(said.get("times", "1")),
                    operation=said.get("operation", CHANGE),
                )
                return f"throttled {said['cloud']}"
            case Deed.FAIL:
                return f"calls fail with {_fail(db, said)}"
            case Deed.BOOT:
                set_boot_s(db, float(said["seconds"]))
                return f"nodes boot for {said['seconds']} s"
            case Deed.AVAILABLE:
                return f"{len(unmark(db, pattern_of(said)))} marks removed"
            case Deed.UNAVAILABLE:
                is_quota = said.get("quota") == "true"
                mark(
                    db,
                    pattern_of(said),
                    at=at,
                    reason=StockReason.QUOTA if is_quota else StockReason.CAPACITY,
                    remaining=int(said.get("remaining", "0")),
                )
                return "marked"
    except InvalidInputError as error:
        return error.summary


def _fail(db: sqlite3.Connection, said: dict[str, str]) -> str:
    return fail(
        db,
        said["type"],
        said["operation"],
        error=ApiError(said.get("error", ApiError.INTERNAL)),
        text=said.get("text", ""),
        times=int(said.get("times", "1")),
        cloud=Cloud(said["cloud"]) if "cloud" in said else None,
        region=said.get("region", ""),
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
    """Refuse what could not be done at its instant, as long as somebody is there to be told."""
    targets = [name for name in _TARGETS if said.get(name)]
    if deed is Deed.EVICT and len(targets) != 1:
        raise _fault(node, f"evict needs one of {', '.join(_TARGETS)}")
    for name in _NEEDS.get(deed, ()):
        if not said.get(name):
            raise _fault(node, f'{deed} needs "{name}"')
    _check_words(node, said)
    try:
        if "cloud" in said:
            pattern_of(said if deed in (Deed.UNAVAILABLE, Deed.AVAILABLE) else _cloud(said))
        if "operation" in said:
            check_failure(said.get("type", INVENTORY), said["operation"])
        if deed is Deed.BOOT:
            check_boot_s(float(said["seconds"]))
    except InvalidInputError as error:
        raise _fault(node, str(error)) from error


def _check_words(node: Node, said: dict[str, str]) -> None:
    for name in _NUMBERS:
        if name in said and not (said[name].isascii() and said[name].isdecimal()):
            raise _fault(node, f'"{name}: {said[name]}" is no whole number')
    for name in _TRUTHS:
        if said.get(name, "true") not in ("true", "false"):
            raise _fault(node, f'"{name}: {said[name]}" is neither true nor false')
    if "error" in said and said["error"] not in set(ApiError):
        raise _fault(node, f'unknown error "{said["error"]}"; expected {", ".join(ApiError)}')


def _cloud(said: dict[str, str]) -> dict[str, str]:
    return {"cloud": said["cloud"]}


def _fault(node: Node, problem: str) -> InvalidInputError:
    where = node.where
    return InvalidInputError(
        f"fault plan: {problem}",
        where=Where(file=where.file, line=where.line, column=where.column),
    )
