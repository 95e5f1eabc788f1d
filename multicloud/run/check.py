"""Checking policies without deciding anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.catalog.market import build_market
from multicloud.models.pool import PriceTrust
from multicloud.policy.lint import lint
from multicloud.run.inputs import load_policies, load_project, load_snapshot

if TYPE_CHECKING:
    from multicloud.models.pool import Policy
    from multicloud.policy.lint import LintWarning
    from multicloud.run.inputs import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Policies that loaded, and what looks odd in each; `notes` are about the inputs."""

    policies: tuple[Policy, ...]
    warnings: tuple[tuple[Policy, LintWarning], ...]
    notes: tuple[str, ...]


def check_policies(question: Question) -> Checked:
    """Load and lint; raises InvalidInputsError with every fault of every file."""
    root, project = load_project(question.folder)
    policies = load_policies(question, root, project)
    now = clock.utcnow()
    snapshot, notes = load_snapshot(question.prices, project, root=root, now=now)
    found: list[tuple[Policy, LintWarning]] = []
    for policy in policies:
        market = build_market(
            snapshot, now=now, fx=policy.fx, discounts=policy.discounts, trust=PriceTrust()
        )
        found.extend((policy, warning) for warning in lint(policy, now=now, market=market))
    return Checked(policies=policies, warnings=tuple(found), notes=notes)
