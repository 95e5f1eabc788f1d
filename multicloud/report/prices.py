"""What the `prices` commands say."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from multicloud.report.prices_line import MARK
from multicloud.report.scalars import SCHEMA_VERSION, number, stamp
from multicloud.report.text import Column, money, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime
    from decimal import Decimal

    from multicloud.catalog.market import Priced
    from multicloud.errors import CloudError
    from multicloud.models.offer import Cloud, OfferKey
    from multicloud.run.price_files import Imported
    from multicloud.run.refresh import Refreshed
    from multicloud.store.prices import History

SHOWN = 5


def refreshed_text(done: Refreshed) -> str:
    """One line per cloud, then what failed or was left out."""
    columns = (
        Column("CLOUD"),
        *(Column(title, right=True) for title in ("READ", "SKIPPED", "NEW", "SAME", "FAILED")),
    )
    rows = [
        [
            cloud,
            *(f"{n:,}" for n in (one.read, one.skipped, one.new, one.same, len(one.failed))),
        ]
        for cloud, one in done.clouds.items()
    ]
    lines = [table(columns, rows)] if rows else ["No cloud's prices can be read here."]
    for cloud, one in done.clouds.items():
        lines += _failures(cloud, one.failed)
        lines += [f"!  {cloud}: left out: {text}" for text in one.rejected[:SHOWN]]
        if len(one.rejected) > SHOWN:
            lines.append(f"!  {cloud}: {len(one.rejected) - SHOWN} more kinds of rows left out.")
    return "\n".join(lines)


def _failures(cloud: Cloud, failed: Mapping[str, CloudError]) -> Iterator[str]:
    """Parts that failed alike together: what is wrong is mostly wrong everywhere."""
    alike: dict[str, list[str]] = {}
    for part, error in sorted(failed.items()):
        alike.setdefault(str(error), []).append(part)
    for text, (first, *others) in list(alike.items())[:SHOWN]:
        more = f" and {len(others)} more" if others else ""
        yield f"!  {cloud}{f'/{first}' if first else ''}{more}: {text}"
    if len(alike) > SHOWN:
        yield f"!  {cloud}: parts failed in {len(alike) - SHOWN} more ways."


def refreshed_document(done: Refreshed) -> dict[str, object]:
    """The same as data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "at": stamp(done.at),
        "clouds": {
            cloud: {
                "read": one.read,
                "skipped": one.skipped,
                "new": one.new,
                "same": one.same,
                "rejected": list(one.rejected),
                "failed": {
                    part: {"summary": error.summary, "code": error.code, "hint": error.hint}
                    for part, error in one.failed.items()
                },
            }
            for cloud, one in done.clouds.items()
        },
        "exit_code": int(done.exit_code),
    }


def shown_text(found: Sequence[Priced], now: datetime, *, limit: int) -> str:
    """Offers with their prices, then how many more there are."""
    columns = (
        Column("PLACE", shrinks=True),
        Column("TYPE", shrinks=True),
        Column(""),
        Column("PER NODE-H", right=True),
        Column("USD/node-h", right=True),
        Column("AGE", right=True),
        Column("SOURCE", shrinks=True),
    )
    rows = [_shown(priced, now) for priced in found[:limit]]
    lines = [table(columns, rows)] if rows else []
    more = len(found) - len(rows)
    lines.append(f"{len(found)} offers." + (f" {more} more not shown (--limit)." if more else ""))
    lines += [
        f"!  {_place(priced.key)} {priced.key.instance_type}: {priced.doubted.amount}"
        f" {priced.doubted.currency} awaits confirmation; run: multicloud prices accept"
        for priced in found[:limit]
        if priced.doubted
    ]
    return "\n".join(lines)


def shown_document(found: Sequence[Priced], now: datetime, *, limit: int) -> dict[str, object]:
    """The same as data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "at": stamp(now),
        "count": len(found),
        "prices": [_body(priced) for priced in found[:limit]],
        "exit_code": 0,
    }


def history_text(found: Sequence[History], start: datetime, end: datetime) -> str:
    """Every change of price."""
    columns = (
        Column("SINCE"),
        Column("PLACE", shrinks=True),
        Column("TYPE", shrinks=True),
        Column(""),
        Column("PER NODE-H", right=True),
        Column("SOURCE", shrinks=True),
    )
    rows = [
        [
            f"{one.quote.observed_at:%Y-%m-%d %H:%M}Z",
            _place(one.key),
            one.key.instance_type,
            one.key.capacity_type,
            f"{_plain(one.quote.amount)} {one.quote.currency}",
            one.quote.source,
        ]
        for one in found
    ]
    lines = [table(columns, rows)] if rows else []
    lines.append(f"{len(found):,} prices from {start:%Y-%m-%d} to {end:%Y-%m-%d}.")
    return "\n".join(lines)


def history_document(found: Sequence[History], start: datetime, end: datetime) -> dict[str, object]:
    """The same as data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "from": stamp(start),
        "to": stamp(end),
        "prices": [
            {
                **_key(one.key),
                "site": one.site,
                "amount": number(one.quote.amount),
                "currency": one.quote.currency,
                "observed_at": stamp(one.quote.observed_at),
                "source": one.quote.source,
                "estimate": one.quote.estimate,
                "accepted": one.quote.accepted,
            }
            for one in found
        ],
        "exit_code": 0,
    }


def accepted_text(done: Sequence[OfferKey]) -> str:
    """Which prices are believed from now on."""
    if not done:
        return "No price of these is in quarantine."
    return "\n".join(
        f"accepted {_place(key)} {key.instance_type} {key.capacity_type}" for key in done
    )


def accepted_document(done: Sequence[OfferKey]) -> dict[str, object]:
    """The same as data."""
    accepted = [_key(key) for key in done]
    return {"schema_version": SCHEMA_VERSION, "accepted": accepted, "exit_code": 0}


def imported_text(done: Imported) -> str:
    """How much came in, and what did not."""
    lines = [
        (
            f"{done.points:,} prices read, {done.new_points:,} new; "
            f"{done.looks:,} looks at stock, {done.new_looks:,} new."
        )
    ]
    lines += [f"!  left out: {text}" for text in done.rejected[:SHOWN]]
    if len(done.rejected) > SHOWN:
        lines.append(f"!  {len(done.rejected) - SHOWN:,} more left out.")
    return "\n".join(lines)


def imported_document(done: Imported) -> dict[str, object]:
    """The same as data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "points": done.points,
        "new_points": done.new_points,
        "looks": done.looks,
        "new_looks": done.new_looks,
        "rejected": list(done.rejected),
        "exit_code": int(done.exit_code),
    }


def _shown(priced: Priced, now: datetime) -> list[str]:
    price, key = priced.price, priced.key
    age = _age(now - price.observed_at) if price.observed_at else "-"
    own = "-" if price.amount is None else f"{_plain(price.amount)} {price.currency}"
    return [
        _place(key),
        key.instance_type,
        key.capacity_type,
        own,
        money(price.usd),
        age,
        f"{price.source}{MARK[price.state]}",
    ]


def _body(priced: Priced) -> dict[str, object]:
    price = priced.price
    doubted = priced.doubted
    return {
        **_key(priced.key),
        "amount": number(price.amount),
        "currency": price.currency,
        "usd_per_node_hour": number(price.usd),
        "price_state": price.state,
        "price_observed_at": stamp(price.observed_at),
        "price_source": price.source or None,
        "quarantined": None
        if doubted is None
        else {"amount": number(doubted.amount), "observed_at": stamp(doubted.observed_at)},
    }


def _key(key: OfferKey) -> dict[str, object]:
    return {
        "cloud": key.cloud,
        "region": key.region,
        "zone": key.zone or None,
        "instance_type": key.instance_type,
        "capacity_type": key.capacity_type,
    }


def _place(key: OfferKey) -> str:
    return "/".join(part for part in (key.cloud, key.region, key.zone) if part)


def _plain(amount: Decimal) -> str:
    return f"{amount.normalize():f}"


def _age(age: timedelta) -> str:
    """The two largest units: `3 d 4 h`, `12 min`."""
    minutes = max(age, timedelta(0)) // timedelta(minutes=1)
    days, hours = divmod(minutes // 60, 24)
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"
