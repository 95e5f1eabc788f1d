"""An account's quotas as parts of its cloud's feed, so that one refresh brings home both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.errors import CloudError
from multicloud.models.feed import Batch

if TYPE_CHECKING:
    from multicloud.models.account import Account
    from multicloud.models.feed import Feed
    from multicloud.models.offer import Cloud

PREFIX = "quotas "


class WithQuotas:
    """A feed with one more part per region of the account: `quotas us-east-1`."""

    def __init__(self, feed: Feed, account: Account, regions: tuple[str, ...]) -> None:
        self._feed = feed
        self._account = account
        self._regions = regions

    @property
    def cloud(self) -> Cloud:
        """Whose."""
        return self._feed.cloud

    def parts(self) -> tuple[str, ...]:
        """The feed's, and the regions' quotas. Raises: CloudError."""
        return (*self._feed.parts(), *(PREFIX + region for region in sorted(self._regions)))

    def read(self, part: str) -> Batch:
        """Everything of one part; quotas that cannot be read are told, not raised.

        Raises: CloudError.
        """
        region = part.removeprefix(PREFIX)
        if region == part:
            return self._feed.read(part)
        looked_at = clock.utcnow()
        try:
            quotas = self._account.quotas(region)
        except CloudError as error:
            # Prices are worth having without: the cloud itself still holds to its quotas.
            return Batch(looked_at=looked_at, rejected=(f"{part}: {error.summary}",))
        return Batch(looked_at=looked_at, quotas=quotas, quotas_of=region)
