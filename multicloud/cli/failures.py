"""Failures on their way out: sentences on stderr, or one JSON document on stdout."""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputsError, MulticloudError, PolicyError
from multicloud.report.scalars import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether the caller asked for JSON, judged before or without parsing the arguments."""
    asked = ("--format", "json") in pairwise(arguments)
    return asked or "--json" in arguments or "--format=json" in arguments


def failure_document(error: MulticloudError) -> dict[str, object]:
    """The error as data, with the names of the JSON contract (README, "JSON")."""
    parts = error.errors if isinstance(error, InvalidInputsError) else (error,)
    bodies = [_body(part) for part in parts]
    return {
        "schema_version": SCHEMA_VERSION,
        "error": bodies[0] if len(bodies) == 1 else _body(error),
        "errors": bodies,
        "exit_code": int(error.exit_code),
    }


def report_failure(error: MulticloudError, arguments: Sequence[str]) -> int:
    """Tell the user about `error` in the format of the call; returns the exit code."""
    if wants_json(arguments):
        sys.stdout.write(json.dumps(failure_document(error), indent=2) + "\n")
        return int(error.exit_code)
    if isinstance(error, InvalidInputsError):
        lines = [f"error: {part}" for part in error.errors]
        lines.append(f"{error.summary}; nothing was changed.")
    else:
        lines = [f"error: {error}"]
    sys.stderr.write("\n".join(lines) + "\n")
    return int(error.exit_code)


def _body(error: MulticloudError) -> dict[str, object]:
    where = error.where
    body: dict[str, object] = {
        "kind": error.kind,
        "summary": error.summary,
        "detail": error.detail,
        "hint": error.hint,
        "where": (
            {"file": where.file, "line": where.line, "column": where.column} if where else None
        ),
    }
    if isinstance(error, PolicyError):
        body["path"] = error.path
    return body
