"""Every error a user can meet, one class per reaction of the caller, and the exit codes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable


class ExitCode(IntEnum):
    """What the process says to the shell; the table stands in the README."""

    OK = 0
    FAILED = 1
    CHANGES = 2
    INVALID = 3
    BLOCKED = 4
    PARTIAL = 5
    INTERRUPTED = 130


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Where:
    """A place in a file; `line` and `column` count from 1, and 0 means the whole file."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        """Render as `file:line:column`, leaving out what is not known."""
        parts = [self.file, *(str(n) for n in (self.line, self.column) if n)]
        return ":".join(parts)


class MulticloudError(Exception):
    """Base of all errors that are told to the user in one sentence, without a traceback.

    `summary` says what is wrong and with which value, `detail` what was expected, `hint` what
    to do next, `where` the place.
    """

    kind: ClassVar[str] = "error"
    exit_code: ClassVar[ExitCode] = ExitCode.FAILED

    def __init__(
        self, summary: str, *, detail: str = "", hint: str = "", where: Where | None = None
    ) -> None:
        super().__init__(summary)
        self.summary = summary
        self.detail = detail
        self.hint = hint
        self.where = where

    def __str__(self) -> str:
        """One line: place, summary, detail, hint."""
        head = f"{self.where} {self.summary}" if self.where else self.summary
        return _sentences(head, self.detail, self.hint)


def _sentences(*parts: str) -> str:
    """Parts as one line; one that ends without a stop gets one before a capital letter."""
    told = [part for part in parts if part]
    for index, part in enumerate(told[:-1]):
        if part[-1] not in ".,:;!?" and told[index + 1][0].isupper():
            told[index] = f"{part}."
    return " ".join(told)


class InvalidInputError(MulticloudError):
    """An argument or a file given by the user cannot be used; nothing was touched."""

    kind = "invalid"
    exit_code = ExitCode.INVALID


class PolicyError(InvalidInputError):
    """One fault in a policy or project file. `path` is dotted: `pools.night.need`."""

    kind = "policy"

    def __init__(
        self,
        summary: str,
        *,
        path: str = "",
        detail: str = "",
        hint: str = "",
        where: Where | None = None,
    ) -> None:
        super().__init__(summary, detail=detail, hint=hint, where=where)
        self.path = path

    def __str__(self) -> str:
        """One line: place, path, summary, detail, hint."""
        place = " ".join(str(part) for part in (self.where, self.path) if part)
        head = f"{place}: {self.summary}" if place else self.summary
        return _sentences(head, self.detail, self.hint)


class InvalidInputsError(InvalidInputError):
    """All faults found in one go; `errors` is never empty and is in file order."""

    kind = "policy"

    def __init__(self, errors: Iterable[MulticloudError]) -> None:
        self.errors = tuple(errors)
        count = len(self.errors)
        super().__init__(f"{count} error{'' if count == 1 else 's'}")

    def __str__(self) -> str:
        """One line per error."""
        return "\n".join(str(error) for error in self.errors)


class CatalogError(InvalidInputError):
    """A price or facts file is not what its format says; names row and field."""

    kind = "catalog"


class GuardrailError(MulticloudError):
    """A guard stopped the run before anything was changed."""

    kind = "blocked"
    exit_code = ExitCode.BLOCKED


class RenderError(MulticloudError):
    """A decision cannot be written as Terraform."""

    kind = "render"


class EngineError(MulticloudError):
    """Terraform or OpenTofu could not do its part."""

    kind = "engine"


class EngineNotFoundError(EngineError):
    """No engine is at hand."""

    kind = "engine_not_found"


class EngineFailedError(EngineError):
    """The engine ended with an error; `exit_code_of_engine` is its own."""

    kind = "engine_failed"

    def __init__(
        self, summary: str, *, exit_code_of_engine: int | None, detail: str = "", hint: str = ""
    ) -> None:
        super().__init__(summary, detail=detail, hint=hint)
        self.exit_code_of_engine = exit_code_of_engine


class StateLockedError(EngineFailedError):
    """Another engine holds the state's lock; it is never forced."""

    kind = "state_locked"


class PlanFormatError(EngineError):
    """The engine's machine-readable stream is of a version we do not read."""

    kind = "plan_format"


class CloudError(MulticloudError):
    """A cloud, or the way to it, failed; `code` is the cloud's own word, if it had one."""

    kind = "cloud"
    code: str = ""


class MissingCredentialsError(CloudError):
    """There is nothing to show the cloud: it is skipped where others can do, and named."""

    kind = "credentials"


class InterruptedRunError(MulticloudError):
    """The user or the system asked us to stop."""

    kind = "interrupted"
    exit_code = ExitCode.INTERRUPTED
