"""Reads the JSON lines that `plan -json` and `apply -json` print, one message per line.

Values never get this far: `snippet` (source text with values) and `outputs` are dropped unread,
and what diagnostics say is redacted by value.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from multicloud.errors import PlanFormatError
from multicloud.models.change import ChangeAction, Diagnostic, ResourceChange

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_UI_MAJOR = "1"
_LOG_LINES = 50
# OpenTofu and Terraform call the forgetting of a resource by two names.
_ACTIONS = {**{str(action): action for action in ChangeAction}, "forget": ChangeAction.REMOVE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a stream came to. Counts are resources; `is_summed` says that they were told.

    `drift` are changes made outside of the engine, seen while refreshing. `log` are the last
    lines that were not JSON.
    """

    add: int = 0
    change: int = 0
    destroy: int = 0
    is_summed: bool = False
    changes: tuple[ResourceChange, ...] = ()
    drift: tuple[ResourceChange, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    engine_version: str = ""
    log: tuple[str, ...] = ()

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """Only what is an error, in order."""
        return tuple(d for d in self.diagnostics if d.severity == "error")


class StreamReader:
    """Takes the lines of one command as they come; `outcome` is what they say so far.

    `on_step` gets a short text whenever the engine reports that it works on a resource.
    """

    def __init__(
        self, redact: Callable[[str], str], on_step: Callable[[str], None] | None = None
    ) -> None:
        self._redact = redact
        self._on_step = on_step
        self._counts: dict[str, int] | None = None
        self._changes: list[ResourceChange] = []
        self._drift: list[ResourceChange] = []
        self._diagnostics: list[Diagnostic] = []
        self._version = ""
        self._log: deque[str] = deque(maxlen=_LOG_LINES)

    def feed(self, line: str) -> None:
        """Take one line. Raises: PlanFormatError for a stream whose version we cannot read."""
        message = _as_message(line)
        if message is None:
            if line.strip():
                self._log.append(self._redact(line))
            return
        try:
            self._take(message)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            kind = message.get("type")
            raise PlanFormatError(
                f"the engine's message of type {kind!r} is not of the form we know.",
                hint="See `multicloud doctor` for the engine and its version.",
            ) from error

    @property
    def outcome(self) -> Outcome:
        """What the lines taken so far say."""
        counts = self._counts or {}
        return Outcome(
            add=counts.get("add", 0),
            change=counts.get("change", 0),
            destroy=counts.get("remove", 0),
            is_summed=self._counts is not None,
            changes=tuple(self._changes),
            drift=tuple(self._drift),
            diagnostics=tuple(self._diagnostics),
            engine_version=self._version,
            log=tuple(self._log),
        )

    def _take(self, message: Mapping[str, Any]) -> None:
        match message.get("type"):
            case "version":
                self._take_version(message)
            case "planned_change":
                self._changes.append(_change(message["change"]))
            case "resource_drift":
                self._drift.append(_change(message["change"]))
            case "change_summary":
                self._take_summary(message["changes"])
            case "diagnostic":
                self._take_diagnostic(message["diagnostic"])
            case "refresh_start" | "apply_start" | "apply_progress":
                self._step(message)
            case _:
                return  # other types come with newer engines and only add to what we know

    def _take_version(self, message: Mapping[str, Any]) -> None:
        ui = str(message["ui"])
        if ui.split(".", 1)[0] != _UI_MAJOR:
            raise PlanFormatError(
                f"the engine's JSON output has version {ui},",
                detail=f"expected {_UI_MAJOR}.x.",
                hint="Choose another engine with --engine.",
            )
        self._version = str(message.get("terraform") or message.get("tofu") or "")

    def _take_summary(self, counts: Mapping[str, Any]) -> None:
        numbers = {name: counts[name] for name in ("add", "change", "remove")}
        if not all(isinstance(n, int) and n >= 0 for n in numbers.values()):
            raise ValueError("counts are whole numbers")
        self._counts = numbers

    def _take_diagnostic(self, diagnostic: Mapping[str, Any]) -> None:
        self._diagnostics.append(
            Diagnostic(
                severity=str(diagnostic["severity"]),
                summary=self._redact(str(diagnostic["summary"])),
                detail=self._redact(str(diagnostic.get("detail", ""))),
                address=str(diagnostic.get("address", "")),
            )
        )

    def _step(self, message: Mapping[str, Any]) -> None:
        if self._on_step is not None:
            hook = message["hook"]
            self._on_step(f"{hook.get('action', 'refresh')} {hook['resource']['addr']}")


def _as_message(line: str) -> Mapping[str, Any] | None:
    if not line.startswith("{"):
        return None
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None


def _change(raw: Mapping[str, Any]) -> ResourceChange:
    resource = raw["resource"]
    return ResourceChange(
        address=str(resource["addr"]),
        type=str(resource["resource_type"]),
        action=_ACTIONS[raw["action"]],
        reason=str(raw.get("reason", "")),
    )
