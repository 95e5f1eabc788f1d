"""What keeps a run from acting at all: another engine's states, nodes that nobody recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.errors import GuardrailError
from multicloud.models.project import Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from multicloud.engine.choose import Engine
    from multicloud.models.run import RecordedStack
    from multicloud.run.carry import PoolWork
    from multicloud.run.desk import Desk
    from multicloud.run.inputs import Inputs


def check_engine(
    stacks: Iterable[RecordedStack], engine: Engine, target: Target, *, switch: bool
) -> tuple[str, ...]:
    """Whether the engine may touch stacks that another product or a newer minor applied last.

    In the sandbox, or when the switch is wanted, only a note for stderr comes of it.

    Raises:
        GuardrailError: live, and nobody said `--switch-engine`.
    """
    foreign = [stack for stack in stacks if _is_foreign(stack, engine)]
    if not foreign:
        return ()
    first = foreign[0]
    told = (
        f"{first.key} was last applied by {first.engine} {first.engine_version}, "
        f"this is {engine.product} {engine.version}"
    )
    if target is Target.LIVE and not switch:
        raise GuardrailError(
            f"{told}.",
            detail="Its state may not be readable by this one, or by the other one afterwards.",
            hint="Use that engine, or say --switch-engine.",
        )
    return (told,)


def check_strangers(works: Sequence[PoolWork], inputs: Inputs, desk: Desk, *, adopt: bool) -> None:
    """Block a live run that finds nodes of its policies while their records are empty.

    Most likely the store was lost or is another one; acting on it would double every pool.

    Raises:
        GuardrailError: nobody said `--adopt`.
    """
    if inputs.project.target is not Target.LIVE or adopt:
        return
    blank = {name for name, r in inputs.recalled.items() if not r.observed.stacks}
    slots = [j.stack.placement.slot for w in works if w.policy.name in blank for j in w.jobs]
    for reading in desk.inventories.read((slot.cloud, slot.region) for slot in slots):
        found = [node for node in reading.nodes if node.policy in blank]
        if found:
            raise GuardrailError(
                f"{len(found)} nodes of {found[0].policy} run in {reading.cloud}/{reading.region}, "
                "but nothing is recorded of it.",
                detail="The store may be lost, or this is another one.",
                hint="Bring it back, or say --adopt to go on with an empty one.",
            )


def _is_foreign(stack: RecordedStack, engine: Engine) -> bool:
    if not stack.engine:
        return False
    return stack.engine != engine.product or _minor(stack.engine_version) > _minor(engine.version)


def _minor(version: str) -> tuple[int, ...]:
    parts = version.split(".")[:2]
    return tuple(int(part) if part.isdigit() else 0 for part in parts)
