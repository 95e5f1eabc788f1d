"""Reads the little of Terraform's language that the modules' own files use."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_BLOCK = re.compile(r'^(variable|output) "(\w+)" \{\n(.*?)^\}', re.MULTILINE | re.DOTALL)
# Between the fields of an object a line ends, which is a comma here.
_FIELD_END = re.compile(r"(string|number|bool|\)) (?=\w+ =)()")
_ARGUMENT = re.compile(r"^  (\w+) += (.*?)(?=^  \w|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A variable or output: `default` None when there is none, `validations` are counted."""

    name: str
    description: str
    type: str
    default: str | None
    nullable: bool
    order: tuple[str, ...]
    validations: int


def declared(path: Path) -> tuple[Declared, ...]:
    """The variables or outputs of a file, in its order."""
    return tuple(_read(name, body) for _, name, body in _BLOCK.findall(path.read_text()))


def _read(name: str, body: str) -> Declared:
    head, _, _ = body.partition("  validation {")
    found = {key: " ".join(text.split()) for key, text in _ARGUMENT.findall(head)}
    return Declared(
        name=name,
        description=found["description"].strip('"').replace('\\"', '"'),
        type=_FIELD_END.sub(r"\1, ", found.get("type", "")),
        default=found.get("default"),
        nullable=found.get("nullable") != "false",
        order=tuple(found),
        validations=body.count("  validation {"),
    )


def tables(inputs: tuple[Declared, ...], outputs: tuple[Declared, ...]) -> str:
    """Inputs and outputs as a README shows them."""
    rows = ["## Inputs", "", "| Name | Type | Default | What it is |", "|---|---|---|---|"]
    for item in inputs:
        default = "required" if item.default is None else f"`{item.default}`"
        rows.append(f"| `{item.name}` | `{item.type}` | {default} | {item.description} |")
    rows += ["", "## Outputs", "", "| Name | What it is |", "|---|---|"]
    rows += [f"| `{item.name}` | {item.description} |" for item in outputs]
    return "\n".join(rows) + "\n"
