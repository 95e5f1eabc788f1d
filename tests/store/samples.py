"""Values for tests of the store, and strategies that follow the models' annotations."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import is_dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from multicloud.models.change import StackKey
from multicloud.models.memory import Override, OverrideKind, SetAside, SetAsideReason
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.placement import NodePrice, Placement, Slot
from multicloud.models.quote import PriceState
from multicloud.models.run import RecordedStack, RunKind, RunRecord, StackStatus
from multicloud.store.codec import hints_of
from tests.builders import NOON

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)

NAMED = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
"""What a name may hold; no policy and no cloud has a NUL in one, and PostgreSQL takes none."""

SCALARS: dict[object, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: st.integers(min_value=-(2**53), max_value=2**53),
    str: st.text(NAMED, max_size=8),
    object: st.none() | st.booleans() | st.text(NAMED, max_size=4),
    Decimal: st.decimals(allow_nan=False, allow_infinity=False),
    Fraction: st.fractions(),
    datetime: st.datetimes(timezones=st.just(UTC)),
    type(None): st.none(),
}


def any_of(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of a model or of an annotation in one."""
    if kind in SCALARS:
        return SCALARS[kind]
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return st.one_of([any_of(part) for part in parts])
    if origin is tuple:
        return st.lists(any_of(parts[0]), max_size=3).map(tuple)
    if origin is Mapping:
        return st.dictionaries(any_of(parts[0]), any_of(parts[1]), max_size=3)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        return st.builds(kind, **{name: any_of(hint) for name, hint in hints_of(kind).items()})
    return st.builds(kind, *(any_of(hint) for hint in hints_of(kind).values()))


def a_placement(
    *, nodes: int = 2, region: str = "us-east-1", usd: str | None = "7.245"
) -> Placement:
    """Spot p4d.24xlarge in one region."""
    return Placement(
        slot=Slot(
            cloud=Cloud.AWS,
            region=region,
            zones=("use1-az1",),
            instance_type="p4d.24xlarge",
            capacity_type=CapacityType.SPOT,
        ),
        nodes=nodes,
        gpu="A100-40GB",
        gpus_per_node=Fraction(8),
        price=NodePrice(
            usd=None if usd is None else Decimal(usd),
            state=PriceState.FRESH,
            observed_at=NOON,
            source="test",
        ),
    )


def a_key(*, target: str = "sandbox", policy: str = "daynight", pool: str = "training") -> StackKey:
    """The stack of `a_placement()`."""
    slot = a_placement().slot
    return StackKey(
        target=target,
        policy=policy,
        pool=pool,
        cloud=slot.cloud,
        region=slot.region,
        digest=slot.digest,
    )


def a_stack(
    key: StackKey | None = None, *, status: StackStatus = StackStatus.APPLIED
) -> RecordedStack:
    """A stack that was applied at noon."""
    return RecordedStack(
        key=key or a_key(),
        placement=a_placement(),
        status=status,
        text_digest="t" * 8,
        engine="terraform",
        engine_version="1.11.4",
        applied_at=NOON,
    )


def a_run(
    run: str = "20260504-1200-abcd", *, policy: str = "daynight", at: datetime = NOON
) -> RunRecord:
    """An apply that has just begun."""
    return RunRecord(id=run, policy=policy, kind=RunKind.APPLY, digest="d" * 8, at=at)


def a_mark(
    *,
    since: datetime = NOON,
    lasts: timedelta = 30 * MINUTE,
    reason: SetAsideReason = SetAsideReason.NO_CAPACITY,
) -> SetAside:
    """A zone set aside at noon for half an hour."""
    return SetAside(
        cloud=Cloud.AWS,
        region="us-east-1",
        zone="use1-az1",
        instance_type="p4d.24xlarge",
        capacity_type=CapacityType.SPOT,
        reason=reason,
        since=since,
        until=since + lasts,
    )


def an_override(
    kind: OverrideKind = OverrideKind.OFF, *, since: datetime = NOON, until: datetime | None = None
) -> Override:
    """`off` until released."""
    return Override(kind=kind, since=since, until=until, by="ann@laptop")
