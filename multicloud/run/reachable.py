"""Whether a pool could be rendered on every cloud that its rules may bring it to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputError, InvalidInputsError
from multicloud.models.pool import Fixed
from multicloud.render.stack import MODULES, check_pool

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multicloud.models.offer import Cloud
    from multicloud.models.pool import Policy, Pool


def check_reachable(policies: Sequence[Policy]) -> None:
    """Hold labels and startup scripts against each cloud in reach, before anything moves there.

    Raises:
        InvalidInputsError: a cloud would refuse one; all faults at once.
    """
    faults = [fault for policy in policies for pool in policy.pools for fault in _faults_of(pool)]
    if faults:
        raise InvalidInputsError(faults)


def clouds_in_reach(pool: Pool) -> tuple[Cloud, ...]:
    """Clouds that have a module and that some tier of the pool names, or all for `any`."""
    outcomes = [*(rule.outcome for rule in pool.rules), pool.otherwise]
    tiers = [t for one in outcomes if one is not None and not isinstance(one, Fixed) for t in one]
    named = {place.cloud for tier in tiers for place in tier.places}
    return tuple(cloud for cloud in MODULES if cloud in named or None in named)


def _faults_of(pool: Pool) -> Iterator[InvalidInputError]:
    for cloud in clouds_in_reach(pool):
        try:
            check_pool(pool, cloud)
        except InvalidInputError as fault:
            yield fault
