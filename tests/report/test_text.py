"""Tables stay inside the width, cells are never wrapped, unknown money is never 0."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from multicloud.report.text import WIDTH, Column, money, paragraph, percent, table

CELLS = st.text(st.characters(min_codepoint=33, max_codepoint=0x17F), max_size=60)


def test_money_rounds_half_even_and_groups() -> None:
    assert money(Decimal("1234567.125")) == "1,234,567.12"
    assert money(Decimal("0.005")) == "0.00"
    assert money(Decimal("14.492")) == "14.49"


def test_unknown_money_is_a_question_mark() -> None:
    assert money(None) == "?"
    assert percent(None) == "-"


def test_figures_align_right() -> None:
    text = table([Column("POOL"), Column("USD/h", right=True)], [["a", "1.00"], ["bb", "14.49"]])
    assert text.splitlines() == ["POOL  USD/h", "a      1.00", "bb    14.49"]


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=6))
def test_rows_stay_one_line_each_within_the_width(rows: list[tuple[str, str, str]]) -> None:
    columns = [Column("ONE", shrinks=True), Column("TWO", shrinks=True), Column("3", shrinks=True)]
    lines = table(columns, rows).split("\n")
    assert len(lines) == len(rows) + 1
    assert max(map(len, lines)) <= WIDTH


def test_a_cut_cell_says_so() -> None:
    (_, line) = table([Column("A", shrinks=True)], [["x" * 200]]).splitlines()
    assert len(line) == WIDTH
    assert line == "x" * 54 + "…" + "x" * 55


def test_paragraphs_hang_under_their_head() -> None:
    text = paragraph("  pool", "word " * 40, indent=9)
    first, *rest = text.splitlines()
    assert first.startswith("  pool   word")
    assert all(line.startswith(" " * 9 + "word") for line in rest)
    assert max(len(line) for line in text.splitlines()) <= WIDTH
