"""What a cloud refused or failed to do, as one error with what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from multicloud.errors import CloudError

if TYPE_CHECKING:
    from multicloud.models.offer import Cloud

CONNECT_S = 3.0
"""Seconds that a connection may take."""
READ_S = 6.0
"""Seconds that an answer may take to begin."""
ATTEMPTS = 3


def missing_sdk(cloud: Cloud, error: ImportError) -> NoReturn:
    """Say which extra brings the SDK.

    Raises: CloudError, always.
    """
    raise CloudError(
        f"the SDK of {cloud} is not installed ({error.name}),",
        hint=f"Run: pip install 'multicloud[{cloud}]'",
    ) from None
