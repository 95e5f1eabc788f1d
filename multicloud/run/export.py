"""`render --out`: stacks as folders that stand alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputError, Where
from multicloud.run.inputs import load_inputs, running_pools
from multicloud.run.plan import plan_policy, render_plan
from multicloud.run.select import select_pools

if TYPE_CHECKING:
    from pathlib import Path

    from multicloud.run.inputs import Question

OWN_STATE = "terraform.tfstate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """Folders written, one per stack, and pools that had nothing to render, with why."""

    folders: tuple[Path, ...]
    idle: tuple[str, ...]


def export_stacks(question: Question, out: Path) -> Exported:
    """Write each stack of the present decision into a folder of its own below `out`.

    The local backend of these roots keeps its state in the folder itself.

    Raises:
        InvalidInputError: `out` is there and not empty, or cannot be written.
    """
    if out.is_symlink() or (out.exists() and any(out.iterdir())):
        raise InvalidInputError(
            "the folder is not empty; nothing was written",
            hint="Name a new folder.",
            where=Where(file=str(out)),
        )
    inputs = load_inputs(question)
    selected = select_pools(inputs.policies, question.pools, running_pools(inputs))
    plans = [plan_policy(policy, inputs, selected) for policy in inputs.policies]
    folders = []
    jobs = [job for p in plans for job in render_plan(p, inputs.project, (), local_state=OWN_STATE)]
    for stack in (job.stack for job in jobs):
        folder = out.joinpath(*str(stack.key).split("/")[1:])
        for path, text in stack.files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            # A startup script can carry secrets: the files are their owner's alone.
            file.touch(mode=0o600)
            file.write_text(text, encoding="utf-8")
        folders.append(folder)
    idle = [
        f"{d.pool}: {'UNMET' if d.unmet else 'off'}"
        for plan in plans
        for d in plan.decisions
        if not d.after and not d.before
    ]
    return Exported(folders=tuple(folders), idle=tuple(idle))
