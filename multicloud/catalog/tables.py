"""The package's own CSV tables, read as text rows; the only IO of the catalogue."""

from __future__ import annotations

import csv
import pkgutil
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Source(NamedTuple):
    """Where rows come from: a short title for people, the document, its licence."""

    key: str
    title: str
    document: str
    licence: str


def read_table(name: str) -> Iterator[list[str]]:
    """Rows of `catalog/data/<name>` in file order, without the header row."""
    # Not importlib.resources: it costs 15 ms to import, more than reading the tables.
    data = pkgutil.get_data("multicloud.catalog", f"data/{name}")
    if data is None:  # a loader that cannot read data
        raise FileNotFoundError(name)
    rows = csv.reader(data.decode("utf-8").splitlines())
    next(rows)
    return rows


@cache
def sources() -> dict[str, Source]:
    """Every source that a bundled row may name, by its key."""
    return {row[0]: Source(*row) for row in read_table("sources.csv")}
