"""Every text comes out literally, every number plain, the same input as the same bytes."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.errors import RenderError
from multicloud.render.tfjson import Expr, encode, escape

if TYPE_CHECKING:
    from multicloud.render.tfjson import Value

TEXT = st.text(st.characters(codec="utf-8"))


def read_template(text: str) -> str:
    """What Terraform makes of a template without expressions: only two escapes exist."""
    out, at = "", 0
    while at < len(text):
        if text.startswith(("$${", "%%{"), at):
            out, at = out + text[at + 1 : at + 3], at + 3
        elif text.startswith(("${", "%{"), at):
            raise AssertionError(f"{text!r} would be evaluated at {at}")
        else:
            out, at = out + text[at], at + 1
    return out


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('${file("/etc/hostname")}', '$${file("/etc/hostname")}'),
        ("100%{if true}x%{endif}", "100%%{if true}x%%{endif}"),
        ("$${", "$$${"),
        ("%%{", "%%%{"),
        ("$%{", "$%%{"),
        ("$5", "$5"),
        ("50%", "50%"),
        ("{}", "{}"),
        ("", ""),
    ],
)
def test_b171_escape(text: str, written: str) -> None:
    assert escape(text) == written
    assert read_template(written) == text


@given(TEXT)
def test_any_text_is_literal(text: str) -> None:
    assert read_template(json.loads(encode({"a": text}))["a"]) == text


@given(st.text("$%{}~x", max_size=12))
def test_any_run_of_marks_is_literal(text: str) -> None:
    assert read_template(escape(text)) == text


@given(st.dictionaries(TEXT, TEXT))
def test_keys_are_templates_too(labels: dict[str, str]) -> None:
    read = {read_template(key): read_template(value) for key, value in read_labels(labels).items()}
    assert read == labels


def read_labels(labels: dict[str, str]) -> dict[str, str]:
    found: dict[str, str] = json.loads(encode({"labels": labels}))["labels"]
    return found


def test_only_an_expression_is_evaluated() -> None:
    document = encode({"a": Expr("module.pool.pool_id"), "b": "${module.pool.pool_id}"})
    assert json.loads(document) == {"a": "${module.pool.pool_id}", "b": "$${module.pool.pool_id}"}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (1, "1"),
        (Decimal("0.00005"), "0.00005"),
        (Decimal("5E-5"), "0.00005"),
        (Decimal("12.00"), "12.00"),
        (Decimal("1E+3"), "1000"),
        ("no", '"no"'),
        ("on", '"on"'),
        ("True", '"True"'),
        ((), "[]"),
        ({}, "{}"),
        ([None], "[\n    null\n  ]"),
    ],
)
def test_b116_scalars(value: Value, written: str) -> None:
    assert encode({"a": value}) == '{\n  "a": ' + written + "\n}\n"


def test_b116_none_is_absent() -> None:
    assert encode({"a": None, "b": {"c": None}}) == '{\n  "b": {}\n}\n'


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity")])
def test_numbers_are_finite(value: Decimal) -> None:
    with pytest.raises(RenderError, match="not a number"):
        encode({"a": value})


@pytest.mark.parametrize("where", ["key", "value"])
def test_half_a_character_is_refused(where: str) -> None:
    document = {"\ud800": "x"} if where == "key" else {"x": "\ud800"}
    with pytest.raises(RenderError, match="not valid Unicode"):
        encode(document)


@given(st.dictionaries(TEXT, st.integers() | st.booleans() | TEXT))
def test_order_of_keys_does_not_matter(document: dict[str, int | str]) -> None:
    backwards = dict(reversed(list(document.items())))
    assert encode(document) == encode(backwards)


def test_other_characters_stay_readable() -> None:
    assert encode({"a": "训练 \n\t\"'\\"}) == '{\n  "a": "训练 \\n\\t\\"\'\\\\"\n}\n'
