"""Explaining one pool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.decide.explain import Explanation, explain
from multicloud.errors import InvalidInputError
from multicloud.run.inputs import load_inputs, running_pools
from multicloud.run.select import select_pools

if TYPE_CHECKING:
    from multicloud.models.pool import Policy
    from multicloud.models.project import Target
    from multicloud.run.inputs import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A pool's explanation with what it was made on."""

    explanation: Explanation
    policy: Policy
    target: Target
    price_source: str
    warnings: tuple[str, ...]


def explain_pool(question: Question) -> Explained:
    """Explain the one pool that the question selects.

    Raises:
        InvalidInputError: the selector matches no pool, or several.
    """
    inputs = load_inputs(question)
    names = sorted(select_pools(inputs.policies, question.pools, running_pools(inputs)))
    if len(names) > 1:
        raise InvalidInputError(f"{len(names)} pools matched: {', '.join(names)}; name one.")
    policy = next(p for p in inputs.policies if any(pool.name == names[0] for pool in p.pools))
    recalled = inputs.recalled[policy.name]
    return Explained(
        explanation=explain(
            policy,
            names[0],
            inputs.now,
            inputs.snapshot,
            recalled.observed.actual,
            recalled.memory,
        ),
        policy=policy,
        target=inputs.project.target,
        price_source=inputs.snapshot.source,
        warnings=inputs.warnings,
    )
