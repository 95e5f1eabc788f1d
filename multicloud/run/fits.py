"""Whether a saved run still fits what it was planned on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.catalog.market import build_market
from multicloud.errors import GuardrailError
from multicloud.models.offer import OfferKey
from multicloud.run.saved import base_digest

if TYPE_CHECKING:
    from decimal import Decimal

    from multicloud.catalog.market import Market
    from multicloud.models.placement import Placement
    from multicloud.models.pool import Policy
    from multicloud.models.run import SavedPolicy
    from multicloud.run.inputs import Inputs
    from multicloud.run.saved import LoadedRun


def check_fits(loaded: LoadedRun, inputs: Inputs) -> None:
    """Block a run that no longer fits what it was planned on.

    Raises:
        GuardrailError: it is too late, or policy, base or prices differ.
    """
    saved = loaded.saved
    again = f"Plan again: multicloud plan -p {' -p '.join(p.file for p in saved.policies)}"
    if inputs.now > saved.valid_until:
        raise GuardrailError(
            f"run {saved.id} was good until {saved.valid_until:%Y-%m-%d %H:%M}Z.", hint=again
        )
    policies = {policy.name: policy for policy in inputs.policies}
    for planned in saved.policies:
        policy = policies.get(planned.name)
        if policy is None or policy.hash != planned.hash:
            raise GuardrailError(f"{planned.file} was changed since run {saved.id}.", hint=again)
        if base_digest(inputs.recalled[planned.name]) != planned.base:
            raise GuardrailError(
                f"what {planned.name} has was changed since run {saved.id}.", hint=again
            )
        _check_prices(planned, inputs, policy, again)


def _check_prices(planned: SavedPolicy, inputs: Inputs, policy: Policy, again: str) -> None:
    pools = {pool.name: pool for pool in policy.pools}
    for decision in planned.decisions:
        pool = pools.get(decision.pool)
        if pool is None:
            continue
        market = build_market(
            inputs.snapshot,
            now=inputs.now,
            fx=policy.fx,
            discounts=policy.discounts,
            trust=pool.trust,
        )
        for placement in decision.after:
            then, now = placement.price.usd, _price_now(placement, market)
            if then is None or now is None or abs(now - then) <= then * pool.trust.tolerance:
                continue
            raise GuardrailError(
                f"{decision.pool}: {placement.slot.instance_type} costs {now:.2f} USD/h now, "
                f"{then:.2f} when it was planned ({(now / then - 1) * 100:+.1f} %).",
                detail=f"Tolerated are {pool.trust.tolerance * 100:.0f} %.",
                hint=again,
            )


def _price_now(placement: Placement, market: Market) -> Decimal | None:
    slot = placement.slot
    zone = slot.zones[0] if len(slot.zones) == 1 else ""
    for place in (zone, ""):
        key = OfferKey(slot.cloud, slot.region, place, slot.instance_type, slot.capacity_type)
        found = market.get(key)
        if found is not None:
            return found.price.usd
    return None
