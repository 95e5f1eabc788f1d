"""The first tables: runs, decisions, stacks, memory, set-asides, overrides, journal, usage."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision: str | None = None


def upgrade() -> None:
    """Make the tables in an empty database."""
    _make_runs()
    _make_memory()
    _make_stacks()
    _make_journal()
    _make_usage()


def _text(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.String, nullable=False) for name in names]


def _instant(name: str, *, nullable: bool = False) -> sa.Column[object]:
    kind = sa.DateTime(timezone=True).with_variant(sa.String(26), "sqlite")
    return sa.Column(name, kind, nullable=nullable)


def _of_run(name: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["target", "policy", "run"], ["runs.target", "runs.policy", "runs.id"], name=name
    )


def _make_runs() -> None:
    op.create_table(
        "runs",
        *_text("target", "policy", "id", "kind", "digest"),
        _instant("at"),
        *_text("status"),
        sa.Column("exit_code", sa.Integer),
        _instant("finished_at", nullable=True),
        sa.PrimaryKeyConstraint("target", "policy", "id"),
    )
    op.create_table(
        "decisions",
        *_text("target", "policy", "run", "pool"),
        _instant("at"),
        *_text("action"),
        sa.Column("cause", sa.String),
        sa.Column("body_json", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("target", "policy", "run", "pool"),
        _of_run("decisions_run"),
    )


def _make_memory() -> None:
    op.create_table(
        "memory",
        *_text("target", "policy", "pool"),
        sa.Column("memory_json", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("target", "policy", "pool"),
    )
    place = ("cloud", "region", "zone", "instance_type", "capacity_type", "reason")
    op.create_table(
        "set_asides",
        *_text("target", "policy", *place),
        _instant("since"),
        _instant("until"),
        sa.PrimaryKeyConstraint("target", "policy", *place),
    )
    op.create_table(
        "overrides",
        *_text("target", "policy", "pool", "kind"),
        _instant("since"),
        _instant("until", nullable=True),
        *_text("by"),
        sa.PrimaryKeyConstraint("target", "policy", "pool"),
    )


def _make_stacks() -> None:
    op.create_table(
        "stacks",
        *_text("key", "target", "policy", "pool"),
        sa.Column("placement_json", sa.Text, nullable=False),
        *_text("status", "text_digest", "engine", "engine_version", "lock_digest"),
        _instant("applied_at", nullable=True),
        sa.Column("image", sa.String),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("stacks_policy", "stacks", ["target", "policy"])


def _make_journal() -> None:
    op.create_table(
        "journal",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        *_text("target", "policy", "run", "stack", "kind"),
        sa.Column("detail_json", sa.Text, nullable=False),
        _instant("begun_at"),
        sa.Column("pid", sa.Integer),
        *_text("pid_started"),
        _instant("ended_at", nullable=True),
        sa.Column("outcome", sa.String),
        sa.Column("note", sa.Text, nullable=False),
        _of_run("journal_run"),
        sqlite_autoincrement=True,
    )
    op.create_index("journal_open", "journal", ["target", "policy", "outcome"])


def _make_usage() -> None:
    op.create_table(
        "usage",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        *_text("target", "policy", "pool", "place"),
        sa.Column("placement_json", sa.Text, nullable=False),
        sa.Column("nodes", sa.Integer, nullable=False),
        sa.Column("usd_per_node_hour", sa.Text),
        _instant("start_at"),
        _instant("end_at", nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_index("usage_policy", "usage", ["target", "policy", "start_at"])
