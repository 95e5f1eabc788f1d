"""Public price lists by HTTPS: whole answers in bounded time, as JSON with exact numbers."""

from __future__ import annotations

import json
import os
import ssl
import time
import urllib.error
import urllib.request
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from multicloud import clock
from multicloud.clouds import failures
from multicloud.clouds.failures import failure, unreadable
from multicloud.errors import CloudError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multicloud.models.offer import Cloud

LARGEST = 64 << 20
"""Bytes of one answer: what is longer is no price list."""
WHOLE_S = 30.0
"""Seconds that one answer may take as a whole."""
LONGEST_WAIT_S = 5.0
"""Seconds that are waited before asking again, whatever the service would like."""
_CHUNK = 1 << 16
_AGAIN = "Run again in a minute."
_NETWORK = "Check the network, a proxy, and the name service."


def get_json(cloud: Cloud, url: str) -> Any:  # noqa: ANN401 - whatever the list is made of
    """The document at `url`, its numbers as Decimal; asked again after 429 and 5xx.

    Certificates are checked against REQUESTS_CA_BUNDLE or SSL_CERT_FILE, where one is set.
    Raises: CloudError.
    """
    return _json(cloud, urllib.request.Request(url))  # noqa: S310 - our own addresses


def post_json(cloud: Cloud, url: str, body: object, headers: Mapping[str, str]) -> Any:  # noqa: ANN401 - see `get_json`
    """The answer to a document sent to `url`. Raises: CloudError."""
    sent = json.dumps(body).encode()
    told = {"Content-Type": "application/json", **headers}
    return _json(cloud, urllib.request.Request(url, data=sent, headers=told))  # noqa: S310


def _json(cloud: Cloud, request: urllib.request.Request) -> Any:  # noqa: ANN401 - see `get_json`
    for attempt in range(1, failures.ATTEMPTS + 1):
        try:
            return json.loads(_read(request), parse_float=Decimal, parse_int=Decimal)
        except urllib.error.HTTPError as error:
            # It is an answer too, with a connection of its own.
            error.close()
            passes = error.code == 429 or error.code >= 500
            if attempt == failures.ATTEMPTS or not passes:
                raise failure(f"HTTP{error.code}", str(error.reason), _AGAIN) from None
            time.sleep(_wait_s(error, attempt))
        except (OSError, TimeoutError) as error:
            silent = isinstance(error, TimeoutError) or "timed out" in str(error)
            why = getattr(error, "reason", None) or error
            told = "no answer in time" if silent else f"cannot be reached ({why})"
            raise failure("NoAnswer" if silent else "NoConnection", told, _NETWORK) from None
        except ValueError as error:
            raise unreadable(cloud, error) from None
    raise AssertionError  # the last attempt returns or raises


def _wait_s(error: urllib.error.HTTPError, attempt: int) -> float:
    told = error.headers.get("Retry-After", "") if error.headers else ""
    wanted = float(told) if told.isdigit() else 0.2 * attempt
    return min(wanted, LONGEST_WAIT_S)


def _read(request: urllib.request.Request) -> bytes:
    certificates = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("SSL_CERT_FILE")
    context = ssl.create_default_context(cafile=certificates)
    end = clock.monotonic() + WHOLE_S
    parts: list[bytes] = []
    size = 0
    with urllib.request.urlopen(request, timeout=failures.READ_S, context=context) as answer:  # noqa: S310 - our own addresses
        while part := answer.read(_CHUNK):
            parts.append(part)
            size += len(part)
            if size > LARGEST:
                raise CloudError(f"an answer of more than {LARGEST >> 20} MiB")
            if clock.monotonic() > end:
                raise TimeoutError
        whole = answer.getheader("Content-Length")
    if whole is not None and whole.isdigit() and size < int(whole):
        raise ValueError("the answer was cut short")
    return b"".join(parts)
