"""What the simulated clouds cannot deliver: marks on places and kinds of nodes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

ANY = "*"


class StockReason(StrEnum):
    """Why there are no nodes: nobody has any, or the account may not have more."""

    CAPACITY = "capacity"
    QUOTA = "quota"


class Pattern(NamedTuple):
    """Which nodes are meant; each part is a glob, `zone` one of zone ids."""

    cloud: str
    region: str = ANY
    zone: str = ANY
    instance_type: str = ANY
    capacity_type: str = ANY

    def means(self, other: Pattern) -> bool:
        """Whether every part of this one covers the other's."""
        return all(fnmatchcase(text, glob) for glob, text in zip(self, other, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Of the nodes that `pattern` means, only `remaining` more can be had; mostly none."""

    number: int
    pattern: Pattern
    reason: StockReason
    remaining: int


@dataclass(slots=True)
class Stock:
    """All marks, counting down as nodes are taken; nothing is written until `save`."""

    marks: list[Mark] = field(default_factory=list)

    @classmethod
    def load(cls, db: sqlite3.Connection) -> Stock:
        """The marks as they stand, oldest first."""
        query = (
            "select number, cloud, region, zone, instance_type, capacity_type, reason, remaining"
            " from stock_mark order by number"
        )
        return cls(
            [
                Mark(
                    number=row[0],
                    pattern=Pattern(*row[1:6]),
                    reason=StockReason(row[6]),
                    remaining=row[7],
                )
                for row in db.execute(query)
            ]
        )

    def refusal(self, wanted: Pattern) -> Mark | None:
        """The mark that keeps a node from being had; None when it can be had."""
        return next((m for m in self.marks if m.remaining == 0 and m.pattern.means(wanted)), None)

    def sold_out(self, wanted: Pattern) -> Mark | None:
        """The mark by which the cloud has no such node for anybody; quotas are the account's."""
        mark = self.refusal(wanted)
        return mark if mark is not None and mark.reason is StockReason.CAPACITY else None

    def take(self, wanted: Pattern) -> None:
        """Count a node that was had."""
        self.marks = [
            replace(mark, remaining=mark.remaining - 1)
            if mark.remaining and mark.pattern.means(wanted)
            else mark
            for mark in self.marks
        ]

    def save(self, db: sqlite3.Connection) -> None:
        """Write how many remain."""
        rows = [(mark.remaining, mark.number) for mark in self.marks]
        db.executemany("update stock_mark set remaining = ? where number = ?", rows)


def mark(
    db: sqlite3.Connection,
    pattern: Pattern,
    *,
    at: datetime,
    reason: StockReason = StockReason.CAPACITY,
    remaining: int = 0,
) -> None:
    """Let only `remaining` more of such nodes be had; a mark on the same is replaced."""
    db.execute(
        "delete from stock_mark where cloud = ? and region = ? and zone = ?"
        " and instance_type = ? and capacity_type = ?",
        pattern,
    )
    db.execute(
        "insert into stock_mark(cloud, region, zone, instance_type, capacity_type, reason,"
        " remaining, since) values(?, ?, ?, ?, ?, ?, ?, ?)",
        (*pattern, reason, remaining, at.isoformat()),
    )


def unmark(db: sqlite3.Connection, pattern: Pattern) -> tuple[Mark, ...]:
    """Remove every mark that lies within the pattern; gives those removed."""
    gone = tuple(m for m in Stock.load(db).marks if pattern.means(m.pattern))
    db.executemany("delete from stock_mark where number = ?", [(m.number,) for m in gone])
    return gone
