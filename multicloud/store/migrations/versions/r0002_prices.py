"""Who holds a policy's lock; prices, stock, interruption rates, quotas and what was refreshed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_OFFER = ("target", "cloud", "region", "zone", "instance_type", "capacity_type", "site")


def upgrade() -> None:
    """Add the tables; nothing that is there changes."""
    op.create_table(
        "lock_holders",
        *_text("policy", "run"),
        _instant("since"),
        *_text("who"),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("policy"),
    )
    op.create_table(
        "offers",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        *_text(*_OFFER),
        _instant("seen_at", nullable=True),
        sa.UniqueConstraint(*_OFFER, name="offers_key"),
    )
    _make_prices()
    _make_facts()


def _text(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.String, nullable=False) for name in names]


def _instant(name: str, *, nullable: bool = False) -> sa.Column[object]:
    kind = sa.DateTime(timezone=True).with_variant(sa.String(26), "sqlite")
    return sa.Column(name, kind, nullable=nullable)


def _of_offer(name: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["offer"], ["offers.id"], name=name)


def _make_prices() -> None:
    op.create_table(
        "prices",
        sa.Column("offer", sa.Integer, nullable=False),
        _instant("observed_at"),
        *_text("source"),
        sa.Column("amount", sa.Text, nullable=False),
        *_text("currency"),
        sa.Column("estimate", sa.Boolean, nullable=False),
        sa.Column("accepted", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("offer", "observed_at", "source"),
        _of_offer("prices_offer"),
    )
    op.create_table(
        "looks",
        sa.Column("offer", sa.Integer, nullable=False),
        _instant("looked_at"),
        *_text("source", "stock"),
        sa.Column("score", sa.Integer),
        sa.PrimaryKeyConstraint("offer", "looked_at", "source"),
        _of_offer("looks_offer"),
    )


def _make_facts() -> None:
    rate = ("target", "cloud", "region", "instance_type", "kind")
    op.create_table(
        "rates",
        *_text(*rate),
        sa.Column("months", sa.Integer, nullable=False),
        *_text("upfront", "site"),
        sa.Column("per_hour", sa.Text, nullable=False),
        sa.Column("at_start", sa.Text, nullable=False),
        *_text("currency"),
        _instant("observed_at"),
        *_text("source"),
        sa.PrimaryKeyConstraint(*rate, "months", "upfront", "site"),
    )
    place = ("target", "cloud", "region", "zone", "instance_type")
    op.create_table(
        "interruption_rates",
        *_text(*place),
        sa.Column("low", sa.Text, nullable=False),
        sa.Column("high", sa.Text),
        _instant("observed_at"),
        *_text("source"),
        sa.PrimaryKeyConstraint(*place),
    )
    quota = ("target", "cloud", "region", "zone", "name")
    op.create_table(
        "quotas",
        *_text(*quota),
        sa.Column("quota_json", sa.Text, nullable=False),
        _instant("observed_at"),
        sa.PrimaryKeyConstraint(*quota),
    )
    part = ("target", "cloud", "part")
    op.create_table(
        "refreshes",
        *_text(*part),
        _instant("finished_at"),
        sa.PrimaryKeyConstraint(*part),
    )
