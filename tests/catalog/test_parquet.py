from __future__ import annotations

import sys
from decimal import Decimal

import pytest

from multicloud.catalog.parquet import read_prices_parquet
from multicloud.errors import CatalogError


def test_without_the_library_one_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # None in sys.modules makes the import fail as if the library were absent.
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(CatalogError) as caught:
        read_prices_parquet(b"PAR1", file="prices.parquet")
    assert "multicloud[parquet]" in caught.value.hint
    assert "prices.parquet" in str(caught.value)


class Column(list[object]):
    """Stands for the library's column."""

    def to_pylist(self) -> list[object]:
        return list(self)


class Table:
    """Stands for the library's table."""

    def __init__(self, columns: dict[str, list[object]]) -> None:
        self.column_names = list(columns)
        self.columns = [Column(values) for values in columns.values()]


class Library:
    """Stands for `pyarrow.parquet`: reads nothing, answers with a table or an error."""

    def __init__(self, answer: Table | Exception) -> None:
        self.answer = answer

    def read_table(self, source: object) -> Table:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def use(monkeypatch: pytest.MonkeyPatch, answer: Table | Exception) -> None:
    library = Library(answer)
    monkeypatch.setitem(sys.modules, "pyarrow", library)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", library)


def a_table(*amounts: object) -> Table:
    count = len(amounts)
    return Table(
        {
            "cloud": ["aws"] * count,
            "region": ["us-east-1"] * count,
            "zone": [f"use1-az{i}" for i in range(1, count + 1)],
            "instance_type": ["p4d.24xlarge"] * count,
            "capacity_type": ["spot"] * count,
            "amount": list(amounts),
            "unit": ["usd_per_hour"] * count,
            "currency": ["USD"] * count,
            "observed_at": ["2026-05-04"] * count,
        }
    )


def test_amounts_of_any_type_are_taken_at_their_shortest_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use(monkeypatch, a_table("9.80", 0.1, Decimal("3.670"), 7e-05, 3))
    found = read_prices_parquet(b"", file="prices.parquet")
    assert [offer.quotes[0].amount for offer in found.offers] == [
        Decimal("9.80"),
        Decimal("0.1"),
        Decimal("3.67"),
        Decimal("0.00007"),
        3,
    ]


def test_what_is_no_price_is_named_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, a_table("1.00", float("nan"), None, float("inf"), 0.0, -1.5))
    found = read_prices_parquet(b"", file="prices.parquet")
    assert [str(error.where) for error in found.rejected] == [
        f"prices.parquet:{row}" for row in (2, 3, 4, 5, 6)
    ]
    assert len([offer for offer in found.offers if offer.quotes]) == 1


def test_a_file_that_is_no_parquet_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, OSError("magic bytes not found"))
    with pytest.raises(CatalogError, match="The file is not Parquet: magic bytes not found"):
        read_prices_parquet(b"no", file="prices.parquet")
