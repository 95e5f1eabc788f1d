"""Secrets and terminal codes do not come through."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.engine.redact import HIDDEN, Redactor, secret_values

SECRET = 'p"ss\\word\nTOKEN=abc123'


@pytest.mark.parametrize(
    "told",
    [
        SECRET,
        "TOKEN=abc123",
        base64.b64encode(SECRET.encode()).decode(),
        'p\\"ss\\\\word\\nTOKEN=abc123',
    ],
    ids=["as it is", "one line of it", "base64", "escaped"],
)
def test_every_form_of_a_secret_is_hidden(told: str) -> None:
    assert Redactor([SECRET])(f"before {told} after") == f"before {HIDDEN} after"


@given(st.binary(max_size=8), st.text("abcXYZ0_-/", min_size=8, max_size=40), st.binary(max_size=8))
def test_a_secret_inside_of_base64_is_hidden(before: bytes, secret: str, after: bytes) -> None:
    shown = Redactor([secret])(base64.b64encode(before + secret.encode() + after).decode())
    rest = "".join(part for part in shown.split(HIDDEN))
    assert HIDDEN in shown
    # Of the secret itself at most two bytes are left, at its edges.
    assert len(rest) * 6 // 8 <= len(before) + len(after) + 4


def test_a_secret_in_another_hides_both() -> None:
    assert Redactor(["secret", "secret-and-more"])("secret-and-more secret") == "(hidden) (hidden)"


def test_short_values_and_no_values_change_nothing() -> None:
    assert Redactor(["", "abc", "12345"])("abc 12345") == "abc 12345"
    assert Redactor()("anything") == "anything"


def test_b167_no_terminal_code_comes_through() -> None:
    assert Redactor()("\x1b[31mred\x1b[0m\x1b[K\x07 \r\nline\ttab\x1b") == "red \nline\ttab"


def test_secrets_are_found_by_the_names_of_variables() -> None:
    environ = {
        "AWS_SECRET_ACCESS_KEY": "a",
        "AWS_SESSION_TOKEN": "b",
        "ARM_CLIENT_SECRET": "c",
        "TF_HTTP_PASSWORD": "d",
        "AWS_REGION": "us-east-1",
        "PATH": "/bin",
    }
    assert sorted(secret_values(environ)) == ["a", "b", "c", "d"]
