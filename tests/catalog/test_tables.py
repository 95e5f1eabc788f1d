from __future__ import annotations

import csv
from pathlib import Path

import pytest

from multicloud.catalog.tables import read_table, sources

BY_HAND = Path(__file__).parents[2] / "tools" / "catalog"


def test_a_table_is_read_without_its_header() -> None:
    assert next(iter(read_table("sources.csv")))[0] == "aws-regions"


def test_a_table_that_is_not_there_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        read_table("nothing.csv")


def test_sources_have_titles_fit_for_a_line_of_output() -> None:
    assert all(0 < len(source.title) <= 30 for source in sources().values())


@pytest.mark.parametrize("name", ["sources.csv", "gpus.csv", "shapes.csv"])
def test_rows_written_by_hand_are_in_the_packages_table(name: str) -> None:
    with (BY_HAND / name).open(encoding="utf-8", newline="") as file:
        by_hand = list(csv.reader(file))[1:]
    bundled = list(read_table(name))
    # The last columns of a shape are filled in by the build (memory per GPU, fabric).
    keys = {tuple(row[:4]) for row in bundled}
    assert {tuple(row[:4]) for row in by_hand} <= keys
