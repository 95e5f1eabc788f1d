"""The store's tables, as SQLAlchemy Core; the newest migration makes exactly these.

Every row belongs to a target, so that nothing learnt in the sandbox is taken for the clouds'.
Columns named `*_json` hold what `store.codec` writes.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from multicloud.store.columns import ExactDecimal, FreeText, UtcInstant

METADATA = MetaData()


def _name(name: str, *, key: bool = True) -> Column[str]:
    return Column(name, String, primary_key=key, nullable=False)


def _instant(name: str, *, optional: bool = False) -> Column[object]:
    return Column(name, UtcInstant, nullable=optional)


RUNS = Table(
    "runs",
    METADATA,
    _name("target"),
    _name("policy"),
    _name("id"),
    Column("kind", String, nullable=False),
    Column("digest", String, nullable=False),
    _instant("at"),
    Column("status", String, nullable=False),
    Column("exit_code", Integer),
    _instant("finished_at", optional=True),
)

DECISIONS = Table(
    "decisions",
    METADATA,
    _name("target"),
    _name("policy"),
    _name("run"),
    _name("pool"),
    _instant("at"),
    Column("action", String, nullable=False),
    Column("cause", String),
    Column("body_json", Text, nullable=False),
    ForeignKeyConstraint(
        ["target", "policy", "run"],
        ["runs.target", "runs.policy", "runs.id"],
        name="decisions_run",
    ),
)

STACKS = Table(
    "stacks",
    METADATA,
    _name("key"),
    _name("target", key=False),
    _name("policy", key=False),
    _name("pool", key=False),
    Column("placement_json", Text, nullable=False),
    Column("status", String, nullable=False),
    Column("text_digest", String, nullable=False),
    Column("engine", String, nullable=False),
    Column("engine_version", String, nullable=False),
    Column("lock_digest", String, nullable=False),
    _instant("applied_at", optional=True),
    Column("image", String),
    Index("stacks_policy", "target", "policy"),
)

LOCK_HOLDERS = Table(
    "lock_holders",
    METADATA,
    _name("policy"),
    Column("run", String, nullable=False),
    _instant("since"),
    Column("who", String, nullable=False),
    Column("pid", Integer, nullable=False),
)

MEMORY = Table(
    "memory",
    METADATA,
    _name("target"),
    _name("policy"),
    _name("pool"),
    Column("memory_json", Text, nullable=False),
)

SET_ASIDES = Table(
    "set_asides",
    METADATA,
    _name("target"),
    _name("policy"),
    _name("cloud"),
    _name("region"),
    _name("zone"),
    _name("instance_type"),
    _name("capacity_type"),
    _name("reason"),
    _instant("since"),
    _instant("until"),
)

OVERRIDES = Table(
    "overrides",
    METADATA,
    _name("target"),
    _name("policy"),
    _name("pool"),
    Column("kind", String, nullable=False),
    _instant("since"),
    _instant("until", optional=True),
    Column("by", String, nullable=False),
)

JOURNAL = Table(
    "journal",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    _name("target", key=False),
    _name("policy", key=False),
    _name("run", key=False),
    _name("stack", key=False),
    Column("kind", String, nullable=False),
    Column("detail_json", Text, nullable=False),
    _instant("begun_at"),
    Column("pid", Integer),
    Column("pid_started", String, nullable=False),
    _instant("ended_at", optional=True),
    Column("outcome", String),
    Column("note", FreeText, nullable=False),
    ForeignKeyConstraint(
        ["target", "policy", "run"],
        ["runs.target", "runs.policy", "runs.id"],
        name="journal_run",
    ),
    Index("journal_open", "target", "policy", "outcome"),
    sqlite_autoincrement=True,
)

USAGE = Table(
    "usage",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    _name("target", key=False),
    _name("policy", key=False),
    _name("pool", key=False),
    _name("place", key=False),
    Column("placement_json", Text, nullable=False),
    Column("nodes", Integer, nullable=False),
    Column("usd_per_node_hour", ExactDecimal),
    Column("start_at", UtcInstant, nullable=False),
    Column("end_at", UtcInstant),
    Index("usage_policy", "target", "policy", "start_at"),
    sqlite_autoincrement=True,
)

# What may be had somewhere, once; prices and looks at its stock refer to it. `seen_at` is the
# last look that still found the newest price.
OFFERS = Table(
    "offers",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    _name("target", key=False),
    _name("cloud", key=False),
    _name("region", key=False),
    _name("zone", key=False),
    _name("instance_type", key=False),
    _name("capacity_type", key=False),
    _name("site", key=False),
    _instant("seen_at", optional=True),
    UniqueConstraint(
        *("target", "cloud", "region", "zone", "instance_type", "capacity_type", "site"),
        name="offers_key",
    ),
)

PRICES = Table(
    "prices",
    METADATA,
    Column("offer", Integer, ForeignKey("offers.id", name="prices_offer"), primary_key=True),
    Column("observed_at", UtcInstant, primary_key=True),
    _name("source"),
    Column("amount", ExactDecimal, nullable=False),
    Column("currency", String, nullable=False),
    Column("estimate", Boolean, nullable=False),
    Column("accepted", Boolean, nullable=False),
)

LOOKS = Table(
    "looks",
    METADATA,
    Column("offer", Integer, ForeignKey("offers.id", name="looks_offer"), primary_key=True),
    Column("looked_at", UtcInstant, primary_key=True),
    _name("source"),
    Column("stock", String, nullable=False),
    Column("score", Integer),
)

RATES = Table(
    "rates",
    METADATA,
    _name("target"),
    _name("cloud"),
    _name("region"),
    _name("instance_type"),
    _name("kind"),
    Column("months", Integer, primary_key=True),
    _name("upfront"),
    _name("site"),
    Column("per_hour", ExactDecimal, nullable=False),
    Column("at_start", ExactDecimal, nullable=False),
    Column("currency", String, nullable=False),
    _instant("observed_at"),
    Column("source", String, nullable=False),
)

INTERRUPTION_RATES = Table(
    "interruption_rates",
    METADATA,
    _name("target"),
    _name("cloud"),
    _name("region"),
    _name("zone"),
    _name("instance_type"),
    Column("low", ExactDecimal, nullable=False),
    Column("high", ExactDecimal),
    _instant("observed_at"),
    Column("source", String, nullable=False),
)

QUOTAS = Table(
    "quotas",
    METADATA,
    _name("target"),
    _name("cloud"),
    _name("region"),
    _name("zone"),
    _name("name"),
    Column("quota_json", Text, nullable=False),
    _instant("observed_at"),
)

REFRESHES = Table(
    "refreshes",
    METADATA,
    _name("target"),
    _name("cloud"),
    _name("part"),
    _instant("finished_at"),
)
