"""Takes known secret values out of text before a person or a file gets it."""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

HIDDEN = "(hidden)"

# Shorter values would blank out ordinary words; no credential is that short.
_SHORTEST = 6
_SECRET_NAME = re.compile(
    r"SECRET|TOKEN|PASSWORD|PASSWD|CREDENTIAL|PRIVATE|ACCESS_KEY", re.IGNORECASE
)
_NOT_PRINTABLE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")


def secret_values(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Values of the variables whose names say that they are secrets."""
    return tuple(value for name, value in environ.items() if _SECRET_NAME.search(name))


class Redactor:
    """Replaces every known value, in any form in which an engine may print it."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {form for secret in secrets for form in _forms(secret) if len(form) >= _SHORTEST}
        # The longest first, so that no part of a value is left beside a replaced part.
        alternatives = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
        self._pattern = re.compile(alternatives) if forms else None

    def __call__(self, text: str) -> str:
        """The text without secrets, terminal codes and other control characters."""
        plain = _NOT_PRINTABLE.sub("", text)
        return self._pattern.sub(HIDDEN, plain) if self._pattern else plain


def _forms(secret: str) -> Iterable[str]:
    """The value, its lines, inside of base64, and escaped as in JSON and HCL."""
    yield secret
    yield from (line.strip() for line in secret.splitlines())
    yield base64.b64encode(secret.encode()).decode()
    yield from _inside_base64(secret.encode())
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]


def _inside_base64(value: bytes) -> Iterable[str]:
    """What base64 of a longer text shows of the value, at each of the three alignments.

    A start-up script is handed to the clouds as base64, with the secrets somewhere in it.
    """
    for shift, first in enumerate((0, 2, 3)):  # characters that the bytes before it take part in
        last = (shift + len(value)) * 8 // 6
        yield base64.b64encode(bytes(shift) + value)[first:last].decode()
