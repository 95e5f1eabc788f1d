"""Messages of a JSON stream, valid by default."""

from __future__ import annotations

from typing import Any


def version(ui: str = "1.2") -> dict[str, Any]:
    """The first message."""
    return {"type": "version", "terraform": "1.11.4", "ui": ui}


def planned(address: str, action: str = "create", **more: Any) -> dict[str, Any]:
    """One resource's planned change."""
    kind = address.split("[", maxsplit=1)[0].rsplit(".", 2)[-2]
    resource = {"addr": address, "resource_type": kind}
    return {"type": "planned_change", "change": {"resource": resource, "action": action, **more}}


def summary(**counts: Any) -> dict[str, Any]:
    """The counts at the end of a plan."""
    changes = {"add": 0, "change": 0, "remove": 0, "import": 0, "operation": "plan", **counts}
    return {"type": "change_summary", "changes": changes}


def diagnostic(text: str, detail: str = "", **more: Any) -> dict[str, Any]:
    """An error unless `severity` says otherwise."""
    body = {"severity": "error", "summary": text, "detail": detail, **more}
    return {"type": "diagnostic", "diagnostic": body}
