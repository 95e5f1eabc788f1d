"""The store's tables, as SQLAlchemy Core; the newest migration makes exactly these.

Every row belongs to a target, so that nothing learnt in the sandbox is taken for the clouds'.
Columns named `*_json` hold what `store.codec` writes.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

from multicloud.store.columns import ExactDecimal, UtcInstant

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
    Column("note", Text, nullable=False),
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
