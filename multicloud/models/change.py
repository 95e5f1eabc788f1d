"""What the engine says it would change, stack by stack."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multicloud.models.inventory import Tags


class ChangeAction(StrEnum):
    """What happens to one resource; the engine's own words."""

    NOOP = "noop"
    CREATE = "create"
    READ = "read"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"
    IMPORT = "import"
    MOVE = "move"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceChange:
    """One resource's change; `reason` is the engine's (`cannot_update`, ...) or empty."""

    address: str
    type: str
    action: ChangeAction
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """An error or warning of the engine, with secrets already taken out."""

    severity: str
    summary: str
    detail: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackKey:
    """Name of a stack and of its state: `<target>/<policy>/<pool>/<cloud>-<region>-<digest>`."""

    target: str
    policy: str
    pool: str
    cloud: str
    region: str
    digest: str
    renamed: str = field(default="", compare=False)

    @property
    def owner(self) -> str:
        """The pool that the stack belongs to: `pool`, or what that is called by now.

        Names in the cloud and of the state stay what they were made as.
        """
        return self.renamed or self.pool

    @property
    def tags(self) -> Tags:
        """What nodes and groups of the stack are tagged with."""
        return self.policy, self.pool, self.digest

    def __str__(self) -> str:
        """The key as it stands in state paths and output."""
        return f"{self.target}/{self.policy}/{self.pool}/{self.cloud}-{self.region}-{self.digest}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StackPlan:
    """What planning one stack came to.

    `error` is None or why it failed; then the counts are 0 and mean nothing. `error_kind` is
    the kind of that error (see `multicloud.errors`) and `hint` what to do about it. `drift` are
    changes made outside of us. `skipped` stacks were not given to the engine because nothing
    about them can have changed.
    """

    key: StackKey
    add: int = 0
    change: int = 0
    destroy: int = 0
    changes: tuple[ResourceChange, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    skipped: bool = False
    error: str | None = None
    error_kind: str = ""
    hint: str = ""
    drift: tuple[ResourceChange, ...] = ()
    engine_version: str = ""

    @property
    def has_changes(self) -> bool:
        """Whether applying would do anything."""
        return bool(self.add or self.change or self.destroy)
