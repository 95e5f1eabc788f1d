"""Names of stacks and resources, and the tags that tell whose a resource is."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputError, RenderError
from multicloud.models.change import StackKey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multicloud.errors import Where
    from multicloud.models.placement import Slot

MANAGED_BY = "multicloud"
OWN_TAGS = ("managed-by", "policy", "pool", "place")
"""Keys that are ours on every resource; in any letter case, since some clouds fold it."""

_SAFE_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")
_DEVICE_NAMES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(10)))
)
_TAIL = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class NameRule:
    """What a cloud lets a resource be called: the strictest of the resources that we make.

    `others` are the characters allowed beside ASCII letters and digits; a name begins with a
    letter and ends with a letter or digit in every cloud.
    """

    max_length: int
    others: str = "-"
    lower_case: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TagRule:
    """What a cloud lets a tag be; lengths count characters.

    `reserved` are beginnings of keys that the cloud keeps for itself, in lower case. `text`
    matches a whole key or value that the cloud takes, `allowed` says the same to people;
    `key_bans` are characters that a key may not have besides, `ascii_keys` is whether it has ASCII
    only.
    `source` is where the cloud says so.
    """

    max_key: int
    min_value: int
    max_value: int
    max_tags: int
    reserved: tuple[str, ...]
    text: re.Pattern[str]
    allowed: str
    source: str
    key_bans: str = ""
    ascii_keys: bool = False


def stack_key(slot: Slot, *, target: str, policy: str, pool: str) -> StackKey:
    """Name the stack of a pool at a place; the same wherever and whenever it is computed.

    Raises: RenderError when a part could name another folder than its own (`..`, `a/b`, `CON`).
    """
    for what, part in (
        ("target", target),
        ("policy", policy),
        ("pool", pool),
        ("region", slot.region),
    ):
        if not _SAFE_PART.match(part) or part.split(".")[0].lower() in _DEVICE_NAMES:
            raise RenderError(
                f"{what} {part!r} cannot be part of a state's name.",
                detail="Letters, digits, `-`, `_` and `.` can, but not a device name.",
            )
    return StackKey(
        target=target,
        policy=policy,
        pool=pool,
        cloud=slot.cloud.value,
        region=slot.region,
        digest=slot.digest,
    )


def resource_name(key: StackKey, rule: NameRule) -> str:
    """Name every resource of a stack: `mc-<policy>-<pool>-<place>-<hash>`.

    Policy and pool are shortened to what fits; the hash is of the whole key, so that two stacks
    never share a name although `a-b` + `c` and `a` + `b-c` read alike.
    """
    tail = hashlib.sha256(str(key).encode()).hexdigest()[:_TAIL]
    fixed = len("mc") + len(key.digest) + len(tail) + 4
    policy, pool = _fit(_clean(key.policy, rule), _clean(key.pool, rule), rule.max_length - fixed)
    return "-".join(("mc", policy, pool, key.digest, tail))


def _clean(text: str, rule: NameRule) -> str:
    allowed = f"A-Za-z0-9{re.escape(rule.others)}"
    text = re.sub(f"[^{allowed}]", "-", text)
    return text.lower() if rule.lower_case else text


def _fit(first: str, second: str, room: int) -> tuple[str, str]:
    """Shorten the longer of two texts, then both, until together they fit into `room`."""
    half = room // 2
    if len(first) + len(second) <= room:
        return first, second
    if len(first) <= half:
        return first, second[: room - len(first)]
    if len(second) <= half:
        return first[: room - len(second)], second
    return first[:half], second[: room - half]


def own_tags(key: StackKey) -> Mapping[str, str]:
    """The tags from which a stack's key can be computed again."""
    return {
        "managed-by": MANAGED_BY,
        "policy": key.policy,
        "pool": key.pool,
        "place": key.digest,
    }


def check_labels(
    labels: tuple[tuple[str, str], ...], rule: TagRule, *, cloud: str, where: Where | None = None
) -> Mapping[str, str]:
    """Return a pool's labels as a mapping, or say which of them `cloud` would refuse and why.

    Raises: InvalidInputError naming the label.
    """
    for name, value in labels:
        fault = _label_fault(name, value, rule, cloud)
        if fault:
            raise InvalidInputError(
                f"label {name!r}: {fault}.",
                hint="Change it under `labels:` of the policy or the pool.",
                where=where,
            )
    room = rule.max_tags - len(OWN_TAGS) - 1
    if len(labels) > room:
        raise InvalidInputError(
            f"{len(labels)} labels are more than the {room} that {cloud} has room for.",
            hint="Remove some under `labels:` of the policy or the pool.",
            where=where,
        )
    return dict(labels)


def _label_fault(name: str, value: str, rule: TagRule, cloud: str) -> str:
    if name.lower() in OWN_TAGS:
        return "this name is one of the program's own tags"
    if not name or len(name) > rule.max_key:
        return f"a name has 1 to {rule.max_key} characters on {cloud}"
    if not rule.min_value <= len(value) <= rule.max_value:
        bounds = f"{rule.min_value} to {rule.max_value}"
        return f"its value has {len(value)} characters, {cloud} takes {bounds}"
    for start in rule.reserved:
        if name.lower().startswith(start):
            return f"names that begin with {start!r} belong to {cloud}"
    banned = sorted(set(name) & set(rule.key_bans))
    if banned:
        return f"{cloud} takes no {banned[0]!r} in a name"
    if rule.ascii_keys and not name.isascii():
        return f"{cloud} takes ASCII only in a name"
    for text in (name, value):
        if not rule.text.fullmatch(text):
            return f"{cloud} does not take {text!r}: it takes {rule.allowed}"
    return ""
