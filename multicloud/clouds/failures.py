"""What a cloud refused or failed to do, as one error with what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from multicloud.errors import CloudError, MissingCredentialsError

if TYPE_CHECKING:
    from multicloud.models.offer import Cloud

CONNECT_S = 3.0
"""Seconds that a connection may take."""
READ_S = 6.0
"""Seconds that an answer may take to begin."""
ATTEMPTS = 3
LONGEST = 300
"""Letters of a cloud's own words that are told."""


def missing_sdk(cloud: Cloud, error: ImportError) -> NoReturn:
    """Say which extra brings the SDK.

    Raises: CloudError, always.
    """
    raise CloudError(
        f"the SDK of {cloud} is not installed ({error.name}),",
        hint=f"Run: pip install 'multicloud[{cloud}]'",
    ) from None


def failure(code: str, words: str, hint: str, *, is_missing: bool = False) -> CloudError:
    """A refusal as ours: the cloud's code, the first line of its words, and what to do next.

    The first line only: what follows is request ids, answers as they came and advertisements.
    `is_missing` makes it a MissingCredentialsError.
    """
    line = next((line.strip() for line in words.splitlines() if line.strip()), "no words")
    short = line if len(line) <= LONGEST else f"{line[:LONGEST]}..."
    kind = MissingCredentialsError if is_missing else CloudError
    found = kind(f"{code}: {short}", hint=hint)
    found.code = code
    return found


def unreadable(cloud: Cloud, error: Exception) -> CloudError:
    """What an SDK trips over when the answer is cut short, or a proxy's own."""
    words = f"the answer of {cloud} cannot be read ({type(error).__name__})"
    return failure("UnreadableAnswer", words, "Run again; if it stays, look for a proxy.")


def as_cloud_error(error: Exception) -> CloudError:
    """Whatever a reader let through, for threads whose callers are told and never raised at."""
    if isinstance(error, CloudError):
        return error
    return CloudError(f"{type(error).__name__}: {error}")
